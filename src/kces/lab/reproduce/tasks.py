"""What a cell does: one function per task, from the cell and the results it needs to plain numbers."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.needs import PRESET_OF
from kces.memory import peak_memory
from kces.processes.answers import JsonObject

if TYPE_CHECKING:
    from kces.lab.defenses import Defense
    from kces.scorers import Scored, ScoreOptions

__all__ = ["EXCLUSIVE", "RUN_CELL", "TASKS", "order_by", "pack", "run_cell", "run_task", "unpack"]

Inputs: TypeAlias = Mapping[str, JsonObject]
CellFunction: TypeAlias = Callable[[Cell, Inputs, Path | None], JsonObject]
Scores: TypeAlias = npt.NDArray[np.float64]

RUN_CELL = f"{__name__}:run_cell"
"""What an order for a cell calls."""

EXCLUSIVE = frozenset({"cost", "score-cost"})
"""Tasks that measure time: the runner gives them the machine to themselves."""

_WARM_UP_GRAPHS = "synthetic:n=60,seed=0", "synthetic:n=1100,seed=0"
"""A small and a middling one: the exact engine multiplies in another precision from 1,024 nodes on."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


def run_cell(cell: str, inputs: Inputs, data_root: str | None = None) -> JsonObject:
    """Run the cell that :meth:`Cell.to_json` wrote.

    >>> run_cell(Cell.of("score", "synthetic:n=60,seed=0", "kces").to_json(), {})["edges"] > 100
    True
    """
    return run_task(Cell.from_json(cell), inputs, None if data_root is None else Path(data_root))


def run_task(cell: Cell, inputs: Inputs, data_root: Path | None = None) -> JsonObject:
    """Run the cell in this process.

    >>> sorted(run_task(Cell.of("accuracy", "synthetic:n=80,seed=0", "mlp"), {}))
    ['accuracy', 'parameters', 'peak_mb', 'seconds']
    """
    if cell.task not in TASKS:
        raise InvalidParameterError(f"unknown task '{cell.task}'; there are: {', '.join(TASKS)}")
    return TASKS[cell.task](cell, inputs, data_root)


def pack(scores: Scores) -> str:
    """An array as text, without loss.

    >>> unpack(pack(np.array([0.1, 2.0]))).tolist()
    [0.1, 2.0]
    """
    return base64.b64encode(np.ascontiguousarray(scores, dtype="<f8").tobytes()).decode()


def unpack(text: str) -> Scores:
    """The array that :func:`pack` wrote."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8")


# -- graphs and defenses ----------------------------------------------------------------------------


def _load(cell: Cell, data_root: Path | None) -> AttackedGraph:
    from kces.datasets import load_attacked
    from kces.lab.reproduce.features import with_perturbed_features

    attacked = load_attacked(cell.graph, data_root, split=cell.option("split", 0))
    share = cell.option("features")
    return attacked if share is None else with_perturbed_features(attacked, share)


def _defense(cell: Cell, inputs: Inputs, attacked: AttackedGraph) -> Defense:
    """The cell's defense; the KCES in front of it, if there is one, gets the scores of the cell that made them."""
    from kces.lab.defenses import Purified, make_defense
    from kces.lab.defenses.edge_sanitization import EdgeSanitization, TimedScores
    from kces.lab.training import training_preset

    defense = make_defense(cell.method, preset=training_preset(cell.option("training", "deeprobust")))
    if "scores" in inputs and isinstance(defense, Purified) and isinstance(defense.purifier, EdgeSanitization):
        stored = inputs["scores"]
        scored = _stored(attacked.graph, stored)
        defense.purifier.known = TimedScores(scored, stored["seconds"], stored["twice_the_noise"])
    return defense.informed_by(attacked)


# -- the tasks --------------------------------------------------------------------------------------


def _attack(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    """Make the attacked graph, which is then kept beside the data sets."""
    attacked = _load(cell, data_root)
    return {"added": len(attacked.added), "removed": len(attacked.removed)}


def _tune(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    from kces.lab.defenses.tuning import tuned

    attacked = _load(cell, data_root)
    choice = tuned(_defense(cell, inputs, attacked), attacked.graph, cell.option("trials", 1), cell.seed)
    return {"parameters": choice.parameters, "trials": [asdict(trial) for trial in choice.trials]}


def _accuracy(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    from kces.lab.defenses.tuning import accuracy
    from kces.lab.measure import watch

    attacked = _load(cell, data_root)
    parameters = inputs.get("tuning", {}).get("parameters", {})
    defense = _defense(cell, inputs, attacked).with_parameters(parameters)
    with watch() as usage:
        classes = defense.fit(attacked.graph, cell.seed).predict()
    return {
        "accuracy": accuracy(attacked.graph, classes, attacked.judged_nodes),
        "seconds": usage.seconds + defense.reused_seconds,
        "peak_mb": usage.peak_mb,
        "parameters": parameters,
    }


def _cost(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    """Measured right here: the runner gives this task a fresh process."""
    from kces.lab.measure import measure_here

    return asdict(measure_here(cell.graph, cell.method, data_root))


def _score(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    """Scores of all edges and the automatic α, with a summary of their distribution."""
    from kces.lab.defenses.edge_sanitization import TimedScores

    attacked = _load(cell, data_root)
    found = TimedScores.of(attacked.graph, _score_options(cell))
    scored = found.scored
    silent = None if scored.evidence is None else scored.evidence.silent
    facts = {
        "automatic": asdict(scored.automatic),
        "twice_the_noise": found.twice_the_noise,
        "silent": [] if silent is None else np.flatnonzero(silent).tolist(),
        "unrelated": [] if scored.unrelated is None else np.flatnonzero(scored.unrelated).tolist(),
        "adversarial": np.flatnonzero(attacked.is_added).tolist(),
        "seconds": found.seconds,
        "engine": scored.engine,
    }
    packed = {"scores": pack(scored.scores), "suspicion": pack(scored.suspicion)}
    return packed | facts | _distribution(scored.scores)


def _score_cost(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    """Time and memory of scoring alone, after small runs that compile what there is to compile."""
    from kces.datasets import load
    from kces.scorers import make_scorer

    scorer = make_scorer(_score_options(cell))
    for name in _WARM_UP_GRAPHS:
        scorer.score(load(name))
    graph = _load(cell, data_root).graph
    start, cpu_start = time.perf_counter(), time.process_time()
    engine = scorer.score(graph).engine
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
        "peak_mb": peak_memory() / 2**20,
        "engine": engine,
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
    }


def _pruned_score(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    """Scores of the edges that are left after pruning at the ratio chosen on validation."""
    from kces.lab.defenses.edge_sanitization import KCESPaper
    from kces.scorers import make_scorer

    attacked = _load(cell, data_root)
    graph = attacked.graph
    alpha = inputs["tuning"]["parameters"].get("alpha", KCESPaper.alpha)
    kept = _stored(graph, inputs["scores"]).cut(alpha, ties=KCESPaper.ties).kept
    scores = make_scorer(_score_options(cell)).score(graph.keep_edges(kept)).scores
    adversarial = np.flatnonzero(attacked.is_added[kept]).tolist()
    return {"scores": pack(scores), "alpha": alpha, "adversarial": adversarial} | _distribution(scores)


def _curve(cell: Cell, inputs: Inputs, data_root: Path | None) -> JsonObject:
    """Accuracy of a GCN after pruning each of the ratios, highest score first, lowest first or at random."""
    from kces.lab.defenses import make_defense
    from kces.lab.defenses.tuning import accuracy
    from kces.lab.training import training_preset
    from kces.scorers import Scored

    attacked = _load(cell, data_root)
    graph = attacked.graph
    known = unpack(inputs["scores"]["scores"]) if "scores" in inputs else np.zeros(graph.n_edges)
    ranked = Scored(graph, order_by(cell.option("order"), known, cell.seed))
    preset = training_preset(cell.option("training", "deeprobust"))
    found = {}
    for ratio in cell.option("ratios"):
        left = graph.keep_edges(ranked.cut(ratio, ties="index").kept)
        classes = make_defense("gcn", preset=preset).fit(left, cell.seed).predict()
        found[f"accuracy@{ratio:g}"] = accuracy(graph, classes, attacked.judged_nodes)
    return found


def order_by(order: str, scores: Scores, seed: int) -> Scores:
    """Scores whose highest are pruned first: as they are, turned round, or drawn with the seed.

    >>> order_by("low", np.array([1.0, 2.0]), 0).tolist()
    [-1.0, -2.0]
    """
    if order == "random":
        return np.random.default_rng(seed).permutation(len(scores)).astype(np.float64)
    return -scores if order == "low" else scores


def _score_options(cell: Cell) -> ScoreOptions:
    from kces.scorers import ScoreOptions

    return ScoreOptions(
        preset=PRESET_OF[cell.method.partition("+")[0]],
        **cell.shared_options("labels", "clusters"),
    )


def _stored(graph: Graph, stored: JsonObject) -> Scored:
    """The scores that another cell has made of this graph, with their automatic ratio and what it cuts by."""
    from kces.cut import AlphaChoice
    from kces.scorers import Scored

    silent, unrelated = (np.zeros(graph.n_edges, dtype=bool) for _ in range(2))
    silent[stored["silent"]] = True
    unrelated[stored["unrelated"]] = True
    return Scored(
        graph,
        unpack(stored["scores"]),
        known_choice=AlphaChoice(**stored["automatic"]),
        known_suspicion=unpack(stored["suspicion"]),
        known_silent=silent,
        known_unrelated=unrelated,
    )


def _distribution(scores: Scores) -> dict[str, float]:
    quantiles = np.quantile(scores, _QUANTILES)
    named = {f"q{round(100 * q)}": float(value) for q, value in zip(_QUANTILES, quantiles, strict=True)}
    return named | {"mean": float(scores.mean()), "edges": len(scores)}


TASKS: dict[str, CellFunction] = {
    "attack": _attack,
    "tune": _tune,
    "accuracy": _accuracy,
    "cost": _cost,
    "score": _score,
    "score-cost": _score_cost,
    "pruned-score": _pruned_score,
    "curve": _curve,
}
