"""Docstrings in numpydoc's style, for autodoc; and no signatures for classes that only primewood makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.ext.napoleon import Config, NumpyDocstring

STYLE = Config(napoleon_use_ivar=True, napoleon_use_rtype=False)
ANSWERS = (
    "primewood.questions",
    "primewood.properties",
    "primewood.batch",
    "primewood.render",
    "primewood.model",
    "primewood.apps",
    "primewood.readers.fidelity",
)
SEVERAL = re.compile(r":(ivar|vartype) (\w+(?:, \w+)+):(.*)")


def read(_app: Sphinx, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    """A docstring as reStructuredText.

    The docstring of a property is a sentence like any other, and no "type: meaning"; and "`Term`s" is a plural.
    """
    text = [re.sub(r"`(\w+)`s\b", r"`\1`\\ s", line) for line in lines]
    kind = "method" if what in ("property", "attribute") else what
    converted = NumpyDocstring(text, STYLE, None, kind, name, thing, options).lines()
    lines[:] = each_by_itself(converted)


def each_by_itself(lines: list[str]) -> Iterator[str]:
    """Attributes that are described together, as numpydoc allows, are described one by one."""
    for place, line in enumerate(lines):
        several = SEVERAL.fullmatch(line)
        if several is None:
            yield line
            continue
        more = list(takewhile(lambda line: line.startswith(" "), lines[place + 1 :]))
        field, names, begins = several.groups()
        *first, last = names.split(", ")
        for name in first:
            yield from (f":{field} {name}:{begins}", *more)
        yield f":{field} {last}:{begins}"


def shorten(
    _app: Sphinx, what: str, _name: str, thing: object, _options: Any, _signature: str, _returns: str
) -> tuple[str, str] | None:
    """No signature for an answer: it is made by a question, not by hand."""
    made = what == "class" and getattr(thing, "__module__", "").startswith(ANSWERS)
    return ("", "") if made else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.connect("autodoc-process-docstring", read)
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
