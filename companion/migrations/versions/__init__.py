"""One file per step, named r<number>_<what>.py; its revision is the number."""
