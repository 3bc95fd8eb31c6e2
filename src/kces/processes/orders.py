"""What a process is asked to do: the name of a function and its arguments, as one JSON document."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from kces.errors import one_line
from kces.processes.answers import OK, Answer, JsonObject, status_of

__all__ = ["Order", "carry_out"]


@dataclass(frozen=True)
class Order:
    """Call ``function``, written ``module:name``, with ``arguments``; it returns a dictionary that JSON can hold."""

    function: str
    arguments: JsonObject = field(default_factory=dict)

    def to_json(self, **more: int | None) -> str:
        """The order, and what else its process has to know."""
        return json.dumps(asdict(self) | more)


def carry_out(order: Order) -> Answer:
    """Call the function in this process and say how that ended.

    >>> carry_out(Order("kces.processes.orders:_greeting", {"name": "Ann"})).result
    {'said': 'hello Ann'}
    >>> carry_out(Order("kces.processes.orders:_greeting", {"name": 1 / 3, "language": "en"})).status
    'error'
    """
    try:
        return Answer(OK, _function(order.function)(**order.arguments))
    except Exception as error:  # whatever goes wrong with an order is its answer, not the end of the run
        return Answer(status_of(error), message=one_line(error))


def _function(name: str) -> Callable[..., JsonObject]:
    module, _, attribute = name.partition(":")
    function: Callable[..., JsonObject] = getattr(importlib.import_module(module), attribute)
    return function


def _greeting(name: str) -> JsonObject:
    return {"said": f"hello {name}"}
