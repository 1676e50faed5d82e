"""What a trace can show to be wrong."""

from __future__ import annotations


class Wrong(Exception):
    """An answer that brute force refutes.

    Attributes
    ----------
    about : str
        What was asked, or what was looked at.
    """

    def __init__(self, about: str, problem: str) -> None:
        super().__init__(f"{about}: {problem}")
        self.about = about


def expect(holds: object, about: str, problem: object) -> None:
    """Raise `Wrong` unless something holds; `problem` may be a function that says what is wrong."""
    if not holds:
        raise Wrong(about, str(problem() if callable(problem) else problem))


class TooMany(Exception):
    """There is more than brute force can judge, or nothing to train on."""
