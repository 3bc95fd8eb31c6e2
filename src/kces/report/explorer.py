"""What the explorer's page asks for: marks, a new score that holds them, and the sanitized graph."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from kces.cut import AlphaChoice, Cut, cut_at
from kces.errors import InvalidParameterError
from kces.interop.graph_files import output_format
from kces.report.held import Held, first_removed
from kces.report.marks import Marks
from kces.report.numbers import Json, short
from kces.report.rescoring import score_without
from kces.scorers.scored import AUTO, Scored
from kces.scorers.scorer import Scorer
from kces.types import Bools

__all__ = ["Explorer"]

Describe: TypeAlias = Callable[[Scored, Cut, Held], Json]
Write: TypeAlias = Callable[[Path, Bools], None]

_LONGEST_NAME = 200


@dataclass(eq=False)
class Explorer:
    """One graph that a person looks at and decides about.

    Attributes
    ----------
    scorer : scores the graph again.
    original : the scores without any mark.
    marks : what was decided.
    folder : where sanitized graphs may be saved, and nowhere else.
    describe : makes the document of the page.
    write : writes the graph with the edges of a mask into a new file.
    alpha : the cut that the page begins with.
    scored : the scores that the page shows, made without the edges that were marked harmful when it was last asked.
    """

    scorer: Scorer
    original: Scored
    marks: Marks
    folder: Path
    describe: Describe
    write: Write
    alpha: float | str = AUTO
    scored: Scored = field(init=False)
    _document: Json | None = field(init=False, default=None)
    _one_at_a_time: threading.Lock = field(init=False, default_factory=threading.Lock)
    _saving: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.scored = self.original
        if self.marks.of_edge:
            self.rescore()

    def payload(self) -> Json:
        """The document of the page, with the marks held."""
        with self._one_at_a_time:
            return self._described()

    def listed_marks(self) -> list[Json]:
        with self._one_at_a_time:
            return self.marks.listed()

    def mark(self, source: object, target: object, mark: object) -> int:
        """Mark an edge; returns how many are marked."""
        with self._one_at_a_time:
            self.marks.put(source, target, mark)
            self._document = None
            return len(self.marks.of_edge)

    def rescore(self) -> Json:
        """Score again without the edges marked harmful; returns the new document."""
        with self._one_at_a_time:
            self.scored = score_without(self.scorer, self.original, self.marks.held().harmful)
            self._document = None
            return self._described()

    def save(self, name: object, alpha: object = None) -> tuple[Path, int]:
        """Write the graph without the edges that a cut at ``alpha`` and the marks remove; the file and their number."""
        target = self._new_file(name)
        with self._one_at_a_time:
            cut = self._cut_at(alpha)
            with self._saving:
                self.write(target, cut.kept)
        return target, cut.n_removed

    def finish(self) -> None:
        """Wait for a file that is being written, so that none is left half way."""
        with self._saving:
            pass

    def _described(self) -> Json:
        """The document, kept until a mark or a score changes: making it can take seconds."""
        if self._document is None:
            held = self.marks.held()
            self._document = self.describe(self.scored, held.cut(self.scored, self.alpha), held)
        return self._document

    def _cut_at(self, alpha: object) -> Cut:
        """The cut of the page at another ratio: the same order, more or fewer edges."""
        held = self.marks.held()
        cut = held.cut(self.scored, self.alpha)
        # The page knows the ratio of the run by five digits; a rounded one could be an edge more or less.
        if alpha is None or alpha == short(cut.alpha):
            return cut
        if isinstance(alpha, bool) or not isinstance(alpha, (int, float)):
            raise InvalidParameterError("alpha must be a number in [0, 1]")
        return first_removed(cut, held.bounded(cut_at(self.scored.scores, AlphaChoice.asked_for(alpha)).n_removed))

    def _new_file(self, name: object) -> Path:
        """The file of that plain name in the folder; nothing that exists is replaced or followed."""
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
            raise InvalidParameterError(f"name a file with at most {_LONGEST_NAME} characters")
        if (
            name.startswith(".")
            or name != Path(name).name
            or any(sign in name for sign in "/\\:\0")
            or not name.isprintable()
        ):
            raise InvalidParameterError("name a plain file, without folders")
        output_format(name)
        target = self.folder / name
        if os.path.lexists(target):
            raise InvalidParameterError(f"{name} exists in {self.folder}; choose another name")
        return target
