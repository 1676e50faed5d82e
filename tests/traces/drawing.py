"""Drawing traces: a seed gives a recipe, which some seeds share, and a few calls."""

from __future__ import annotations

from random import Random
from typing import Any

from traces.calls import draw_call
from traces.recipes import BY_TREES, IN_FILES, NATIVE, REGRESSORS, TAKES_MISSING, Recipe
from traces.trace import Trace

SHARED = 10
"""How many traces in a row ask about one model."""
MOST_CALLS = 6
TAKES_TEXTS = (
    "tree",
    "forest",
    "extra",
    "bagging",
    "gradient",
    "hist",
    "lightgbm",
    "catboost",
    "encoded",
    "fixed",
)
KINDS = {
    "hand": 8,
    "tree": 3,
    "forest": 4,
    "extra": 2,
    "bagging": 1,
    "voting": 1,
    "gradient": 2,
    "hist": 2,
    "pipeline": 1,
    "imputed": 1,
    "encoded": 2,
    "fixed": 1,
    "xgboost": 3,
    "lightgbm": 3,
    "catboost": 2,
}


def draw_trace(seed: int) -> Trace:
    """The trace of a seed."""
    random = Random(f"calls {seed}")
    recipe = draw_recipe(seed // SHARED)
    return Trace(recipe, [draw_call(random) for _ in range(random.randint(1, MOST_CALLS))])


def draw_recipe(seed: int) -> Recipe:
    """The model of a seed."""
    random = Random(f"model {seed}")
    (kind,) = random.choices(list(KINDS), list(KINDS.values()))
    trees = random.choice([1, 2, 3, 4, 5, 6])
    number = kind in REGRESSORS and random.random() < 0.2
    classes = 2 if number else _classes(kind, random)
    columns = _columns(kind, random)
    missing = kind in TAKES_MISSING and random.random() < 0.35
    jobs = 2 if kind in ("forest", "hand") and not number and random.random() < 0.3 else 1
    trees = min(trees, 4) if jobs == 2 else trees
    cutoff = random.randrange(8) if random.random() < (0.8 if number else 0.25) else None
    if kind in ("hand", "fixed") or classes > 2:
        cutoff = None
    texts = kind in TAKES_TEXTS and not number and random.random() < 0.3
    saved = kind in IN_FILES and "k" not in columns and not texts and random.random() < 0.15
    return Recipe(
        kind=kind,
        seed=seed,
        rows=max(classes, random.choice([12, 25, 40, 60])),
        columns=columns,
        classes=classes,
        trees=trees,
        depth=random.choice([1, 2, 3, 4, 5]),
        missing=missing,
        jobs=jobs,
        number=number,
        cutoff=cutoff,
        between=random.randrange(3) if number and cutoff is not None else 0,
        texts=texts,
        positive=random.randrange(2) if cutoff is not None and not number else 1,
        saved=saved and (cutoff is None or number),
        known=kind == "catboost" or "i" in columns or random.random() < 0.8,
        constraints=_constraints(columns, random) if random.random() < 0.25 and kind != "catboost" else (),
        immutable=(random.randrange(len(columns)),) if random.random() < 0.15 else (),
        asked=_asked(kind, jobs, number, cutoff, missing, random),
    )


def _classes(kind: str, random: Random) -> int:
    if kind == "fixed":
        return 2
    if kind in ("hand", *BY_TREES) and random.random() < 0.1:
        return 30
    return random.choice([2, 2, 2, 3, 4])


def _columns(kind: str, random: Random) -> str:
    letters = "nnnmwbicoh" + ("kk" if kind in NATIVE else "")
    columns = "".join(random.choice(letters) for _ in range(random.choice([1, 2, 3, 4, 4, 5])))
    return f"{columns[1:]}k" if kind == "encoded" else columns


def _constraints(columns: str, random: Random) -> tuple[tuple[Any, ...], ...]:
    """One order between two numbers, or one or two clauses."""
    numbers = [i for i, letter in enumerate(columns) if letter in "nmw"]
    if len(numbers) > 1 and random.random() < 0.5:
        lower, upper = random.sample(numbers, 2)
        return (("order", lower, upper, random.choice([0.0, 1.0, -0.5, 2.0]), random.random() < 0.3),)
    if len(columns) < 2:
        return ()
    return tuple(_clause(columns, random) for _ in range(random.randint(1, 2)))


def _clause(columns: str, random: Random) -> tuple[Any, ...]:
    i, j = random.sample(range(len(columns)), 2)
    return ("clause", i, _value(columns[i], random), j, _value(columns[j], random))


def _value(letter: str, random: Random) -> float:
    if letter in "nm":
        return random.choice([-0.5, 0.0, 0.25, 1.0])
    return random.randrange(2 if letter in "bi" else 3)


def _asked(
    kind: str, jobs: int, number: bool, cutoff: int | None, missing: bool, random: Random
) -> tuple[tuple[str, Any], ...]:
    """Other options of the explainer."""
    found: dict[str, Any] = {}
    if random.random() < 0.3:
        found["engine"] = random.choice(["search", "diagram", "search"])
    if kind in BY_TREES and not number and cutoff is None and jobs == 1 and random.random() < 0.25:
        found["vote"] = "majority"
        found["engine"] = random.choice(["auto", "bdd", "sat", "search", "diagram"])
    if random.random() < 0.3:
        found["literals"] = random.choice(["sets", "values"])
    if missing and random.random() < 0.4:
        found["missing"] = random.choice(["allow", "forbid"])
    return tuple(found.items())
