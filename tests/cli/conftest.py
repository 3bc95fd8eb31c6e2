"""Running the program within the test's process."""

from __future__ import annotations

from pathlib import Path

import pytest

from kces.cli import main
from program import Ran, RunKces


@pytest.fixture
def run_kces(capsys: pytest.CaptureFixture[str]) -> RunKces:
    """``run_kces("score", path, "--json")`` is ``kces score PATH --json``."""

    def run(*words: str | Path) -> Ran:
        capsys.readouterr()
        try:
            main([str(word) for word in words])
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, *capsys.readouterr())

    return run
