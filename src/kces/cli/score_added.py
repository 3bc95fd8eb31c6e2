"""``kces score --added``: new links against a graph folder that is known, without scoring it again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from kces.cli.folder_input import scored_folder
from kces.cli.output import print_json, print_lines, progress_bar, show_table
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoringOptions
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.interop.graph_files import read_graph
from kces.interop.json_records import plain_records
from kces.interop.scored_rows import result_names
from kces.interop.table_files import write_table
from kces.progress import Progress
from kces.scale.added_links import AddedScores, score_added
from kces.scale.graph_folder import GraphFolder
from kces.scale.score_model import ScoreModel, model_beside, model_of

__all__ = ["score_added_links"]

_SHOWN = 10


def score_added_links(
    graph: str,
    added: Path,
    output: Path | None,
    scoring: ScoringOptions,
    scale: ScaleOptions,
    *,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Read new links, score them, show the most suspicious; the graph itself is scored once, and remembered."""
    folder = GraphFolder.open(graph)
    with progress_bar(quiet=quiet or json) as progress:
        model, remembered = _model(folder, scoring, scale, progress)
        frame, pairs = _read_links(added, folder)
        found = score_added(folder, model, pairs)
    rows = _rows(frame, found)
    if output is not None:
        write_table(rows, output, force=force)
    facts = {
        "graph": folder.name,
        "links": len(rows),
        "suspicious": int(found.suspicious.sum()),
        "known": int(found.known.sum()),
        "remembered": remembered,
        "threshold": model.threshold if np.isfinite(model.threshold) else None,
    }
    if json:
        print_json(facts | {"output": output, "scores": plain_records(rows)})
        return
    _show(frame, found, folder.name)
    lines = [
        f"{facts['suspicious']} of {len(rows)} new links are suspicious, {facts['known']} are in the graph already"
    ]
    print_lines(lines + ([f"wrote {output}"] if output is not None else []))


def _model(
    folder: GraphFolder, scoring: ScoringOptions, scale: ScaleOptions, progress: Progress
) -> tuple[ScoreModel, bool]:
    """What is known of the graph: remembered beside it, or learned now by scoring it once."""
    path = model_beside(folder.path)
    model = ScoreModel.load(path, folder)
    if model is not None and model.seed == scoring.seed:
        return model, True
    with scored_folder(str(folder.path), scoring, scale, None, progress) as found:
        model = model_of(found.cut, scoring.seed)
    model.save(path)
    return model, False


def _read_links(path: Path, folder: GraphFolder) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows of a file of links, and the numbers of their ends in the graph."""
    records = read_graph(path).records
    if records is None:
        raise InvalidParameterError(f"{path} has no rows of links; give a table (.csv, .tsv, .parquet, .jsonl)")
    ends = [
        records.frame.iloc[:, at].astype(str).str.strip().tolist()
        for at in (records.choice.source, records.choice.target)
    ]
    numbers = folder.ids.numbers([*ends[0], *ends[1]]).reshape(2, -1).T
    unknown = np.flatnonzero((numbers < 0).any(axis=1))
    if len(unknown):
        row = int(unknown[0])
        stranger = ends[0][row] if numbers[row, 0] < 0 else ends[1][row]
        raise InvalidGraphError(
            f"{path} row {row + 1} names node {stranger}, which {folder.path} lacks; convert the graph with it first"
        )
    return records.frame.reset_index(drop=True), numbers


def _rows(frame: pd.DataFrame, found: AddedScores) -> pd.DataFrame:
    results = pd.DataFrame(
        {"score": found.scores, "above_percent": found.above, "suspicious": found.suspicious, "known": found.known}
    )
    names = result_names(list(frame.columns), list(results.columns))
    return pd.concat([frame, results.set_axis(names, axis=1)], axis=1)


def _show(frame: pd.DataFrame, found: AddedScores, name: str) -> None:
    order = np.argsort(-np.nan_to_num(found.scores), kind="stable")[:_SHOWN]
    rows = [
        [*(str(cell) for cell in frame.iloc[place, :2]), f"{found.scores[place]:.4g}", f"{found.above[place]:.1f}"]
        for place in order.tolist()
    ]
    titles = [*(str(column) for column in frame.columns[:2]), "score", "% of links below"]
    show_table(f"{name}: the most suspicious of the new links", titles, rows)
