"""What a notebook shows of a fitted estimator: the facts as a table, and pictures where matplotlib is there."""

from __future__ import annotations

import base64
import html
import importlib.util
import io

from kces.cut import Cut
from kces.scorers.scored import Scored

__all__ = ["fitted_html"]


def fitted_html(scored: Scored, cut: Cut) -> str:
    """A table of facts and, if it can be drawn, the scores and the cut.

    Parameters
    ----------
    scored, cut : what was fitted.

    Examples
    --------
    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> scored = score(barbell())
    >>> "<td>3 of 21</td>" in fitted_html(scored, scored.cut(0.1))
    True
    """
    graph = scored.graph
    facts = {
        "nodes": f"{graph.n_nodes:,}",
        "edges removed": f"{cut.n_removed:,} of {graph.n_edges:,}",
        "verdict": cut.choice.verdict or "",
        "alpha": f"{cut.alpha:.3g}: {cut.choice.reason}",
        "preset": scored.scorer,
        "engine": f"{scored.engine} ({scored.engine_reason})",
    }
    rows = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in facts.items() if value)
    return f"<table><caption>KCES of {html.escape(graph.name)}</caption>{rows}</table>{_pictures(scored, cut)}"


def _pictures(scored: Scored, cut: Cut) -> str:
    if importlib.util.find_spec("matplotlib") is None:
        return ""
    from kces.plotting import plot_cut, plot_scores

    pictures = []
    for draw, said in ((plot_scores, "Scores of edges and random pairs"), (plot_cut, "What each cut does")):
        content = io.BytesIO()
        draw(scored, cut).figure.canvas.print_figure(content, format="svg", metadata={"Date": None})
        encoded = base64.b64encode(content.getvalue()).decode()
        # As an image, an SVG can run nothing, and its ids do not meet those of other cells.
        pictures.append(f'<img alt="{said}" style="max-width: 48%" src="data:image/svg+xml;base64,{encoded}">')
    return "".join(pictures)
