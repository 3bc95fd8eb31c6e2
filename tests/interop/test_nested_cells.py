"""Lists, arrays and objects in cells, and columns of mixed types: whole in every format that is written."""

from __future__ import annotations

import csv
import datetime
import json
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kces.errors import OutputError
from kces.interop import read_graph
from kces.interop.nested_cells import as_json_text, plain_value, with_nested_as_text
from kces.interop.table_files import write_table
from program import RunKces

VECTORS = np.random.default_rng(0).standard_normal((3, 1200))
ENDS = {"source": ["a", "b", "a"], "target": ["b", "c", "c"]}
TAGS = [["red", "a, b"], [], ['say "no"', "two\nlines"]]
NOTES = [{"by": "ann", "at": [1, 2]}, None, {"by": "bob", "at": [3]}]
MIXED = """{"source": "a", "target": "b", "ref": 7, "of": [1, 2.5], "by": {"k": 1}, "none": {}}
{"source": "b", "target": "c", "ref": "INV-8", "of": ["z"], "by": {"k": "x"}, "none": {}}
{"source": "a", "target": "c", "ref": true, "of": 0.5, "by": null, "none": {}}
"""
TOO_DEEP = 2 * "{}\n".format('{"source": "a", "target": "b", "deep": ' + 700 * "[" + 700 * "]" + "}")


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
    path = tmp_path / "e.parquet"
    pd.DataFrame(ENDS | {"vector": list(VECTORS), "tags": TAGS, "note": NOTES}).to_parquet(path)
    return path


def records_in(path: Path) -> list[dict[str, object]]:
    """The rows of a file, with what stands as JSON in a cell of text as it is meant."""
    content = path.read_text()
    if path.suffix == ".json":
        return json.loads(content)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in content.splitlines()]
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(content.splitlines()) - 1
    return [row | {name: json.loads(row[name] or "null") for name in ("vector", "tags", "note")} for row in rows]


@pytest.mark.parametrize("command", [("sanitize", "--alpha", "0"), ("score", "--order", "input")])
@pytest.mark.parametrize("ending", ["json", "jsonl", "csv"])
def test_lists_and_objects_in_cells_are_written_whole(nested, tmp_path, run_kces: RunKces, command, ending):
    out = tmp_path / f"out.{ending}"
    assert run_kces(command[0], nested, *command[1:], "-o", out).code == 0
    records = records_in(out)
    assert [record["vector"] for record in records] == VECTORS.tolist()
    assert [record["tags"] for record in records] == TAGS
    assert [record["note"] for record in records] == NOTES


def test_objects_in_lines_become_json_in_csv(text, tmp_path):
    loaded = read_graph(text("m.jsonl", MIXED))
    loaded.write(tmp_path / "m.csv", [True] * 3)
    assert (tmp_path / "m.csv").read_text().splitlines()[1:3] == [
        'a,b,7,"[1,2.5]","{""k"":1}",{}',
        'b,c,INV-8,"[""z""]","{""k"":""x""}",{}',
    ]


@pytest.mark.parametrize("command", [("sanitize", "--alpha", "0"), ("score", "--order", "input")])
def test_columns_of_mixed_types_become_text_in_parquet(text, tmp_path, run_kces: RunKces, command):
    pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
    out = tmp_path / "m.parquet"
    assert run_kces(command[0], text("m.jsonl", MIXED), *command[1:], "-o", out).code == 0
    columns = pd.read_parquet(out)
    assert columns["ref"].tolist() == ["7", "INV-8", "true"]
    assert columns["of"].tolist() == ["[1,2.5]", '["z"]', "0.5"]
    assert columns["by"].tolist()[:2] == ['{"k":1}', '{"k":"x"}']
    assert columns["by"].isna().tolist() == [False, False, True]
    assert columns["none"].tolist() == ["{}"] * 3


def test_numbers_beyond_64_bits_become_text_and_sound_columns_keep_their_types(text, tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
    lines = [{"source": "a", "target": "b", "big": 2**70, "n": 1}, {"source": "b", "target": "c", "big": 1, "n": 2.5}]
    loaded = read_graph(text("g.jsonl", "\n".join(map(json.dumps, lines))))
    loaded.write(tmp_path / "g.parquet", [True, True])
    columns = pd.read_parquet(tmp_path / "g.parquet")
    assert (columns["big"].tolist(), columns["n"].tolist()) == ([str(2**70), "1"], [1.0, 2.5])


def test_infinite_numbers_and_gaps_are_json_that_all_programs_read(text, tmp_path, run_kces: RunKces):
    lines = '{"source": "a", "target": "b", "x": Infinity, "of": [1, NaN]}\n{"source": "b", "target": "c", "x": 1.5}\n'
    ran = run_kces("score", text("g.jsonl", lines), "--order", "input", "--json")
    found = json.loads(ran.out)["scores"]
    assert [(row["x"], row["of"]) for row in found] == [("Infinity", [1, None]), (1.5, None)]


@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
def test_cells_nested_without_end_are_one_line(text, tmp_path, run_kces: RunKces, ending):
    ran = run_kces("sanitize", text("g.jsonl", TOO_DEEP), "--alpha", "0", "-o", tmp_path / f"out.{ending}")
    assert ran.code in (0, 2)
    assert "Traceback" not in ran.err
    assert (tmp_path / f"out.{ending}").exists() == (ran.code == 0)


def test_values_that_json_has_not_become_text_or_none():
    day = datetime.date(2024, 1, 31)
    times = np.array(["2024-01-31", "NaT"], dtype="datetime64[ns]")
    assert plain_value([day, Decimal("1.50"), b"x"]) == ["2024-01-31", "1.50", "b'x'"]
    assert plain_value(times) == ["2024-01-31 00:00:00", None]
    assert plain_value(np.array([[1.0, math.inf]])) == [[1.0, "Infinity"]]
    assert plain_value([pd.NaT, pd.NA, np.float32(0.5), np.bool_(True), -math.inf]) == [
        None,
        None,
        0.5,
        True,
        "-Infinity",
    ]
    assert plain_value(np.array(["a", None, {"k": np.int8(1)}], dtype=object)) == ["a", None, {"k": 1}]


def test_text_stays_text_and_tables_without_lists_stay_as_they_are():
    frame = pd.DataFrame({"t": ["a", None], "n": [1, 2]})
    assert with_nested_as_text(frame) is frame
    assert [as_json_text(each) for each in ("7", 7, 7.0, False, [["a"]])] == ["7", "7", "7.0", "false", '[["a"]]']


def test_a_list_that_holds_itself_is_refused(tmp_path):
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(OutputError, match="too deep"):
        write_table(pd.DataFrame({"x": [endless]}), tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()
