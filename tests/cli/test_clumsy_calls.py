"""Calls with something wrong: one line on stderr says what came, what is accepted, what to do; the exit code is 2."""

from __future__ import annotations

import joblib
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from primewood.cli import main
from primewood.logic.variable import Variable

ASKED = ["forest.json", "rows.csv", "--row", "3"]


@pytest.fixture(scope="module", autouse=True)
def oddities(made):
    """Files that are not what they should be."""
    skops.io.dump(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), made / "linear.skops")
    joblib.dump({"a": 1}, made / "model.joblib")
    joblib.dump(Variable("a", (0, 1)) == 1, made / "expression.joblib")
    (made / "one.csv").write_text("a\n1\n")
    (made / "folder").mkdir()
    (made / "empty.csv").write_text("")
    (made / "other.csv").write_text("Income,height\n1,2\n")
    (made / "binary.csv").write_bytes(bytes(range(256)))
    (made / "junk.skops").write_text("junk")
    (made / "junk.json").write_text("{")
    (made / "list.json").write_text("[1, 2]")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explian"], "Did you mean 'explain', 'explain-group'? Try primewood --help"),
        (["--nothing"], "No such option: --nothing. Try primewood --help"),
        (["explain"], "Missing argument 'MODEL'. Try primewood explain --help"),
        (["compare", "forest.json"], "Missing argument 'OTHER'. Try primewood compare --help"),
        (["explain", *ASKED, "--avoidd", "age"], "--avoid"),
        (["explain", *ASKED, "more"], "unexpected extra argument"),
        (["explain", "forest.json", "rows.csv", "--row"], "Try primewood explain --help"),
        (
            ["explain", *ASKED, "--goal", "best"],
            "'best' is not one of 'readable', 'prime', 'shortest', 'wide', 'widest'",
        ),
        (["explain", *ASKED, "--row", "three"], "got 'three'"),
        (["explain", *ASKED, "--time-limit", "soon"], "got 'soon'"),
        (["explain", *ASKED, "--time-limit", "0"], "positive number of seconds"),
        (["explain", *ASKED, "--all", "--limit", "0"], "greater than or equal to 1"),
        (["explain", *ASKED, "--all", "--html", "a.html"], "--html is for one explanation"),
        (["explain", *ASKED, "--row", "4", "--html", "a.html"], "one row"),
        (["explain", "none.json", "rows.csv"], "there is no file none.json"),
        (["explain", "folder", "rows.csv"], "no file folder"),
        (["explain", "rows.csv", "rows.csv"], "unrecognised file extension '.csv'; expected .skops"),
        (["explain", "junk.skops", "rows.csv"], "cannot be read as a skops file"),
        (["explain", "junk.json", "rows.csv"], "is not JSON, or cut off"),
        (["explain", "list.json", "rows.csv"], "no model of XGBoost"),
        (["explain", "linear.skops", "rows.csv"], "sklearn.linear_model.LogisticRegression is not supported"),
        (["explain", "model.joblib", "rows.csv"], "--trust-pickle"),
        (["explain", "model.joblib", "rows.csv", "--trust-pickle"], "builtins.dict is not supported"),
        (["explain", "expression.joblib", "one.csv", "--trust-pickle"], "holds an expression"),
        (["explain", "expression.joblib", "one.csv", "--trust-pickle", "-o", "out"], "holds an expression"),
        (["explain", "forest.json", "none.csv"], "there is no file none.csv"),
        (
            ["explain", "forest.json", "folder"],
            "folder is a folder; rows are a CSV, JSON, Parquet or .xlsx file",
        ),
        (["explain", "forest.json", "empty.csv"], "empty.csv is empty"),
        (["explain", "forest.json", "binary.csv"], "is not UTF-8 text"),
        (
            ["explain", "forest.json", "other.csv"],
            "unexpected columns: Income, height",
        ),
        (["explain", *ASKED, "--avoid", "incmoe"], "--avoid names incmoe (did you mean income?)"),
        (["explain", *ASKED, "--fix", "AGE"], "--fix names AGE (did you mean age?)"),
        (["explain", *ASKED, "--only", "zzz"], "--only names zzz; the features are income, debt, age, shoe"),
        (["explain", *ASKED, "--set", "weights.dept=2"], "weights names dept (did you mean debt?)"),
        (["explain", *ASKED, "--set", "weights=age"], "a table from features to numbers"),
        (["contrast", *ASKED, "--immutable", "hight"], "the features are income, debt, age, shoe"),
        (["contrast", *ASKED, "--target", "Approved"], "no decision 'Approved' (did you mean approved?)"),
        (["flip", *ASKED, "--increase", "incom"], "--increase names incom (did you mean income?)"),
        (["flip", *ASKED, "--set", "weights.incom=2"], "weights names incom (did you mean income?)"),
        (["check", "forest.json", "rows.csv", "--features", "shoes"], "did you mean shoe?"),
        (["verify", "forest.json", "--monotone", "ages"], "--monotone names ages (did you mean age?)"),
        (["verify", "forest.json", "--monotone", "ages:decreasing"], "did you mean age?"),
        (["verify", "forest.json", "--independent-of", "ages"], "did you mean age?"),
        (["verify", "forest.json", "--never", "deny"], "there are approved, denied"),
        (["rules", "forest.json"], "Missing argument 'ROWS'"),
        (["rules", "forest.json", "rows.csv", "--decision", "deny"], "did you mean denied?"),
        (["compile", "forest.json", "--picture", "a.gif"], "should end with .svg or .png or .pdf or .dot"),
        (["report", "forest.json", "rows.csv"], "-o audit.html"),
        (["report", "forest.json", "rows.csv", "-o", "a.pdf"], "should end with .html"),
        (["report", "forest.json", "rows.csv", "-o", "a.html", "--row", "60"], "the rows are 0 to 59"),
        (["bench", "forest.json"], "pass ROWS"),
        (["bench", "--train", "rows.csv"], "pass MODEL and ROWS"),
        (["bench", "--threshold", "0.3"], "pass MODEL and ROWS"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(files, call, arguments, words):
    done = call(*arguments)
    about = [line for line in done.err.splitlines() if not line.startswith("row 0 of")]
    assert done.code == 2 and not done.out and len(about) == 1, done.err
    assert about[0].startswith("primewood") and words in about[0]


def test_a_text_that_cannot_be_parsed_is_shown_with_the_place(files, call):
    done = call("verify", "forest.json", "--rule", "age < -> denied")
    first, text, caret = done.err.splitlines()
    assert done.code == 2 and "At position" in first and set(caret.strip()) == {"^"} and "age <" in text


def test_a_regressor_is_told_its_options(files, call):
    from sklearn.tree import DecisionTreeRegressor

    import primewood as pw

    pw.read(DecisionTreeRegressor(max_depth=2).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])).save("tree.json")
    (files / "one.csv").write_text("x0\n1\n2\n")
    done = call("explain", "tree.json", "one.csv", "--row", 0)
    assert done.code == 2 and "--threshold" in done.err and "--within" in done.err
    assert call("explain", "tree.json", "one.csv", "--row", 0, "--within", 0.5).code == 0


def test_what_should_not_happen_is_one_line_too(files, call, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("something\nbroke")

    monkeypatch.setattr("primewood.explainer.Explainer.count", broken)
    done = call("explain", *ASKED, "--count")
    assert done.code == 2 and "RuntimeError: something broke. Please report it" in done.err
    monkeypatch.setenv("PRIMEWOOD_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main.run(["explain", *ASKED, "--count"])
