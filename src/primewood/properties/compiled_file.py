"""Compiled models in files: a zip archive of arrays (numpy's npz, without pickles) and one JSON document.

The document says what the arrays mean: a version, the features with their cuts or codes, the decisions, the order.
Numbers in it round-trip exactly. Training rows are not kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, Feature
from primewood.domain.feature import FeatureKind
from primewood.domain.knowledge import Constraint, Knowledge, Order
from primewood.engines.diagram.diagram import Diagram
from primewood.ensemble import Categories
from primewood.ensemble.comparison import InputType
from primewood.ensemble.ensemble import Form
from primewood.ensemble.file import categories_read, categories_written
from primewood.errors import InvalidInput
from primewood.fields import (
    FieldCheck,
    Fields,
    JsonObject,
    flag,
    items,
    made,
    mapping,
    number,
    one_of,
    optional,
    scalar,
    text,
    whole,
)
from primewood.files import Arrays, check_header, report_damage, write_archive
from primewood.logic.interval import MISSING
from primewood.logic.language import Language, check_language
from primewood.logic.variable import Side, Variable
from primewood.model.context import Context, TreeContext
from primewood.render.records import Scalar
from primewood.tables.rows import Layout

if TYPE_CHECKING:
    from primewood.properties.compiled import Compiled

FORMAT = "primewood compiled model"
VERSION = 2


class NumericVariableRecord(TypedDict):
    """A variable by its cuts."""

    name: str
    cuts: list[float]
    closed: Side | None
    missing: bool


class CategoricalVariableRecord(TypedDict):
    """A variable by its values."""

    name: str
    values: list[Scalar]
    missing: bool
    ordered: bool


class FeatureDocument(TypedDict):
    """A feature of the model, and what its columns may hold."""

    name: str
    kind: FeatureKind
    columns: list[int]
    patterns: list[tuple[list[float], Scalar]] | None
    others: int | None
    bounds: list[float | None]
    whole: bool
    missing: bool
    tested: bool


class KnowledgeDocument(TypedDict):
    """What no row violates: forbidden boxes, and orders between features."""

    rules: list[tuple[str, list[list[tuple[int, int]]], bool]]
    orders: list[tuple[str, str, str, tuple[float, ...], bool]]


class CompiledDocument(TypedDict):
    """What a file says beside its arrays."""

    format: str
    version: int
    classes: list[Scalar]
    variables: list[NumericVariableRecord | CategoricalVariableRecord]
    features: list[FeatureDocument] | None
    columns: list[str]
    assumptions: list[str] | None
    vote: str | None
    model: str | None
    literals: Language
    units: dict[str, str]
    dtype: InputType
    form: Form
    largest_integer: float
    categories: list[Any]
    order: list[int]
    root: int
    impossible: int | None
    constraints: KnowledgeDocument | None


def save(compiled: Compiled, path: Path) -> None:
    """Write a compiled model; the file is there whole or not at all."""
    arrays: Arrays = {f"level_{j}": level for j, level in enumerate(compiled.diagram.levels)}
    write_archive(path, json.dumps(_document(compiled), ensure_ascii=False), arrays)


def _document(compiled: Compiled) -> CompiledDocument:
    context, diagram = compiled._context, compiled.diagram
    domain = context.domain if isinstance(context, TreeContext) else None
    layout = context.layout if isinstance(context, TreeContext) else Layout()
    return {
        "format": FORMAT,
        "version": VERSION,
        "classes": [_class_name(name) for name in context.class_names],
        "variables": [variable_record(x) for x in context.variables],
        "features": None if domain is None else [_feature_record(f) for f in domain.features],
        "columns": list(context.column_names),
        "assumptions": None if domain is None else list(domain.assumptions),
        "vote": context.vote,
        "model": context.digest,
        "literals": context.literals,
        "units": dict(context.units),
        "dtype": layout.dtype,
        "form": layout.form,
        "largest_integer": layout.largest_integer,
        "categories": categories_written(layout.categories),
        "order": list(diagram.order),
        "root": diagram.root,
        "impossible": diagram.impossible,
        "constraints": None if domain is None else _knowledge_record(domain.knowledge),
    }


def _class_name(name: object) -> Scalar:
    """Strings, numbers and truth values are kept as they are, anything else as it is written."""
    return name if isinstance(name, str | bool | int | float) else str(name)


def variable_record(x: Variable) -> NumericVariableRecord | CategoricalVariableRecord:
    """A variable in plain types: its cuts, or its values."""
    missing = x.missing is not None
    if x.is_numeric:
        return {"name": x.name, "cuts": list(x.cuts or ()), "closed": x.closed, "missing": missing}
    values = [_value(v) for v in x.values if v is not MISSING]
    return {"name": x.name, "values": values, "missing": missing, "ordered": x.ordered > 0}


def _value(value: object) -> Scalar:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | bool | int | float):
        raise InvalidInput(f"a file keeps values that are text, numbers or truth values, not {value!r}")
    return value


def _feature_record(f: Feature) -> FeatureDocument:
    patterns = [(list(pattern), _value(label)) for pattern, label in (f.patterns or {}).items()]
    return {
        "name": f.name,
        "kind": f.kind,
        "columns": list(f.columns),
        "patterns": None if f.patterns is None else patterns,
        "others": f.others,
        "bounds": [None if np.isinf(x) else x for x in (f.low, f.high)],
        "whole": f.whole,
        "missing": f.missing,
        "tested": f.variable is not None,
    }


def _knowledge_record(knowledge: Knowledge) -> KnowledgeDocument:
    return {
        "rules": [
            (rule.text, [list(box.items()) for box in rule.forbidden], rule.is_staircase)
            for rule in knowledge.rules
        ],
        "orders": [(o.text, o.lower, o.upper, o.constants, o.strict) for o in knowledge.orders],
    }


def load_compiled(document: JsonObject, arrays: Arrays, path: Path) -> Compiled:
    """The compiled model of a file that `save` wrote, which consists of a document and arrays."""
    from primewood.properties.compiled import Compiled

    check_header(document, path, "compiled model", VERSION)
    with report_damage(path, "save the compiled model again"):
        fields = Fields(document)
        context = _context(fields)
        diagram = _diagram(fields, arrays, context)
        diagram.check()
    return Compiled(diagram, context)


def _diagram(fields: Fields, arrays: Arrays, context: Context) -> Diagram:
    places, classes = len(context.variables), len(context.class_names)
    impossible = fields.read("impossible", optional(whole(classes, classes)))
    return Diagram(
        context.variables,
        fields.read("order", items(whole(0, places - 1), places)),
        tuple(_level(arrays, j) for j in range(places)),
        fields.read("root", whole()),
        classes + (impossible is not None),
        impossible,
    )


def _level(arrays: Arrays, j: int) -> NDArray[np.int32]:
    level = arrays.get(f"level_{j}")
    if level is None or level.dtype != np.int32 or level.ndim != 2:
        raise InvalidInput(f"level_{j} must be a table of 32-bit integers")
    return np.ascontiguousarray(level)


def _context(fields: Fields) -> Context:
    variables = fields.read("variables", items(read_variable))
    columns = fields.read("columns", items(text))
    domain, layout = _domain(fields, variables, columns), _layout(fields, columns)
    context = Context(
        variables,
        fields.read("classes", items(scalar)),
        vote=fields.read("vote", optional(text)),
        units=fields.read("units", mapping(text)),
        digest=fields.read("model", optional(text)),
        literals=check_language(fields.read("literals", text)),
    )
    return context if domain is None else TreeContext(**vars(context), domain=domain, layout=layout)


def _domain(fields: Fields, variables: tuple[Variable, ...], columns: tuple[str, ...]) -> Domain | None:
    features = fields.read("features", optional(items(_feature(variables, len(columns)))))
    if features is None:
        return None
    knowledge = fields.read("constraints", _knowledge(variables))
    domain = Domain(features, columns, fields.read("assumptions", items(text)), knowledge)
    held = sorted(column for feature in features for column in feature.columns)
    ordered = {name for order in knowledge.orders for name in (order.lower, order.upper)}
    if not ordered <= {*columns}:
        raise InvalidInput("constraints name features that there are not")
    if domain.variables != variables or held != list(range(len(columns))):
        raise InvalidInput("the features do not fit the variables and columns")
    return domain


def _layout(fields: Fields, columns: tuple[str, ...]) -> Layout:
    return Layout(
        columns,
        fields.read("dtype", one_of(get_args(InputType))),  # type: ignore[arg-type]
        _categories(fields, len(columns)),
        fields.read("form", one_of(get_args(Form))),  # type: ignore[arg-type]
        fields.read("largest_integer", number),
    )


def _categories(fields: Fields, columns: int) -> dict[int, Categories]:
    found = fields.read("categories", categories_read)
    for column in found:
        whole(0, columns - 1)(column, "categories")
    return found


def read_variable(record: Any, place: str) -> Variable:
    """The variable that `variable_record` wrote."""
    fields = Fields(record, place)
    name, missing = fields.read("name", text), fields.read("missing", flag)
    if "cuts" in record:
        cuts, closed = fields.read("cuts", items(number)), fields.read("closed", one_of(get_args(Side)))
        return Variable.numeric(name, cuts, closed, missing=missing)  # type: ignore[arg-type]
    values, ordered = fields.read("values", items(scalar)), fields.read("ordered", flag)
    return Variable.categorical(name, values, missing=missing, ordered=ordered)


def _feature(variables: tuple[Variable, ...], columns: int) -> FieldCheck[Feature]:
    by_name = {x.name: x for x in variables}

    def check(record: Any, place: str) -> Feature:
        fields = Fields(record, place)
        name, tested = fields.read("name", text), fields.read("tested", flag)
        own = fields.read("columns", items(whole(0, columns - 1)))
        patterns = fields.read("patterns", optional(_patterns(len(own))))
        low, high = fields.read("bounds", items(optional(number), 2))
        if not own or (tested and name not in by_name) or (patterns is None and len(own) > 1):
            raise InvalidInput(f"{place} ({name!r}) has no column or variable of its own")
        return Feature(
            name,
            fields.read("kind", one_of(get_args(FeatureKind))),  # type: ignore[arg-type]
            own,
            fields.read("missing", flag),
            by_name[name] if tested else None,
            patterns,
            fields.read("others", optional(whole(0, len(patterns or ()) - 1))),
            low=-np.inf if low is None else low,
            high=np.inf if high is None else high,
            whole=fields.read("whole", flag),
        )

    return check


def _patterns(columns: int) -> FieldCheck[dict[tuple[float, ...], object]]:
    def held(record: Any, place: str) -> tuple[float, ...]:
        return tuple(map(float, items(number, columns)(record, place)))

    pairs = items(made(lambda *pair: pair, held, scalar))
    return lambda record, place: dict(pairs(record, place))


def _knowledge(variables: tuple[Variable, ...]) -> FieldCheck[Knowledge]:
    def values(record: Any, place: str) -> tuple[int, int]:
        j, mask = made(lambda *pair: pair, whole(0, len(variables) - 1), lambda held, _: held)(record, place)
        if type(mask) is not int or not 0 < mask <= variables[j].everything:
            raise InvalidInput(f"{place} has other values than {variables[j].name}")
        return j, mask

    rule = made(Constraint, text, items(lambda record, place: dict(items(values)(record, place))), flag)
    order = made(Order, text, text, text, items(number), flag)

    def knowledge(record: Any, place: str) -> Knowledge:
        fields = Fields(record, place)
        return Knowledge(fields.read("rules", items(rule)), fields.read("orders", items(order)))

    return knowledge
