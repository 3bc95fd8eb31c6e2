"""The runner of ``kces reproduce``: nothing finished is lost or repeated, failures are outcomes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kces.errors import OutputError, UnreadableFileError
from kces.lab.reproduce import Cell, Outcome, Settings, Store, run_cells
from kces.lab.reproduce.needs import in_order, needs

GRAPH = "synthetic:n=60,seed=0"

# Stands for the worker where only the runner is tested: it starts in milliseconds and logs every start and end.
FAKE_WORKER = """
import json, os, sys, time
order = json.load(sys.stdin)
task, graph, method, seed, options = json.loads(order["arguments"]["cell"])
log = open(os.environ["FAKE_LOG"], "a", buffering=1)
log.write(f"start {method} {seed}\\n")
time.sleep(float(options.get("sleep", 0)))
if method == "dies":
    sys.stderr.write("Traceback\\nRuntimeError: broken\\n")
    sys.exit(1)
if method == "killed":
    os.kill(os.getpid(), 9)
if method == "child":
    import subprocess
    child = subprocess.Popen(["sleep", "60"])
    log.write(f"child {child.pid}\\n")
    time.sleep(60)
log.write(f"end {method} {seed}\\n")
print(json.dumps({"status": options.get("status", "ok"), "message": "", "result": {"accuracy": seed * 10.0}}))
"""

RUN_TWENTY_CELLS = """
import sys
from pathlib import Path
from kces.lab.reproduce import Cell, Settings, Store, run_cells
cells = [Cell.of("accuracy", "synthetic:n=60,seed=0", "gcn", seed, sleep=0.15) for seed in range(20)]
with Store.open(Path(sys.argv[1])) as store:
    run_cells(cells, store, Settings(jobs=2, command=(sys.executable, sys.argv[2]), template=None))
"""


@pytest.fixture
def fake(tmp_path, monkeypatch) -> tuple[str, str]:
    script = tmp_path / "worker.py"
    script.write_text(FAKE_WORKER)
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    (tmp_path / "log").touch()
    return (sys.executable, str(script))


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def starts(tmp_path: Path) -> list[str]:
    return [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("start")]


def runs(count: int, method: str = "gcn", **options) -> list[Cell]:
    return [Cell.of("accuracy", GRAPH, method, seed, **options) for seed in range(count)]


def test_the_key_of_a_cell_is_fixed_for_ever():
    """A change of this value throws away every stored result: raise PROTOCOL or SCORES on purpose, not by accident."""
    cell = Cell.of("accuracy", "cora@metattack-0.25", "kces+gat", 3, trials=10, training="deeprobust")
    assert cell.key == "5bb542de0bb6cda4b8ea001b0932c191"
    assert Cell.of("accuracy", "cora", "gcn").key == "1f211965dbe19251ff93a31c7660123a"
    assert cell == Cell.of("accuracy", "cora@metattack-0.25", "kces+gat", 3, training="deeprobust", trials=10)


def test_every_part_of_a_cell_changes_its_key():
    base = Cell.of("accuracy", "cora", "gcn", 0, trials=1)
    others = [
        Cell.of("tune", "cora", "gcn", 0, trials=1),
        Cell.of("accuracy", "citeseer", "gcn", 0, trials=1),
        Cell.of("accuracy", "cora", "gat", 0, trials=1),
        Cell.of("accuracy", "cora", "gcn", 1, trials=1),
        Cell.of("accuracy", "cora", "gcn", 0, trials=2),
    ]
    assert len({cell.key for cell in [base, *others]}) == 6


def test_all_seeds_share_one_tuning_and_one_scoring():
    cells = in_order([Cell.of("accuracy", "cora@dice-0.25#0", "kces-paper", seed, trials=10) for seed in range(5)])
    assert [cell.task for cell in cells] == ["attack", "score", "tune", *["accuracy"] * 5]
    assert needs(cells[-1])["tuning"].seed == 0


def test_a_second_run_repeats_nothing(fake, store, tmp_path):
    first = run_cells(runs(3), store, Settings(command=fake, template=None))
    second = run_cells(runs(4), store, Settings(command=fake, template=None))
    assert (first.reused, first.ran) == (0, {"ok": 3})
    assert (second.reused, second.ran) == (3, {"ok": 1})
    assert starts(tmp_path) == [f"start gcn {seed}" for seed in range(4)]
    assert [outcome.result["accuracy"] for outcome in store.get(runs(4)).values()] == [0.0, 10.0, 20.0, 30.0]


def test_sigkill_loses_no_finished_cell_and_repeats_none(fake, tmp_path):
    path = tmp_path / "killed.sqlite"
    cells = runs(20, sleep=0.15)
    runner = subprocess.Popen([sys.executable, "-c", RUN_TWENTY_CELLS, str(path), fake[1]])
    deadline = time.monotonic() + 60
    while (tmp_path / "log").read_text().count("end") < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    time.sleep(0.5)  # the fake workers under way do not watch their parent: let them log their end
    with Store.open(path) as store:
        kept = set(store.get(cells))
        assert 3 <= len(kept) < 20
        report = run_cells(cells, store, Settings(jobs=2, command=fake, template=None))
        assert report.reused == len(kept)
        assert set(store.get(cells)) == set(cells)
    for cell in kept:
        assert starts(tmp_path).count(f"start gcn {cell.seed}") == 1


def test_a_worker_ends_with_its_runner_and_takes_its_children_along(tmp_path):
    """A process that starts the real worker's watch and dies: the worker must not go on computing."""
    program = (
        "import os, subprocess, sys, threading, time\n"
        "from kces.processes import worker\n"
        "worker._WATCH_INTERVAL = 0.05\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "threading.Thread(target=worker._end_with, args=(os.getppid(),), daemon=True).start()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', sys.argv[1]], "
            "start_new_session=True); print(p.pid, flush=True); time.sleep(60)",
            program,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pids = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, pids))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        # A zombie waits for whoever adopted it and computes nothing.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_failures_are_recorded_and_kept_until_a_retry(fake, store, tmp_path):
    cells = [*runs(1, "dies"), *runs(1, "killed"), *runs(1, status="not applicable"), *runs(1, sleep=30)]
    settings = Settings(jobs=4, command=fake, template=None, seconds=2.5)
    run_cells(cells, store, settings)
    outcomes = [store.get([cell])[cell] for cell in cells]
    assert [outcome.mark for outcome in outcomes] == ["error: RuntimeError: broken", "OOM", "–", "timeout"]
    assert run_cells(cells, store, settings).ran == {}
    again = run_cells(cells[:3], store, Settings(command=fake, template=None, retry_failed=True))
    assert (again.reused, again.ran) == (1, {"error": 1, "oom": 1})
    assert len(starts(tmp_path)) == 6


def test_a_cell_whose_attack_failed_ends_the_same_way(fake, store):
    attacked = Cell.of("accuracy", f"{GRAPH}@dice-0.25#0", "gcn")
    store.put(needs(attacked)["attack"], Outcome("oom", message="too large"))
    run_cells([attacked], store, Settings(command=fake, template=None))
    outcome = store.get([attacked])[attacked]
    assert (outcome.status, outcome.message) == ("oom", "attack: too large")


def test_parallel_gives_what_serial_gives(fake, tmp_path):
    cells = runs(8)
    found = []
    for jobs in (1, 4):
        with Store.open(tmp_path / f"{jobs}.sqlite") as store:
            run_cells(cells, store, Settings(jobs=jobs, command=fake, template=None))
            found.append({cell: outcome.result for cell, outcome in store.get(cells).items()})
    assert found[0] == found[1]
    assert len(found[0]) == 8


@pytest.mark.parametrize(
    ("variable", "allowed", "jobs", "each"),
    [
        ("OMP_NUM_THREADS", 1, 1, 1),
        ("KCES_NUM_THREADS", 6, 2, 3),
        ("KCES_NUM_THREADS", 1, 2, 1),
    ],
)
def test_jobs_share_the_threads_that_the_environment_allows(variable, allowed, jobs, each, monkeypatch):
    monkeypatch.delenv("KCES_NUM_THREADS", raising=False)
    monkeypatch.setenv(variable, str(allowed))
    assert Settings(jobs=jobs).limits().threads == each


def test_measurements_have_the_machine_to_themselves(fake, store, tmp_path):
    cells = [Cell.of("cost", GRAPH, f"m{number}", sleep=0.05) for number in range(3)]
    run_cells(cells, store, Settings(jobs=3, command=fake, template=None))
    kinds = [line.split()[0] for line in (tmp_path / "log").read_text().splitlines()]
    assert kinds == ["start", "end"] * 3


def test_progress_counts_finished_cells(fake, store):
    seen = []
    run_cells(
        runs(2),
        store,
        Settings(command=fake, template=None),
        progress=lambda what, done, total: seen.append((done, total)),
    )
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_a_store_serves_one_runner_at_a_time(fake, store):
    with Store.open(store.path) as second, store.exclusively(), pytest.raises(OutputError, match="another run"):
        run_cells(runs(1), second, Settings(command=fake, template=None))


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but longer than the header of one" * 20)
    with pytest.raises(UnreadableFileError, match=r"notes\.txt"), Store.open(path):
        pass
    assert path.read_text().startswith("not a database")


def test_the_real_worker_answers_and_stays_within_its_memory(store):
    """With 2 GiB of address space for libraries and a few MiB for data, a large graph does not fit."""
    small = Cell.of("score", GRAPH, "kces")
    large = Cell.of("score", "synthetic:n=400000,features=400,seed=0", "kces")
    unknown = Cell.of("score", "no-such-graph", "kces")
    run_cells([small, large, unknown], store, Settings(memory=300 * 2**20))
    outcomes = store.get([small, large, unknown])
    assert outcomes[small].status == "ok"
    assert outcomes[small].result["edges"] > 100
    assert outcomes[large].mark == "OOM"
    assert outcomes[unknown].mark.startswith("error: unknown data set 'no-such-graph'")
