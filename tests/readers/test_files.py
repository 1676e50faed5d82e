"""Model files: every format that there is, what is damaged, and what comes from elsewhere."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

import primewood as pw
from model_files import FILES, X, Y
from primewood.cli.main import app
from primewood.ensemble import Categories
from primewood.errors import InvalidInput, PrimewoodError


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_read_by_the_library_and_by_the_commands(name, tmp_path):
    make, ending = FILES[name]
    model, path = make(tmp_path, ending)
    ensemble = pw.read(path)
    assert ensemble.predict(X).tolist() == model.predict(X).ravel().tolist()
    why = pw.Explainer(path, X).explain(X[3], literals="values")
    assert why.status == "proved" and why.to_dict()["model"] == ensemble.digest
    names = ensemble.feature_names
    rows = "\n".join(",".join(map(repr, row)) for row in X[:40].tolist())
    (tmp_path / "rows.csv").write_text(",".join(names) + "\n" + rows + "\n")
    for command in ("info", "explain"):
        run = CliRunner().invoke(app, [command, str(path), str(tmp_path / "rows.csv"), "--json"])
        assert run.exit_code == 0, run.output
        assert ensemble.digest in run.output


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_refused_in_one_line_that_names_them(name, tmp_path):
    make, ending = FILES[name]
    _, path = make(tmp_path, ending)
    whole = path.read_bytes()
    for damaged in (b"", b"nonsense", whole[: len(whole) // 3], whole[:-9], b"\x00" * 50, b"{}", b"[1, 2]"):
        path.write_bytes(damaged)
        with pytest.raises(PrimewoodError, match="model"):
            pw.read(path)


def test_a_json_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"learning_rate": 0.1}')
    with pytest.raises(InvalidInput, match=r"config\.json is JSON, but no model"):
        pw.read(path)
    with pytest.raises(InvalidInput, match="not an ensemble of primewood"):
        pw.load(path)


def test_a_pickle_needs_trust_and_the_message_says_why(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(DecisionTreeClassifier(max_depth=2).fit(X, Y)))
    with pytest.raises(InvalidInput, match="runs whatever code"):
        pw.read(path)
    run = CliRunner().invoke(app, ["info", str(path), "--trust-pickle", "--json"])
    assert run.exit_code == 0 and json.loads(run.output)["trees"] == 1


@pytest.mark.parametrize("ending", [".pkl", ".joblib"])
def test_trust_pickle_is_taken_wherever_a_model_is(ending, tmp_path):
    import joblib

    model, path = DecisionTreeClassifier(max_depth=2).fit(X, Y), tmp_path / f"model{ending}"
    joblib.dump(model, path)
    asked = {
        "read": lambda **trust: pw.read(path, **trust).digest,
        "Explainer": lambda **trust: pw.Explainer(path, X, **trust).ensemble.digest,
        "path as text": lambda **trust: pw.Explainer(str(path), X, **trust).ensemble.digest,
        "verify": lambda **trust: pw.verify(path, "x0 < 0 -> 0", X, **trust).to_dict()["model"],
        "compare": lambda **trust: pw.compare(path, path, X, **trust) and pw.read(model).digest,
        "compare with": lambda **trust: pw.Explainer(model).compare(path, **trust) and pw.read(model).digest,
        "compile": lambda **trust: pw.compile(path, X, **trust)._context.digest,
    }
    for name, ask in asked.items():
        with pytest.raises(InvalidInput, match=r"pass trust_pickle=True \(--trust-pickle\)"):
            ask()
        assert ask(trust_pickle=True) == pw.read(model).digest, name


MODELS = {
    "tree": lambda: DecisionTreeClassifier(max_depth=3).fit(*load_iris(return_X_y=True)),
    "boosted": lambda: GradientBoostingClassifier(n_estimators=4).fit(*load_iris(return_X_y=True)),
    "regressor": lambda: RandomForestRegressor(3, max_depth=4).fit(X, X[:, 0]),
    "pipeline": lambda: make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4)).fit(X, Y),
}


@pytest.mark.parametrize("name", MODELS)
def test_ensembles_keep_every_float(name, tmp_path):
    ensemble = pw.read(MODELS[name]())
    ensemble.save(tmp_path / "ensemble.json")
    again = pw.load(tmp_path / "ensemble.json")
    assert again.digest == ensemble.digest
    rows = np.random.default_rng(0).normal(size=(300, ensemble.n_features)) * 20
    assert (again.scores(rows) == ensemble.scores(rows)).all()
    assert again.classes == ensemble.classes and again.feature_names == ensemble.feature_names


def test_everything_that_an_ensemble_consists_of_is_in_its_file_and_in_its_digest(tmp_path):
    tree = pw.Tree.build((0, [-np.inf, 1.0, 2.0], [1.0], (1, 0.1, [0.25], [-1.0])))
    options = {
        "operator": "<",
        "dtype": "float32",
        "allows_missing": True,
        "never_missing": frozenset({1}),
        "vote": "sum",
        "start": (0.125,),
        "precision": "float32",
        "link": "logistic32",
        "slope": 0.5,
        "cuts": (0.25,),
        "categories": {0: Categories({0.0: "a", 1.0: "b"}, 2.0, by_text=True)},
        "largest_integer": 2.0**24,
    }
    ensemble = pw.Ensemble((tree,), ("x", "y"), ("no", "yes"), **options)
    ensemble.save(tmp_path / "e.json")
    again = pw.load(tmp_path / "e.json")
    for name, value in options.items():
        assert getattr(again, name) == value, name
    digests = {ensemble.digest}
    plain = {"slope": 1.0, "cuts": (0.5,), "start": (0.25,), "link": "identity", "never_missing": frozenset()}
    for name, value in plain.items():
        digests.add(pw.Ensemble((tree,), ("x", "y"), ("no", "yes"), **{**options, name: value}).digest)
    assert len(digests) == len(plain) + 1


def test_a_tampered_ensemble_is_refused(tmp_path):
    path = tmp_path / "e.json"
    pw.read(MODELS["tree"]()).save(path)
    document = json.loads(path.read_text())
    for key, value in [
        ("version", 99),
        ("trees", []),
        ("operator", "!="),
        ("trees", [{**document["trees"][0], "left": [7] * len(document["trees"][0]["left"])}]),
        ("classes", ["a"]),
    ]:
        path.write_text(json.dumps({**document, key: value}))
        with pytest.raises(InvalidInput, match=r"e\.json"):
            pw.load(path)
