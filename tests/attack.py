"""Trying to break an explanation: rows inside it that the library's own `predict` decides differently.

Rows are drawn at random, at the ends of intervals, and by climbing: one value at a time is moved, inside the box, to
where the library's own scores speak most against the decision.
"""

from __future__ import annotations

import numpy as np

from primewood import readers


def choices(explainer, why, generator, most=6):
    """Per feature, rows of numbers for its columns that the explanation allows, ends of intervals among them."""
    domain, found = explainer.domain, []
    masks = dict(zip((f.name for f in domain.seen), why.term.box(domain.variables), strict=True))
    rows = explainer.rows if len(explainer.rows) else np.array([why.row])
    for feature in domain.features:
        if feature.variable is None:
            held = rows[generator.integers(0, len(rows), 2)][:, feature.columns]
        else:
            allowed = [v for v in range(len(feature.variable)) if masks[feature.name] >> v & 1]
            picked = generator.permutation(allowed)[:most].tolist()
            held = np.array([_numbers(feature, value, end) for value in picked for end in (0, 1)])
            seen = rows[generator.integers(0, len(rows), most)]
            inside = [v >= 0 and masks[feature.name] >> v & 1 for v in feature.values_of(seen).tolist()]
            held = np.vstack([held, seen[np.array(inside, dtype=bool)][:, feature.columns]])
        found.append((list(feature.columns), held))
    return found


def _numbers(feature, value, end):
    if value >= len(feature.numbers):
        return [np.nan] * len(feature.columns)
    if feature.patterns is not None or end == 0:
        return feature.numbers[value].tolist()
    return [feature.ends(value)[value % 2]]


def breaking_row(explainer, why, decide, *, tries=150, climbs=2, seed=0):
    """A row inside the explanation that gets a different decision, or None.

    Parameters
    ----------
    decide
        From rows to the names of decisions, by asking the library.
    """
    generator = np.random.default_rng(seed)
    options = choices(explainer, why, generator)
    rows = np.tile(np.array(why.row), (tries, 1))
    for columns, held in options:
        rows[:, columns] = held[generator.integers(0, len(held), tries)]
    rows = np.vstack([why.row, rows])
    rows = rows[why.covers(rows)]
    assert len(rows) > tries // 2, "most of what is drawn lies inside"
    broken = _otherwise(decide, rows, why)
    for _ in range(climbs if broken is None else 0):
        row = rows[generator.integers(len(rows))].copy()
        for place in generator.permutation(len(options)):
            columns, held = options[place]
            moved = np.tile(row, (len(held), 1))
            moved[:, columns] = held
            moved = moved[why.covers(moved)]
            broken = _otherwise(decide, moved, why)
            if broken is not None:
                return broken
            row = moved[_support(explainer, moved, why).argmin()] if len(moved) else row
    return broken


def _otherwise(decide, rows, why):
    wrong = (
        np.flatnonzero(np.asarray(decide(rows), dtype=object) != why.decision) if len(rows) else np.empty(0)
    )
    return rows[wrong[0]] if wrong.size else None


def _support(explainer, rows, why):
    """How much the library's own scores speak for the decision."""
    scores = readers.scores_of(explainer.model, rows, explainer.ensemble.categories)
    label = explainer.class_names.index(why.decision)
    if explainer.ensemble.cuts:
        cuts = np.array([-np.inf, *explainer.ensemble.cuts, np.inf])
        return np.minimum(scores[:, -1] - cuts[label], cuts[label + 1] - scores[:, -1])
    return scores[:, label] - np.delete(scores, label, axis=1).max(axis=1)
