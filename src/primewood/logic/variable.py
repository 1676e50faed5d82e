"""Multi-valued variables (the paper's section 3.1).

A variable has a name and at least two values. The values of a *numeric* variable are the
intervals between its cuts, in order, and perhaps "missing"; categories have no order unless they are
declared *ordered*.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload
from typing import Literal as Choice

from primewood.errors import InvalidInput, UnknownName, format_list, quote_value, suggest
from primewood.fields import flag, one_of, real, several, takes, text
from primewood.logic.interval import MISSING, Interval, number
from primewood.visible import visible

if TYPE_CHECKING:
    from primewood.logic.expression import Expression, Literal

Side = Choice["left", "right"]


class Variable:
    """A variable with a finite number of named values.

    Compared with a value it gives a literal; compared with another variable it says whether
    the two are the same, so that variables can be keys of a dictionary.

    Examples
    --------
    >>> from primewood import Variable
    >>> B = Variable("B", ["r", "b", "g"])
    >>> print(B == "r", ";", B != "r", ";", B.isin(["r", "b"]))
    B=r ; B!=r ; B!=g
    """

    __slots__ = ("_count", "_hash", "_places", "_values", "closed", "cuts", "name", "ordered")

    name: str
    cuts: tuple[float, ...] | None
    closed: Side | None
    ordered: int
    """How many of the first values are in an order: the intervals, ordered categories, else none."""
    _count: int
    _hash: int
    _places: dict[Hashable, int] | None
    """The index of each value; None until it is asked for."""
    _values: tuple[Hashable, ...] | None
    """The values; None for intervals until they are asked for: forests have hundreds of thousands of them."""

    def __init__(self, name: str, values: Iterable[Hashable]) -> None:
        self._set_values(name, several(values, "values"), 0)

    def _set_values(self, name: str, values: tuple[Hashable, ...], ordered: int) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"a variable needs a non-empty name of type str, not {quote_value(name)}")
        text(name, "a variable's name")
        if len(values) < 2:
            raise InvalidInput(f"variable {name} needs at least two values, got {list(values)!r}")
        texts: dict[str, Hashable] = {}
        for value in values:
            if str(value) in texts:
                raise InvalidInput(
                    f"values of variable {name} must differ in writing: "
                    f"{texts[str(value)]!r} and {value!r} are both written {value}"
                )
            texts[text(str(value), f"each value of {name}")] = value
        if len(set(values)) < len(values):
            raise InvalidInput(
                f"values of variable {name} must differ, not only in writing: {list(values)!r}"
            )
        self._set(name=name, cuts=None, closed=None, ordered=ordered, _count=len(values), _values=values)

    def _set_intervals(self, name: str, cuts: tuple[float, ...], closed: Side, missing: bool) -> None:
        if not name:
            raise InvalidInput("a variable needs a non-empty name of type str, not ''")
        if not cuts and not missing:
            whole = [Interval(-math.inf, math.inf, closed)]
            raise InvalidInput(f"variable {name} needs at least two values, got {whole!r}")
        cells = len(cuts) + 1
        self._set(name=name, cuts=cuts, closed=closed, ordered=cells, _count=cells + missing, _values=None)

    def _set(self, **slots: object) -> None:
        for slot, thing in slots.items():
            object.__setattr__(self, slot, thing)
        object.__setattr__(self, "_places", None)
        object.__setattr__(self, "_hash", hash((self.name, self._count)))

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The values, in order."""
        values = self._values
        if values is None:
            values = tuple(map(self.value_at, range(self._count)))
            object.__setattr__(self, "_values", values)
        return values

    def value_at(self, place: int) -> Hashable:
        """One of the values. Cost: one step, where making all of them takes one per value."""
        if self._values is not None:
            return self._values[place]
        if place == self.ordered:
            return MISSING
        cuts = self.cuts or ()
        low = cuts[place - 1] if place else -math.inf
        high = cuts[place] if place < len(cuts) else math.inf
        return Interval(low, high, self.closed or "left")

    @property
    def _position(self) -> dict[Hashable, int]:
        """The index of each value."""
        places = self._places
        if places is None:
            places = {value: i for i, value in enumerate(self.values)}
            object.__setattr__(self, "_places", places)
        return places

    @classmethod
    def boolean(cls, name: str) -> Variable:
        """A variable with the values False and True; in text its literals are `x` and `!x`.

        >>> print(~Variable.boolean("x").literal([True]))
        !x
        """
        return cls(name, (False, True))

    @classmethod
    @takes(missing=flag, ordered=flag)
    def categorical(
        cls, name: str, categories: Iterable[Hashable], *, missing: bool = False, ordered: bool = False
    ) -> Variable:
        """A variable whose values are categories, and "missing" if that is allowed.

        Of `ordered` categories, a literal of the language `intervals` is a run.
        """
        values = several(categories, "categories")
        variable = cls.__new__(cls)
        count = len(values) if ordered else 0
        variable._set_values(name, (*values, MISSING) if missing else values, count)
        return variable

    @classmethod
    @takes(name=text, closed=one_of(("left", "right")), missing=flag)
    def numeric(
        cls, name: str, cuts: Sequence[float], closed: Side = "left", *, missing: bool = False
    ) -> Variable:
        """A variable whose values are the intervals between `cuts`.

        `closed="left"` is for tests `x < cut` and makes intervals [a, b); `closed="right"` is
        for tests `x <= cut` and makes intervals (a, b].

        >>> [str(v) for v in Variable.numeric("X", cuts=[2, 6], closed="left").values]
        ['(-inf, 2)', '[2, 6)', '[6, inf)']
        """
        ends = several(cuts, "cuts")
        if not all(type(cut) is float for cut in ends):
            ends = tuple(real(cut, f"cuts of variable {name}") for cut in ends)
        if any(not math.isfinite(cut) for cut in ends) or any(a >= b for a, b in itertools.pairwise(ends)):
            raise InvalidInput(f"cuts of variable {name} must be finite and increasing: {cuts!r}")
        variable = cls.__new__(cls)
        variable._set_intervals(name, ends, closed, missing)
        return variable

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Variable is immutable: cannot set {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        if self.cuts is not None:
            return (_restore_intervals, (self.name, self.cuts, self.closed, self.missing is not None))
        return (_restore_values, (self.name, self.values, self.ordered))

    def __len__(self) -> int:
        return self._count

    def __hash__(self) -> int:
        return self._hash

    @property
    def is_boolean(self) -> bool:
        """Whether the values are False and True."""
        return self.cuts is None and len(self) == 2 and self.values[0] is False and self.values[1] is True

    @property
    def is_numeric(self) -> bool:
        """Whether the values are intervals."""
        return self.cuts is not None

    @property
    def missing(self) -> int | None:
        """The index of the value "missing", or None if there is no such value."""
        if self.cuts is not None:
            return self.ordered if self._count > self.ordered else None
        return self._position.get(MISSING)

    @property
    def everything(self) -> int:
        """The bit mask of all values."""
        return (1 << self._count) - 1

    def index(self, value: object) -> int:
        """The index of a value, counted from 0.

        A numeric variable also takes a number and finds its interval; NaN and None are
        "missing" where that is a value. Cost: one look-up, or one bisection.

        >>> Variable.numeric("X", cuts=[2, 6]).index(3), Variable("A", ["r", "b"]).index("b")
        (1, 1)
        """
        if type(value) is float and self.cuts is not None and value == value:
            find = bisect.bisect_right if self.closed == "left" else bisect.bisect_left
            return find(self.cuts, value)
        try:
            if isinstance(value, Hashable) and value in self._position:
                return self._position[value]
            x = math.nan if value is None else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise self._unknown(value) from None
        if math.isnan(x) and self.missing is not None:
            return self.missing
        if self.cuts is None or math.isnan(x):
            raise self._unknown(value)
        find = bisect.bisect_right if self.closed == "left" else bisect.bisect_left
        return find(self.cuts, x)

    @takes(text=text)
    def index_of_text(self, text: str) -> int:
        """The index of the value that is written so; see `index` for numbers."""
        for i, value in enumerate(self.values):
            if str(value) == text:
                return i
        try:
            return self.index(float(text))
        except ValueError:
            raise self._unknown(text) from None

    def _unknown(self, value: object) -> UnknownName:
        if self.is_numeric:
            missing = ", or missing" if self.missing is not None else "; missing is not allowed"
            return UnknownName(f"variable {self.name} takes a number{missing}; got {quote_value(value)}")
        return UnknownName(
            f"variable {self.name} has no value {quote_value(value)}{suggest([value], self.values)}; its values are "
            f"{format_list(self.values)}"
        )

    def literal(self, values: Iterable[object]) -> Expression:
        """The expression "this variable has one of these values".

        It is a `Literal` unless it is trivial: all values give `true`, none gives `false`.
        """
        mask = 0
        for value in several(values, "values"):
            mask |= 1 << self.index(value)
        return self.of_mask(mask)

    def of_mask(self, mask: int) -> Expression:
        """The expression "this variable's value is in `mask`", bit i standing for value i."""
        from primewood.logic.expression import FALSE, TRUE, Literal

        if mask == 0:
            return FALSE
        return TRUE if mask == self.everything else Literal(self, mask)

    def isin(self, values: Iterable[object]) -> Expression:
        """The same as `literal`, as a verb that reads well: ``A.isin([1, 2])``."""
        return self.literal(values)

    @overload  # type: ignore[override]
    def __eq__(self, other: Variable) -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def __eq__(self, other: object) -> Literal: ...
    def __eq__(self, other: object) -> bool | Expression:
        if isinstance(other, Variable):
            return self is other or (
                self.name == other.name
                and len(self) == len(other)
                and self.ordered == other.ordered
                and self._has_values_of(other)
            )
        return self.of_mask(1 << self._find_value(other))

    def _has_values_of(self, other: Variable) -> bool:
        """Whether another variable with as many values has the same ones."""
        if self.cuts is not None and other.cuts is not None:
            return self.cuts == other.cuts and self.closed == other.closed
        return self.values == other.values and self.is_boolean == other.is_boolean

    @overload  # type: ignore[override]
    def __ne__(self, other: Variable) -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def __ne__(self, other: object) -> Literal: ...
    def __ne__(self, other: object) -> bool | Expression:
        if isinstance(other, Variable):
            return not self == other
        return self.of_mask(self.everything & ~(1 << self._find_value(other)))

    def _find_value(self, value: object) -> int:
        """The index of a value that is given itself, not by a number inside it."""
        if self.is_numeric and not isinstance(value, Interval) and value is not MISSING:
            raise InvalidInput(
                f"{self.name} is numeric: compare it at its cuts with "
                f"{'< and >=' if self.closed == 'left' else '<= and >'}, or take the literal of the "
                f"interval around a number with {self.name}.literal([{quote_value(value)}])"
            )
        return self.index(value)

    def __lt__(self, cut: float) -> Expression:
        return self.comparison("<", cut)

    def __le__(self, cut: float) -> Expression:
        return self.comparison("<=", cut)

    def __gt__(self, cut: float) -> Expression:
        return self.comparison(">", cut)

    def __ge__(self, cut: float) -> Expression:
        return self.comparison(">=", cut)

    def own_cut(self, operator: str, cut: float) -> float:
        """The cut at which the variable's own tests separate floats as ``variable operator cut`` does.

        >>> Variable.numeric("X", cuts=[2, 6], closed="left").own_cut("<=", 6.0)
        6.000000000000001
        """
        if self.closed == "left":
            return cut if operator in ("<", ">=") else math.nextafter(cut, math.inf)
        return cut if operator in ("<=", ">") else math.nextafter(cut, -math.inf)

    def on_whole_numbers(self, operator: str, x: float) -> tuple[str, float]:
        """The comparison with a whole number, in the variable's own form, that says the same about whole numbers."""
        up_to = math.ceil(x) - 1 if operator in ("<", ">=") else math.floor(x)
        if self.closed == "right":
            return ("<=" if operator in ("<", "<=") else ">"), float(up_to)
        return ("<" if operator in ("<", "<=") else ">="), float(up_to + 1)

    @takes(operator=one_of(("<", "<=", ">", ">=")))
    def comparison(self, operator: str, cut: float) -> Expression:
        """The literal ``variable operator cut``, where the cut and the operator fit the intervals.

        >>> X = Variable.numeric("X", cuts=[2, 6], closed="left")
        >>> print(X >= 2)
        X >= 2
        """
        if self.cuts is None:
            raise InvalidInput(f"variable {self.name} is not numeric: it takes = and !=, not {operator}")
        cut, below = real(cut, f"what {self.name} is compared with"), (1 << self.ordered) - 1
        if not math.isinf(cut):
            fitting = ("<", ">=") if self.closed == "left" else ("<=", ">")
            own = self.own_cut(operator, cut)
            if own not in self.cuts:
                tests = format_list(f"{self.name} {fitting[0]} {number(c)}" for c in self.cuts)
                raise UnknownName(
                    f"{self.name} {operator} {number(cut)} does not fall between the intervals of "
                    f"{self.name}; they are cut by {tests}"
                )
            below = (1 << (self.cuts.index(own) + 1)) - 1
        elif cut < 0:
            below = 0
        above = ((1 << self.ordered) - 1) & ~below
        return self.of_mask(below if operator in ("<", "<=") else above)

    def __repr__(self) -> str:
        if self.cuts is None and self.ordered:
            missing = ", missing=True" if self.missing is not None else ""
            categories = list(self.values[: self.ordered])
            return f"Variable.categorical({self.name!r}, {categories!r}{missing}, ordered=True)"
        if self.cuts is None:
            return f"Variable({self.name!r}, {list(self.values)!r})"
        missing = ", missing=True" if self.missing is not None else ""
        cuts = ", ".join(map(number, self.cuts))
        return f"Variable.numeric({self.name!r}, cuts=[{cuts}], closed={self.closed!r}{missing})"

    def __str__(self) -> str:
        return visible(self.name)


def _restore_values(name: str, values: tuple[Hashable, ...], ordered: int) -> Variable:
    variable = Variable.__new__(Variable)
    variable._set_values(name, values, ordered)
    return variable


def _restore_intervals(name: str, cuts: tuple[float, ...], closed: Side, missing: bool) -> Variable:
    return Variable.numeric(name, cuts, closed, missing=missing)


def unique_variables(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """The variables in order, each once; two different ones of one name are an error."""
    by_name: dict[str, Variable] = {}
    for variable in several(variables, "variables"):
        if not isinstance(variable, Variable):
            raise InvalidInput(f"expected a Variable, got {quote_value(variable)}")
        known = by_name.setdefault(variable.name, variable)
        if known is not variable and known != variable:
            raise InvalidInput(
                f"two different variables are called {variable.name}: {known!r} and {variable!r}"
            )
    return tuple(by_name.values())
