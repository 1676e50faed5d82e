"""What users say about features: numbers with bounds, whole numbers, categories, dummies of one category."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primewood.errors import InvalidInput, UnknownName, format_list, quote_value
from primewood.fields import is_finite, several, text


@dataclass(frozen=True)
class Number:
    """A numeric feature, with optional bounds (both included), for `domain=`; `whole` if it takes whole numbers only.

    Examples
    --------
    >>> from primewood import Number
    >>> Number(18, 120, whole=True)
    Number(low=18, high=120, whole=True)
    """

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, _bound(name, getattr(self, name)))
        if not isinstance(self.whole, bool | np.bool_):
            raise InvalidInput(f"whole must be True or False, not {quote_value(self.whole)}")
        if self.whole:
            object.__setattr__(self, "low", math.ceil(self.low) if math.isfinite(self.low) else self.low)
            object.__setattr__(self, "high", math.floor(self.high) if math.isfinite(self.high) else self.high)
        if not self.low < self.high:
            raise InvalidInput(f"the bounds of a number ascend, not {self.low!r}, {self.high!r}")


@dataclass(frozen=True)
class Listed:
    """A categorical feature: the numbers in its column with their names; `ordered` if their order means something."""

    names: Mapping[float, object]
    ordered: bool = False

    def __post_init__(self) -> None:
        codes: dict[float, object] = {}
        for code, label in self.names.items():
            if not isinstance(code, int | float | np.number) or not abs(code) < 1e38:
                raise InvalidInput(
                    f"the codes of categories must be the numbers in a column, not {quote_value(code)}"
                )
            text(str(label), "each name of a category")
            codes[float(code)] = label
        codes = dict(sorted(codes.items()))
        if len(codes) < 2 or len({str(label) for label in codes.values()}) < len(codes):
            raise InvalidInput(
                f"at least two categories, with different names, not {format_list(codes.values())}"
            )
        object.__setattr__(self, "names", codes)


TRUTHS = Listed({0.0: False, 1.0: True})
"""A Boolean column, by its dtype."""
BITS = Listed({0.0: 0, 1.0: 1})
"""A column that holds 0 and 1."""


def ordered(categories: Mapping[float, object] | Sequence[float]) -> Listed:
    """Declare ordered categories for `domain=`.

    In the language "intervals", a literal over them is a run such as "grade is B, C or D".

    Parameters
    ----------
    categories
        The numbers in the column, or a mapping from these numbers to names.

    Returns
    -------
    Listed
        A declaration for `domain=` of `Explainer`.

    Raises
    ------
    InvalidInput
        If there are fewer than two categories, two have the same name, or a category is not a number.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer, ordered
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "yes", "yes"]
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> grades = ordered({1: "D", 2: "C", 3: "B", 4: "A"})
    >>> explainer = Explainer(tree, X, feature_names=["grade"], domain={"grade": grades})
    >>> print(explainer.explain([3]).rule)
    IF grade is B or A THEN yes
    """
    return Listed(_find_named(categories), ordered=True)


def declaration(name: str, declared: Any) -> Number | Listed | None:
    """What a user says about one feature in `domain=`; None for nothing."""
    if declared is None or isinstance(declared, Number | Listed):
        return declared
    words: dict[str, Number | Listed] = {
        "numeric": Number(),
        "whole": Number(whole=True),
        "boolean": BITS,
    }
    if isinstance(declared, str) and declared in words:
        return words[declared]
    if isinstance(declared, str) or not isinstance(declared, Mapping | Sequence | np.ndarray):
        raise InvalidInput(
            f'domain of {name}: "numeric", "whole", "boolean", a list of numbers, a mapping from numbers to names, '
            f"primewood.Number or primewood.ordered, not {quote_value(declared)}"
        )
    try:
        return Listed(_find_named(declared))
    except InvalidInput as problem:
        raise InvalidInput(f"domain of {name}: {problem}") from None


def _find_named(categories: Mapping[float, object] | Iterable[float]) -> Mapping[float, object]:
    if isinstance(categories, Mapping):
        return categories
    codes = several(categories, "categories")
    if not all(isinstance(code, int | float | np.number) for code in codes):
        raise InvalidInput(
            f"categories must be numbers, or a mapping from numbers to names, not {format_list(codes)}"
        )
    return {code: code for code in codes}


def _bound(name: str, value: Any) -> float:
    """An end of the numbers; beyond float64 there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or value != value:
        raise InvalidInput(f"{name} must be a number, not {quote_value(value)}")
    infinite = math.inf if value > 0 else -math.inf
    return value if is_finite(value) else infinite  # type: ignore[return-value]


def one_hot_groups(
    declared: Mapping[str, Sequence[str]] | str | None, names: Sequence[str], dummies: set[str]
) -> dict[str, list[str]]:
    """The one-hot groups that a user declares, or that names show.

    Parameters
    ----------
    declared
        Per group the names of its columns, or "auto": columns of 0 and 1 whose names are alike up to a last "_", "="
        or "__", such as colour_red and colour_green, exactly one of them 1 in every row.
    dummies
        The columns that hold 0 and 1.
    """
    if declared is None:
        return {}
    if isinstance(declared, Mapping):
        for name, columns in declared.items():
            if isinstance(columns, str) or not isinstance(columns, Iterable):
                raise InvalidInput(f"the group {name} must be a list of columns, not {columns!r}")
        groups = {
            text(str(name), "each name of groups"): [str(column) for column in columns]
            for name, columns in declared.items()
        }
        _check(groups, names)
        return groups
    if declared != "auto":
        raise InvalidInput(f'groups must be a mapping from names to columns, or "auto", not {declared!r}')
    found: dict[str, list[str]] = {}
    for name in names:
        parts = re.match(r"(.+?)(?:__|=|_)([^=_]+(?:_[^=_]*)*)$", name) if name in dummies else None
        if parts:
            found.setdefault(name[: _last_mark(name)].rstrip("_="), []).append(name)
    return {stem: columns for stem, columns in found.items() if len(columns) > 1 and stem not in names}


def _last_mark(name: str) -> int:
    return max(name.rfind("_"), name.rfind("="))


def _check(groups: dict[str, list[str]], names: Sequence[str]) -> None:
    columns = [column for group in groups.values() for column in group]
    unknown = [column for column in columns if column not in names]
    if unknown:
        raise UnknownName(f"groups names {format_list(unknown)}; the columns are {format_list(names)}")
    if len(set(columns)) < len(columns):
        raise InvalidInput("a column belongs to one group only")
    for name, group in groups.items():
        if len(group) < 2:
            raise InvalidInput(f"the group {name} needs at least two columns")
        if name in set(names) - set(group):
            raise InvalidInput(f"the group {name} is called like a column that is not in it")
