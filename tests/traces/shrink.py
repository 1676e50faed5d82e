"""Making a failing trace small: fewer calls, fewer options, a smaller model, as long as it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from traces.calls import Call
from traces.recipes import Recipe
from traces.trace import Trace

Fails = Callable[[Trace], str | None]
"""What goes wrong when a trace is run; None if nothing does."""
SECONDS = 60.0
SIZES = {"rows": 4, "trees": 1, "depth": 1, "classes": 2}
"""The sizes of a recipe, and the least that each can be."""
SCRIPT = '''"""{failure}

Run with PYTHONPATH=tests, in the repository's folder.
"""

from traces import Call, Recipe, replay

replay(
    {recipe!r},
{calls}
)
'''


def shrink(trace: Trace, fails: Fails, seconds: float = SECONDS) -> Trace:
    """The smallest trace found in time that fails as this one does: greedily, one step after the other."""
    wanted, end = kind_of(fails(trace)), time.monotonic() + seconds
    progress = wanted is not None  # what fails only after other traces cannot be made smaller alone
    while progress and time.monotonic() < end:
        progress = False
        for smaller in steps(trace):
            if time.monotonic() > end:
                break
            if kind_of(fails(smaller)) == wanted:
                trace, progress = smaller, True
                break
    return trace


def kind_of(failure: str | None) -> str | None:
    """What sort of failure it is: who complained, or what was raised, without the numbers."""
    if failure is None:
        return None
    parts = failure.split(":")
    return ":".join(parts[:2]) if parts[0] in ("raised", "refused") else parts[0]


def steps(trace: Trace) -> Iterator[Trace]:
    """Traces that are one step smaller, the largest steps first."""
    calls = trace.calls
    for half in (calls[: len(calls) // 2], calls[len(calls) // 2 :]) if len(calls) > 2 else ():
        yield Trace(trace.recipe, half)
    for i in range(len(calls)) if len(calls) > 1 else ():
        yield Trace(trace.recipe, [*calls[:i], *calls[i + 1 :]])
    for recipe in simpler_recipes(trace.recipe):
        yield Trace(recipe, calls)
    for i, call in enumerate(calls):
        for simpler in simpler_calls(call):
            yield Trace(trace.recipe, [*calls[:i], simpler, *calls[i + 1 :]])


def simpler_calls(call: Call) -> Iterator[Call]:
    """The call without one of its options, or with a simpler value of it."""
    for name, value in call.options.items():
        rest = {other: x for other, x in call.options.items() if other != name}
        yield Call(call.name, **rest)
        for simpler in simpler_values(value):
            yield Call(call.name, **{**call.options, name: simpler})


def simpler_values(value: Any) -> Iterator[Any]:
    """Shorter lists and smaller whole numbers."""
    if isinstance(value, tuple) and len(value) > 1:
        yield from (value[:i] + value[i + 1 :] for i in range(len(value)))
    elif isinstance(value, int) and not isinstance(value, bool) and value > 0:
        yield from dict.fromkeys((0, value // 2, value - 1))


def simpler_recipes(recipe: Recipe) -> Iterator[Recipe]:
    """The recipe with one thing less: a field as usual, a tree, a class, half of the rows, a feature."""
    usual = Recipe()
    needed = {"columns", *SIZES, *(["kind"] if "k" in recipe.columns else [])}
    for name in (field.name for field in fields(Recipe) if field.name not in needed):
        if getattr(recipe, name) != getattr(usual, name):
            yield replace(recipe, **{name: getattr(usual, name)})
    for option in recipe.asked:
        yield replace(recipe, asked=tuple(x for x in recipe.asked if x != option))
    for name, least in SIZES.items():
        size = getattr(recipe, name)
        for smaller in dict.fromkeys((least, size // 2, size - 1)):
            if least <= smaller < size:
                yield replace(recipe, **{name: smaller})
    yield from _fewer_columns(recipe)


def _fewer_columns(recipe: Recipe) -> Iterator[Recipe]:
    """The recipe without a column, or with a number in its place; constraints speak of places, so they go first."""
    if recipe.constraints:
        return
    for i, letter in enumerate(recipe.columns):
        rest = recipe.columns[:i], recipe.columns[i + 1 :]
        if len(recipe.columns) > 1 and not recipe.immutable:
            yield replace(recipe, columns="".join(rest))
        if letter != "n":
            yield replace(recipe, columns="n".join(rest))


def script_of(trace: Trace, failure: str) -> str:
    """A script that makes the trace fail again."""
    told = failure.replace("\\", "\\\\").replace('"""', "'''")
    calls = "\n".join(f"    {call!r}," for call in trace.calls)
    return SCRIPT.format(failure=told, recipe=trace.recipe, calls=calls)
