"""Frames of every library are one kind of table: the same names, values and kinds."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from primewood.errors import InvalidInput
from primewood.tables.tabular import tabular

DAY = datetime.date(2024, 5, 1)
NUMBERS = {"whole": [3, 1, 2], "gaps": [3, None, 2], "real": [1.5, None, 2.5]}


def column(X, name):
    table = tabular(X)
    return table.column(table.names.index(name))


def frames(columns):
    yield pd.DataFrame(columns).convert_dtypes()
    yield pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow")
    yield pl.DataFrame(columns)
    yield pa.table(columns)
    yield pa.record_batch(columns)


@pytest.mark.parametrize(("name", "kind"), [("whole", "whole"), ("gaps", "whole"), ("real", None)])
def test_numbers_are_the_same_in_every_library(name, kind):
    expected = np.array(NUMBERS[name], dtype=float)
    for frame in frames(NUMBERS):
        found = column(frame, name)
        assert found.kind == kind and found.values.dtype.kind in "iuf", type(frame)
        np.testing.assert_array_equal(found.values.astype(float), expected)


def test_booleans_with_gaps_are_boolean_in_every_library():
    for frame in frames({"owner": [True, None, False]}):
        found = column(frame, "owner")
        assert found.kind == "boolean" and pd.isna(found.values[1])
        assert found.values[0] == True and found.values[2] == False  # noqa: E712


def test_names_stay_names_and_gaps_stay_gaps():
    for frame in frames({"job": ["cook", None, "nurse"]}):
        found = column(frame, "job")
        assert found.kind is None and [found.values[0], found.values[2]] == ["cook", "nurse"]
        assert pd.isna(found.values[1])


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([DAY], "date"),
        ([datetime.datetime(2024, 5, 1)], "datetime"),
        ([datetime.timedelta(days=1)], "duration"),
        ([datetime.time(1)], "time"),
    ],
)
def test_dates_and_durations_are_known_by_their_dtype(values, dtype):
    for frame in (pl.DataFrame({"x": values}), pa.table({"x": values})):
        assert (column(frame, "x").kind, column(frame, "x").dtype) == ("date", dtype)


def test_decimals_and_categories_keep_their_values():
    price = decimal.Decimal("1.50")
    assert column(pa.table({"x": [price]}), "x").values.tolist() == [price]
    found = column(pd.DataFrame({"x": pd.Categorical([3, 1, None], categories=[1, 2, 3])}), "x")
    assert found.values.tolist()[:2] == [3, 1] and list(found.categories) == [1, 2, 3]
    held = pa.table({"x": pa.array(["b", None, "a"]).dictionary_encode()})
    assert column(held, "x").values.tolist() == ["b", None, "a"]


def test_a_sparse_column_is_what_it_holds():
    frame = pd.DataFrame({"n": pd.arrays.SparseArray([0, 0, 1]), "x": pd.arrays.SparseArray([0, 0, 1.5])})
    assert column(frame, "n").kind == "whole" and column(frame, "n").values.tolist() == [0, 0, 1]
    assert column(frame, "x").kind is None and column(frame, "x").values.tolist() == [0, 0, 1.5]


def test_small_floats_keep_their_dtype():
    for frame in (
        pd.DataFrame({"x": np.array([1.5], np.float32)}),
        pl.DataFrame({"x": [1.5]}, schema={"x": pl.Float32}),
        pa.table({"x": pa.array([1.5], pa.float32())}),
    ):
        assert column(frame, "x").dtype == "float32"


def test_a_series_is_a_row_only_if_it_has_labels():
    assert tabular(pd.Series({"a": 1, "b": "x"})).names == ("a", "b")
    assert tabular(pl.Series([1, 2])) is None and tabular(pa.chunked_array([[1, 2]])) is None


def test_labels_that_are_places_are_no_names():
    assert not tabular(pd.DataFrame(np.eye(2))).labelled
    assert tabular(pd.DataFrame(np.eye(2), columns=["0", "1"])).labelled


@pytest.mark.parametrize(
    "twice",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]),
    ],
)
def test_two_columns_of_one_name_are_refused(twice):
    with pytest.raises(InvalidInput, match="two columns are called a; rename one of them"):
        tabular(twice)
