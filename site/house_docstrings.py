"""Docstrings here say ``name, other : what they are``; types stand in the signature. The reference shows both."""

from __future__ import annotations

import re
from typing import Any

import griffe

_SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n((?:.+\n|\n(?=\S+.* : ))*)", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.*(?:\n    .*)*)$", re.MULTILINE)
_ROLE = re.compile(r":(?:func|class|meth|mod|attr):`~?([^`]+)`")


class HouseDocstrings(griffe.Extension):
    """Gives each name its own entry, with what stands behind the colon on the line below, as numpy's style has it."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            text = obj.docstring.value + "\n"
            text = _SECTION.sub(lambda found: _ENTRY.sub(_apart, found[0]), text)
            obj.docstring.value = _ROLE.sub(r"`\1`", text).rstrip()


def _apart(entry: re.Match[str]) -> str:
    return "\n".join(f"{name}\n    {entry[2]}" for name in entry[1].split(", "))
