"""Answers under rules that were found in the training rows, judged on every row of a small grid.

The judge reads rules by itself: it knows Python's comparisons and the texts, no cell and no engine.
"""

from __future__ import annotations

import itertools
import math
import pickle
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from primewood.domain.declarations import Number
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.model.model import TreeModel
from primewood.questions.used_rules import find_used

NAMES = ("x0", "x1", "x2", "x3")
TOP = 5


def satisfies(text: str, row: Sequence[float]) -> bool:
    """Whether a row keeps to a rule, by its text alone."""
    values = dict(zip(NAMES, row, strict=True))
    if "->" not in text:  # an order
        lower, upper = re.findall(r"x\d", text)
        if math.isnan(values[lower]) or math.isnan(values[upper]):
            return True
        return bool(eval(text, {}, values))
    premise, conclusion = text.split(" -> ")
    return not holds(premise, values) or holds(conclusion, values)


def holds(condition: str, values: dict[str, float]) -> bool:
    return any(holds_alone(part, values) for part in condition.split(" or "))


def holds_alone(condition: str, values: dict[str, float]) -> bool:
    name, operator, value = condition.split(" ", 2)
    x = values[name]
    if value == "missing":
        return math.isnan(x)
    comparisons = {"<=": x <= float(value), "<": x < float(value), ">": x > float(value)}
    comparisons |= {">=": x >= float(value), "=": x == float(value), "!=": x != float(value)}
    return comparisons[operator]


def draw_rows(seed: int, rows: int = 400) -> np.ndarray:
    """Whole numbers: the second is near the first, the third says whether the first is high."""
    random = np.random.default_rng(seed)
    first = random.integers(0, TOP + 1, rows)
    second = np.minimum(first + random.integers(0, 3, rows), TOP)
    return np.column_stack([first, second, first > 2, random.integers(0, TOP + 1, rows)]).astype(float)


DOMAIN: dict[str, Any] = {
    "x0": Number(0, TOP, whole=True),
    "x1": Number(0, TOP, whole=True),
    "x2": "boolean",
    "x3": Number(0, TOP, whole=True),
}


@cache
def make_explainer(
    seed: int, engine: str = "auto", vote: str = "model", *, missing: bool = False
) -> tuple[pw.Explainer, np.ndarray]:
    """An explainer, and every row that there can be."""
    X = draw_rows(seed)
    random = np.random.default_rng(seed)
    y = (X[:, 0] + X[:, 1] + X[:, 3] + random.normal(0, 1, len(X)) > 7).astype(int)
    values: list[list[float]] = [[*map(float, range(TOP + 1))] for _ in NAMES]
    values[2] = [0.0, 1.0]
    if missing:
        X[:, :2][random.random((len(X), 2)) < 0.1] = np.nan
        values[0].append(math.nan)
        values[1].append(math.nan)
        model: Any = HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=6, random_state=seed).fit(X, y)
    else:
        model = RandomForestClassifier(5, max_depth=4, random_state=seed).fit(X, y)
    options: dict[str, Any] = {"engine": engine, "vote": vote, "feature_names": NAMES, "domain": DOMAIN}
    return pw.Explainer(model, X, knowledge="data", **options), np.array(list(itertools.product(*values)))


def find_inside(explainer: pw.Explainer, why: Any, rows: np.ndarray) -> np.ndarray:
    """Which rows meet the conditions of an explanation, whatever is known."""
    assert explainer.domain is not None
    points = explainer.domain.points(rows)
    box = why.term.box(explainer.domain.variables)
    return np.array(
        [all(mask >> v & 1 for mask, v in zip(box, point, strict=True)) for point in points.tolist()]
    )


def allow(texts: Iterable[str], rows: np.ndarray) -> np.ndarray:
    texts = list(texts)
    return np.array([all(satisfies(text, row) for text in texts) for row in rows.tolist()])


def decide_all(explainer: pw.Explainer, rows: np.ndarray) -> np.ndarray:
    """What the model decides; for a majority, what most of its trees do."""
    assert explainer.ensemble is not None
    return np.array(explainer.class_names, dtype=object)[explainer.ensemble.predict(rows)]


CASES = [
    *((seed, "auto", "model", False) for seed in range(6)),
    *((seed, "diagram", "model", False) for seed in range(2)),
    *((seed, engine, "majority", False) for seed in range(2) for engine in ("sat", "bdd", "search")),
    *((seed, "auto", "model", True) for seed in range(4)),
]


@pytest.mark.parametrize(("seed", "engine", "vote", "missing"), CASES)
@pytest.mark.parametrize("literals", ["intervals", "sets", "values"])
def test_explanations_entail_the_decision_under_the_rules_and_are_prime(
    seed: int, engine: str, vote: str, missing: bool, literals: Any
) -> None:
    explainer, grid = make_explainer(seed, engine, vote, missing=missing)
    assert explainer.knowledge is not None and len(explainer.knowledge) >= (1 if missing else 3)
    known, decided = allow(explainer.knowledge.texts, grid), decide_all(explainer, grid)
    random, used = np.random.default_rng(seed), 0
    for place in random.permutation(np.flatnonzero(known))[:6]:
        why = explainer.explain(grid[place], literals=literals)
        inside = find_inside(explainer, why, grid)
        assert inside[place] and why.status is pw.Status.PROVED
        assert (decided[inside & known] == why.decision).all()
        used += len(check_used(why, grid, inside, decided))
        check_prime(explainer, why, grid, known & (decided != why.decision), grid[place])
    assert used or missing


def check_used(why: Any, grid: np.ndarray, inside: np.ndarray, decided: np.ndarray) -> tuple[str, ...]:
    """The rules that are used are enough, and none of them can be left out."""
    assert why.used.is_minimal
    texts: tuple[str, ...] = why.used.texts
    assert (decided[inside & allow(texts, grid)] == why.decision).all()
    for text in texts:
        others = allow([x for x in texts if x != text], grid)
        assert (decided[inside & others] != why.decision).any(), f"{text} is not needed"
    return texts


def check_prime(
    explainer: pw.Explainer, why: Any, grid: np.ndarray, against: np.ndarray, row: np.ndarray
) -> None:
    """Whatever more values a condition allows, a row that keeps to all rules gets another decision."""
    assert explainer.domain is not None
    variables = explainer.domain.variables
    points, own = explainer.domain.points(grid), explainer.domain.points(row[None, :])[0]
    box = why.term.box(variables)
    for j, (mask, variable) in enumerate(zip(box, variables, strict=True)):
        others = np.array(
            [
                all(m >> v & 1 for i, (m, v) in enumerate(zip(box, p, strict=True)) if i != j)
                for p in points.tolist()
            ]
        )
        for wider in list_wider(variable, mask, int(own[j]), why.literals):
            more = np.array([bool(wider >> v & 1) for v in points[:, j].tolist()])
            assert (against & others & more).any(), f"{variable.name} can be widened to {wider:b}"


def list_wider(variable: Any, mask: int, own: int, literals: str) -> list[int]:
    """The next wider masks of a condition in a language."""
    everything = variable.everything
    if mask == everything:
        return []
    if literals == "values" or (literals == "intervals" and variable.ordered and own == variable.missing):
        return [everything]
    if literals == "sets" or not variable.ordered:
        return [mask | 1 << v for v in range(len(variable)) if not mask >> v & 1]
    held = [v for v in range(variable.ordered) if mask >> v & 1]
    beside = [v for v in (held[0] - 1, held[-1] + 1) if 0 <= v < variable.ordered]
    return [mask | 1 << v for v in beside]


@pytest.mark.parametrize("seed", range(3))
def test_knowledge_never_makes_the_explanation_of_an_order_longer_on_average(seed: int) -> None:
    explainer, grid = make_explainer(seed)
    assert explainer.knowledge is not None
    plain = pw.Explainer(explainer.model, draw_rows(seed), feature_names=NAMES, domain=DOMAIN)
    rows = grid[allow(explainer.knowledge.texts, grid)][::7]
    counts = [sum(len(x.explain(row, goal="shortest").features) for row in rows) for x in (explainer, plain)]
    assert counts[0] < counts[1]


@pytest.mark.parametrize("missing", [False, True])
def test_a_row_that_breaks_rules_is_answered_without_them(missing: bool) -> None:
    explainer, grid = make_explainer(0, missing=missing)
    assert explainer.knowledge is not None
    texts, decided = explainer.knowledge.texts, decide_all(explainer, grid)
    broken = np.flatnonzero(~allow(texts, grid))
    for place in np.random.default_rng(0).permutation(broken)[:6]:
        why = explainer.explain(grid[place])
        rest = [text for text in texts if satisfies(text, grid[place].tolist())]
        dropped = [text for text in texts if text not in rest]
        noted = [note for note in why.notes if "answered without it" in note]
        assert [repr(text) in note for text, note in zip(dropped, noted, strict=True)] == [True] * len(
            dropped
        )
        inside = find_inside(explainer, why, grid)
        assert inside[place]
        assert (decided[inside & allow(rest, grid)] == why.decision).all()
        check_used(why, grid, inside, decided)


def test_constraints_of_the_user_still_refuse_a_row() -> None:
    X = draw_rows(0)
    explainer, grid = make_explainer(0)
    stated = pw.Explainer(
        explainer.model, X, feature_names=NAMES, domain=DOMAIN, constraints=["x0 <= x1"], knowledge="data"
    )
    with pytest.raises(InvalidInput, match="violates the constraint 'x0 <= x1'"):
        stated.explain([5.0, 0.0, 1.0, 0.0])
    why = stated.explain(X[0])
    assert why.used is not None and "x0 <= x1" not in why.used.texts
    del grid


def test_batches_answer_as_single_questions_do() -> None:
    explainer, grid = make_explainer(1)
    rows = grid[::97]
    for n_jobs in (1, 2):
        batch = explainer(rows, n_jobs=n_jobs)
        for why, row in zip(batch, rows, strict=True):
            alone = explainer.explain(row)
            assert why == alone
            assert why.assumptions == alone.assumptions


def test_answers_say_what_they_use_after_pickling_and_in_records() -> None:
    explainer, grid = make_explainer(0)
    assert explainer.knowledge is not None
    rows = grid[allow(explainer.knowledge.texts, grid)]
    why = next(w for w in map(explainer.explain, rows) if w.used is not None and w.used.texts)
    copied = pickle.loads(pickle.dumps(why))
    assert copied.assumptions == why.assumptions == tuple(why.to_dict()["assumptions"])
    (said,) = (x for x in why.assumptions if "found in the training rows" in x)
    assert all(text in said for text in why.used.texts) and "of new rows break" in said
    assert "may include unused" not in said and said in str(why)


def test_without_time_the_list_of_rules_may_include_unused_ones() -> None:
    explainer, grid = make_explainer(0)
    assert explainer.knowledge is not None and isinstance(explainer._model, TreeModel)
    rows = grid[allow(explainer.knowledge.texts, grid)]
    why = next(w for w in map(explainer.explain, rows) if w.used is not None and w.used.texts)
    decision = explainer._model.ask(np.array(why.row))
    box = why.term.box(why.context.variables)
    found = find_used(decision, box, Clock(0.0))
    assert not found.is_minimal and {*why.used.texts} <= {*found.texts}
    assert "which may include unused ones" in str(replace(why, used=found))
    assert replace(why, used=None).assumptions == replace(why, used=found).assumptions


@pytest.mark.parametrize("seed", range(3))
def test_rows_drawn_inside_an_answer_keep_to_the_rules_and_get_the_decision(seed: int) -> None:
    explainer, grid = make_explainer(seed)
    assert explainer.knowledge is not None
    for row in grid[allow(explainer.knowledge.texts, grid)][::120]:
        why = explainer.explain(row)
        drawn = why.sample(40, seed=seed)
        assert allow(explainer.knowledge.texts, drawn).all()
        assert (explainer.model.predict(drawn) == why.decision).all()


def test_other_questions_keep_to_the_rules() -> None:
    explainer, grid = make_explainer(2)
    assert explainer.knowledge is not None
    texts = explainer.knowledge.texts
    for row in grid[allow(texts, grid)][::150]:
        changed = explainer.contrast(row).changed
        assert changed is not None and allow(texts, np.array([changed])).all()
    rules = explainer.rules()
    decided = decide_all(explainer, grid)
    for rule in rules:
        assert (decided[find_inside(explainer, rule, grid) & allow(texts, grid)] == rule.decision).all()
    assert any("found in the training rows" in x for x in explainer.verify("always 1").assumptions)


def test_checked_claims_say_that_rules_were_found_in_the_data() -> None:
    explainer, grid = make_explainer(0)
    assert explainer.knowledge is not None
    rows = grid[allow(explainer.knowledge.texts, grid)]
    why = next(w for w in map(explainer.explain, rows) if w.used is not None and w.used.texts)
    checked = explainer.check(np.array(why.row), why.rule)
    assert checked.sufficient
    assert [x for x in checked.assumptions if "found in the training rows" in x]
    assert not {*checked.assumptions} & {*explainer.knowledge.texts}


def test_answers_of_all_kinds_say_that_they_assume_the_rules():
    random = np.random.default_rng(0)
    age = random.integers(18, 80, 400)
    years = np.floor((age - 18) * random.uniform(0, 1, 400)).astype(int)
    income = np.exp(1 + age / 50 + random.normal(size=400) * 0.2)
    X = pd.DataFrame({"age": age, "years": years, "income": income})
    y = (age / 40 + income / 5 + random.normal(size=400) * 0.2 > 2.2).astype(int)
    model = RandomForestClassifier(9, max_depth=4, random_state=0).fit(X, y)
    explainer, row = pw.Explainer(model, X, knowledge="data"), X.iloc[[5]]
    told = "found in the training rows"
    assert explainer.knowledge.rules
    for answer in (
        explainer.explain_group(X, decision=1),
        explainer.rules(decisions=[1]),
        explainer.robustness(row),
        explainer.counterfactual(row),
        explainer.contrast(row),
        explainer.importance(X[:3]),
    ):
        assert told in str(answer.to_dict()), type(answer)
        assert told in str(answer), type(answer)
    for over in ("space", "frequencies"):
        with pytest.raises(InvalidInput, match="ask an explainer without knowledge="):
            explainer.explain(row, precision=0.9, over=over)
