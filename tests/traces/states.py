"""Calls that change the explainer or disturb it: saving, pickling, interrupting, asking from two threads."""

from __future__ import annotations

import pickle
import signal
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import FrameType

import primewood as pw
from traces.session import NO_LIMIT, Session
from traces.wrong import expect

AGAIN = 2e-5
"""Seconds until Ctrl-C is tried again where it came outside of primewood."""


def save(session: Session, *, row: int = 0) -> None:
    """A saved explainer answers as the one that was saved; it takes its place."""
    before = _answer(session, row)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.explainer"
        session.explainer.save(path)
        session.explainer = pw.load(path)
    expect(_answer(session, row) == before, "save", "the loaded explainer answers differently")


def pickled(session: Session, *, row: int = 0) -> None:
    """A pickled explainer answers as the one that was pickled; it takes its place."""
    before = _answer(session, row)
    session.explainer = pickle.loads(pickle.dumps(session.explainer))
    expect(_answer(session, row) == before, "pickle", "the unpickled explainer answers differently")


def _answer(session: Session, row: int) -> tuple[object, str]:
    why = session.explainer.explain(session.given(session.asked(row).row), **NO_LIMIT)
    return why.decision, str(why.term)


def saved_answer(session: Session, *, row: int = 0, literals: str | None = None) -> None:
    """An explanation survives JSON and pickling."""
    why = session.explainer.explain(session.given(session.asked(row).row), literals=literals, **NO_LIMIT)
    read = pw.Explanation.from_json(why.to_json())
    expect(read.to_dict()["literals"] == why.to_dict()["literals"], "to_json", "other literals")
    again = pickle.loads(pickle.dumps(why))
    expect(again == why, "pickle", "another explanation")


def saved_diagram(session: Session, *, row: int = 0) -> None:
    """A compiled model survives its file."""
    made = session.explainer.compile()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.diagram"
        made.save(path)
        read = pw.load(path)
    given = session.given(session.asked(row).row)
    expect(read.count() == made.count(), "diagram", f"{read.count()}, not {made.count()}")
    expect(read.decide(given) == made.decide(given), "diagram", "the loaded diagram decides differently")


def interrupt(session: Session, *, row: int = 0, after: float = 0.001, goal: str = "widest") -> None:
    """Ctrl-C in the middle of a call leaves the explainer as it was; later calls judge that."""
    asked, over = session.given(session.asked(row).row), Event()

    def press(number: int, frame: FrameType | None) -> None:
        if over.is_set():
            return
        if frame is not None and _is_ours(frame):
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, AGAIN)

    usual = signal.signal(signal.SIGALRM, press)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        session.explainer.explain(asked, literals="sets", goal=goal, **NO_LIMIT)
        list(session.explainer.explanations(asked, literals="sets"))
    except KeyboardInterrupt:
        pass
    finally:
        over.set()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)


def _is_ours(frame: FrameType) -> bool:
    """Whether a frame is code of primewood: a solver that is being freed elsewhere does not survive Ctrl-C."""
    return "primewood" in Path(frame.f_code.co_filename).parts


def threads(session: Session, *, row: int = 0, first: str = "explain", second: str = "contrasts") -> None:
    """Two threads ask the same explainer at a time, and both answers are right."""
    from traces.calls import Call

    calls = [Call(first, row=row, literals="sets"), Call(second, row=row + 1, literals="intervals")]
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(call.run, session) for call in calls]:
            done.result()
