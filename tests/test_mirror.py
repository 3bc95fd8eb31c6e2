"""Tests stand where the code stands: whoever changes a file finds its tests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC, TESTS = ROOT / "src" / "kces", ROOT / "tests"
FILES = sorted(file for file in SRC.rglob("*.py") if not file.name.startswith("__"))

TESTED_WITH: dict[str, tuple[str, ...]] = {
    "bench/test_bench.py": ("bench/probe.py",),
    "cli/test_input_options.py": (
        "cli/explain.py",
        "cli/graph_input.py",
    ),
    "cli/test_report.py": ("cli/known_attack.py",),
    "cli/test_start.py": ("cli/lazy.py",),
    "test_automatic_cut.py": ("edge_groups.py", "marked_nodes.py"),
    "test_explanation.py": ("scorers/typical_gaps.py",),
    "test_plotting.py": ("cli/plot.py",),
    "test_extending_page.py": ("cli/plugin_option.py",),
    "datasets/test_attacked_files.py": ("datasets/attack_record.py",),
    "engines/test_local.py": (
        "engines/block.py",
        "engines/block_kernel.py",
        "engines/edge_dots.py",
        "engines/first_order.py",
        "engines/neighbors.py",
        "engines/products.py",
    ),
    "engines/test_exact.py": ("engines/changed_rows.py", "engines/complement.py", "engines/white_rows.py"),
    "interop/test_dataframes.py": (
        "interop/arrow_table.py",
        "interop/node_rows.py",
    ),
    "interop/test_pyg.py": (
        "interop/pyg_edges.py",
        "interop/typed_edges.py",
    ),
    "interop/test_scipy_matrices.py": ("interop/sparse.py",),
    "cli/test_score_folder.py": (
        "cli/folder_input.py",
        "cli/on_disk.py",
        "cli/sanitize_folder.py",
        "cli/scale_options.py",
        "scale/scored_output.py",
    ),
    "lab/test_evaluation_cells.py": ("processes/remote.py",),
    "scale/test_added_links.py": ("cli/score_added.py",),
    "scale/test_cost_model.py": ("cli/lab_plan.py",),
    "scale/test_score_in_run.py": ("scale/kept_views.py", "scale/parts_of_run.py"),
    "bench/test_scale_runs.py": ("cli/bench_scale.py", "bench/scale_jobs.py", "bench/made_tables.py"),
    "scale/test_graph_folder.py": (
        "cli/convert.py",
        "interop/formats/kces_folder.py",
        "scale/stored_arrays.py",
        "scale/streamed_edges.py",
        "scale/streamed_nodes.py",
    ),
    "lab/attacks/test_attack_contract.py": (
        "lab/attacks/cache.py",
        "lab/attacks/interface.py",
        "lab/attacks/victim.py",
    ),
    "lab/attacks/test_attack_parts.py": (
        "lab/attacks/degree_test.py",
        "lab/attacks/rbcd.py",
    ),
    "lab/defenses/test_defenses.py": (
        "lab/defenses/cosine.py",
        "lab/defenses/gcn.py",
        "lab/defenses/mlp.py",
        "lab/defenses/noisegnn.py",
        "lab/defenses/oracle.py",
        "lab/defenses/purified.py",
        "lab/defenses/rgcn.py",
    ),
    "lab/reproduce/test_reproduce_tables.py": (
        "lab/reproduce/experiments/clustering.py",
        "lab/reproduce/experiments/cost.py",
        "lab/reproduce/experiments/pruning.py",
        "lab/reproduce/experiments/supplement.py",
        "lab/reproduce/figures.py",
        "lab/reproduce/reproduction.py",
    ),
    "lab/reproduce/test_reproduce_template.py": (
        "processes/forks.py",
        "processes/template.py",
    ),
    "processes/test_processes.py": ("processes/worker.py",),
    "report/test_server.py": ("report/explorer.py",),
    "scorers/test_scored.py": ("scorers/scorer.py",),
}
"""Files that no test of their room imports: the test that goes through them by way of who uses them."""


def name_of(file: Path) -> str:
    return file.relative_to(SRC).as_posix()


def is_named_in_its_room(file: Path) -> bool:
    """Whether a test in the folder of the same name imports it."""
    place = file.relative_to(SRC).with_suffix("")
    folder, module = TESTS / place.parent, ".".join(["kces", *place.parts])
    package, _, name = module.rpartition(".")
    imports = (f"{module} ", f"{module}\n", f"from {package} import {name}")
    texts = [test.read_text(encoding="utf-8") for test in folder.glob("*.py")]
    return any(line in text for line in imports for text in texts)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_every_file_has_a_test_in_its_room(file: Path) -> None:
    own = TESTS / file.relative_to(SRC).parent / f"test_{file.name}"
    elsewhere = {name for names in TESTED_WITH.values() for name in names}
    runs_examples = ">>> " in file.read_text(encoding="utf-8")
    assert own.exists() or runs_examples or is_named_in_its_room(file) or name_of(file) in elsewhere, (
        f"add {own.relative_to(ROOT)}, or say in TESTED_WITH which test covers {name_of(file)}"
    )


def test_the_list_of_parts_is_true() -> None:
    names = [name_of(file) for file in FILES]
    for test, parts in TESTED_WITH.items():
        assert (TESTS / test).exists(), test
        assert set(parts) <= set(names), test


def test_no_two_files_have_one_name() -> None:
    twice = [name for name, count in Counter(file.name for file in FILES).items() if count > 1]
    assert twice == []
