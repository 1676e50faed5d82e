"""Where the records read how much was searched: the one place that knows an inside of primewood."""

from __future__ import annotations

from primewood.core import _native


def read_work() -> dict[str, int]:
    """What all searches of this process have done so far: runs, queries, search nodes."""
    work = _native.work_done()
    return {"runs": work.runs, "queries": work.queries, "nodes": work.nodes}


def work_since(before: dict[str, int]) -> dict[str, int]:
    """What searches have done since an earlier reading."""
    return {name: total - before[name] for name, total in read_work().items()}
