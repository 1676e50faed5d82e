"""Mined rules as texts in the grammar of constraints; their bounds are cuts of the model, so they cut no cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.logic.lexicon import write_name, write_value
from primewood.logic.variable import Variable
from primewood.model.mining.pairs import PairTable
from primewood.model.mining.selection import BoxRule, OrderRule, PairRule


def write_rule(rule: PairRule, pairs: PairTable) -> tuple[str, int]:
    """A rule as a constraint, and how many training rows its premise matches."""
    return _write_order(rule, pairs) if isinstance(rule, OrderRule) else _write_box(rule, pairs)


def _write_order(rule: OrderRule, pairs: PairTable) -> tuple[str, int]:
    features = [pairs.features[j] for j in (rule.order.lower, rule.order.upper)]
    lower, upper = (write_name(feature.name) for feature in features)
    sign, size = ("-" if rule.constant < 0 else "+"), repr(abs(rule.constant)).removesuffix(".0")
    known = ~np.isnan(pairs.rows[:, [feature.column for feature in features]]).any(axis=1)
    return f"{lower} <= {upper}" + (f" {sign} {size}" if rule.constant else ""), int(known.sum())


def _write_box(rule: BoxRule, pairs: PairTable) -> tuple[str, int]:
    """An implication; its premise is the condition that matches more rows."""
    sides = list(zip(pairs.places[rule.pair], (rule.first, rule.second), strict=True))
    support = [_count_rows(pairs, j, bins) for j, bins in sides]
    if support[1] > support[0]:
        sides.reverse()
    (j, premise), (k, excluded) = sides
    return f"{_write_inside(pairs, j, premise)} -> {_write_outside(pairs, k, excluded)}", max(support)


def _count_rows(pairs: PairTable, j: int, bins: NDArray[np.bool_]) -> int:
    codes = pairs.codes[:, j]
    return int((bins[codes] & (codes >= 0)).sum())


def _write_inside(pairs: PairTable, j: int, bins: NDArray[np.bool_]) -> str:
    """That a feature is in one of some bins."""
    variable, listed = pairs.bins.variables[j], np.flatnonzero(bins[: pairs.count_bins(j)])
    name = write_name(variable.name)
    if variable.cuts is None:
        return f"{name} {_write_values(variable, listed.tolist(), is_in=True)}"
    below, above = ("<=", ">") if variable.closed == "right" else ("<", ">=")
    if listed[0] == 0:
        return f"{name} {below} {_write_cut(pairs, j, int(listed[-1]))}"
    return f"{name} {above} {_write_cut(pairs, j, int(listed[0]) - 1)}"


def _write_outside(pairs: PairTable, j: int, bins: NDArray[np.bool_]) -> str:
    """That a feature is in none of some bins; it may be missing."""
    variable, count = pairs.bins.variables[j], pairs.count_bins(j)
    if variable.cuts is not None:
        rest = np.zeros(len(bins), dtype=bool)
        rest[:count] = ~bins[:count]
        known, name = _write_inside(pairs, j, rest), write_name(variable.name)
        return known if variable.missing is None else f"{known} or {name} = missing"
    listed = np.flatnonzero(bins[:count]).tolist()
    rest_of = [value for value in range(count) if value not in listed]
    if variable.missing is None and len(rest_of) <= len(listed):
        return f"{write_name(variable.name)} {_write_values(variable, rest_of, is_in=True)}"
    return f"{write_name(variable.name)} {_write_values(variable, listed, is_in=False)}"


def _write_cut(pairs: PairTable, j: int, place: int) -> str:
    """The cut after a bin, exactly."""
    cuts = pairs.bins.variables[j].cuts or ()
    return repr(float(cuts[int(pairs.bins.ends[j][place])])).removesuffix(".0")


def _write_values(variable: Variable, listed: Sequence[int], *, is_in: bool) -> str:
    known = [str(value) for value in variable.values]
    values = [write_value(known[place], known) for place in listed]
    if len(values) == 1:
        return f"{'=' if is_in else '!='} {values[0]}"
    return f"{'in' if is_in else 'not in'} {{{', '.join(values)}}}"
