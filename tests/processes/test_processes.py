"""Orders in processes of their own: answers, limits, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kces.processes import Limits, Order, run_order

LISTED = "\n".join(
    [
        "import sys",
        "import kces.processes, kces.processes.forks, kces.processes.template",
        "print([name for name in ('torch', 'numba', 'pandas', 'sklearn') if name in sys.modules])",
    ]
)


@pytest.fixture
def work(tmp_path, monkeypatch) -> str:
    """A module of functions that only a process which is asked to imports."""
    (tmp_path / "odd_jobs.py").write_text(
        "import os, subprocess, sys, time\n"
        "def peak():\n"
        "    from kces.memory import peak_memory\n"
        "    return {'peak': peak_memory()}\n"
        "def threads():\n"
        "    return {'threads': os.environ.get('OMP_NUM_THREADS')}\n"
        "def large():\n"
        "    return {'size': len(bytearray(4 << 30))}\n"
        "def noisy():\n"
        "    print('not the answer'); os.write(1, b'nor this')\n"
        "    return {'fine': True}\n"
        "def sleeps(log):\n"
        "    child = subprocess.Popen(['sleep', '60'])\n"
        "    open(log, 'w').write(f'{os.getpid()} {child.pid}')\n"
        "    time.sleep(60)\n"
        "def refuses():\n"
        "    from kces.processes import NotApplicableError\n"
        "    raise NotApplicableError('not\\n here')\n"
        "def dies():\n"
        "    os._exit(3)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    return "odd_jobs"


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def are_gone(pids: list[str], seconds: float = 5.0) -> bool:
    """Whether all have ended, soon: the system takes a moment to end what it has been told to."""
    deadline = time.monotonic() + seconds
    while any(is_running(int(pid)) for pid in pids) and time.monotonic() < deadline:
        time.monotonic()
    return not any(is_running(int(pid)) for pid in pids)


def test_the_room_needs_none_of_the_large_libraries() -> None:
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("job", "status", "message"),
    [
        ("noisy", "ok", ""),
        ("refuses", "not applicable", "not here"),
        ("dies", "error", "ended with code 3 and no answer"),
        ("missing", "error", "module 'odd_jobs' has no attribute 'missing'"),
    ],
)
def test_however_it_ends_there_is_an_answer(work: str, job: str, status: str, message: str) -> None:
    answer = run_order(Order(f"{work}:{job}"))
    assert (answer.status, answer.message) == (status, message)
    assert answer.seconds > 0


def test_peak_memory_is_the_process_own(work: str) -> None:
    held = bytearray(os.urandom(1) * (300 << 20))
    assert run_order(Order(f"{work}:peak")).result["peak"] < len(held)


def test_memory_beyond_the_limit_is_told_as_such(work: str) -> None:
    assert run_order(Order(f"{work}:large"), Limits(memory=1 << 30)).status == "oom"


def test_threads_are_those_of_the_limits_or_of_the_environment(work: str, monkeypatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert run_order(Order(f"{work}:threads")).result == {"threads": "7"}
    assert run_order(Order(f"{work}:threads"), Limits(threads=2)).result == {"threads": "2"}


def test_time_that_is_up_ends_the_process_and_its_children(work: str, tmp_path) -> None:
    log = tmp_path / "pids"
    answer = run_order(Order(f"{work}:sleeps", {"log": str(log)}), Limits(seconds=1.5))
    assert (answer.status, answer.message) == ("timeout", "stopped after 1.5 s")
    assert are_gone(log.read_text().split())


def test_an_interrupted_wait_leaves_nothing_behind(work: str, tmp_path, monkeypatch) -> None:
    log = tmp_path / "pids"

    def interrupted(seconds: float, sleep=time.sleep) -> None:
        if log.exists() and len(log.read_text().split()) == 2:
            raise KeyboardInterrupt
        sleep(seconds)

    monkeypatch.setattr("kces.processes.process.time.sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_order(Order(f"{work}:sleeps", {"log": str(log)}), Limits(seconds=30))
    assert are_gone(log.read_text().split())
