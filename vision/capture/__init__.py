"""Sources of frames, and the thread that keeps the newest one.

A `Source` gives shots one after the other; a `Grabber` reads it in a thread of its own,
watches over it (`Watchdog`), reconnects, and hands out the newest usable shot.
"""
