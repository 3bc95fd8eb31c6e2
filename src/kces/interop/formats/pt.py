"""PyG data saved with ``torch.save``: loaded without running any code, written back with all it holds."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.errors import UnreadableFileError, one_line
from kces.graph import Graph
from kces.interop.formats.base import Format, Request
from kces.interop.limits import damage_named, read_bytes
from kces.interop.optional import missing, require
from kces.interop.pyg import PyGSource, from_pyg, to_pyg

__all__ = ["PT"]

# The classes a saved Data consists of; nothing else may be built while loading.
_SAFE = {
    "torch_geometric.data": ("Data",),
    "torch_geometric.data.data": ("DataEdgeAttr", "DataTensorAttr"),
    "torch_geometric.data.storage": ("BaseStorage", "NodeStorage", "EdgeStorage", "GlobalStorage"),
}


def _attribute_kind(*arguments: object) -> str:
    """Stands in for the enum AttrType: its value alone."""
    if len(arguments) != 1 or type(arguments[0]) is not str:
        raise UnpicklingError("an AttrType is made of one word")
    return arguments[0]


def _attributes_by_kind(*arguments: object) -> dict[str, set[str]]:
    """Stands in for ``defaultdict(set)``: a plain dict, as torch fills no other."""
    if len(arguments) != 1 or arguments[0] is not set:
        raise UnpicklingError("a defaultdict of anything but sets is never loaded")
    return {}


# A transform leaves notes in a Data (``_cached_attr``): which attributes belong to nodes and which to edges. PyG makes
# them again, so they are read as plain values and then dropped; the file gets hold of neither class.
_STAND_INS = {
    "torch_geometric.data.storage.AttrType": _attribute_kind,
    "collections.defaultdict": _attributes_by_kind,
}

_REFUSED_OBJECT = re.compile(r"weights.only|unsupported global", re.IGNORECASE)


def _load(path: Path) -> Any:
    torch = require("torch", extra="pyg", purpose="a PyG .pt file")
    allowed = [
        getattr(require(module, extra="pyg", purpose="a PyG .pt file"), name)
        for module, names in _SAFE.items()
        for name in names
    ]
    if not hasattr(torch.serialization, "safe_globals"):
        raise missing("a PyG .pt file needs torch 2.5 or newer", extra="pyg")
    content = io.BytesIO(read_bytes(path))
    try:
        with _allowing(torch.serialization, [set, *allowed]), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch remarks on pickle versions: our error says all there is
            return torch.load(content, map_location="cpu", weights_only=True)
    except Exception as error:  # torch promises no exception types for a damaged file
        if _REFUSED_OBJECT.search(str(error)):
            raise UnreadableFileError(
                f"{path} is not plain PyG data: it is damaged or holds other Python objects, which are never loaded"
                " because they can run code; save the tensors alone with torch.save(data.to_dict(), path)"
            ) from error
        raise UnreadableFileError(f"{path} is not a readable .pt file: {one_line(error)}") from error


@contextmanager
def _allowing(serialization: Any, classes: Sequence[type]) -> Iterator[None]:
    """Allow the classes and the stand-ins; PyG allows the real defaultdict, of anything, which would take its place."""
    before = serialization.get_safe_globals()
    others = [each for each in before if _called(each) not in _STAND_INS]
    serialization.clear_safe_globals()
    serialization.add_safe_globals([*others, *classes, *(_named(each, name) for name, each in _STAND_INS.items())])
    try:
        yield
    finally:
        serialization.clear_safe_globals()
        serialization.add_safe_globals(before)


def _called(allowed: Any) -> str:
    """The full name that a file calls an allowed object by."""
    return str(allowed[1]) if isinstance(allowed, tuple) else f"{allowed.__module__}.{allowed.__qualname__}"


def _named(stand_in: Callable[..., object], name: str) -> Callable[..., object]:
    """The stand-in under the name of what it stands for: torch 2.5 takes no names beside objects."""
    stand_in.__module__, _, stand_in.__qualname__ = name.rpartition(".")
    stand_in.__name__ = stand_in.__qualname__
    return stand_in


def _read(request: Request) -> tuple[Graph, Any]:
    path = request.path
    payload = _load(path)
    graph = replace(from_pyg(_as_data(payload, path)), name=path.stem)
    return graph, payload


def _as_data(payload: Any, path: Path) -> Any:
    data_class = require("torch_geometric.data", extra="pyg", purpose="a PyG .pt file").Data
    if isinstance(payload, data_class):
        with damage_named(path, ".pt"):  # a damaged file can hold a Data whose parts are missing
            return data_class.from_dict(payload.to_dict())
    if isinstance(payload, dict) and all(isinstance(key, str) for key in payload):
        with damage_named(path, ".pt"):
            return data_class.from_dict(payload)
    raise UnreadableFileError(f"{path} holds a {type(payload).__name__}; expected PyG Data or a dict of tensors")


def _write_filtered(graph: Graph, payload: Any, kept: npt.NDArray[np.bool_], path: Path) -> None:
    torch = require("torch", extra="pyg", purpose="a PyG .pt file")
    filtered = PyGSource(_as_data(payload, path)).without(kept)
    torch.save(filtered.to_dict() if isinstance(payload, dict) else filtered, path)


def _write_graph(graph: Graph, path: Path) -> None:
    require("torch", extra="pyg", purpose="a PyG .pt file").save(to_pyg(graph), path)


PT = Format("pt", (".pt", ".pth"), _read, _write_filtered, _write_graph)
