"""What is known of an attack on GRAPH, for the commands that show it: scores never see it."""

from __future__ import annotations

from dataclasses import replace

from kces.cli.graph_input import GraphInput
from kces.datasets.attacked_files import read_attack_record
from kces.interop.limits import STANDARD_INPUT

__all__ = ["with_known_attack"]


def with_known_attack(opened: GraphInput) -> GraphInput:
    """The input with the clean graph, labels and split of the record in its file or beside it, if there is one.

    Parameters
    ----------
    opened : GRAPH; a data set knows its clean graph already.
    """
    if opened.file is None or opened.file.path == STANDARD_INPUT:
        return opened
    record = read_attack_record(opened.file.path)
    if record is None:
        return opened
    attacked = record.applied_to(opened.graph, opened.file.path)
    return replace(opened, graph=attacked.graph, clean=attacked.clean)
