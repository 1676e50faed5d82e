"""How questions about a row are asked: of an explainer that serves the row, with options that exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Signature, signature
from typing import Any, TypeVar, cast

from primewood.arguments import check_arguments
from primewood.errors import listing
from primewood.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])
SYNONYMS = {
    "data": "X_train",
    "X": "X_train",
    "background": "X_train",
    "cutoff": "threshold",
    "cut_off": "threshold",
    "language": "literals",
    "row": "x",
    "timeout": "time_limit",
}
"""Words that people try, and what the parameter is called."""


def about_row(question: F) -> F:
    """A question whose first argument is a row `x`: asked of the explainer that serves this row."""
    form = signature(question)

    @wraps(question)
    def ask(*args: Any, **options: Any) -> Any:
        bound = bind(question.__name__, form, args, options)
        with Progress("searching", bound.arguments["self"].progress):
            bound.arguments["self"] = bound.arguments["self"]._serving(bound.arguments["x"])
            return question(*bound.args, **bound.kwargs)

    return cast(F, ask)


def called(name: str) -> Callable[[F], F]:
    """A function whose errors about its arguments call it by its public name."""

    def decorate(function: F) -> F:
        form = signature(function)

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            bound = bind(name, form, args, options)
            return function(*bound.args, **bound.kwargs)

        return cast(F, call)

    return decorate


def bind(name: str, form: Signature, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The arguments of a call by their names; an error names the function and its parameters as users know them."""
    try:
        bound = form.bind(*args, **options)
    except TypeError as problem:
        known = [parameter for parameter in form.parameters if parameter != "self"]
        unknown = [option for option in options if option not in known]
        meant = [SYNONYMS[word] for word in unknown if SYNONYMS.get(word) in known]
        like = f" (did you mean {listing(meant)}?)" if meant else ""
        raise TypeError(f"{name}() {problem}{like}; its parameters are {listing(known, limit=30)}") from None
    check_arguments(bound.arguments)
    return bound
