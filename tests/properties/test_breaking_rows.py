"""How many training rows break a property: against a naive loop over the library's own `predict`."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

import primewood as pw
from conformance.test_sums_and_sets_of_values import (
    CODES,
    CONSTRAINTS,
    is_possible,
    numbers_in,
    random_ensemble,
)
from primewood.errors import InvalidInput, UnknownName
from primewood.properties import sweep

NAMES = ["age", "income", "sex"]


def loans(seed=0, rows=120):
    """Whole ages and incomes, and a code of sex; what is decided depends on all of them, with noise."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": generator.integers(18, 30, rows).astype(float),
            "income": generator.integers(10, 40, rows).astype(float),
            "sex": generator.integers(0, 2, rows).astype(float),
        },
        index=[f"id{i}" for i in range(rows)],
    )
    score = X.income + X.age / 2 + 4 * X.sex + generator.normal(0, 6, rows)
    return X, np.where(score > score.median(), "approved", "declined")


MODELS = {
    "forest": lambda: RandomForestClassifier(9, max_depth=4, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(9, max_depth=4, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=5, random_state=0),
}
EVERY = {"age": np.arange(0, 60), "income": np.arange(-10, 80), "sex": np.arange(2)}
"""Numbers of every cell: the models' thresholds lie within, and at halves of whole numbers."""
DOMAIN = {"age": "whole", "income": "whole", "sex": "boolean"}


def changed(row, feature, value):
    other = row.copy()
    other[feature] = value
    return other


def rows_that_break(model, X, features, breaks):
    """By definition: rows for which some change of these features alone breaks a property."""
    found = []
    own = model.predict(X)
    for i, (label, row) in enumerate(X.iterrows()):
        choices = list(itertools.product(*(EVERY[name] for name in features)))
        table = pd.DataFrame([row] * len(choices), columns=X.columns)
        table[list(features)] = np.array(choices, dtype=float)
        decided = model.predict(table)
        here = tuple(row[name] for name in features)
        if any(breaks(here, own[i], there, d) for there, d in zip(choices, decided, strict=True)):
            found.append(label)
    return found


def is_lost(direction):
    """Whether two rows show that approved is taken back as a feature goes up (increasing), or brought."""

    def breaks(here, own, there, decided):
        low, high = (own, decided) if here < there else (decided, own)
        if here == there:
            return False
        before, after = (low, high) if direction == "increasing" else (high, low)
        return before == "approved" and after != "approved"

    return breaks


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("direction", ["increasing", "decreasing"])
def test_the_rows_that_break_monotonicity_are_those_of_a_naive_loop(name, direction):
    X, y = loans()
    model = MODELS[name]().fit(X, y)
    explainer = pw.Explainer(model, X, domain=DOMAIN)
    for feature in ("age", "income"):
        found = explainer.verify(pw.monotone(feature, direction, "approved"), time_limit=None)
        wanted = rows_that_break(model, X, [feature], is_lost(direction))
        if found.holds:
            assert not wanted
            continue
        assert list(found.breaking.ids) == wanted and found.breaking.complete
        assert found.breaking.rows == len(X) and found.breaking.count == len(wanted)
        own = dict(zip(X.index, model.predict(X).tolist(), strict=True))
        assert list(found.breaking.decisions) == [own[label] for label in wanted]
        for label, change, decision in zip(
            found.breaking.ids, found.breaking.changes, found.breaking.changed_decisions, strict=True
        ):
            assert set(change) == {feature}
            other = X.loc[[label]].assign(**change)
            assert model.predict(other)[0] == decision


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("features", [("sex",), ("age",), ("age", "sex")])
def test_the_rows_that_break_independence_are_those_of_a_naive_loop(name, features):
    X, y = loans(1)
    model = MODELS[name]().fit(X, y)
    found = pw.verify(model, pw.independent_of(*features), X, domain=DOMAIN, time_limit=None)
    wanted = rows_that_break(model, X, features, lambda here, own, there, decided: own != decided)
    assert not found.holds and wanted
    assert list(found.breaking.ids) == wanted and found.breaking.complete


def test_several_features_with_too_many_combinations_are_counted_one_by_one(monkeypatch):
    X, y = loans(1)
    model = MODELS["forest"]().fit(X, y)
    whole = pw.verify(model, pw.independent_of("age", "sex"), X, domain=DOMAIN, time_limit=None)
    monkeypatch.setattr(sweep, "MOST_TOGETHER", 3)
    part = pw.verify(model, pw.independent_of("age", "sex"), X, domain=DOMAIN, time_limit=None)
    assert whole.breaking.complete and not part.breaking.complete
    assert 0 < part.breaking.count <= whole.breaking.count
    assert set(part.breaking.ids) <= set(whole.breaking.ids)
    assert "At least" in str(part) and "At least" not in str(whole)


@pytest.mark.parametrize(
    ("rule", "premise", "wrong"),
    [
        ("income < 25 -> not approved", lambda X: X.income < 25, "approved"),
        ("income >= 20 and sex = 1 -> approved", lambda X: (X.income >= 20) & (X.sex == 1), "declined"),
        ("age < 20 or income > 35 -> approved", lambda X: (X.age < 20) | (X.income > 35), "declined"),
        ("never declined", lambda X: X.age == X.age, "declined"),
    ],
)
def test_the_rows_that_break_a_rule_are_those_that_predict_decides_so(rule, premise, wrong):
    X, y = loans(2)
    model = MODELS["forest"]().fit(X, y)
    found = pw.verify(model, rule, X, domain=DOMAIN, time_limit=None)
    wanted = X.index[premise(X) & (model.predict(X) == wrong)].tolist()
    assert not found.holds and wanted
    assert list(found.breaking.ids) == wanted
    assert set(found.breaking.decisions) == {wrong}
    first = ", ".join(wanted[:5])
    more = f" and {len(wanted) - 5} more" if len(wanted) > 5 else ""
    rows = "row" if len(wanted) == 1 else "rows"
    verb = "breaks" if len(wanted) == 1 else "break"
    assert f"{len(wanted)} of your 120 rows {verb} this ({rows} {first}{more})." in str(found)


def test_the_rows_that_break_a_bound_are_those_that_predict_puts_beyond_it():
    X, y = loans(3)
    model = GradientBoostingRegressor(n_estimators=8, random_state=0).fit(X, X.income + (y == "approved"))
    outputs = model.predict(X)
    low, high = np.quantile(outputs, [0.1, 0.9]).tolist()
    for options, beyond in (
        ({"at_most": high}, outputs > high),
        ({"at_least": low, "at_most": high}, (outputs < low) | (outputs > high)),
    ):
        found = pw.verify(model, pw.output(**options), X, time_limit=None)
        assert list(found.breaking.ids) == X.index[beyond].tolist()
        assert list(found.breaking.decisions) == outputs[beyond].tolist()


def test_no_row_may_break_what_fails_for_other_rows():
    X = np.array([[0.0], [1.0], [9.0]])
    tree = pw.Tree.build((0, 4.0, [-1.0], (0, 5.0, [1.0], [-1.0])))
    model = pw.Ensemble((tree,), ("x",), ("no", "yes"), vote="sum", cuts=(0.0,))
    found = pw.verify(model, "never yes", X)
    assert found.outcome == "fails" and found.breaking.count == 0
    assert "None of your 3 rows breaks this." in str(found)


def test_rows_without_an_index_go_by_their_place():
    X, y = loans(2)
    model = MODELS["forest"]().fit(X.to_numpy(), y)
    options = {"feature_names": NAMES, "domain": DOMAIN}
    found = pw.verify(model, "never declined", X.to_numpy(), **options)
    places = np.flatnonzero(model.predict(X.to_numpy()) == "declined").tolist()
    assert list(found.breaking.ids) == list(found.breaking.places) == places
    assert pw.verify(model, "never declined", **options).breaking is None


def grid_of(explainer, constraints):
    """Training rows of a small model with a category and constraints: ends of all cells, some missing."""
    features = {f.name: f for f in explainer.domain.features}
    columns = []
    for name in ("x", "y"):
        variable = features[name].variable
        numbers = {-3.0, 0.25, 3.0}
        for value in () if variable is None else variable.values:
            numbers |= {float(n) for n in numbers_in(value) if n == n}
        columns.append(sorted(numbers) + [np.nan] * features[name].missing)
    columns.append([0.0, 1.0, 2.0, 3.0] + [np.nan] * features["z"].missing)
    every = np.array(list(itertools.product(*columns)))
    return every[np.array([is_possible(row, constraints) for row in every.tolist()])]


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(8))
def test_only_changes_to_possible_rows_count(seed, constraints):
    """Every row of a grid that leaves no cell out is a training row, and every other row a change that may be made."""
    ensemble = random_ensemble(seed)
    options = {"domain": {"x": "numeric", "y": "numeric", "z": CODES}, "constraints": constraints}
    every = grid_of(pw.Explainer(ensemble, **options), constraints)
    generator = np.random.default_rng(seed)
    rows = every[generator.permutation(len(every))[:25]]
    options["missing"] = "allow" if ensemble.allows_missing else "auto"
    explainer = pw.Explainer(ensemble, rows, **options)
    target = explainer.class_names[-1]
    decided = ensemble.predict(every)
    for column, up in itertools.product((0, 1), (True, False)):
        found = explainer.verify(
            pw.monotone("xy"[column], "increasing" if up else "decreasing", target), time_limit=None
        )
        wanted = [
            i
            for i, row in enumerate(rows)
            if breaks_alone(row, every, decided, ensemble, column, up, len(explainer.class_names) - 1)
        ]
        assert wanted == ([] if found.holds else list(found.breaking.places)), (column, up)
        if not found.holds:
            assert found.breaking.complete
    for column in range(3):
        found = explainer.verify(pw.independent_of("xyz"[column]), time_limit=None)
        wanted = [
            i
            for i, row in enumerate(rows)
            if (decided[same_elsewhere(row, every, column)] != ensemble.predict(row[None, :])[0]).any()
        ]
        listed = [] if found.holds else list(found.breaking.places)
        assert listed == wanted if found.holds or found.breaking.complete else set(listed) <= set(wanted)


def same_elsewhere(row, every, column):
    rest = [c for c in range(3) if c != column]
    same = (every[:, rest] == row[rest]) | (np.isnan(every[:, rest]) & np.isnan(row[rest]))
    return same.all(axis=1)


def breaks_alone(row, every, decided, ensemble, column, up, target):
    near = same_elsewhere(row, every, column)
    own = ensemble.predict(row[None, :])[0]
    for there, other in zip(every[near, column], decided[near], strict=True):
        if there == row[column] or np.isnan(there) or np.isnan(row[column]):
            continue
        low, high = (own, other) if row[column] < there else (other, own)
        before, after = (low, high) if up else (high, low)
        if before == target and after != target:
            return True
    return False


def test_training_rows_are_looked_at_before_anything_is_searched_for(monkeypatch):
    """A forest of a hundred full trees: the search alone is undecided after a minute."""
    X, y = make_classification(1500, 20, n_informative=8, random_state=0)
    forest = RandomForestClassifier(100, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X)
    monkeypatch.setattr(
        "primewood.properties.monotone.search_by_steps", lambda *_: pytest.fail("the search was asked")
    )
    start = time.process_time()
    found = explainer.verify(pw.monotone("x5", "increasing", 1))
    assert found.outcome == "fails" and time.process_time() - start < 20
    (before, after) = forest.predict(np.array(found.witnesses))
    assert (before, after) == (1, 0) and found.breaking.complete
    place = found.breaking.places[0]
    value = found.breaking.changes[0]["x5"]
    assert (forest.predict(X[[place]]) != forest.predict([changed(X[place], 5, value)]))[0]


def test_a_count_that_there_was_no_time_for_says_at_least(monkeypatch):
    X, y = loans()
    explainer = pw.Explainer(MODELS["forest"]().fit(X, y), X, domain=DOMAIN)
    stated = pw.independent_of("income")
    whole = explainer.verify(stated)
    monkeypatch.setattr(sweep, "ADDITIONS", 1)
    looked = sweep.RowScan.run

    def look(self, clock, *, until_found=False):
        if until_found:
            looked(self, clock, until_found=True)

    monkeypatch.setattr(sweep.RowScan, "run", look)
    part = explainer.verify(stated)
    assert 0 < part.breaking.count < whole.breaking.count and not part.breaking.complete
    assert f"At least {part.breaking.count} of your 120 rows" in str(part)


def test_examples_are_values_that_occur_where_such_show_it():
    X, y = loans()
    found = pw.verify(MODELS["forest"]().fit(X, y), pw.independent_of("income"), X, domain=DOMAIN)
    for change in found.breaking.changes:
        assert change["income"] in X.income.tolist()


def test_names_have_no_order_so_monotone_asks_for_a_target():
    X, y = loans()
    explainer = pw.Explainer(MODELS["forest"]().fit(X, y), X)
    with pytest.raises(InvalidInput) as problem:
        explainer.verify(pw.monotone("income"))
    assert "approved, declined are names, which have no order" in str(problem.value)
    assert "monotone('income', 'increasing', target='approved')" in str(problem.value)


def test_the_direction_is_said_in_words():
    X, y = loans()
    model = MODELS["forest"]().fit(X, y)
    explainer = pw.Explainer(model, X, domain=DOMAIN)
    told = {
        direction: explainer.verify(pw.monotone("income", direction, "approved"))
        for direction in ("increasing", "decreasing")
    }
    assert told["increasing"].claim.holds == "raising income never turns approved into declined"
    assert told["decreasing"].claim.holds == "raising income never turns declined into approved"
    assert told["decreasing"].outcome == "fails"
    assert told["decreasing"].words == "Raising income turns declined into approved for some rows."
    numbers = RandomForestClassifier(9, max_depth=4, random_state=0).fit(X, y == "approved")
    found = pw.verify(numbers, pw.monotone("income", "decreasing"), X)
    assert found.claim.holds == "raising income never turns False into True"
    assert found.outcome == "fails"


def test_levels_of_a_prediction_have_their_own_order():
    X, _ = loans()
    model = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, X.income)
    for options in ({"threshold": 25.0}, {"between": (20.0, 30.0)}):
        assert pw.verify(model, pw.monotone("income"), X, **options).holds
        assert not pw.verify(model, pw.monotone("income", "decreasing"), X, **options).holds


def test_what_fails_is_not_worded_as_if_it_were_true():
    X, y = loans()
    explainer = pw.Explainer(MODELS["forest"]().fit(X, y), X, domain=DOMAIN)
    for stated in (pw.independent_of("income"), "income < 25 -> declined", pw.never("approved")):
        found = explainer.verify(stated)
        assert found.outcome == "fails"
        for shown in (str(found), found._repr_html_(), found.to_dict()["words"]):
            assert "never changes" not in shown and "Proved" not in shown
            assert "some rows" in shown.lower()
    assert found.words == "Some rows get the decision approved."


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("incme < 20 -> approved", "no feature 'incme' (did you mean income?)"),
        ("income < 20 and agee > 3 -> approved", "no feature 'agee' (did you mean age?)"),
        ("income < 20 -> aproved", "no decision is called 'aproved' (did you mean approved?)"),
        ("job = clark -> approved", "(did you mean clerk?)"),
        (pw.never("decline"), "(did you mean declined?)"),
        (pw.monotone("incme", target="approved"), "(did you mean income?)"),
        (pw.independent_of("agge"), "(did you mean age?)"),
    ],
)
def test_a_slip_in_a_rule_is_answered_with_the_nearest_name(stated, words):
    X, y = loans()
    X = X.rename(columns={"sex": "job"})
    domain = {"job": {0: "clerk", 1: "nurse"}}
    explainer = pw.Explainer(MODELS["forest"]().fit(X, y), X, domain=domain)
    with pytest.raises(InvalidInput) as problem:
        explainer.verify(stated)
    assert words in str(problem.value)


def test_an_unknown_feature_is_an_unknown_name():
    X, y = loans()
    with pytest.raises(UnknownName, match="the features are age, income, sex"):
        pw.verify(MODELS["forest"]().fit(X, y), "postcode > 3 -> approved", X)


def test_what_is_shown_stays_short():
    X, y = make_classification(400, 120, n_informative=30, random_state=0)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    found = pw.verify(forest, pw.never(1), X)
    assert len(repr(found)) < 300 and len(str(found)) < 20_000
    assert "108 more features" in str(found) and "more features" not in found.to_text(full=True)
    assert all(f"x{j} = " in found.to_text(full=True) for j in range(120))
    assert len(found.to_dict()["breaking"]["ids"]) == found.breaking.count > 100
