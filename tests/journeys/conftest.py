"""The graph that all journeys share: payments between customers of four kinds, some of them planted across kinds."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

_COUNTRIES = ("DE", "FR", "IT", "PL")


@dataclass(frozen=True)
class Payments:
    """What a bank has: a table of payments and one of customers, and, known to nobody else, the planted payments."""

    payments: pd.DataFrame
    customers: pd.DataFrame
    planted: frozenset[frozenset[str]]

    def is_planted(self, first: pd.Series, second: pd.Series) -> np.ndarray:
        return np.array([frozenset(pair) in self.planted for pair in zip(first, second, strict=True)])

    def write(self, folder: Path) -> tuple[Path, Path]:
        """As CSV files with headers that no benchmark has, quotes, missing values and two delimiters."""
        payments, customers = folder / "transactions.csv", folder / "customers.csv"
        self.payments.to_csv(payments, index=False, quoting=csv.QUOTE_MINIMAL)
        self.customers.to_csv(customers, index=False, sep=";")
        return payments, customers


@pytest.fixture(scope="session")
def bank() -> Payments:
    generator = np.random.default_rng(7)
    n = 400
    kind = generator.integers(0, 4, n)
    names = np.array([f"{'ACC' if i % 2 else 'cust'}-{i:04d}" for i in range(n)])
    pairs = [(i, j) for i in range(n) for j in generator.choice(np.flatnonzero(kind == kind[i]), 3) if i != j]
    crossing = [(i, j) for i, j in generator.integers(0, n, (80, 2)) if kind[i] != kind[j]]
    pairs = [(*pair,) for pair in generator.permutation(np.array(pairs + crossing))]
    payments = pd.DataFrame(
        {
            "txn ref": [f"T{k:06d}" for k in range(len(pairs))],
            "Absender": [names[i] for i, _ in pairs],
            "Empfänger": [names[j] for _, j in pairs],
            "Betrag (EUR)": generator.lognormal(4, 1, len(pairs)).round(2),
            "note": ['he said "ok", fine' if k % 50 == 0 else "" for k in range(len(pairs))],
        }
    )
    taste = generator.normal(0, 1, (4, 3))[kind] + generator.normal(0, 0.5, (n, 3))
    country = np.where(generator.random(n) < 0.8, kind, generator.integers(0, 4, n))
    age = np.where(generator.random(n) < 0.03, np.nan, (45 + 12 * taste[:, 0]).round())
    customers = pd.DataFrame(
        {
            "Kunde": names,
            "Alter": age,
            "Einkommen_cent": (3e5 * np.exp(0.4 * taste[:, 1])).astype(int),
            "Tage seit Eröffnung": (800 + 300 * taste[:, 2]).astype(int),
            "Land": np.array(_COUNTRIES)[country],
        }
    )
    planted = frozenset(frozenset((str(names[i]), str(names[j]))) for i, j in crossing)
    return Payments(payments, customers, planted)
