"""Results of a graph on disk, written as they are read: ranked rows to Parquet or CSV, the graph without some edges.

Rows are put in order in groups of scores: one pass over all scores gathers the edges of a group, which is sorted in
memory, so that neither the edges nor their ranks are ever in memory at once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kces.atomic import atomic_write, output_named
from kces.errors import InvalidParameterError
from kces.interop.optional import require
from kces.progress import Progress, silent
from kces.scale.folder_manifest import StoredFile
from kces.scale.folder_writer import array_file, new_folder
from kces.scale.graph_folder import GraphFolder
from kces.scale.origin import made_here
from kces.scale.stored_arrays import insert_links
from kces.scale.streamed_cut import FolderCut
from kces.scale.streamed_edges import write_adjacency
from kces.scale.streamed_levels import BIN, StreamedLevels
from kces.scale.workbench import run_query, workbench
from kces.scorers.view_reasons import coded_reasons
from kces.types import Array, Ints

__all__ = ["TABLE_ENDINGS", "RankedRows", "sanitize_folder", "write_kept_edges", "write_scores"]

TABLE_ENDINGS = (".parquet", ".pq", ".csv")
_SAMPLE = 1_000_000
"""Links that the percentages of reasons are of: all, or so many evenly spread."""
_ROWS = 500_000


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The edges of a cut folder in their order, some at a time."""

    cut: FolderCut

    @cached_property
    def levels(self) -> StreamedLevels:
        """What the edges are ranked by."""
        return StreamedLevels(self.cut.scored.n_chunks, self.cut.scored.scores)

    def groups(self) -> Iterator[Ints]:
        """Numbers of edges, most suspicious first, in groups of about a chunk."""
        low = self.levels.range[0]
        for first, last in _bins_by_size(self.levels.coarse_counts(), self.cut.scored.state.layout.chunk):
            yield self._sorted(low + first * BIN, low + last * BIN)

    def _sorted(self, low: float, high: float) -> Ints:
        """The edges whose levels lie in [low, high), highest first; ties go to the lower number."""
        scored, numbers, found = self.cut.scored, [], []
        for chunk in scored.chunks():
            levels = self.levels.of(chunk)
            inside = np.flatnonzero((levels >= low) & (levels < high))
            numbers.append(inside + scored.bounds(chunk)[0])
            found.append(levels[inside])
        order = np.argsort(-np.concatenate(found), kind="stable")
        return np.concatenate(numbers)[order]

    def first(self, count: int) -> Ints:
        """Numbers of the most suspicious edges."""
        listed: Ints = next(self.groups())[:count]
        return listed

    @cached_property
    def reference(self) -> Array:
        """(R, k) views of all edges, or of some that are evenly spread: what reasons compare with."""
        n_edges = self.cut.scored.folder.n_edges
        spread = np.unique(np.linspace(0, n_edges - 1, min(_SAMPLE, n_edges)).astype(np.int64))
        return self.views(spread).astype(np.float32)

    def views(self, edges: Ints) -> Array:
        return self._gathered(edges, self.cut.scored.views)

    def scores(self, edges: Ints) -> Array:
        return self._gathered(edges, self.cut.scored.scores)

    def _gathered(self, edges: Ints, part: Any) -> Array:
        """Values of some edges, from the chunks that they are in."""
        size = self.cut.scored.state.layout.chunk
        found: Array | None = None
        for chunk in np.unique(edges // size).tolist():
            inside = edges // size == chunk
            values = part(chunk)[edges[inside] - chunk * size]
            found = np.empty((len(edges), *values.shape[1:])) if found is None else found
            found[inside] = values
        return np.empty(0) if found is None else found

    def removed(self, edges: Ints) -> Any:
        """Which of the edges are cut."""
        return ~self._kept[edges]

    @cached_property
    def _kept(self) -> Any:
        """(E,) which edges stay, mapped from a file of the run."""
        run = self.cut.scored.state.results
        file = run.path / "kept.npy"
        with output_named(run.path):
            kept = np.lib.format.open_memmap(file, mode="w+", dtype=np.bool_, shape=(self.cut.scored.folder.n_edges,))
            for chunk, stays in enumerate(self.cut.kept()):
                start, stop = self.cut.scored.bounds(chunk)
                kept[start:stop] = stays
            kept.flush()
        return np.load(file, mmap_mode="r")

    def table(self, edges: Ints, first_rank: int) -> Any:
        """Rows as an Arrow table: source, target, score, rank, suspicious, why."""
        pa = require("pyarrow", extra="files", purpose="writing scores")
        scored = self.cut.scored
        pairs = np.asarray(scored.folder.edges[edges])
        scores, views = self.scores(edges), self.views(edges).astype(np.float32)
        leaf = np.any(scored.folder.degrees[pairs] <= 2, axis=1)
        reasons = coded_reasons(scored.columns, scored.weights, views, self.reference, leaf)
        ends = [scored.folder.ids.names(pairs[:, end].astype(np.int64)) for end in (0, 1)]
        return pa.table(
            {
                "source": ends[0],
                "target": ends[1],
                "score": scores,
                "rank": np.arange(first_rank, first_rank + len(edges)),
                "suspicious": self.removed(edges),
                "why": pa.DictionaryArray.from_arrays(reasons.which.astype(np.int32), reasons.texts.tolist()),
            }
        )


def _bins_by_size(counts: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of bins from the top that hold at most so many together, or are one bin.

    >>> list(_bins_by_size(np.array([5, 1, 0, 2]), 4))
    [(1, 4), (0, 1)]
    """
    last, held = len(counts), 0
    for place in range(len(counts) - 1, -1, -1):
        if held and held + counts[place] > most:
            yield place + 1, last
            last, held = place + 1, 0
        held += int(counts[place])
    if held:
        yield 0, last


def write_scores(cut: FolderCut, path: Path, *, force: bool = False, progress: Progress = silent) -> None:
    """Write all edges, most suspicious first, to a Parquet or CSV file, group by group.

    Parameters
    ----------
    cut : of a scored folder.
    path : ends in .parquet, .pq or .csv.
    force : replace a file that exists.
    progress : told about the rows written.
    """
    rows, done, total = RankedRows(cut), 0, cut.scored.folder.n_edges
    with atomic_write(path, force=force) as temporary:
        writer = None
        for group in rows.groups():
            for start in range(0, len(group), _ROWS):
                table = rows.table(group[start : start + _ROWS], done + 1)
                writer = writer or _table_writer(temporary, table.schema)
                writer.write_table(_unified(table, writer))
                done += len(table)
                progress("write scores", done, total)
        if writer is not None:
            writer.close()


def _table_writer(path: Path, schema: Any) -> Any:
    if path.suffix.lower() in (".parquet", ".pq"):
        return require("pyarrow.parquet", extra="files", purpose="writing Parquet").ParquetWriter(path, schema)
    if path.suffix.lower() == ".csv":
        csv = require("pyarrow.csv", extra="files", purpose="writing CSV in a stream")
        pa = require("pyarrow", extra="files", purpose="writing CSV in a stream")
        plain = pa.schema([pa.field(f.name, pa.string() if f.name == "why" else f.type) for f in schema])
        return csv.CSVWriter(path, plain)
    raise InvalidParameterError(f"scores of a graph on disk go to {', '.join(TABLE_ENDINGS)}; got {path}")


def _unified(table: Any, writer: Any) -> Any:
    """CSV has no codes: there the reasons are written out."""
    if type(writer).__name__ == "ParquetWriter":
        return table
    place = table.schema.get_field_index("why")
    return table.set_column(place, "why", table.column(place).cast("string"))


def write_kept_edges(cut: FolderCut, path: Path, *, force: bool = False) -> None:
    """Write the edges that stay, two columns of names, in the order of the graph."""
    pa = require("pyarrow", extra="files", purpose="writing edges in a stream")
    scored = cut.scored
    with atomic_write(path, force=force) as temporary:
        writer = None
        for chunk, stays in enumerate(cut.kept()):
            pairs = scored.pairs(chunk)[stays].astype(np.int64)
            ends = [scored.folder.ids.names(pairs[:, end]) for end in (0, 1)]
            table = pa.table({"source": ends[0], "target": ends[1]})
            writer = writer or _table_writer(temporary, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def sanitize_folder(
    cut: FolderCut, path: Path, *, force: bool = False, memory: int | None = None, progress: Progress = silent
) -> GraphFolder:
    """Write the folder again without the edges that are cut; features, names and classes stay as they are.

    Parameters
    ----------
    cut : of a scored folder.
    path : the folder to make.
    force : replace a graph folder that is there.
    memory : bytes that sorting may use.
    progress : told about the edges written.
    """
    folder = cut.scored.folder
    with workbench(path.absolute().parent, memory) as connection, new_folder(path, force=force) as writer:
        run_query(connection, "CREATE TABLE links (s BIGINT, t BIGINT)", str(folder.path))
        for chunk, stays in enumerate(cut.kept()):
            insert_links(connection, cut.scored.pairs(chunk)[stays].astype(np.int64), folder.path)
        counts = write_adjacency(connection, folder.n_nodes, writer, progress)
        fresh = {array_file(name) for name in ("indptr", "indices", "edges")}
        files: dict[str, StoredFile] = writer.stored()
        for name, stored in folder.manifest.files.items():
            if name not in fresh:
                _share(folder.path / name, writer.folder / name)
                files[name] = stored
        manifest = replace(folder.manifest, n_edges=counts.edges, files=files, made_by=made_here(str(folder.path)))
        writer.finish(manifest)
    return GraphFolder.open(path)


def _share(source: Path, target: Path) -> None:
    """A second name for a file that never changes, or a copy where that is not possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
