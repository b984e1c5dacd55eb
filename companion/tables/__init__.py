"""Tables in play: who sits where and may do what, and how a game is drawn."""
