"""Gathering an audit report: every statement in it is true of the model, and every section survives every model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, make_classification
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.apps.report import Report
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput, UnknownName

QUICK: dict[str, Any] = {"explain": 4, "sample": 12, "time_limit": 6}
SECTIONS = ("model", "rows", "cases", "features", "rules", "properties", "robustness", "confirmation", "made")


@cache
def credit() -> pw.Explainer:
    data = load_credit()
    forest = RandomForestClassifier(12, max_depth=4, random_state=0).fit(data.X, data.y)
    return pw.Explainer(
        forest,
        data.X,
        feature_names=data.feature_names,
        class_names=data.class_names,
        units=data.units,
        domain=data.domain,
    )


def iris(*training: Any, **options: Any) -> pw.Explainer:
    data = load_iris()
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(data.data, data.target)
    names = {"feature_names": data.feature_names, "class_names": data.target_names}
    return pw.Explainer(forest, *training, **names, **options)


def lightgbm() -> pw.Explainer:
    from lightgbm import LGBMClassifier

    data = load_credit()
    frame = pd.DataFrame(data.X, columns=data.feature_names)
    for name, words in data.domain.items():
        frame[name] = frame[name].astype(int).map(words).astype("category")
    generator = np.random.default_rng(0)
    for name in ("age", "amount", "savings"):
        frame.loc[generator.random(len(frame)) < 0.1, name] = np.nan
    model = LGBMClassifier(n_estimators=12, num_leaves=6, n_jobs=1, verbose=-1).fit(frame, data.y)
    return pw.Explainer(model, frame, class_names=data.class_names, units=data.units, threshold=0.6)


def xgboost() -> pw.Explainer:
    from xgboost import XGBClassifier

    data = load_breast_cancer()
    model = XGBClassifier(n_estimators=15, max_depth=3, n_jobs=1).fit(data.data, data.target)
    return pw.Explainer(model, data.data, feature_names=data.feature_names, class_names=data.target_names)


def regressor(**decision: Any) -> pw.Explainer:
    data = load_diabetes()
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(data.data, data.target)
    return pw.Explainer(model, data.data, feature_names=data.feature_names, **decision)


def digits() -> pw.Explainer:
    data = load_digits()
    return pw.Explainer(
        RandomForestClassifier(15, max_depth=5, random_state=0).fit(data.data, data.target), data.data
    )


def pipeline() -> pw.Explainer:
    data = load_iris()
    frame = pd.DataFrame(data.data, columns=data.feature_names)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0)
    return pw.Explainer(make_pipeline(StandardScaler(), forest).fit(frame, data.target), frame)


def sixty_features() -> pw.Explainer:
    X, y = make_classification(300, 60, n_informative=20, random_state=0)
    return pw.Explainer(RandomForestClassifier(15, max_depth=5, random_state=0).fit(X, y), X)


def one_tree() -> pw.Explainer:
    data = load_iris()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.data, data.target)
    return pw.Explainer(tree, data.data)


def one_leaf() -> pw.Explainer:
    data = load_iris()
    tree = DecisionTreeClassifier(min_impurity_decrease=1.0).fit(data.data, data.target)
    return pw.Explainer(tree, data.data)


MODELS = {
    "credit": credit,
    "LightGBM with categories and missing values": lightgbm,
    "XGBoost": xgboost,
    "regressor at a threshold": lambda: regressor(threshold=150),
    "regressor between": lambda: regressor(between=(100, 200)),
    "ten classes": digits,
    "pipeline": pipeline,
    "sixty features": sixty_features,
    "one tree": one_tree,
    "one leaf": one_leaf,
    "no rows": iris,
    "majority": lambda: iris(load_iris().data, vote="majority"),
    "any order": lambda: iris(load_iris().data, summation="any"),
    "constraint": lambda: iris(load_iris().data, constraints=['"petal width (cm)" <= "petal length (cm)"']),
}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name == "sixty features" else name for name in MODELS]


@cache
def reported(name: str) -> tuple[pw.Explainer, Report]:
    explainer = MODELS[name]()
    return explainer, explainer.report(**QUICK)


def decide(explainer: pw.Explainer, rows: Any) -> list[object]:
    """What the library itself decides, with the cut-off of the explainer; the majority is counted by hand."""
    rows = np.array([[np.nan if x is None else x for x in row] for row in rows], dtype=float)
    ensemble = explainer.ensemble
    assert ensemble is not None
    model, names = explainer.model, explainer.class_names
    if explainer._model.vote == "majority":
        votes = np.array([tree.predict(rows) for tree in model.estimators_]).astype(int)
        counts = np.array([(votes == label).sum(axis=0) for label in range(len(names))])
        return [names[label] for label in counts.argmax(axis=0)]
    if hasattr(model, "feature_names_in_") and not ensemble.categories:
        rows = pd.DataFrame(rows, columns=model.feature_names_in_)
    if explainer.rule.is_own:
        own = model.predict(rows).tolist()
        return [names[list(ensemble.classes).index(label)] for label in own]
    # LightGBM's booster takes the codes that rows have here.
    outputs = model.booster_.predict(rows) if ensemble.categories else model.predict(rows)
    if explainer.rule.threshold is not None:
        return [names[int(x >= explainer.rule.threshold)] for x in outputs]
    low, high = explainer.rule.between
    return [names[int(x >= low) + int(x > high)] for x in outputs]


@pytest.mark.parametrize("name", NAMES)
def test_every_section_survives_every_model(name: str) -> None:
    _, report = reported(name)
    record = report.to_dict()
    assert all(section in record for section in SECTIONS)
    assert json.loads(report.to_json()) == record
    assert report.to_html().startswith("<!DOCTYPE html>")
    assert record["title"] in str(report)
    assert record["confirmation"]["agree"] == record["confirmation"]["rows"]


@pytest.mark.parametrize("name", NAMES)
def test_the_model_decides_about_every_row_of_evidence_as_the_report_says(name: str) -> None:
    explainer, report = reported(name)
    record = report.to_dict()
    rows, said = [], []
    for item in record["cases"]["items"]:
        for witness in item["why"]["excludes"]:
            rows.append(witness["row"])
            said.append(witness["decision"])
        if item["nearest"]["row"] is not None:
            rows.append(item["nearest"]["row"])
            said.append(item["nearest"]["other"])
    for item in record["properties"]["items"]:
        rows += item["witnesses"]
        said += item["decisions"]
    for item in record["robustness"].get("least_robust", []):
        if item["nearest"] is not None:
            rows.append(item["nearest"]["row"])
            said.append(item["nearest"]["decision"])
    assert rows or name == "one leaf"
    if rows:
        assert [str(x) for x in decide(explainer, rows)] == [str(x) for x in said]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "no rows"])
def test_rules_and_explanations_hold_for_rows_drawn_inside_them(name: str) -> None:
    explainer, report = reported(name)
    record = report.to_dict()
    rows = explainer.rows
    literals = [rule for rule in record["rules"]["rules"] if rule["literals"]]
    literals += [item["why"] for item in record["cases"]["items"] if item["why"]["literals"]]
    generator = np.random.default_rng(0)
    for one in literals[:12]:
        drawn = rows[generator.integers(0, len(rows), 40)].copy()
        for column in range(drawn.shape[1]):  # strangers: each column from another row
            drawn[:, column] = rows[generator.integers(0, len(rows), 40), column]
        for literal in one["literals"]:
            place(explainer, drawn, literal, generator)
        points = explainer.domain.points(drawn)
        drawn = drawn[(points >= 0).all(axis=1) & explainer.domain.possible(drawn, points)]
        assert {str(x) for x in decide(explainer, drawn)} <= {str(one["decision"])}


def place(explainer: pw.Explainer, rows: Any, literal: dict[str, Any], generator: Any) -> None:
    """Put numbers that a literal allows into rows, its ends among them."""
    feature = next(f for f in explainer.domain.features if f.name == literal["feature"])
    if "values" in literal:
        codes = [code for code, name in feature.patterns.items() if name in literal["values"]]
        rows[:, feature.columns] = np.array(codes)[generator.integers(0, len(codes), len(rows))]
        if literal["missing"]:
            rows[0, feature.columns] = np.nan
        return
    pieces = [
        (-np.inf if p["low"] is None else p["low"], np.inf if p["high"] is None else p["high"], p["closed"])
        for p in literal["intervals"]
    ]
    for i, k in enumerate(generator.integers(0, len(pieces), len(rows)) if pieces else ()):
        low, high, closed = pieces[k]
        low = low if closed in ("left", "both") else np.nextafter(low, np.inf)
        high = high if closed in ("right", "both") else np.nextafter(high, -np.inf)
        low, high = max(low, -1e6), min(high, 1e6)
        rows[i, feature.column] = (low, high, generator.uniform(low, high))[i % 3]
    if literal["missing"]:
        rows[:: 2 if pieces else 1, feature.column] = np.nan


def test_counts_are_those_of_the_rows() -> None:
    explainer, report = reported("credit")
    record = report.to_dict()
    own = decide(explainer, explainer.rows)
    assert {one["decision"]: one["rows"] for one in record["rows"]["decisions"]} == {
        name: own.count(name) for name in explainer.class_names
    }
    rules = explainer.rules(literals="intervals", most_rules=record["rules"]["most_rules"])
    assert [rule["covers"] for rule in record["rules"]["rules"]] == [
        int(rule.covers(explainer.rows).sum()) for rule in rules
    ]
    assert record["rules"]["counted"] - record["rules"]["covered"] == sum(rules.uncovered.values())


def test_radii_are_proved_and_counted() -> None:
    explainer, report = reported("credit")
    found = report.to_dict()["robustness"]
    again = [
        explainer.robustness(explainer.rows[one["row"]], relative=True, time_limit=None).radius
        for one in found["rows"]
    ]
    assert [one["radius"] for one in found["rows"]] == again == sorted(again)
    assert sum(found["histogram"]["counts"]) + found["unmoved"] == found["measured"] == 12
    assert found["least_robust"][0]["radius"] == found["least"] == again[0]


def test_what_a_feature_does_alone_is_exact_for_the_rows_tried() -> None:
    explainer, report = reported("credit")
    settings = report.to_dict()["made"]["settings"]
    rows = explainer.rows[
        np.random.default_rng(settings["seed"]).permutation(len(explainer.rows))[: settings["sample"]]
    ]
    found = {item["feature"]: item["alone"] for item in report.to_dict()["features"]["items"]}
    age = explainer.domain.column_names.index("age")
    tests = np.concatenate([tree.threshold[tree.feature == age] for tree in explainer.ensemble.trees])
    changed = 0
    for row in rows:
        table = np.repeat(row[None, :], 2 * len(tests), axis=0)
        table[:, age] = np.concatenate([np.nextafter(tests, np.inf) + 1e-3, tests - 1e-3])
        changed += len(set(decide(explainer, np.vstack([row, table])))) > 1
    assert found["age"] == changed


@pytest.mark.parametrize("name", ["credit", "XGBoost", "regressor between"])
def test_what_is_said_of_features_agrees_with_verify(name: str) -> None:
    explainer, report = reported(name)
    for item in report.to_dict()["properties"]["items"][:8]:
        (feature,) = item["features"]
        asked = pw.independent_of(feature)
        if item["kind"] != "independent":
            asked = pw.monotone(feature, item["kind"])
        again = explainer.verify(asked)
        assert item["property"] == again.stated
        assert item["outcome"] == again.outcome
        assert item["differ_in"] in ([], [feature])


def test_monotonicity_is_asked_only_where_decisions_have_an_order() -> None:
    kinds = {item["kind"] for item in reported("credit")[1].to_dict()["properties"]["items"]}
    assert kinds == {"independent", "increasing", "decreasing"}
    many = reported("ten classes")[1].to_dict()["properties"]
    assert not many["ordered"] and {item["kind"] for item in many["items"]} == {"independent"}


def test_stated_properties_are_verified_with_rows_that_show_it() -> None:
    explainer = credit()
    stated = [
        "duration > 100 -> declined",
        pw.monotone("duration", "decreasing"),
        pw.independent_of("housing", "age"),
        pw.output(at_least=0.0, at_most=1.0),
    ]
    found = explainer.report(properties=stated, **QUICK).to_dict()["properties"]
    assert found["stated"]
    assert [item["outcome"] for item in found["items"]] == [explainer.verify(one).outcome for one in stated]
    for item in found["items"]:
        for shown, witness in zip(item["shown"], item["witnesses"], strict=True):
            assert float(shown["duration"].removesuffix(" months")) == witness[1]


def test_wrong_properties_are_refused_before_time_is_spent() -> None:
    seen: list[str] = []
    with pytest.raises(InvalidInput, match="agee"):
        credit().report(properties=["agee < 18 -> declined"], watcher=lambda name, *_: seen.append(name))
    with pytest.raises(UnknownName, match="aproved"):
        credit().report(properties=["age < 18 -> aproved"], watcher=lambda name, *_: seen.append(name))
    assert set(seen) <= {"properties"}
    with pytest.raises(InvalidInput, match="properties must be a list"):
        credit().report(properties="age < 18 -> declined")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows": [1000]}, "the rows are 0 to 999"),
        ({"rows": "0"}, "list of row numbers"),
        ({"explain": -1}, "explain must be a whole number"),
        ({"sample": 0}, "sample must be a whole number"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"literals": "words"}, "words"),
        ({"time_limit": 0}, "time_limit"),
        ({"X": np.empty((0, 11))}, "no rows"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        credit().report(**options)


def test_what_has_no_decision_or_no_rows_is_refused() -> None:
    A = pw.Variable("A", [1, 2])
    with pytest.raises(InvalidInput, match="an expression has none"):
        pw.Explainer(A == 1).report()
    with pytest.raises(InvalidInput, match="threshold"):
        regressor().report()
    with pytest.raises(InvalidInput, match='engine="bdd"'):
        iris(vote="majority", engine="bdd").report()


def test_rows_may_be_named_and_keep_the_labels_of_a_frame() -> None:
    data = load_credit()
    frame = pd.DataFrame(data.X[:20], columns=data.feature_names, index=[f"case {i}" for i in range(20)])
    record = credit().report(frame, rows=[3, 17], **QUICK).to_dict()
    assert [item["label"] for item in record["cases"]["items"]] == ["case 3", "case 17"]
    assert {item["chosen"] for item in record["cases"]["items"]} == {"asked for"}
    assert record["rows"]["source"] == "given" and record["rows"]["training"] == 1000
    assert record["rules"]["counted"] == 20


def test_training_rows_that_are_given_are_not_told_twice() -> None:
    data = load_credit()
    report = credit().report(data.X, **QUICK)
    assert report.to_dict()["rows"]["source"] == "training"
    assert "the explainer also has" not in report.to_html()
    assert "the explainer also has 1,000 training rows" in credit().report(data.X[:20], **QUICK).to_html()


def test_rows_without_training_rows_serve_for_counts_and_ranges() -> None:
    record = iris().report(load_iris().data[::2], **QUICK).to_dict()
    assert record["rules"]["grown_from"] == {"source": "given", "rows": 75, "of": 75}
    assert record["robustness"]["ranges"] == "given"
    assert all(item["why"]["coverage"] is None for item in record["cases"]["items"])


def test_rows_that_are_not_possible_are_said_to_be_so() -> None:
    rows = load_credit().X[:10].copy()
    rows[0, 0], rows[1, 1] = 17, np.nan
    record = credit().report(rows, rows=[0, 1, 2], **QUICK).to_dict()
    assert record["rows"]["outside"] == 2
    assert [item["problem"] is None for item in record["cases"]["items"]] == [False, False, True]
    assert "missing" in record["cases"]["items"][1]["problem"]


def test_rows_are_chosen_from_every_decision_the_least_certain_first() -> None:
    explainer, _ = reported("ten classes")
    record = explainer.report(**{**QUICK, "explain": 10}).to_dict()
    assert sorted(item["why"]["decision"] for item in record["cases"]["items"]) == list(range(10))
    assert {item["chosen"] for item in record["cases"]["items"]} == {"least certain"}
    for item in record["cases"]["items"]:
        scores = np.sort(explainer.model.predict_proba(explainer.rows), axis=1)
        alike = explainer.model.predict(explainer.rows) == item["why"]["decision"]
        margins = (scores[:, -1] - scores[:, -2])[alike]
        assert scores[item["row"], -1] - scores[item["row"], -2] == pytest.approx(margins.min())


def test_limits_that_are_hit_are_said() -> None:
    data = load_credit()
    forest = RandomForestClassifier(40, random_state=0).fit(data.X, data.y)
    explainer = pw.Explainer(forest, data.X, feature_names=data.feature_names, class_names=data.class_names)
    report = explainer.report(explain=8, sample=20, time_limit=3, work_limit=1)
    record = report.to_dict()
    early = record["cases"]["statuses"]["interrupted"]
    assert early > 1
    assert f"{early} explanations were stopped early: what they say holds" in str(report)
    assert record["features"]["proved"] < record["features"]["explained"]
    assert record["confirmation"]["agree"] == record["confirmation"]["rows"] > 0
    for item in record["cases"]["items"]:
        assert item["why"]["decision"] == decide(explainer, [explainer.rows[item["row"]]])[0]


def test_with_a_limit_of_work_the_report_is_the_same_each_time() -> None:
    found = []
    for _ in range(2):
        record = credit().report(explain=3, sample=6, time_limit=None, work_limit=200).to_dict()
        record["made"] = {k: v for k, v in record["made"].items() if k not in ("date", "seconds")}
        found.append(record)
    assert found[0] == found[1]


def test_progress_is_told_section_by_section() -> None:
    seen: list[tuple[str, int, int]] = []
    iris(load_iris().data).report(**QUICK, watcher=lambda *told: seen.append(told))
    names = list(dict.fromkeys(name for name, _, _ in seen))
    assert names == ["sensitivity", "model", "cases", "robustness", "properties", "features", "rules"]
    for name in names:
        done = [(now, total) for other, now, total in seen if other == name]
        assert done == sorted(done) and done[-1][0] == done[-1][1]


def test_a_report_that_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    def stop(section: str, done: int, total: int) -> None:
        if section == "rules":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        iris(load_iris().data).report(**QUICK, watcher=stop).save(tmp_path / "audit.html")
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_saved_as_a_page_or_as_a_record(tmp_path: Path) -> None:
    _, report = reported("one tree")
    report.save(tmp_path / "audit.html")
    report.save(str(tmp_path / "audit.json"))
    assert (tmp_path / "audit.html").read_text("utf-8") == report.to_html()
    assert json.loads((tmp_path / "audit.json").read_text("utf-8")) == report.to_dict()
    with pytest.raises(InvalidInput, match=r"\.html or as \.json"):
        report.save(tmp_path / "audit.pdf")
    assert len(list(tmp_path.iterdir())) == 2
    assert repr(report) == f"<Report: {report.title}>"


def test_digests_and_versions_tell_what_was_audited() -> None:
    import hashlib

    import lightgbm as library

    explainer, report = reported("LightGBM with categories and missing values")
    made = report.to_dict()["made"]
    rows = np.where(np.isnan(explainer.rows), np.nan, explainer.rows).astype("<f8")
    assert made["digests"]["training"] == hashlib.sha256(rows.tobytes()).hexdigest()
    assert made["digests"]["model"] == explainer.ensemble.digest
    assert made["versions"]["LightGBM"] == library.__version__
    assert made["versions"]["primewood"] == pw.__version__
    assert "XGBoost" not in made["versions"]


def test_the_description_of_a_model_is_plain() -> None:
    facts = iris(load_iris().data).describe()
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["trees"], facts["features"], facts["vote"]) == (10, 4, "mean")
    assert facts["diagram"]["compiles"] and facts["fidelity"]["differ"] == 0
    with pytest.raises(InvalidInput, match="an expression has none"):
        pw.Explainer(pw.Variable("A", [1, 2]) == 1).describe()
