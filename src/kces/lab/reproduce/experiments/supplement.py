"""What the paper leaves to its supplement, and an attacker who knows the defense."""

from __future__ import annotations

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.experiments.robustness import QUICK_METHODS, TABLE_METHODS, attacked_name, defense_slots
from kces.lab.reproduce.plan import CEILING, FLOOR, Experiment, Plan, Slot

__all__ = ["SUPPLEMENT_ADAPTIVE", "SUPPLEMENT_FEATURES", "SUPPLEMENT_HETEROPHILOUS", "SUPPLEMENT_PRBCD"]

_HETEROPHILOUS = ("texas", "wisconsin", "cornell", "actor", "chameleon_filtered", "squirrel_filtered")
_SPLITS = 10


def _prbcd(plan: Plan) -> list[Slot]:
    attacks = plan.choose(("prbcd", "lrbcd"), ("prbcd",))
    methods = plan.choose(TABLE_METHODS, QUICK_METHODS)
    return [
        slot
        for dataset in plan.datasets(("cora", "citeseer", "pubmed"), ("citeseer",))
        for slot in defense_slots(plan, dataset, {attack: f"{dataset}@{attack}-0.25#0" for attack in attacks}, methods)
    ]


def _adaptive(plan: Plan) -> list[Slot]:
    attacks = plan.choose(("prbcd", "adaptive-kces", "adaptive-robust"), ("prbcd",))
    rows = ("gcn", "airgnn", "kces-paper", "kces", "kces-validated", "kces+airgnn")
    methods = plan.choose((FLOOR, *rows, CEILING), QUICK_METHODS)
    return [
        slot
        for dataset in plan.datasets(("cora", "citeseer"), ("citeseer",))
        for slot in defense_slots(plan, dataset, {attack: f"{dataset}@{attack}-0.1#0" for attack in attacks}, methods)
    ]


def _features(plan: Plan) -> list[Slot]:
    shares = (0.0, 0.5) if plan.quick else (0.0, 0.1, 0.25, 0.5, 0.75)
    methods = plan.choose((FLOOR, "gcn", "jaccard", "gnnguard", "kces-paper", "kces", CEILING), QUICK_METHODS)
    graphs = [
        attacked_name(dataset, attack)
        for dataset in plan.datasets(("cora", "citeseer"), ("cora",))
        for attack in ("clean", "metattack")
    ]
    return [
        Slot(graph, method, f"{share:.0%}", plan.runs(graph, method, features=share or None))
        for graph in graphs
        if plan.wants_graph(graph)
        for method in methods
        if plan.wants_method(method)
        for share in shares
    ]


def _heterophilous(plan: Plan) -> list[Slot]:
    methods = plan.choose((FLOOR, "gcn", "jaccard", "kces-paper", "kces", CEILING), (FLOOR, "gcn", "kces", CEILING))
    columns = {"clean": "", "dice": "@dice-0.25#0", "metattack": "@metattack-0.25#0"}
    if plan.quick:
        del columns["metattack"]
    return [
        Slot(dataset, method, column, _one_run_per_split(plan, dataset + attack, method))
        for dataset in plan.datasets(_HETEROPHILOUS, ("texas",))
        for method in methods
        if plan.wants_method(method)
        for column, attack in columns.items()
        if plan.wants_graph(dataset + attack)
    ]


def _one_run_per_split(plan: Plan, graph: str, method: str) -> tuple[Cell, ...]:
    """Seed s is trained on published split s, and tuned there: another split's test nodes may be its validation."""
    return tuple(
        Cell.of("accuracy", graph, method, seed, trials=plan.trials, training=plan.training, split=seed % _SPLITS)
        for seed in range(plan.seeds)
    )


SUPPLEMENT_PRBCD = Experiment(
    "supplement-prbcd",
    "accuracy under PRBCD and LRBCD, 25 % of the edges",
    _prbcd,
    notes=("The paper's numbers are in its supplement, which is not part of its text: none is shown here.",),
)
SUPPLEMENT_ADAPTIVE = Experiment(
    "supplement-adaptive",
    "accuracy under attackers who know the score, 10 % of the edges",
    _adaptive,
    notes=(
        "`prbcd` does not know the defense, `adaptive-kces` knows preset paper, `adaptive-robust` knows preset robust.",
    ),
)
SUPPLEMENT_FEATURES = Experiment(
    "supplement-features",
    "accuracy when a share of the features is perturbed: the scope of KCES",
    _features,
    notes=(
        "Columns: share of the non-zero feature entries handed to random other nodes, within each feature.",
        "The oracle undoes the edges of the attack, not the features.",
    ),
)
SUPPLEMENT_HETEROPHILOUS = Experiment(
    "supplement-heterophilous",
    "accuracy on graphs whose edges mostly join different classes",
    _heterophilous,
    notes=("Seed s uses the published split s, with hyper-parameters chosen on that split's validation nodes.",),
)
