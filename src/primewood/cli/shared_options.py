"""Options that several commands share, written once: a dataclass parameter is replaced by its fields."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one parameter per field where it has a dataclass.

    typer makes options of a function's parameters, and of nothing else. So it is shown the fields, each with its own
    annotation and default, and what comes back is put together before the command is called.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Paper:
    ...     width: int = 80
    >>> def write(text: str, *, paper: Paper) -> None:
    ...     print(text, paper)
    >>> inspect.signature(spread(write))
    <Signature (*, text: str, width: int = 80)>
    >>> spread(write)(text="hello", width=60)
    hello Paper(width=60)
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            known = get_type_hints(hints[name], include_extras=True)
            parameters += [_build_parameter(each, known[each.name]) for each in fields(hints[name])]
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @functools.wraps(command)
    def call(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
        command(**given)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _build_parameter(field: Field[Any], annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
