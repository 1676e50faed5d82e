"""What was explained feeds plots and reports: a batch, its frame and its folder say the same."""

from __future__ import annotations

import json
from dataclasses import replace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from batch.samples import write_answers
from primewood import plots
from primewood.apps.report.page.limits import list_limits
from primewood.batch.batch import Batch
from primewood.batch.settings import Settings
from primewood.errors import InvalidInput

matplotlib.use("Agg")
QUICK = {"explain": 1, "sample": 5, "time_limit": None, "work_limit": 500}
BAD = (7, 30)
ROWS = 60


def credit(seed=0):
    """Rows, what is decided about them, and a forest that learned it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "income": rng.integers(10, 100, 200).astype(float),
            "debt": rng.integers(0, 50, 200).astype(float),
            "age": rng.integers(18, 80, 200).astype(float),
            "shoe size": rng.integers(36, 47, 200).astype(float),
        }
    )
    y = np.where((X.income - X.debt > 30) & (X.age >= 30), "approved", "denied")
    return X, RandomForestClassifier(5, max_depth=3, random_state=seed).fit(X, y)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def explainer():
    X, forest = credit()
    return pw.Explainer(forest, X, literals="sets")


@pytest.fixture(scope="module")
def rows():
    """Some rows, of which two have a value missing, which the explainer takes not to occur."""
    found = credit()[0].head(ROWS).copy()
    found.iloc[list(BAD), 0] = np.nan
    return found


@pytest.fixture(scope="module")
def batch(explainer, rows):
    explained = list(explainer.stream(rows, time_limit=None, work_limit=1000))
    return Batch.of(explained, rows, explainer._model.context)


@pytest.fixture(scope="module")
def folder(explainer, rows, tmp_path_factory):
    made = tmp_path_factory.mktemp("batch")
    rows.to_parquet(made / "rows.parquet")
    settings = Settings(time_limit=None, work_limit=1000, block=25)
    write_answers(explainer, made / "rows.parquet", made / "answers", settings)
    return made / "answers"


@pytest.fixture(scope="module")
def taken(explainer, rows, tmp_path_factory):
    """A folder in which rows take over explanations of others."""
    made = tmp_path_factory.mktemp("reuse")
    rows.to_parquet(made / "rows.parquet")
    settings = Settings(time_limit=None, work_limit=1000, block=25, reuse=True)
    write_answers(explainer, made / "rows.parquet", made / "answers", settings)
    return made / "answers"


def parts(folder, read):
    return [read(path) for path in sorted(folder.glob("part-*.parquet"))]


WAYS = {
    "batch": lambda batch, folder: batch,
    "record of a batch": lambda batch, folder: batch.to_dict(),
    "frame of pandas": lambda batch, folder: batch.to_frame(backend="pandas"),
    "frame of polars": lambda batch, folder: batch.to_frame(backend="polars"),
    "parts read by pandas": lambda batch, folder: pd.concat(parts(folder, pd.read_parquet)),
    "parts with the NA of pandas": lambda batch, folder: pd.concat(
        parts(folder, lambda path: pd.read_parquet(path, dtype_backend="numpy_nullable"))
    ),
    "parts read by polars": lambda batch, folder: pl.concat(parts(folder, pl.read_parquet)),
    "overview": lambda batch, folder: pw.overview(folder),
    "record of an overview": lambda batch, folder: json.loads(json.dumps(pw.overview(folder).to_dict())),
}


@pytest.mark.parametrize("way", WAYS)
def test_feature_use_is_the_same_from_each(batch, folder, way):
    display = plots.feature_use(WAYS[way](batch, folder))
    used = [name for why in batch for name in why.features]
    assert list(display.counts.items()) == [
        (name, count) for name, count in batch.summary().features.items() if count
    ]
    assert all(used.count(name) == count for name, count in display.counts.items())
    assert (display.rows, display.failed, display.left_out) == (ROWS - 2, 2, 0)
    assert display.unused == sum(not count for count in batch.summary().features.values())
    told = f"{display.ax_.get_title('left')} {display.ax_.get_xlabel()}"
    assert "2 rows that could not be explained, not counted" in told and "58 explanations" in told


@pytest.mark.parametrize("way", WAYS)
def test_coverage_by_size_is_the_same_from_each(batch, folder, way):
    display = plots.coverage_by_size(WAYS[way](batch, folder))
    explained = [why for why in batch if str(why.status) != "failed"]
    dots = [(len(why.features), why.coverage) for why in explained]
    assert display.dots == {dot: dots.count(dot) for dot in dots} and len(display.dots) > 2
    assert (display.left_out, display.failed) == (0, 2)
    assert "58 explanations, 2 failed rows left out" in " ".join(display.ax_.get_title("left").split())


def test_a_part_may_be_drawn_alone(batch, folder):
    display = plots.feature_use(pd.read_parquet(folder / "part-00001.parquet"))
    assert display.counts == plots.feature_use(batch[25:50]).counts and display.rows == 24


@pytest.mark.parametrize("without", ["status", "size", "coverage"])
def test_a_frame_without_what_is_drawn_is_refused(batch, without):
    frame = batch.to_frame().drop(columns=without)
    with pytest.raises(InvalidInput, match=f"one line per row.*this DataFrame has no column '{without}'"):
        plots.coverage_by_size(frame)


def test_other_frames_are_refused(batch, folder, rows):
    for plot in (plots.feature_use, plots.coverage_by_size):
        for frame in (rows, pl.from_pandas(rows), batch.to_frame("literals")):
            with pytest.raises(InvalidInput, match=r"one line per row, as batch\.to_frame"):
                plot(frame)
    said = ["decision", "status", "rule", "size", "coverage"]
    with pytest.raises(InvalidInput, match="'if <feature>'; this frame has none"):
        plots.feature_use(batch.to_frame()[said])
    with pytest.raises(
        InvalidInput, match=r"a batch, its frame, the overview of a folder.*this str is not one"
    ):
        plots.feature_use(str(folder))
    with pytest.raises(InvalidInput, match="its frame, or the overview of a folder; this Table is not one"):
        plots.coverage_by_size(pq.read_table(folder / "part-00000.parquet").schema.empty_table())


def test_rows_that_all_failed_have_nothing_to_draw(batch):
    failed = batch[list(BAD)]
    for given in (failed, failed.to_frame()):
        display = plots.feature_use(given)
        assert (display.counts, display.rows, display.failed) == ({}, 0, 2)
        assert "no value can change" not in " ".join(words.get_text() for words in display.ax_.texts)
        with pytest.raises(InvalidInput, match="at least one explanation; 2 rows failed"):
            plots.coverage_by_size(given)


def test_without_training_rows_there_is_no_coverage(tmp_path, rows):
    explainer = pw.Explainer(credit()[1], missing="forbid", literals="sets")
    rows.head(5).to_csv(tmp_path / "rows.csv", index=False)
    write_answers(explainer, tmp_path / "rows.csv", tmp_path / "out")
    found = pw.overview(tmp_path / "out")
    assert found.summary.coverage is None and not found.coverage_by_size
    for given in (found, pd.read_parquet(tmp_path / "out" / "part-00000.parquet")):
        assert plots.feature_use(given).rows == 5
        with pytest.raises(InvalidInput, match="no coverage: give the explainer training rows"):
            plots.coverage_by_size(given)


def test_an_overview_tells_coverage_by_size_and_the_model(batch, explainer, folder):
    found = pw.overview(folder)
    assert sum(found.coverage_by_size.values()) == ROWS - 2
    assert list(found.coverage_by_size) == sorted(found.coverage_by_size)
    assert found.model == explainer.ensemble.digest
    # The median comes from counts: it is that of all numbers.
    assert found.summary.coverage == batch.summary().coverage
    assert found.summary == batch.summary()
    record = found.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["coverage_by_size"][0].keys() == {"size", "coverage", "rows"}
    assert sum(one["rows"] for one in record["coverage_by_size"]) == ROWS - 2


def test_coverage_by_size_has_no_more_entries_than_there_are_shares(explainer, tmp_path):
    """Of ten training rows, a coverage is one of eleven shares, however many rows are explained."""
    X, forest = credit()
    few = pw.Explainer(forest, X.head(10), literals="sets")
    X.to_csv(tmp_path / "rows.csv", index=False)
    write_answers(few, tmp_path / "rows.csv", tmp_path / "out")
    found = pw.overview(tmp_path / "out").coverage_by_size
    assert sum(found.values()) == len(X)
    assert {coverage for _, coverage in found} <= {k / 10 for k in range(11)}
    assert len(found) <= 11 * len({size for size, _ in found})


def used(record):
    return {item["feature"]: item["explanations"] for item in record["features"]["items"]}


@pytest.mark.parametrize("given", ["folder", "text", "overview", "batch"])
def test_a_report_counts_all_explanations(explainer, rows, batch, folder, given):
    answers = {"folder": folder, "text": str(folder), "overview": pw.overview(folder), "batch": batch}[given]
    made = explainer.report(credit()[0].head(20), answers=answers, **QUICK)
    record = made.to_dict()
    found = record["features"]
    assert used(record) == batch.summary().features
    assert found["sizes"] == {str(size): count for size, count in batch.summary().sizes.items()}
    counts = {name: found[name] for name in ("source", "rows", "explained", "proved", "failed", "finished")}
    assert counts == {
        "source": "batch",
        "rows": ROWS,
        "explained": ROWS - 2,
        "proved": ROWS - 2,
        "failed": 2,
        "finished": True,
    }
    assert found["sampled"] == found["alone_rows"] == 5
    origin = {"overview": "the overview of a folder", "batch": "a batch"}.get(given, f"the folder {folder}")
    assert record["made"]["settings"]["answers"] == origin
    page = made.to_html()
    assert "over the 58 explanations in the batch" in page
    assert "2 of its 60 rows could not be explained" in page
    assert "over a sample of 5 rows of the report" in page and "Two counts over" not in page
    assert "not finished" not in page and "took over" not in page
    assert any(
        line.startswith("Feature use leaves out 2 of 60 rows of the batch") for line in list_limits(record)
    )


def test_the_order_of_features_is_that_of_the_counts(explainer, folder):
    items = explainer.report(credit()[0].head(9), answers=folder, **QUICK).to_dict()["features"]["items"]
    assert [item["explanations"] for item in items] == sorted(
        (item["explanations"] for item in items), reverse=True
    )


def test_without_answers_a_report_counts_over_a_sample(explainer):
    made = explainer.report(credit()[0].head(20), **QUICK)
    found = made.to_dict()["features"]
    assert (found["source"], found["rows"], found["explained"], found["failed"]) == ("sample", 5, 5, 0)
    assert made.to_dict()["made"]["settings"]["answers"] is None
    assert "Two counts over a sample of 5 rows" in made.to_html() and "batch" not in made.to_html()


def test_rows_that_took_over_explanations_are_told(explainer, rows, taken):
    found = pw.overview(taken)
    assert found.taken_over
    made = explainer.report(answers=taken, **QUICK)
    assert made.to_dict()["features"]["taken_over"] == found.taken_over
    assert f"{found.taken_over} of its rows took over the explanation of another row" in made.to_html()


def test_a_batch_knows_which_rows_took_over(explainer, rows):
    """Blocks of a thousand rows: the second thousand takes over from the first."""
    many = pd.concat([credit()[0]] * 6, ignore_index=True).astype(float)
    many["income"] += np.repeat(np.arange(6) / 10, len(many) // 6)
    batch = explainer(many, reuse=True, time_limit=None, work_limit=1000)
    noted = sum("taken over" in " ".join(why.notes) for why in batch)
    found = explainer.report(answers=batch, **QUICK).to_dict()["features"]
    assert found["taken_over"] == noted > 0


def test_a_folder_that_is_not_finished_is_told_to_be_so(explainer, folder, tmp_path):
    begun = tmp_path / "begun"
    begun.mkdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest |= {"finished": False, "parts": manifest["parts"][:2], "rows": 50}
    (begun / "manifest.json").write_text(json.dumps(manifest))
    for name in ("part-00000.parquet", "part-00001.parquet"):
        (begun / name).write_bytes((folder / name).read_bytes())
    made = explainer.report(answers=begun, **QUICK)
    record = made.to_dict()["features"]
    assert not record["finished"] and (record["rows"], record["explained"]) == (50, 48)
    assert "The batch is not finished: these are the explanations so far." in made.to_html()
    assert "The batch is not finished: feature use was counted over the 50 rows so far." in str(made)


def test_a_model_without_rows_is_reported_with_answers(folder):
    _, forest = credit()
    made = pw.Explainer(forest, missing="forbid", literals="sets").report(answers=folder, **QUICK)
    record = made.to_dict()
    assert record["rows"]["source"] == "none" and record["features"]["explained"] == ROWS - 2
    assert "There are no rows to try on what a feature can change alone." in made.to_html()
    assert "Rows that it can change alone" not in made.to_html()


def test_answers_about_another_model_are_refused(explainer, rows, batch, folder):
    X, other = credit(seed=1)
    stranger = pw.Explainer(other, X, literals="sets")
    for answers in (folder, pw.overview(folder), batch):
        with pytest.raises(InvalidInput, match=f"another model: its digest is {explainer.ensemble.digest}"):
            stranger.report(answers=answers, **QUICK)
    with pytest.raises(InvalidInput, match="another model: its digest is None"):
        explainer.report(answers=replace(pw.overview(folder), model=None), **QUICK)
    moved = pw.Explainer(credit()[1], X, threshold=0.6, positive="approved", literals="sets")
    with pytest.raises(InvalidInput, match="vote and cut-off are part of it"):
        moved.report(answers=folder, **QUICK)


def test_answers_about_other_features_are_refused(explainer, folder):
    found = pw.overview(folder)
    features = {"income": 5, "colour": 3}
    other = replace(found, summary=replace(found.summary, features=features))
    with pytest.raises(InvalidInput, match="other features: age, colour, debt"):
        explainer.report(answers=other, **QUICK)


def test_what_is_no_answer_is_refused(explainer, batch, tmp_path):
    for wrong in (7, batch.to_frame(), batch.summary(), [batch]):
        with pytest.raises(InvalidInput, match="answers must be a folder that explain_file has written"):
            explainer.report(answers=wrong, **QUICK)
    with pytest.raises(InvalidInput, match=r"not a folder of a batch"):
        explainer.report(answers=tmp_path / "nowhere", **QUICK)
