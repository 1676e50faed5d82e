"""Checking what other tools and people claim to suffice for a decision.

A claim is a conjunction of conditions, at most one per feature: a set of numbers or of values. It is written as

- a list of features, each kept at the row's own value (in the literal language "values", the row's interval),
- text, such as ``petal width <= 0.8 and 2 < sepal length <= 5``, ``colour in {red, green}``, ``age is missing``
  (`text`),
- a dictionary from features to ``(low, high)`` (both included, None for no bound), an `Interval`, a value, or a list of
  values and intervals,
- a term or an explanation of this library,
- what Anchors, LIME or SHAP return (`tools`). Only plain attributes of theirs are read; none of these tools is
  imported.

All of them become conditions in the same way (`reading`). Numbers are taken as they are written, also where a tool
has rounded them. The verdict on a claim is a question about the decision (`primewood.questions.sufficiency`); what many
checks say is counted by `counts`.
"""

from primewood.apps.check.checking import check
from primewood.apps.check.counts import Tally, comparison, tally

__all__ = ["Tally", "check", "comparison", "tally"]
