"""Credit applications: Statlog German Credit, as the demo and the tests use it.

Source: Hans Hofmann, "Statlog (German Credit Data)", UCI Machine Learning Repository, 1994,
doi:10.24432/C5NC77, licence CC BY 4.0. ``german.csv`` is that table with its categories in words.
Categories become codes 0, 1, 2, ... in the order given here, with words that need no code book.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

NUMBERS = {
    "duration": "duration",
    "credit_amount": "amount",
    "installment_commitment": "instalment rate",
    "age": "age",
    "existing_credits": "existing credits",
}
CATEGORIES = {
    "checking_status": (
        "checking account",
        {
            "<0": "overdrawn",
            "0<=X<200": "0 to 200 DM",
            ">=200": "200 DM or more",
            "no checking": "none",
        },
    ),
    "credit_history": (
        "credit history",
        {
            "critical/other existing credit": "critical",
            "delayed previously": "paid late before",
            "existing paid": "paid on time",
            "all paid": "all paid here",
            "no credits/all paid": "no credits yet",
        },
    ),
    "savings_status": (
        "savings",
        {
            "no known savings": "none known",
            "<100": "below 100 DM",
            "100<=X<500": "100 to 500 DM",
            "500<=X<1000": "500 to 1000 DM",
            ">=1000": "1000 DM or more",
        },
    ),
    "employment": (
        "employed for",
        {
            "unemployed": "not employed",
            "<1": "under 1 year",
            "1<=X<4": "1 to 4 years",
            "4<=X<7": "4 to 7 years",
            ">=7": "7 years or more",
        },
    ),
    "property_magnitude": (
        "property",
        {
            "no known property": "none known",
            "car": "car",
            "life insurance": "life insurance",
            "real estate": "real estate",
        },
    ),
    "housing": ("housing", {"rent": "rented", "for free": "free", "own": "owned"}),
}
UNITS = {"duration": "months", "amount": "DM", "age": "years"}


@dataclass(frozen=True)
class Credit:
    """The applications as numbers, and what the numbers mean.

    Attributes
    ----------
    X : array of float, shape (1000, 11)
    y : array of int
        1 if the credit was approved (a good risk), 0 if declined.
    feature_names : tuple of str
    domain : dict
        Per categorical feature the code of each category.
    units : dict
    class_names : tuple of str
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    domain: dict[str, dict[int, str]]
    units: dict[str, str]
    class_names: tuple[str, str] = ("declined", "approved")


def load_credit() -> Credit:
    """The bundled credit applications.

    >>> load_credit().X.shape
    (1000, 11)
    """
    with resources.files("primewood.data").joinpath("german.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    names: list[str] = []
    columns: list[list[float]] = []
    domain: dict[str, dict[int, str]] = {}
    for column in table[0]:
        if column in NUMBERS:
            names.append(NUMBERS[column])
            columns.append([float(row[column]) for row in table])
        elif column in CATEGORIES:
            name, words = CATEGORIES[column]
            code = {word: i for i, word in enumerate(words)}
            names.append(name)
            columns.append([float(code[row[column]]) for row in table])
            domain[name] = dict(enumerate(words.values()))
    y = np.array([row["class"] == "good" for row in table], dtype=np.int64)
    return Credit(np.column_stack(columns), y, tuple(names), domain, dict(UNITS))
