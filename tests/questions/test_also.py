"""Explanations that are asked to cover other rows as well, checked by trying every cell of small domains."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.errors import InvalidInput

NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module", params=range(3))
def small(request):
    """A forest over whole numbers with its rows: one of every cell."""
    generator = np.random.default_rng(request.param)
    X = generator.integers(0, 5, (90, 3)).astype(float)
    y = (X @ [1, 2, -1] + generator.integers(0, 3, 90) > 4).astype(int)
    model = RandomForestClassifier(5, max_depth=3, random_state=request.param).fit(X, y)
    explainer = pw.Explainer(model, X, feature_names=NAMES, literals="sets")
    ends = [[0.5 * (low + high) for low, high in f.all_ends] for f in explainer.domain.seen]
    numbers = [[min(max(n, -100.0), 100.0) for n in each] for each in ends]
    return explainer, np.array(list(itertools.product(*numbers)))


def decided_alike(explainer, rows, box_rows):
    """Whether the smallest box around some rows is decided as the first of them, by the library."""
    points = explainer.domain.points(np.array(box_rows))
    cells = explainer.domain.points(rows)
    allowed = [set(points[:, j].tolist()) for j in range(points.shape[1])]
    inside = np.array([all(v in s for v, s in zip(cell, allowed, strict=True)) for cell in cells.tolist()])
    decisions = explainer.model.predict(rows)
    return len(set(decisions[inside].tolist())) == 1


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_covered_as_far_as_the_decision_stays(small, seed):
    explainer, rows = small
    chosen = rows[np.random.default_rng(seed).permutation(len(rows))[:9]]
    x, others = chosen[0], chosen[1:]
    why = explainer.explain(x, also=others)
    let_in = [x]
    for other in others:
        if decided_alike(explainer, rows, [*let_in, other]):
            let_in.append(other)
    assert why.status == "proved" and why.covers(np.array(let_in)).all()
    covered = why.covers(rows)
    decisions = explainer.model.predict(rows)
    assert (decisions[covered] == explainer.model.predict([x])[0]).all()
    box = why.term.box(explainer.domain.variables)
    for j, variable in enumerate(explainer.domain.variables):
        for value in range(len(variable)):
            if not box[j] >> value & 1:
                wider = [m | 1 << value if i == j else m for i, m in enumerate(box)]
                cells = explainer.domain.points(rows).tolist()
                inside = [all(m >> v & 1 for m, v in zip(wider, cell, strict=True)) for cell in cells]
                assert len(set(decisions[inside].tolist())) == 2, "prime"


def test_every_kind_of_table(small):
    explainer, rows = small
    x, others = rows[0], rows[1:4]
    found = explainer.explain(x, also=others)
    assert explainer.explain(x, also=others.tolist()) == found
    assert explainer.explain(x, also=pd.DataFrame(others, columns=NAMES)) == found
    assert explainer.explain(x, also=others[:0]) == explainer.explain(x)
    assert explainer(rows[:1], also=others)[0] == found


def test_what_is_fixed_or_avoided_stays_so(small):
    explainer, rows = small
    x, others = rows[0], rows[1::7]
    why = explainer.explain(x, also=others, fix=["b"])
    place = [v.name for v in explainer.domain.variables].index("b")
    assert why.term.box(explainer.domain.variables)[place] == 1 << explainer.domain.point(x)[place]
    avoiding = explainer.explain(x, avoid=["c"])
    also = explainer.explain(x, avoid=["c"], also=others)
    assert also.status == avoiding.status
    assert avoiding.status == "impossible" or "c" not in also.features


def test_languages(small):
    explainer, rows = small
    for literals in ("intervals", "values"):
        why = explainer.explain(rows[0], also=rows[1:30], literals=literals)
        assert why.literals == literals and why.status == "proved"
        covered = why.covers(rows)
        assert len(set(explainer.model.predict(rows[covered]).tolist())) == 1


def test_an_expression():
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", [1, 2, 3])
    explainer = pw.Explainer((A != 3) & (B != 3) | (B == 1), literals="sets")
    assert str(explainer.explain({"A": 1, "B": 1}).term) == "B=1"
    why = explainer.explain({"A": 1, "B": 1}, also=[{"A": 3, "B": 3}, {"A": 2, "B": 2}])
    assert str(why.term) == "A!=3 & B!=3"


def test_what_cannot_be_is_refused(small):
    explainer, rows = small
    for goal in ("shortest", "widest"):
        with pytest.raises(InvalidInput, match='also is for goal="prime"'):
            explainer.explain(rows[0], goal=goal, also=rows[:2])
    with pytest.raises(InvalidInput, match="also, row 1"):
        explainer.explain(rows[0], also=[[1, 2, 3], [1, np.nan, 3]])
    for wrong in (rows[0], [[1, 2]], [[1, 2, np.inf]], "abc"):
        with pytest.raises(InvalidInput, match="also"):
            explainer.explain(rows[0], also=wrong)


def test_around_a_prediction():
    generator = np.random.default_rng(0)
    X = generator.integers(0, 9, (80, 2)).astype(float)
    model = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, X @ [3, 1])
    explainer = pw.Explainer(model, X, literals="sets")
    why = explainer.explain(X[0], within=6, also=X[1:10])
    covered = X[why.covers(X)]
    assert (abs(model.predict(covered) - model.predict(X[:1])) <= 6).all()
