"""Which features explanations mention, over a sample of rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from primewood.engines.protocol import Clock
from primewood.explainer.reporting.sensitivity import Sensitivity
from primewood.explainer.reporting.subject import Subject, Watch, within
from primewood.reasons.explanation import Status


def usage(
    subject: Subject, places: list[int], alone: Sensitivity, clock: Clock, watch: Watch
) -> dict[str, Any]:
    """In how many explanations of a sample each feature is mentioned, beside what it does alone.

    Rows come in the order of a seeded draw; when the time is over, the rest is left out.
    """
    use: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    explained = proved = 0
    for i, place in enumerate(places):
        if explained and clock.expired():
            break
        watch(i, len(places))
        row = subject.audited.rows[place]
        why = subject.explainer.explain(row, literals=subject.literals, **within(clock, len(places) - i))
        use.update(why.features)
        sizes[len(why.features)] += 1
        explained += 1
        proved += why.status is Status.PROVED
    watch(explained, len(places))
    names = [x.name for x in subject.context.variables]
    return {
        "sampled": len(places),
        "explained": explained,
        "proved": proved,
        "sizes": {str(size): sizes[size] for size in sorted(sizes)},
        "alone_rows": alone.rows,
        "items": [
            {"feature": name, "explanations": use[name], "alone": alone.by_feature[name].changed}
            for name in sorted(names, key=lambda name: (-use[name], -alone.by_feature[name].changed))
        ],
    }
