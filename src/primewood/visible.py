"""Text that shows what it holds: characters that steer a terminal or hide are written as escapes.

Names of features, classes and categories come from files that anyone may have written. An escape sequence among them
colours or overwrites a terminal, and a mark that turns the direction of writing makes a rule read as another one. What
people read therefore goes through `visible`; records and files hold names as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")
WORDS = ("__str__", "__repr__", "to_text")
"""The methods by which things show themselves."""
FLAG = "\U0001f3f4[\U000e0061-\U000e007a]+\U000e007f"
"""The flag of a region, such as Wales: a black flag and its name in tags."""
HIDDEN = re.compile(
    f"(?P<flag>{FLAG})|["
    "\x00-\x1f\x7f-\x9f"  # controls
    "\ud800-\udfff"  # halves of characters
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\u2028\u2029"  # ends of lines and paragraphs
    "\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # characters without a shape
    "]"
)
HIDDEN_BUT_LINES = re.compile(HIDDEN.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def visible(text: str) -> str:
    r"""A text in which characters that steer or hide are escapes; all others stay as they are.

    >>> visible("a\x1b[31mb"), visible("pay\u202edlog"), visible("two\nlines"), visible("שלום 年龄 👩‍🚀")
    ('a\\x1b[31mb', 'pay\\u202edlog', 'two\\nlines', 'שלום 年龄 👩‍🚀')
    """
    return text if text.isascii() and text.isprintable() else HIDDEN.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The same of a text of several lines, whose ends stay."""
    return HIDDEN_BUT_LINES.sub(_escape, text)


def join_lines(lines: Iterable[str], indent: str = "") -> str:
    r"""Lines one below the other, each visible; all but the first are indented.

    >>> join_lines(["age\nforged", "income"], "  ")
    'age\\nforged\n  income'
    """
    return f"\n{indent}".join(map(visible, lines))


def visible_record(record: Any) -> Any:
    """A record, or whatever else JSON holds, in which all text is visible: what is drawn from it is, too."""
    if isinstance(record, str):
        return visible(record)
    if isinstance(record, dict):
        return {name: visible_record(value) for name, value in record.items()}
    return [visible_record(value) for value in record] if isinstance(record, list | tuple) else record


def visible_json(document: str) -> str:
    r"""A JSON document that says the same, in which characters that steer or hide are escapes of JSON.

    >>> visible_json('"pay\u202edlog 󠀁"')
    '"pay\\u202edlog \\udb40\\udc01"'
    """
    return HIDDEN_BUT_LINES.sub(_escape_in_json, document)


class Readable:
    """Base of what people print: its `str`, its `repr` and its `to_text` are visible, whatever they are made of."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in WORDS:
            if name in vars(cls):
                show = visible if name == "__repr__" else visible_lines
                setattr(cls, name, _made_visible(vars(cls)[name], show))


def _made_visible(method: Callable[P, str], show: Callable[[str], str]) -> Callable[P, str]:
    @wraps(method)
    def told(*given: P.args, **options: P.kwargs) -> str:
        return show(method(*given, **options))

    return told


def _escape_in_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return (
        found[0]
        if found["flag"]
        else "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
    )


def _escape(found: re.Match[str]) -> str:
    return found[0] if found["flag"] else repr(found[0])[1:-1]
