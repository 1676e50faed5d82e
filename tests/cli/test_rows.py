"""Rows as users have them: by place, in several kinds of files, from stdin."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pandas as pd
import pytest

import primewood as pw
from primewood.errors import InvalidInput, RowsWarning
from primewood.tables.files import TextTable, read_file
from primewood.tables.rows import Layout

ABOUT_ONE = {"explain": [], "contrast": [], "flip": [], "check": ["income < 30"]}


def documents(text):
    return [json.loads(line) for line in text.splitlines()]


def rows_of(files, count=5):
    return pd.read_csv(files / "rows.csv").head(count)


@pytest.mark.parametrize("command", [*ABOUT_ONE, "rules"])
def test_a_question_about_rows_needs_rows(files, call, command):
    neither = call(command, "forest.skops")
    assert neither.code == 2 and "Missing argument 'ROWS'" in neither.err and not neither.out


def test_a_rule_in_the_place_of_rows_is_told_its_option(files, call):
    done = call("verify", "forest.skops", "age < 18 -> not approved")
    assert done.code == 2 and "--rule 'age < 18 -> not approved'" in done.err


@pytest.mark.parametrize(("command", "more"), ABOUT_ONE.items())
def test_several_rows_have_several_answers(files, call, command, more):
    one = [call(command, "forest.skops", "rows.csv", *more, "--row", row) for row in (7, 2)]
    both = call(command, "forest.skops", "rows.csv", *more, "--row", 7, "--row", 2)
    assert both.code == max(done.code for done in one)
    assert both.out == f"row 7:\n{one[0].out}\nrow 2:\n{one[1].out}"
    told = documents(call(command, "forest.skops", "rows.csv", *more, "--row", 7, "--row", 2, "--json").out)
    assert [document.pop("index") for document in told] == [7, 2]
    alone = documents(call(command, "forest.skops", "rows.csv", *more, "--row", 2, "--json").out)
    assert told[1:] == alone and "index" not in alone[0]


@pytest.mark.parametrize(("command", "more"), ABOUT_ONE.items())
def test_every_row_has_an_answer(files, call, command, more):
    rows_of(files).to_csv("few.csv", index=False)
    told = documents(call(command, "forest.skops", "few.csv", *more, "--every-row", "--json").out)
    assert [document["index"] for document in told] == [0, 1, 2, 3, 4]


def test_counts_and_lists_of_several_rows(files, call):
    asked = ("explain", "forest.skops", "rows.csv", "--row", 3, "--row", 4)
    counts = documents(call(*asked, "--count", "--json").out)
    listed = documents(call(*asked, "--all", "--json").out)
    for index, count in ((3, counts[0]), (4, counts[1])):
        assert count["index"] == index
        assert count["count"] == sum(document["index"] == index for document in listed) > 0
    told = call(*asked, "--all", "--limit", 1).out.splitlines()
    assert [line for line in told if line.startswith("row")] == ["row 3:", "row 4:"]
    assert sum(line.startswith("IF") for line in told) == 2


def test_the_first_row_is_meant_if_none_is_said(files, call):
    done = call("explain", "forest.skops", "rows.csv")
    assert done.out == call("explain", "forest.skops", "rows.csv", "--row", 0).out
    first, coverage = done.err.splitlines()
    assert first == "row 0 of 60 rows; --row, --id and --every-row choose others"
    assert coverage == "coverage is counted over the rows of rows.csv; pass the training rows with --train"
    rows_of(files, 1).to_csv("one.csv", index=False)
    assert call("explain", "forest.skops", "one.csv", "--train", "train.csv").err == ""
    without = call("explain", "forest.skops", "one.csv")
    assert "Covers" not in without.out and without.err == ""


@pytest.mark.parametrize("row", [60, -1])
def test_a_row_that_is_not_there_is_refused(files, call, row):
    done = call("explain", "forest.skops", "rows.csv", "--row", 1, "--row", row)
    assert done == (2, "", f"primewood: rows.csv has the rows 0 to 59; there is no row {row}\n")


def test_a_row_or_every_row_not_both(files, call):
    done = call("explain", "forest.skops", "rows.csv", "--row", 1, "--every-row")
    assert done.code == 2 and "not both" in done.err


def test_files_of_json_are_as_good_as_csv(files, call):
    frame = rows_of(files)
    frame.to_csv("few.csv", index=False)
    frame.to_json("few.json", orient="records")
    frame.to_json("few.jsonl", orient="records", lines=True)
    asked = ("--train", "train.csv", "--every-row")
    expected = call("explain", "forest.skops", "few.csv", *asked)
    assert expected.code == 0
    for name in ("few.json", "few.jsonl"):
        assert call("explain", "forest.skops", name, *asked) == expected
    for command in (["info"], ["rules", "--most", "1"], ["compile"]):
        frame.to_json("train.jsonl", orient="records", lines=True)
        assert call(command[0], "forest.skops", "train.jsonl", *command[1:]).code == 0


def test_stdin_is_csv_or_json(files, call):
    frame = rows_of(files)
    expected = call("explain", "forest.skops", "rows.csv", "--row", 2, "--train", "train.csv")
    texts = (
        frame.to_csv(index=False),
        frame.to_json(orient="records"),
        frame.to_json(orient="records", lines=True),
        frame.to_json(orient="records", indent=2),
    )
    for text in texts:
        asked = ("explain", "forest.skops", "-", "--row", 2, "--train", "train.csv")
        assert call(*asked, stdin=text) == expected
    one = json.dumps(frame.iloc[2].to_dict(), indent=2)
    assert call("explain", "forest.skops", "-", "--train", "train.csv", stdin=one) == expected


def test_one_row_and_rows_from_stdin_are_no_training_rows(files, call):
    frame = rows_of(files)
    for text in (frame.to_csv(index=False), frame.head(1).to_csv(index=False)):
        (document,) = documents(call("explain", "forest.skops", "-", "--row", 0, "--json", stdin=text).out)
        assert document["coverage"] is None
    frame.head(1).to_csv("one.csv", index=False)
    (document,) = documents(call("explain", "forest.skops", "one.csv", "--json").out)
    assert document["coverage"] is None
    (document,) = documents(call("explain", "forest.skops", "rows.csv", "--row", 0, "--json").out)
    assert document["coverage"] > 0
    both = call(
        "explain", "forest.skops", "-", "--train", "-", "--row", 0, "--json", stdin=frame.to_csv(index=False)
    )
    assert documents(both.out)[0]["coverage"] > 0


def test_a_named_pipe_is_a_file_of_rows(files, call, tmp_path):
    import os

    pipe = tmp_path / "rows"
    os.mkfifo(pipe)
    text = rows_of(files).to_csv(index=False)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    done = call("explain", "forest.skops", pipe, "--row", 1, "--train", "train.csv")
    writer.join()
    assert done.out == call("explain", "forest.skops", "rows.csv", "--row", 1, "--train", "train.csv").out


def test_columns_are_found_by_name_and_others_left_out(tmp_path):
    layout = Layout(("a", "b"))
    text = '"b","what, else","a"\n2,x,1\nNA,y,True\n'
    (tmp_path / "rows.csv").write_text(f"\ufeff{text}", encoding="utf-8")
    (tmp_path / "rows.json").write_text(
        '[{"b": 2, "what, else": "x", "a": 1}, {"b": null, "what, else": "y", "a": true}]'
    )
    for name in ("rows.csv", "rows.json"):
        with pytest.warns(RowsWarning, match=f"{name}: ignored columns: what, else"):
            rows = read_file(tmp_path / name).read_numbers(layout)
        assert np.array_equal(rows, [[1, 2], [1, np.nan]], equal_nan=True)


def test_a_file_with_reversed_columns_gives_the_same_answer_or_a_note(files, call):
    """A model without names takes those of the training file; without it, columns go by place and that is said."""
    import skops.io
    from sklearn.tree import DecisionTreeClassifier

    train = pd.DataFrame({"age": [20, 30, 40, 50], "debt": [9.5, 1.0, 8.0, 0.5]})
    model = DecisionTreeClassifier(random_state=0).fit(train.to_numpy(), ["no", "yes", "no", "yes"])
    skops.io.dump(model, "bare.skops")
    train.to_csv("named.csv", index=False)
    one = pd.DataFrame({"debt": [9.0], "age": [60]})
    one.to_csv("reversed.csv", index=False)
    done = call("explain", "bare.skops", "reversed.csv", "--train", "named.csv", "--json")
    (document,) = documents(done.out)
    assert document["decision"] == "no" and document["literals"][0]["feature"] == "debt"
    assert (
        "the model has no column names; the columns of X_train are taken in their order: age, debt"
        in done.err
    )
    alone = call("explain", "bare.skops", "reversed.csv")
    assert "the columns of reversed.csv are taken in their order: debt, age" in alone.err
    one.assign(more=1).to_csv("more.csv", index=False)
    refused = call("explain", "bare.skops", "more.csv")
    assert refused.code == 2 and "the model takes 2 and has no column names" in refused.err


def test_numbers_keep_every_bit():
    generator = np.random.default_rng(0)
    numbers = np.frombuffer(generator.bytes(8 * 2000), dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    found = TextTable("t", ["a"], [[repr(float(x))] for x in numbers]).read_numbers(Layout(("a",)))
    assert np.array_equal(found[:, 0], numbers)


def test_json_numbers_keep_every_bit(tmp_path):
    numbers = [0.1, 1e-310, 2.0**-1074, 1.7976931348623157e308, -0.0, 123456789.12345679]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"a": number}) for number in numbers))
    assert read_file(path).read_numbers(Layout(("a",)))[:, 0].tobytes() == np.array(numbers).tobytes()


def test_names_of_categories_are_names_in_json_too(tmp_path, call):
    from lightgbm import LGBMClassifier

    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(generator.choice(["u", "v", "NA"], 400)),
            "b": pd.Categorical(generator.choice([1, 3, 7], 400)),
            "flag": generator.random(400) < 0.5,
        }
    )
    y = (frame.a == "NA") ^ (frame.b == 3) ^ frame.flag
    model = LGBMClassifier(n_estimators=20, num_leaves=6, n_jobs=1, verbose=-1).fit(frame, y)
    model.booster_.save_model(tmp_path / "m.txt")
    frame.head(12).to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    told = documents(
        call("explain", tmp_path / "m.txt", tmp_path / "rows.jsonl", "--every-row", "--json").out
    )
    assert [document["decision"] for document in told] == model.predict(frame.head(12)).astype(int).tolist()
    for document, a in zip(told, frame.a, strict=False):
        literals = [x for x in document["literals"] if x["feature"] == "a"]
        assert all(a in x["values"] for x in literals)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("rows.json", "[]", "no rows"),
        ("rows.json", "[[1, 2]]", "row 0 is not an object"),
        ("rows.json", "3", "row 0 is not an object"),
        ("rows.jsonl", '{"a": 1}\nnope\n', "row 1 is not JSON"),
        ("rows.jsonl", '{"a": 1, "b": 2}\n{"a": 1}\n', "row 1 has no b"),
        ("rows.json", '{"a": {"0": 1}, "b": {"0": 2}}', "a must be a number, a name or null"),
        ("rows.json", '[{"a": 1, "b": Infinity}]', "b must be a finite number"),
        ("rows.csv", "", "is empty"),
        ("rows.csv", "a,b\n", "at least one row"),
        ("rows.csv", "a|b\n1|2\n", "missing columns: a, b; unexpected columns: a|b"),
        ("rows.csv", "a,a\n1,2\n", "two columns called a"),
        ("rows.csv", "a;b\n1;2,5\n1.5;2\n", "with a comma (2,5 in b) and numbers with a point (1.5 in a)"),
        ("rows.csv", "a;b\n1;1,234\n", "1,234 in b can be read as 1.234 or as 1234"),
        ("rows.csv", "a;b\n1;1.234\n", "1.234 in b can be read as 1.234 or as 1234"),
        ("rows.csv", "a;b\n0,5;1.234,5\n", "b must be a finite number, not '1.234,5'"),
        ("rows.xls", "", ".xls files are not supported; save it as .xlsx or .csv"),
        ("rows.xlsx", "a,b\n1,2\n", "rows.xlsx is not an Excel workbook"),
        ("rows.csv", "a,b\n1\n", "1 cells under 2 columns"),
        ("rows.csv", "a,b\n1,much\n", "b must be a finite number, not 'much'"),
        ("rows.csv", "a,b\n1,inf\n", "b must be a finite number"),
        ("rows.csv", "c\n1\n", "missing columns: a, b; unexpected columns: c"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InvalidInput, match=re.escape(words)):
        read_file(path).read_numbers(Layout(("a", "b")))


def test_answers_are_those_of_the_library(files, call):
    train, rows = pd.read_csv("train.csv"), pd.read_csv("rows.csv")
    explainer = pw.Explainer(files / "forest.skops", train)
    told = call("explain", "forest.skops", "rows.csv", "--train", "train.csv", "--row", 5, "--row", 6)
    expected = [str(explainer.explain(rows.iloc[row])) for row in (5, 6)]
    assert told.out == f"row 5:\n{expected[0]}\n\nrow 6:\n{expected[1]}\n"
