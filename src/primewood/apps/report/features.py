"""What features do: what each changes alone, and which of them explanations mention.

On some rows, the feature takes every value that the model distinguishes; the rest is unchanged. So for these rows the
answer is exact: either some value of the feature alone changes the decision, or none does. What is found shows that a
model is not independent of a feature, or not monotone in it; that nothing is found proves nothing about other rows.
Rows just beside a change of the decision show the most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from primewood.apps.report.budget import SectionWatch, TimeBudget
from primewood.apps.report.records import FeaturesSection, UseCounts
from primewood.apps.report.settings import GivenAnswers
from primewood.apps.report.subject import ReportSubject

if TYPE_CHECKING:
    from primewood.domain import Domain


@dataclass(frozen=True, slots=True)
class FlippingStep:
    """A row, and two values of a feature that give it different decisions."""

    row: NDArray[np.float64]
    first: int
    second: int


@dataclass
class FeatureAlone:
    """What one feature does alone.

    Attributes
    ----------
    changed : int
        On how many rows some value of it changes the decision.
    change, drop, rise : FlippingStep or None
        A row and two values at which the decision differs; a row and two neighbouring values, the lower one first,
        at which it goes down in the order of the decisions; the same, at which it goes up.
    """

    changed: int = 0
    change: FlippingStep | None = None
    drop: FlippingStep | None = None
    rise: FlippingStep | None = None


@dataclass(frozen=True)
class Sensitivity:
    """What all features do alone.

    Attributes
    ----------
    rows : int
        How many rows were tried.
    by_feature : dict
        Per feature that the model looks at.
    """

    rows: int
    by_feature: dict[str, FeatureAlone]


def measure_sensitivity(
    subject: ReportSubject, places: list[int], budget: TimeBudget, watch: SectionWatch
) -> Sensitivity:
    """Try all values of each feature alone on rows, until the time limit. Cost: one prediction per value and row."""
    found = {x.name: FeatureAlone() for x in subject.domain.variables}
    done, rows = 0, subject.audited.rows[places]
    for done, row in enumerate(rows):
        if done and budget.is_spent:
            return Sensitivity(done, found)
        watch(done, len(rows))
        _try_values(subject, row, found)
    watch(len(rows), len(rows))
    return Sensitivity(len(rows), found)


def include_evidence(
    subject: ReportSubject, known: Sensitivity, budget: TimeBudget
) -> dict[str, FeatureAlone]:
    """What features are shown to do if the rows of the evidence are tried too; the sample is not counted again.

    Most of them lie just beside a change of the decision.
    """
    found = {name: replace(one) for name, one in known.by_feature.items()}
    for done, row in enumerate(dict.fromkeys(subject.evidence.rows)):
        if done and budget.is_spent:
            break
        _try_values(subject, np.array(row), found)
    return found


def _try_values(subject: ReportSubject, row: NDArray[np.float64], found: dict[str, FeatureAlone]) -> None:
    """Record what each feature does alone in a row."""
    domain = subject.domain
    point = domain.points(row[None, :])[0]
    table, starts = _list_variants(domain, row)
    labels = subject.ensemble.predict(table)
    if domain.knowledge:
        labels = np.where(domain.possible(table, domain.points(table)), labels, -1)
    for k, one in enumerate(found.values()):
        _note_changes(one, labels[starts[k] : starts[k + 1]], row, int(point[k]), domain.variables[k].ordered)


def _list_variants(domain: Domain, row: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The row with each value of each feature, one feature after the other, and where each feature begins."""
    starts = np.cumsum([0, *(len(x) for x in domain.variables)])
    table = np.repeat(row[None, :], starts[-1], axis=0)
    for k, feature in enumerate(domain.seen):
        values = np.full((len(domain.variables[k]), len(feature.columns)), np.nan)
        values[: len(feature.numbers)] = feature.numbers
        table[starts[k] : starts[k + 1], list(feature.columns)] = values
    return table, starts


def _note_changes(
    one: FeatureAlone, labels: NDArray[np.int64], row: NDArray[np.float64], own: int, ordered: int
) -> None:
    """Record the decisions at the values of one feature; −1 where the row would not be possible."""
    others = np.flatnonzero((labels != labels[own]) & (labels >= 0))
    if others.size:
        one.changed += 1
        nearest = int(others[np.abs(others - own).argmin()])
        one.change = one.change or FlippingStep(row, own, nearest)
    before, after = labels[: max(ordered - 1, 0)], labels[1:ordered]
    known = (before >= 0) & (after >= 0)
    drops, rises = np.flatnonzero(known & (after < before)), np.flatnonzero(known & (after > before))
    if drops.size:
        one.drop = one.drop or FlippingStep(row, int(drops[0]), int(drops[0]) + 1)
    if rises.size:
        one.rise = one.rise or FlippingStep(row, int(rises[0]), int(rises[0]) + 1)


def count_feature_use(
    subject: ReportSubject, places: list[int], alone: Sensitivity, budget: TimeBudget, watch: SectionWatch
) -> FeaturesSection:
    """In how many explanations each feature is mentioned, beside what it does alone.

    Parameters
    ----------
    places
        The sample: the places of the rows that were drawn. They are explained, unless explanations are given.
    """
    use: Mapping[str, int]
    if subject.settings.answers is None:
        use, counts = _explain_sample(subject, places, budget, watch)
    else:
        use, counts = _count_answers(subject.settings.answers)
        watch(counts["explained"], counts["explained"])
    names = [x.name for x in subject.domain.variables]
    return {
        **counts,
        "sampled": len(places),
        "alone_rows": alone.rows,
        "items": [
            {"feature": name, "explanations": use[name], "alone": alone.by_feature[name].changed}
            for name in sorted(names, key=lambda name: (-use[name], -alone.by_feature[name].changed))
        ],
    }


def _explain_sample(
    subject: ReportSubject, places: list[int], budget: TimeBudget, watch: SectionWatch
) -> tuple[Counter[str], UseCounts]:
    """Explain rows in the order of a seeded draw; at the time limit, the rest is left out."""
    use: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    proved = 0
    for i, place in enumerate(places):
        if i and budget.is_spent:
            break
        watch(i, len(places))
        row, limits = subject.audited.rows[place], budget.limit(1 / (len(places) - i))
        why = subject.explainer.explain(row, literals=subject.settings.literals, **limits)
        use.update(why.features)
        sizes[len(why.features)] += 1
        proved += why.status is pw.Status.PROVED
    explained = sizes.total()
    watch(explained, len(places))
    return use, {
        "source": "sample",
        "rows": len(places),
        "explained": explained,
        "proved": proved,
        "failed": 0,
        "taken_over": 0,
        "finished": explained == len(places),
        "sizes": _sort_sizes(sizes),
    }


def _count_answers(answers: GivenAnswers) -> tuple[Mapping[str, int], UseCounts]:
    """Count explanations that were made before."""
    summary = answers.summary
    return summary.features, {
        "source": "batch",
        "rows": summary.rows,
        "explained": summary.rows - answers.failed,
        "proved": summary.statuses.get(pw.Status.PROVED, 0),
        "failed": answers.failed,
        "taken_over": answers.taken_over,
        "finished": answers.finished,
        "sizes": _sort_sizes(summary.sizes),
    }


def _sort_sizes(sizes: Mapping[int, int]) -> dict[str, int]:
    return {str(size): sizes[size] for size in sorted(sizes)}
