"""Explainers in files: a zip archive of arrays (numpy's npz, without pickles) and one JSON document.

The document holds the ensemble as it was read, the options of the explainer, what the training frame said about
columns, and the figures of the comparison with the model. The training rows are an array. An explainer that is read
from the file is made again from these, so that it answers as the one that was saved; its `model` is the ensemble.
"""

from __future__ import annotations

import json
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from primewood.ensemble import Ensemble
from primewood.ensemble.file import EnsembleDocument, document_of, ensemble_of, load_ensemble
from primewood.errors import InvalidInput, PrimewoodError, format_list
from primewood.fields import Fields, JsonObject, file_path, items, mapping, one_of, optional, text, whole
from primewood.files import Arrays, check_header, read_archive, report_damage, write_archive
from primewood.logic.expression import Expression
from primewood.logic.expression_parser import parse
from primewood.model.model import Model, TreeModel
from primewood.properties.compiled_file import FORMAT as COMPILED
from primewood.properties.compiled_file import (
    CategoricalVariableRecord,
    NumericVariableRecord,
    load_compiled,
    read_variable,
    variable_record,
)
from primewood.readers.fidelity import Fidelity
from primewood.saving.values import read_value, write_value
from primewood.tables.tabular import as_read

if TYPE_CHECKING:
    from primewood.explainer import Explainer
    from primewood.properties.compiled import Compiled

FORMAT = "primewood explainer"
VERSION = 1
NOT_KEPT = ("feature_names", "domain", "trust_pickle", "progress", "threads")
"""Options that are not kept: names are in the ensemble, and declarations together with those of the training frame."""


class SavedEnsemble(TypedDict):
    """The ensemble of an explainer of trees."""

    ensemble: EnsembleDocument
    digest: str


class SavedExpression(TypedDict):
    """The expression of an explainer of one."""

    expression: str
    variables: list[NumericVariableRecord | CategoricalVariableRecord]


class ExplainerDocument(TypedDict):
    """What a file says beside the training rows."""

    format: str
    version: int
    model: SavedEnsemble | SavedExpression
    options: dict[str, object]
    kinds: dict[str, str]
    notes: list[str]
    fidelity: tuple[int, int] | None


def save_explainer(explainer: Explainer, path: str | Path) -> None:
    """Write an explainer to a file that `load` reads; the file is there whole or not at all."""
    model = explainer._model
    if isinstance(model, TreeModel) and model.context.rows is not model.recipe.rows:
        raise InvalidInput(
            "the rows of this explainer were replaced; save the explainer that it was made from"
        )
    words = json.dumps(_document(explainer), allow_nan=False, ensure_ascii=False)
    write_archive(file_path(path), words, {"rows": explainer.rows} if len(explainer.rows) else {})


def _document(explainer: Explainer) -> ExplainerDocument:
    fidelity, model = explainer.fidelity, explainer._model
    options = {name: value for name, value in explainer._options.given.items() if name not in NOT_KEPT}
    if isinstance(model, TreeModel):
        options["domain"] = model.recipe.declared
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": _model_record(model),
        "options": {name: _written(name, value) for name, value in options.items()},
        "kinds": dict(model.recipe.kinds) if isinstance(model, TreeModel) else {},
        "notes": list(explainer.notes),
        "fidelity": None if fidelity is None else (fidelity.rows, fidelity.differ),
    }


def _written(name: str, value: Any) -> Any:
    try:
        return write_value(value)
    except InvalidInput as problem:
        raise InvalidInput(f"{name} cannot be saved: {problem}") from None


def _model_record(model: Model) -> SavedEnsemble | SavedExpression:
    if isinstance(model, TreeModel):
        return {"ensemble": document_of(model.as_read), "digest": model.as_read.digest}
    expression = model.source
    variables = [variable_record(x) for x in expression.variables]
    words = str(expression)
    if str(parse(words, expression.variables)) != words:
        raise InvalidInput(f"this expression cannot be saved: its text is read as another one: {words[:80]}")
    return {"expression": words, "variables": variables}


def load(path: str | Path) -> Explainer | Compiled | Ensemble:
    """Read what `Explainer.save`, `Compiled.save` or `Ensemble.save` wrote, whatever the file is called.

    The file is not a pickle: reading it runs no code.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Explainer or Compiled or Ensemble
        It gives the same answers as the object that was saved.

    Raises
    ------
    InvalidInput
        If there is no such file, it is none of these, is damaged, or was written by a newer version.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> import pathlib, tempfile
    >>> from primewood import load
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.explainer"
    >>> explainer.save(path)
    >>> print(load(path).explain(X[50]).rule)
    IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
    """
    path = file_path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    with path.open("rb") as file:
        if file.read(64).lstrip().startswith(b"{"):
            return load_ensemble(path)
    document, arrays = read_archive(path, (FORMAT, COMPILED))
    if document["format"] == COMPILED:
        return load_compiled(document, arrays, path)
    return _load_explainer(document, arrays, path)


def _load_explainer(document: JsonObject, arrays: Arrays, path: Path) -> Explainer:
    check_header(document, path, "explainer", VERSION)
    with report_damage(path, "save the explainer again"):
        return _explainer(Fields(document), arrays)


def _explainer(fields: Fields, arrays: Arrays) -> Explainer:
    from primewood.explainer import Explainer

    model = fields.read("model", _model)
    options = fields.read("options", _options)
    rows, kinds = _rows(arrays, model), fields.read("kinds", mapping(one_of(("whole", "boolean"))))
    if rows is not None and isinstance(model, Ensemble):
        rows = as_read(rows, model.feature_names, kinds)  # type: ignore[arg-type]
    notes, fidelity = fields.read("notes", items(text)), fields.read("fidelity", optional(_fidelity))
    try:
        explainer = Explainer(model, rows, **options)
    except PrimewoodError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as problem:
        raise InvalidInput(
            f"the options do not fit the model ({type(problem).__name__}: {problem})"
        ) from None
    if isinstance(explainer._model, TreeModel):
        explainer._model = replace(explainer._model, notes=notes, fidelity=fidelity)
    return explainer


def _model(record: Any, place: str) -> Ensemble | Expression:
    fields = Fields(record, place)
    if "ensemble" in record:
        ensemble = fields.read("ensemble", lambda held, _: ensemble_of(held))
        if ensemble.digest != fields.read("digest", text):
            raise InvalidInput("the model is not the one that was saved")
        return ensemble
    return parse(fields.read("expression", text), fields.read("variables", items(read_variable)))


def _options(record: Any, place: str) -> dict[str, Any]:
    """The options of an explainer, by names that it has."""
    from primewood.explainer import Explainer

    known = signature(Explainer).parameters.keys() - {*NOT_KEPT, "model", "X_train"} | {"domain"}
    found = mapping(lambda held, _: read_value(held))(record, place)
    if unknown := found.keys() - known:
        raise InvalidInput(f"{place} has {format_list(sorted(unknown))}, which an explainer does not take")
    return found


def _rows(arrays: Arrays, model: Ensemble | Expression) -> Any:
    rows = arrays.get("rows")
    if rows is not None and (rows.dtype != np.float64 or rows.ndim != 2):
        raise InvalidInput(
            f"training rows must be a table of float64 numbers, not {rows.dtype} of {rows.shape}"
        )
    if rows is not None and isinstance(model, Ensemble) and rows.shape[1] != len(model.feature_names):
        raise InvalidInput(f"training rows have {rows.shape[1]} columns, not {len(model.feature_names)}")
    return rows


def _fidelity(record: Any, place: str) -> Fidelity:
    rows, differ = items(whole(), 2)(record, place)
    return Fidelity(rows, whole(0, rows)(differ, place))
