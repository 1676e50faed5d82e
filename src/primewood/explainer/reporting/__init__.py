"""The audit report: everything that an auditor asks about a model, gathered once and shown as one page."""

from primewood.explainer.reporting.gathering import gather
from primewood.explainer.reporting.report import Report

__all__ = ["Report", "gather"]
