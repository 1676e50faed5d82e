"""The page of an audit report: one HTML file that opens offline, runs no script, loads nothing, and prints well.

It shows the record that `primewood.apps.report` gathers, and computes nothing of its own.
"""

from __future__ import annotations

from functools import cache

from primewood.render.html import audit_charts, audit_limits, audit_views, audit_words
from primewood.render.html.environment import render, style
from primewood.render.text import Record

SECTIONS = {
    "model": "The model",
    "rows": "The rows and their decisions",
    "cases": "Decisions explained",
    "features": "What features do",
    "rules": "Rules",
    "properties": "Properties",
    "robustness": "Robustness",
    "limits": "Assumptions and limits",
    "words": "Words used",
    "made": "How this report was made",
}
"""The sections in their order, by their anchors."""


def audit(record: Record) -> str:
    """A whole page about a model.

    Parameters
    ----------
    record
        What `Report.to_dict` returns.
    """
    from markupsafe import Markup

    def bare(fragment: str) -> Markup:
        """A card without the style that the page has already."""
        return Markup(fragment.replace(style(), ""))  # noqa: S704

    return render(
        "audit.html.j2",
        record=record,
        style=Markup(style() + audit_style()),  # noqa: S704
        bare=bare,
        sections=SECTIONS,
        alarms=audit_limits.alarms(record),
        glance=audit_words.at_a_glance(record),
        scope=audit_limits.SCOPE,
        limits=audit_limits.limits(record),
        views=audit_views,
        words=audit_words,
        charts=audit_charts,
    )


@cache
def audit_style() -> str:
    """The style element of what only reports have."""
    return f"<style>\n{render('audit.css.j2')}</style>\n"
