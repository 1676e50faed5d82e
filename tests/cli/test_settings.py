"""How a model is read, by `--set` and by a settings file: classes, cut-offs, names, units, domains."""

from __future__ import annotations

import inspect
import json

import pandas as pd
import pytest

import primewood as pw
from primewood.cli.setting_names import MODEL, SETTINGS, list_settings

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
        (["--set", "class_names.aproved=yes"], "did you mean approved?"),
        (["--set", 'class_names=["denied", "approved"]'], "by the name of another class"),
        (["--set", "class_names.approved=yes", "--set", "class_names=no"], "--set gives class_names twice"),
        (["--set", 'feature_names=["a", "b"]'], "2"),
        (["--set", "feature_names=a"], "1"),
        (["--set", "units.incom=EUR"], "incom"),
        (["--set", "units=EUR"], "--set: units must be a table from features to units, not 'EUR'"),
        (["--set", "domain.agee=whole"], "agee"),
        (["--set", "domain.age=wohle"], "whole"),
        (["--set", "domain=age"], "domain must be a table from features"),
        (["--set", "domain.age=whole", "--set", "domain.age=numeric"], "--set gives domain.age twice"),
        (["--set", "domain.age={own=0}"], "--set: the domain of age names numbers"),
        (["--set", "unit.income=EUR"], "--set: unknown setting unit (did you mean units?)"),
        (["--set", "zzz=1"], "the settings are feature_names, class_names"),
        (["--set", "engine=fast"], "engine must be one of auto, search, diagram, bdd, sat, not 'fast'"),
        (["--set", "exact=yes"], "exact must be true or false, not 'yes'"),
        (["--set", "max_nodes=0"], "max_nodes must be a whole number, 1 or more"),
        (["--set", "threads=0"], "threads must be a whole number, 1 or more, or -1, not 0"),
        (["--set", "threads=two"], "threads must be a whole number, 1 or more, or -1, not 'two'"),
        (["--set", "threads=5000"], "threads must be a whole number from 1 to 1,024, or -1 for one per core"),
        (["--set", "threshold=0,6"], "threshold must be a number, not '0,6'"),
        (["--set", "units"], "--set takes NAME=VALUE, such as units.income=EUR, not 'units'"),
        (["--set", "units.net income=EUR"], "in quotation marks"),
        (["--set", "=5"], "--set takes NAME=VALUE"),
        (["--set", "positive=approved", "--positive", "denied"], "positive is given twice"),
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
    shown = ("--set", "class_names.approved=yes", "--set", "class_names.denied=no")
    assert call(*ROW, *shown).out.splitlines()[0].endswith("THEN no")
    numbers = ("explain", "booster.json", "rows.csv", "--row", 3)
    for names in ('{0 = "declined", 1 = "granted"}', '["declined", "granted"]'):
        assert call(*numbers, "--set", f"class_names={names}").out.splitlines()[0].endswith("THEN declined")
    assert (
        record(call, *numbers, "--set", "class_names.0=declined", "--positive", 1)["decision"] == "declined"
    )


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
        "--set",
        f"feature_names={json.dumps(list(rows.columns))}",
    )
    done = call(*asked, "--every-row", "--json")
    told = [json.loads(line)["decision"] for line in done.out.splitlines()]
    assert done.code == 0 and told == model.predict(rows.to_numpy()).tolist()


def test_units_and_domains_reach_the_words(files, call):
    kinds = ("--set", "domain.age=whole", "--set", "domain.shoe=numeric")
    told = call(*ROW, "--set", "units.income=EUR", *kinds)
    assert " EUR" in told.out.splitlines()[0] and "age is a whole number" in told.out


FILE = """
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
    path.write_text(FILE)
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
    path.write_text(FILE)
    told = record(
        call,
        *ROW,
        "--settings",
        path,
        "--threshold",
        "0.01",
        "--literals",
        "sets",
        "--set",
        "units.income=USD",
    )
    assert told["decision"] == "yes" and told["literal_language"] == "sets"
    assert "0.01" in told["score"]["text"]
    assert all(x["unit"] == "USD" for x in told["literals"] if x["feature"] == "income")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("threshhold = 0.5", "unknown setting threshhold (did you mean threshold?)"),
        ("threshold = 'half'", "threshold must be a number, not 'half'"),
        ("feature_names = 'a,b'", "feature_names must be a list of texts"),
        ("between = [1]", "between must be two numbers"),
        ("[domain]\nhousing = {own = 0}", "the domain of housing names numbers"),
        ("threshold = ", "is not TOML"),
        ("trust_pickle = true", "unknown setting trust_pickle"),
    ],
)
def test_a_settings_file_with_a_mistake_is_refused_at_once(files, call, tmp_path, text, words):
    path = tmp_path / "model.toml"
    path.write_text(text)
    done = call("explain", "nowhere.skops", "rows.csv", "--settings", path)
    assert done.code == 2 and words in done.err, done.err


def test_a_file_sets_every_parameter_of_an_explainer_but_those_of_a_session():
    parameters = set(inspect.signature(pw.Explainer).parameters)
    assert set(MODEL) == parameters - {"model", "X_train", "trust_pickle", "progress"}


def test_what_a_file_says_is_said_as_well_by_the_call(files, call, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(FILE)
    assigned = (
        *(
            "positive=approved",
            "threshold=0.6",
            "literals=values",
            "missing=forbid",
            "constraints=income >= 10",
        ),
        *("class_names.approved=yes", "class_names.denied=no", "units.income=EUR", "units.debt=EUR"),
        *("domain.age=whole", "domain.income.low=0", "domain.income.high=1000"),
    )
    told = call(*ROW, *(part for each in assigned for part in ("--set", each)))
    assert told.code == 0 and told == call(*ROW, "--settings", path)


@pytest.mark.parametrize("threads", [2, -1])
def test_threads_change_no_answer(files, call, threads):
    told = call(*ROW, "--set", f"threads={threads}")
    assert told.code == 0 and told == call(*ROW)


def test_a_list_is_one_value_or_several(files, call):
    one = call(*ROW, "--set", 'constraints=["income >= 10", "age >= 18"]')
    assert one.code == 0 and "income >= 10; age >= 18" in one.out
    assert call(*ROW, "--set", "constraints=income >= 10", "--set", "constraints=age >= 18") == one


def test_a_file_may_hold_the_settings_of_other_commands(files, call, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(
        'part_rows = 50\nsheet = "January"\nexact = true\nweights = {age = 2}\nmeasure = "rows"\n'
    )
    for command in ("explain", "contrast", "flip"):
        done = call(command, *ROW[1:], "--settings", path)
        assert done.code == 0, done.err
    done = call("contrast", *ROW[1:], "--set", "part_rows=50")
    assert done.code == 2 and "--set: part_rows is for another command" in done.err


@pytest.mark.parametrize("command", ["explain", "flip", "info"])
def test_help_lists_the_settings(call, command):
    told = call(command, "--help").out
    listed = told.split("\nSettings, for --set and --settings:\n")[1].split("\n  Their values")[0]
    assert [name.strip() for name in listed.split(",")] == list_settings(command)
    assert set(list_settings("explain")) == set(SETTINGS)
