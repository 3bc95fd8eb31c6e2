"""What a process has held in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kces.memory import peak_memory

_MEGABYTE = 2**20


def test_the_peak_stays_when_the_memory_is_given_back() -> None:
    block = np.ones(300 * _MEGABYTE, dtype=np.uint8)
    held = peak_memory()
    del block
    assert held >= 300 * _MEGABYTE
    assert peak_memory() >= held - 10 * _MEGABYTE  # the kernel counts pages in batches


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux keeps the record apart")
def test_a_process_does_not_inherit_the_peak_of_the_one_that_started_it() -> None:
    block = np.ones(400 * _MEGABYTE, dtype=np.uint8)
    program = "from kces.memory import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 5 * _MEGABYTE < int(done.stdout) < len(block)
