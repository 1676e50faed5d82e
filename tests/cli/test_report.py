"""`primewood report` writes one page, and ends as the properties that were stated do."""

from __future__ import annotations

import json

import pytest

from primewood.apps import report as reporting


@pytest.fixture(scope="module")
def quick():
    """As little as a report can hold."""
    return ("--rows", 1, "--sample", 3, "--time-limit", 3)


def test_a_report_is_written_and_summed_up(files, call, tmp_path, quick):
    page = tmp_path / "audit.html"
    page.write_text("old")
    done = call("report", "forest.skops", "rows.csv", "-o", page, *quick, "--title", "Lending in spring")
    assert done.code == 0 and done.err == f"written to {page}\n"
    assert done.out.startswith("Lending in spring\n") and "RandomForestClassifier of 7 trees" in done.out
    text = page.read_text()
    assert text.lstrip().lower().startswith("<!doctype html>") and "Lending in spring" in text
    assert [path.name for path in tmp_path.iterdir()] == ["audit.html"]


def test_a_report_as_json(files, call, tmp_path, quick):
    rows = ("--row", 7, "--row", 2)
    done = call("report", "forest.json", "rows.csv", "--json", "-o", tmp_path / "a.json", *rows, *quick)
    record = json.loads(done.out)
    assert len(done.out.splitlines()) == 1 and record == json.loads((tmp_path / "a.json").read_text())
    assert [item["row"] for item in record["cases"]["items"]] == [7, 2]
    assert record["made"]["settings"]["sample"] == 3 and not record["properties"]["stated"]


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        (["--rule", "income < 15 -> denied"], 0),
        (["--rule", "income < 15 -> denied", "--never", "denied"], 1),
        (["--independent-of", "income"], 1),
        (["--monotone", "income", "--target", "approved"], None),
    ],
)
def test_the_exit_code_is_that_of_the_stated_properties(files, call, quick, stated, code):
    done = call("report", "forest.json", "rows.csv", "--json", *quick, *stated)
    found = json.loads(done.out)["properties"]
    outcomes = {item["outcome"] for item in found["items"]}
    assert found["stated"] and len(found["items"]) == len(stated) // 2 - ("--target" in stated)
    assert done.code == (1 if "fails" in outcomes else 3 if "undecided" in outcomes else 0)
    assert code in (None, done.code)


def test_an_undecided_property_has_its_code(files, call, quick, monkeypatch):
    gather = reporting.gather

    def undecided(*arguments, **options):
        made = gather(*arguments, **options)
        made.record["properties"]["items"][0]["outcome"] = "undecided"
        return made

    monkeypatch.setattr(reporting, "gather", undecided)
    done = call("report", "forest.json", "rows.csv", "--json", *quick, "--rule", "income < 15 -> denied")
    assert done.code == 3


def test_a_report_on_a_model_alone(files, call, quick):
    record = json.loads(call("report", "forest.json", "--json", *quick).out)
    assert record["rows"]["source"] == "none"


def test_training_rows_of_their_own(files, call, quick):
    record = json.loads(
        call("report", "forest.json", "rows.csv", "--train", "train.csv", "--json", *quick).out
    )
    assert record["rows"]["rows"] == 60 and record["rows"]["training"] == 300


def test_feature_use_over_a_folder_of_explanations(files, call, tmp_path, quick):
    page = tmp_path / "audit.html"
    done = call("report", "new.skops", "rows.csv", "--answers", "explained", "-o", page, "--json", *quick)
    record = json.loads(done.out)
    told = json.loads(call("summarise", "explained", "--json").out)
    assert done.code == 0 and record["features"]["source"] == "batch"
    used = {item["feature"]: item["explanations"] for item in record["features"]["items"]}
    assert used == told["features"] and record["features"]["explained"] == told["rows"] == 60
    assert record["made"]["settings"]["answers"] == "the folder explained"
    assert "over the 60 explanations in the batch" in page.read_text()


def test_explanations_of_another_model_or_of_none_are_refused(files, call, tmp_path, quick):
    page = tmp_path / "audit.html"
    for answers, words in (("explained", "another model"), ("nowhere", "not a folder of a batch")):
        done = call("report", "forest.skops", "rows.csv", "--answers", answers, "-o", page, *quick)
        assert done.code == 2 and words in " ".join(done.err.split()) and not page.exists()
