"""What is shown of each condition: every value that counts as necessary is, by brute force over all cells."""

from __future__ import annotations

import itertools
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.engines.protocol import Clock, Grown, WeakeningPlan
from primewood.questions.explanation_maker import ExplanationMaker
from primewood.questions.necessity import Necessity, count_necessary
from primewood.questions.order import plan_steps
from primewood.questions.weakening import weaken

LANGUAGES = ("sets", "intervals", "values")


@pytest.fixture(scope="module")
def forest():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 5, (300, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] * (X[:, 2] > 2) + X[:, 3] * X[:, 1] % 3 > 4).astype(int)
    model = RandomForestClassifier(15, max_depth=6, random_state=0).fit(X, y)
    return pw.Explainer(model, X, engine="search"), X


@pytest.fixture(scope="module")
def mixed():
    """Numbers that may be missing, and a category."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rng = np.random.default_rng(8)
    X = np.c_[rng.integers(0, 6, (400, 3)), rng.integers(0, 4, 400)].astype(float)
    X[rng.random(400) < 0.2, 0] = np.nan
    y = (np.where(np.isnan(X[:, 0]), X[:, 3] > 1, X[:, 0] > 2) ^ (X[:, 1] > 3)).astype(int)
    model = HistGradientBoostingClassifier(max_iter=6, max_depth=3, categorical_features=[3], random_state=0)
    return pw.Explainer(model.fit(X, y), X, engine="search"), X


def grow(explainer, x, language, steps=None, nodes=None):
    """The decision on a row, and its weakening: the first steps of it, or with a limit on nodes."""
    decision = explainer._model.ask(x)
    planned, variables = plan_steps(decision.model, None)
    whole = [*planned, *variables]
    kept = whole[:steps]
    plan = WeakeningPlan(kept[: len(planned)], kept[len(planned) :], language)
    found = weaken(decision.oracle, decision.point, plan, Clock(None, nodes))
    return decision, replace(found, interrupted=found.interrupted or len(kept) < len(whole))


def let_in(variable, mask, value, language):
    """By definition: the least set of values of the language that has these and one more."""
    numbers = [v for v in list_values(mask) if v < variable.ordered]
    if language == "values" or (language == "intervals" and variable.ordered and not numbers):
        return variable.everything
    if language == "sets" or value >= variable.ordered:
        return mask | 1 << value
    low, high = min(*numbers, value), max(*numbers, value)
    return mask | (1 << high + 1) - (1 << low)


def list_values(mask):
    return [v for v in range(mask.bit_length()) if mask >> v & 1]


def list_necessary(decision, language, box, place):
    """By definition: the excluded values of a variable with which the box has a cell that is decided otherwise."""
    variable, decide = decision.context.variables[place], decision.model.engines.decide
    necessary = []
    for value in list_values(variable.everything & ~box[place]):
        wider = (*box[:place], let_in(variable, box[place], value, language), *box[place + 1 :])
        if any(decide(point) != decision.label for point in itertools.product(*map(list_values, wider))):
            necessary.append(value)
    return necessary


def check_counts(decision, language, found):
    """Compare the counts of a weakening with brute force; returns how many are necessary and excluded."""
    counts = count_necessary(decision, language, found)
    for one in counts:
        place = decision.context.places[one.feature]
        excluded = len(decision.context.variables[place]) - found.box[place].bit_count()
        true = list_necessary(decision, language, found.box, place)
        assert one.excluded == excluded and one.necessary <= len(true)
        assert found.interrupted or one.necessary == len(true) == excluded
    return sum(x.necessary for x in counts), sum(x.excluded for x in counts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["forest", "mixed"])
def test_what_counts_as_necessary_is_necessary(kind, language, request):
    explainer, X = request.getfixturevalue(kind)
    partly = 0
    for x, steps in itertools.product(X[:4], (1, 2, 3, 4, 5, 6, 7, None)):
        decision, found = grow(explainer, x, language, steps)
        shown, total = check_counts(decision, language, found)
        partly += 0 < shown < total
    for x, nodes in itertools.product(X[:4], (1, 3, 10)):
        decision, found = grow(explainer, x, language, nodes=nodes)
        check_counts(decision, language, found)
    assert partly  # answers that are half shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_witness_that_is_none_does_not_count(forest, language):
    """Planted: the row's own values, a point outside the box, another value's point, a wrong place."""
    explainer, X = forest
    decision, found = grow(explainer, X[0], language)
    cell = Grown(decision.cell, True, 0, found.find_witnesses)
    place = next(j for j, x in enumerate(decision.context.variables) if len(x) > 2)
    others = [v for v in range(len(decision.context.variables[place])) if v != decision.point[place]]
    alike = [
        (*decision.point[:place], v, *decision.point[place + 1 :])
        for v in others
        if decision.oracle.holds((*decision.point[:place], v, *decision.point[place + 1 :]))
    ]
    assert alike
    planted = {(place, point[place]): point for point in alike}  # decided like the row
    planted |= {(place, v): decision.point for v in others if (place, v) not in planted}  # without the value
    assert sum(one.necessary for one in count_necessary(decision, language, _with(cell, planted))) == 0
    outside = {
        key: point
        for key, point in found.find_witnesses().items()
        if not _is_beside_cell(decision, key, point)
    }
    assert (
        outside and sum(x.necessary for x in count_necessary(decision, language, _with(cell, outside))) == 0
    )
    assert sum(x.necessary for x in count_necessary(decision, language, found)) > 0


def _with(found, witnesses):
    return replace(found, find_witnesses=lambda: witnesses)


def _is_beside_cell(decision, key, point):
    return sum(a != b for a, b in zip(point, decision.point, strict=True)) == 1


def test_a_wrong_count_is_found(forest, monkeypatch):
    """The brute force above has teeth: a counter that believes every witness fails."""
    explainer, X = forest
    decision, found = grow(explainer, X[0], "sets", 2)
    check_counts(decision, "sets", found)
    monkeypatch.setattr("primewood.questions.necessity._ShownValues._has_witness", lambda *_: True)
    everything = {
        (j, v): decision.point for j, x in enumerate(decision.context.variables) for v in range(len(x))
    }
    with pytest.raises(AssertionError):
        check_counts(decision, "sets", _with(found, everything))


def test_a_proved_explanation_needs_all_that_it_excludes(forest):
    explainer, X = forest
    for language in LANGUAGES:
        why = explainer.explain(X[0], literals=language)
        assert why.status is pw.Status.PROVED and "necessity" not in why.to_dict()
        assert [one.feature for one in why.necessity] == list(why.features)
        assert all(one.undecided == 0 < one.necessary == one.excluded for one in why.necessity)


def test_an_interrupted_explanation_counts_what_is_undecided(forest):
    explainer, X = forest
    why = explainer.explain(X[0], time_limit=None, work_limit=3)
    total, shown = (sum(getattr(x, name) for x in why.necessity) for name in ("excluded", "necessary"))
    undecided = [x.feature for x in why.necessity if x.undecided]
    assert why.status is pw.Status.INTERRUPTED and 0 < shown < total
    sentence = f"{shown} of {total} excluded values are shown necessary; {total - shown} undecided (in "
    assert f"{sentence}{', '.join(undecided)})." in str(why)
    assert sentence in why._repr_html_()
    assert json.loads(why.to_json())["necessity"] == [
        {"feature": x.feature, "excluded": x.excluded, "necessary": x.necessary, "undecided": x.undecided}
        for x in why.necessity
    ]
    assert str(pw.Explanation.from_json(why.to_json())) == str(why)
    assert pickle.loads(pickle.dumps(why)).necessity == why.necessity
    (again,) = explainer(X[:1], time_limit=None, work_limit=3)
    assert str(again) == str(why) and again.necessity == why.necessity


def test_when_all_is_shown_the_text_says_so_and_the_status_stays(forest):
    explainer, X = forest
    decision, found = grow(explainer, X[0], "intervals")
    why = ExplanationMaker.for_decision(decision, "intervals").explain_grown(replace(found, interrupted=True))
    assert why.status is pw.Status.INTERRUPTED and not any(x.undecided for x in why.necessity)
    assert "guarantee the decision, and none can be relaxed (intervals); time ran out" in str(why)
    assert "undecided" not in str(why) and "Proved" not in str(why)


def test_what_is_fixed_is_not_counted(forest):
    explainer, X = forest
    for options in ({}, {"time_limit": None, "work_limit": 2}):
        why = explainer.explain(X[0], fix=["x0"], **options)
        assert why.fixed == ("x0",) and "x0" in why.features
        assert "x0" not in [x.feature for x in why.necessity]


def test_where_nothing_is_known_nothing_is_shown(forest):
    """A sets answer that is cut down to ranges without the model claims nothing about them."""
    explainer, X = forest
    x = next(x for x in X if len(explainer.explain(x, literals="sets").as_intervals().features) > 1)
    cut = pickle.loads(pickle.dumps(explainer.explain(x, literals="sets"))).as_intervals()
    assert cut.status is pw.Status.INTERRUPTED
    assert all(x.necessary == 0 < x.excluded for x in cut.necessity)


def test_what_cannot_be_avoided_keeps_its_counts(forest):
    explainer, X = forest
    why = explainer.explain(X[0], avoid=explainer.explain(X[0]).features)
    assert why.status is pw.Status.IMPOSSIBLE
    assert all(x.undecided == 0 for x in why.necessity)
    assert Necessity("x", 3, 1).undecided == 2
