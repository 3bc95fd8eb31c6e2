"""The bundle that is checked in: what the lock file gives, small, self-contained, with its licenses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "kces" / "report" / "static"
BUILT = ["LICENSES.txt", "page.html", "report.css", "report.js"]


def _built_text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle built again from a copy of the sources, with the versions of the lock file."""
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("node and npm are needed to rebuild the bundle")
    folder = tmp_path_factory.mktemp("bundle")
    copied = folder / "frontend"
    shutil.copytree(FRONTEND, copied, ignore=shutil.ignore_patterns("node_modules"))
    install = ["npm", "ci", "--no-audit", "--no-fund", "--silent"]
    if subprocess.run(install, cwd=copied, capture_output=True, timeout=300).returncode:
        pytest.skip("the package registry cannot be reached")
    subprocess.run(["node", "build.mjs", str(folder / "static")], cwd=copied, check=True, timeout=120)
    return folder / "static"


@pytest.mark.parametrize("name", BUILT)
def test_the_bundle_is_what_the_lock_file_gives(rebuilt: Path, name: str) -> None:
    assert (rebuilt / name).read_bytes() == (STATIC / name).read_bytes(), "run frontend/build.sh and commit the result"


def test_the_bundle_is_small() -> None:
    assert sum((STATIC / name).stat().st_size for name in BUILT) < 1_500_000


def test_the_bundle_makes_no_code_from_text() -> None:
    script = _built_text("report.js")
    assert not re.search(r"\bnew Function\(|(?<![\w.$])eval\(", script)


def test_the_bundle_can_stand_inside_a_page() -> None:
    assert "</script" not in _built_text("report.js").lower()
    assert "<!--" not in _built_text("report.js")
    assert "</style" not in _built_text("report.css").lower()


def test_nothing_is_fetched_from_elsewhere() -> None:
    assert not re.search(r"url\(|@import", _built_text("report.css"))
    assert not re.search(r"(?:src|href)=\"(?!data:)", _built_text("page.html"))


def test_every_bundled_package_has_its_exact_version_and_license() -> None:
    wanted = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))
    licenses = _built_text("LICENSES.txt")
    for name, version in wanted["dependencies"].items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert f"{name} {version} (MIT)" in licenses
