"""Rows that people hand in: whatever they come in, they are read by name, and what is guessed is said."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput, RowsWarning, UnknownName

GENERATOR = np.random.default_rng(0)
N = 300
AGE, INCOME = GENERATOR.integers(18, 70, N), GENERATOR.normal(30, 8, N)
X = pd.DataFrame({"age": AGE, "income": INCOME})
Y = np.where(X.income + X.age / 10 > 34, "approved", "declined")


def mixed():
    """A frame as people have it: whole numbers with gaps, Booleans, text with gaps."""
    frame = X.assign(
        kids=pd.array(GENERATOR.integers(0, 4, N), dtype="Int64"),
        owner=GENERATOR.random(N) < 0.5,
        job=GENERATOR.choice(["clerk", "cook", "nurse"], N),
    )
    frame.loc[3, "kids"] = pd.NA
    frame.loc[4, "job"] = None
    return frame


MIXED = mixed()
ENCODER = OneHotEncoder(handle_unknown="ignore")
STEPS = ColumnTransformer(
    [
        ("c", ENCODER, ["job"]),
        ("n", SimpleImputer(), ["age", "income", "kids"]),
        ("b", "passthrough", ["owner"]),
    ]
)
Y_MIXED = np.where(MIXED.owner ^ (MIXED.income + 3 * (MIXED.job == "cook") > 30), "approved", "declined")


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def explainer(forest):
    return pw.Explainer(forest, X)


@pytest.fixture(scope="module")
def unnamed():
    return RandomForestClassifier(5, max_depth=3, random_state=0).fit(X.to_numpy(), Y)


@pytest.fixture(scope="module")
def pipeline():
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    return make_pipeline(STEPS, forest).fit(MIXED, Y_MIXED)


@pytest.fixture(scope="module")
def of_pipeline(pipeline):
    return pw.Explainer(pipeline, MIXED)


class TestColumnsByName:
    def test_a_frame_with_the_columns_in_another_order_is_reordered(self, forest, explainer):
        backwards = X[["income", "age"]]
        same = pw.Explainer(forest, backwards)
        assert not same.notes and np.array_equal(same.rows, explainer.rows)
        for i in range(5):
            assert explainer.explain(backwards.iloc[i]) == explainer.explain(X.iloc[i])
        assert explainer.decide(backwards) == list(forest.predict(X))

    def test_extra_columns_are_ignored_with_a_note(self, forest, explainer):
        more = X.assign(id=range(N), approved=Y)
        why = explainer.explain(more.iloc[0])
        assert why.notes == ("the row: ignored columns: id, approved",)
        assert why.to_dict()["notes"] == list(why.notes) and "ignored columns: id" in str(why)
        assert why.term == explainer.explain(X.iloc[0]).term
        assert explainer.explain({"age": 30, "income": 20.0, "id": 7}).notes == (
            "the row: ignored columns: id",
        )
        with pytest.warns(RowsWarning, match="X_train: ignored columns: id, approved"):
            told = pw.Explainer(forest, more)
        assert told.notes == ("X_train: ignored columns: id, approved",)
        with pytest.warns(RowsWarning, match="X: ignored columns: id, approved"):
            batch = explainer(more.head(3))
        assert [why.notes for why in batch] == [(), (), ()]

    @pytest.mark.parametrize("x", [0, 2.5, "Rom", None, np.float64(3), np.array(4)])
    def test_what_is_not_a_row_is_refused_with_what_to_pass(self, explainer, x):
        with pytest.raises(
            InvalidInput, match=r"^expected a row, got .*; pass the row itself, such as X\.iloc\[0\]"
        ):
            explainer.explain(x)

    def test_a_raw_table_for_a_model_of_dummies_is_to_be_encoded(self):
        raw = pd.DataFrame({"city": ["Rom", "Oslo", "Rom", "Bern"], "age": [20, 30, 40, 50]})
        encoded = pd.get_dummies(raw)
        explainer = pw.Explainer(DecisionTreeClassifier().fit(encoded, [0, 1, 0, 1]), encoded)
        hint = r"unexpected columns: city; encode {} as for training \(e\.g\. pd\.get_dummies\)$"
        with pytest.raises(InvalidInput, match=hint.format("the row")):
            explainer.explain(raw.iloc[0])
        with pytest.raises(InvalidInput, match=hint.format("X")):
            explainer.decide(raw)
        with pytest.raises(InvalidInput, match=r"unexpected columns: ag \(did you mean age\?\)$"):
            explainer.decide(encoded.rename(columns={"age": "ag"}))

    def test_names_that_cannot_be_matched_are_refused_with_the_nearest_name(self, forest, explainer):
        wrong = X.rename(columns={"income": "incme"})
        message = r"missing columns: income; unexpected columns: incme \(did you mean income\?\)"
        for asked in (lambda: pw.Explainer(forest, wrong), lambda: explainer(wrong)):
            with pytest.raises(InvalidInput, match=message):
                asked()
        with pytest.raises(
            InvalidInput, match="the row: missing columns: age; the model's columns are age, income"
        ):
            explainer.explain({"income": 20.0})

    def test_a_model_without_names_takes_those_of_the_training_frame(self, unnamed, explainer):
        with pytest.warns(RowsWarning, match="columns of X_train are taken in their order: age, income"):
            named = pw.Explainer(unnamed, X)
        assert "age, income" in named.notes[0]
        why = named.explain({"income": 20.0, "age": 30})
        assert set(why.features) <= {"age", "income"} and not why.notes
        assert why.term == named.explain(pd.Series({"income": 20.0, "age": 30})).term

    @pytest.mark.parametrize("names", [["age", "income"], ["income", "age"]])
    def test_or_those_that_are_given(self, unnamed, names):
        named = pw.Explainer(unnamed, feature_names=names)
        row = dict(zip(names, [30, 20.0], strict=True))
        assert named.decide(dict(reversed(row.items()))) == named.decide([30, 20.0])
        assert named.decide(pd.DataFrame([row])[names[::-1]]) == unnamed.predict([[30, 20.0]])[0]

    def test_without_any_names_rows_go_by_place_with_a_note(self, unnamed):
        plain = pw.Explainer(unnamed, X.to_numpy())
        assert not plain.notes and not plain.explain(X.to_numpy()[0]).notes
        (note,) = plain.explain(X.iloc[0]).notes
        assert (
            note
            == "the model has no column names; the columns of the row are taken in their order: age, income"
        )
        with pytest.raises(
            InvalidInput, match=r"has 3 columns .*; the model takes 2 and has no column names"
        ):
            plain.explain(X.assign(more=1).iloc[0])

    @pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
    def test_boosted_models_fitted_on_arrays_take_names_too(self, library):
        module = pytest.importorskip(library)
        kind = module.XGBClassifier if library == "xgboost" else module.LGBMClassifier
        quiet = {} if library == "xgboost" else {"verbose": -1}
        model = kind(n_estimators=3, max_depth=2, **quiet).fit(X.to_numpy(), (Y == "approved").astype(int))
        with pytest.warns(RowsWarning, match="age, income"):
            named = pw.Explainer(model, X)
        assert named.decide(X[["income", "age"]].iloc[[7]]) == model.predict(X.to_numpy()[[7]])[0]

    def test_a_frame_without_names_goes_by_place(self, explainer):
        assert explainer.explain(pd.DataFrame(X.to_numpy()[:1])).term == explainer.explain(X.iloc[0]).term

    def test_two_columns_of_one_name_are_refused(self, explainer):
        twice = pd.concat([X, X[["age"]]], axis=1)
        with pytest.raises(InvalidInput, match="two columns are called age"):
            explainer(twice)

    def test_catboost_finds_its_categories_in_a_frame_in_another_order(self):
        catboost = pytest.importorskip("catboost")
        frame = MIXED[["job", "age"]].fillna("none")
        model = catboost.CatBoostClassifier(
            iterations=5, depth=2, verbose=False, one_hot_max_size=9, allow_writing_files=False
        ).fit(frame, Y_MIXED, cat_features=["job"])
        explainer = pw.Explainer(model, frame[["age", "job"]])
        assert explainer.decide(frame[["age", "job"]].iloc[5]) == model.predict(frame.iloc[[5]])[0]


class TestUnknownCategories:
    def test_an_unknown_category_is_said_so(self, of_pipeline, pipeline):
        row = {**MIXED.iloc[0].to_dict(), "job": "Cook"}
        note = "job: 'Cook' is not among clerk, cook, nurse; treated as unknown"
        for asked in (row, pd.Series(row), pd.DataFrame([row])):
            assert of_pipeline.explain(asked).notes == (note,)
        assert of_pipeline.decide(row) == pipeline.predict(pd.DataFrame([row]))[0]
        known, unknown = of_pipeline(pd.DataFrame([MIXED.iloc[0].to_dict(), row]))
        assert not known.notes and unknown.notes == (note,)
        assert next(iter(of_pipeline.stream([row]))).notes == (note,)

    def test_where_a_model_takes_only_known_categories_others_are_refused(self):
        steps = ColumnTransformer([("c", OneHotEncoder(), ["job"])], remainder="passthrough")
        frame = MIXED[["job", "age"]].fillna("none")
        model = make_pipeline(steps, RandomForestClassifier(3, max_depth=2, random_state=0)).fit(
            frame, Y_MIXED
        )
        with pytest.raises(UnknownName, match=r"job is one of .*cook.*; got 'Cook'"):
            pw.Explainer(model, frame).explain({"job": "Cook", "age": 30})


class TestRowsThatPeopleHandIn:
    def test_missing_values_of_every_kind_are_missing(self, of_pipeline):
        row = MIXED.iloc[0].to_dict()
        expected = of_pipeline.explain(MIXED.iloc[[3]])
        for missing in (pd.NA, None, np.nan, float("nan")):
            assert of_pipeline.explain({**MIXED.iloc[3].to_dict(), "kids": missing}).term == expected.term
            assert of_pipeline.decide({**row, "job": missing}) in ("approved", "declined")

    def test_a_null_is_read_as_the_missing_value_of_the_model_with_a_note(self, of_pipeline):
        row = MIXED.iloc[4].to_dict()
        why = of_pipeline.explain({**row, "job": None})
        assert why.notes == (
            "job: None is read as NaN, the missing value that the model was trained with; to model.predict itself, "
            "None is another category",
        )
        assert why.term == of_pipeline.explain({**row, "job": np.nan}).term

    @pytest.mark.parametrize("i", range(6))
    def test_all_forms_of_a_row_are_the_same_row(self, of_pipeline, i):
        expected = of_pipeline.explain(MIXED.iloc[[i]])
        record = {name: None if pd.isna(value) else value for name, value in MIXED.iloc[i].items()}
        forms = {
            "iloc": MIXED.iloc[i],
            "record": record,
            "namedtuple": next(MIXED.iloc[[i]].itertuples(index=False)),
            "nullable": MIXED.iloc[[i]].convert_dtypes(),
            "polars": pl.DataFrame([record], schema_overrides={"kids": pl.Int64, "job": pl.String}),
            "arrow": pa.Table.from_pandas(MIXED.iloc[[i]]),
            "text": {**record, "owner": str(record["owner"]).lower()},
            "list": list(record.values()),
            "objects": np.array([*record.values()], dtype=object),
        }
        for name, form in forms.items():
            why = of_pipeline.explain(form)
            assert (why.term, why.decision) == (expected.term, expected.decision), name

    def test_tables_of_every_kind_are_the_same_table(self, pipeline, of_pipeline):
        few = MIXED.head(8)
        expected = of_pipeline.decide(few)
        assert expected == list(pipeline.predict(few))
        records = [{k: None if pd.isna(v) else v for k, v in row.items()} for row in few.to_dict("records")]
        schema = {"kids": pl.Int64, "job": pl.String}
        for table in (
            records,
            pa.Table.from_pandas(few),
            pl.DataFrame(records, schema_overrides=schema),
            few.convert_dtypes(),
            [few.iloc[i] for i in range(8)],
            {name: few[name] for name in few},
        ):
            assert of_pipeline.decide(table) == expected
            assert [why.decision for why in of_pipeline(table)] == expected

    @pytest.mark.parametrize("convert", [pa.Table.from_pandas, pl.DataFrame, lambda X: X.to_dict("records")])
    def test_training_rows_of_every_kind(self, forest, explainer, convert):
        other = pw.Explainer(forest, convert(X))
        assert np.array_equal(other.rows, explainer.rows)
        assert other.explain(X.iloc[0]).rule == explainer.explain(X.iloc[0]).rule

    def test_one_series_to_the_call_is_one_row(self, of_pipeline):
        (why,) = of_pipeline(MIXED.iloc[0])
        assert why.term == of_pipeline.explain(MIXED.iloc[[0]]).term

    def test_several_rows_where_one_is_asked_for_are_refused_with_advice(self, explainer):
        with pytest.raises(
            InvalidInput, match=r"expected one row, got 2; pass X.iloc\[\[i\]\].*explainer\(X\)"
        ):
            explainer.explain(X.head(2))

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (
                pd.Timestamp("2024-05-01"),
                r"the row: age is a date \(Timestamp\); pass a number, such as days since",
            ),
            (datetime.date(2024, 5, 1), "age is a date"),
            (pd.Timedelta(days=3), "age is a duration .*; pass a number, such as the number of days"),
            ("NA", "age must be a number, not 'NA'; use NaN or None for a missing value"),
            ([1, 2], "age must be a number"),
        ],
    )
    def test_what_is_not_a_number_is_refused_by_name_with_advice(self, explainer, value, words):
        with pytest.raises(InvalidInput, match=words):
            explainer.explain({"age": value, "income": 20.0})

    @pytest.mark.parametrize("convert", [lambda X: X, pl.DataFrame, pa.Table.from_pandas])
    def test_columns_of_dates_are_refused_by_name(self, forest, convert):
        dated = X.assign(age=pd.Timestamp("2024-05-01"))
        with pytest.raises(InvalidInput, match="X_train: age is a date"):
            pw.Explainer(forest, convert(dated))

    def test_a_lazy_frame_is_refused_with_advice(self, explainer):
        with pytest.raises(InvalidInput, match="collect"):
            explainer(pl.DataFrame(X).lazy())

    def test_records_need_the_same_names(self, explainer):
        with pytest.raises(InvalidInput, match="row 1 has no income, which row 0 has; use None"):
            explainer([{"age": 30, "income": 3.0}, {"age": 30}])


def test_unknown_arguments_are_answered_with_the_public_names(forest, explainer):
    with pytest.raises(
        TypeError, match=r"^Explainer\(\) got an unexpected keyword argument 'data' \(did you mean X_"
    ):
        pw.Explainer(forest, data=X)
    with pytest.raises(
        TypeError, match=r"^explain\(\) got an unexpected .* 'language' \(did you mean literals\?\)"
    ):
        explainer.explain(X.iloc[0], language="intervals")
    with pytest.raises(
        TypeError, match=r"^explain\(\) got an unexpected keyword argument 'nonsense'; its param"
    ):
        explainer(X.head(2), nonsense=1)
    with pytest.raises(TypeError, match=r"^counterfactual\(\) missing a required argument: 'x'"):
        explainer.counterfactual()
