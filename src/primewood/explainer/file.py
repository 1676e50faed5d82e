"""Explainers in files: a zip archive of arrays (numpy's npz, without pickles) and one JSON document.

The document holds the ensemble as it was read, the options of the explainer, what the training frame said about
columns, and the figures of the comparison with the model. The training rows are an array. An explainer that is read
from the file is made anew from these, so that it answers as the one that was saved; its `model` is the ensemble.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from primewood.ensemble import Ensemble
from primewood.ensemble.file import document_of, ensemble_of, load_ensemble
from primewood.errors import InvalidInput
from primewood.explainer.options import read_value, write_value
from primewood.fidelity import Fidelity
from primewood.files import check_header, read_archive, write_whole
from primewood.logic.expression import Expression
from primewood.logic.parser import parse
from primewood.properties.compiled_file import FORMAT as COMPILED
from primewood.properties.compiled_file import load_compiled, read_variable, variable_record
from primewood.tabular import Kind, as_read

if TYPE_CHECKING:
    from primewood.explainer.explainer import Explainer
    from primewood.properties.compiled import Compiled

FORMAT = "primewood explainer"
VERSION = 1
NOT_KEPT = ("feature_names", "domain", "trust_pickle", "progress")
"""Options that are not kept: names are in the ensemble, and declarations together with those of the training frame."""


def save_explainer(explainer: Explainer, path: str | Path) -> None:
    """Write an explainer to a file that `load` reads; the file is there whole or not at all."""
    text = json.dumps(_document(explainer), allow_nan=False, ensure_ascii=False)
    arrays: dict[str, Any] = {"rows": explainer.rows} if len(explainer.rows) else {}
    document = np.frombuffer(text.encode(), dtype=np.uint8)
    write_whole(Path(path), lambda file: np.savez_compressed(file, document=document, **arrays))


def _document(explainer: Explainer) -> dict[str, Any]:
    fidelity = explainer.fidelity
    options = {name: value for name, value in explainer._options.items() if name not in NOT_KEPT}
    if explainer.ensemble is not None:
        options["domain"] = explainer._domain_for.keywords["declared"]
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": _model_record(explainer),
        "options": {name: _written(name, value) for name, value in options.items()},
        "kinds": {} if explainer.ensemble is None else explainer._domain_for.keywords["kinds"],
        "notes": list(explainer.notes),
        "fidelity": None if fidelity is None else [fidelity.rows, fidelity.differ],
    }


def _written(name: str, value: Any) -> Any:
    try:
        return write_value(value)
    except InvalidInput as problem:
        raise InvalidInput(f"{name} cannot be saved: {problem}") from None


def _model_record(explainer: Explainer) -> dict[str, Any]:
    if explainer.ensemble is not None:
        read = explainer._as_read
        return {"ensemble": document_of(read), "digest": read.digest}
    expression = explainer.model
    variables = [variable_record(x) for x in expression.variables]
    text = str(expression)
    if str(parse(text, expression.variables)) != text:
        raise InvalidInput(f"this expression cannot be saved: its text is read as another one: {text[:80]}")
    return {"expression": text, "variables": variables}


def load(path: str | Path) -> Explainer | Compiled | Ensemble:
    """Read what `Explainer.save`, `Compiled.save` or `Ensemble.save` wrote, whatever the file is called.

    Raises
    ------
    InvalidInput
        If the file is none of these, is damaged, or was written by a newer version.
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    with path.open("rb") as file:
        if file.read(64).lstrip().startswith(b"{"):
            return load_ensemble(path)
    document, arrays = read_archive(path, (FORMAT, COMPILED))
    if document["format"] == COMPILED:
        return load_compiled(document, arrays, path)
    return _load_explainer(document, arrays, path)


def _load_explainer(document: dict[str, Any], arrays: dict[str, Any], path: Path) -> Explainer:
    check_header(document, path, "explainer", VERSION)
    try:
        return _explainer(document, arrays)
    except Exception as problem:  # whatever a document that was tampered with brings about
        raise InvalidInput(f"{path.name} is damaged: {problem}") from None


def _explainer(document: dict[str, Any], arrays: dict[str, Any]) -> Explainer:
    from primewood.explainer.explainer import Explainer

    model = _model(document["model"])
    options = {name: read_value(value) for name, value in document["options"].items()}
    rows, kinds = _rows(arrays), _kinds(document["kinds"])
    if rows is not None and isinstance(model, Ensemble):
        rows = as_read(rows, model.feature_names, kinds)
    explainer = Explainer(model, rows, **options)
    explainer.notes = _notes(document["notes"])
    explainer.fidelity = _fidelity(document["fidelity"])
    return explainer


def _model(record: dict[str, Any]) -> Ensemble | Expression:
    if "ensemble" in record:
        ensemble = ensemble_of(record["ensemble"])
        if ensemble.digest != record["digest"]:
            raise InvalidInput("the model is not the one that was saved")
        return ensemble
    return parse(record["expression"], [read_variable(x) for x in record["variables"]])


def _rows(arrays: dict[str, Any]) -> Any:
    rows = arrays.get("rows")
    if rows is not None and (rows.dtype != np.float64 or rows.ndim != 2):
        raise InvalidInput(f"training rows are a table of float64 numbers, not {rows.dtype} of {rows.shape}")
    return rows


def _kinds(record: Any) -> dict[str, Kind | None]:
    if not isinstance(record, dict) or not set(record.values()) <= {"whole", "boolean"}:
        raise InvalidInput('kinds are "whole" or "boolean" by the names of columns')
    return record


def _notes(record: Any) -> tuple[str, ...]:
    if not isinstance(record, list) or not all(isinstance(note, str) for note in record):
        raise InvalidInput("notes are a list of text")
    return tuple(record)


def _fidelity(record: Any) -> Fidelity | None:
    if record is None:
        return None
    rows, differ = record
    if type(rows) is not int or type(differ) is not int or not 0 <= differ <= rows:
        raise InvalidInput(f"fidelity is two counts, not {record!r}")
    return Fidelity(rows, differ)
