"""Kinds follow the dtype: whole numbers and Booleans are what they are, and rows that break that are still answered."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import primewood as pw
from primewood.errors import InvalidInput, UnknownName

GENERATOR = np.random.default_rng(1)
N = 250
X = pd.DataFrame(
    {
        "age": GENERATOR.integers(18, 40, N),
        "kids": GENERATOR.integers(0, 4, N),
        "owner": GENERATOR.random(N) < 0.5,
        "income": GENERATOR.normal(30, 8, N).round(2),
    }
)
Y = np.where((X.age / 4 + X.income / 3 + 2 * X.owner - X.kids > 18), "approved", "declined")
ROW = {"age": 25, "kids": 1, "owner": True, "income": 30.0}
ASSUMED = "age, kids are whole numbers"


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def explainer(forest):
    return pw.Explainer(forest, X)


def kinds(explainer):
    return {f.name: "whole" if f.whole else f.kind for f in explainer.domain.features}


class TestKindsFollowTheDtype:
    @pytest.mark.parametrize(
        "convert",
        [
            lambda X: X,
            lambda X: X.convert_dtypes(),
            lambda X: X.astype({"age": "int8", "kids": "UInt16", "owner": "boolean"}),
            pl.DataFrame,
            pa.Table.from_pandas,
        ],
        ids=["numpy", "nullable", "small", "polars", "pyarrow"],
    )
    def test_integers_are_whole_and_booleans_are_boolean(self, forest, convert):
        found = pw.Explainer(forest, convert(X))
        assert kinds(found) == {"age": "whole", "kids": "whole", "owner": "boolean", "income": "numeric"}
        why = found.explain(ROW)
        assert {ASSUMED, "owner is True or False"} <= set(why.assumptions)

    def test_an_array_of_integers_is_whole_and_one_of_floats_is_not(self):
        numbers = X[["age", "kids"]].to_numpy()
        model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(numbers, Y)
        assert set(kinds(pw.Explainer(model, numbers)).values()) == {"whole"}
        assert set(kinds(pw.Explainer(model, numbers.astype(float))).values()) == {"numeric"}

    def test_whole_numbers_that_are_missing_stay_whole(self):
        frame = X.astype({"kids": "Int64"})
        frame.loc[:9, "kids"] = pd.NA
        model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(frame.astype(float), Y)
        found = pw.Explainer(model, frame)
        assert kinds(found)["kids"] == "whole" and found.decide({**ROW, "kids": None}) in (
            "approved",
            "declined",
        )

    def test_columns_before_a_pipeline_keep_their_kinds(self):
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=3, random_state=0))
        found = pw.Explainer(pipeline.fit(X, Y), X)
        assert kinds(found) == {"age": "whole", "kids": "whole", "owner": "boolean", "income": "numeric"}

    def test_the_declared_domain_has_the_last_word(self, forest):
        domain = {"age": "numeric", "kids": pw.Number(0, 9), "owner": "boolean"}
        found = pw.Explainer(forest, X, domain=domain)
        assert kinds(found) == {
            "age": "numeric",
            "kids": "numeric",
            "owner": "boolean",
            "income": "numeric",
        }
        assert found.decide({**ROW, "age": 25.5}) in ("approved", "declined")

    def test_a_saved_explainer_keeps_them(self, explainer, tmp_path):
        explainer.save(tmp_path / "explainer.pw")
        loaded = pw.load(tmp_path / "explainer.pw")
        assert kinds(loaded) == kinds(explainer)
        assert loaded.explain(ROW).rule == explainer.explain(ROW).rule
        assert loaded.explain({**ROW, "age": 25.5}).notes == explainer.explain({**ROW, "age": 25.5}).notes


class TestWords:
    @pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
    def test_whole_numbers_print_with_closed_bounds_and_booleans_as_true_and_false(self, explainer, literals):
        for _, row in X.head(25).iterrows():
            why = explainer.explain(row, literals=literals)
            said = [why.rule, *(x.text for x in why.exclusions), why.to_text(exact=True).splitlines()[0]]
            for text in said:
                for name in ("age", "kids"):
                    assert (
                        f"{name} <= " in text
                        or f"{name} >= " in text
                        or f"{name} = " in text
                        or name not in text
                    )
                    assert f"{name} < " not in text and f"{name} > " not in text and f" < {name}" not in text
                assert "owner is 0" not in text and "owner is 1" not in text
        assert "owner is True" in " ".join(
            explainer.explain(row, literals=literals).rule for _, row in X.head(60).iterrows()
        )

    def test_a_run_of_whole_numbers_reads_65_to_66(self):
        tree = pw.Tree.build((0, 64.5, [1, 0], (0, 66.5, [0, 1], [1, 0])))
        model = pw.Ensemble((tree,), ("age",), ("no", "yes"))
        found = pw.Explainer(model, pd.DataFrame({"age": [60, 65, 66, 70]}))
        assert found.explain({"age": 65}).rule == "IF 65 <= age <= 66 THEN yes"
        assert found.explain({"age": 70}).rule == "IF age >= 67 THEN no"
        assert found.explain({"age": 60}, literals="intervals").rule == "IF age <= 64 THEN no"

    def test_counterfactuals_propose_whole_numbers_and_truths(self, explainer, forest):
        for i in range(12):
            found = explainer.counterfactual(X.iloc[i])
            row = np.array(found.row)
            assert (row[:2] == np.floor(row[:2])).all() and row[2] in (0.0, 1.0)
            assert forest.predict(pd.DataFrame([row], columns=X.columns))[0] == found.other

    def test_what_if_speaks_of_whole_numbers(self, explainer):
        strip = str(explainer.what_if(ROW, "age").to_dict())
        assert " < age" not in strip and "age > " not in strip

    def test_constraints_and_rules_name_truths_by_number_or_by_name(self, forest):
        for text in ("owner = 1 -> age >= 18", "owner = True -> age >= 18"):
            found = pw.Explainer(forest, X, constraints=[text])
            assert found.decide(ROW) in ("approved", "declined")


class TestRowsThatBreakAnInferredKind:
    def test_they_are_answered_without_the_assumption_and_with_a_note(self, explainer, forest):
        row = {**ROW, "age": 25.5}
        why = explainer.explain(row)
        note = "age = 25.5 is not a whole number, unlike the training rows; answered without that assumption"
        assert why.notes == (note,) and note in str(why) and note in why.to_dict()["notes"]
        assert "kids is a whole number" in why.assumptions and ASSUMED not in why.assumptions
        assert why.decision == forest.predict(pd.DataFrame([row]))[0] == explainer.decide(row)

    def test_a_boolean_that_is_no_truth_is_answered(self, explainer, forest):
        row = {**ROW, "owner": 0.25}
        why = explainer.explain(row)
        assert why.notes[0].startswith("owner = 0.25 is not True or False, unlike the training rows")
        assert why.decision == forest.predict(pd.DataFrame([row]))[0]

    def test_whole_numbers_seen_as_0_and_1_only_stay_whole(self):
        frame = X.assign(kids=(X.kids > 1).astype(int))
        model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(frame, Y)
        found = pw.Explainer(model, frame)
        why = found.explain({**ROW, "kids": 3})
        assert (
            why.notes[0].startswith("kids = 3 is not 0 or 1")
            and "age, kids are whole numbers" in why.assumptions
        )

    @pytest.mark.parametrize(
        "ask",
        [
            lambda e, x: e.contrast(x),
            lambda e, x: e.counterfactual(x),
            lambda e, x: e.robustness(x),
            lambda e, x: e.relevance(x),
            lambda e, x: e.what_if(x, "age"),
            lambda e, x: e.decision_map(x, ("age", "income")),
            lambda e, x: next(iter(e.explanations(x))),
            lambda e, x: next(iter(e.contrasts(x))),
            lambda e, x: e.check(x, ["age", "income", "kids", "owner"]),
            lambda e, x: e.score(x),
        ],
    )
    def test_every_question_is_answered(self, explainer, ask):
        assert ask(explainer, {**ROW, "age": 25.5}) is not None

    def test_notes_are_in_the_records_of_counterfactuals_and_robustness(self, explainer):
        row = {**ROW, "age": 25.5}
        for found in (explainer.counterfactual(row), explainer.robustness(row), explainer.contrast(row)):
            assert found.to_dict()["notes"][0].startswith("age = 25.5 is not a whole number")

    @pytest.mark.parametrize("reuse", [False, True])
    def test_batches_answer_them_among_the_others(self, explainer, reuse, tmp_path):
        rows = X.head(8).astype({"age": float, "owner": float})
        rows.loc[2, "age"] = rows.loc[5, "age"] = 25.5
        rows.loc[6, "owner"] = 0.5
        expected = [explainer.explain(row) for _, row in rows.iterrows()]
        batch = explainer(rows, reuse=reuse)
        assert [why.decision for why in batch] == [why.decision for why in expected]
        assert [i for i, why in enumerate(batch) if any("unlike" in note for note in why.notes)] == [2, 5, 6]
        for i in (2, 5, 6) if reuse else range(8):
            assert batch[i] == expected[i]
        rows.to_csv(tmp_path / "rows.csv", index=False)
        explainer.explain_file(tmp_path / "rows.csv", tmp_path / "out", reuse=reuse)
        table = pd.read_parquet(sorted((tmp_path / "out").glob("part-*.parquet"))[0])
        assert list(table["decision"]) == [why.decision for why in expected]
        assert ["unlike" in " ".join(notes) for notes in table["notes"]] == [i in (2, 5, 6) for i in range(8)]

    def test_what_is_declared_is_still_refused(self, forest):
        declared = pw.Explainer(forest, X, domain={"age": "whole", "owner": "boolean"})
        with pytest.raises(InvalidInput, match=r"age is a whole number; got 25\.5"):
            declared.explain({**ROW, "age": 25.5})
        with pytest.raises(UnknownName, match=r"owner is one of 0, 1; got 0\.5"):
            declared.explain({**ROW, "owner": 0.5})


class TestTheAnswersHold:
    """Brute force: every row of whole numbers and truths inside an explanation is decided as it says."""

    @pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
    @pytest.mark.parametrize("kind", [RandomForestClassifier, GradientBoostingClassifier])
    def test_on_every_whole_row_inside(self, kind, literals):
        frame = X[["age", "kids", "owner"]]
        y = np.where(frame.age + 3 * frame.kids * frame.owner > 27, "approved", "declined")
        model = kind(n_estimators=9, max_depth=3, random_state=0).fit(frame, y)
        explainer = pw.Explainer(model, frame)
        everything = pd.DataFrame(
            itertools.product(range(10, 48), range(-2, 8), (False, True)), columns=frame.columns
        )
        truth = model.predict(everything)
        for i in range(15):
            why = explainer.explain(frame.iloc[i], literals=literals)
            inside = why.covers(everything)
            assert inside.any() and (truth[inside] == why.decision).all()

    def test_on_rows_around_one_that_breaks_a_kind(self, explainer, forest):
        for i in range(10):
            row = {**X.iloc[i].to_dict(), "age": float(X.age[i]) + 0.25}
            why = explainer.explain(row)
            drawn = why.sample(200, seed=i)
            assert not (drawn[:, 0] == np.floor(drawn[:, 0])).all()
            assert (forest.predict(pd.DataFrame(drawn, columns=X.columns)) == why.decision).all()

    def test_of_large_whole_numbers(self):
        """Beyond 2^24 float32 models round whole numbers; answers hold for them all the same."""
        large = pd.DataFrame(
            {"id": 2**25 + GENERATOR.integers(-50, 50, 200), "x": GENERATOR.integers(0, 5, 200)}
        )
        y = (large.id + large.x > 2**25 + 3).astype(int)
        model = RandomForestClassifier(7, max_depth=5, random_state=0).fit(large, y)
        found = pw.Explainer(model, large)
        every = pd.DataFrame(itertools.product(range(2**25 - 60, 2**25 + 60), range(5)), columns=["id", "x"])
        truth = model.predict(every)
        for i in range(20):
            why = found.explain(large.iloc[i])
            inside = why.covers(every)
            assert inside.any() and (truth[inside] == why.decision).all()
