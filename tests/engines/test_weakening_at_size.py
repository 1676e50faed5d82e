"""The core weakens forests of real size as the plain loop does, which takes one step at a time and proves each."""

from __future__ import annotations

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.engines.protocol import WeakeningPlan
from primewood.questions.order import plan_steps
from primewood.questions.weakening import weaken


class PlainOracle:
    """An oracle that answers about boxes, and cannot weaken by itself."""

    def __init__(self, oracle):
        self._oracle = oracle
        self.variables = oracle.variables

    def holds(self, point):
        return self._oracle.holds(point)

    def counterexample(self, box, clock=None):
        return self._oracle.counterexample(box, clock)

    def example(self, box, clock=None):
        return self._oracle.example(box, clock)


def check_rows(seed, languages, rows):
    X, y = make_classification(
        210, 40, n_informative=12, n_redundant=8, flip_y=0.05, random_state=seed, shuffle=True
    )
    model = RandomForestClassifier(60, max_depth=7, random_state=seed).fit(X[:150], y[:150])
    explainer = pw.Explainer(model, X[:150])
    explainer._model.engines.search_forest().native.options.few = (
        0  # widen on trust, however few features are left
    )
    for x in X[150 : 150 + rows]:
        decision = explainer._model.ask(x)
        steps, variables = plan_steps(decision.model, None)
        oracle = decision.model.engines.oracle(decision.label)
        for literals in languages:
            plan = WeakeningPlan(steps, variables, literals, frozenset())
            grown = weaken(oracle, decision.point, plan)
            assert not grown.interrupted
            assert grown.box == weaken(PlainOracle(oracle), decision.point, plan).box


def test_a_counterexample_that_was_moved_out_of_the_searched_box_rules_out_no_other_values():
    # In this forest, values of an early feature were once ruled out by a sweep along it at another point.
    check_rows(5, ["sets"], 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_the_core_weakens_as_the_plain_loop_does(seed):
    check_rows(seed, ["intervals", "sets"], 2)
