"""docs/extending.md does what it says: its code is run as it stands there."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kces import plugins
from kces.cli import main
from kces.datasets import DATASETS
from kces.lab.attacks import ATTACKS
from kces.lab.defenses import MODELS, PURIFIERS
from test_plugins import install

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
BLOCKS = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL))
GRAPH = "synthetic:n=120,seed=0"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder with the files of the page, in which Python stands; what they register goes with it."""
    for name, code in BLOCKS.items():
        (tmp_path / name).write_text(code)
    for registry in (DATASETS, ATTACKS, MODELS, PURIFIERS):
        monkeypatch.setattr(registry, "_added", {})
        monkeypatch.setattr(registry, "_origins", {})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    plugins._load_installed.cache_clear()
    yield tmp_path
    plugins._load_installed.cache_clear()
    for name in BLOCKS:
        sys.modules.pop(name.removesuffix(".py"), None)


def run(*words: str) -> int:
    try:
        main(list(words))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_the_page_has_its_files_and_they_are_short() -> None:
    assert list(BLOCKS) == ["my_defense.py", "my_attack.py", "my_dataset.py", "compare.py"]
    assert all(code.count("\n") <= 40 for code in BLOCKS.values())


@pytest.mark.usefixtures("page")
def test_plugins_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    names = "label-spreading,jaccard+label-spreading"
    files = ["--plugin", "my_defense.py", "--plugin", "my_attack.py", "--plugin", "my_dataset.py"]
    runs = ["--defense", names, "--seeds", "1", "--trials", "4", "--json"]
    assert run("evaluate", "two-rings@hubs-0.1", *files, *runs) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["graph"] == "two-rings@hubs-0.1"
    assert [row["defense"] for row in found["summary"]] == names.split(",")
    assert all(row["mean"] > 50 for row in found["summary"])


@pytest.mark.usefixtures("page")
def test_the_attack_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    plugin = ["--plugin", "my_attack.py", "--attack-option", "share=0.1"]
    assert run("attack", GRAPH, "-m", "hubs", "-b", "0.1", *plugin, "-o", "out.npz", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["method"], said["removed"]) == ("hubs", 0)
    assert said["added"] > 20


def test_an_error_inside_a_plugin_is_one_line(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = BLOCKS["my_defense.py"].replace("step, reached = propagation(graph), known", "reached = known")
    (page / "my_defense.py").write_text(code)
    assert run("evaluate", GRAPH, "--plugin", "my_defense.py", "--defense", "label-spreading", "--quiet") == 2
    line = 1 + code[: code.index("0.9 * (step")].count("\n")
    complaint = " ".join(capsys.readouterr().err.split())
    assert complaint == f"error: plugin my_defense.py, line {line}: NameError: name 'step' is not defined"


def test_instances_from_python(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(page / "compare.py"))
    assert {"LabelSpreading", "gcn"} <= set(capsys.readouterr().out.split())


def test_a_package_with_the_entry_points_of_the_page(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert toml is not None
    install(page, "my-package", re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", toml[1]).replace('"', ""))
    runs = ["--seeds", "1", "--trials", "1", "--json"]
    assert run("evaluate", "two-rings@hubs-0.1", "--defense", "label-spreading", *runs) == 0
    assert json.loads(capsys.readouterr().out)["summary"][0]["runs"] == 1
