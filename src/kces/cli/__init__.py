"""The command line: ``kces --help``."""

from kces.cli.app import app, main

__all__ = ["app", "main"]
