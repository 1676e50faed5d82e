"""What would change a decision: contrasts, counterfactuals, robustness, reasons for adverse action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.apps.adverse_action import AdverseAction, Codes, adverse_action, names_of
from primewood.arguments import (
    clock_of,
)
from primewood.engines.duality import Duality, Kind
from primewood.engines.protocol import Family, Listing
from primewood.errors import InvalidInput, TooLarge
from primewood.explainer.asking import about_row
from primewood.explainer.model import Model
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.questions.contrast import Contrast, Contrasting, Contrasts, Finder
from primewood.questions.counterfactual import Counterfactual, Counterfactuals
from primewood.questions.distance import Moves, Norm, check_norm
from primewood.questions.explanation import Status
from primewood.questions.robustness import Robustness


class AsksWhatIf(Model):
    """Asks what would change the decision on a row."""

    @about_row
    def contrast(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language | None = None,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Contrast:
        """The fewest features to let go of so that another decision, or the target, becomes possible.

        The explainer's `immutable` features are held. If the time is over first, or nothing changes the decision, the
        status says so.
        """
        self._check_decides()
        literals = self._language(literals)
        row, point = self._context.read(x)
        engines = self._engines.in_sequence()
        label = engines.decide(point)
        wanted = self._wanted(target, label)
        oracle = engines.oracle(label, wanted)
        finder = Finder(oracle, engines.decide)
        asked = Contrasting(self._context, label, literals, row, point, finder)
        moves = Moves("l0", False, immutable=frozenset(self.immutable), to_missing=True)
        clock = clock_of(time_limit, work_limit)
        if row is None:
            raise InvalidInput(
                "contrast is about rows of a model; of an expression, contrasts lists them all"
            )
        costs = moves.priced(self._context, row, point)
        near = engines.pricing(label, wanted).nearest(point, costs, clock)
        if near.point is None:
            return asked.nothing(Status.IMPOSSIBLE if near.complete else Status.INTERRUPTED)
        moved = tuple(
            1 << a if a == b else x.everything
            for x, a, b in zip(self._context.variables, point, near.point, strict=True)
        )
        there = asked.recognised(near.point, engines.decide(near.point), moved)
        box, there, sure = asked.minimal(there, oracle, clock)
        if literals == "intervals" and sure:
            reply = oracle.counterexample(box, clock)
            there = reply if isinstance(reply, tuple) else there
            there = asked.recognised(there, engines.decide(there), box)
        changed = self._row_of_steps(there, row, point, moves)
        proved = near.complete and sure
        return asked.shown_by(
            box,
            there,
            engines.decide(there),
            changed,
            status=Status.PROVED if proved else Status.INTERRUPTED,
            fewest=near.complete,
        )

    def _row_of_steps(
        self, there: Point, row: NDArray[np.float64], point: Point, moves: Moves
    ) -> NDArray[np.float64] | None:
        """A row of a cell where only the number of changes counts: with numbers of training rows if possible."""
        limits = moves.limits(self._context, row)
        assert self.domain is not None
        if limits and self.domain.knowledge.orders:
            return self._context.nearest_row(there, row, point, limits)
        return self._context.row_at(there, row, point)

    @about_row
    def contrasts(
        self,
        x: Any,
        target: object = None,
        *,
        literals: Language | None = None,
        time_limit: float | None = None,
    ) -> Contrasts:
        """All contrastive explanations of the decision on a row: the minimal changes that may change it.

        Parameters
        ----------
        target
            The decision that is wanted; by default any other.
        literals
            "sets", "intervals" or "values"; by default the explainer's.
        time_limit
            How many seconds one diagram of them all may take. Where there is none, they are listed one by one as
            a search finds them, and this is when the listing stops.
        """
        self._check_decides()
        literals = self._language(literals)
        self._check_immutable()
        row, point = self._context.read(x)
        label = self._engines.decide(point)
        wanted = self._wanted(target, label)
        tree = self._engines.single_tree()
        if tree is not None and wanted is None:
            asked = Contrasting(self._context, label, literals, row, point, tree)
            found = Contrasts(asked, Listing(lambda: tree.contrasts(point, literals)))
        else:
            oracle = self._engines.oracle(label, wanted)
            finder = Finder(oracle, self._engines.decide)
            asked = Contrasting(self._context, label, literals, row, point, finder)
            found = Contrasts(asked, self._contrast_boxes(label, wanted, literals, point, time_limit))
        for name in self.immutable:
            found = found.without(name)  # type: ignore[assignment]
        return found

    def _contrast_boxes(
        self, label: int, target: int | None, literals: Language, point: Point, time_limit: float | None
    ) -> Family:
        """All contrasts as one diagram if the model compiles, else listed by searching.

        Where the order of summation decides, a diagram does not tell between which classes; a search does.
        """
        clock = clock_of(time_limit, None)
        vague = self._engines.any_order and target is not None
        if self._engines.engine == "diagram" or (self._engines.engine == "auto" and not vague):
            try:
                return self._engines.on_diagram(label, clock, target).contrasts(literals, point)
            except TooLarge:
                if self._engines.engine == "diagram":
                    raise

        def listed() -> Iterator[Box]:
            oracle = self._engines.oracle(label, target)
            duality = Duality(oracle, literals, point, self._usual_plan[1], first=Kind.CONTRAST)
            items = duality.items(clock_of(time_limit, None))
            return (item.box for item in items if item.kind is Kind.CONTRAST)

        return Listing(listed)

    def _check_immutable(self) -> None:
        """Whether an immutable feature may stay where it is depends on more than cells if an order speaks of it."""
        orders = () if self.domain is None else self.domain.knowledge.orders
        for order in orders:
            held = [name for name in (order.lower, order.upper) if name in self.immutable]
            if held:
                raise InvalidInput(
                    f"contrasts do not take {held[0]} as immutable together with the constraint {order.text!r} yet"
                )

    @about_row
    def counterfactual(
        self,
        x: Any,
        target: object = None,
        *,
        norm: Norm = "l1",
        relative: bool | None = None,
        weights: Mapping[str, float] | None = None,
        immutable: Iterable[str] = (),
        increase: Iterable[str] = (),
        decrease: Iterable[str] = (),
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Counterfactual:
        """The nearest row that is decided otherwise, or as wanted, with the range around it that is safe.

        Parameters
        ----------
        x
            A row.
        target
            The decision that is wanted; by default any other.
        norm
            "l1": the least sum of moves. "linf": the least largest move. "l0": the fewest features.
        relative
            Whether moves are measured as shares of the training range (the default with training rows).
        weights
            Per feature how much its moves count; 1 by default.
        immutable, increase, decrease
            Features that cannot change (with the explainer's own `immutable`), can only go up, can only go down.
        time_limit, work_limit
            As for `explain`.
        """
        asked = self._counterfactuals(x, target, norm, relative, weights, immutable, increase, decrease)
        return asked.nearest(clock_of(time_limit, work_limit))

    @about_row
    def counterfactuals(
        self,
        x: Any,
        target: object = None,
        *,
        count: int = 3,
        norm: Norm = "l1",
        relative: bool | None = None,
        weights: Mapping[str, float] | None = None,
        immutable: Iterable[str] = (),
        increase: Iterable[str] = (),
        decrease: Iterable[str] = (),
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> list[Counterfactual]:
        """Several different ways to another decision, the nearest first.

        None of them changes all the features that an earlier one changes. Parameters as for `counterfactual`.
        """
        if not isinstance(count, int) or count < 1:
            raise InvalidInput(f"count is a positive number, not {count!r}")
        asked = self._counterfactuals(x, target, norm, relative, weights, immutable, increase, decrease)
        return list(islice(asked.diverse(clock_of(time_limit, work_limit)), count))

    @about_row
    def _counterfactuals(
        self,
        x: Any,
        target: object,
        norm: str,
        relative: bool | None,
        weights: Mapping[str, float] | None,
        immutable: Iterable[str],
        increase: Iterable[str],
        decrease: Iterable[str],
    ) -> Counterfactuals:
        self._check_decides()
        self._check_rows("counterfactuals")
        immutable, increase, decrease = (
            self._named(what, names)
            for what, names in (("immutable", immutable), ("increase", increase), ("decrease", decrease))
        )
        moves = Moves(
            check_norm(norm),
            self._context.rows is not None if relative is None else bool(relative),
            weights,
            immutable | frozenset(self.immutable),
            increase,
            decrease,
        )
        moves.check(self._context)
        row, point = self._context.read(x)
        assert row is not None
        wanted = None if target is None else self._context.label(target)
        engines = self._engines
        return Counterfactuals(self._context, engines.in_sequence(), engines, row, point, wanted, moves)

    @about_row
    def robustness(
        self,
        x: Any,
        norm: Norm = "linf",
        *,
        relative: bool = False,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> Robustness:
        """The largest radius within which the decision on a row provably stays, with the nearest row beyond it.

        Parameters
        ----------
        norm
            "linf": how far every number may move at once; categories and missing values stay. "l0": how many features
            may become anything.
        relative
            Whether moves are measured as shares of the training range; then another category is as far as the
            whole range.
        time_limit, work_limit
            As for `explain`. When they are over, `radius` is proved all the same, but perhaps not the largest.
        """
        if check_norm(norm) == "l1":
            raise InvalidInput('robustness takes norm="linf" or "l0"; counterfactual takes "l1" too')
        self._check_decides()
        self._check_rows("robustness")
        moves = Moves(
            norm, relative and norm != "l0", to_missing=norm == "l0", categories=relative or norm == "l0"
        )
        moves.check(self._context)
        row, point = self._context.read(x)
        assert row is not None
        asked = Counterfactuals(
            self._context, self._engines, self._engines, row, point, None, moves, with_box=False
        )
        return Robustness(asked.nearest(clock_of(time_limit, work_limit)))

    @about_row
    def adverse_action(
        self,
        x: Any,
        favourable: object,
        *,
        codes: Codes | None = None,
        protected: Iterable[str] = (),
        undisclosable: Iterable[str] = (),
        most: int = 4,
        time_limit: float | None = 10.0,
        work_limit: int | None = None,
    ) -> AdverseAction:
        """The principal reasons why a row is not decided favourably, the most important first, with a letter.

        Parameters
        ----------
        x
            The row.
        favourable
            The decision that would have been favourable.
        codes
            Per feature (or tuple of features) a text, a pair (code, text), or these by what is wrong with the value:
            "low", "high", "other" (category) or "missing".
        protected, undisclosable
            Features that keep the row's values and are never named; nor are those that are immutable.
        most
            How many reasons to give at most.
        time_limit, work_limit
            As for `explain`. When they are over, the reasons found hold, but their order is not proved.
        """
        clock = clock_of(time_limit, work_limit)
        left_out, unnamed = names_of("protected", protected), names_of("undisclosable", undisclosable)
        hidden = (*left_out, *unnamed)
        asked = self._counterfactuals(x, favourable, "l1", None, None, hidden, (), ())
        return adverse_action(asked, clock, codes=codes, protected=left_out, most=most)
