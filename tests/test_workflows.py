"""What GitHub runs is what everybody runs: the workflows call targets of the Makefile, and nothing else of ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_there_are_workflows_for_tests_docs_and_releases() -> None:
    assert [path.stem for path in WORKFLOWS] == ["docs", "release", "tests"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_the_workflow_calls_make(workflow: Path) -> None:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    commands = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        words = command.split()
        assert words[0] == "make"
        assert words[1] in TARGETS


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_issue_forms_can_be_read(form: Path) -> None:
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    if form.stem != "config":
        assert {"name", "description", "body"} <= set(content)
        assert all(field["type"] in ("textarea", "input") for field in content["body"])


def test_a_release_is_audited_and_lists_what_is_in_it() -> None:
    content = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert {"make audit", "make sbom"} <= set(re.findall(r"run: (make \w+)", content))
    assert re.search(r"^\t.*pip-audit .*--strict", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_bundled_libraries_are_listed_with_their_licenses(tmp_path: Path) -> None:
    known = json.loads((ROOT / "frontend" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    listing = tmp_path / "sbom.json"
    listing.write_text('{"components": []}')
    subprocess.run([sys.executable, ROOT / "frontend" / "list_in_sbom.py", listing], check=True)
    found = {each["name"]: each for each in json.loads(listing.read_text())["components"]}
    assert known.items() <= {name: each["version"] for name, each in found.items()}.items()
    assert all(each["licenses"][0]["license"]["id"] for each in found.values())
