"""What a package index shows: the README, with nothing in it that leads nowhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_description_has_no_link_that_only_the_repository_can_follow() -> None:
    shown = runpy.run_path(str(ROOT / "setup.py"))["for_package_index"](README)
    targets = re.findall(r"\]\(([^)]*)\)", shown)
    assert targets
    assert all(target.startswith("https://") for target in targets)
    assert "docs/tables.md" in shown
    assert "![" not in shown
    assert shown.startswith("# kces\n")


def test_readme_shows_a_picture_and_its_links_lead_somewhere() -> None:
    relative = [target for target in re.findall(r"\]\(([^)]*)\)", README) if "://" not in target]
    assert any(target.endswith(".png") for target in relative)
    assert [target for target in relative if not (ROOT / target.partition("#")[0]).exists()] == []
