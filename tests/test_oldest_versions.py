"""The versions that `make test-oldest` installs are the lower bounds that pyproject.toml promises."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PINNED = re.compile(r"^([\w.-]+)==([\w.]+)$", re.MULTILINE)
_BOUND = re.compile(r'"([\w.-]+)(?:\[\w+\])?>=([\d.]+)')
_TOOLS = {"setuptools", "pytest", "pytest-xdist", "hypothesis", "playwright", "axe-playwright-python", "ruff", "mypy"}
_TOOLS |= {"atheris", "build", "twine", "mkdocs", "mkdocs-material", "mkdocstrings"}


def _numbers(version: str) -> list[int]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers


def test_every_lower_bound_is_installed_at_its_oldest() -> None:
    pinned = dict(_PINNED.findall((ROOT / "constraints-oldest.txt").read_text(encoding="utf-8")))
    bounds = dict(_BOUND.findall((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    wanted = {name: _numbers(version) for name, version in bounds.items() if name not in _TOOLS}
    assert wanted == {name: _numbers(pinned[name]) for name in wanted}
