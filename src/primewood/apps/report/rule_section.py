"""Rules for the whole model, and the rows that they do not speak about."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.apps.report.subject import ReportSubject, SectionWatch, within
from primewood.engines.protocol import Clock
from primewood.properties.rule_list import Rule, RuleList
from primewood.render.records import plain

MOST_RULES = 16
"""About how many rules a report shows; each decision has at least `LEAST_RULES`."""
LEAST_RULES = 2
MOST_NAMED = 8
"""The most rows without a rule that are named."""
MOST_GROWN = 20_000
MOST_COUNTED = 50_000
"""The most rows that rules are grown from, and the most that are counted."""
LEFT_OUT = ("instance", "history", "queries")
"""What the record of a rule has beyond the rule."""


def rules(subject: ReportSubject, clock: Clock, watch: SectionWatch) -> dict[str, Any]:
    """A few rules per decision that are proved for every row, with how many rows they cover."""
    if not len(subject.reference):
        return {"absent": "Rules are grown around rows, and there are none."}
    watch(0, 1)
    most = max(LEAST_RULES, MOST_RULES // len(subject.context.class_names))
    grown_from = _drawn(subject)
    found = subject.over(grown_from).rules(literals="intervals", most_rules=most, **within(clock, 1))
    record = found.to_dict() | _covered(subject, found)
    watch(1, 1)
    return record | {
        "absent": None,
        "most_rules": most,
        "grown_from": {
            "source": subject.reference_source,
            "rows": len(grown_from),
            "of": len(subject.reference),
        },
    }


def _drawn(subject: ReportSubject) -> NDArray[np.float64]:
    """The rows to grow rules from: all, or a limited number drawn at random."""
    rows = subject.reference
    if len(rows) <= MOST_GROWN:
        return rows
    return rows[np.sort(np.random.default_rng(subject.seed).permutation(len(rows))[:MOST_GROWN])]


def _covered(subject: ReportSubject, found: RuleList) -> dict[str, Any]:
    """Which of the rows that the report is about the rules cover."""
    audited = subject.audited
    places = audited.possible[:MOST_COUNTED]
    inside = np.zeros((len(found), len(places)), dtype=bool)
    for i, rule in enumerate(found):
        inside[i] = rule.covers(audited.rows[places])
    uncovered = places[~inside.any(axis=0)]
    return {
        "rules": [_rule(rule) | {"covers": int(of.sum())} for rule, of in zip(found, inside, strict=True)],
        "counted": len(places),
        "covered": len(places) - len(uncovered),
        "uncovered": [plain(audited.labels[i]) for i in uncovered[:MOST_NAMED].tolist()],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {key: value for key, value in rule.to_dict().items() if key not in LEFT_OUT}
