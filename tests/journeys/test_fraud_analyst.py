"""The fraud analyst: two CSV files, the command line, and a colleague who asks why."""

from __future__ import annotations

import json

import pandas as pd
from sklearn.metrics import roc_auc_score


def test_from_two_files_to_a_reasoned_list_and_a_clean_file(bank, tmp_path, run_kces):
    transactions, customers = bank.write(tmp_path)

    # Rank the payments. The ends, the ids, the delimiters and the scales are found; one line says what was done.
    scored = tmp_path / "scored.csv"
    ran = run_kces("score", transactions, "--features", customers, "-o", scored)
    assert ran.code == 0, ran.err
    assert "columns Absender -> Empfänger (header on line 1)" in ran.out
    assert "compared by nearness" in ran.out
    assert "missing values left blank: Alter" in ran.out

    # The list joins back: every payment is there, with all its columns, and most of the planted ones are on top.
    table = pd.read_csv(scored)
    assert sorted(table["txn ref"]) == sorted(bank.payments["txn ref"])
    assert table.columns.tolist() == [*bank.payments.columns, "score", "rank", "suspicious", "why"]
    planted = bank.is_planted(table["Absender"], table["Empfänger"])
    judged = table["score"].notna()
    assert roc_auc_score(planted[judged], table["score"][judged]) > 0.95
    assert planted[table["suspicious"]].sum() > 0.8 * planted.sum()
    assert table["why"][table["suspicious"]].str.contains("they differ in").mean() > 0.9

    # The colleague asks about the first one.
    first = table.iloc[0]
    ran = run_kces("explain", transactions, first["Absender"], first["Empfänger"], "--features", customers)
    assert ran.out.startswith(f"{first['Absender']} - {first['Empfänger']}: suspicious, rank 1 of ")
    assert "Features that speak against it: " in ran.out

    # What it tells of the two customers is what stands in the file, not what was computed from it.
    ran = run_kces("explain", transactions, first["Absender"], first["Empfänger"], "--features", customers, "--json")
    payer = bank.customers.set_index("Kunde").loc[first["Absender"]]
    for feature in json.loads(ran.out)["grounds"]["features_against"]:
        assert feature["source_value"] == payer[feature["name"]]

    # The file without them: kept lines exactly as they were, in their order.
    clean = tmp_path / "clean.csv"
    ran = run_kces("sanitize", transactions, "--features", customers, "-o", clean, "--json")
    removed = json.loads(ran.out)["removed"]
    assert removed > 0
    before, after = transactions.read_text().splitlines(), clean.read_text().splitlines()
    assert after == [line for line in before if line in set(after)]
    suspicious = set(table["txn ref"][table["suspicious"]])
    assert {line.split(",")[0] for line in set(before) - set(after)} == suspicious


def test_an_ambiguous_file_gets_a_question_and_nothing_is_written(tmp_path, run_kces):
    file = tmp_path / "links.csv"
    file.write_text("one,two,three\na,b,c\nb,c,a\nc,a,b\n")
    ran = run_kces("sanitize", file, "-o", tmp_path / "out.csv")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()
