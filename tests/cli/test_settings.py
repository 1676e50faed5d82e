"""How a model is read, by options of the call and by a settings file: classes, cut-offs, names, units, domains."""

from __future__ import annotations

import inspect
import json

import pandas as pd
import pytest

import primewood as pw
from primewood.cli.settings import KEYS

ROW = ("explain", "forest.skops", "rows.csv", "--row", 3)


def record(call, *arguments):
    done = call(*arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_stricter_cut_off_approves_less(files, call):
    counts = []
    for cutoff in (0.1, 0.5, 0.9):
        asked = ("explain", "forest.skops", "rows.csv", "--every-row", "--positive", "approved")
        told = call(*asked, "--threshold", cutoff, "--json").out
        counts.append(sum(json.loads(line)["decision"] == "approved" for line in told.splitlines()))
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[2]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--threshold", "0.9"], "threshold needs positive"),
        (["--threshold", "90", "--positive", "approved"], "did you mean 0.9?"),
        (["--threshold", "-1", "--positive", "approved"], "from 0 to 1"),
        (["--positive", "aproved"], "did you mean approved?"),
        (["--class-names", "aproved=yes"], "did you mean approved?"),
        (["--class-names", "denied,approved"], "by the name of another class"),
        (["--class-names", "approved=yes", "--class-names", "no"], "LABEL=NAME"),
        (["--feature-names", "a,b"], "2"),
        (["--units", "incom=EUR"], "incom"),
        (["--units", "EUR"], "--units is FEATURE=UNIT, not 'EUR'"),
        (["--domain", "agee=whole"], "agee"),
        (["--domain", "age=wohle"], "pass numeric, whole, boolean"),
        (["--domain", "age"], "--domain is FEATURE=KIND"),
        (["--domain", "age=whole", "--domain", "age=numeric"], "two entries for age"),
        (["--settings", "nowhere.toml"], "there is no file nowhere.toml"),
    ],
)
def test_what_cannot_be_meant_is_refused(files, call, more, words):
    done = call(*ROW, *more)
    assert done.code == 2 and words in done.err and not done.out, done.err


def test_an_answer_states_class_score_and_cut_off(files, call):
    for command in (["explain"], ["contrast"], ["flip"], ["adverse-action", "--favourable", "approved"]):
        asked = (command[0], "forest.skops", "rows.csv", "--row", 3, *command[1:])
        cut = ("--positive", "approved", "--threshold", "0.6")
        done = call(*asked, *cut)
        assert "P(approved) = 0" in done.out and "below the cut-off 0.60" in done.out, command
        told = record(call, *asked, *cut)["score"]
        assert told["decision"] == "denied" and "below the cut-off 0.60" in told["text"]


def test_classes_are_called_by_their_shown_names(files, call):
    shown = ("--class-names", "approved=yes", "--class-names", "denied=no")
    assert call(*ROW, *shown).out.splitlines()[0].endswith("THEN no")
    numbers = ("explain", "booster.json", "rows.csv", "--row", 3)
    for names in (["--class-names", "0=declined,1=granted"], ["--class-names", "declined,granted"]):
        assert call(*numbers, *names).out.splitlines()[0].endswith("THEN declined")
    assert record(call, *numbers, "--class-names", "0=declined", "--positive", 1)["decision"] == "declined"


def test_names_of_columns_are_matched_with_those_of_the_file(files, call, tmp_path):
    from sklearn.ensemble import RandomForestClassifier

    rows, y = pd.read_csv("rows.csv"), pd.read_csv("rows.csv").income > 50
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(rows.to_numpy(), y)
    pw.read(model).save(tmp_path / "bare.json")
    rows[rows.columns[::-1]].to_csv(tmp_path / "reversed.csv", index=False)
    asked = (
        "explain",
        tmp_path / "bare.json",
        tmp_path / "reversed.csv",
        "--feature-names",
        ",".join(rows.columns),
    )
    done = call(*asked, "--every-row", "--json")
    told = [json.loads(line)["decision"] for line in done.out.splitlines()]
    assert done.code == 0 and told == model.predict(rows.to_numpy()).tolist()


def test_units_and_domains_reach_the_words(files, call):
    told = call(
        *ROW,
        "--units",
        "income=EUR",
        "--domain",
        "age=whole",
        "--domain",
        "shoe=numeric",
    )
    assert " EUR" in told.out.splitlines()[0] and "age is a whole number" in told.out


SETTINGS = """
positive = "approved"
threshold = 0.6
literals = "values"
missing = "forbid"
constraints = ["income >= 10"]
[class_names]
approved = "yes"
denied = "no"
[units]
income = "EUR"
debt = "EUR"
[domain]
age = "whole"
income = {low = 0, high = 1000}
"""


def test_one_settings_file_says_it_all(files, call, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(SETTINGS)
    told = record(call, *ROW, "--settings", path)
    explainer = pw.Explainer(
        "forest.skops",
        pd.read_csv("rows.csv"),
        positive="approved",
        threshold=0.6,
        literals="values",
        missing="forbid",
        constraints=["income >= 10"],
        class_names={"approved": "yes", "denied": "no"},
        units={"income": "EUR", "debt": "EUR"},
        domain={"age": "whole", "income": pw.Number(0, 1000)},
    )
    expected = json.loads(explainer.explain(pd.read_csv("rows.csv").iloc[3]).to_json())
    for key in ("decision", "literal_language", "literals", "score", "assumptions"):
        assert told[key] == expected[key]
    assert told["literal_language"] == "values" and told["decision"] == "no"


def test_options_of_the_call_win_over_the_file(files, call, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(SETTINGS)
    told = record(
        call, *ROW, "--settings", path, "--threshold", "0.01", "--literals", "sets", "--units", "income=USD"
    )
    assert told["decision"] == "yes" and told["literal_language"] == "sets"
    assert "0.01" in told["score"]["text"]
    assert all(x["unit"] == "USD" for x in told["literals"] if x["feature"] == "income")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("threshhold = 0.5", "sets threshhold (did you mean threshold?)"),
        ("threshold = 'half'", "threshold must be a number, not 'half'"),
        ("feature_names = 'a,b'", "feature_names must be a list of texts"),
        ("between = [1]", "between must be two numbers"),
        ("[domain]\nhousing = {own = 0}", "the domain of housing names numbers"),
        ("threshold = ", "is not TOML"),
        ("trust_pickle = true", "sets trust_pickle"),
    ],
)
def test_a_settings_file_with_a_mistake_is_refused_at_once(files, call, tmp_path, text, words):
    path = tmp_path / "model.toml"
    path.write_text(text)
    done = call("explain", "nowhere.skops", "rows.csv", "--settings", path)
    assert done.code == 2 and words in done.err, done.err


def test_a_file_sets_every_parameter_of_an_explainer_but_those_of_a_session():
    parameters = set(inspect.signature(pw.Explainer).parameters)
    assert set(KEYS) == parameters - {"model", "X_train", "trust_pickle", "progress"}
