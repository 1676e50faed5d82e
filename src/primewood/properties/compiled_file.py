"""Compiled models in files: a zip archive of arrays (numpy's npz, without pickles) and one JSON document.

The document says what the arrays mean: a version, the features with their cuts or codes, the decisions, the order.
Numbers in it round-trip exactly. Training rows are not kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from primewood.domain import Domain, Feature
from primewood.domain.knowledge import Knowledge, Order, Rule
from primewood.engines.diagram.diagram import Diagram
from primewood.ensemble.comparison import InputType
from primewood.ensemble.file import categories_read, categories_written
from primewood.errors import InvalidInput
from primewood.files import check_header, write_whole
from primewood.logic.interval import MISSING
from primewood.logic.language import check_language
from primewood.logic.variable import Variable
from primewood.reasons.context import Context
from primewood.rows import Layout

if TYPE_CHECKING:
    from primewood.properties.compiled import Compiled

FORMAT = "primewood compiled model"
VERSION = 2


def save(compiled: Compiled, path: Path) -> None:
    """Write a compiled model; the file is there whole or not at all."""
    arrays: dict[str, Any] = {f"level_{j}": level for j, level in enumerate(compiled.diagram.levels)}
    text = json.dumps(_document(compiled), ensure_ascii=False)
    document = np.frombuffer(text.encode(), dtype=np.uint8)
    write_whole(path, lambda file: np.savez_compressed(file, document=document, **arrays))


def _document(compiled: Compiled) -> dict[str, Any]:
    context, diagram = compiled._context, compiled.diagram
    domain = context.domain
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
        "units": context.units,
        "dtype": context.layout.dtype,
        "form": context.layout.form,
        "largest_integer": context.layout.largest_integer,
        "categories": categories_written(context.layout.categories),
        "order": list(diagram.order),
        "root": diagram.root,
        "impossible": diagram.impossible,
        "constraints": None if domain is None else _knowledge_record(domain.knowledge),
    }


def _class_name(name: object) -> object:
    """Strings, numbers and truth values are kept as they are, anything else as it is written."""
    return name if isinstance(name, str | bool | int | float) else str(name)


def variable_record(x: Variable) -> dict[str, Any]:
    """A variable in plain types: its cuts, or its values."""
    missing = x.missing is not None
    if x.is_numeric:
        return {"name": x.name, "cuts": list(x.cuts or ()), "closed": x.closed, "missing": missing}
    values = [_value(v) for v in x.values if v is not MISSING]
    return {"name": x.name, "values": values, "missing": missing, "ordered": x.ordered > 0}


def _value(value: object) -> object:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | bool | int | float):
        raise InvalidInput(f"a file keeps values that are text, numbers or truth values, not {value!r}")
    return value


def _feature_record(f: Feature) -> dict[str, Any]:
    patterns = f.patterns and [[list(pattern), _value(label)] for pattern, label in f.patterns.items()]
    return {
        "name": f.name,
        "kind": f.kind,
        "columns": list(f.columns),
        "patterns": patterns,
        "others": f.others,
        "bounds": [None if np.isinf(x) else x for x in (f.low, f.high)],
        "whole": f.whole,
        "missing": f.missing,
        "tested": f.variable is not None,
    }


def _knowledge_record(knowledge: Knowledge) -> dict[str, Any]:
    return {
        "rules": [
            [rule.text, [list(box.items()) for box in rule.forbidden], rule.is_staircase]
            for rule in knowledge.rules
        ],
        "orders": [[o.text, o.lower, o.upper, o.constants, o.strict] for o in knowledge.orders],
    }


def _knowledge(record: dict[str, Any]) -> Knowledge:
    return Knowledge(
        tuple(Rule(text, tuple(map(dict, boxes)), steps) for text, boxes, steps in record["rules"]),
        tuple(Order(text, low, up, tuple(c), strict) for text, low, up, c, strict in record["orders"]),
    )


def load_compiled(document: dict[str, Any], arrays: dict[str, Any], path: Path) -> Compiled:
    """The compiled model of a file that `save` wrote, which consists of a document and arrays."""
    from primewood.properties.compiled import Compiled

    check_header(document, path, "compiled model", VERSION)
    try:
        levels = [arrays[f"level_{j}"] for j in range(len(arrays))]
        context = _context(document)
        diagram = Diagram(
            context.variables,
            tuple(document["order"]),
            tuple(np.ascontiguousarray(level, dtype=np.int32) for level in levels),
            int(document["root"]),
            len(context.class_names) + (document["impossible"] is not None),
            document["impossible"],
        )
        diagram.check()
    except Exception as problem:  # whatever a document that was tampered with brings about
        raise InvalidInput(f"{path.name} is damaged: {problem}") from None
    return Compiled(diagram, context)


def _context(document: dict[str, Any]) -> Context:
    variables = tuple(read_variable(record) for record in document["variables"])
    domain = None
    if document["features"] is not None:
        features = _features(document["features"], variables)
        domain = Domain(
            features,
            tuple(document["columns"]),
            tuple(document["assumptions"]),
            _knowledge(document["constraints"]),
        )
        if domain.variables != variables or document["dtype"] not in get_args(InputType):
            raise InvalidInput("the features do not fit the variables")
    return Context(
        variables,
        tuple(document["classes"]),
        domain,
        vote=document["vote"],
        units=dict(document["units"]),
        layout=_layout(document),
        digest=document["model"],
        literals=check_language(document["literals"]),
    )


def _layout(document: dict[str, Any]) -> Layout:
    categories = categories_read(document["categories"])
    form, largest = document["form"], document["largest_integer"]
    return Layout(tuple(document["columns"]), document["dtype"], categories, form, largest)


def read_variable(record: dict[str, Any]) -> Variable:
    """The variable that `variable_record` wrote."""
    if "cuts" in record:
        return Variable.numeric(record["name"], record["cuts"], record["closed"], missing=record["missing"])
    ordered, missing = record["ordered"], record["missing"]
    return Variable.categorical(record["name"], record["values"], missing=missing, ordered=ordered)


def _features(records: list[dict[str, Any]], variables: tuple[Variable, ...]) -> tuple[Feature, ...]:
    by_name = {x.name: x for x in variables}
    return tuple(
        Feature(
            record["name"],
            record["kind"],
            tuple(record["columns"]),
            record["missing"],
            by_name[record["name"]] if record["tested"] else None,
            record["patterns"] and {tuple(map(float, held)): label for held, label in record["patterns"]},
            record["others"],
            low=-np.inf if record["bounds"][0] is None else record["bounds"][0],
            high=np.inf if record["bounds"][1] is None else record["bounds"][1],
            whole=record["whole"],
        )
        for record in records
    )
