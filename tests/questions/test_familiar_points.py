"""Examples that are shown: verified, inside the rest of the explanation, with values that rows have where possible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from primewood.logic.masks import indices
from primewood.questions import exclusions
from primewood.render import text

PURPOSES = ["car", "house", "school", "tv"]


def loans(seed=0, count=300):
    """Rows with a category that the model knows, numbers with gaps, and values that are missing."""
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": generator.choice([20.0, 30.0, 31.0, 55.0, 80.0, 81.0], count),
            "purpose": pd.Categorical(generator.choice(PURPOSES, count), categories=PURPOSES),
            "debt": generator.choice([0.0, 1.0, 5.0, 9.0], count),
            "age": generator.integers(20, 60, count).astype(float),
        }
    )
    frame.loc[generator.random(count) < 0.1, "debt"] = np.nan
    score = (
        frame.income
        - 4 * frame.debt.fillna(6)
        + 10 * (frame.purpose == "house")
        + generator.normal(0, 5, count)
    )
    return frame, np.where(score > 25, "approved", "declined")


@pytest.fixture(scope="module", params=range(3))
def mixed(request):
    X, y = loans(request.param)
    model = HistGradientBoostingClassifier(
        max_iter=12, max_leaf_nodes=7, min_samples_leaf=5, categorical_features="from_dtype", random_state=0
    ).fit(X, y)
    return model, X, pw.Explainer(model, X)


def as_frame(explainer, row):
    """A row as the model takes it, from the numbers of a witness."""
    values = dict(zip(explainer.domain.column_names, row, strict=True))
    code = values["purpose"]
    known = np.isfinite(code) and 0 <= code < len(PURPOSES)
    values["purpose"] = PURPOSES[int(code)] if known else None if np.isnan(code) else "boat"
    frame = pd.DataFrame([values])
    return frame.assign(purpose=pd.Categorical(frame.purpose, categories=[*PURPOSES, "boat"]))


def check_witness(explainer, why, witness):
    """Inside but for its feature, decided otherwise, and of no odd value where the row's own or a seen one will do."""
    domain, context = explainer.domain, explainer._model.context
    names = [x.name for x in domain.variables]
    box, own = why.term.box(domain.variables), domain.point(np.array(why.row))
    point = domain.point(np.array(witness.row))
    place = names.index(witness.feature)
    assert [j for j, v in enumerate(point) if not box[j] >> v & 1] == [place]
    assert point[place] == witness.value
    assert explainer.ensemble.predict(np.array([witness.row]))[0] == explainer.class_names.index(
        witness.decision
    )
    assert witness.decision != why.decision
    seen = [set(np.unique(column).tolist()) for column in context.points.T]
    for j, value in enumerate(point):
        if j != place:
            better = [own[j]] if value != own[j] else []
            if value not in seen[j] and value != own[j] and value >= domain.variables[j].ordered:
                better += [v for v in indices(box[j]) if v in seen[j]]
            for other in better:
                assert explainer._model.engines.decide(
                    (*point[:j], other, *point[j + 1 :])
                ) == explainer.class_names.index(why.decision)
        column = domain.seen[j].column
        numbers = set(context.rows[context.points[:, j] == value, column].tolist())
        if numbers and value < domain.variables[j].ordered:
            assert witness.row[column] in numbers | {why.row[column]}


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_witnesses_are_recognisable(mixed, literals):
    model, X, explainer = mixed
    shown = 0
    for i in range(0, len(X), 47):
        row = X.iloc[[i]]
        for why in (explainer.explain(row, literals=literals), explainer(row, literals=literals)[0]):
            for witness in why.witnesses:
                check_witness(explainer, why, witness)
                assert model.predict(as_frame(explainer, witness.row))[0] == witness.decision
                shown += 1
            assert why.witnesses_complete
    assert shown > 10


def test_a_missing_or_unknown_value_is_shown_only_where_it_is_what_is_excluded(mixed):
    _, X, explainer = mixed
    for i in range(0, len(X), 47):
        why = explainer.explain(X.iloc[[i]], literals="sets")
        for item in why.to_dict(witnesses=True)["excludes"]:
            odd = [name for name, words in item["shown"].items() if words in ("missing", "other")]
            own = [x["feature"] for x in why.to_dict()["instance"] if x["shown"] in ("missing", "other")]
            assert all(item["text"].startswith(name) or name in own for name in odd), item


def test_a_contrast_shows_a_category_that_rows_have(mixed):
    _, X, explainer = mixed
    for i in range(0, len(X), 47):
        for literals in ("values", "intervals", "sets"):
            found = explainer.contrast(X.iloc[[i]], literals=literals)
            if found.changed is None:
                continue
            point = explainer.domain.point(np.array(found.changed))
            assert point == found.instance
            decided = explainer.ensemble.predict(np.array([found.changed]))[0]
            assert explainer.class_names[decided] == found.other != found.decision
            own = explainer.domain.point(np.array(found.row))
            for j, value in enumerate(point):
                if value == own[j] or explainer._model.context.is_seen(j, value):
                    continue
                for other in range(len(explainer.domain.variables[j])):
                    if explainer._model.context.is_seen(j, other) and literals == "values":
                        moved = (*point[:j], other, *point[j + 1 :])
                        assert explainer._model.engines.decide(moved) != decided


@pytest.mark.parametrize("norm", ["l0", "l1", "linf"])
def test_a_counterfactual_that_is_as_near_has_values_of_training_rows(mixed, norm):
    _, X, explainer = mixed
    for i in range(0, len(X), 59):
        found = explainer.counterfactual(X.iloc[[i]], norm=norm)
        assert found.status == "proved"
        assert "other" not in [new for _, new in found.changes.values()] or found.features == ("purpose",)
        decided = explainer.ensemble.predict(np.array([found.row]))[0]
        assert explainer.class_names[decided] == found.other != found.decision
        if norm == "l0":
            for j, feature in enumerate(explainer.domain.seen):
                value = explainer.domain.point(np.array(found.row))[j]
                if (
                    feature.name in found.features
                    and feature.patterns is None
                    and explainer._model.context.is_seen(j, value)
                ):
                    assert found.row[feature.column] in X[feature.name].to_numpy()


def test_a_row_that_breaks_a_rule_has_values_of_training_rows():
    X, y = loans()
    model = HistGradientBoostingClassifier(
        max_iter=10, categorical_features="from_dtype", random_state=0
    ).fit(X, y)
    explainer = pw.Explainer(model, X)
    found = explainer.verify("income >= 79.5 and income <= 79.9 and debt > 7 -> declined")
    if found.holds is False:
        (row,) = found.witnesses
        values = explainer._model.context.named_values(np.array(row))
        assert values["purpose"] in PURPOSES and values["age"] in X.age.to_numpy()
        assert 79.5 <= values["income"] <= 79.9 and values["debt"] == 9.0
    else:
        found = explainer.verify("income >= 79.5 and income <= 79.9 and debt > 7 -> approved")
        (row,) = found.witnesses
        values = explainer._model.context.named_values(np.array(row))
        assert values["purpose"] in PURPOSES and values["age"] in X.age.to_numpy()


# Under a limit.


def wide(columns=60, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(400, columns))
    y = (X[:, : columns // 2].sum(axis=1) > 0).astype(int)
    model = RandomForestClassifier(40, random_state=seed).fit(X, y)
    return X, pw.Explainer(model, X)


@pytest.fixture(scope="module")
def wide_one():
    X, explainer = wide()
    return explainer.explain(X[0], literals="intervals", time_limit=2)


def fresh(why):
    return replace(why)


def test_what_is_shown_is_found_and_no_more(wide_one):
    why = fresh(wide_one)
    asked = []
    finder = why.find_witnesses

    def find(wanted, clock):
        asked.extend(wanted)
        assert clock.limit == exclusions.WITNESS_SECONDS
        return finder(wanted, clock)

    why = replace(why, find_witnesses=find)
    str(why), why.to_dict(), why.features
    assert asked == []
    why._repr_html_()
    assert len(asked) == text.MOST_EXCLUSIONS < len(why._runs)
    lines = why.what_would_change_it.splitlines()
    assert len(asked) == text.MOST_EXCLUSIONS
    assert len(lines) == text.MOST_EXCLUSIONS + 1
    total = why.to_dict(witnesses=3)["excludes_total"]
    assert lines[-1] == f"({text.MOST_EXCLUSIONS} of {total} shown; all are in to_dict(witnesses=True))"
    assert len("\n".join(lines)) < 20_000
    assert len(why.to_dict(witnesses=3)["excludes"]) == 3
    assert len(asked) == text.MOST_EXCLUSIONS


def test_what_there_was_no_time_for_is_said(wide_one, monkeypatch):
    monkeypatch.setattr(exclusions, "WITNESS_SECONDS", 0.0)
    why = fresh(wide_one)
    record = why.to_dict(witnesses=True)
    assert record["excludes"] == [] and not why.witnesses_complete and why.witnesses == ()
    assert record["excludes_total"] == len(why._runs)
    assert text.write_exclusions(record) == f"(0 of {len(why._runs)} shown; the rest was not found in 0 s)"


def test_a_pickled_explanation_keeps_what_was_looked_at(wide_one):
    import pickle

    why = fresh(wide_one)
    never = pickle.loads(pickle.dumps(why))
    assert never.to_dict(witnesses=True)["excludes"] == [] and not never.witnesses_complete
    assert "the model is not at hand" in never.to_dict(witnesses=True)["excludes_note"]
    shown = why.what_would_change_it
    assert pickle.loads(pickle.dumps(why)).what_would_change_it == shown


def test_long_names_and_many_changes_stay_short():
    item = {"text": "x" * 500, "decision": "a", "shown": {f"{'n' * 300} {i}": "1" for i in range(400)}}
    record = {"excludes": [item] * 500, "excludes_total": 500, "excludes_note": ""}
    shown = text.write_exclusions(record)
    assert len(shown) < 20_000
    assert "and 388 more changes" in shown and shown.endswith(
        "of 500 shown; all are in to_dict(witnesses=True))"
    )


def test_every_listed_explanation_has_witnesses_too():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X)
    for why in list(explainer.explanations(X[60], literals="intervals"))[:5]:
        assert why.witnesses_complete and why.witnesses
        for witness in why.witnesses:
            check_witness(explainer, why, witness)
            assert model.predict([witness.row])[0] == witness.decision != why.decision


def test_what_has_no_witnesses_says_nothing_about_them():
    X, y = load_iris(return_X_y=True)
    explainer = pw.Explainer(RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y), X)
    found = explainer.reasons(X[60], target=2)
    reason = next(x for x in found if isinstance(x, pw.Explanation))
    assert reason.what_would_change_it == "" and reason.to_dict(witnesses=True)["excludes_total"] == 0
