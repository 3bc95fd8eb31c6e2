"""The command line: ``kces --help``."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the ``kces`` program: ends it with an exit code.

    Nothing is imported before ``try``: Ctrl-C ends the program with one line, however early it comes.

    Parameters
    ----------
    arguments : the words after ``kces``. Default: those of the process.
    """
    try:
        from kces.cli.app import run

        run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(130)
