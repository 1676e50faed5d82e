"""What users pass to questions: checked by the names of the parameters, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import Signature, signature
from typing import Any, TypeVar, cast

import numpy as np

from primewood.engines.protocol import Clock, check_limit
from primewood.errors import InvalidInput, format_list, quote_value
from primewood.fields import file_path, is_finite
from primewood.progress import Progress
from primewood.questions.explanation import Explanation

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


def takes_options(name: str) -> Callable[[F], F]:
    """A function whose arguments are checked by their names; errors call it by its public name."""

    def decorate(function: F) -> F:
        form = signature(function)

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            bound = bind(name, form, args, options)
            return function(*bound.args, **bound.kwargs)

        return cast(F, call)

    return decorate


def asks(name: str) -> Callable[[F], F]:
    """A question about a row: its arguments are checked, and progress is shown while it is answered."""

    def decorate(question: F) -> F:
        form = signature(question)

        @wraps(question)
        def ask(*args: Any, **options: Any) -> Any:
            bound = bind(name, form, args, options)
            given = bound.arguments.get("progress")
            wanted = bound.arguments["self"].progress if given is None else given is True
            with Progress("searching", wanted):
                return question(*bound.args, **bound.kwargs)

        return cast(F, ask)

    return decorate


def bind(name: str, form: Signature, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The arguments of a call by their names; an error names the function and its parameters as users know them."""
    try:
        bound = form.bind(*args, **options)
    except TypeError as problem:
        known = [parameter for parameter in form.parameters if parameter != "self"]
        unknown = [option for option in options if option not in known]
        meant = [SYNONYMS[word] for word in unknown if SYNONYMS.get(word) in known]
        like = f" (did you mean {format_list(meant)}?)" if meant else ""
        raise TypeError(
            f"{name}() {problem}{like}; its parameters are {format_list(known, limit=30)}"
        ) from None
    check_arguments(bound.arguments)
    return bound


def check_arguments(given: dict[str, Any]) -> None:
    """Check the arguments of a question by their names, and put plain numbers in the place of NumPy's.

    Only what would end in an error of another library, or of Python itself, is refused here; what the words and names
    mean is for the question to say.
    """
    for name, value in given.items():
        if name in ROWS:
            continue
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is None and name in REQUIRED:
            raise InvalidInput(f"{name} must be given, not None")
        given[name] = None if plain is None else CHECKS.get(name, _any)(name, plain)
        if type(given[name]) is int and given[name].bit_length() > MOST_BITS:
            raise InvalidInput(
                f"{name} is a whole number of more than {MOST_BITS:,} bits, which is too large"
            )


def _any(name: str, value: Any) -> Any:
    del name
    return value


def _word(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray | Mapping | list | set):
        raise InvalidInput(f"{name} must be a word, not {quote_value(value)}")
    return value


def _many(name: str, value: Any) -> Any:
    """Several things; what can be looked through once only is kept."""
    if value is None:
        raise InvalidInput(f"{name} must be a list, not None")
    if isinstance(value, str | Mapping):
        return value
    if isinstance(value, Collection) and not isinstance(value, np.ndarray):
        return value
    try:
        return list(value)
    except TypeError:
        raise InvalidInput(f"{name} must be a list, not {quote_value(value)}") from None


def _check_mapping(name: str, value: Any) -> Any:
    """Something by features, or a question's own word for it."""
    if isinstance(value, str | Mapping):
        return value
    raise InvalidInput(f"{name} must be a mapping from features, not {quote_value(value)}")


def _groups(name: str, value: Any) -> Any:
    found = _check_mapping(name, value)
    for group, columns in found.items() if isinstance(found, Mapping) else ():
        if isinstance(columns, str) or not all(isinstance(column, str) for column in _many(name, columns)):
            raise InvalidInput(
                f"{name}[{quote_value(group)}] must be a list of columns, not {quote_value(columns)}"
            )
    return found


def _weights(name: str, value: Any) -> Any:
    """Numbers by features, or by a question's own word for them."""
    found = _check_mapping(name, value)
    for weight in found.values() if isinstance(found, Mapping) else ():
        _number(f"each of {name}", weight)
    return found


def _number(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not is_finite(value):
        raise InvalidInput(f"{name} must be a finite number, not {quote_value(value)}")
    return value


def _whole(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST_COUNT:
        raise InvalidInput(f"{name} must be a whole number up to {MOST_COUNT:,}, not {quote_value(value)}")
    return value


def _threads(name: str, value: Any) -> Any:
    if not isinstance(value, bool) and isinstance(value, int) and (value == -1 or 1 <= value <= MOST_THREADS):
        return value
    numbers = f"a whole number from 1 to {MOST_THREADS:,}, or -1 for one per core"
    raise InvalidInput(f"{name} must be {numbers}, not {quote_value(value)}")


def _truth(name: str, value: Any) -> Any:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be True or False, not {quote_value(value)}")
    return value


def _progress(name: str, value: Any) -> Any:
    if isinstance(value, bool) or callable(value):
        return value
    raise InvalidInput(f"{name} must be True, False or, for explain, a function, not {quote_value(value)}")


def check_shown(progress: bool | None) -> bool | None:
    """Whether to show progress, where nobody is told about answers so far."""
    if progress is None or isinstance(progress, bool):
        return progress
    raise InvalidInput("progress must be True or False here; a function is for explain, of one row")


def _path(name: str, value: Any) -> Any:
    """A path as it is given: a slash at its end counts."""
    file_path(value, name)
    return value


def _explanation(name: str, value: Any) -> Any:
    if not isinstance(value, Explanation):
        raise InvalidInput(
            f"{name} must be an explanation of this row, by explain(x), not {quote_value(value)}"
        )
    return value


MOST_BITS, MOST_COUNT, MOST_THREADS = 4096, 2**31 - 1, 1024
ROWS = ("self", "x", "X", "also", "claim", "model", "other", "watcher", "answers", "X_train")
"""What is checked where it is read."""
REQUIRED = ("features", "number", "most_nodes", "coverage", "source", "folder", "threads")
"""What may not be None."""
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("time_limit", "work_limit", "batch_limit"), check_limit),
    **dict.fromkeys(("literals", "goal", "norm", "by", "most", "feature", "title", "format", "over"), _word),
    **dict.fromkeys(
        ("engine", "missing", "summation", "vote", "threshold_dtype", "decimal", "knowledge"), _word
    ),
    **dict.fromkeys(
        ("fix", "avoid", "only", "immutable", "increase", "decrease", "decisions", "features"), _many
    ),
    **dict.fromkeys(("protected", "undisclosable", "properties", "rows", "order"), _many),
    **dict.fromkeys(("class_names", "feature_names", "constraints"), _many),
    **dict.fromkeys(("coverage", "within", "near", "precision"), _number),
    **dict.fromkeys(
        ("most_rules", "most_nodes", "number", "n_jobs", "count", "explain", "sample", "seed", "part_rows"),
        _whole,
    ),
    "near_features": _whole,
    **dict.fromkeys(("reuse", "relative", "resume", "in_short", "certificate", "certificates"), _truth),
    **dict.fromkeys(("units", "domain"), _check_mapping),
    **dict.fromkeys(("source", "folder"), _path),
    "groups": _groups,
    "progress": _progress,
    "threads": _threads,
    "weights": _weights,
    "why": _explanation,
}
"""How arguments are checked, by their names."""


def clock_of(time_limit: float | None, work_limit: int | None, threads: int = 1) -> Clock:
    """The limits of a run that begins now."""
    seconds, nodes = check_limit("time_limit", time_limit), check_limit("work_limit", work_limit)
    return Clock(seconds, nodes, _count_threads(_threads("threads", threads)))


def _count_threads(threads: int) -> int:
    if threads > 0:
        return threads
    from joblib import cpu_count

    cores: int = cpu_count()
    return min(cores, MOST_THREADS)
