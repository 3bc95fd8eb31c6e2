"""Tables as people have them, through the whole program."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from program import RunKces

ROWS = [("a0", "a1"), ("a1", "a0"), ("a1", "a2"), ("a2", "a0"), ("a3", "a0"), ("a3", "a2"), ("a3", "a3")]
ROWS += [("b0", "b1"), ("b1", "b2"), ("b2", "b0"), ("b3", "b0"), ("b3", "b2"), ("b3", "b1"), ("a0", "b0")]


@pytest.fixture
def transactions(tmp_path: Path) -> Path:
    file = tmp_path / "tx.csv"
    lines = [f"{number};{payer};{payee};{number},5;n" for number, (payer, payee) in enumerate(ROWS)]
    file.write_text("\n".join(["tx_id;zahler;empfaenger;amount;rank", *lines]) + "\n")
    return file


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    lines = [
        f"{30 + i if t == 'a' else 60 - i},{t}{i},{1e6 * (1 + (t == 'b')) + i:.0f},{t}-town"
        for t in "ab"
        for i in range(4)
    ]
    file.write_text("\n".join(["age,customer,income_cents,city", *lines]).replace("31,", "NA,") + "\n")
    return file


def test_score_joins_back_to_the_rows(run_kces: RunKces, transactions, people, tmp_path):
    out = tmp_path / "scores.csv"
    code, shown, _ = run_kces("score", transactions, "--features", people, "-o", out, "--order", "input")
    assert code == 0
    assert "columns zahler -> empfaenger (header on line 1), 14 rows" in shown
    assert "features: 1 missing value left blank: age (1)" in shown
    assert "features: text as one 0/1 column per value: city (2)" in shown
    assert "features: 2 columns compared by nearness: the spreads differ by a factor" in shown
    assert "tx has such columns already: rank is kces_rank" in shown
    table = pd.read_csv(out, sep=";", dtype=str, keep_default_na=False)
    assert list(table.columns) == [
        *("tx_id", "zahler", "empfaenger", "amount", "rank", "score", "kces_rank", "suspicious", "why")
    ]
    assert list(zip(table["zahler"], table["empfaenger"], strict=True)) == ROWS
    assert table["amount"].tolist() == [f"{number},5" for number in range(len(ROWS))]
    assert table.loc[0, "score"] == table.loc[1, "score"] != ""
    assert table.loc[6, ["score", "kces_rank", "suspicious", "why"]].tolist() == [""] * 4
    scores = table["score"].str.replace(",", ".").replace("", "-inf").astype(float)  # commas, as in the input
    assert scores.idxmax() == len(ROWS) - 1
    assert table.loc[len(ROWS) - 1, "why"]


def test_ranked_rows_come_first_and_formats_follow_the_name(run_kces: RunKces, transactions, people, tmp_path):
    for ending in ("jsonl", "jsonl.gz", "json", "parquet", "tsv"):
        code, _, _ = run_kces("score", transactions, "--features", people, "-o", tmp_path / f"s.{ending}", "--quiet")
        assert code == 0
    first = json.loads((tmp_path / "s.jsonl").read_text().splitlines()[0])
    assert (first["zahler"], first["empfaenger"], first["kces_rank"]) == ("a0", "b0", 1)
    assert gzip.decompress((tmp_path / "s.jsonl.gz").read_bytes()) == (tmp_path / "s.jsonl").read_bytes()
    assert json.loads((tmp_path / "s.json").read_text())[-1]["score"] is None
    assert pd.read_parquet(tmp_path / "s.parquet")["kces_rank"].tolist()[0] == 1


def test_json_has_the_rows_and_how_they_were_read(run_kces: RunKces, transactions, people):
    code, shown, _ = run_kces("score", transactions, "--features", people, "--json", "--quiet", "--order", "input")
    found = json.loads(shown)
    assert code == 0
    assert found["read"][0] == "columns zahler -> empfaenger (header on line 1), 14 rows"
    assert [(row["zahler"], row["empfaenger"]) for row in found["scores"]] == ROWS
    assert found["scores"][6]["score"] is None


def test_standard_input_and_output(run_kces: RunKces, transactions, people, monkeypatch):
    content = transactions.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, shown, said = run_kces("sanitize", "-", "--features", people, "--alpha", "0.05", "-o", "-", "--quiet")
    assert code == 0
    assert shown.encode() == b"".join(content.splitlines(keepends=True)[:-1])
    assert "standard input: removed 1 of 12 edges" in said
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(content))))
    code, shown, said = run_kces("score", "-", "--features", people, "-o", "-", "--quiet")
    assert code == 0
    assert shown.startswith("tx_id;zahler;empfaenger;amount;rank;score;kces_rank,suspicious".replace(",", ";"))
    assert shown.count("\n") == 15
    assert "columns zahler -> empfaenger" in said


@pytest.mark.parametrize(
    ("content", "words", "reason"),
    [
        ("x,y\na,b\nb,c\n", [], "is line 1 (x,y) a header or an edge? Answer with --header or --no-header"),
        ("a,b,c\nb,c,a\nc,a,b\n", [], "Answer with --source COLUMN and --target COLUMN"),
        ("a,b;c\nb,a;d\n", [], "Answer with --delimiter CHAR"),
        ("a,b\nb,c\n", ["--source", "q", "--target", "b"], "has no column 'q'"),
        ("a,b\nb,c\n", ["--order", "best"], "order must be one of ranked, input"),
        ("a,b\nb,c\n", ["--json", "-o", "-"], "both write to standard output"),
        ("a,b\nb,c\n", ["--scale", "standard"], "about a features file"),
    ],
)
def test_questions_and_refusals_end_with_code_2_and_nothing_written(
    run_kces: RunKces, tmp_path, content, words, reason
):
    (tmp_path / "g.csv").write_text(content)
    code, shown, said = run_kces("score", tmp_path / "g.csv", *words)
    assert (code, shown) == (2, "")
    assert reason in " ".join(said.split())
    assert [file.name for file in tmp_path.iterdir()] == ["g.csv"]


@pytest.mark.parametrize("command", ["score", "sanitize"])
@pytest.mark.parametrize("name", ["out.xls", "out", "out.npz.gz"])
def test_unknown_endings_are_refused_before_any_work(run_kces: RunKces, tmp_path, command, name):
    code, _, said = run_kces(command, "no_such_graph.csv", "-o", tmp_path / name)
    assert code == 2
    assert "known extensions are" in " ".join(said.split())
    assert not (tmp_path / name).exists()


def test_answers_are_taken(run_kces: RunKces, tmp_path):
    (tmp_path / "g.csv").write_text("a,b,c\nb,c,a\nc,a,b\nd,a,b\n")
    code, shown, _ = run_kces("score", tmp_path / "g.csv", "--source", "1", "--target", "3", "--no-header", "--quiet")
    assert code == 0
    assert "columns 1 -> 3 (no header), 4 rows" in shown


def test_columns_are_chosen_for_sanitize_and_explain(run_kces: RunKces, transactions, people, tmp_path):
    words = ["--features", people, "--columns", "age,income_cents,city", "--drop-columns", "city", "--quiet"]
    words += ["--id-column", "customer", "--scale", "standard", "--source", "zahler", "--target", "empfaenger"]
    code, shown, _ = run_kces("sanitize", transactions, "--alpha", "0.05", "-o", tmp_path / "clean.csv", *words)
    assert code == 0
    assert "columns zahler -> empfaenger" in shown
    assert "2 columns standardized: as asked" in shown
    assert "city" not in shown
    code, shown, _ = run_kces("explain", transactions, "a0", "b0", *words)
    assert code == 0
    assert "income_cents" in shown
    assert "columns zahler -> empfaenger (header on line 1), 14 rows" in shown


def test_a_data_set_has_no_columns_to_choose(run_kces: RunKces):
    code, _, said = run_kces("score", "synthetic:n=60,seed=1", "--source", "a", "--target", "b")
    assert code == 2
    assert "is a data set" in " ".join(said.split())


def test_every_command_says_what_was_done_to_the_features(run_kces: RunKces, transactions, people):
    code, said, _ = run_kces("gkc", transactions, "--features", people)
    assert code == 0
    assert "features: 2 columns compared by nearness" in said


def test_every_command_takes_the_answer_to_a_question(run_kces: RunKces, tmp_path):
    (tmp_path / "g.csv").write_text("x,y\na,b\nb,c\nc,a\nc,d\n")
    code, _, said = run_kces("gkc", tmp_path / "g.csv", "--clusters", "2")
    assert code == 2
    assert "Answer with --header or --no-header" in " ".join(said.split())
    code, said, _ = run_kces("gkc", tmp_path / "g.csv", "--clusters", "2", "--header")
    assert code == 0
    assert "columns x -> y (header on line 1), 4 rows" in said
