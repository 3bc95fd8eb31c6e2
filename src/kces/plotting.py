"""Pictures of a scored graph for papers and notebooks: each function draws on matplotlib axes and returns them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kces.atomic import atomic_write
from kces.cut import Cut
from kces.errors import InvalidParameterError
from kces.explanation import find_node
from kces.graph import Graph
from kces.interop.optional import require
from kces.report.distribution import score_distribution
from kces.report.node_groups import NodeGroups, node_groups
from kces.report.pruning_curves import pruning_curves
from kces.report.shown_graph import node_title
from kces.scorers.scored import Scored
from kces.types import Array, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FIGURE_FORMATS", "figure_format", "plot_cut", "plot_neighborhood", "plot_scores", "save_figure"]

FIGURE_FORMATS = ("png", "svg", "pdf")

_LINK, _RANDOM, _CUT, _QUIET = "#0072b2", "#e69f00", "#d55e00", "#999999"  # told apart by color-blind eyes too
_COLORS = (_LINK, _QUIET, "#009e73")
_GROUP_COLORS = ("#0072b2", "#d98200", "#009e73", "#b0569a", "#56a4d9", "#a6761d", "#666699", "#7a9a01", "#3d7f7f")
_GROUP_MARKERS = "os^DPhX"
_MOST_NODES = 60
_LONGEST_NAME = 24


def plot_scores(scored: Scored, cut: Cut, *, ax: Axes | None = None) -> Axes:
    """Histograms of the edges and of random pairs, and the cut between what stays and goes.

    Parameters
    ----------
    scored, cut : what is drawn.
    ax : where; new axes without.

    Examples
    --------
    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> scored = score(barbell())
    >>> plot_scores(scored, scored.cut(0.1)).get_xlabel()
    'agreement of the two ends'
    """
    ax = _axes(ax)
    found = score_distribution(scored, cut.kept)
    bins = np.array(found["bins"], dtype=float)
    for name, color, label in (("edges", _LINK, "edges"), ("random", _RANDOM, "random pairs")):
        counts = np.array(found[name], dtype=float)
        if counts.any():
            ax.stairs(counts / counts.sum(), bins, fill=True, alpha=0.5, color=color, label=label)
    threshold = found["threshold"]
    if isinstance(threshold, float):
        ax.axvline(threshold, color=_CUT, label=f"cut (α = {cut.alpha:.3g})")
    ax.set_xlabel("agreement of the two ends" if found["label"] == "agreement" else "score")
    ax.set_ylabel("share of the pairs")
    ax.legend()
    return ax


def plot_cut(scored: Scored, cut: Cut, *, ax: Axes | None = None) -> Axes:
    """What each pruning ratio does: isolated nodes, components and, with labels, homophily.

    Parameters
    ----------
    scored, cut : what is drawn; the cut is marked.
    ax : where; new axes without.

    Examples
    --------
    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> scored = score(barbell())
    >>> [line.get_label() for line in plot_cut(scored, scored.cut(0.1)).lines][:3]
    ['isolated nodes', 'components', 'homophily']
    """
    ax = _axes(ax)
    curves = pruning_curves(scored, cut.rank)
    nodes = scored.graph.n_nodes
    drawn = (("isolated", "isolated nodes", nodes, "-"), ("components", "components", nodes, "--"))
    for (name, label, whole, style), color in zip((*drawn, ("homophily", "homophily", 1, ":")), _COLORS, strict=True):
        values = curves[name]
        if values is not None:
            ax.plot(
                np.array(curves["alpha"], dtype=float),
                np.array(values, dtype=float) / whole,
                style,
                color=color,
                label=label,
            )
    ax.axvline(cut.alpha, color=_CUT, label=f"cut (α = {cut.alpha:.3g})")
    ax.set_xlabel("share of edges removed, α")
    ax.set_ylabel("share")
    ax.legend()
    return ax


def plot_neighborhood(scored: Scored, cut: Cut, a: object, b: object, *, ax: Axes | None = None) -> Axes:
    """Two nodes with their neighbors: the edge between them in red, removed edges dashed, groups in colors.

    Groups are classes where they are known, else pseudo labels.

    Parameters
    ----------
    scored, cut : what is drawn.
    a, b : the two nodes, named as in the graph.
    ax : where; new axes without.

    Examples
    --------
    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> scored = score(barbell())
    >>> len(plot_neighborhood(scored, scored.cut(0.1), 4, 5).texts)
    10
    """
    graph = scored.graph
    ends = np.array([find_node(graph, a), find_node(graph, b)])
    if ends[0] == ends[1]:
        raise InvalidParameterError(f"{a} and {b} are the same node; name two")
    ax = _axes(ax)
    nodes, left_out = _within_a_hop(graph, ends)
    places = _places(graph, nodes)
    _draw_edges(ax, scored, cut, ends, places)
    spots = np.array([places[node] for node in nodes.tolist()])
    _draw_nodes(ax, spots, node_groups(scored, nodes))
    for node in nodes.tolist():
        ax.annotate(_plain(graph, node), places[node], xytext=(4, 4), textcoords="offset points", parse_math=False)
    ax.set_title(f"{left_out} more neighbors are not shown" if left_out else "", fontsize="small")
    ax.set_axis_off()
    return ax


def save_figure(ax: Axes, path: str | Path, *, force: bool = False) -> None:
    """Write the figure of ``ax``, in the format of the extension of ``path``: png, svg or pdf.

    Parameters
    ----------
    ax : what was drawn on.
    path : the file.
    force : replace a file that exists.
    """
    kind = figure_format(path)
    with atomic_write(path, force=force) as temporary:
        # The canvas is the whole figure's, also where the axes are in a part of it.
        ax.figure.canvas.print_figure(str(temporary), format=kind, bbox_inches="tight", metadata={_DATES[kind]: None})


_DATES = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}
"""What would make two files of the same picture differ."""


def figure_format(path: str | Path) -> str:
    """The format that an extension stands for.

    >>> figure_format("scores.PNG")
    'png'
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FIGURE_FORMATS:
        raise InvalidParameterError(f"{path}: a picture ends in {', '.join('.' + each for each in FIGURE_FORMATS)}")
    return kind


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    figure = require("matplotlib.figure", extra="plot", purpose="drawing")
    # Not pyplot's: that would keep every figure in memory and ask for a window.
    return figure.Figure(figsize=(6.4, 4.0), layout="constrained").add_subplot()


def _within_a_hop(graph: Graph, ends: Ints) -> tuple[Ints, int]:
    """The two ends and their neighbors, so many that a picture has room for, and how many it has not."""
    around = np.unique(
        np.concatenate([graph.adjacency.indices[slice(*graph.adjacency.indptr[[e, e + 1]])] for e in ends])
    )
    others = np.setdiff1d(around, ends)
    return np.concatenate([ends, others[: _MOST_NODES - 2]]).astype(np.int64), max(0, len(others) - _MOST_NODES + 2)


def _places(graph: Graph, nodes: Ints) -> dict[int, tuple[float, float]]:
    """The ends side by side, each with its own neighbors on its side, and shared ones between them."""
    first, second = nodes[:2].tolist()
    linked = graph.adjacency[nodes[2:]][:, nodes[:2]].toarray() > 0 if len(nodes) > 2 else np.zeros((0, 2), dtype=bool)
    places = {first: (-1.0, 0.0), second: (1.0, 0.0)}
    for center, angle, spread, members in (
        (-1.0, np.pi, 2.2, nodes[2:][linked[:, 0] & ~linked[:, 1]]),
        (1.0, 0.0, 2.2, nodes[2:][linked[:, 1] & ~linked[:, 0]]),
    ):
        turns = angle + np.linspace(-spread / 2, spread / 2, len(members) + 2)[1:-1]
        places |= {n: (center + np.cos(t), np.sin(t)) for n, t in zip(members.tolist(), turns.tolist(), strict=True)}
    shared = nodes[2:][linked.all(axis=1)]
    heights = np.linspace(-1.0, 1.0, len(shared) + 2)[1:-1]
    return places | {n: (0.0, h if h else 0.5) for n, h in zip(shared.tolist(), heights.tolist(), strict=True)}


def _draw_nodes(ax: Axes, spots: Array, groups: NodeGroups | None) -> None:
    """Every group in a color and a shape of its own, with a legend."""
    if groups is None:
        ax.scatter(spots[:, 0], spots[:, 1], s=60, color=_LINK, zorder=2)
        return
    for group in np.unique(groups.of_node).tolist():
        mine = spots[groups.of_node == group]
        known = group >= 0
        ax.scatter(
            mine[:, 0],
            mine[:, 1],
            s=60,
            color=_GROUP_COLORS[group % len(_GROUP_COLORS)] if known else _QUIET,
            marker=_GROUP_MARKERS[group % len(_GROUP_MARKERS)] if known else "o",
            label=f"{groups.kind} {group}" if known else f"no {groups.kind}",
            zorder=2,
        )
    ax.legend(fontsize="small", loc="best")


def _draw_edges(ax: Axes, scored: Scored, cut: Cut, ends: Ints, places: dict[int, tuple[float, float]]) -> None:
    edges = scored.graph.edges
    inside = np.flatnonzero(np.isin(edges, list(places)).all(axis=1))
    for edge in inside.tolist():
        pair = edges[edge].tolist()
        xs, ys = zip(*(places[node] for node in pair), strict=True)
        chosen = set(pair) == set(ends.tolist())
        ax.plot(
            xs,
            ys,
            linestyle="-" if cut.kept[edge] else "--",
            color="red" if chosen else _QUIET,
            linewidth=2.0 if chosen else 0.8,
            zorder=1,
        )


def _plain(graph: Graph, node: int) -> str:
    """A name that fits into a picture, on one line."""
    name = " ".join(node_title(graph, node).split())
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
