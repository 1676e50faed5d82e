"""A decision in short: few conditions, counted on the training rows, and never called proved."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from primewood.answers import InShort
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput
from primewood.model.mixed_rows import mix_rows
from primewood.questions.in_short.acceptance import CONFIDENCE, GRADES, LEAST_TESTED, lower_limit
from primewood.questions.in_short.search import ShortRuleSearch


def table(rows=600, seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": random.normal(50, 15, rows),
            "debt": random.integers(0, 40, rows),
            "age": random.integers(18, 75, rows),
            "owner": random.random(rows) < 0.5,
        }
    )
    labels = np.where(frame.income - frame.debt + 10 * frame.owner > 35, "approved", "declined")
    return frame, labels


@pytest.fixture(scope="module")
def lender():
    frame, labels = table()
    return pw.Explainer(RandomForestClassifier(40, random_state=0).fit(frame, labels), frame), frame


def count_by_hand(explainer, short, frame):
    """How many rows match, and get the decision, by the printed conditions and the model's own predict."""
    inside = np.ones(len(frame), dtype=bool)
    for literal in short.to_dict()["literals"]:
        column = frame[literal["feature"]].to_numpy(dtype=float)
        if "intervals" in literal:
            held = np.zeros(len(frame), dtype=bool)
            for piece in literal["intervals"]:
                low = -np.inf if piece["low"] is None else piece["low"]
                high = np.inf if piece["high"] is None else piece["high"]
                above = column >= low if piece["closed"] in ("left", "both") else column > low
                below = column <= high if piece["closed"] in ("right", "both") else column < high
                held |= above & below
            inside &= held
        else:
            inside &= np.isin(column.astype(bool), [value in (True, "True") for value in literal["values"]])
    decided = explainer._model.source.predict(frame) == short.decision
    return int(inside.sum()), int((inside & decided).sum())


def test_counts_are_those_of_the_rows_and_of_the_models_own_decisions(lender):
    explainer, frame = lender
    found = 0
    for place in range(0, 120, 4):
        short = explainer.explain(frame.iloc[place], precision=0.95)
        if not short.found:
            continue
        found += 1
        assert (short.matching, short.same) == count_by_hand(explainer, short, frame)
        assert short.covers(frame.iloc[[place]]).all()
        assert int(short.covers(frame).sum()) == short.matching
        assert short.matching >= max(LEAST_TESTED, 0.01 * len(frame))
        assert short.share >= 0.95
        assert short.promised == (short.lower >= 0.95)
        assert short.mixed_matching - short.mixed_same <= max(GRADES) * 0.05 * short.mixed_matching
        assert len(short.features) <= 7
        others = explainer._model.source.predict(frame) != short.decision
        assert len(short.exceptions) == short.matching - short.same
        assert others[list(short.exceptions)].all()
    assert found >= 20


def test_the_limit_of_a_share_is_exact():
    for same, matching in ((30, 30), (412, 418), (50, 60)):
        limit = lower_limit(same, matching)
        assert binom.sf(same - 1, matching, limit) == pytest.approx(1 - CONFIDENCE)
    assert lower_limit(0, 10) == 0.0


def test_every_explanation_has_it_and_long_ones_print_it_first(lender):
    explainer, frame = lender
    why = explainer.explain(frame.iloc[0])
    assert isinstance(why.in_short, InShort)
    assert why.in_short == explainer.explain(frame.iloc[0], precision=0.95)
    credit = load_credit()
    forest = RandomForestClassifier(30, random_state=0).fit(credit.X, credit.y)
    long = pw.Explainer(forest, credit.X, feature_names=credit.feature_names).explain(credit.X[3])
    assert len(long.features) > 3
    first, rule = str(long).splitlines()[:2]
    assert first == str(long.in_short)
    assert rule == long.rule
    assert first.startswith("In short: ")
    assert "roved" not in first
    assert "In short: " in long._repr_html_()
    assert "in_short" not in long.to_dict()
    assert pw.Explanation.from_json(long.to_json()).to_dict(in_short=True)["in_short"]["precision"] == 0.95


def test_the_words_say_how_often_it_holds(lender):
    explainer, frame = lender
    short = next(
        x
        for x in (explainer.explain(frame.iloc[i], precision=0.8) for i in range(50))
        if x.found and x.exceptions
    )
    words = str(short)
    assert f"Holds for {short.same} of {short.matching} training rows that match" in words
    assert short.rule.endswith(f"THEN usually {short.decision}")
    listed = short.exceptions_frame()
    assert len(listed) == len(short.exceptions) and list(listed.columns) == list(frame.columns)
    regions = short.explain_exceptions(most=2)
    assert 1 <= len(regions) <= 2
    for region in regions:
        assert region.decision != short.decision and region.status == pw.Status.PROVED
    assert regions[0].covers(frame.iloc[[short.exceptions[0]]]).all()
    assert str(pickle.loads(pickle.dumps(short))) == words
    with pytest.raises(InvalidInput, match="the model is not at hand"):
        pickle.loads(pickle.dumps(short)).explain_exceptions()


def test_where_there_is_no_such_rule_it_says_so():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 4)), random.integers(0, 2, 300)
    explainer = pw.Explainer(RandomForestClassifier(30, random_state=0).fit(X, y), X)
    short = explainer.explain(X[0], precision=0.99)
    assert not short.found
    assert short.rule is None and short.share is None and short.features == ()
    assert str(short).startswith("In short: no short rule holds for 99% of the rows that match it.")
    with pytest.raises(InvalidInput, match="no rule was found"):
        short.covers(X)


def test_missing_values_and_categories():
    frame, labels = table(800, seed=3)
    frame["income"] = frame.income.mask(np.random.default_rng(1).random(len(frame)) < 0.2)
    frame["region"] = pd.Categorical(np.random.default_rng(2).choice(["north", "south", "east"], len(frame)))
    frame["owner"] = frame.owner.astype(int)
    labels = np.where((frame.region == "north") & frame.income.notna(), "approved", labels)
    model = HistGradientBoostingClassifier(max_iter=30, categorical_features="from_dtype").fit(frame, labels)
    explainer = pw.Explainer(model, frame)
    found = 0
    for place in range(40):
        short = explainer.explain(frame.iloc[[place]], precision=0.9)
        if short.found:
            found += 1
            covered = frame[short.covers(frame)]
            assert len(covered) == short.matching
            assert int((model.predict(covered) == short.decision).sum()) == short.same
            assert short.covers(frame.iloc[[place]]).all()
    assert found >= 20


def test_bad_input_is_one_clear_error(lender):
    explainer, frame = lender
    with pytest.raises(InvalidInput, match=r"precision must be a share from 0\.5 and below 1, not 1"):
        explainer.explain(frame.iloc[0], precision=1)
    with pytest.raises(InvalidInput, match="goes with no other option"):
        explainer.explain(frame.iloc[0], precision=0.95, goal="shortest")
    with pytest.raises(InvalidInput, match="precision is for one row"):
        explainer(frame.iloc[:2], precision=0.95)
    bare = pw.Explainer(explainer._model.source)
    with pytest.raises(InvalidInput, match="no training rows"):
        bare.explain(frame.iloc[0], precision=0.95)
    A = pw.Variable("A", [1, 2, 3])
    with pytest.raises(InvalidInput, match="an expression has none"):
        pw.Explainer(A == 1).explain({"A": 1}, precision=0.95)
    declined = frame[explainer._model.source.predict(frame) == "declined"]
    alike = pw.Explainer(explainer._model.source, declined)
    with pytest.raises(InvalidInput, match="nothing to tell apart"):
        alike.explain(frame.iloc[0], precision=0.95)
    assert "In short" not in str(alike.explain(frame.iloc[0]))


def test_a_rule_of_few_rows_is_an_answer_without_a_promise():
    frame, labels = table(rows=120)
    explainer = pw.Explainer(RandomForestClassifier(40, random_state=0).fit(frame, labels), frame)
    found = [explainer.explain(frame.iloc[i], precision=0.95) for i in range(0, 120, 10)]
    few = [x for x in found if x.found and x.matching < 59]
    assert len(few) >= 3
    for short in few:
        assert short.lower < 0.95 and not short.promised and not short.to_dict()["promised"]
        assert str(short).endswith("; too few rows to promise 95%.")
    kept = [x for x in found if x.promised]
    assert all("too few" not in str(x) for x in kept)


def test_mixtures_take_each_feature_from_one_of_two_near_rows():
    frame, labels = table(rows=60)
    explainer = pw.Explainer(RandomForestClassifier(10, random_state=0).fit(frame, labels), frame)
    model = explainer._model
    points, bins = model.context.points, model.counted.bins
    seen = []

    def decide_all(mixed):
        seen.append(mixed)
        return model.engines.decide_all(mixed)

    mixed = mix_rows(points, bins, decide_all, None)
    (made,) = seen
    assert len(made) == len(mixed.searched_decided) + len(mixed.tested_decided)
    for point in made[::400]:
        equal = points == point
        assert any((equal[i] | equal[j]).all() for i in range(len(points)) for j in range(i))
    both = np.concatenate([mixed.searched.codes, mixed.tested.codes])
    assert (both == np.array([bins.find(tuple(point)) for point in made])).all()
    again = mix_rows(points, bins, model.engines.decide_all, None)
    assert (again.tested.codes == mixed.tested.codes).all()
    none_odd = mix_rows(points, bins, decide_all, lambda point: point[0] % 2 == 0)
    assert (seen[-1][:, 0] % 2 == 0).all() and len(none_odd.tested_decided) < len(mixed.tested_decided)


def test_counts_alone_accept_only_what_the_limit_promises():
    frame, labels = table(rows=600)
    explainer = pw.Explainer(RandomForestClassifier(40, random_state=0).fit(frame, labels), frame)
    counted = explainer._model.counted
    found = 0
    for place in range(0, 100, 10):
        same = counted.decided == counted.decided[place]
        own = counted.bins.codes[place].astype(np.int64)
        rule = ShortRuleSearch(counted.bins, same, own, 0.95).find()
        if rule is not None:
            found += 1
            assert lower_limit(rule.same, rule.matching) >= 0.95
            assert rule.matching - rule.same <= 0.3 * 0.05 * rule.matching
    assert found >= 5
