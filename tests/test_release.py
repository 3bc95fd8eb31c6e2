"""What would be released: both distributions are built from tracked files, checked, and installed where nothing is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytest.importorskip("build", reason="build is needed to make the distributions")
pytest.importorskip("twine", reason="twine is needed to check them")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution, built from a copy of what git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no checkout, so nobody says which files are tracked")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    made = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(source)]
    subprocess.run(made, check=True, capture_output=True, timeout=300)
    return target


def test_the_wheel_holds_the_package_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"kces"}
    assert {"kces/py.typed", "kces/report/static/report.js", "kces/report/static/LICENSES.txt"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or "/test" in name]


def test_the_source_distribution_is_clean(distributions: Path) -> None:
    (packed,) = distributions.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "LICENSE",
        "CHANGELOG.md",
        "src/kces/api.py",
        "tests/oracle.py",
        "tests/cli/test_report.py",
    } <= names
    assert not [name for name in names if "node_modules" in name or name.endswith((".pyc", ".nbi", ".nbc"))]


def test_the_metadata_are_what_an_index_takes(distributions: Path) -> None:
    files = [str(path) for path in distributions.iterdir()]
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout


def test_the_wheel_works_where_nothing_is_installed(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel],
        capture_output=True,
        text=True,
    )
    if installed.returncode:
        pytest.skip(f"no package index can be reached: {installed.stderr.strip().splitlines()[-1][:200]}")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [tmp_path / "empty" / "bin" / "kces", "score", "synthetic:n=60", "--json", "--quiet"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["nodes"] == 60
    alone = (
        "import importlib.util, sys; sys.exit(any(map(importlib.util.find_spec, ('torch', 'matplotlib', 'mkdocs'))))"
    )
    assert subprocess.run([python, "-c", alone], env=environment).returncode == 0
