"""``kces demo``: attack a graph of real images and sanitize it, in under a minute and without any file."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.table import Table

from kces.classifier import sgc_accuracy
from kces.cli.options import JsonOption, PresetOption, QuietOption, SeedOption
from kces.cli.output import console, print_json, progress_bar
from kces.datasets.builtin import digits
from kces.datasets.planted import inject_cross_class_edges
from kces.estimator import KCES

__all__ = ["demo"]


def demo(
    preset: PresetOption = "robust",
    share: Annotated[float, typer.Option("--share", help="Injected edges, as a share of the clean ones.")] = 0.5,
    seed: SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Inject cross-class edges into the digits graph, sanitize it, and show what came back."""
    clean = digits()
    attacked, injected = inject_cross_class_edges(clean, share, seed=seed)
    began = time.perf_counter()
    with progress_bar(quiet=quiet) as progress:
        model = KCES(preset=preset, random_state=seed).fit(attacked, progress=progress)
    seconds = time.perf_counter() - began
    sanitized = model.sanitize()
    accuracy = {
        name: 100 * sgc_accuracy(graph, on="test")
        for name, graph in (("clean", clean), ("attacked", attacked), ("sanitized", sanitized))
    }
    caught = int((injected & ~model.kept_).sum())
    about = {
        "accuracy": accuracy,
        "preset": preset,
        **model.cut_.choice.facts(),
        "injected": int(injected.sum()),
        "removed": int((~model.kept_).sum()),
        "injected_removed": caught,
        "injected_removed_by_chance": model.alpha_ * int(injected.sum()),
        "seconds": seconds,
    }
    if json:
        print_json(about)
    else:
        _show(about)


def _show(about: dict) -> None:
    console.print("[bold]kces demo: handwritten digits with planted cross-class edges[/]")
    table = Table()
    table.add_column("graph")
    table.add_column("test accuracy", justify="right")
    for name, color in (("clean", "green"), ("attacked", "red"), ("sanitized", "bold cyan")):
        table.add_row(f"[{color}]{name}[/]", f"[{color}]{about['accuracy'][name]:.1f} %[/]")
    console.print(table)
    chance = f"chance would catch {about['injected_removed_by_chance']:.0f}"
    console.print(
        f"preset {about['preset']} removed {about['removed']} edges "
        f"(alpha {about['alpha']:.3g}: {about['alpha_reason']}), among them "
        f"[bold]{about['injected_removed']} of {about['injected']}[/] planted ones; {chance}. {about['seconds']:.1f} s."
    )
