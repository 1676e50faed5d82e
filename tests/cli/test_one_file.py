"""`explain -o out.csv` writes the file that its name says: CSV, Excel, Parquet or JSON lines."""

from __future__ import annotations

import json

import openpyxl
import pandas as pd
import pytest

import primewood as pw
from primewood.errors import InvalidInput

ENDINGS = ("csv", "xlsx", "parquet", "jsonl")


def frame_of(path):
    if path.suffix == ".jsonl":
        return pd.read_json(path, orient="records", lines=True)
    reader = {".csv": pd.read_csv, ".xlsx": pd.read_excel, ".parquet": pd.read_parquet}[path.suffix]
    return reader(path)


@pytest.fixture
def customers(files, tmp_path):
    """Rows with a column that tells them apart, one of which looks like a formula."""
    rows = pd.read_csv("rows.csv").head(12)
    path = tmp_path / "customers.csv"
    rows.assign(customer=["=1+1", "-2+3", "@me", *"abcdefghi"]).to_csv(path, index=False)
    return path


def test_the_rows_that_coverage_is_counted_over_are_named(files, call, tmp_path):
    note = "coverage is counted over the rows of rows.csv; pass the training rows with --train"
    alone = call("explain", "forest.skops", "rows.csv", "-o", tmp_path / "alone.csv")
    trained = call("explain", "forest.skops", "rows.csv", "-o", tmp_path / "out.csv", "--train", "train.csv")
    assert alone.code == trained.code == 0 and note in alone.err and note not in trained.err


@pytest.mark.parametrize("ending", ENDINGS)
def test_one_file_holds_what_a_frame_of_the_batch_holds(files, call, tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    done = call("explain", "forest.skops", "rows.csv", "--train", "train.csv", "-o", path)
    assert done.code == 0 and f"out.{ending} is written: 60 rows" in done.err
    assert done.out.startswith("60 explanations: proved (60)\n") and path.is_file()
    explainer = pw.Explainer("forest.skops", pd.read_csv("train.csv"))
    expected = explainer(pd.read_csv("rows.csv")).to_frame()
    found = frame_of(path)
    assert list(found.columns) == ["row", *expected.columns, "notes"]
    assert found["row"].tolist() == list(range(60))
    for name in ("decision", "rule", "size"):
        assert found[name].tolist() == expected[name].tolist()
    assert found["coverage"].tolist() == pytest.approx(expected["coverage"].tolist(), abs=1e-12)
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{ending}"]


def test_the_rows_themselves_are_the_training_rows_of_one_file(files, call, tmp_path):
    alone = call("explain", "forest.skops", "rows.csv", "--row", 3, "--json")
    assert call("explain", "forest.skops", "rows.csv", "-o", tmp_path / "out.csv").code == 0
    assert frame_of(tmp_path / "out.csv")["coverage"][3] == json.loads(alone.out)["coverage"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_id_column_is_copied_and_never_becomes_a_formula(files, call, tmp_path, customers, ending):
    path = tmp_path / f"out.{ending}"
    assert call("explain", "forest.skops", customers, "-o", path, "--id", "customer").code == 0
    found = frame_of(path)
    assert list(found.columns)[:3] == ["row", "customer", "decision"]
    shown = ["'=1+1", "'-2+3", "'@me"] if ending == "csv" else ["=1+1", "-2+3", "@me"]
    assert found["customer"].tolist() == [*shown, *"abcdefghi"]
    if ending == "xlsx":
        sheet = openpyxl.load_workbook(path).active
        assert [sheet.cell(row, 2).data_type for row in (2, 3, 4)] == ["s", "s", "s"]
        assert sheet.cell(2, 1).data_type == "n"


def test_numbers_stay_numbers_in_a_csv_file(tmp_path):
    from primewood.batch.into_one_file import WRITERS

    with (tmp_path / "out.csv").open("wb") as file:
        WRITERS[".csv"](file, ["row", "decision", "x"], [[0, -1, "-1"], [1, 1, "+cmd"], [2, -1, None]])
    assert (tmp_path / "out.csv").read_text() == "row,decision,x\n0,-1,-1\n1,1,'+cmd\n2,-1,\n"


def test_a_row_that_cannot_be_read_is_a_line_that_says_why(files, call, tmp_path):
    (tmp_path / "rows.csv").write_text("income,debt,age,shoe\n40,1,30,40\nmuch,1,30,40\n")
    train = ("--train", "train.csv")
    assert (
        call("explain", "forest.skops", tmp_path / "rows.csv", *train, "-o", tmp_path / "out.csv").code == 0
    )
    found = frame_of(tmp_path / "out.csv")
    assert found["status"].tolist() == ["proved", "failed"]
    assert "income must be a finite number, not 'much'" in found["notes"][1]


@pytest.mark.parametrize(
    "more",
    [["--resume"], ["--set", "part_rows=5"], ["--set", "format=jsonl"], ["--set", "dask=tcp://nowhere:1"]],
)
def test_options_of_a_folder_are_refused_for_one_file(files, call, tmp_path, more):
    done = call("explain", "forest.skops", "rows.csv", "-o", tmp_path / "out.csv", *more)
    assert done.code == 2 and not (tmp_path / "out.csv").exists()
    named = " ".join(more).partition("=")[0]
    assert f"{named} is for a folder of parts; {tmp_path}/out.csv is one file" in done.err


def test_a_slash_or_an_existing_folder_means_a_folder(files, call, tmp_path):
    for name in ("new.csv", "old.csv"):
        if name == "old.csv":
            (tmp_path / name).mkdir()
        done = call("explain", "forest.skops", "rows.csv", "-o", f"{tmp_path / name}/")
        assert done.code == 0 and (tmp_path / name / "manifest.json").is_file()
    done = call("explain", "forest.skops", "rows.csv", "-o", tmp_path / "new.csv", "--resume")
    assert done.code == 0 and "was finished already" in done.err


def test_an_existing_file_is_replaced_only_when_the_new_one_is_complete(files, call, tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("before")

    def stopped(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("primewood.batch.into_one_file.explain_into_folder", stopped)
        done = call("explain", "forest.skops", "rows.csv", "-o", path)
    assert done.code == 130 and "is not written" in done.err
    assert path.read_text() == "before" and [x.name for x in tmp_path.iterdir()] == ["out.csv"]
    assert call("explain", "forest.skops", "rows.csv", "-o", path).code == 0
    assert len(frame_of(path)) == 60


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["-o", "nowhere/out.csv"], "there is no folder nowhere"),
        (["-o", "out.csv", "--id", "shoe=3"], "--id is the name of one column"),
        (["-o", "out.csv", "--id", "shoo"], "no column 'shoo' (did you mean shoe?)"),
        (["-o", "out", "--id", "shoe"], "for one .csv, .xlsx, .parquet or .jsonl file"),
        (["-o", "out.csv", "--row", "3"], "--row cannot be combined with -o"),
    ],
)
def test_what_cannot_be_written_is_said_before_any_work(files, call, more, words):
    done = call("explain", "forest.skops", "rows.csv", *more)
    assert done.code == 2 and words in done.err and not (files / "out.csv").exists()


def test_the_same_from_python(files, tmp_path):
    explainer = pw.Explainer("forest.skops", pd.read_csv("train.csv"))
    written = explainer.explain_file("rows.csv", tmp_path / "out.csv", identity="shoe", progress=False)
    assert str(written) == f"{tmp_path}/out.csv is written: 60 rows"
    assert frame_of(tmp_path / "out.csv")["shoe"].tolist() == pd.read_csv("rows.csv")["shoe"].tolist()
    with pytest.raises(InvalidInput, match="for a folder of parts"):
        explainer.explain_file("rows.csv", tmp_path / "out.csv", resume=True)
    with pytest.raises(InvalidInput, match="identity is for one"):
        explainer.explain_file("rows.csv", tmp_path / "folder", identity="shoe")
