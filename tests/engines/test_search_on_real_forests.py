"""Forests of real size: attacked from inside the box with the model's own `predict`."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import primewood as pw

LOADERS = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}


def rows_inside(why, x, generator, count):
    """Rows in the box: per feature a number of its intervals, their ends and neighbours included."""
    rows = np.tile(x, (count, 1))
    context = why.context
    for feature in context.domain.features:
        column = context.rows[:, feature.column]
        if feature.name not in why.features:
            rows[:, feature.column] = generator.choice(column, count)
            continue
        literal = next(e for e in why.to_dict()["literals"] if e["feature"] == feature.name)
        choices = []
        for interval in literal["intervals"]:
            low = interval["low"] if interval["low"] is not None else min(column.min(), interval["high"]) - 1
            high = interval["high"] if interval["high"] is not None else max(column.max(), low) + 1
            above = np.nextafter(low, np.inf)
            choices += [above, high, *generator.uniform(above, high, 5)]
        rows[:, feature.column] = generator.choice(choices, count)
    return rows


def attack(model, why, x, seed):
    """Sample inside the box, then climb: change one feature at a time towards another class."""
    generator = np.random.default_rng(seed)
    rows = rows_inside(why, x, generator, 400)
    assert why.covers(rows).all()
    decided = model.classes_.tolist().index(model.predict(x[None, :])[0])
    tried = []
    for _ in range(15):
        tried.append(rows)
        weakest = rows[model.predict_proba(rows)[:, decided].argmin()]
        rows = np.tile(weakest, (400, 1))
        fresh = rows_inside(why, x, generator, 400)
        changed = generator.random(rows.shape) < 2 / rows.shape[1]
        rows[changed] = fresh[changed]
    assert (model.predict(np.vstack(tried)) == model.classes_[decided]).all()


@cache
def real_forest(data, trees, depth):
    """A forest on half of the rows, and its explainer; the same for all languages."""
    X, y = LOADERS[data](return_X_y=True)
    kind = ExtraTreesClassifier if data == "wine" else RandomForestClassifier
    model = kind(trees, max_depth=depth, random_state=0).fit(X[::2], y[::2])
    return model, pw.Explainer(model, X[::2], literals="sets"), X


FORESTS = [("wine", 100, None), ("breast_cancer", 100, 6), ("breast_cancer", 100, None), ("digits", 25, 6)]
LANGUAGES = ["sets", "intervals", "values"]
ALWAYS = [
    ("wine", 100, None, "sets"),
    ("breast_cancer", 100, 6, "intervals"),
    ("breast_cancer", 100, None, "values"),
    ("breast_cancer", 100, None, "sets"),
    ("digits", 25, 6, "values"),
]
"""What every run takes; the others take their turns."""


@pytest.mark.parametrize(
    ("data", "trees", "depth", "literals"),
    [
        pytest.param(*forest, literals, marks=[] if (*forest, literals) in ALWAYS else [pytest.mark.slow])
        for forest in FORESTS
        for literals in LANGUAGES
    ],
)
def test_nothing_inside_an_explanation_is_decided_otherwise(data, trees, depth, literals):
    model, explainer, X = real_forest(data, trees, depth)
    assert explainer.fidelity.differ == 0 and explainer.fidelity.rows > 1000
    for i in (1, 41, 101):
        why = explainer.explain(X[i], literals=literals)
        assert why.decision == model.predict(X[i : i + 1])[0]
        attack(model, why, X[i], seed=i)
        assert why.status == pw.Status.PROVED
        assert {w.feature for w in why.witnesses} == set(why.features)
        shown = np.array([w.row for w in why.witnesses])
        assert (model.predict(shown) != why.decision).all()
        assert (model.predict(shown) == [w.decision for w in why.witnesses]).all()
        assert not why.covers(shown).any()


@cache
def hard_forest():
    X, y = load_digits(return_X_y=True)
    return RandomForestClassifier(100, random_state=0).fit(X, y), X


@pytest.mark.parametrize("threads", [1, 2])
def test_a_deadline_is_kept_and_the_answer_is_sound(threads):
    model, X = hard_forest()
    explainer = pw.Explainer(model, X, literals="sets", threads=threads)
    options = explainer._model.engines.search_forest().native.options
    options.alone = options.patience = 0
    explainer.explain(X[3], literals="values", time_limit=0.01)
    for limit in (0.05, 0.3):
        start = time.perf_counter()
        why = explainer.explain(X[3], time_limit=limit)
        assert time.perf_counter() - start < limit + 0.25
        assert why.status == pw.Status.INTERRUPTED
        attack(model, why, X[3], seed=0)


def test_a_work_limit_gives_the_same_answer_every_time():
    model, X = hard_forest()
    explainer = pw.Explainer(model, X, literals="sets")
    first = explainer.explain(X[5], time_limit=None, work_limit=2000)
    with ThreadPoolExecutor(2) as pool:
        again = list(pool.map(lambda _: explainer.explain(X[5], time_limit=None, work_limit=2000), range(4)))
    assert all(why.term == first.term and why.status == first.status for why in again)


def test_what_was_asked_before_changes_no_answer():
    """The core keeps its working memory between calls; a call that a limit stopped throws its own away."""
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(40, max_depth=5, random_state=0).fit(X, y)
    used = pw.Explainer(model, X, literals="sets")
    for x in X[40:44]:
        used.explain(x, literals="intervals", work_limit=30)
        used.explain(x, literals="values")
    for x in X[:4]:
        fresh = pw.Explainer(model, X, literals="sets").explain(x, work_limit=2000)
        again = used.explain(x, work_limit=2000)
        assert (again.term, again.status, again.queries) == (fresh.term, fresh.status, fresh.queries)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_the_core(threads):
    code = (
        "from sklearn.datasets import load_digits; from sklearn.ensemble import RandomForestClassifier\n"
        "import primewood as pw, _thread, threading, time\n"
        "X, y = load_digits(return_X_y=True)\n"
        "e = pw.Explainer(RandomForestClassifier(150, random_state=0).fit(X, y), X, literals='sets',"
        f" threads={threads})\n"
        "options = e._model.engines.search_forest().native.options; options.alone = options.patience = 0\n"
        "threading.Timer(0.3, _thread.interrupt_main).start(); start = time.time()\n"
        "try: e.explain(X[3], time_limit=60); print('finished')\n"
        "except KeyboardInterrupt: print('stopped after', round(time.time() - start, 1))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("stopped after") and float(done.stdout.split()[-1]) < 4, done.stderr


def test_any_order_of_summation_is_never_wider_than_one_order():
    X, y = load_wine(return_X_y=True)
    model = RandomForestClassifier(30, max_depth=3, random_state=0, n_jobs=2).fit(X, y)
    anyhow = pw.Explainer(model, X, literals="sets")
    ordered = pw.Explainer(model, X, summation="sequential", literals="sets")
    for i in (0, 60, 150):
        why = anyhow.explain(X[i])
        assert why.status == pw.Status.PROVED
        attack(model, why, X[i], seed=i)
        assert ordered.explain(X[i]).status == pw.Status.PROVED
