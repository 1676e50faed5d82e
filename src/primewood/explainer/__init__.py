"""The façade: ask about a model, and about its decisions."""

from primewood.explainer.explainer import Explainer, compare, compile, verify

__all__ = ["Explainer", "compare", "compile", "verify"]
