"""A trace: a model and calls. Running it raises `Wrong` if an answer is wrong."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache

from threadpoolctl import ThreadpoolController

from primewood.errors import PrimewoodError
from traces.calls import Call
from traces.recipes import Recipe
from traces.session import start
from traces.wrong import TooMany, Wrong


class Trace:
    """A recipe of a model, and the calls that are made about it, in their order."""

    def __init__(self, recipe: Recipe, calls: Sequence[Call]) -> None:
        self.recipe, self.calls = recipe, list(calls)

    def __repr__(self) -> str:
        return f"Trace({self.recipe!r}, {self.calls!r})"

    def run(self) -> bool:
        """Make all calls and judge their answers; False if a model on the way is too large to judge."""
        with warnings.catch_warnings(), _threads().limit(limits=1, user_api="openmp"):
            warnings.simplefilter("ignore")
            try:
                session = start(self.recipe)
                for call in self.calls:
                    call.run(session)
            except TooMany:
                return False
        return True


@cache
def _threads() -> ThreadpoolController:
    """What tells libraries how many threads to use: on small models more than one only wait for each other."""
    import sklearn.ensemble  # noqa: F401

    return ThreadpoolController()


def failure_of(trace: Trace) -> str | None:
    """What goes wrong when a trace is run, with its kind first; None if nothing does."""
    try:
        trace.run()
    except Wrong as wrong:
        return str(wrong)
    except PrimewoodError as problem:
        return f"refused: {type(problem).__name__}: {problem}"
    except Exception as problem:
        return f"raised: {type(problem).__name__}: {problem}"
    return None


def replay(recipe: Recipe, *calls: Call) -> None:
    """Run a trace as a script does: every failure is raised."""
    Trace(recipe, calls).run()
