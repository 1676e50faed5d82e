"""Rules for the whole model, and the rows that match no rule."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from primewood.apps.report.budget import SectionWatch, TimeBudget
from primewood.apps.report.records import ReportRule, RulesSection
from primewood.apps.report.subject import ReportSubject

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


def grow_rules(subject: ReportSubject, budget: TimeBudget, watch: SectionWatch) -> RulesSection:
    """A few rules per decision that are proved for every row, with how many rows they cover."""
    if not len(subject.counting.rows):
        return {"absent": "Rules are grown around rows, and there are none."}
    watch(0, 1)
    most = max(LEAST_RULES, MOST_RULES // len(subject.class_names))
    growing = _draw_rows(subject)
    found = growing.rules(literals="intervals", most_rules=most, **budget.limit())
    places = subject.audited.possible[:MOST_COUNTED]
    inside = _find_covered(found, subject.audited.rows[places])
    uncovered = places[~inside.any(axis=0)]
    watch(1, 1)
    return {
        **found.to_dict(),
        "rules": [_record_rule(rule, int(of.sum())) for rule, of in zip(found, inside, strict=True)],
        "counted": len(places),
        "covered": len(places) - len(uncovered),
        "uncovered": [subject.audited.labels[i] for i in uncovered[:MOST_NAMED].tolist()],
        "absent": None,
        "most_rules": most,
        "grown_from": {
            "source": subject.counting_source,
            "rows": len(growing.rows),
            "of": len(subject.counting.rows),
        },
    }


def _draw_rows(subject: ReportSubject) -> pw.Explainer:
    """The explainer with the rows to grow rules from: all, or a limited number drawn at random."""
    rows = subject.counting.rows
    if len(rows) <= MOST_GROWN:
        return subject.counting
    drawn = np.random.default_rng(subject.settings.seed).permutation(len(rows))[:MOST_GROWN]
    return subject.counting.replace_rows(rows[np.sort(drawn)])


def _find_covered(rules: pw.answers.RuleList, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Per rule and row, whether the rule covers the row."""
    inside = np.zeros((len(rules), len(rows)), dtype=bool)
    for i, rule in enumerate(rules):
        inside[i] = rule.covers(rows)
    return inside


def _record_rule(rule: pw.Explanation, covers: int) -> ReportRule:
    kept = {key: value for key, value in rule.to_dict().items() if key not in LEFT_OUT}
    return cast(ReportRule, kept | {"covers": covers})
