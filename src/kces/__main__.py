"""``python -m kces``: the command line where the script ``kces`` is not on the path."""

from kces.cli import main

if __name__ == "__main__":
    main()
