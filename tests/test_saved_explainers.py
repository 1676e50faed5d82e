"""Saved explainers: what is read back answers as what was saved, and nothing damaged or foreign is read."""

from __future__ import annotations

import inspect
import io
import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput
from primewood.saving.values import read_value, write_value

CREDIT = load_credit()
IRIS = load_iris()
GENERATOR = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": GENERATOR.integers(18, 70, 200),
        "income": GENERATOR.normal(30, 8, 200),
        "job": GENERATOR.choice(["clerk", "nurse", "pilot"], 200),
    }
)
FRAME.loc[3, "income"] = np.nan
Y = np.where(
    FRAME.income.fillna(25) + FRAME.age / 10 + 3 * (FRAME.job == "pilot") > 35, "approved", "declined"
)


def credit_forest():
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(CREDIT.X, CREDIT.y)
    explainer = pw.Explainer(
        forest,
        CREDIT.X,
        feature_names=CREDIT.feature_names,
        class_names=CREDIT.class_names,
        domain={**CREDIT.domain, "age": pw.Number(18, whole=True), "duration": "whole"},
        units=CREDIT.units,
        immutable=(name for name in ["age"]),
        constraints=["duration <= 6 -> amount <= 20000"],
    )
    return explainer, CREDIT.X[:4]


def lightgbm_with_categories():
    from lightgbm import LGBMClassifier

    frame = FRAME.astype({"job": "category"})
    model = LGBMClassifier(n_estimators=6, num_leaves=5, n_jobs=1, verbose=-1, min_child_samples=5).fit(
        frame, Y
    )
    return pw.Explainer(model, frame), frame.head(4)


def xgboost_at_a_cut_off():
    from xgboost import XGBClassifier

    rows = FRAME[["age", "income"]].astype(float)
    model = XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1).fit(rows, (Y == "approved").astype(int))
    return pw.Explainer(model, rows, threshold=0.37, missing="allow"), rows.head(4)


def pipeline():
    columns = ColumnTransformer(
        [
            ("words", OneHotEncoder(handle_unknown="ignore"), ["job"]),
            ("numbers", SimpleImputer(), ["age", "income"]),
        ]
    )
    model = make_pipeline(columns, RandomForestClassifier(8, max_depth=3, random_state=0)).fit(FRAME, Y)
    return pw.Explainer(model, FRAME), FRAME.head(4)


def regressor():
    rows = FRAME[["age", "income"]].fillna(30.0)
    model = GradientBoostingRegressor(n_estimators=6, random_state=0).fit(rows, rows.income * 2)
    return pw.Explainer(model, rows, threshold=60), rows.head(4)


def regressor_between():
    rows = FRAME[["age", "income"]].fillna(30.0)
    model = GradientBoostingRegressor(n_estimators=6, random_state=0).fit(rows, rows.income * 2)
    return pw.Explainer(model, rows, between=(50, 65)), rows.head(4)


def regressor_around_a_row():
    rows = FRAME[["age", "income"]].fillna(30.0)
    model = GradientBoostingRegressor(n_estimators=6, random_state=0).fit(rows, rows.income * 2)
    return pw.Explainer(model, rows).around(rows.iloc[0], 4.0), rows.head(4)


def groups():
    dummies = pd.get_dummies(FRAME[["job", "age"]], columns=["job"], dtype=float)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(dummies, Y)
    return pw.Explainer(model, dummies, groups="auto"), dummies.head(4)


def ordered_grades():
    rows = np.column_stack([GENERATOR.integers(0, 4, 150), GENERATOR.normal(size=150)])
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, rows[:, 0] + rows[:, 1] > 1.5)
    grades = pw.ordered({0: "A", 1: "B", 2: "C", 3: "D"})
    return pw.Explainer(model, rows, feature_names=["grade", "x"], domain={"grade": grades}), rows[:4]


def frame_of_categories():
    rows = pd.DataFrame({"code": GENERATOR.integers(0, 4, 150), "x": GENERATOR.normal(size=150)})
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, (rows.code % 2) + (rows.x > 0))
    frame = rows.astype({"code": "category"})
    return pw.Explainer(model, frame), rows.head(4)


def majority():
    forest = RandomForestClassifier(7, max_depth=3, random_state=1).fit(IRIS.data, IRIS.target)
    return pw.Explainer(forest, IRIS.data, vote="majority", class_names=IRIS.target_names), IRIS.data[48:56]


def many_jobs():
    forest = RandomForestClassifier(7, max_depth=3, random_state=1, n_jobs=2).fit(IRIS.data, IRIS.target)
    return pw.Explainer(forest, IRIS.data, engine="search"), IRIS.data[48:52]


def without_rows():
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(IRIS.data, IRIS.target)
    return pw.Explainer(tree), IRIS.data[:4]


MADE = {
    make.__name__: make
    for make in (
        credit_forest,
        lightgbm_with_categories,
        xgboost_at_a_cut_off,
        pipeline,
        regressor,
        regressor_between,
        regressor_around_a_row,
        groups,
        ordered_grades,
        frame_of_categories,
        majority,
        many_jobs,
        without_rows,
    )
}


def some(rows):
    return [rows.iloc[i] for i in range(len(rows))] if hasattr(rows, "iloc") else list(rows)


def answers(explainer, rows):
    """What an explainer says to many questions, in plain types, times aside."""
    limit = {"work_limit": 20_000, "time_limit": None}
    found = [str(explainer.class_names), str(explainer.fidelity), explainer.agreement]
    for x in some(rows):
        found.append(explainer.decide(x))
        for literals in ("sets", "intervals", "values"):
            why = explainer.explain(x, literals=literals, **limit)
            found += [why.to_dict(witnesses=True, distribution=True), str(why), why.to_text(exact=True)]
    x = some(rows)[0]
    found.append(explainer.explain(x, goal="shortest", literals="values", **limit).to_dict())
    found.append(explainer.counterfactual(x, **limit).to_dict())
    found.append(explainer.contrast(x, **limit).to_dict())
    found.append(explainer.relevance(x, **limit).to_dict())
    found.append(explainer(rows, **limit).to_frame().drop(columns="seconds", errors="ignore").to_dict())
    return [timeless(x) for x in found]


def timeless(answer):
    """An answer without the seconds that it took; a history is of seconds and bounds."""
    if isinstance(answer, dict):
        timed = ("seconds", "history")
        return {key: timeless(value) for key, value in answer.items() if str(key) not in timed}
    return [timeless(x) for x in answer] if isinstance(answer, list | tuple) else repr(answer)


@pytest.mark.parametrize("name", MADE)
def test_an_explainer_that_is_read_back_gives_the_identical_answers(name, tmp_path):
    explainer, rows = MADE[name]()
    explainer.save(tmp_path / "a.explainer")
    again = pw.load(tmp_path / "a.explainer")
    assert type(again) is pw.Explainer and isinstance(again.model, pw.Ensemble)
    assert again.ensemble.digest == explainer.ensemble.digest
    assert again.domain.assumptions == explainer.domain.assumptions
    assert np.array_equal(again.rows, explainer.rows, equal_nan=True)
    assert again.immutable == explainer.immutable and again.notes == explainer.notes
    assert answers(again, rows) == answers(explainer, rows)


def test_what_is_saved_twice_is_the_same(tmp_path):
    explainer, _ = credit_forest()
    explainer.save(tmp_path / "first")
    pw.load(tmp_path / "first").save(tmp_path / "second")
    documents = [document_in(tmp_path / name) for name in ("first", "second")]
    assert documents[0] == documents[1]


def test_an_explainer_of_an_expression_is_read_back(tmp_path):
    A, B = (
        pw.Variable("A", [1, 2, 3]),
        pw.Variable.numeric("B", cuts=[0.1, 0.30000000000000004], closed="left"),
    )
    explainer = pw.Explainer((A == 2) | (B >= 0.30000000000000004), class_names=["no", "yes"])
    explainer.save(tmp_path / "e")
    again = pw.load(tmp_path / "e")
    x = {"A": 1, "B": 0.5}
    assert again.explain(x).to_dict() == explainer.explain(x).to_dict()
    assert again.model.variables == explainer.model.variables


def test_load_tells_explainers_ensembles_and_diagrams_apart_by_what_they_hold(tmp_path):
    explainer, _ = without_rows()
    for name in ("thing.json", "thing.diagram", "thing"):
        path = tmp_path / name
        explainer.save(path)
        assert type(pw.load(path)) is pw.Explainer
        explainer.ensemble.save(path)
        assert type(pw.load(str(path))) is pw.Ensemble
        explainer.compile().save(path)
        assert type(pw.load(path)) is pw.answers.Compiled


def test_the_options_are_kept_as_they_were_when_the_explainer_was_made(tmp_path):
    domain = {"petal width (cm)": pw.Number(0, 10)}
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(IRIS.data, IRIS.target)
    explainer = pw.Explainer(tree, IRIS.data, feature_names=IRIS.feature_names, domain=domain)
    domain["petal width (cm)"] = pw.Number(5, 6)
    explainer.save(tmp_path / "e")
    assert pw.load(tmp_path / "e").domain.assumptions == explainer.domain.assumptions


def test_every_option_of_the_constructor_can_be_kept():
    parameters = inspect.signature(pw.Explainer).parameters
    assert {"threshold", "groups", "missing", "trust_pickle"} <= set(parameters)
    for parameter in list(parameters.values())[2:]:
        assert read_value(write_value(parameter.default)) in (parameter.default, [])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        0.1,
        float("inf"),
        "text",
        [1, "two", None],
        {1.0: "a", 2.0: "b"},
        {"nested": {"x": [1.5]}},
        pw.Number(-1.5, whole=True),
        pw.ordered({0: "low", 1: "high"}),
    ],
)
def test_values_of_options_survive_json(value):
    assert read_value(json.loads(json.dumps(write_value(value), allow_nan=False))) == value


def test_an_option_that_no_file_can_keep_is_named(tmp_path):
    explainer, _ = without_rows()
    explainer._options = replace(explainer._options, units=object())
    with pytest.raises(InvalidInput, match="units cannot be saved: a file keeps text, numbers"):
        explainer.save(tmp_path / "e")
    assert not list(tmp_path.iterdir())


# Files that are damaged, foreign or newer


def document_in(path):
    with np.load(path, allow_pickle=False) as archive:
        return json.loads(bytes(archive["document"]))


def rewritten(path, change=None, **arrays):
    """Write the file again with its document changed."""
    with np.load(path, allow_pickle=False) as archive:
        held = {name: archive[name] for name in archive.files}
    document = json.loads(bytes(held.pop("document")))
    document = change(document) if change else document
    raw = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, document=raw, **{**held, **arrays})


def with_option(name, value):
    return lambda document: {**document, "options": {**document["options"], name: value}}


def with_ensemble(**fields):
    def change(document):
        ensemble = {**document["model"]["ensemble"], **fields}
        return {**document, "model": {**document["model"], "ensemble": ensemble}}

    return change


TAMPERED = {
    "version as text": lambda d: {**d, "version": "1"},
    "no options": lambda d: {key: value for key, value in d.items() if key != "options"},
    "options that are a list": lambda d: {**d, "options": [1]},
    "an option that does not exist": with_option("colour", "red"),
    "an option with an unknown mark": with_option("domain", {"code": "print(1)"}),
    "a domain that is a number": with_option("domain", 3),
    "a name of no feature": with_option("domain", {"mapping": [["nothing", "whole"]]}),
    "a threshold that is text": with_option("threshold", "0.5"),
    "an engine that does not exist": with_option("engine", "magic"),
    "immutable as text": with_option("immutable", "age"),
    "a number with text": with_option("domain", {"mapping": [["age", {"number": ["a", 1, True]}]]}),
    "fidelity of one count": lambda d: {**d, "fidelity": [3]},
    "fidelity of fractions": lambda d: {**d, "fidelity": [3.5, 0]},
    "fidelity that is less than nothing": lambda d: {**d, "fidelity": [3, 4]},
    "notes that are text": lambda d: {**d, "notes": "all is well"},
    "no model": lambda d: {**d, "model": {}},
    "another digest": lambda d: {**d, "model": {**d["model"], "digest": "0" * 16}},
    "another cut-off": with_ensemble(slope=2.0),
    "a source that is a number": with_ensemble(source=3),
    "missing values as text": with_ensemble(allows_missing="yes"),
    "features that are numbers": with_ensemble(feature_names=[1, 2]),
    "trees that are none": with_ensemble(trees=[{}]),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_explainer_is_refused(name, tmp_path):
    explainer, _ = credit_forest()
    path = tmp_path / "a.explainer"
    explainer.save(path)
    rewritten(path)
    assert pw.load(path).class_names == explainer.class_names, "writing it again changes nothing"
    rewritten(path, TAMPERED[name])
    with pytest.raises(InvalidInput, match=r"a\.explainer is damaged"):
        pw.load(path)


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros(3),
        np.zeros((2, 3)),
        np.full((2, 10), "a"),
        np.zeros((2, 10), dtype=np.int64),
        np.full((2, 10), np.inf),
    ],
)
def test_training_rows_that_do_not_fit_are_refused(rows, tmp_path):
    explainer, _ = credit_forest()
    path = tmp_path / "a.explainer"
    explainer.save(path)
    rewritten(path, rows=rows)
    with pytest.raises(InvalidInput, match=r"a\.explainer is damaged"):
        pw.load(path)


def test_a_file_of_a_newer_primewood_says_so(tmp_path):
    path = tmp_path / "new.explainer"
    without_rows()[0].save(path)
    rewritten(path, lambda document: {**document, "version": 99})
    with pytest.raises(InvalidInput, match=r"new\.explainer was written by a newer primewood.*upgrade"):
        pw.load(path)


def test_a_file_that_is_cut_off_or_changed_anywhere_is_refused(tmp_path):
    path = tmp_path / "a.explainer"
    without_rows()[0].save(path)
    whole = path.read_bytes()
    for end in np.linspace(0, len(whole) - 1, 40).astype(int).tolist():
        path.write_bytes(whole[:end])
        with pytest.raises(InvalidInput, match=r"a\.explainer"):
            pw.load(path)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
    with pytest.raises(InvalidInput, match=r"a\.explainer"):
        pw.load(path)


def zip_of(**members):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return held.getvalue()


class Runs:
    def __reduce__(self):
        return (open, ("/tmp/primewood-ran-a-pickle", "w"))


def npy(array, **options):
    held = io.BytesIO()
    np.save(held, array, **options)
    return held.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        b"nonsense",
        pickle.dumps({"format": "primewood explainer"}),
        zip_of(document=b"nonsense"),
        zip_of(other=npy(np.zeros(3))),
        zip_of(document=npy(np.frombuffer(b'{"format": "elsewhere"}', dtype=np.uint8))),
        zip_of(document=npy(np.frombuffer(b"[1, 2]", dtype=np.uint8))),
        zip_of(document=npy(np.array([Runs()], dtype=object), allow_pickle=True)),
    ],
)
def test_a_foreign_file_is_refused_and_no_code_in_it_runs(content, tmp_path):
    path = tmp_path / "a.file"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"a\.file is not an explainer or a compiled model of primewood"):
        pw.load(path)


def test_there_is_no_such_file(tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        pw.load(tmp_path / "nothing")


def test_an_explainer_cannot_be_written_into_a_folder_that_does_not_exist(tmp_path):
    explainer, _ = without_rows()
    with pytest.raises(InvalidInput, match="cannot be written"):
        explainer.save(tmp_path / "nothing" / "e")
