"""``kces attack``: a perturbed graph, to test a defense on."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import numpy.typing as npt
import typer

from kces.cli.completion import complete_attack
from kces.cli.graph_input import check_target, open_input
from kces.cli.input_options import InputOptions
from kces.cli.option_groups import with_option_groups
from kces.cli.options import (
    ForceOption,
    FormatOption,
    GraphArgument,
    JsonOption,
    OutputOption,
    QuietOption,
    SeedOption,
)
from kces.cli.output import console_beside, print_json, progress_bar
from kces.cli.plugin_option import PluginOption, load_plugins
from kces.cli.settings import parse_settings, settings_option
from kces.datasets.attacked_files import attacked_files, write_attacked
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.interop.graph_files import output_format
from kces.interop.optional import missing
from kces.plugins import plugin_errors_as_lines

if TYPE_CHECKING:
    from kces.lab.attacks import Attack

__all__ = ["attack"]

MethodOption = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="random, dice, metattack, metattack-approx, minmax, nettack, prbcd, lrbcd, adaptive-kces, "
        "adaptive-robust, or a plugin's.",
        show_default=False,
        autocompletion=complete_attack,
    ),
]
BudgetOption = Annotated[
    float,
    typer.Option(
        "--budget", "-b", help="Share of the edges to change; for nettack, edges per target.", show_default=False
    ),
]
TargetsOption = Annotated[
    Path | None,
    typer.Option(
        "--targets",
        metavar="FILE",
        help="Nodes that nettack attacks: node numbers in a text file or a JSON list. "
        "Default: test nodes with more than 10 neighbors.",
    ),
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="Keep the state here every minute, and go on from it (any long attack).",
    ),
]
AttackSettingsOption = Annotated[
    list[str] | None,
    settings_option("--attack-option", "A parameter of the method, such as preset=robust of adaptive-kces"),
]


@with_option_groups
def attack(
    graph: GraphArgument,
    method: MethodOption,
    budget: BudgetOption,
    output: OutputOption,
    inputs: InputOptions = InputOptions(),
    targets: TargetsOption = None,
    checkpoint: CheckpointOption = None,
    attack_option: AttackSettingsOption = None,
    plugin: PluginOption = None,
    format: FormatOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Perturb the edges of GRAPH within a budget and write the result, for testing defenses.

    Targets and clean graph go with it, so that `kces evaluate` judges the attacked nodes: inside an npz file, beside
    another in OUT.attack.npz.
    """
    check_target(output, json=json, force=force, is_folder=output_format(output, format).is_folder)
    for file in attacked_files(output, format)[1:]:
        check_target(file, json=json, force=force)
    plugins = load_plugins(plugin)
    chosen = _find(method)
    params: dict[str, object] = {**parse_settings("--attack-option", attack_option)}
    if targets is not None:
        params["targets"] = _read_targets(targets)
    if checkpoint is not None:
        params["checkpoint"] = checkpoint
    clean = open_input(graph, inputs).graph
    with progress_bar(quiet=quiet or json) as progress, plugin_errors_as_lines(plugins):
        attacked = chosen(clean, budget, seed, progress=progress, **params)
    files = write_attacked(attacked, output, format=format, force=force)
    log = attacked.log
    if json:
        keys = ("method", "budget", "added", "removed", "seconds", "seed")
        print_json({key: log[key] for key in keys} | {"output": output, "files": files})
        return
    console_beside(output).print(
        f"{attacked.graph.name}: added {log['added']} and removed {log['removed']} of {clean.n_edges} edges "
        f"in {log['seconds']:.1f} s (seed {seed}); wrote {' and '.join(map(str, files))}",
        soft_wrap=True,
    )


def _find(method: str) -> Attack:
    # Imported here: torch takes seconds to load, and `kces --help` must not wait for it.
    try:
        from kces.lab.attacks import find_attack
    except ImportError as error:
        raise missing("attacks need torch and torch_geometric", extra="lab") from error
    return find_attack(method)


def _read_targets(path: Path) -> npt.NDArray[np.int64]:
    """Node numbers separated by blanks, commas or lines, or a JSON list."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFileError(f"cannot read targets from {path}") from error
    try:
        numbers = json_format.loads(text) if text.lstrip().startswith("[") else text.replace(",", " ").split()
        nodes = np.array([int(number) for number in numbers], dtype=np.int64)
    except (ValueError, TypeError) as error:
        raise UnreadableFileError(f"targets file {path} must hold node numbers only") from error
    if len(nodes) == 0:
        raise InvalidParameterError(f"targets file {path} is empty")
    return nodes
