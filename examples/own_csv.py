"""Your own tables: rank the links, ask for a reason, write the clean table and a page to hand on.

python examples/own_csv.py [links.csv nodes.csv]

Without files it makes up payments between accounts of four kinds, some of them between accounts that have nothing in
common.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

import kces


def made_up_tables(accounts: int = 300, payments: int = 1500, odd: int = 75) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Payments within kinds of accounts, the first ``odd`` between any two; and the accounts."""
    generator = np.random.default_rng(0)
    kind = generator.integers(0, 4, accounts)
    names = np.array([f"A{number:03d}" for number in range(accounts)])
    nodes = pd.DataFrame(
        {
            "account": names,
            "age": 25 + 10 * kind + generator.integers(0, 6, accounts),
            "country": np.array(["NO", "PE", "JP", "CH"])[kind],
        }
    )
    payer = generator.integers(0, accounts, payments)
    payee = np.array([generator.choice(np.flatnonzero(kind == kind[one])) for one in payer])
    payee[:odd] = generator.integers(0, accounts, odd)
    links = pd.DataFrame({"payer": names[payer], "payee": names[payee], "amount": generator.integers(5, 900, payments)})
    return links[links["payer"] != links["payee"]].reset_index(drop=True), nodes


def main(files: list[str]) -> None:
    links, nodes = (pd.read_csv(files[0]), pd.read_csv(files[1])) if files else made_up_tables()
    ranked = kces.rank_edges((links, nodes))
    print(ranked.head(10).to_string(index=False))

    suspicious = kces.find_suspicious_edges((links, nodes))  # one flag per row of your table
    print(f"\n{suspicious.sum()} of {len(links)} rows look like noise")

    first, second = ranked.loc[0, ["source", "target"]]
    print(f"\n{kces.explain((links, nodes), first, second)}")

    links[~suspicious].to_csv("clean.csv", index=False)
    kces.KCES().fit((links, nodes)).report("report.html", force=True)
    print("\nwrote clean.csv and report.html")


if __name__ == "__main__":
    main(sys.argv[1:])
