"""Compiled loops where neither the sources nor the home folder can be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kces import compile_cache
from kces.compile_cache import keep_compiled_loops

READ_ONLY = """
import os
allowed = os.access
os.access = lambda path, mode, **options: False if mode & os.W_OK else allowed(path, mode, **options)
import kces
print(os.environ["NUMBA_CACHE_DIR"], oct(os.stat(os.environ["NUMBA_CACHE_DIR"]).st_mode & 0o777))
"""


def test_a_read_only_machine_gets_a_private_folder_that_goes_with_the_process() -> None:
    clean = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run([sys.executable, "-c", READ_ONLY], env=clean, capture_output=True, text=True, check=True)
    folder, mode = done.stdout.split()
    assert mode == "0o700"
    assert not Path(folder).exists()


@pytest.mark.parametrize("writable", ["sources", "cache"])
def test_nothing_is_set_where_a_folder_can_be_written(
    writable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = Path(compile_cache.__file__).parent
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache" / "not" / "there"))
    open_one = sources if writable == "sources" else tmp_path
    monkeypatch.setattr("kces.compile_cache.os.access", lambda path, _: Path(path) == open_one)
    assert keep_compiled_loops() is None
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_the_user_s_own_folder_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "mine")
    monkeypatch.setattr("kces.compile_cache.os.access", lambda *_: False)
    assert keep_compiled_loops() is None
    assert os.environ["NUMBA_CACHE_DIR"] == "mine"
