"""What others add by name: attacks, defenses and data sets of installed packages, and files loaded on request.

A package names its modules in entry points of the groups ``kces.attacks``, ``kces.defenses`` and ``kces.datasets``.
They are imported when a name is looked for that this package does not have, or when all names are listed. A plugin
that breaks costs a warning and nothing else.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Generic, TypeVar

from kces.errors import InvalidParameterError, KCESError

__all__ = ["PluginError", "PluginWarning", "Registry", "load_plugin", "origin_of", "plugin_errors_as_lines"]

Entry = TypeVar("Entry")

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class PluginError(KCESError):
    """A plugin that was asked for does not work; the message names the file and the line."""


class PluginWarning(UserWarning):
    """An installed plugin is broken and left out."""


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Things by name: those of this package, then those that plugins register.

    Parameters
    ----------
    kind : what they are called in messages, such as ``attack``.
    group : the group of entry points whose modules register more of them.
    own : those of this package; their names cannot be taken.

    Examples
    --------
    >>> sizes = Registry("size", "kces.sizes", {"small": 1})
    >>> sizes.register("large", 3, origin="my module")
    >>> list(sizes), sizes["large"], "huge" in sizes, sizes.is_own("large")
    (['small', 'large'], 3, False, False)
    """

    def __init__(self, kind: str, group: str, own: Mapping[str, Entry]) -> None:
        self._kind, self._group = kind, group
        self._own = dict(own)
        self._added: dict[str, Entry] = {}
        self._origins: dict[str, str] = {}

    def register(self, name: str, entry: Entry, *, origin: str) -> None:
        """Add an entry; ``origin`` says whose it is, and only the same origin may replace it."""
        if _NAME.fullmatch(name) is None:
            raise InvalidParameterError(
                f"'{name}' cannot name a {self._kind}: use lower-case letters, digits, - and _, a letter first"
            )
        if name in self._own or self._origins.get(name, origin) != origin:
            raise InvalidParameterError(f"there is already a {self._kind} called '{name}'; choose another name")
        self._added[name] = entry
        self._origins[name] = origin

    def forget(self, name: str) -> None:
        """Take a registration back."""
        self._added.pop(name, None)
        self._origins.pop(name, None)

    def is_own(self, name: str) -> bool:
        """Whether this package itself has it."""
        return name in self._own

    def __getitem__(self, name: str) -> Entry:
        if name in self._own:
            return self._own[name]
        if name not in self._added:
            _load_installed(self._group)
        return self._added[name]

    def __iter__(self) -> Iterator[str]:
        _load_installed(self._group)
        return iter([*self._own, *self._added])

    def __len__(self) -> int:
        return len(list(iter(self)))


def origin_of(thing: Callable[..., object]) -> str:
    """Where a class or function was written, for :meth:`Registry.register`.

    >>> origin_of(load_plugin)
    'kces.plugins.load_plugin'
    """
    return f"{thing.__module__}.{thing.__qualname__}"


@cache
def _load_installed(group: str) -> None:
    """Import what packages name in the group, once; whoever breaks is named and left out."""
    for point in entry_points(group=group):
        _load_or_warn(point)


def _load_or_warn(point: EntryPoint) -> None:
    try:
        point.load()
    except Exception as error:  # code of others: whatever it raises must not reach those who did not ask for it
        package = "" if point.dist is None else f" of {point.dist.name}"
        warnings.warn(f"plugin {point.value}{package} is left out: {_summary(error)}", PluginWarning, stacklevel=2)


def load_plugin(path: str | Path) -> None:
    """Run a Python file that registers attacks, defenses or data sets.

    The file is code and may do whatever code may do: load only what you trust.
    """
    file = Path(path).resolve()
    if not file.is_file():
        raise PluginError(f"plugin {path} does not exist, or is no file")
    # The name carries the path: two files called alike are two modules, one file loaded again is the same.
    name = f"kces_plugin_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin {path} is no Python file; its name has to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        with plugin_errors_as_lines([path]):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


@contextmanager
def plugin_errors_as_lines(paths: Sequence[str | Path]) -> Iterator[None]:
    """Turn an error that passes through the code of one of these files into one line that says where."""
    try:
        yield
    except (Exception, SystemExit) as error:
        for path in paths:
            line = _line_in(Path(path).resolve(), error)
            if line is not None:
                raise PluginError(f"plugin {path}, line {line}: {_summary(error)}") from error
        raise


def _line_in(file: Path, error: BaseException) -> int | None:
    """The innermost line of the file on the error's way, or the line that could not be read at all."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return lines[-1] if lines else None


def _summary(error: BaseException) -> str:
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    text = " ".join(said.split())[:300]
    return text if isinstance(error, KCESError) else f"{type(error).__name__}: {text}".removesuffix(": ")
