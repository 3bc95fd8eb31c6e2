"""Attacks, defenses and data sets of others: registered, found by name, and harmless when they break."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kces
from kces.errors import InvalidParameterError
from kces.plugins import PluginError, Registry, load_plugin, plugin_errors_as_lines


@pytest.fixture
def sizes() -> Registry[int]:
    return Registry("size", "kces.no-such-group", {"small": 1})


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python that finds the modules and the packages of the folder."""
    paths = os.pathsep.join([str(folder), str(Path(kces.__file__).parents[1])])
    done = [sys.executable, "-W", "default", *words]
    return subprocess.run(done, env=os.environ | {"PYTHONPATH": paths}, cwd=folder, capture_output=True, text=True)


def install(folder: Path, name: str, entry_points: str) -> None:
    """A package as pip would leave it: what it offers, in its metadata."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


@pytest.mark.parametrize("name", ["Big", "a b", "x@y", "x+y", "x,y", "9x", ""])
def test_names_that_could_not_be_asked_for_are_refused(sizes: Registry[int], name: str) -> None:
    with pytest.raises(InvalidParameterError, match="cannot name a size"):
        sizes.register(name, 2, origin="me")


def test_a_name_is_taken_once_but_its_owner_may_replace_it(sizes: Registry[int]) -> None:
    sizes.register("large", 3, origin="me")
    sizes.register("large", 4, origin="me")
    assert dict(sizes) == {"small": 1, "large": 4}
    for name, origin in (("large", "another"), ("small", "me")):
        with pytest.raises(InvalidParameterError, match=f"already a size called '{name}'"):
            sizes.register(name, 5, origin=origin)
    sizes.forget("large")
    assert len(sizes) == 1


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1\nraise RuntimeError('no\\nluck')\n", "line 2: RuntimeError: no luck"),
        ("def f(:\n", "line 1: SyntaxError: invalid syntax"),
        ("import no_such_module\n", "line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("import sys\nsys.exit(3)\n", "line 2: SystemExit: 3"),
        (
            "from kces.datasets import register_dataset\n@register_dataset('cora')\ndef f(request): ...\n",
            "line 2: there is already a data set called 'cora'",
        ),
        (
            "from kces.datasets import register_dataset\n@register_dataset('digits')\ndef f(request): ...\n",
            "line 2: there is already a built-in graph called 'digits'",
        ),
    ],
)
def test_a_file_that_breaks_says_where_in_one_line(tmp_path: Path, code: str, message: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(code)
    with pytest.raises(PluginError) as caught:
        load_plugin(file)
    assert str(caught.value).startswith(f"plugin {file}, {message}")
    assert "\n" not in str(caught.value)
    assert not [name for name in sys.modules if name.startswith("kces_plugin_broken")]


@pytest.mark.parametrize("name", ["nowhere.py", "notes.txt"])
def test_what_is_no_plugin_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("not code")
    with pytest.raises(PluginError, match=name):
        load_plugin(tmp_path / name)


def test_errors_that_are_not_the_plugins_stay_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), plugin_errors_as_lines([tmp_path / "innocent.py"]):
        raise ZeroDivisionError


def test_a_broken_package_costs_a_warning_and_the_others_are_found(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(
        "from kces.datasets import register_dataset\n"
        "from kces.datasets.toys import barbell\n"
        "@register_dataset('good-graph', about='of a package')\n"
        "def good(request):\n"
        "    return barbell()\n"
    )
    (tmp_path / "bad.py").write_text("1 / 0\n")
    install(tmp_path, "a-bad-one", "[kces.datasets]\nbad = bad\n")
    install(tmp_path, "good-one", "[kces.datasets]\ngood-graph = good\n")
    listed = python(tmp_path, "-m", "kces", "datasets", "list")
    assert listed.returncode == 0, listed.stderr
    assert "good-graph" in listed.stdout
    assert "plugin bad of a-bad-one is left out: ZeroDivisionError: division by zero" in listed.stderr
    known = python(tmp_path, "-m", "kces", "datasets", "info", "good-graph")
    assert known.returncode == 0, known.stderr
    lazy = "import sys, kces.datasets as d; d.load('digits'); print('good' in sys.modules, 'bad' in sys.modules)"
    assert python(tmp_path, "-c", lazy).stdout.strip() == "False False"
