"""Batches from files to files: the same explanations as of single rows, whatever the file and the number of jobs."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import primewood as pw
from batch.samples import write_answers
from primewood.batch import folder as folders
from primewood.batch.overview import overview
from primewood.batch.row_explainer import RowExplainer
from primewood.batch.settings import Settings
from primewood.batch.sources import open_source
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput, RowsWarning
from primewood.logic.variable import Variable
from primewood.tables.rows import Layout

CREDIT = load_credit()
ROWS = 130
WORK = 100_000


def settings(block=40, **more):
    return Settings(time_limit=None, work_limit=WORK, block=block, **more)


@pytest.fixture(scope="module")
def explainer():
    forest = RandomForestClassifier(7, max_depth=5, random_state=0).fit(CREDIT.X, CREDIT.y)
    return pw.Explainer(
        forest,
        CREDIT.X,
        feature_names=CREDIT.feature_names,
        class_names=CREDIT.class_names,
        domain=CREDIT.domain,
        literals="sets",
    )


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(CREDIT.X[:ROWS], columns=CREDIT.feature_names)


def save(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path, index=False, row_group_size=33)
    return path


def contents(folder, *, timings=False):
    """The bytes of all files that a run answers for."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.name != folders.LOCK and (timings or "timings" not in path.name)
    }


def table_of(folder):
    parts = sorted(folder.glob("part-*.parquet"))
    return pa.concat_tables([pq.read_table(path) for path in parts]).to_pylist()


def lines_of(folder):
    parts = sorted(path for path in folder.glob("part-?????.jsonl"))
    return [json.loads(line) for path in parts for line in path.read_text().splitlines()]


# What is written.


def test_every_row_is_explained_as_it_is_alone(explainer, frame, tmp_path):
    written = write_answers(explainer, save(frame, tmp_path / "rows.csv"), tmp_path / "out", settings())
    assert (written.rows, written.parts, written.before) == (ROWS, 4, 0)
    found = table_of(tmp_path / "out")
    assert [record["row"] for record in found] == list(range(ROWS))
    for record, x in zip(found, CREDIT.X[:ROWS], strict=True):
        why = explainer.explain(x, time_limit=None, work_limit=WORK)
        assert record["rule"] == why.rule and record["decision"] == why.decision
        assert (record["status"], record["size"]) == (str(why.status), len(why.features))
        assert (record["coverage"], record["volume"]) == (why.coverage, why.volume)
        assert {
            name.removeprefix("if ") for name, text in record.items() if name[:3] == "if " and text
        } == set(why.features)
        assert record["model"] == explainer.ensemble.digest and record["primewood"] == pw.__version__


def test_literals_have_exact_ends(explainer, frame, tmp_path):
    path = save(frame, tmp_path / "rows.parquet")
    write_answers(explainer, path, tmp_path / "out", settings())
    for record, x in zip(table_of(tmp_path / "out"), CREDIT.X, strict=False):
        pieces = [
            (each["feature"], piece["low"], piece["high"], piece["closed"])
            for each in explainer.explain(x, time_limit=None, work_limit=WORK).to_dict()["literals"]
            for piece in each.get("intervals", ())
        ]
        told = [
            (piece["feature"], piece["low"], piece["high"], piece["closed"])
            for piece in record["literals"]
            if piece["values"] is None
        ]
        assert told == pieces


def test_json_lines_say_what_parquet_says(explainer, frame, tmp_path):
    path = save(frame, tmp_path / "rows.csv")
    write_answers(explainer, path, tmp_path / "a", settings(reuse=True))
    write_answers(explainer, path, tmp_path / "b", settings(reuse=True), format="jsonl")
    assert table_of(tmp_path / "a") == lines_of(tmp_path / "b")
    assert overview(tmp_path / "a").summary == overview(tmp_path / "b").summary


def test_the_manifest_tells_what_is_there(explainer, frame, tmp_path):
    write_answers(explainer, save(frame, tmp_path / "rows.csv"), tmp_path / "out", settings())
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["finished"] and manifest["rows"] == ROWS
    assert [part["rows"] for part in manifest["parts"]] == [40, 40, 40, 10]
    assert manifest["model"] == explainer.ensemble.digest and manifest["settings"]["work_limit"] == WORK
    listed = {name for part in manifest["parts"] for name in part["files"]}
    assert listed | {"manifest.json"} == set(contents(tmp_path / "out"))
    timings = (tmp_path / "out" / "part-00003.timings.jsonl").read_text().splitlines()
    assert [json.loads(line)["row"] for line in timings] == list(range(120, 130))


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_two_jobs_write_the_same_bytes(explainer, frame, tmp_path, reuse, kind):
    path = save(frame, tmp_path / "rows.csv")
    for name, jobs in (("one", 1), ("two", 2)):
        write_answers(explainer, path, tmp_path / name, settings(reuse=reuse), format=kind, n_jobs=jobs)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_explanations_that_are_taken_over_hold_for_their_rows(explainer, frame, tmp_path):
    write_answers(explainer, save(frame, tmp_path / "rows.csv"), tmp_path / "out", settings(reuse=True))
    found = table_of(tmp_path / "out")
    taken = [record for record in found if record["taken_from"] is not None]
    assert taken and overview(tmp_path / "out").taken_over == len(taken)
    for record in taken:
        lender = found[record["taken_from"]]
        assert record["literals"] == lender["literals"] and record["decision"] == lender["decision"]
        assert lender["row"] // 40 <= record["row"] // 40 and lender["taken_from"] is None
        assert record["decision"] == explainer.decide(CREDIT.X[record["row"]])


def test_a_regressor_is_asked_around_its_predictions(tmp_path):
    X, y = CREDIT.X[:, :4], CREDIT.X[:, 4]
    forest = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    explainer = pw.Explainer(forest, X, feature_names=list("abcd"), literals="sets")
    path = save(pd.DataFrame(X[:7], columns=list("abcd")), tmp_path / "rows.csv")
    write_answers(explainer, path, tmp_path / "out", settings(options={"within": 5.0}))
    told = [record["rule"] for record in table_of(tmp_path / "out")]
    assert told == [explainer.explain(x, within=5.0).rule for x in X[:7]]


# What is read.


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_all_kinds_of_files_give_the_same(explainer, frame, tmp_path, ending):
    frame = frame.assign(comment="of no concern")[[*frame.columns[::-1], "comment"]]
    frame = frame.rename(columns={"comment": "a, comment"})
    for end in ("csv", ending):
        with pytest.warns(RowsWarning, match="ignored columns: a, comment"):
            write_answers(explainer, save(frame, tmp_path / f"rows.{end}"), tmp_path / end, settings())
    assert table_of(tmp_path / "csv") == table_of(tmp_path / ending)


@pytest.fixture(scope="module")
def categories():
    """A model of LightGBM with a column of names, and rows for it."""
    from lightgbm import LGBMClassifier

    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": pd.Categorical(generator.choice(["red", "green", "blue", "1"], 400)),
            "size": generator.normal(size=400),
        }
    )
    X.loc[::17, "size"] = np.nan
    y = (X.colour.isin(["red", "1"])) ^ (X["size"] > 0.3)
    model = LGBMClassifier(n_estimators=4, num_leaves=5, min_child_samples=5, verbose=-1, n_jobs=1)
    return pw.Explainer(model.fit(X, y), X, literals="sets"), X.head(60)


def test_names_of_categories_are_read(categories, tmp_path):
    explainer, X = categories
    alone = [explainer.explain(X.iloc[[i]], time_limit=None, work_limit=WORK).rule for i in range(len(X))]
    texts = X.assign(colour=X.colour.astype(str))
    for name, rows, ending in (
        ("a", X, "parquet"),
        ("b", texts, "parquet"),
        ("c", X, "csv"),
        ("d", X, "jsonl"),
    ):
        write_answers(explainer, save(rows, tmp_path / f"{name}.{ending}"), tmp_path / name, settings(13))
        assert [record["rule"] for record in table_of(tmp_path / name)] == alone, name


def test_blocks_do_not_depend_on_how_a_file_is_divided(explainer, frame, tmp_path):
    layout = explainer._model.context.layout
    for groups in (1, 7, 40, 1000):
        frame.to_parquet(tmp_path / "rows.parquet", index=False, row_group_size=groups)
        source = open_source(tmp_path / "rows.parquet", layout)
        assert source.total == ROWS
        for skip in (0, 1, 3, 4, 9):
            blocks = [block.rows for block in source.blocks(40, skip)]
            assert [len(rows) for rows in blocks] == [40, 40, 40, 10][skip:]
            assert not blocks or np.array_equal(np.concatenate(blocks), CREDIT.X[40 * skip : ROWS])


# What is wrong with rows and files.

BAD = {
    "a word": lambda lines: [*lines[:51], "x" + lines[51], *lines[52:]],
    "too few cells": lambda lines: [*lines[:51], "1,2", *lines[52:]],
    "bytes": lambda lines: [*lines[:51], "\udcff" + lines[51], *lines[52:]],
    "a long cell": lambda lines: [*lines[:51], "7" * 200_000 + lines[51], *lines[52:]],
    "beyond float32": lambda lines: [*lines[:51], "1e300" + lines[51][lines[51].index(",") :], *lines[52:]],
    "outside the domain": lambda lines: [*lines[:51], "17" + lines[51][lines[51].index(",") :], *lines[52:]],
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_row_is_a_row_that_failed(explainer, frame, tmp_path, kind):
    path = save(frame, tmp_path / "rows.csv")
    write_answers(explainer, path, tmp_path / "good", settings())
    lines = BAD[kind](path.read_text().splitlines())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    write_answers(explainer, path, tmp_path / "bad", settings())
    good, bad = table_of(tmp_path / "good"), table_of(tmp_path / "bad")
    assert bad[:50] == good[:50] and bad[51:] == good[51:]
    failed = bad[50]
    assert failed["status"] == "failed" and failed["decision"] is None and failed["literals"] == []
    assert len(failed["notes"]) == 1 and failed["notes"][0] and failed["notes"][0] in failed["rule"]
    if kind in ("a word", "too few cells", "bytes"):
        assert "rows.csv, row 50" in failed["notes"][0]
    assert Counter(overview(tmp_path / "bad").summary.statuses) == {"proved": ROWS - 1, "failed": 1}


def test_bad_lines_of_json(explainer, frame, tmp_path):
    path = save(frame.head(6), tmp_path / "rows.jsonl")
    lines = path.read_text().splitlines()
    lines[1] = "{"
    lines[2] = "[1, 2]"
    lines[3] = '{"age": 3}'
    lines[4] = lines[4].replace(":", ":[1],", 1).replace("[1],", "[", 1).replace(",", "],", 1)
    path.write_text("\n".join(lines))
    write_answers(explainer, path, tmp_path / "out", settings())
    found = table_of(tmp_path / "out")
    assert [record["status"] for record in found] == ["proved", *["failed"] * 4, "proved"]
    for record, words in zip(found[1:5], ("not JSON", "not an object", "has no", "not list"), strict=True):
        assert words in record["notes"][0]


def test_a_bad_row_of_parquet(explainer, frame, tmp_path):
    frame = frame.copy()
    frame.iloc[5, 0] = np.inf
    write_answers(explainer, save(frame, tmp_path / "rows.parquet"), tmp_path / "out", settings())
    found = table_of(tmp_path / "out")
    assert [i for i, record in enumerate(found) if record["status"] == "failed"] == [5]
    assert "is infinite" in found[5]["notes"][0] and "row 0" not in found[5]["notes"][0]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_absent_columns_are_an_error_at_once(explainer, frame, tmp_path, ending):
    path = save(frame.drop(columns="age"), tmp_path / f"rows.{ending}")
    with pytest.raises(InvalidInput, match="missing columns: age"):
        write_answers(explainer, path, tmp_path / "out", settings())
    assert not (tmp_path / "out").exists()


def test_a_column_of_words_is_an_error_at_once(explainer, frame, tmp_path):
    path = save(frame.assign(age="old"), tmp_path / "rows.parquet")
    with pytest.raises(InvalidInput, match="age holds numbers"):
        write_answers(explainer, path, tmp_path / "out", settings())


def test_files_that_are_none(explainer, tmp_path):
    for name, content, words in (
        ("a.csv", "", "is empty"),
        ("a.jsonl", "\n", "is empty"),
        ("b.jsonl", "nothing\n", "not JSON"),
        ("a.parquet", "nothing", "not a Parquet file"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(InvalidInput, match=words):
            write_answers(explainer, tmp_path / name, tmp_path / "out", settings())
    for name, words in (("absent.csv", "no file"), ("-", "stdin")):
        with pytest.raises(InvalidInput, match=words):
            write_answers(explainer, name, tmp_path / "out", settings())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_without_rows_is_done_at_once(explainer, frame, tmp_path, ending):
    path = save(frame.head(0), tmp_path / f"rows.{ending}")
    written = write_answers(explainer, path, tmp_path / "out", settings())
    assert (written.rows, written.parts) == (0, 0) and list(contents(tmp_path / "out")) == ["manifest.json"]
    assert overview(tmp_path / "out").summary.rows == 0


def test_what_is_written_is_summarised_alike_for_a_folder_and_for_one_file(explainer, frame, tmp_path):
    path = save(frame, tmp_path / "rows.csv")
    folder = write_answers(explainer, path, tmp_path / "out", settings()).summary()
    written = write_answers(explainer, path, tmp_path / "out.jsonl", settings())
    (tmp_path / "out.jsonl").unlink()
    assert {written} == {replace(written)}
    for found in (written.summary(), pickle.loads(pickle.dumps(written)).summary()):
        assert found.finished and found.summary == folder.summary and found.summary.rows == ROWS
        assert (found.model, found.coverage_by_size) == (folder.model, folder.coverage_by_size)
        assert found.seconds is not None


def test_a_summary_counts_the_rows_of_earlier_runs_too(explainer, frame, tmp_path):
    path = save(frame, tmp_path / "rows.csv")
    write_answers(explainer, path, tmp_path / "out", settings())
    written = write_answers(explainer, path, tmp_path / "out", settings(), resume=True)
    assert written.before == ROWS and written.summary() == overview(tmp_path / "out")


def test_what_cannot_be_asked(explainer, frame, tmp_path):
    path = save(frame, tmp_path / "rows.csv")
    with pytest.raises(InvalidInput, match='"parquet" or "jsonl"'):
        write_answers(explainer, path, tmp_path / "out", settings(), format="xml")
    with pytest.raises(InvalidInput, match="reuse"):
        write_answers(explainer, path, tmp_path / "out", settings(reuse=True, options={"goal": "shortest"}))
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="is not a folder"):
        write_answers(explainer, path, tmp_path / "file", settings())


def test_a_file_that_changes_while_it_is_read_is_noticed(explainer, frame, tmp_path, monkeypatch):
    path = save(frame, tmp_path / "rows.csv")
    describe = RowExplainer.describe

    def change(self, *asked):
        path.write_text("changed")
        return describe(self, *asked)

    monkeypatch.setattr(RowExplainer, "describe", change)
    with pytest.raises(InvalidInput, match="changed while it was read"):
        write_answers(explainer, path, tmp_path / "out", settings())
    assert not json.loads((tmp_path / "out" / "manifest.json").read_text())["finished"]


def test_a_model_without_tests_has_bad_rows_too(tmp_path):
    forest = RandomForestClassifier(2, random_state=0).fit(np.zeros((9, 2)), np.zeros(9, dtype=int))
    explainer = pw.Explainer(forest, literals="sets")
    (tmp_path / "rows.csv").write_text("x0,x1\n1,2\none,2\n3,4\n")
    write_answers(explainer, tmp_path / "rows.csv", tmp_path / "out", settings())
    found = table_of(tmp_path / "out")
    assert [record["status"] for record in found] == ["proved", "failed", "proved"]
    assert [record["decision"] for record in found] == [0, None, 0]


def test_an_expression_has_no_rows(tmp_path):
    A = Variable("A", [1, 2])
    with pytest.raises(InvalidInput, match="an expression has none"):
        pw.Explainer(A == 1, literals="sets").explain_file(tmp_path / "rows.csv", tmp_path / "out")


def test_text_is_read_as_tables_read_it(tmp_path):
    from primewood.tables.files import read_file

    layout = Layout(("a", "b"))
    (tmp_path / "rows.csv").write_text('\ufeffb, a ,c\n1,NA,x\n\nTrue, 2.50 ,"y\nz"\n,1e-3,\n')
    with pytest.warns(RowsWarning, match="ignored columns: c"):
        whole = read_file(tmp_path / "rows.csv").read_numbers(layout)
    with pytest.warns(RowsWarning, match="ignored columns: c"):
        source = open_source(tmp_path / "rows.csv", layout)
    blocks = list(source.blocks(2))
    assert [len(block.rows) for block in blocks] == [2, 1] and not any(block.problems for block in blocks)
    np.testing.assert_array_equal(np.concatenate([block.rows for block in blocks]), whole)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.csv", "a,b\n1,2\n1\nx,2\n3,4\n"),
        ("rows.jsonl", '{"a": 1, "b": 2}\n{"a": 1\n{"a": "x", "b": 2}\n{"a": 3, "b": 4}\n'),
    ],
)
def test_what_is_wrong_with_rows_stands_beside_the_rows_that_can_be_read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    (block,) = open_source(tmp_path / name, Layout(("a", "b"))).blocks(10)
    assert block.rows.tolist() == [[1, 2], [3, 4]] and block.places == [0, 3] and len(block) == 4
    assert list(block.problems) == [1, 2]
    assert all(words.startswith(f"{name}, row {i}") for i, words in block.problems.items())


def test_a_block_may_have_no_row_that_can_be_read(tmp_path):
    (tmp_path / "rows.csv").write_text("a\nx\ny\n")
    (block,) = open_source(tmp_path / "rows.csv", Layout(("a",))).blocks(10)
    assert block.rows.shape == (0, 1) and block.places == [] and list(block.problems) == [0, 1]
