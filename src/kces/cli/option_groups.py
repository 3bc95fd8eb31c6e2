"""Options that go together: a command declares a dataclass of them as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TypeAlias, get_type_hints

__all__ = ["with_option_groups"]

Command: TypeAlias = Callable[..., None]


def with_option_groups(command: Command) -> Command:
    """The command with each parameter whose type is a dataclass spread into that dataclass's own options.

    Typer reads options off a signature, one parameter each; this makes that signature, and the dataclasses from what
    Typer hands in.

    Parameters
    ----------
    command : a function with Typer's annotations, and groups of them.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     width: int = 3
    ...     height: int = 4
    >>> def draw(name: str, size: Size) -> None:
    ...     print(name, size)
    >>> spread = with_option_groups(draw)
    >>> list(inspect.signature(spread).parameters)
    ['name', 'width', 'height']
    >>> spread(name="box", width=5, height=6)
    box Size(width=5, height=6)
    """
    # Not get_type_hints: on Python 3.10 it hides the options of a parameter whose default is None in an Optional.
    signature = inspect.signature(command, eval_str=True)
    hints = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    parameters = [
        each
        for parameter in signature.parameters.values()
        for each in (
            _options_of(groups[parameter.name])
            if parameter.name in groups
            else [parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)]
        )
    ]

    def run(**given: object) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _options_of(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]
