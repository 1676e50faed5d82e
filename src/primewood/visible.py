"""Text that shows what it holds: characters that steer a terminal or hide are written as escapes.

Names of features, classes and categories come from files that anyone may have written. An escape sequence among them
colours or overwrites a terminal, and a mark that turns the direction of writing makes a rule read as another one. What
people read therefore goes through `visible`; records and files hold names as they are.
"""

from __future__ import annotations

import re

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


def _escape(found: re.Match[str]) -> str:
    return found[0] if found["flag"] else repr(found[0])[1:-1]
