from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.ensemble.link import first_float
from primewood.errors import InvalidInput, UnsupportedModel
from primewood.readers import pipeline as reader
from primewood.readers import read
from primewood.readers.pipeline.reading import PipelineReading
from primewood.readers.pipeline.search import Crossings, Outputs, first_beyond

NAN = float("nan")
COLOURS = np.array(["red", "green", "blue", "grey", "pink"], dtype=object)


def missing_columns(pipeline):
    """The raw columns in which the pipeline accepts a missing value, each with what it is there: NaN or None."""
    reading = PipelineReading(pipeline)
    unused = set(range(len(reading.table.names))) - set(reading.table.used)
    return {column: reading.table.mark(column) for column in sorted(reading.missing | unused)}


def customers(n=240, seed=0):
    """Numbers of several sizes, whole numbers, codes, strings, truth values and holes."""
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": generator.normal(40, 12, n),
            "income": np.exp(generator.normal(10, 1, n)),
            "balance": generator.normal(-3e6, 1e6, n),
            "children": generator.integers(0, 5, n),
            "code": generator.choice([1.0, 2.0, 7.5, -2.0], n),
            "colour": generator.choice(COLOURS, n, p=[0.5, 0.3, 0.1, 0.07, 0.03]),
            "member": generator.random(n) < 0.5,
            "debt": np.where(generator.random(n) < 0.3, NAN, generator.normal(5, 2, n)),
            "note": [f"note {i}" for i in range(n)],
        }
    )
    frame["colour"] = frame["colour"].astype(object)
    score = (frame.age - 40) / 12 + (frame.colour == "red") + frame.code / 3 + frame.debt.fillna(3) / 4
    return frame, np.where(score + frame.member > 2.5, "good", "bad")


def planted(ensemble, missing, generator, n=2000):
    """Rows with numbers at cuts and next to them, codes, other categories, and missing values where allowed."""
    tested = {column: {-999.0, 0.0, 1.0, 1e300} for column in range(ensemble.n_features)}
    for tree in ensemble.trees:
        for node in np.flatnonzero(~tree.is_leaf):
            tested[int(tree.feature[node])] |= set(tree.bounds_at(node).tolist())
    rows = np.empty((n, ensemble.n_features))
    for column in range(ensemble.n_features):
        numbers = np.array([x for x in sorted(tested[column]) if abs(x) < 1e37])
        if column in ensemble.categories:
            known = ensemble.categories[column]
            numbers = np.array([*known.names, *([] if known.others is None else [known.others])])
        else:
            numbers = np.concatenate([numbers, np.nextafter(numbers, -np.inf), np.nextafter(numbers, np.inf)])
        rows[:, column] = generator.choice(numbers if numbers.size else [NAN], n)
        if column in missing:
            rows[generator.random(n) < 0.15, column] = NAN
    return rows


def check(pipeline, n=2000, seed=0):
    """Compare the reading of a pipeline with the pipeline on planted rows; return both."""
    ensemble = read(pipeline)
    rows = planted(ensemble, missing_columns(pipeline), np.random.default_rng(seed), n)
    scores = ensemble.scores(rows)
    assert (scores == reader.scores_of(pipeline, rows)).all(), "bit for bit"
    decided = np.array(ensemble.classes)[ensemble.predict(rows)]
    assert (decided == reader.decisions_of(pipeline, rows)).all()
    assert ensemble.dtype == "float64"
    return ensemble, rows


def coded(frame, ensemble):
    """A frame as rows: codes for names, as a user's rows are read."""
    rows = np.empty((len(frame), ensemble.n_features))
    for column, name in enumerate(ensemble.feature_names):
        if column in ensemble.categories:
            known = ensemble.categories[column]
            codes = {value: code for code, value in known.names.items()}
            rows[:, column] = [
                NAN if v is None or v != v else codes.get(v, known.others) for v in frame[name]
            ]
        else:
            rows[:, column] = frame[name].astype(float)
    return rows


def columns(*parts, **options):
    return ColumnTransformer([(f"part{i}", *part) for i, part in enumerate(parts)], **options)


FOREST = RandomForestClassifier(n_estimators=9, random_state=0, n_jobs=1)
NUMBERS = ["age", "income", "balance"]
ENCODED = (OneHotEncoder(handle_unknown="ignore"), ["colour", "code"])

PREPARATIONS = {
    "standard": columns((StandardScaler(), NUMBERS), ENCODED),
    "standard in parts": columns(
        (StandardScaler(with_mean=False), ["age"]), (StandardScaler(with_std=False), ["income", "balance"])
    ),
    "smallest and largest": columns((MinMaxScaler(feature_range=(-1, 2.5)), NUMBERS), ENCODED),
    "clipped": columns((MinMaxScaler(clip=True), NUMBERS), ENCODED),
    "largest in size": columns((MaxAbsScaler(), NUMBERS), ENCODED),
    "robust": columns((RobustScaler(unit_variance=True), [*NUMBERS, "debt"]), ENCODED),
    "scaled twice": columns((make_pipeline(RobustScaler(), MinMaxScaler(), StandardScaler()), NUMBERS)),
    "the same column twice": columns((StandardScaler(), ["age"]), (MinMaxScaler(), ["age"]), ENCODED),
    "one weight": columns(
        (StandardScaler(), NUMBERS), ENCODED, transformer_weights={"part0": 0.3, "part1": 7.0}
    ),
    "imputed": columns(
        (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), ["debt", "age"]), ENCODED
    ),
    "imputed medians": columns((SimpleImputer(strategy="median"), ["debt", "income"]), ENCODED),
    "imputed by a function": columns((SimpleImputer(strategy=np.max), ["debt"]), ENCODED),
    "imputed constants": columns((SimpleImputer(strategy="constant", fill_value=-7.25), ["debt"]), ENCODED),
    "most frequent": columns(
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["colour", "children"])
    ),
    "binned": columns(
        (KBinsDiscretizer(5, encode="onehot", strategy="uniform"), NUMBERS),
        (KBinsDiscretizer(4, encode="ordinal", strategy="kmeans", dtype=np.float32), NUMBERS),
    ),
    "scaled and binned": columns(
        (
            make_pipeline(
                StandardScaler(), KBinsDiscretizer(6, encode="ordinal", strategy="uniform"), StandardScaler()
            ),
            NUMBERS,
        ),
        (
            make_pipeline(
                KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
                OneHotEncoder(handle_unknown="ignore"),
            ),
            ["age"],
        ),
    ),
    "first dropped": columns(
        (OneHotEncoder(drop="first"), ["colour", "member", "children"]), ("drop", ["age"])
    ),
    "if binary": columns(
        (OneHotEncoder(drop="if_binary", sparse_output=False, dtype=int), ["colour", "member"])
    ),
    "some dropped": columns((OneHotEncoder(drop=["blue", 2.0], handle_unknown="ignore"), ["colour", "code"])),
    "infrequent": columns(
        (OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist"), ["colour", "children"]),
        (OneHotEncoder(max_categories=2, handle_unknown="warn"), ["code"]),
    ),
    "ordinal": columns(
        (OrdinalEncoder(), ["colour", "member"]),
        (
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.float32),
            ["colour", "code"],
        ),
        (
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=NAN, max_categories=3),
            ["children"],
        ),
    ),
    "encoded and scaled": columns(
        (make_pipeline(OrdinalEncoder(), StandardScaler()), ["colour"]),
        (make_pipeline(OneHotEncoder(), MaxAbsScaler()), ["children"]),
    ),
    "codes as categories and as numbers": columns(
        (OneHotEncoder(handle_unknown="ignore"), ["code"]),
        (StandardScaler(), ["code"]),
        ("passthrough", ["code"]),
    ),
    "known codes as categories and as numbers": columns(
        (OneHotEncoder(), ["code"]), (StandardScaler(), ["code", "age"])
    ),
    "selected": make_pipeline(
        columns((StandardScaler(), [*NUMBERS, "children"]), ENCODED), SelectKBest(k=6), VarianceThreshold()
    ),
    "selected by a model": make_pipeline(
        columns((StandardScaler(), NUMBERS), ENCODED),
        SelectFromModel(DecisionTreeClassifier(max_depth=3, random_state=0)),
    ),
    "the rest passed through": columns(
        (OneHotEncoder(handle_unknown="ignore"), ["colour", "member"]),
        ("drop", ["note"]),
        remainder="passthrough",
    ),
    "the rest scaled": columns(
        (OrdinalEncoder(), make_column_selector(dtype_include=[object, "str"])), remainder=StandardScaler()
    ),
    "places, slices and masks": columns(
        (StandardScaler(), [0, 2]),
        (MinMaxScaler(), slice(1, 3)),
        (OneHotEncoder(), [False] * 6 + [True, False, False]),
    ),
    "nested": make_pipeline(
        columns(
            (columns((StandardScaler(), ["age"]), remainder="passthrough"), ["age", "income"]),
            (columns((OneHotEncoder(), ["colour"]), ("passthrough", ["code"])), ["colour", "code"]),
            sparse_threshold=0,
        ),
        columns((RobustScaler(), [0, 1]), remainder="passthrough"),
    ),
    "sparse": make_pipeline(
        columns(("passthrough", ["age", "children"]), ENCODED, sparse_threshold=1.0), MaxAbsScaler()
    ),
    "frames all the way": columns(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["debt", "age"]),
        (OneHotEncoder(sparse_output=False), ["colour"]),
    ).set_output(transform="pandas"),
    "nothing at all": make_pipeline(
        columns(("passthrough", NUMBERS)),
        FunctionTransformer(),
        "passthrough",
        FunctionTransformer(validate=True),
    ),
}


@pytest.mark.parametrize("name", PREPARATIONS)
def test_the_reading_of_a_pipeline_equals_the_pipeline(name):
    frame, labels = customers()
    pipeline = Pipeline([("prepare", PREPARATIONS[name]), ("model", FOREST)])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Bins whose width")
        pipeline.fit(frame, labels)
    ensemble, _ = check(pipeline)
    own = coded(frame, ensemble)
    assert ensemble.feature_names == tuple(frame.columns)
    assert (ensemble.predict_proba(own) == pipeline.predict_proba(frame)).all()
    assert (np.array(ensemble.classes)[ensemble.predict(own)] == pipeline.predict(frame)).all()


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        ExtraTreesClassifier(n_estimators=8, random_state=0, n_jobs=1),
        RandomForestClassifier(n_estimators=30, max_depth=4, random_state=1, n_jobs=2),
        GradientBoostingClassifier(n_estimators=8, random_state=0),
        HistGradientBoostingClassifier(max_iter=8, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_any_model_that_is_read_may_come_last(model):
    frame, labels = customers()
    takes_sparse = not isinstance(model, HistGradientBoostingClassifier)
    for threshold in (0.0, 1.0)[: 1 + takes_sparse]:
        prepare = columns((StandardScaler(), NUMBERS), ENCODED, sparse_threshold=threshold)
        ensemble, _ = check(make_pipeline(prepare, model).fit(frame, labels))
        assert ensemble.source.startswith("Pipeline with") and any(tree.sets for tree in ensemble.trees)


def test_a_regressor_may_come_last():
    frame, labels = customers()
    prepare = columns((StandardScaler(), NUMBERS), ENCODED)
    model = RandomForestRegressor(n_estimators=6, random_state=0, n_jobs=1)
    pipeline = make_pipeline(prepare, model).fit(frame, (labels == "good") + frame.code)
    ensemble = read(pipeline)
    rows = planted(ensemble, {}, np.random.default_rng(0))
    assert (ensemble.predict_proba(rows)[:, 0] == reader.decisions_of(pipeline, rows)).all()


def test_a_cut_is_the_last_float_that_goes_left():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)).fit(X, y)
    inner, outer = pipeline[-1].tree_, read(pipeline).trees[0]
    for node in np.flatnonzero(inner.children_left >= 0):
        column, cut = outer.feature[node], outer.threshold[node]
        for number, is_left in ((cut, True), (np.nextafter(cut, np.inf), False)):
            row = np.zeros((1, 4))
            row[0, column] = number
            scaled = pipeline[0].transform(row)[0, column].astype(np.float32)
            assert (scaled <= inner.threshold[node]) == is_left


def test_a_model_alone_is_a_pipeline_too():
    X, y = load_iris(return_X_y=True)
    ensemble, _ = check(Pipeline([("model", FOREST)]).fit(X, y))
    assert ensemble.feature_names == ("x0", "x1", "x2", "x3") and not ensemble.categories
    nested = make_pipeline(MinMaxScaler(), make_pipeline(StandardScaler(), FOREST)).fit(X, y)
    check(nested)


def test_numbers_may_be_objects():
    frame, labels = customers()
    rows = frame[["age", "code"]].to_numpy(dtype=object)
    for encoder in (OneHotEncoder(), OneHotEncoder(handle_unknown="ignore")):
        prepare = columns((StandardScaler(), [0]), (encoder, [1]))
        ensemble, _ = check(make_pipeline(prepare, FOREST).fit(rows, labels))
        assert list(ensemble.categories[1].names) == [-2.0, 1.0, 2.0, 7.5]


def test_columns_without_names_may_hold_strings():
    frame, labels = customers()
    rows = frame[["age", "colour", "code"]].to_numpy(dtype=object)
    prepare = columns((StandardScaler(), [0]), (OneHotEncoder(), [1, 2]))
    pipeline = make_pipeline(prepare, FOREST).fit(rows, labels)
    ensemble, _ = check(pipeline)
    own = coded(frame[["age", "colour", "code"]].set_axis(ensemble.feature_names, axis=1), ensemble)
    assert (ensemble.predict_proba(own) == pipeline.predict_proba(rows)).all()


def test_categories_are_named_and_numbers_are_their_own_codes():
    frame, labels = customers()
    prepare = columns((OneHotEncoder(), ["colour"]), ENCODED, (OrdinalEncoder(), ["member", "children"]))
    ensemble = read(make_pipeline(prepare, FOREST).fit(frame, labels))
    place = {name: i for i, name in enumerate(ensemble.feature_names)}
    known = {name: ensemble.categories.get(i) for name, i in place.items()}
    assert list(known["colour"].names.items()) == list(enumerate(sorted(COLOURS)))
    assert known["colour"].others is None, "one of its two encoders accepts no others"
    assert known["code"].names == {-2.0: -2.0, 1.0: 1.0, 2.0: 2.0, 7.5: 7.5} and known["code"].others == 8.0
    assert known["member"].names == {0.0: False, 1.0: True} and known["member"].others is None
    assert known["note"].names == {} and known["note"].others == 0.0, "dropped: anything may be in it"
    assert known["age"].names == {}


def test_numbers_that_are_no_category_are_others():
    frame, labels = customers()
    prepare = columns((OneHotEncoder(handle_unknown="ignore"), ["code"]), ("passthrough", ["age"]))
    pipeline = make_pipeline(prepare, FOREST).fit(frame, labels)
    ensemble, rows = check(pipeline)
    rows[:, 4] = np.random.default_rng(0).choice(
        [1.5, -1e300, np.nextafter(2, 3), np.nextafter(2, 1), 2], len(rows)
    )
    assert (ensemble.scores(rows) == reader.scores_of(pipeline, rows)).all()


def test_bins_that_are_one_hot_become_intervals():
    frame, labels = customers()
    prepare = columns((KBinsDiscretizer(5, strategy="uniform"), ["age"]))
    pipeline = make_pipeline(prepare, DecisionTreeClassifier(random_state=0)).fit(frame, labels)
    edges = set(pipeline[0].transformers_[0][1].bin_edges_[0][1:-1])
    ensemble, _ = check(pipeline)
    bounds = {np.nextafter(b, np.inf) for s in ensemble.trees[0].sets for b in s if np.isfinite(b)}
    assert bounds and bounds <= edges


def test_a_number_that_an_imputer_takes_for_missing_is_cut_out():
    frame, labels = customers()
    frame.loc[::3, "age"] = -999.0
    imputer = SimpleImputer(missing_values=-999.0, add_indicator=True)
    for rest in (StandardScaler(), KBinsDiscretizer(4, strategy="uniform"), "passthrough"):
        prepare = columns((make_pipeline(imputer, rest), ["age"]), ENCODED)
        pipeline = make_pipeline(prepare, FOREST).fit(frame, labels)
        ensemble, rows = check(pipeline)
        assert 0 not in missing_columns(pipeline) and 0 in ensemble.never_missing
        near = [-999.0, np.nextafter(-999.0, 0.0), np.nextafter(-999.0, -1e3)]
        rows[:, 0] = np.random.default_rng(1).choice(near, len(rows))
        assert (ensemble.scores(rows) == reader.scores_of(pipeline, rows)).all()


def test_a_word_that_an_imputer_takes_for_missing_is_a_category():
    frame, labels = customers()
    frame.loc[::4, "colour"] = "?"
    imputer = SimpleImputer(missing_values="?", strategy="most_frequent")
    pipeline = make_pipeline(columns((make_pipeline(imputer, OneHotEncoder()), ["colour"])), FOREST)
    ensemble, _ = check(pipeline.fit(frame, labels))
    assert list(ensemble.categories[5].names.values()) == [*sorted(COLOURS), "?"]


@pytest.mark.parametrize("mark", [None, NAN])
@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(),
        OneHotEncoder(drop="first", handle_unknown="ignore", min_frequency=30),
        OrdinalEncoder(),
        OrdinalEncoder(encoded_missing_value=-5, handle_unknown="use_encoded_value", unknown_value=-1),
    ],
    ids=["one-hot", "infrequent", "ordinal", "encoded missing"],
)
def test_missing_categories_are_as_the_encoder_saw_them(mark, encoder):
    frame, labels = customers()
    words = [mark if i % 4 == 0 else colour for i, colour in enumerate(frame.colour)]
    frame["colour"] = pd.Series(words, dtype=object)
    pipeline = make_pipeline(columns((encoder, ["colour"]), (StandardScaler(), ["age"])), FOREST)
    ensemble, _ = check(pipeline.fit(frame, labels))
    found = missing_columns(pipeline)[5]
    assert found is None if mark is None else found != found
    assert (ensemble.predict_proba(coded(frame, ensemble)) == pipeline.predict_proba(frame)).all()


def test_only_some_columns_may_be_missing():
    frame, labels = customers()
    prepare = columns(
        (make_pipeline(SimpleImputer(), KBinsDiscretizer(3, strategy="uniform")), ["debt"]),
        (KBinsDiscretizer(3, strategy="uniform"), ["age"]),
        (StandardScaler(), ["income"]),
        (OneHotEncoder(), ["colour"]),
        (OneHotEncoder(handle_unknown="ignore"), ["code"]),
        sparse_threshold=0,
    )
    pipeline = make_pipeline(prepare, FOREST).fit(frame, labels)
    ensemble, _ = check(pipeline)
    accepted = {ensemble.feature_names[i] for i in missing_columns(pipeline)}
    assert accepted == {"debt", "income", "code", "balance", "children", "member", "note"}
    assert ensemble.allows_missing
    assert {ensemble.feature_names[i] for i in ensemble.never_missing} == {"age", "colour"}
    for name in frame.columns:
        tried = frame.head(1).assign(**{name: pd.Series([NAN], dtype=object)})
        if name in accepted:
            pipeline.predict(tried)
        else:
            with pytest.raises(ValueError):
                pipeline.predict(tried)


def test_missing_values_are_refused_where_the_model_refuses_them():
    frame, labels = customers()
    sparse = columns(("passthrough", ["age"]), ENCODED, sparse_threshold=1.0)
    pipeline = make_pipeline(sparse, FOREST).fit(frame, labels)
    assert 0 not in missing_columns(pipeline)
    dense = columns(("passthrough", ["age"]), ENCODED, sparse_threshold=0)
    assert 0 in missing_columns(make_pipeline(dense, FOREST).fit(frame, labels))
    boosted = make_pipeline(columns((StandardScaler(), ["age"])), GradientBoostingClassifier(n_estimators=3))
    ensemble, _ = check(boosted.fit(frame, labels))
    assert not ensemble.allows_missing


def test_others_are_refused_where_the_model_refuses_what_becomes_of_them():
    frame, labels = customers()
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=NAN)
    for extra in ((StandardScaler(), ["age"]), (StandardScaler(), ["age", "code"])):
        model = GradientBoostingClassifier(n_estimators=5, random_state=0)
        pipeline = make_pipeline(columns((encoder, ["code"]), extra), model).fit(frame, labels)
        ensemble, _ = check(pipeline)
        assert ensemble.categories[4].others is None


def test_columns_that_were_empty_are_left_out():
    frame, labels = customers()
    frame["age"] = NAN
    prepare = columns((SimpleImputer(), ["age", "debt"]), (StandardScaler(), ["income"]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Skipping features")
        pipeline = make_pipeline(prepare, FOREST).fit(frame, labels)
    ensemble, _ = check(pipeline)
    assert 0 not in ensemble.categories and all(0 not in tree.feature for tree in ensemble.trees)


def test_sparse_zeros_are_missing_to_xgboost():
    xgboost = pytest.importorskip("xgboost")
    frame, labels = customers()
    frame["debt"] = frame["debt"].fillna(0.0).round()
    encoded = (OneHotEncoder(handle_unknown="ignore"), ["code"])
    prepare = columns(encoded, ("passthrough", ["debt", "age", "children"]), sparse_threshold=1.0)
    model = xgboost.XGBClassifier(n_estimators=12, max_depth=4, n_jobs=1)
    pipeline = make_pipeline(prepare, model).fit(frame, labels == "good")
    ensemble, rows = check(pipeline)
    rows[:, 7] = np.random.default_rng(0).choice([0.0, -0.0, 5e-324, -5e-324, 1.0, NAN], len(rows))
    assert (ensemble.scores(rows) == reader.scores_of(pipeline, rows)).all()
    asked = pd.DataFrame(rows, columns=frame.columns)
    assert (ensemble.predict_proba(rows)[:, 0] == pipeline.predict_proba(asked)[:, 1]).all()
    scaled = make_pipeline(prepare, MaxAbsScaler(), model).fit(frame, labels == "good")
    with pytest.raises(UnsupportedModel, match="scale before"):
        read(scaled)


@pytest.mark.parametrize("zero_as_missing", [False, True])
def test_the_zone_of_zero_is_apart_in_sparse_rows_to_lightgbm(zero_as_missing):
    lightgbm = pytest.importorskip("lightgbm")
    generator = np.random.default_rng(0)
    X = np.column_stack(
        [generator.integers(-3, 4, 500), generator.normal(size=500), generator.integers(0, 9, 500)]
    )
    y = (X[:, 0] >= 0) ^ (X[:, 1] > 0) ^ (X[:, 2] > 4)
    prepare = columns(
        ("passthrough", [0]), (MaxAbsScaler(), [1]), (OneHotEncoder(), [2]), sparse_threshold=1.0
    )
    model = lightgbm.LGBMClassifier(n_estimators=8, n_jobs=1, verbose=-1, zero_as_missing=zero_as_missing)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        pipeline = make_pipeline(prepare, model).fit(X, y)
        ensemble, rows = check(pipeline)
        zone = float(np.float32(1e-35))
        near = [x for end in (-zone, zone) for x in (np.nextafter(end, -1), end, np.nextafter(end, 1))]
        rows[:, 0] = generator.choice([*near, 0.0, 1.0, -1.0], len(rows))
        assert (ensemble.scores(rows) == reader.scores_of(pipeline, rows)).all()
        assert (ensemble.predict_proba(rows)[:, 0] == pipeline.predict_proba(rows)[:, 1]).all()


def test_columns_that_are_categorical_to_the_model_are_encoded_before_it():
    frame, labels = customers()
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=NAN)
    model = HistGradientBoostingClassifier(max_iter=10, categorical_features=[0, 1], random_state=0)
    prepare = columns((encoder, ["colour"]), ("passthrough", ["children"]), (StandardScaler(), ["age"]))
    ensemble, _ = check(make_pipeline(prepare, model).fit(frame, labels))
    assert list(ensemble.categories[5].names.values()) == sorted(COLOURS)
    assert list(ensemble.categories[3].names) == [0.0, 1.0, 2.0, 3.0, 4.0]
    for more in ((MinMaxScaler(feature_range=(0, 9)), ["children"]), (StandardScaler(), ["age", "children"])):
        first = [more] if isinstance(more[0], MinMaxScaler) else [("passthrough", ["children"]), more]
        pipeline = make_pipeline(columns((encoder, ["colour"]), *first), model).fit(frame, labels)
        with pytest.raises(UnsupportedModel, match="children is categorical to the model"):
            read(pipeline)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (PCA(2), "no exact way back"),
        (PolynomialFeatures(2), "no exact way back"),
        (Normalizer(), "no exact way back"),
        (FeatureUnion([("a", StandardScaler())]), "no exact way back"),
        (TargetEncoder(), "no exact way back"),
        (PowerTransformer(), "not provably monotone"),
        (QuantileTransformer(n_quantiles=10), "not provably monotone"),
        (FunctionTransformer(np.sqrt), "an unknown function"),
        (KNNImputer(), "from the other columns"),
        (StandardScaler(copy=False), "copy=False"),
        (type("Scaler", (StandardScaler,), {})(), "no exact way back"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_steps_without_an_exact_way_back_are_refused_by_name(step, reason):
    X, y = load_iris(return_X_y=True)
    kind = type(step).__name__
    with pytest.raises(
        UnsupportedModel, match=f"the step 'before' is a {kind}, which is not supported: .*{reason}"
    ):
        read(Pipeline([("before", step), ("model", FOREST)]).fit(X, y))
    inside = ColumnTransformer([("part", Pipeline([("before", step)]), [0, 1])], remainder="passthrough")
    with pytest.raises(UnsupportedModel, match=f"the step 'prepare' > 'part' > 'before' is a {kind}"):
        read(Pipeline([("prepare", inside), ("model", FOREST)]).fit(X, y))


def test_steps_in_an_order_without_a_way_back_are_refused():
    X, y = load_iris(return_X_y=True)
    encoder = OneHotEncoder(handle_unknown="ignore")
    with pytest.raises(UnsupportedModel, match=r"OneHotEncoder.* was scaled before; encode the raw column"):
        read(make_pipeline(StandardScaler(), encoder, FOREST).fit(X, y))
    imputer = SimpleImputer(missing_values=0)
    with pytest.raises(UnsupportedModel, match="takes 0 for missing in a column that was scaled before"):
        read(make_pipeline(MinMaxScaler(), imputer, FOREST).fit(X, y))
    whole = SimpleImputer(missing_values=0, strategy="most_frequent")
    with pytest.raises(UnsupportedModel, match=r"fills whole numbers with .* cut off"):
        read(make_pipeline(whole, FOREST).fit(X + 0.25, y))
    for weight in (0, -1.0):
        weighted = columns((StandardScaler(), [0, 1]), transformer_weights={"part0": weight})
        with pytest.raises(UnsupportedModel, match="is not a positive number"):
            read(make_pipeline(weighted, FOREST).fit(X, y))


def test_two_kinds_of_missing_values_in_a_column_are_refused():
    frame, labels = customers()
    words = [[None, NAN, colour][min(i % 5, 2)] for i, colour in enumerate(frame.colour)]
    frame["colour"] = pd.Series(words, dtype=object)
    pipeline = make_pipeline(columns((OneHotEncoder(), ["colour"])), FOREST).fit(frame, labels)
    with pytest.raises(UnsupportedModel, match=r"colour: .* None .* NaN"):
        read(pipeline)


def test_steps_that_are_not_what_they_should_be_are_refused():
    X, y = load_iris(return_X_y=True)

    def fitted(step):
        return make_pipeline(step, DecisionTreeClassifier(random_state=0)).fit(X, y)

    turned = fitted(StandardScaler())
    turned[0].scale_ = -turned[0].scale_
    with pytest.raises(UnsupportedModel, match="not a positive number"):
        read(turned)
    mixed = fitted(columns((StandardScaler(), [0, 1]), (MinMaxScaler(), [2, 3])))
    mixed[0]._transformer_to_input_indices["part0"] = [2, 3]
    with pytest.raises(UnsupportedModel, match="mix x0, x1 with other columns"):
        read(mixed)
    shorter = fitted(StandardScaler())
    shorter.steps[-1] = ("model", DecisionTreeClassifier().fit(X[:, :3], y))
    with pytest.raises(UnsupportedModel, match="takes 3 columns"):
        read(shorter)


def test_pipelines_that_decide_nothing_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match="not fitted"):
        read(make_pipeline(StandardScaler(), FOREST))
    with pytest.raises(UnsupportedModel, match="decides nothing"):
        read(make_pipeline(StandardScaler(), MinMaxScaler()).fit(X, y))
    half = make_pipeline(StandardScaler(), MinMaxScaler(), FOREST).fit(X, y)
    half.steps[1] = ("minmaxscaler", MinMaxScaler())
    with pytest.raises(InvalidInput, match="the step 'minmaxscaler' is not fitted"):
        read(half)
    own = type("Own", (Pipeline,), {})([("model", FOREST)]).fit(X, y)
    with pytest.raises(
        UnsupportedModel, match=r"Own is not supported; pass a fitted sklearn\.pipeline\.Pipeline"
    ):
        read(own)


def test_whole_numbers_and_truth_values_are_as_good_as_floats():
    frame, labels = customers()
    whole = frame[["age", "children", "member"]].assign(age=frame.age.round().astype(np.int64))
    for kind in (np.int64, np.int16):
        ints = whole.astype(kind)
        for step in (
            StandardScaler(),
            KBinsDiscretizer(3, strategy="uniform"),
            "passthrough",
            SimpleImputer(),
        ):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Bins whose width")
                pipeline = make_pipeline(step, FOREST).fit(ints, labels)
            rows = ints.astype(np.float64).to_numpy()
            assert (read(pipeline).predict_proba(rows) == pipeline.predict_proba(ints)).all()


@pytest.mark.parametrize(
    ("step", "refuses"),
    [
        ("passthrough", False),
        (KBinsDiscretizer(4, encode="ordinal", strategy="uniform"), False),
        (SimpleImputer(strategy="constant", fill_value=0.5), False),
        (SimpleImputer(strategy="constant", fill_value=0.1), True),
        (StandardScaler(), True),
        (columns(("passthrough", [0, 1]), transformer_weights={"part0": 0.1}), True),
    ],
    ids=["nothing", "bins", "half", "tenth", "scaler", "weight"],
)
def test_float32_is_refused_where_it_makes_a_difference(step, refuses):
    generator = np.random.default_rng(0)
    X = generator.normal(3, 1, (400, 2))
    y = X.sum(axis=1) > 6
    pipeline = make_pipeline(step, FOREST).fit(X, y)
    assert (reader.read(pipeline).form == "float64") == refuses
    if not refuses:
        ensemble = read(pipeline)
        rows = planted(ensemble, {}, generator).astype(np.float32)
        rows = np.vstack([rows, np.nextafter(rows, np.float32(9)), np.nextafter(rows, np.float32(-9))])
        assert (ensemble.predict_proba(rows.astype(np.float64)) == pipeline.predict_proba(rows)).all()


def test_float32_does_make_a_difference_to_scalers():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), FOREST).fit(X, y)
    ensemble, rows = check(pipeline)
    near = rows.astype(np.float32)
    assert (ensemble.predict_proba(near.astype(np.float64)) != pipeline.predict_proba(near)).any()


@given(
    mean=st.floats(-1e9, 1e9),
    scale=st.floats(1e-12, 1e12),
    cuts=st.lists(st.floats(-1e20, 1e20), min_size=1, max_size=6, unique=True),
    operator=st.sampled_from(["<=", "<"]),
    clipped=st.booleans(),
)
def test_boundaries_are_those_that_bisection_one_by_one_finds(mean, scale, cuts, operator, clipped):
    def through(rows):
        with np.errstate(all="ignore"):
            scaled = (rows - mean) / scale
        return np.clip(scaled, -10.0, 10.0) if clipped else scaled

    def is_beyond(number, cut):
        value = through(np.array([number]))[0]
        return not (value <= cut if operator == "<=" else value < cut)

    nowhere = np.zeros(len(cuts), dtype=np.int64)
    outputs = Outputs(through, np.zeros(1), {})
    found = first_beyond(outputs, Crossings(nowhere, nowhere, np.array(cuts)), operator)
    for cut, start in zip(cuts, found, strict=True):
        assert start == first_float(lambda number, cut=cut: is_beyond(number, cut), "float64")


def test_a_function_that_is_not_monotone_is_refused():
    asked = Crossings(np.array([0]), np.array([0]), np.array([0.3]))
    for function in (np.negative, np.sin, lambda rows: np.where(rows == 0, np.nan, rows)):
        with pytest.raises(UnsupportedModel, match="keep numbers in order"):
            first_beyond(Outputs(function, np.zeros(1), {}), asked, "<=")


def test_exceptions_do_not_stand_in_the_way_of_a_search():
    asked = Crossings(np.array([0, 0]), np.array([0, 0]), np.array([0.0, 2.0]))
    odd = np.array([0.0, 5e-324, np.nextafter(2.0, 3.0)])
    outputs = Outputs(lambda rows: np.where(np.isin(rows, odd), 50.0, rows), np.zeros(1), {0: odd})
    for operator in ("<", "<="):
        beyond = first_beyond(outputs, asked, operator)
        for number in (-5e-324, 1e-323, np.nextafter(2.0, 1.0), 2.0, np.nextafter(odd[2], 3.0)):
            left = number < asked.cut if operator == "<" else number <= asked.cut
            assert ((number < beyond) == left).all()


@st.composite
def numeric_steps(draw, holes):
    """Steps for a column of numbers."""
    flag = st.booleans()
    steps = []
    if holes and draw(flag):
        strategy = draw(st.sampled_from(["mean", "median", "most_frequent", "constant"]))
        steps.append(SimpleImputer(strategy=strategy, add_indicator=draw(flag)))
        holes = False
    for _ in range(draw(st.integers(0, 3))):
        choices = [
            StandardScaler(with_mean=draw(flag), with_std=draw(flag)),
            MinMaxScaler(clip=draw(flag), feature_range=(-1, 2.5)),
            MaxAbsScaler(),
            RobustScaler(with_centering=draw(flag)),
            FunctionTransformer(),
            "passthrough",
        ]
        if not holes:
            encode = draw(st.sampled_from(["ordinal", "onehot-dense"]))
            choices.append(KBinsDiscretizer(draw(st.integers(2, 5)), encode=encode, strategy="uniform"))
        steps.append(draw(st.sampled_from(choices)))
    return make_pipeline(*steps) if steps else "passthrough"


@st.composite
def categorical_steps(draw, holes, words, mark):
    """Steps for a column of categories, holes being marked by NaN or None."""
    flag = st.booleans()
    steps = []
    if holes and draw(flag):
        strategy = draw(st.sampled_from(["constant", "most_frequent"]))
        filler = "none" if words else 0.0
        steps.append(SimpleImputer(missing_values=mark, strategy=strategy, fill_value=filler))
    frequent = draw(st.sampled_from([{}, {"min_frequency": 8}, {"max_categories": 2}]))
    if draw(flag):
        unknown = draw(st.sampled_from(["error", "ignore", "infrequent_if_exist", "warn"]))
        drop = draw(st.sampled_from([None, "first", "if_binary"]))
        encoder = OneHotEncoder(handle_unknown=unknown, drop=drop, sparse_output=draw(flag), **frequent)
        steps += [encoder, *([MaxAbsScaler()] if draw(flag) else [])]
    else:
        unknown = draw(st.sampled_from([None, -1, NAN]))
        options = {} if unknown is None else {"handle_unknown": "use_encoded_value", "unknown_value": unknown}
        missing = draw(st.sampled_from([NAN, -5]))
        steps.append(OrdinalEncoder(encoded_missing_value=missing, **options, **frequent))
        steps += [StandardScaler()] if draw(flag) else []
    return make_pipeline(*steps)


@st.composite
def pipelines(draw):
    """A fitted pipeline over columns of numbers and of words, with and without holes."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, frame, parts = 80, {}, []
    for i in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["number", "wide", "tiny", "whole", "code", "word"]))
        values = {
            "number": lambda: generator.normal(
                generator.choice([0, 100, -1e6]), generator.choice([0.01, 30]), n
            ),
            "wide": lambda: np.exp(generator.normal(0, 20, n)) * generator.choice([-1, 1], n),
            "tiny": lambda: generator.normal(0, 1e-310, n),
            "whole": lambda: generator.integers(-3, 9, n),
            "code": lambda: generator.choice([1.0, 2.0, 7.5], n),
            "word": lambda: generator.choice(COLOURS, n),
        }[kind]()
        holes = kind != "whole" and draw(st.booleans())
        mark = None if kind == "word" and draw(st.booleans()) else NAN
        if holes:
            values = np.where(generator.random(n) < 0.2, mark, values.astype(object))
        frame[f"{kind} {i}"] = pd.Series(values, dtype=object if kind == "word" else np.float64)
        for _ in range(draw(st.integers(1, 2))):
            by_category = kind == "word" or (kind in ("whole", "code") and draw(st.booleans()))
            steps = categorical_steps(holes, kind == "word", mark) if by_category else numeric_steps(holes)
            parts.append((draw(steps), [f"{kind} {i}"]))
    prepare = columns(*parts, sparse_threshold=draw(st.sampled_from([0.0, 1.0])))
    model = draw(st.sampled_from([DecisionTreeClassifier, RandomForestClassifier, ExtraTreesClassifier]))
    options = {} if model is DecisionTreeClassifier else {"n_estimators": 5}
    pipeline = make_pipeline(prepare, model(random_state=0, **options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pipeline.fit(pd.DataFrame(frame), generator.integers(0, 3, n))
        except ValueError:  # sparse rows with holes, and the like
            return None


def check_if_fitted(pipeline, seed):
    if pipeline is not None:
        check(pipeline, n=300, seed=seed)


@settings(max_examples=12)
@given(pipelines(), st.integers(0, 2**32))
def test_random_pipelines_are_read_exactly(pipeline, seed):
    check_if_fitted(pipeline, seed)


@pytest.mark.slow
@settings(max_examples=100)
@given(pipelines(), st.integers(0, 2**32))
def test_many_random_pipelines_are_read_exactly(pipeline, seed):
    check_if_fitted(pipeline, seed)


def test_columns_that_no_step_uses_may_hold_anything():
    frame = pd.DataFrame({"x": np.arange(40.0), "q": np.arange(40) / 7, "r": ["a", "b"] * 20})
    pipeline = make_pipeline(ColumnTransformer([("s", StandardScaler(), ["x"])]), DecisionTreeClassifier())
    pipeline.fit(frame, frame.x > 20)
    explainer = pw.Explainer(pipeline, frame, literals="sets")
    assert [explainer.decide(frame.iloc[i]) for i in (3, 30)] == pipeline.predict(
        frame.iloc[[3, 30]]
    ).tolist()


def test_a_null_that_the_model_was_not_trained_with_is_read_as_missing_with_a_note():
    column = pd.Series(["a", "b", np.nan] * 20, dtype=object)
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=0))
    pipeline.fit(pd.DataFrame({"c": column}), column.isna().astype(int))
    explainer = pw.Explainer(pipeline, pd.DataFrame({"c": column}), literals="sets")
    assert explainer.decide({"c": np.nan}) == 1
    assert explainer.explain({"c": np.nan}).notes == ()
    for null in (None, pd.NA):
        why = explainer.explain({"c": null})
        assert why.decision == 1 and why.term == explainer.explain({"c": np.nan}).term
        (note,) = why.notes
        assert (
            note.startswith(f"c: {null} is read as NaN")
            and f"to model.predict itself, {null} is another" in note
        )
