"""The page of an audit report: one HTML file that opens offline, runs no script, loads nothing, and prints well.

It shows the record that a report gathers, and computes nothing of its own.
"""

from __future__ import annotations

from functools import cache

from primewood.apps.report.page import charts, limits, views, words
from primewood.apps.report.records import ReportRecord
from primewood.render.html.environment import render, style

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


def render_page(record: ReportRecord) -> str:
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
        "report.html.j2",
        package=__package__,
        record=record,
        style=Markup(style() + render_style()),  # noqa: S704
        bare=bare,
        sections=SECTIONS,
        alarms=limits.list_alarms(record),
        glance=words.summarise(record),
        scope=limits.SCOPE,
        limits=limits.list_limits(record),
        views=views,
        words=words,
        charts=charts,
    )


@cache
def render_style() -> str:
    """The style element of what only reports have."""
    return f"<style>\n{render('report.css.j2', package=__package__)}</style>\n"
