"""The colors of every figure: one per method, told apart by people who do not see all colors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["CEILING_COLOR", "FLOOR_COLOR", "SEQUENCE", "color_of", "style"]

# Okabe and Ito's set, without the yellow, which is too light on white.
_BLACK, _ORANGE, _SKY, _GREEN, _BLUE, _RED, _PURPLE = (
    "#000000",
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#0072b2",
    "#d55e00",
    "#cc79a7",
)
SEQUENCE = (_BLUE, _RED, _GREEN, _PURPLE, _ORANGE, _SKY, _BLACK)
FLOOR_COLOR, CEILING_COLOR = "#888888", "#444444"

_OTHERS = "#7a869a"
_METHODS = {"kces": _RED, "kces-paper": _BLUE, "gcn": _BLACK, "mlp": FLOOR_COLOR, "oracle": CEILING_COLOR}


def color_of(method: str) -> str:
    """KCES, the undefended GCN and the two bounds have colors of their own; the other defenses share one.

    >>> color_of("kces+gat") == color_of("kces"), color_of("rgcn") == color_of("gat")
    (True, True)
    """
    return _METHODS.get(method.partition("+")[0], _OTHERS)


@contextmanager
def style() -> Iterator[None]:
    """Fonts and lines of all figures, inside the block only, and a backend that needs no screen."""
    import matplotlib

    settings: dict[Any, Any] = {
        "backend": "Agg",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#e5e5e5",
        "axes.axisbelow": True,
        "legend.frameon": True,
        "legend.edgecolor": "none",
        "legend.framealpha": 0.9,
        "svg.hashsalt": "kces",  # the same figure gives the same file
        "savefig.dpi": 150,
    }
    with matplotlib.rc_context(settings):
        yield
