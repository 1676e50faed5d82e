"""`primewood adverse-action`: reasons and a letter, as the library gives them."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import primewood as pw

ASKED = ("adverse-action", "forest.skops", "rows.csv", "--train", "train.csv", "--favourable", "approved")


def expected(**options):
    explainer = pw.Explainer("forest.skops", pd.read_csv("train.csv"))
    return explainer.adverse_action(pd.read_csv("rows.csv").iloc[3], "approved", **options)


def test_the_reasons_are_those_of_the_library(files, call):
    done = call(*ASKED, "--row", 3)
    assert done.code == 0 and done.out == f"{expected()}\n" and "income" in done.out
    told = json.loads(call(*ASKED, "--row", 3, "--protected", "age", "--most", 1, "--json").out)
    assert told == expected(protected=["age"], most=1).to_dict()
    assert told["left_out"] == ["age"] and len(told["reasons"]) == 1


@pytest.mark.parametrize("ending", ["txt", "html"])
def test_the_letter_is_a_file(files, call, tmp_path, ending):
    path = tmp_path / f"letter.{ending}"
    done = call(*ASKED, "--row", 3, "--letter", path)
    assert done.code == 0 and "written to" in done.err
    text = path.read_text()
    assert "The decision is: denied (P(approved) = 0.02, below the cut-off" in " ".join(text.split())
    assert ("<p>" in text) == (ending == "html")
    if ending == "txt":
        assert max(map(len, text.splitlines())) <= 80 and " ".join(text.split()) == expected().letter


def test_codes_come_from_a_file(files, call, tmp_path):
    done = call(*ASKED, "--row", 3, "--codes", "codes.toml")
    assert done.code == 0 and "1. R01 Income too low" in done.out
    as_json = {
        "income": ["R01", "Income too low"],
        "debt, age": ["R02", "Debt or age"],
        "shoe": {"high": "x"},
    }
    (tmp_path / "codes.json").write_text(json.dumps(as_json))
    assert call(*ASKED, "--row", 3, "--codes", tmp_path / "codes.json") == done


def test_nothing_that_may_be_named_helps(files, call):
    hidden = [word for name in ("income", "debt", "age", "shoe") for word in ("--undisclosable", name)]
    done = call(*ASKED, "--row", 3, *hidden)
    assert done.code == 1 and "denied instead of approved" in done.out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--row", 0], "decided approved already"),
        (["--row", 3, "--favourable", "aproved"], "did you mean approved?"),
        (["--row", 3, "--protected", "agee"], "--protected names agee (did you mean age?)"),
        (["--row", 3, "--codes", "nowhere.toml"], "there is no file nowhere.toml"),
        (["--row", 3, "--codes", "rows.csv"], "expected .toml or .json"),
        (["--row", 3, "--codes", "wrong.toml"], "names incme (did you mean income?)"),
        (["--row", 3, "--codes", "broken.toml"], "broken.toml cannot be read"),
        (["--row", 3, "--row", 4, "--letter", "letter.txt"], "--letter is about one row"),
        (["--row", 3, "--letter", "letter.pdf"], "should end with .txt or .html"),
    ],
)
def test_what_cannot_be_answered_is_refused(files, call, more, words):
    (files / "wrong.toml").write_text('incme = "Income"\n')
    (files / "broken.toml").write_text("income = \n")
    done = call(*ASKED, *more)
    assert done.code == 2 and words in done.err and not done.out, done.err
