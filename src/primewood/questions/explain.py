"""One explanation of a decision: prime in a given order, the shortest, or the widest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from primewood.engines.protocol import Clock, Grown, Step, WeakeningPlan
from primewood.errors import InvalidInput, format_list
from primewood.logic.language import Language
from primewood.model.decision import Decision, RowDecision
from primewood.model.model import Model
from primewood.model.nearby import Nearness, stay_near
from primewood.questions.best import Best
from primewood.questions.explanation import Explanation, Goal
from primewood.questions.explanation_maker import ExplanationMaker, note_fixed
from primewood.questions.familiar_points import find_familiar
from primewood.questions.order import WeakeningOrder, plan_steps
from primewood.questions.readable import ReadableSearch
from primewood.questions.so_far import AnswerWatcher, watch_growth
from primewood.questions.status import Status
from primewood.questions.used_rules import note_used_rules
from primewood.questions.weakening import weaken
from primewood.questions.widest.measures import Measure


@dataclass(frozen=True)
class Wishes:
    """What an explanation shall be like; see `Explainer.explain` for what each means."""

    literals: Language | None = None
    goal: Goal | None = None
    measure: Measure | None = None
    weights: Mapping[str, float] | None = None
    order: WeakeningOrder | None = None
    fix: Iterable[str] = ()
    avoid: Iterable[str] = ()
    only: Iterable[str] | None = None
    also: Any = None
    near: float | None = None
    near_features: int | None = None

    def check(self) -> None:
        """Raise for wishes that do not go together."""
        if self.goal is not None and self.goal not in get_args(Goal):
            raise InvalidInput(f"goal must be one of {format_list(get_args(Goal))}, not {self.goal!r}")
        if self.measure is not None and self.goal != "widest":
            raise InvalidInput('measure is for goal="widest"')
        if self.weights is not None and self.goal == "widest":
            raise InvalidInput('weights are for goal="shortest" and "prime"; "widest" takes measure')
        if self.weights is not None and self.goal == "wide":
            raise InvalidInput('weights are for goal="shortest" and "prime"; "wide" counts training rows')
        if self.weights is not None and self.goal == "readable":
            raise InvalidInput('weights are for goal="shortest" and "prime"; "readable" counts conditions')
        for name, given in (("order", self.order), ("also", self.also)):
            if given is not None and self.goal not in (None, "prime"):
                raise InvalidInput(f'{name} is for goal="prime", not for {self.goal!r}')
        if self.near_features is not None and self.goal not in (None, "prime"):
            raise InvalidInput(f'near_features is for goal="prime", not for {self.goal!r}')
        if self.also is not None and not (self.near is None and self.near_features is None):
            raise InvalidInput(
                "pass either also= or near=/near_features=, not both: other rows may not be near"
            )

    def choose_goal(self, decision: Decision) -> Goal:
        """The goal; by default "readable", unless an order is wished for, or the decision is that of an expression."""
        if self.goal is not None:
            return self.goal
        led = (self.order, self.also, self.weights, self.near_features)
        ordered = any(given is not None for given in led)
        return "prime" if ordered or not isinstance(decision, RowDecision) else "readable"

    def find_fixed(self, model: Model) -> frozenset[int]:
        """The places of the variables that keep the row's value."""
        return model.find_places("fix", self.fix)

    def find_avoided(self, model: Model) -> frozenset[int]:
        """The places of the variables that must not be mentioned."""
        fixed, avoided = self.find_fixed(model), model.find_places("avoid", self.avoid)
        if self.only is not None:
            every = frozenset(range(len(model.context.variables)))
            avoided |= every - model.find_places("only", self.only) - fixed
        if fixed & avoided:
            raise InvalidInput("a feature cannot be both fixed and avoided")
        return avoided

    def read_weights(self, model: Model) -> dict[int, float]:
        """The weights by the places of variables."""
        if self.weights is None:
            return {}
        if not isinstance(self.weights, Mapping):
            raise InvalidInput(
                f"weights must be a mapping from feature names to positive numbers, not {self.weights!r}"
            )
        model.check_features("weights", self.weights)
        for name, weight in self.weights.items():
            if not isinstance(weight, int | float | np.number) or not 0 < weight < np.inf:
                raise InvalidInput(f"the weight of {name} must be a positive number, not {weight!r}")
        places = {name: model.context.place(name) for name in self.weights}
        return {j: float(self.weights[name]) for name, j in places.items() if j is not None}


def explain(
    decision: Decision, wishes: Wishes, clock: Clock, watcher: AnswerWatcher | None = None
) -> Explanation:
    """One PI-explanation of a decision, as it is wished for.

    When a limit comes first, the answer still entails the decision, and its status says that it is not proved prime,
    or not proved the best. The watcher is told about the answer so far.
    """
    wishes.check()
    decision = stay_near(decision, Nearness(wishes.near, wishes.near_features))
    return note_used_rules(decision, _find_explanation(decision, wishes, clock, watcher), clock)


def _find_explanation(
    decision: Decision, wishes: Wishes, clock: Clock, watcher: AnswerWatcher | None
) -> Explanation:
    model = decision.model
    literals = model.choose_language(wishes.literals)
    fixed, avoided = wishes.find_fixed(model), wishes.find_avoided(model)
    weights, goal = wishes.read_weights(model), wishes.choose_goal(decision)
    if goal == "wide":
        _need_training_rows(decision)
    if goal in ("shortest", "widest"):
        asked = Best(decision, literals, fixed, avoided, clock, watcher)
        best = asked.shortest(weights) if goal == "shortest" else asked.widest(wishes.measure)
        if best is not None:
            return best
        wishes = replace(wishes, order=None)
    order = wishes.order
    if goal == "prime" and weights and order is None:
        usual = sorted(model.order, key=lambda j: -weights.get(j, 1.0))
        order = [model.context.variables[j].name for j in usual]
    steps, variables = plan_steps(model, order)
    if wishes.also is not None:
        steps = [*include_rows(decision, wishes.also, fixed), *steps]
    freed: list[Step] = [{j: model.context.variables[j].everything for j in avoided}] if avoided else []
    steps = [*freed, *steps] if freed else steps
    oracle = model.engines.oracle(decision.label)
    maker = ExplanationMaker.for_decision(decision, literals, fixed)
    plan = WeakeningPlan(steps, variables, literals, fixed)
    watch = None if watcher is None else watch_growth(watcher, maker, clock)
    found = weaken(oracle, decision.point, plan, clock, watch)
    if goal in ("readable", "wide") and not found.interrupted:
        others = ReadableSearch(decision, oracle, literals, fixed, freed, clock)
        found = others.improve(found) if goal == "readable" else others.cover_rows(found)
    why = _state(decision, maker.explain_grown(found), avoided, found, clock)
    why = replace(why, goal=goal) if goal in ("readable", "wide") else why
    return replace(why, notes=note_fixed(why.notes, model.context.variables, fixed)) if fixed else why


def _need_training_rows(decision: Decision) -> None:
    """Raise if there are no training rows to cover."""
    if not isinstance(decision, RowDecision) or decision.context.points is None:
        raise InvalidInput('goal="wide" covers training rows, and there are none: pass them to Explainer')


def include_rows(decision: Decision, rows: Any, fixed: frozenset[int]) -> list[Step]:
    """Steps that let rows into an explanation, one for each; of what is fixed, they must have the same."""
    point = decision.point
    return [
        {j: 1 << value for j, value in enumerate(other) if value != point[j]}
        for other in decision.model.read_points("also", rows)
        if all(other[j] == point[j] for j in fixed)
    ]


def _state(
    decision: Decision, why: Explanation, avoided: frozenset[int], found: Grown, clock: Clock
) -> Explanation:
    """The explanation that a weakening found, with its status and notes in view of what was to be avoided."""
    variables = decision.context.variables
    obstacle = find_obstacle(decision, avoided, found, clock)
    status, notes = why.status, why.notes
    if obstacle:
        status, notes = Status.IMPOSSIBLE, (*notes, obstacle)
    elif any(found.box[j] != variables[j].everything for j in avoided):
        status = Status.INTERRUPTED  # there was no time left to see whether they can be avoided
    known = why.known_necessity if status is why.status else why.necessity
    return replace(why, status=status, known_necessity=known, notes=notes)


def find_obstacle(decision: Decision, avoided: frozenset[int], found: Grown, clock: Clock) -> str | None:
    """What stands in the way of an explanation that avoids these variables; None if nothing does.

    A row whose own decision depends on the order of summation has no explanation at all.
    """
    variables = decision.context.variables
    if decision.depends_on_order:
        return "the decision on this row depends on the order in which scores are added"
    if all(found.box[j] == variables[j].everything for j in avoided):
        return None
    freed = tuple(x.everything if j in avoided else decision.cell[j] for j, x in enumerate(variables))
    other = decision.model.engines.oracle(decision.label).counterexample(freed, clock)
    if not isinstance(other, tuple):
        return None
    names = format_list(variables[j].name for j in sorted(avoided))
    if not isinstance(decision, RowDecision):
        return f"no explanation avoids {names}"
    engines, context = decision.model.engines, decision.context
    if engines.decide(other) != decision.label:
        other = find_familiar(
            context, other, freed, lambda p: engines.decide(p) != decision.label, own=decision.point
        )
    changed = context.cells.row_at(other, decision.row, decision.point)
    told = [
        f"{x.name} = {context.shown(j, other[j], changed)}"
        for j, x in enumerate(variables)
        if other[j] != decision.point[j]
    ]
    name = context.class_names[engines.decide(other)]
    return f"no explanation avoids {names}: with {format_list(told)} the decision is {name}"
