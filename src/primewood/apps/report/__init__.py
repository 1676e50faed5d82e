"""The audit report: everything that an auditor asks about a model, gathered once and shown as one page."""

from primewood.apps.report.gathering import gather
from primewood.apps.report.report import Report

__all__ = ["Report", "gather"]
