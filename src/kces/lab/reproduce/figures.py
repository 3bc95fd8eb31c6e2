"""Figures from filled slots: dots per method, lines against a ratio, time against size, histograms of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kces.atomic import atomic_write
from kces.lab.reproduce.palette import CEILING_COLOR, FLOOR_COLOR, SEQUENCE, color_of, style
from kces.lab.reproduce.plan import CEILING, FLOOR, label_of
from kces.lab.reproduce.tables import Filled, rows_of, sections
from kces.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_dots", "draw_histograms", "draw_lines", "draw_scale", "save_figure"]

FORMATS = ("png", "svg")

PIXELS = 1_100
"""Width of a picture before its margins are cut: large enough to read on a page."""


def save_figure(figure: Figure, folder: Path, stem: str) -> list[Path]:
    """Write the figure as PNG and SVG and let go of it."""
    from matplotlib import pyplot

    paths = [folder / f"{stem}.{suffix}" for suffix in FORMATS]
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else None  # else no two runs give the same file
        with atomic_write(path, force=True) as temporary:
            dots = max(100.0, PIXELS / figure.get_figwidth())
            figure.savefig(temporary, bbox_inches="tight", metadata=metadata, dpi=dots)
    pyplot.close(figure)
    return paths


def draw_dots(filled: list[Filled], unit: str) -> dict[str, Figure]:
    """A figure per section: a panel per situation, a line per method; hollow is the paper's number."""
    return {name: _dots(name, members, unit) for name, members in sections(filled).items()}


def _dots(name: str, members: list[Filled], unit: str) -> Figure:
    from matplotlib import pyplot

    rows, columns, grid = rows_of(members)
    methods = [row for row in rows if row not in (FLOOR, CEILING)][::-1]
    with style():
        size = (1.6 + 2.1 * len(columns), 1.2 + 0.26 * len(methods))
        figure, axes = pyplot.subplots(1, len(columns), figsize=size, sharey=True, squeeze=False)
        for axis, column in zip(axes[0], columns, strict=True):
            axis.set_title(column)
            axis.set_xlabel(unit)
            _draw_bounds(axis, [each for each in members if each.slot.column == column], axis.axvline)
            for height, method in enumerate(methods):
                if (method, column) in grid:
                    _draw_dot(axis, height, grid[method, column])
        axes[0][0].set_yticks(range(len(methods)), [label_of(method) for method in methods])
        axes[0][0].set_ylim(-0.6, len(methods) - 0.4)
        figure.suptitle(f"{name}: filled = measured, hollow = paper, dashed = MLP floor, dotted = oracle", fontsize=9)
        figure.tight_layout()
    return figure


def _draw_dot(axis: Axes, height: int, filled: Filled) -> None:
    color = color_of(filled.slot.row)
    paper = filled.slot.paper
    if paper is not None and paper.mean is not None:
        axis.plot(paper.mean, height, "o", markerfacecolor="none", markeredgecolor=color)
    if filled.mean is not None:
        axis.errorbar(filled.mean, height, xerr=filled.std or 0.0, fmt="o", color=color, markersize=5, capsize=2)
    else:
        axis.annotate(filled.problem[:16], (0.02, height), xycoords=("axes fraction", "data"), fontsize=7, va="center")


def _draw_bounds(axis: Axes, members: list[Filled], line: Callable[..., object]) -> None:
    if members and members[0].floor is not None:
        line(members[0].floor, color=FLOOR_COLOR, linestyle="--", linewidth=1)
    if members and members[0].ceiling is not None:
        line(members[0].ceiling, color=CEILING_COLOR, linestyle=":", linewidth=1)


def draw_lines(filled: list[Filled], unit: str) -> dict[str, Figure]:
    """A figure per section whose rows are numbers: a line per column with a band of one standard deviation."""
    return {
        name: _lines(name, members, unit)
        for name, members in sections(filled).items()
        if any(_is_number(each.slot.row) for each in members)
    }


def _lines(name: str, members: list[Filled], unit: str) -> Figure:
    from matplotlib import pyplot

    _, columns, _ = rows_of(members)
    with style():
        figure, axis = pyplot.subplots(figsize=(5.2, 3.4))
        for color, column in zip(SEQUENCE, columns, strict=False):
            points = [
                (float(each.slot.row), each.mean, each.std or 0.0)
                for each in members
                if each.slot.column == column and _is_number(each.slot.row) and each.mean is not None
            ]
            if points:
                x, mean, std = (np.array(values) for values in zip(*points, strict=True))
                axis.plot(x, mean, marker="o", markersize=3, color=color, label=column)
                axis.fill_between(x, mean - std, mean + std, color=color, alpha=0.15, linewidth=0)
        _draw_bounds(axis, members, axis.axhline)
        axis.set(xlabel="share of edges pruned", ylabel=unit)
        axis.set_title(f"{name} (dashed: MLP floor, dotted: oracle)", fontsize=9)
        if axis.get_legend_handles_labels()[0]:
            axis.legend()
        figure.tight_layout()
    return figure


def draw_scale(filled: list[Filled], unit: str) -> dict[str, Figure]:
    """Seconds against edges on logarithmic axes, a color per method; graphs differ in more, so nothing joins them."""
    from matplotlib import pyplot

    with style():
        figure, axis = pyplot.subplots(figsize=(5.2, 3.4))
        for name, members in sections(filled).items():
            means = {(each.slot.row, each.slot.quantity): each.mean for each in members}
            points = sorted(
                (means[row, "edges"], means[row, "seconds"], row)
                for row, quantity in means
                if quantity == "edges" and means[row, "edges"] and means.get((row, "seconds"))
            )
            if points:
                edges, seconds, graphs = zip(*points, strict=True)
                axis.loglog(edges, seconds, "o", color=color_of(name), label=label_of(name))
                for x, y, graph in zip(edges, seconds, graphs, strict=True):
                    short = graph.partition(":")[0]
                    axis.annotate(short, (x, y), xytext=(0, 6), textcoords="offset points", fontsize=6, ha="center")
        axis.set(xlabel="edges", ylabel="seconds")
        if axis.get_legend_handles_labels()[0]:
            axis.legend()
        figure.tight_layout()
    return {"scale": figure}


def draw_histograms(name: str, scores: Mapping[str, Array]) -> Figure:
    """Densities of the logarithm of the scores, one outline per graph; zeros are left out."""
    from matplotlib import pyplot

    positive = {label: np.log10(values[values > 0]) for label, values in scores.items() if (values > 0).any()}
    with style():
        figure, axis = pyplot.subplots(figsize=(5.2, 3.0))
        if positive:
            together = np.concatenate(list(positive.values()))
            low, high = np.quantile(together, (0.001, 1.0))
            bins = np.linspace(float(low), float(high), 60).tolist()
            for color, (label, values) in zip(SEQUENCE, positive.items(), strict=False):
                axis.hist(values, bins=bins, density=True, histtype="step", color=color, linewidth=1.4, label=label)
            axis.legend()
        axis.set(xlabel="log10 of the KC score", ylabel="density", title=name)
        figure.tight_layout()
    return figure


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
