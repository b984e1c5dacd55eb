"""`python -m companion` is the command `arbitro`."""

from companion.cli import main

if __name__ == "__main__":
    main()
