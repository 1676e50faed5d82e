"""From columns to variables: what the model distinguishes.

A numeric column becomes a variable whose values are the intervals between the cuts that the trees
test. A column that is known to hold only certain numbers (0 and 1, or the codes of categories) becomes
a variable with those values; the dummies of a one-hot group become one variable together. Then answers hold for
rows in which they do, and say so. "Missing" is a value where the model accepts NaN and `missing` allows it. A
column that no tree tests, or whose values no test distinguishes, has no variable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.domain.categories import sort_by_effect
from primewood.domain.declarations import BITS, TRUTHS, Listed, Number, declaration, one_hot_groups
from primewood.domain.feature import Feature, FeatureKind
from primewood.domain.knowledge import Knowledge, Statements, find_violation, read_constraints
from primewood.domain.mined import FOUND, MinedKnowledge
from primewood.ensemble import Categories, Ensemble, Tree
from primewood.ensemble.comparison import Operator, cuts_of
from primewood.ensemble.tree import is_within
from primewood.errors import InvalidInput, UnknownName, brief, format_list
from primewood.logic.instance import Point
from primewood.logic.lexicon import Vocabulary
from primewood.logic.masks import indices
from primewood.logic.syntax import Statement
from primewood.logic.variable import Side, Variable

OTHER = "other"
"""The name of all categories that a model does not know."""
MissingRule = Choice["auto", "allow", "forbid"]


@dataclass(frozen=True)
class Domain:
    """The features of a model, and the universe of variables that they make.

    Attributes
    ----------
    features : tuple of Feature
    column_names : tuple of str
        The columns of a row of the model.
    assumptions : tuple of str
        What the answers assume about rows, in words; without the constraints.
    knowledge : Knowledge
        The constraints that no row violates.
    """

    features: tuple[Feature, ...]
    column_names: tuple[str, ...]
    assumptions: tuple[str, ...]
    knowledge: Knowledge = field(default_factory=Knowledge)

    @cached_property
    def seen(self) -> tuple[Feature, ...]:
        """The features that the model looks at: those with a variable."""
        return tuple(f for f in self.features if f.variable is not None)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The universe: the variables of the features that the model looks at."""
        return tuple(f.variable for f in self.features if f.variable is not None)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """For each column, the place of its variable; −1 if it has none."""
        found = np.full(len(self.column_names), -1)
        for place, feature in enumerate(self.seen):
            found[list(feature.columns)] = place
        return found

    @cached_property
    def feature_of(self) -> dict[int, Feature]:
        """For each column, its feature."""
        return {column: feature for feature in self.features for column in feature.columns}

    def points(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cells of rows, one value index per variable; −1 where a value is not allowed.

        A row with a value that is not allowed in a feature without a variable is −1 throughout.
        Cost: one bisection per number.
        """
        bad = np.zeros(len(rows), dtype=bool)
        points = np.zeros((len(rows), len(self.variables)), dtype=np.int64)
        place = 0
        for feature in self.features:
            found = feature.values_of(rows)
            if feature.variable is None:
                bad |= found < 0
            else:
                points[:, place] = found
                place += 1
        points[bad] = -1
        return points

    def point(self, row: NDArray[np.float64]) -> Point:
        """The cell of one row; a value that is not allowed is an error. Cost: one bisection per column."""
        point = []
        numbers = row.tolist()
        for feature in self.features:
            index = feature.index_of(numbers)
            if index < 0:
                raise feature.refuse(row)
            if feature.variable is not None:
                point.append(index)
        self.check_knowledge(row, tuple(point))
        return tuple(point)

    def check_knowledge(self, row: NDArray[np.float64], point: Point) -> None:
        """Raise if the constraints exclude a row."""
        broken = next((rule.text for rule in self.knowledge.rules if not rule.allows(point)), None)
        found = find_violation(self.knowledge.orders, self.column_names, row[None, :])
        if found is not None:
            broken = found[1].text
        if broken is not None and self.knowledge.mined and broken in self.knowledge.mined.texts:
            raise InvalidInput(
                f"the row breaks the rule {brief(broken)!r}, which was {FOUND}; leave out knowledge= to ask about it"
            )
        if broken is not None:
            raise InvalidInput(f"the row violates the constraint {brief(broken)!r}: no real row should")

    def find_broken(self, row: NDArray[np.float64]) -> tuple[str, ...]:
        """The rules found in the training rows that a row breaks; none if it is in no cell."""
        if not self.knowledge.mined:
            return ()
        numbers = row.tolist()
        point = tuple(feature.index_of(numbers) for feature in self.seen)
        named = dict(zip(self.column_names, numbers, strict=True))
        return () if min(point, default=0) < 0 else self.knowledge.find_broken(point, named)

    def possible(self, rows: NDArray[np.float64], points: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows the constraints allow; `points` are their cells, which say already what features allow.

        Without variables there are no cells to say it, so it is asked here.
        """
        found = np.ones(len(rows), dtype=bool)
        for feature in () if self.variables else self.features:
            found &= feature.values_of(rows) >= 0
        for rule in self.knowledge.rules:
            for box in rule.forbidden:
                inside = np.ones(len(rows), dtype=bool)
                for j, mask in box.items():
                    held = np.zeros(len(self.variables[j]) + 1, dtype=bool)  # the last one for −1
                    held[indices(mask)] = True
                    inside &= held[points[:, j]]
                found &= ~inside
        for order in self.knowledge.orders:
            low, high = (rows[:, self.column_names.index(name)] for name in (order.lower, order.upper))
            found &= np.isnan(low) | np.isnan(high) | order.holds(low, high)
        if self.knowledge.changes is not None:
            found &= self.knowledge.changes.find_kept(self.features, rows)
        return found

    def row_in(self, point: Point) -> NDArray[np.float64]:
        """A row of the cell at a point: codes, or a number inside each interval."""
        row = np.zeros(len(self.column_names))
        for feature in self.features:
            if feature.variable is None:
                feature.write(row, 0)
        for feature, value in zip(self.seen, point, strict=True):
            feature.write(row, value)
        return row

    def prefixes(self, column: int, cuts: NDArray[np.float64], operator: Operator) -> NDArray[np.int64]:
        """How many values of a numeric column lie on the left of each cut; −1 if the column is not numeric."""
        feature = self.feature_of[column]
        variable = feature.variable
        if variable is None or variable.cuts is None:
            return np.full(len(cuts), -1)
        cuts = _put_in_form(cuts, operator, "<=" if variable.closed == "right" else "<")
        ends = whole_cuts(cuts, feature.whole, variable.closed)
        found = np.searchsorted(variable.cuts, ends, side="right")
        all_left = (ends == np.inf) | (
            ends >= feature.high if variable.closed == "right" else ends > feature.high
        )
        return np.where(all_left, variable.ordered, found).astype(np.int64)

    def within(self, column: int, cuts: NDArray[np.float64], operator: Operator) -> NDArray[np.bool_]:
        """Which values of a column's variable ("missing" aside) lie in a union of intervals; see `Tree.sets`.

        For a column without a variable: one answer for all its values.
        """
        feature = self.feature_of[column]
        return is_within(feature.numbers[:, feature.columns.index(column)], cuts, operator)

    def left_of(self, ensemble: Ensemble, tree: Tree, node: int) -> int | bool:
        """The values that a node's test sends left, as a bit mask; for a column without a variable, True or False."""
        column = int(tree.feature[node])
        variable = self.feature_of[column].variable
        cuts = cuts_of(tree.bounds_at(node), ensemble.operator, ensemble.dtype)
        inside = self.within(column, cuts, ensemble.operator)
        if variable is None:
            return bool(inside[0])
        mask = sum(1 << int(i) for i in np.flatnonzero(inside))
        if variable.missing is not None and tree.missing_left[node]:
            mask |= 1 << variable.missing
        return mask


@dataclass(frozen=True)
class DomainRecipe:
    """What the domain of a model is made from, so that it can be made again with more cuts.

    Attributes
    ----------
    rows : array or None
        Training rows as the model takes them; columns that hold only 0 and 1 are recognised as Boolean.
    declared : mapping or None
        Per feature name: "numeric", "whole", "boolean", a list of the numbers that may occur, a mapping
        from such numbers to names of categories, `Number` or `ordered`.
    groups : mapping, "auto" or None
        Per one-hot group the names of its columns, or "auto" to recognise them from names and rows.
    constraints : sequence of str or None
        What no row violates: clauses ("housing=free -> rent=0") and orders ("years_employed <= age - 14").
    missing : {"auto", "allow", "forbid"}
        "allow" and "forbid" apply to all columns. "auto" allows what the rows contain, and, without
        rows, whatever the model accepts.
    kinds : mapping
        Per feature name what its dtype says: "whole" or "boolean". What is declared goes before it.
    units : mapping or None
        Per feature name its unit, which may stand after numbers in constraints.
    mined : MinedKnowledge or None
        What was found in the rows. Its rules are constraints, too.
    """

    rows: NDArray[np.float64] | None = None
    declared: Mapping[str, Any] | None = None
    groups: Mapping[str, Sequence[str]] | str | None = None
    constraints: Sequence[str] | None = None
    missing: MissingRule = "auto"
    kinds: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] | None = None
    mined: MinedKnowledge | None = None

    @property
    def statements(self) -> Sequence[str] | None:
        """The constraints, with what was found in the rows."""
        return self.constraints if not self.mined else [*(self.constraints or ()), *self.mined.texts]

    def drop_rules(self, texts: Collection[str], features: Collection[str]) -> DomainRecipe:
        """The recipe without some of the rules found in the rows, and without those about some features."""
        if not self.mined:
            return self
        kept = (r for r in self.mined if r.text not in texts and not any(x in features for x in r.features))
        return replace(self, mined=self.mined.keep(kept))

    def check(self, ensemble: Ensemble) -> None:
        """Raise for what does not fit an ensemble."""
        if self.missing not in get_args(MissingRule):
            raise InvalidInput(f'missing must be "auto", "allow" or "forbid", not {self.missing!r}')
        if self.missing == "allow" and not ensemble.allows_missing:
            raise InvalidInput(f'missing="allow", but this {ensemble.source} does not accept missing values')
        declared = self.declared or {}
        if not isinstance(declared, Mapping):
            raise InvalidInput(f"domain must be a mapping from feature names, not {declared!r}")
        unknown = set(declared) - set(ensemble.feature_names)
        if unknown:
            raise UnknownName(
                f"domain= names {format_list(sorted(unknown))}; the features are {format_list(ensemble.feature_names)}"
            )


def domain_of(
    ensemble: Ensemble,
    recipe: DomainRecipe | None = None,
    *,
    conditions: Sequence[Statement] = (),
    beside: Ensemble | None = None,
    loosened: Mapping[str, Number] | None = None,
) -> Domain:
    """The domain of an ensemble.

    Parameters
    ----------
    recipe
        What it is made from; by default from the ensemble alone.
    conditions
        What will be asked about: features are cut where these compare them with numbers.
    beside
        A second ensemble over the same columns, whose tests cut the features as well.
    loosened
        Per feature name what is assumed instead of what its dtype or the rows say.
    """
    recipe = recipe or DomainRecipe()
    recipe.check(ensemble)
    return _Builder(ensemble, recipe, beside, loosened or {}).domain(conditions)


def suggest_groups(ensemble: Ensemble, recipe: DomainRecipe) -> dict[str, list[str]]:
    """The one-hot groups that "auto" recognises where none were declared."""
    names = ensemble.feature_names
    if recipe.groups is not None or recipe.rows is None or not one_hot_groups("auto", names, set(names)):
        return {}
    return _Builder(ensemble, recipe, None, {}).find_groups("auto")


class _Builder:
    def __init__(
        self,
        ensemble: Ensemble,
        recipe: DomainRecipe,
        beside: Ensemble | None,
        loosened: Mapping[str, Number],
    ) -> None:
        self.ensemble, self.recipe, self.loosened = ensemble, recipe, loosened
        self.rows, self.kinds, self.units = recipe.rows, recipe.kinds, recipe.units or {}
        self.declared = {name: declaration(name, what) for name, what in (recipe.declared or {}).items()}
        self.cuts = tested_cuts(ensemble)
        self.allows_missing, self.never_missing = ensemble.allows_missing, {*ensemble.never_missing}
        if beside is not None:
            self.join(beside)
        self.tested = [bool(len(cuts)) for cuts in self.cuts]
        self.compared: dict[str, list[tuple[str, float]]] = {}
        self.mentioned: frozenset[str] = frozenset()

    def domain(self, conditions: Sequence[Statement]) -> Domain:
        groups = self.recipe.groups
        names = self.ensemble.feature_names
        grouped = (
            [] if isinstance(groups, str) else [c for columns in (groups or {}).values() for c in columns]
        )
        if set(grouped) & set(self.declared):
            both = format_list(sorted(set(grouped) & set(self.declared)))
            raise InvalidInput(f"domain= and groups= both declare {both}; a group needs no domain")
        found = self.find_groups(groups)
        known = read_constraints(self.recipe.statements, self.vocabulary(found))
        asked = Statements(clauses=tuple(conditions))
        for name, operator, x in (*known.comparisons, *asked.comparisons):
            self.compared.setdefault(name, []).append((operator, x))
        mentioned = known.mentioned | asked.mentioned
        self.mentioned = mentioned | {name for name, columns in found.items() if mentioned & {*columns}}
        for name in self.mentioned & set(names):
            self.tested[names.index(name)] = True
        group_of = {names.index(column): name for name, columns in found.items() for column in columns}
        features: list[Feature] = []
        for column in range(len(names)):
            if column not in group_of:
                features.append(self.feature(column))
            elif column == names.index(found[group_of[column]][0]):
                features.append(self.group(group_of[column], found[group_of[column]]))
        knowledge = known.over(features, names, self.recipe.mined)
        domain = Domain(tuple(features), names, self.assumptions(features), knowledge)
        self.check_rows(domain)
        return domain

    def join(self, beside: Ensemble) -> None:
        """Cut as a second ensemble does, too, and allow what both allow."""
        for column, categories in {**self.ensemble.categories, **beside.categories}.items():
            if self.ensemble.categories.get(column) != beside.categories.get(column):
                name = self.ensemble.feature_names[column]
                raise InvalidInput(f"{name} has other categories in the second model: {categories.names}")
        theirs = (_put_in_form(cuts, beside.operator, self.ensemble.operator) for cuts in tested_cuts(beside))
        self.cuts = [np.union1d(a, b) for a, b in zip(self.cuts, theirs, strict=True)]
        self.allows_missing = self.allows_missing and beside.allows_missing
        self.never_missing |= {*beside.never_missing}

    def check_rows(self, domain: Domain) -> None:
        """Raise if a training row violates what no row violates."""
        if self.rows is None or not (domain.knowledge or domain.knowledge.orders):
            return
        points = domain.points(self.rows)
        broken = (points >= 0).all(axis=1) & ~domain.possible(self.rows, points)
        for i in np.flatnonzero(broken).tolist():
            try:
                domain.check_knowledge(self.rows[i], tuple(points[i].tolist()))
            except InvalidInput as problem:
                raise InvalidInput(f"X_train, row {i}: {problem}") from None

    def is_boolean(self, column: int) -> bool:
        """Whether the rows hold only 0 and 1 and all tests lie between."""
        if self.rows is None:
            return False
        seen = self.rows[:, column]
        present = set(np.unique(seen[~np.isnan(seen)]).tolist())
        finite = self.cuts[column][np.isfinite(self.cuts[column])]
        closed = self.ensemble.operator == "<="
        between = (finite >= 0) & (finite < 1) if closed else (finite > 0) & (finite <= 1)
        return present == {0.0, 1.0} and bool(between.all())

    def find_groups(self, groups: Mapping[str, Sequence[str]] | str | None) -> dict[str, list[str]]:
        """The one-hot groups that are declared, or for "auto" those that names and rows show."""
        names = self.ensemble.feature_names
        dummies = {name for column, name in enumerate(names) if groups == "auto" and self.is_boolean(column)}
        return self.plausible(one_hot_groups(groups, names, dummies), declared=groups != "auto")

    def plausible(self, groups: dict[str, list[str]], *, declared: bool) -> dict[str, list[str]]:
        """The groups with exactly one 1 in every row; if they are declared, any other row is an error."""
        names = self.ensemble.feature_names
        kept = {}
        for name, columns in groups.items():
            places = [names.index(column) for column in columns]
            held = np.ones((1, 1)) if self.rows is None else self.rows[:, places]
            one = np.isin(held, [0.0, 1.0]).all() and bool((held.sum(axis=1) == 1).all())
            if not one and declared:
                wrong = np.flatnonzero(~(np.isin(held, [0.0, 1.0]).all(axis=1) & (held.sum(axis=1) == 1)))[0]
                raise InvalidInput(
                    f"groups: row {wrong} does not have exactly one of the columns of {name} "
                    f"({format_list(columns)}) at 1"
                )
            if one:
                kept[name] = columns
        return kept

    def vocabulary(self, groups: Mapping[str, Sequence[str]]) -> Vocabulary:
        """The names of columns and groups that constraints may use, with their values."""
        columns = range(len(self.ensemble.feature_names))
        values = {self.ensemble.feature_names[column]: self.labels(column) for column in columns}
        values |= {name: tuple(_labels(columns)) for name, columns in groups.items()}
        units = {name: unit for name, unit in self.units.items() if isinstance(unit, str)}  # not checked yet
        return Vocabulary(values, units, orders=True)

    def labels(self, column: int) -> tuple[str, ...]:
        """The names of the values of a column that has categories."""
        declared = self.declared.get(self.ensemble.feature_names[column])
        native = self.ensemble.categories.get(column)
        if isinstance(declared, Listed):
            return tuple(map(str, declared.names.values()))
        if declared is None and native is not None:
            return tuple(map(str, self.native_names(native, self.may_miss(column)).values()))
        return ()

    def native_names(self, native: Categories, may_miss: bool) -> dict[float, object]:
        """The names of the categories that the model itself knows, and of all others."""
        names = _told_apart(dict(native.names), may_miss)
        if native.others is not None:
            names[native.others] = _free_name(names.values())
        return names

    def group(self, name: str, columns: list[str]) -> Feature:
        places = tuple(self.ensemble.feature_names.index(column) for column in columns)
        labels = _labels(columns)
        units = np.eye(len(columns))
        patterns: dict[tuple[float, ...], object] = dict(zip(map(tuple, units.tolist()), labels, strict=True))
        tested = name in self.mentioned or any(
            self.tells_apart(place, units[:, i]) for i, place in enumerate(places)
        )
        variable = Variable.categorical(name, labels) if tested else None
        return Feature(name, "categorical", places, False, variable, patterns)

    def feature(self, column: int) -> Feature:
        name = self.ensemble.feature_names[column]
        declared = self.declared.get(name)
        native = self.ensemble.categories.get(column)
        may_miss = self.may_miss(column)
        if declared is None and native is None:
            declared = self.infer_declaration(column)
        if isinstance(declared, Listed):
            boolean = declared.names == {0.0: 0, 1.0: 1} and not declared.ordered
            kind: FeatureKind = "boolean" if boolean else "categorical"
            return self.categorical(column, declared.names, kind, may_miss, ordered=declared.ordered)
        if declared is None and native is not None:
            names = self.native_names(native, may_miss)
            return self.categorical(column, names, "categorical", may_miss, others=native.others)
        return self.numeric(column, declared or Number(), may_miss)

    def infer_declaration(self, column: int) -> Number | Listed | None:
        """What the dtype and the rows say about a column that nobody declares."""
        name = self.ensemble.feature_names[column]
        if name in self.loosened:
            return self.loosened[name]
        if self.kinds.get(name) == "boolean":
            return TRUTHS
        if self.is_boolean(column):
            return BITS
        return Number(whole=True) if self.kinds.get(name) == "whole" else None

    def categorical(
        self,
        column: int,
        names: Mapping[float, object],
        kind: FeatureKind,
        may_miss: bool,
        *,
        ordered: bool = False,
        others: float | None = None,
    ) -> Feature:
        name = self.ensemble.feature_names[column]
        if not ordered:
            names = {code: names[code] for code in sort_by_effect(self.ensemble, column, list(names))}
        patterns: dict[tuple[float, ...], object] = {(code,): label for code, label in names.items()}
        variable = None
        splits = name in self.mentioned or self.tells_apart(column, np.array(list(names)))
        if splits and not may_miss and len(names) < 2:
            raise InvalidInput(
                f"the model tests no category of {name} and keeps none of their names; leave {name} out of rules and "
                "constraints: it changes no decision"
            )
        if self.tested[column] and (may_miss or splits):
            variable = Variable.categorical(name, names.values(), missing=may_miss, ordered=ordered)
        other = None if others is None else list(names).index(others)
        return Feature(name, kind, (column,), may_miss, variable, patterns, other)

    def numeric(self, column: int, declared: Number, may_miss: bool) -> Feature:
        name = self.ensemble.feature_names[column]
        closed: Side = "right" if self.ensemble.operator == "<=" else "left"
        tested = np.append(self.cuts[column], self.cuts_in_constraints(name, closed))
        cuts = whole_cuts(tested[np.isfinite(tested)], declared.whole, closed)
        inside = (cuts >= declared.low) & (cuts < declared.high)
        if closed == "left":
            inside = (cuts > declared.low) & (cuts <= declared.high)
        kept = np.unique(cuts[inside])
        if (
            not len(kept) and name in self.compared
        ):  # constraints mention it: two cells, though no test distinguishes them
            kept = whole_cuts(np.array([_some_cut(declared, closed)]), declared.whole, closed)
        variable = None
        if self.tested[column] and (len(kept) or may_miss):
            variable = Variable.numeric(name, kept.tolist(), closed, missing=may_miss)
        return Feature(
            name,
            "numeric",
            (column,),
            may_miss,
            variable,
            low=declared.low,
            high=declared.high,
            whole=declared.whole,
        )

    def cuts_in_constraints(self, name: str, closed: Side) -> list[float]:
        """The cuts at which constraints compare a feature with numbers."""
        own_cut = Variable.numeric(name, [0.0], closed).own_cut
        equal = {"=": ("<", "<="), "!=": ("<", "<=")}
        return [
            own_cut(o, x)
            for operator, x in self.compared.get(name, ())
            for o in equal.get(operator, (operator,))
        ]

    def tells_apart(self, column: int, numbers: NDArray[np.float64]) -> bool:
        """Whether some test of a column sends some of the numbers one way and others the other way."""
        side = "left" if self.ensemble.operator == "<=" else "right"
        cells = np.searchsorted(self.cuts[column], numbers, side=side)  # type: ignore[call-overload]
        return len(np.unique(cells)) > 1

    def may_miss(self, column: int) -> bool:
        if not self.allows_missing or column in self.never_missing or self.recipe.missing == "forbid":
            return False
        seen = None if self.rows is None else self.rows[:, column]
        return self.recipe.missing == "allow" or seen is None or bool(np.isnan(seen).any())

    def assumptions(self, features: Sequence[Feature]) -> tuple[str, ...]:
        looked_at = [f for f in features if any(self.tested[column] for column in f.columns)]
        native = [
            f for f in looked_at if f.columns[0] in self.ensemble.categories and f.name not in self.declared
        ]
        found = merge_assumptions([f for f in looked_at if f not in native])
        if any(f.others is None for f in native):
            found.append("categories are those that the model knows")
        if self.allows_missing:
            never = [f.name for f in looked_at if not f.missing]
            if never and len(never) == len(looked_at):
                found.append("no value is missing")
            elif never:
                found.append(f"{format_list(never)} {'is' if len(never) == 1 else 'are'} never missing")
        return tuple(found)


def merge_assumptions(features: Iterable[Feature]) -> list[str]:
    """What is assumed about features, each kind once: "age, kids are whole numbers"."""
    said: dict[tuple[str, str], list[str]] = {}
    for feature in features:
        words = feature.assumption()
        if words is not None:
            said.setdefault(words, []).append(feature.name)
    return [
        f"{format_list(names)} {alone if len(names) == 1 else together}"
        for (alone, together), names in said.items()
    ]


def tested_cuts(ensemble: Ensemble) -> list[NDArray[np.float64]]:
    """Per column, the cuts that it is tested at, in ascending order; infinite ones where it is tested for NaN only."""
    columns: list[list[NDArray[np.float64]]] = [[] for _ in ensemble.feature_names]
    tests = ensemble.threshold_tests
    for column, here in tests.columns:
        columns[column].append(tests.cut[here])
    for tree in ensemble.trees:
        for node in np.flatnonzero(tree.tests_sets).tolist():
            bounds = cuts_of(tree.bounds_at(node), ensemble.operator, ensemble.dtype)
            columns[int(tree.feature[node])].append(bounds)
    return [np.unique(np.concatenate(cuts)) if cuts else np.empty(0) for cuts in columns]


def _put_in_form(cuts: NDArray[np.float64], operator: Operator, own: Operator) -> NDArray[np.float64]:
    """The cuts at which tests of another form separate the same floats: ``x < t`` is ``x <= `` the float below t."""
    if operator == own:
        return cuts
    moved = np.nextafter(cuts, -np.inf if own == "<=" else np.inf)
    return np.where(np.isfinite(cuts), moved, cuts)


def whole_cuts(cuts: NDArray[np.float64], whole: bool, closed: Side | None) -> NDArray[np.float64]:
    """The cuts that separate the same whole numbers and are whole themselves."""
    if not whole:
        return cuts
    return np.floor(cuts) if closed == "right" else np.ceil(cuts)


def _some_cut(number: Number, closed: Side) -> float:
    """A cut with numbers on either side of it."""
    low, high = float(number.low), float(number.high)
    if np.isfinite(low):
        above = low + 1 if number.whole else float(np.nextafter(low, np.inf))
        return low if closed == "right" else above
    below = high - 1 if number.whole else float(np.nextafter(high, -np.inf))
    return high if closed == "left" else below


def _told_apart(names: dict[float, object], may_miss: bool) -> dict[float, object]:
    """Names of categories; one that is called like what is missing is put in quotes."""
    return {
        code: f"'{name}'" if may_miss and str(name) == "missing" else name for code, name in names.items()
    }


def _free_name(taken: Iterable[object]) -> str:
    """A name for all other categories that none has."""
    words = {str(name) for name in taken}
    numbered = (f"{OTHER} {i}" for i in range(len(words) + 1))
    return next(word for word in (OTHER, f"any {OTHER}", *numbered) if word not in words)


def _labels(columns: Sequence[str]) -> list[str]:
    """What the columns of a group stand for: their names without what they have in common."""
    stem = len(_common(columns))
    return [column[stem:] or column for column in columns]


def _common(columns: Sequence[str]) -> str:
    """What the names of columns have in common at the start, up to a mark that ends a word."""
    shortest = min(columns, key=len)
    size = next((i for i, c in enumerate(shortest) if any(name[i] != c for name in columns)), len(shortest))
    common = shortest[:size]
    return common[: max(common.rfind("_"), common.rfind("="), common.rfind(" ")) + 1]
