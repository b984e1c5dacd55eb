"""The decks that a user has: where they live, what they lack, whose they are."""
