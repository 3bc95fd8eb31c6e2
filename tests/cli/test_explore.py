"""``kces explore`` as a program: it prints its address, takes up marks again, and stops with Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from program import RunKces


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    table = tmp_path / "links.csv"
    table.write_text("source,target\nann,bob\nbob,cy\ncy,ann\ncy,dan\n")
    marks = {"format": 1, "graph": "links", "marks": [{"source": "ann", "target": "bob", "mark": "harmful"}]}
    (tmp_path / "links.csv.kces-marks.json").write_text(json.dumps(marks))
    command = [
        sys.executable,
        "-m",
        "kces",
        "explore",
        str(table),
        "--alpha",
        "0",
        "--no-browser",
        "--folder",
        str(tmp_path),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            address = process.stdout.readline().split()[-1]
            page = urllib.request.urlopen(address, timeout=30).read().decode()
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        said = process.stderr.read()
    assert '"removed":1' in page
    assert "stopped" in said
    assert "Traceback" not in said


def test_a_folder_that_is_not_there_is_refused(run_kces: RunKces, tmp_path: Path) -> None:
    ran = run_kces("explore", "synthetic:n=60", "--folder", tmp_path / "nowhere", "--no-browser")
    assert ran.code == 2
    assert "does not exist" in ran.err
