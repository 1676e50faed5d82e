"""Which features explanations mention: over those of a batch, or over a sample of rows that is explained for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from primewood.apps.report.answers import GivenAnswers
from primewood.apps.report.sensitivity import Sensitivity
from primewood.apps.report.subject import ReportSubject, SectionWatch, within
from primewood.engines.protocol import Clock
from primewood.questions.explanation import Status


def usage(
    subject: ReportSubject,
    places: list[int],
    alone: Sensitivity,
    answers: GivenAnswers | None,
    clock: Clock,
    watch: SectionWatch,
) -> dict[str, Any]:
    """In how many explanations each feature is mentioned, beside what it does alone.

    Parameters
    ----------
    places
        The sample: the places of the rows that were drawn.
    answers
        The explanations to count; if there are none, those of the sample are made.
    """
    use: Mapping[str, int]
    if answers is None:
        use, counts = _over_sample(subject, places, clock, watch)
    else:
        use, counts = _over_batch(answers)
        watch(counts["explained"], counts["explained"])
    names = [x.name for x in subject.context.variables]
    return {
        **counts,
        "sampled": len(places),
        "alone_rows": alone.rows,
        "items": [
            {"feature": name, "explanations": use[name], "alone": alone.by_feature[name].changed}
            for name in sorted(names, key=lambda name: (-use[name], -alone.by_feature[name].changed))
        ],
    }


def _over_sample(
    subject: ReportSubject, places: list[int], clock: Clock, watch: SectionWatch
) -> tuple[Counter[str], dict[str, Any]]:
    """Explain rows in the order of a seeded draw; at the time limit, the rest is left out."""
    use: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    proved = 0
    for i, place in enumerate(places):
        if i and clock.expired():
            break
        watch(i, len(places))
        row = subject.audited.rows[place]
        why = subject.explainer.explain(row, literals=subject.literals, **within(clock, len(places) - i))
        use.update(why.features)
        sizes[len(why.features)] += 1
        proved += why.status is Status.PROVED
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
        "sizes": _in_order(sizes),
    }


def _over_batch(answers: GivenAnswers) -> tuple[Mapping[str, int], dict[str, Any]]:
    """Count explanations that were made before."""
    summary = answers.summary
    return summary.features, {
        "source": "batch",
        "rows": summary.rows,
        "explained": summary.rows - answers.failed,
        "proved": summary.statuses.get(Status.PROVED, 0),
        "failed": answers.failed,
        "taken_over": answers.taken_over,
        "finished": answers.finished,
        "sizes": _in_order(summary.sizes),
    }


def _in_order(sizes: Mapping[int, int]) -> dict[str, int]:
    return {str(size): sizes[size] for size in sorted(sizes)}
