"""Hints for packages that are not installed."""

from __future__ import annotations

import importlib.metadata
import json

import pytest

from kces.errors import MissingDependencyError
from kces.interop.optional import install_hint, require


class Installed:
    """A distribution that remembers where it came from."""

    def __init__(self, origin: dict[str, object] | None) -> None:
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self._origin is None else json.dumps(self._origin)


@pytest.mark.parametrize(
    ("origin", "hint"),
    [
        (None, "pip install 'kces[lab]'"),
        (
            {"url": "file:///home/my%20kces", "dir_info": {"editable": True}},
            "pip install -e '/home/my kces[lab]'",
        ),
        ({"url": "file:///home/me/kces", "dir_info": {}}, "pip install 'kces[lab] @ file:///home/me/kces'"),
        (
            {"url": "file:///tmp/kces-1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'kces[lab] @ file:///tmp/kces-1.0-py3-none-any.whl'",
        ),
        (
            {"url": "https://host/kces.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            "pip install 'kces[lab] @ git+https://host/kces.git'",
        ),
    ],
)
def test_the_hint_fits_how_the_package_was_installed(
    origin: dict[str, object] | None, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed(origin))
    assert install_hint("lab") == hint


def test_the_hint_in_a_source_tree_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", none)
    assert install_hint("files") == "pip install 'kces[files]'"


def test_a_missing_package_is_named_with_its_purpose() -> None:
    with pytest.raises(MissingDependencyError, match=r"travel needs nowhere, which is not installed; run: pip .*\[lab"):
        require("nowhere.at_all", extra="lab", purpose="time travel")
