"""Cells forked from a template: cheap to start, and as far apart from each other as fresh interpreters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kces.lab.reproduce import Cell, Settings, Store, run_cells
from kces.lab.reproduce.runner import PRELOADED

GRAPH = "synthetic:n=60,seed=0"

# A template without imports whose cells misbehave on request; it logs the process number of every cell.
FAKE_TEMPLATE = """
import ctypes, json, os, resource, signal, sys, time
from kces.processes import Answer, template, worker

def misbehave(order):
    task, graph, method, seed, options = json.loads(order.arguments["cell"])
    with open(os.environ["FAKE_LOG"], "a") as log:
        log.write(f"{os.getpid()} {os.getppid()} {method} {seed}\\n")
    os.environ["LEFT_BEHIND"] = found = os.environ.get("LEFT_BEHIND", "") + "x"
    if method == "segfault":
        ctypes.string_at(0)
    if method == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if method == "exits":
        sys.exit(0)
    if method == "ends template":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    if method == "noisy":
        print("no line break", end="")
        os.write(1, b"and more")
        ctypes.CDLL(None).printf(b"buffered by C")
    time.sleep(options.get("sleep", 0))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    seen = {"memory": limit, "threads": os.environ["OMP_NUM_THREADS"], "found": found}
    return Answer("ok", seen)

worker.carry_out = misbehave
del sys.argv[3:]  # no imports
template.main()
"""

# Stands for a fresh interpreter, in which a cell behaves.
FAKE_WORKER = """
import json, sys
json.load(sys.stdin)
print(json.dumps({"status": "ok", "message": "", "result": {"found": "fresh interpreter"}}))
"""

RUN_SLEEPERS = """
import sys
from pathlib import Path
from kces.lab.reproduce import Cell, Settings, Store, run_cells
cells = [Cell.of("accuracy", "synthetic:n=60,seed=0", "gcn", seed, sleep=60) for seed in range(2)]
with Store.open(Path(sys.argv[1])) as store:
    run_cells(cells, store, Settings(jobs=2, template=(sys.executable, sys.argv[2])))
"""


@pytest.fixture
def settings(tmp_path, monkeypatch) -> Settings:
    for name, text in {"template.py": FAKE_TEMPLATE, "worker.py": FAKE_WORKER}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "log").touch()
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    programs = [(sys.executable, str(tmp_path / name)) for name in ("worker.py", "template.py")]
    return Settings(command=programs[0], template=programs[1], memory=2**30)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def cell(method: str = "gcn", seed: int = 0, task: str = "accuracy", **options) -> Cell:
    return Cell.of(task, GRAPH, method, seed, **options)


def logged(tmp_path: Path) -> list[list[str]]:
    return [line.split() for line in (tmp_path / "log").read_text().splitlines()]


def is_running(pid: int) -> bool:
    try:
        # A zombie waits for whoever adopted it and computes nothing.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_every_cell_is_a_process_of_its_own_with_fresh_memory_and_its_limits(settings, store, tmp_path):
    cells = [cell(seed=seed) for seed in range(4)]
    run_cells(cells, store, settings)
    pids, parents = zip(*[line[:2] for line in logged(tmp_path)], strict=True)
    assert len(set(pids)) == 4
    assert len(set(parents)) == 1
    results = [outcome.result for outcome in store.get(cells).values()]
    assert {result["found"] for result in results} == {"x"}
    assert {result["threads"] for result in results} == {str(settings.limits().threads)}
    assert {result["memory"] for result in results} == {3 * 2**30}


def test_cells_that_crash_harm_no_other(settings, store):
    names = ("segfault", "gcn", "killed", "exits", "gat")
    run_cells([cell(name) for name in names], store, settings)
    marks = {name: store.get([cell(name)])[cell(name)].mark for name in names}
    assert marks == {
        "segfault": "error: ended by signal SIGSEGV",
        "gcn": "",
        "killed": "OOM",
        "exits": "error: SystemExit: 0",
        "gat": "",
    }


def test_a_cell_that_takes_too_long_is_gone_before_the_next_starts(settings, store, tmp_path):
    slow, quick = cell(sleep=60), cell(seed=1)
    start = time.monotonic()
    run_cells([slow, quick], store, Settings(**vars(settings) | {"seconds": 0.5}))
    assert time.monotonic() - start < 30
    assert [store.get([each])[each].status for each in (slow, quick)] == ["timeout", "ok"]
    assert not is_running(int(logged(tmp_path)[0][0]))


def test_noise_does_not_reach_the_answer(settings, store):
    run_cells([cell("noisy")], store, settings)
    assert store.get([cell("noisy")])[cell("noisy")].status == "ok"


def test_cells_outlive_the_end_of_their_template(settings, store, tmp_path):
    """They are run again, in fresh interpreters; the next ones get a new template."""
    cells = [cell("ends template"), cell(sleep=0.3), *(cell(seed=seed) for seed in range(1, 6))]
    report = run_cells(cells, store, Settings(**vars(settings) | {"jobs": 2}))
    assert report.ran == {"ok": 7}
    assert store.get(cells)[cells[0]].result["found"] == "fresh interpreter"
    assert len({parent for _, parent, *_ in logged(tmp_path)}) == 2


def test_measurements_get_a_fresh_interpreter(settings, store, tmp_path):
    run_cells([cell(task="score-cost")], store, settings)
    assert store.get([cell(task="score-cost")])[cell(task="score-cost")].result["found"] == "fresh interpreter"
    assert logged(tmp_path) == []


@pytest.mark.parametrize("victim", ["runner", "template"])
def test_a_kill_leaves_nothing_behind(settings, tmp_path, victim):
    program = [sys.executable, "-c", RUN_SLEEPERS, str(tmp_path / "killed.sqlite"), str(tmp_path / "template.py")]
    runner = subprocess.Popen(program)
    wait_until(lambda: len(logged(tmp_path)) == 2)
    cells, template = [int(line[0]) for line in logged(tmp_path)], int(logged(tmp_path)[0][1])
    try:
        os.kill(template if victim == "template" else runner.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_running, [*cells, template])))
    finally:
        runner.kill()
        runner.wait()


def test_importing_everything_starts_no_pool_of_threads():
    """A thread that computes would be missing in every copy. Allocators may keep one for themselves."""
    program = f"""
import importlib, os
for module in {PRELOADED!r}:
    importlib.import_module(module)
names = [open(f"/proc/self/task/{{task}}/comm").read().strip() for task in os.listdir("/proc/self/task")]
print(*(name for name in names if not name.startswith("jemalloc")), sep=",")
"""
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | alone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split(",")) == 1, done.stdout
