"""The audit report: everything that an auditor asks about a model, gathered once and shown as one page.

It asks an explainer by its public methods only.
"""

from primewood.apps.report.gathering import gather
from primewood.apps.report.report import Report
from primewood.apps.report.settings import ReportSettings

__all__ = ["Report", "ReportSettings", "gather"]
