"""Rows in the files that people have: Excel workbooks, CSV with semicolons, and what cannot be read in one way only."""

from __future__ import annotations

import json

import openpyxl
import pandas as pd
import pytest

from primewood.errors import InvalidInput, MissingDependency, RowsWarning
from primewood.tables.files import Dialect, read_file
from primewood.tables.rows import Layout

ASKED = ("--train", "train.csv", "--every-row")


def rows_with_decimals():
    rows = pd.read_csv("rows.csv").head(8)
    return rows.assign(income=rows.income + 0.5, debt=rows.debt + 0.125)


def saved(book, path):
    book.save(path)
    return path


def folder_rules(folder):
    lines = (folder / "part-00000.jsonl").read_text().splitlines()
    return [json.loads(line)["rule"] for line in lines]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("semicolons.csv", {"sep": ";", "decimal": ","}),
        ("points.csv", {"sep": ";"}),
        ("tabs.csv", {"sep": "\t"}),
        ("tabs_and_commas.txt", {"sep": "\t", "decimal": ","}),
        ("bom.csv", {"sep": ";", "decimal": ",", "encoding": "utf-8-sig"}),
        ("quoted.csv", {"sep": ";", "decimal": ",", "quoting": 1}),
    ],
)
def test_a_csv_file_from_a_spreadsheet_gives_the_same_answers(files, call, tmp_path, name, options):
    rows = rows_with_decimals()
    rows.to_csv(tmp_path / "usual.csv", index=False)
    rows.to_csv(tmp_path / name, index=False, **options)
    expected = call("explain", "forest.skops", tmp_path / "usual.csv", *ASKED)
    assert expected.code == 0 and expected == call("explain", "forest.skops", tmp_path / name, *ASKED)
    for each in ("usual.csv", name):
        done = call(
            "explain",
            "forest.skops",
            tmp_path / each,
            "-o",
            f"{tmp_path}/of {each}/",
            "--set",
            "format=jsonl",
        )
        assert done.code == 0
    assert folder_rules(tmp_path / f"of {name}") == folder_rules(tmp_path / "of usual.csv")


def test_an_excel_workbook_gives_the_same_answers(files, call, tmp_path):
    rows = rows_with_decimals()
    rows.to_csv(tmp_path / "rows.csv", index=False)
    with pd.ExcelWriter(tmp_path / "rows.xlsx") as writer:
        rows.to_excel(writer, sheet_name="January", index=False)
        rows.tail(2).to_excel(writer, sheet_name="February", index=False)
    expected = call("explain", "forest.skops", tmp_path / "rows.csv", *ASKED)
    assert expected == call("explain", "forest.skops", tmp_path / "rows.xlsx", *ASKED)
    february = call(
        "explain", "forest.skops", tmp_path / "rows.xlsx", *ASKED, "--set", "sheet=February", "--json"
    )
    assert len(february.out.splitlines()) == 2
    done = call(
        "explain", "forest.skops", tmp_path / "rows.xlsx", "-o", tmp_path / "out", "--set", "format=jsonl"
    )
    assert done.code == 0
    done = call(
        "explain", "forest.skops", tmp_path / "rows.csv", "-o", tmp_path / "other", "--set", "format=jsonl"
    )
    assert folder_rules(tmp_path / "out") == folder_rules(tmp_path / "other")


def test_a_sheet_that_is_not_there_is_said_with_the_nearest(files, call, tmp_path):
    pd.read_csv("rows.csv").to_excel(tmp_path / "rows.xlsx", sheet_name="January", index=False)
    done = call("explain", "forest.skops", tmp_path / "rows.xlsx", "--set", "sheet=Januray")
    assert done.code == 2 and "no sheet 'Januray' (did you mean January?)" in done.err
    done = call("explain", "forest.skops", "rows.csv", "--set", "sheet=January")
    assert done.code == 2 and "--set sheet is for an Excel workbook" in done.err


def test_a_decimal_mark_that_could_be_one_of_thousands_is_asked_for(files, call, tmp_path):
    rows = pd.read_csv("rows.csv").head(3).assign(income=[10.125, 20.25, 30.5])
    text = rows.to_csv(index=False, sep=";", decimal=",", float_format="%.3f").replace(",000", "")
    (tmp_path / "rows.csv").write_text(text)
    asked = ("explain", "forest.skops", tmp_path / "rows.csv", "--row", 1, "--train", "train.csv")
    refused = call(*asked)
    assert refused.code == 2 and "10,125 in income can be read as 10.125 or as 10125" in refused.err
    rows.to_csv(tmp_path / "usual.csv", index=False)
    expected = call("explain", "forest.skops", tmp_path / "usual.csv", "--row", 1, "--train", "train.csv")
    assert call(*asked, "--set", "decimal=,").out == expected.out
    stream = call("explain", "forest.skops", tmp_path / "rows.csv", "-o", tmp_path / "out")
    assert stream.code == 2 and "can be read as" in stream.err


def test_commas_in_names_of_categories_are_left_alone(tmp_path):
    (tmp_path / "rows.csv").write_text("note;a\n3,5 stars;1\n2.5;2,5\n")
    with pytest.warns(RowsWarning, match="ignored columns: note"):
        rows = read_file(tmp_path / "rows.csv").read_numbers(Layout(("a",)))
    assert rows[:, 0].tolist() == [1.0, 2.5]


def test_cells_of_a_workbook_keep_their_meaning(tmp_path):
    book = openpyxl.Workbook()
    for line in (
        ["a", "b", "when"],
        [0.1, True, None],
        [None, "NA", None],
        [None, None, None],
        [1e300, 3, None],
    ):
        book.active.append(line)
    found = read_file(saved(book, tmp_path / "rows.xlsx"))
    assert found.lines[0] == ["0.1", "True", ""] and len(found) == 3
    with pytest.warns(RowsWarning, match="ignored columns: when"):
        rows = found.read_numbers(Layout(("b", "a")))
    assert rows[0].tolist() == [1.0, 0.1] and rows[2].tolist() == [3.0, 1e300]
    assert (rows[1] != rows[1]).all()


def test_a_formula_without_a_value_is_not_taken_for_a_missing_one(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, "=A2+1"])
    with pytest.raises(InvalidInput, match="line 2, cell 2 holds a formula without a value"):
        read_file(saved(book, tmp_path / "rows.xlsx"))


@pytest.mark.parametrize("lines", [[], [["a", "b"]]])
def test_a_workbook_without_rows_is_refused(tmp_path, lines):
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    with pytest.raises(InvalidInput, match="needs a header and at least one row"):
        read_file(saved(book, tmp_path / "rows.xlsx"))


def test_cells_beside_the_columns_are_refused(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2, 3])
    with pytest.raises(InvalidInput, match="3 cells under 2 columns"):
        read_file(saved(book, tmp_path / "rows.xlsx"))


def test_without_openpyxl_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    path = saved(openpyxl.Workbook(), tmp_path / "rows.xlsx")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingDependency, match=r"pip install 'primewood\[files\]'"):
        read_file(path)


def test_a_decimal_mark_is_a_point_or_a_comma():
    with pytest.raises(InvalidInput, match=r"decimal must be '\.' or ','"):
        Dialect(decimal=";")


def test_a_row_is_chosen_by_its_id(files, call, tmp_path):
    rows = pd.read_csv("rows.csv").assign(customer=lambda x: [f"C{i:03}" for i in range(len(x))])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    by_row = call("explain", "forest.skops", tmp_path / "rows.csv", "--row", 7, "--row", 3, "--json")
    by_id = call(
        *("explain", "forest.skops", tmp_path / "rows.csv", "--row", 7, "--id", "customer=C003", "--json")
    )
    assert by_row.code == 0 and by_id == by_row
    for command in (["contrast"], ["flip"]):
        done = call(*command, "forest.skops", tmp_path / "rows.csv", "--id", "customer=C003")
        assert done == call(*command, "forest.skops", tmp_path / "rows.csv", "--row", 3)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("customer=C0033", "no row with customer=C0033; the nearest are C033, C003"),
        ("number=17.5", "no row with number=17.5; the nearest are 17, 18"),
        ("custmer=C003", "no column 'custmer' (did you mean customer?)"),
        ("shop=a", "has 30 rows with shop=a: rows 0, 2, 4"),
        ("customer", "--id COLUMN=VALUE"),
    ],
)
def test_an_id_that_fits_no_row_or_several_is_refused(files, call, tmp_path, asked, words):
    rows = pd.read_csv("rows.csv")
    rows = rows.assign(customer=[f"C{i:03}" for i in range(60)], shop=["a", "b"] * 30, number=range(60))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    done = call("explain", "forest.skops", tmp_path / "rows.csv", "--id", asked)
    assert done.code == 2 and words in done.err and not done.out
