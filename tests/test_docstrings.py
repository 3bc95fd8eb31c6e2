"""Docstrings and signatures agree.

For every function, class and method that a module exports: what a section "Parameters" names exists, stands in the
order of the signature, and leaves nothing out.
"""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module

import pytest

import kces

_NAMES = re.compile(r"\w+(, \w+)* :")


_OF_EVERY_ATTACK = ("graph", "budget", "seed", "progress")
"""Described once, by ``kces.lab.attacks.interface``."""


def public_modules() -> list[str]:
    return ["kces", *(found.name for found in pkgutil.walk_packages(kces.__path__, "kces."))]


def callables(module: str) -> Iterator[tuple[str, Callable[..., object]]]:
    """What the module defines and exports, with the public methods of its classes."""
    found = import_module(module)
    for name in getattr(found, "__all__", ()):
        value = inspect.unwrap(getattr(found, name)) if callable(getattr(found, name)) else None
        if getattr(value, "__module__", None) != module:
            continue
        yield name, value
        if inspect.isclass(value):
            for method, function in vars(value).items():
                function = inspect.unwrap(getattr(function, "__func__", function))
                if inspect.isfunction(function) and not method.startswith("_"):
                    yield f"{name}.{method}", function


def described(docstring: str, section: str = "Parameters") -> list[list[str]] | None:
    """The names that each entry of a section describes; None where there is no such section.

    >>> described("A.\\n\\nParameters\\n----------\\nx, y : both.\\n    More: on x.\\nz : last.\\n\\nNotes\\n-----\\n")
    [['x', 'y'], ['z']]
    """
    match = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[^\n]*\n-{{3,}}$|^The others are|\Z)", docstring, re.M | re.S)
    if match is None:
        return None
    entries = [line for line in match[1].splitlines() if line and not line.startswith(" ")]
    for line in entries:
        assert _NAMES.match(line), f"not the description of a parameter: {line}"
    return [line.partition(" :")[0].split(", ") for line in entries]


def described_elsewhere(module: str, function: Callable[..., object]) -> set[str]:
    """Parameters that a docstring leaves to another one, of a function in the same module, or to all attacks."""
    shared = set(_OF_EVERY_ATTACK) if module.startswith("kces.lab.attacks.") else set()
    for other in re.findall(r"^The others are those of :func:`(\w+)`", inspect.getdoc(function) or "", re.M):
        shared |= set(parameters(getattr(import_module(module), other)))
    return shared


def parameters(function: Callable[..., object]) -> list[str]:
    """Names in the order of the signature, without ``self``, ``cls`` and keywords that are only passed on."""
    found = inspect.signature(function).parameters.values()
    return [each.name for each in found if each.name not in ("self", "cls") and each.kind is not each.VAR_KEYWORD]


def agree(entries: list[list[str]], signature: list[str], elsewhere: set[str]) -> bool:
    """Whether entries name what the signature has, all of it, each in order, and begin in order.

    >>> agree([["a", "c"], ["b"]], ["a", "b", "c", "d"], {"d"})
    True
    >>> [agree(wrong, ["a", "b"], set()) for wrong in ([["b"], ["a"]], [["a"]], [["a", "b", "c"]], [["b", "a"]])]
    [False, False, False, False]
    """
    names = [name for entry in entries for name in entry]
    if set(names) - set(signature) or set(signature) - set(names) - elsewhere or len(names) != len(set(names)):
        return False
    places = [[signature.index(name) for name in entry] for entry in entries]
    return all(entry == sorted(entry) for entry in places) and places == sorted(places)


@pytest.mark.parametrize("module", public_modules())
def test_parameters_are_described_as_they_are(module: str) -> None:
    for name, function in callables(module):
        entries = described(inspect.getdoc(function) or "")
        if entries is not None:
            signature, elsewhere = parameters(function), described_elsewhere(module, function)
            assert agree(entries, signature, elsewhere), f"{module}.{name}: {entries} describe {signature}"


@pytest.mark.parametrize("module", public_modules())
def test_fields_are_described_as_they_are(module: str) -> None:
    for name, found in callables(module):
        entries = described(inspect.getdoc(found) or "", "Attributes")
        if entries is not None and dataclasses.is_dataclass(found):
            fields = [field.name for field in dataclasses.fields(found) if not field.name.startswith("_")]
            named = [[each for each in entry if each in fields] for entry in entries]  # properties may be named too
            assert agree([entry for entry in named if entry], fields, set()), f"{module}.{name}: {entries}, {fields}"
