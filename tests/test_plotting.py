"""Pictures: what they draw, on whose axes, and that names are only text in them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from kces import KCES, score
from kces.datasets.toys import barbell
from kces.errors import InvalidParameterError, MissingDependencyError
from kces.graph import Graph
from kces.plotting import plot_cut, plot_neighborhood, plot_scores, save_figure
from kces.scorers.scored import Scored
from program import RunKces

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def scored() -> Scored:
    return score(barbell())


def test_pictures_are_drawn_on_the_axes_that_are_given(scored: Scored) -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots(1, 3)
    cut = scored.cut(0.1)
    assert plot_scores(scored, cut, ax=axes[0]) is axes[0]
    assert plot_cut(scored, cut, ax=axes[1]) is axes[1]
    assert plot_neighborhood(scored, cut, 4, 5, ax=axes[2]) is axes[2]


def test_no_figure_is_left_open(scored: Scored) -> None:
    before = pyplot.get_fignums()
    plot_scores(scored, scored.cut(0.1))
    assert pyplot.get_fignums() == before


def test_the_edge_is_red_and_removed_edges_are_dashed(scored: Scored) -> None:
    lines = plot_neighborhood(scored, scored.cut(0.1), 4, 5).lines
    assert len(lines) == 21
    assert [line.get_linestyle() for line in lines if line.get_color() == "red"] == ["--"]
    assert sum(line.get_linestyle() == "--" for line in lines) == 3


def test_nodes_are_colored_by_class_or_pseudo_label() -> None:
    bare = Graph.from_edges(barbell().edges, barbell().features)
    for graph, kind in ((barbell(), "class"), (bare, "pseudo label")):
        found = score(graph)
        legend = plot_neighborhood(found, found.cut(0.1), 4, 5).get_legend()
        assert legend is not None
        assert {text.get_text() for text in legend.get_texts()} == {f"{kind} 0", f"{kind} 1"}
    plain = score(Graph.from_edges(barbell().edges))
    assert plot_neighborhood(plain, plain.cut(0.1), 4, 5).get_legend() is None


def test_names_are_text_and_no_formula(tmp_path: Path) -> None:
    names = np.array(["$\\frac{", "<script>alert(1)</script>", "x" * 10_000, "two\nlines"], dtype=object)
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]], node_ids=names)
    scored = Scored(graph, np.array([3.0, 2.0, 1.0]))
    picture = tmp_path / "x.svg"
    save_figure(plot_neighborhood(scored, scored.cut(0.4), *names[:2]), picture)
    assert "<script>" not in picture.read_text()


def test_a_crowded_neighborhood_says_what_it_leaves_out() -> None:
    graph = Graph.from_edges([[0, node] for node in range(1, 200)])
    scored = Scored(graph, np.arange(199.0))
    ax = plot_neighborhood(scored, scored.cut(0.1), 0, 1)
    assert ax.get_title() == "140 more neighbors are not shown"
    with pytest.raises(InvalidParameterError, match="same node"):
        plot_neighborhood(scored, scored.cut(0.1), 1, 1)


def test_without_matplotlib_the_extra_is_named(scored: Scored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match=r"plot\]"):
        plot_scores(scored, scored.cut(0.1))


@pytest.mark.parametrize(
    ("kind", "ending", "begins"),
    [("scores", "png", b"\x89PNG"), ("cut", "svg", b"<?xml"), ("neighborhood", "pdf", b"%PDF")],
)
def test_the_command_draws_every_kind(run_kces: RunKces, tmp_path: Path, kind: str, ending: str, begins: bytes) -> None:
    target = tmp_path / f"x.{ending}"
    ran = run_kces("plot", "synthetic:n=60", "--kind", kind, "-o", target, "--quiet")
    assert ran.code == 0
    assert target.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "pie", "-o", "x.png"], "--kind pie is none of"),
        (["-o", "x.bmp"], "a picture ends in .png, .svg, .pdf"),
        (["--edge", "1", "2", "-o", "x.png"], "--edge goes with"),
        (["--kind", "neighborhood", "--edge", "1", "nobody", "-o", "x.png"], "has no node nobody"),
    ],
)
def test_mistakes_are_one_line(
    run_kces: RunKces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run_kces("plot", "synthetic:n=60", *words)
    assert ran.code == 2
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_fitted_estimator_shows_itself_and_reports(tmp_path: Path) -> None:
    model = KCES(alpha=0.1)
    assert "KCES of" not in model._repr_mimebundle_()["text/html"]
    shown = model.fit(barbell())._repr_mimebundle_()["text/html"]
    assert "3 of 21" in shown
    assert shown.count("<img") == 2
    assert model.report(tmp_path / "r.html") == (tmp_path / "r.html").stat().st_size
