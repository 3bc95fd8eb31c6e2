"""Dask: the same results as serial; a worker that dies costs its parts, a lost scheduler nothing that is finished."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.errors import ClusterError, OutputError
from kces.scale.dask_cluster import DaskExecutor, dask_executor
from kces.scale.executors import compute_stage
from kces.scale.from_graph import write_graph_folder
from kces.scale.robust_on_disk import score_folder
from kces.scale.run_folder import RunFolder
from kces.scale.streamed_cut import cut_folder
from scale_faults import die_always, die_once, refuse, wait_for_release

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskExecutor]:
    with dask_executor(workers=2, memory=2**30) as executor:
        yield executor


def test_scores_and_cut_are_those_of_one_process(cluster: DaskExecutor, tmp_path: Path) -> None:
    folder = write_graph_folder(synthetic(n=300, seed=0, degree=10.0), tmp_path / "g.kces")
    alone = score_folder(folder, tmp_path / "alone", chunk=150)
    shared = score_folder(folder, tmp_path / "shared", chunk=150, executor=cluster)
    np.testing.assert_array_equal(alone.all_scores(), shared.all_scores())
    cuts = [np.concatenate(list(cut_folder(scores).kept())) for scores in (alone, shared)]
    np.testing.assert_array_equal(*cuts)
    assert cluster.dashboard.startswith("http")
    assert cluster.workers == 2


def test_a_worker_that_is_killed_costs_its_parts(cluster: DaskExecutor, tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    compute_stage(cluster, run, "square", die_once, str(tmp_path), 6)
    assert (tmp_path / "died").exists()
    assert [int(run.load("square", item, "value")[0]) for item in range(6)] == [0, 1, 4, 9, 16, 25]


def test_an_error_of_the_work_is_that_error(cluster: DaskExecutor, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No space left"):
        compute_stage(cluster, RunFolder(tmp_path), "refuse", refuse, str(tmp_path), 2)


def test_work_that_kills_every_worker_ends_with_one_line(tmp_path: Path) -> None:
    with (
        dask_executor(workers=1, memory=2**30) as executor,
        pytest.raises(ClusterError, match="has ended 3 workers, most likely for their memory"),
    ):
        compute_stage(executor, RunFolder(tmp_path), "die", die_always, str(tmp_path), 1)


def test_a_scheduler_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kces.scale.dask_cluster._CONNECT", 0.5)
    nowhere = dask_executor(address="tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match=r"cannot reach a scheduler at tcp://127.0.0.1:9"), nowhere:
        pass


def test_a_lost_scheduler_keeps_what_is_finished(tmp_path: Path) -> None:
    address_file = tmp_path / "scheduler.json"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths}
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*program, "--scheduler-file", str(address_file)], env=environment, stderr=subprocess.DEVNULL
    )
    worker = None
    try:
        _wait_until(address_file.exists)
        address = json.loads(address_file.read_text())["address"]
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"],
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        run = RunFolder(tmp_path)
        killer = threading.Thread(target=_kill_when, args=(scheduler, lambda: run.is_done("slow", 0)))
        with dask_executor(address=address) as executor:
            killer.start()
            with pytest.raises(ClusterError, match=r"scheduler is lost; what is finished is kept"):
                compute_stage(executor, run, "slow", wait_for_release, str(tmp_path), 3)
        killer.join()
        assert run.is_done("slow", 0)
        assert not run.is_done("slow", 2)
        assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR)  # no traceback of its own
    finally:
        (tmp_path / "go").touch()
        for process in (worker, scheduler):
            if process is not None:
                process.kill()
                process.wait()


def _kill_when(process: subprocess.Popen[bytes], ready: object) -> None:
    _wait_until(ready)
    os.kill(process.pid, signal.SIGKILL)


def _wait_until(ready: object) -> None:
    for _ in range(600):
        if ready():  # type: ignore[operator]
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")
