"""Batches: the labels of their rows, what they hold, their frames and summaries, counted again."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.data.credit import load_credit

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
CLASSES = ["setosa", "versicolor", "virginica"]
SOME = np.array([0, 60, 113, 77, 149])


@pytest.fixture(scope="module")
def explainer():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    return pw.Explainer(forest, X, feature_names=NAMES, class_names=CLASSES, literals="sets")


@pytest.fixture(scope="module")
def X():
    return load_iris().data


def frame_of(X, index=None):
    return pd.DataFrame(X[SOME], columns=NAMES, index=index)


INDEXES = {
    "letters": pd.Index(list("edcba"), name="id"),
    "duplicates": pd.Index([7, 7, 3, 3, 7]),
    "descending": pd.RangeIndex(50, 0, -10),
    "tuples": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)], names=["k", "n"]),
    "days": pd.date_range("2024-02-27", periods=5, tz="Europe/Vienna"),
    "categories": pd.CategoricalIndex(list("vwxyz")),
    "mixed": pd.Index([1, "a", None, 2.5, (3, 4)], dtype=object),
}


# The labels of the rows.


@pytest.mark.parametrize("kind", INDEXES)
def test_the_index_of_a_frame_is_kept(explainer, X, kind):
    index = INDEXES[kind]
    batch = explainer(frame_of(X, index))
    assert batch.index.equals(index) and batch.index.names == index.names
    pd.testing.assert_index_equal(batch.to_frame().index, index)
    assert len(batch.to_dict()["index"]) == 5
    for places in (slice(1, 4), slice(None, None, -2), [4, 0], np.array([True, False, True, True, False])):
        assert batch[places].index.equals(index[places])


@pytest.mark.parametrize("kind", ["letters", "descending", "tuples", "days", "categories"])
def test_rows_by_label(explainer, X, kind):
    index = INDEXES[kind]
    batch = explainer(frame_of(X, index))
    for place, label in enumerate(index):
        assert batch.loc(label) is batch[place]


def test_the_first_of_several_rows_with_a_label(explainer, X):
    batch = explainer(frame_of(X, INDEXES["duplicates"]))
    assert batch.loc(7) is batch[0] and batch.loc(3) is batch[2]
    with pytest.raises(pw.errors.UnknownName, match="no row is labelled 5"):
        batch.loc(5)
    with pytest.raises(pw.errors.UnknownName, match="no row is labelled"):
        batch.loc("a")


@pytest.mark.parametrize("kind", ["letters", "tuples", "categories"])
def test_the_index_of_literals_is_of_the_same_kind(explainer, X, kind):
    batch = explainer(frame_of(X, INDEXES[kind]))
    found = batch.to_frame("literals").index
    assert found.names == INDEXES[kind].names
    assert type(found) is type(INDEXES[kind])


@pytest.mark.parametrize("rows", ["array", "lists", "tuples", "polars"])
def test_rows_without_labels_are_counted(explainer, X, rows):
    given = {
        "array": X[SOME],
        "lists": X[SOME].tolist(),
        "tuples": tuple(map(tuple, X[SOME].tolist())),
        "polars": pl.DataFrame(X[SOME], schema=NAMES),
    }[rows]
    batch = explainer(given)
    assert batch.index.tolist() == [0, 1, 2, 3, 4]
    assert batch.loc(3) is batch[3]
    with pytest.raises(pw.errors.UnknownName):
        batch.loc("a")
    assert isinstance(batch.to_frame(), pl.DataFrame if rows == "polars" else pd.DataFrame)


# A sequence.


def test_a_batch_is_a_sequence(explainer, X):
    batch = explainer(X[SOME])
    assert len(batch) == 5 and list(batch) == [batch[i] for i in range(5)]
    assert batch[-1] is batch[4] and batch[np.int64(2)] is batch.explanations[2]
    assert list(reversed(batch)) == list(batch)[::-1]
    assert batch[1] in batch
    for wrong in (5, -6):
        with pytest.raises(IndexError):
            batch[wrong]


def test_parts_of_a_batch(explainer, X):
    batch = explainer(X[SOME])
    parts = [
        (slice(None), [0, 1, 2, 3, 4]),
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [4, 3, 2, 1, 0]),
        (slice(9, 12), []),
        ([3, 1, 1], [3, 1, 1]),
        ([-1, 0], [4, 0]),
        (np.array([2]), [2]),
        (np.array([], dtype=int), []),
        (batch.decisions == "virginica", [i for i in range(5) if batch[i].decision == "virginica"]),
        (pd.Series([True, False, False, False, True]), [0, 4]),
        (np.zeros(5, dtype=bool), []),
    ]
    for places, expected in parts:
        part = batch[places]
        assert isinstance(part, pw.Batch)
        assert [id(why) for why in part] == [id(batch[i]) for i in expected]
        assert part.index.tolist() == expected
        assert part[::-1].index.tolist() == expected[::-1]
        assert part.summary().rows == len(part.to_frame()) == len(expected)


@pytest.mark.parametrize("places", ["a", 1.5, None])
def test_places_that_are_none(explainer, X, places):
    with pytest.raises(
        pw.errors.InvalidInput, match="indexed by a place, a slice, a mask or a list of places, not by"
    ):
        explainer(X[SOME])[places]


def test_a_mask_of_another_length(explainer, X):
    with pytest.raises(IndexError):
        explainer(X[SOME])[[True, False]]


def test_no_places_at_all(explainer, X):
    assert len(explainer(X[SOME])[[]]) == 0


def test_each_is_what_explain_says(explainer, X):
    batch = explainer(X[SOME])
    single = [explainer.explain(x) for x in X[SOME]]
    assert [why.to_dict() for why in batch] == [why.to_dict() for why in single]
    shown = [[[(w.feature, w.value) for w in why.witnesses] for why in whys] for whys in (batch, single)]
    assert shown[0] == shown[1]
    assert batch.decisions.tolist() == [explainer.decide(x) for x in X[SOME]]
    assert batch.status.tolist() == ["proved"] * 5
    record = batch.to_dict()
    assert record["explanations"] == [why.to_dict() for why in batch]
    assert record["summary"] == batch.summary().to_dict()


OPTIONS = [
    {"literals": "intervals"},
    {"literals": "values", "goal": "shortest"},
    {"goal": "widest", "measure": "volume"},
    {"fix": ["sepal width"]},
    {"avoid": ["petal width"]},
    {"only": ["petal width", "petal length"]},
    {"order": NAMES},
    {"weights": {"petal width": 9.0}},
    {"work_limit": 1, "time_limit": None},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options))
def test_options_are_passed_on(explainer, X, options):
    def told(why):
        record = why.to_dict()
        return {key: record[key] for key in record if key not in ("history", "queries")}

    batch = explainer(X[SOME], **options)
    assert [told(why) for why in batch] == [told(explainer.explain(x, **options)) for x in X[SOME]]


def test_regressors_within(X):
    rows, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(rows, y)
    explainer = pw.Explainer(forest, rows, literals="sets")
    batch = explainer(rows[:4], within=40)
    assert [why.rule for why in batch] == [explainer.explain(x, within=40).rule for x in rows[:4]]
    assert batch.summary().rows == 4 and len(batch.to_frame("literals"))
    for why, x in zip(batch, rows, strict=False):
        low, high = (float(part) for part in why.decision.split(" <= prediction <= "))
        assert low <= forest.predict([x])[0] <= high
        predicted = forest.predict(why.sample(100, 0))
        assert ((low <= predicted) & (predicted <= high)).all()
    with pytest.raises(pw.errors.InvalidInput, match="regressor"):
        explainer(rows[:4])


# What is refused.


def test_wrong_rows_are_refused_before_anything_is_computed(explainer, X, monkeypatch):
    monkeypatch.setattr(type(explainer), "explain", lambda *_, **__: pytest.fail("something was explained"))
    frame = frame_of(X)
    wrong = [
        frame.drop(columns="petal width"),
        frame.rename(columns={"petal width": "width"}),
        X[SOME][:, :3],
        X[0],
        [[1.0, 2.0, 3.0]],
        frame.assign(**{"petal width": "wide"}),
        [[1.0, 2.0, 3.0, np.inf]],
    ]
    for rows in wrong:
        with pytest.raises(pw.errors.InvalidInput):
            explainer(rows)


def test_wrong_options_are_refused(explainer, X):
    with pytest.raises(pw.errors.InvalidInput, match="goal"):
        explainer(X[SOME], goal="nicest")
    with pytest.raises(TypeError, match="colour"):
        explainer(X[SOME], colour="red")
    batch = explainer(X[SOME])
    with pytest.raises(pw.errors.InvalidInput, match="kind"):
        batch.to_frame("columns")
    with pytest.raises(pw.errors.InvalidInput, match="polars"):
        batch.to_frame(backend="arrow")
    with pytest.raises(pw.errors.InvalidInput, match="expression"):
        pw.Explainer(pw.Variable("A", [1, 2]) == 1, literals="sets")([[1]])


def test_a_row_that_the_domain_does_not_allow_is_named(X):
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, load_iris().target)
    explainer = pw.Explainer(
        forest, X, feature_names=NAMES, domain={"petal width": pw.Number(0, 3)}, literals="sets"
    )
    frame = frame_of(X, INDEXES["letters"])
    frame.loc["b", "petal width"] = 4.0
    with pytest.raises(pw.errors.InvalidInput, match=r"row 3|'b'"):
        explainer(frame)


# Frames.


def same(value, other):
    return value == other or (pd.isna(value) and pd.isna(other))


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_one_line_per_row(explainer, X, backend):
    batch = explainer(frame_of(X, INDEXES["letters"]))
    frame = batch.to_frame(backend=backend)
    lines = frame.to_dict("records") if backend == "pandas" else frame.to_dicts()
    assert len(lines) == 5
    if backend == "polars":
        assert frame["index"].to_list() == list("edcba")
    for line, why in zip(lines, batch, strict=True):
        expected = {
            "decision": why.decision,
            "status": "proved",
            "literal_language": "sets",
            "rule": why.rule,
        }
        expected |= {"score": why.score.value, "score_of": why.score.of, "cutoff": why.score.cutoff}
        expected |= {"size": len(why.features), "coverage": why.coverage, "volume": why.volume}
        said = {literal["feature"]: literal["text"] for literal in why.to_dict()["literals"]}
        expected |= {f"if {name}": said.get(name) for name in NAMES}
        assert set(line) - {"index"} == set(expected)
        assert all(same(line[key], value) for key, value in expected.items())


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_one_line_per_piece(backend):
    data = load_credit()
    forest = RandomForestClassifier(15, max_depth=4, random_state=0).fit(data.X, data.y)
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    explainer = pw.Explainer(forest, data.X, domain=data.domain, units=data.units, **names, literals="sets")
    batch = explainer(pd.DataFrame(data.X[:6], columns=data.feature_names, index=list("uvwxyz")))
    frame = batch.to_frame("literals", backend)
    lines = frame.reset_index().to_dict("records") if backend == "pandas" else frame.to_dicts()
    expected = []
    for label, why in zip("uvwxyz", batch, strict=True):
        for literal in why.to_dict()["literals"]:
            parts = literal.get("intervals", [{"low": None, "high": None, "closed": None}])
            expected += [(label, literal["feature"], literal.get("values"), part) for part in parts]
    assert len(lines) == len(expected) > len(batch)
    for line, (label, feature, values, part) in zip(lines, expected, strict=True):
        assert (line["index"], line["feature"]) == (label, feature)
        assert all(same(line[key], part[key]) for key in ("low", "high", "closed"))
        assert line["values"] == values or (values is None and not isinstance(line["values"], list))


def test_frames_have_the_kind_of_the_rows(explainer, X):
    assert isinstance(explainer(pl.DataFrame(X[SOME], schema=NAMES)).to_frame("literals"), pl.DataFrame)
    assert isinstance(explainer(frame_of(X)).to_frame("literals"), pd.DataFrame)
    assert isinstance(explainer(frame_of(X)).to_frame(backend="polars"), pl.DataFrame)


# Nothing at all.


def test_an_empty_batch(explainer, X):
    for rows in (X[:0], frame_of(X).iloc[:0], pl.DataFrame(X[:0], schema=NAMES)):
        batch = explainer(rows)
        assert len(batch) == 0 and list(batch) == [] and batch.status.tolist() == []
        assert len(batch[:3]) == len(batch[::-1]) == 0
        assert batch.summary().rows == 0 and batch.summary().coverage is None
        assert str(batch).startswith("0 explanations")
        assert batch.to_dict()["explanations"] == []
        for backend in ("pandas", "polars"):
            frame = batch.to_frame(backend=backend)
            assert len(frame) == 0 and {"decision", "rule", "size"} <= set(frame.columns)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_the_literals_of_an_empty_batch(explainer, X, backend):
    frame = explainer(X[:0]).to_frame("literals", backend)
    assert len(frame) == 0 and {"feature", "low", "high", "text"} <= set(frame.columns)


def test_explanations_without_literals(X):
    """A model that decides everything alike."""
    model = pw.Ensemble((pw.Tree.build((0, 5.0, [0, 1], [0, 1])),), tuple(NAMES), ("no", "yes"))
    batch = pw.Explainer(model, X, literals="sets")(X[SOME])
    assert batch[0].rule == "always yes"
    for backend in ("pandas", "polars"):
        assert len(batch.to_frame("literals", backend)) == 0
        assert batch.to_frame(backend=backend)["size"].to_list() == [0] * 5
    assert batch.summary().sizes == {0: 5}


# Summaries.


def test_a_summary_is_what_one_counts(explainer, X):
    batch = explainer(X[::7])
    summary = batch.summary()
    records = [why.to_dict() for why in batch]
    assert summary.rows == len(records)
    assert summary.decisions == Counter(record["decision"] for record in records)
    assert summary.statuses == {"proved": len(records)}
    used = Counter(literal["feature"] for record in records for literal in record["literals"])
    assert summary.features == {name: used[name] for name in NAMES}
    assert list(summary.features.values()) == sorted(summary.features.values(), reverse=True)
    assert list(summary.decisions.values()) == sorted(summary.decisions.values(), reverse=True)
    assert summary.sizes == Counter(len(record["literals"]) for record in records)
    assert list(summary.sizes) == sorted(summary.sizes)
    covers = sorted(float(np.mean(why.covers(X))) for why in batch)
    middle = (covers[(len(covers) - 1) // 2] + covers[len(covers) // 2]) / 2
    assert summary.coverage == pytest.approx((covers[0], middle, covers[-1]))
    text = str(batch)
    assert f"{len(records)} explanations: proved ({len(records)})" in text
    for name, count in Counter(record["decision"] for record in records).items():
        assert f"{name} ({count})" in text


def test_a_summary_without_training_rows(X):
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, load_iris().target)
    batch = pw.Explainer(forest, missing="forbid", literals="sets")(X[SOME])
    assert batch.summary().coverage is None and "training rows" not in str(batch)
    assert batch.summary().to_dict()["coverage"] is None


# Pickling, and comparing.


def test_pickling(explainer, X):
    batch = explainer(frame_of(X, INDEXES["tuples"]))
    for why in batch:  # witnesses are found when they are looked at; what was looked at is kept
        assert why.witnesses_complete
    loaded = pickle.loads(pickle.dumps(batch))
    assert loaded.index.equals(batch.index)
    assert loaded.summary() == batch.summary()
    for one, other in zip(loaded, batch, strict=True):
        assert one.to_dict(witnesses=True, distribution=True) == other.to_dict(
            witnesses=True, distribution=True
        )
        assert str(one) == str(other) and one.what_would_change_it == other.what_would_change_it
        assert (one.covers(X) == other.covers(X)).all()
        assert np.array_equal(one.sample(20, 0), other.sample(20, 0))


def test_a_pickled_explanation_equals_itself(explainer, X):
    why = explainer.explain(X[0])
    assert pickle.loads(pickle.dumps(why)) == why


def test_explanations_of_two_explainers_can_be_compared(X):
    forest = RandomForestClassifier(3, random_state=0).fit(X, load_iris().target)
    one, other = (pw.Explainer(forest, X, literals="sets").explain(X[0]) for _ in range(2))
    assert one == other


def test_batches_can_be_compared(explainer, X):
    assert explainer(X[SOME]) == explainer(X[SOME])
    assert explainer(X[SOME]) != explainer(X[SOME[:3]])


def test_explanations_can_be_put_into_sets(explainer, X):
    assert len({explainer.explain(X[0]), explainer.explain(X[0])}) == 1


def test_explanations_of_a_row_with_a_gap_are_equal():
    X = np.array([[0.0], [1.0], [2.0], [np.nan]] * 5)
    model = pw.Ensemble(
        (pw.Tree.build((0, 0.5, [1, 0], [0, 1])),), ("x",), ("no", "yes"), allows_missing=True
    )
    explainer = pw.Explainer(model, X, literals="sets")
    assert explainer.explain([np.nan]) == explainer.explain([np.nan])
    assert explainer.explain([np.nan]) in explainer(X)


def test_odd_names(X):
    y = load_iris().target
    for classes in (
        [10, 20, 30],
        [True, False, None],
        [np.str_("a"), np.str_("b"), np.str_("c")],
        ["x AND y", "", " "],
    ):
        forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
        explainer = pw.Explainer(
            forest,
            X,
            class_names=classes,
            feature_names=["index", "decision", "x AND y", "IF z"],
            literals="sets",
        )
        batch = explainer(X[SOME])
        assert [why.decision for why in batch] == batch.decisions.tolist()
        for kind, backend in itertools.product(("rows", "literals"), ("pandas", "polars")):
            assert len(batch.to_frame(kind, backend)) >= 5
        assert sum(batch.summary().to_dict()["decisions"].values()) == 5
        assert str(batch) and repr(batch)
