"""``kces demo``."""

from __future__ import annotations

import json

from program import RunKces


def test_sanitizing_brings_accuracy_back(run_kces: RunKces) -> None:
    ran = run_kces("demo", "--json", "--quiet")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    accuracy = found["accuracy"]
    assert accuracy["attacked"] < accuracy["sanitized"] <= accuracy["clean"] + 1
    assert found["injected_removed"] > 1.5 * found["injected_removed_by_chance"]


def test_the_table_for_people_names_what_was_caught(run_kces: RunKces) -> None:
    ran = run_kces("demo", "--share", "0.2", "--quiet")
    assert ran.code == 0, ran.err
    assert "sanitized" in ran.out
    assert "planted ones" in ran.out
