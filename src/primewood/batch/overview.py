"""A summary of the folder of a batch, counted part by part."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from primewood.batch.folder import Folder
from primewood.batch.part_files import read_columns, read_seconds
from primewood.batch.summary import Summary
from primewood.fields import file_path
from primewood.render import text
from primewood.visible import Readable, join_lines


@dataclass(frozen=True)
class Overview(Readable):
    r"""A summary of the explanations in a folder.

    Attributes
    ----------
    summary : Summary
        As for a batch; failed rows count only in the statuses.
    finished : bool
        Whether all rows are finished.
    taken_over : int
        The number of rows that reuse the explanation of another row that covers them.
    seconds : mapping or None
        The median, the 95th percentile and the worst of the times per row; None if there are no times.
    coverage_by_size : mapping
        The number of explanations per pair (literals, coverage); empty without training rows. Coverage is a share of
        these, so that each size has at most one pair more than there are training rows.
    model : str or None
        The digest of the model.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> import pathlib, tempfile
    >>> from primewood import overview
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rows.csv").write_text("sl,sw,pl,pw\n5.1,3.5,1.4,0.2\n7.0,3.2,4.7,1.4\n")
    >>> _ = explainer.explain_file(folder / "rows.csv", folder / "answers", format="jsonl")
    >>> found = overview(folder / "answers")
    >>> found.finished, found.summary.features
    (True, {'pw': 2, 'pl': 1})
    """

    summary: Summary
    finished: bool
    taken_over: int
    seconds: Mapping[str, float] | None
    coverage_by_size: Mapping[tuple[int, float], int] = field(repr=False)
    model: str | None

    def to_dict(self) -> dict[str, Any]:
        """The overview in plain types."""
        seconds = None if self.seconds is None else dict(self.seconds)
        return {
            **self.summary.to_dict(),
            "finished": self.finished,
            "taken_over": self.taken_over,
            "seconds": seconds,
            "coverage_by_size": [
                {"size": size, "coverage": coverage, "rows": rows}
                for (size, coverage), rows in self.coverage_by_size.items()
            ],
            "model": self.model,
        }

    def __repr__(self) -> str:
        return f"<Overview of {self.summary.rows} explanations: print it, to_dict()>"

    def _repr_html_(self) -> str:
        from primewood.render.html.card import batch

        return batch(self.summary.to_dict())

    def __str__(self) -> str:
        lines = [] if self.finished else ["not finished: these are the parts so far"]
        lines += text.write_summary(self.summary.to_dict()).split("\n")
        if self.taken_over:
            lines.append(f"reused from other rows: {self.taken_over:,}")
        if self.seconds is not None:
            times = ", ".join(f"{name} {value:.3g} s" for name, value in self.seconds.items())
            lines.append(f"time per row: {times}")
        return join_lines(lines)


@dataclass
class _Counts:
    """The counts so far."""

    statuses: Counter[str] = field(default_factory=Counter)
    decisions: Counter[object] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    covered: Counter[tuple[int, float]] = field(default_factory=Counter)
    seconds: array[float] = field(default_factory=lambda: array("d"))
    taken_over: int = 0

    def add(self, table: Mapping[str, Sequence[Any]], features: Sequence[str]) -> None:
        """Count the rows of a part, given its columns."""
        self.statuses.update(table["status"])
        explained = [i for i, status in enumerate(table["status"]) if status != "failed"]
        self.decisions.update(table["decision"][i] for i in explained)
        self.sizes.update(table["size"][i] for i in explained)
        pairs = ((table["size"][i], table["coverage"][i]) for i in explained)
        self.covered.update((size, coverage) for size, coverage in pairs if coverage is not None)
        self.taken_over += sum(row is not None for row in table["taken_from"])
        for name in features:
            self.used[name] += sum(words is not None for words in table[f"if {name}"])

    def summary(self, features: Sequence[str]) -> Summary:
        """The counts as a summary."""
        return Summary(
            rows=self.statuses.total(),
            decisions=dict(self.decisions.most_common()),
            statuses=dict(self.statuses.most_common()),
            features=dict(sorted(((name, self.used[name]) for name in features), key=lambda x: -x[1])),
            sizes=dict(sorted(self.sizes.items())),
            coverage=_ends_and_median(self.covered) if self.covered else None,
        )


def overview(folder: str | Path) -> Overview:
    r"""Summarise the finished parts in the folder of a batch.

    Cost: linear in the parts; one part is in memory at a time.

    Parameters
    ----------
    folder
        A folder that `Explainer.explain_file` has written.

    Returns
    -------
    Overview
        Print it, or take `to_dict()`.

    Raises
    ------
    InvalidInput
        If the folder does not contain a batch, or is damaged.
    MissingDependency
        If the parts are Parquet files and pyarrow is not installed.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> import pathlib, tempfile
    >>> from primewood import overview
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rows.csv").write_text("sl,sw,pl,pw\n5.1,3.5,1.4,0.2\n7.0,3.2,4.7,1.4\n")
    >>> _ = explainer.explain_file(folder / "rows.csv", folder / "answers", format="jsonl")
    >>> overview(folder / "answers").summary.decisions
    {'setosa': 1, 'versicolor': 1}
    """
    asked = Folder(file_path(folder, "folder"))
    manifest = asked.manifest()
    said = ("status", "decision", "size", "coverage", "taken_from")
    wanted = [*said, *(f"if {name}" for name in manifest.features)]
    counts = _Counts()
    for part in manifest.parts:
        counts.add(read_columns(asked, part, wanted), manifest.features)
        counts.seconds.extend(read_seconds(asked, part))
    times = _times(counts.seconds) if counts.seconds else None
    return Overview(
        counts.summary(manifest.features),
        manifest.finished,
        counts.taken_over,
        times,
        dict(sorted(counts.covered.items())),
        manifest.question.model,
    )


def _ends_and_median(covered: Mapping[tuple[int, float], int]) -> tuple[float, float, float]:
    """The least, the median and the largest coverage, from the numbers of rows that have each.

    >>> _ends_and_median({(2, 0.5): 2, (1, 0.25): 1, (3, 0.25): 1})
    (0.25, 0.375, 0.5)
    """
    rows: Counter[float] = Counter()
    for (_, coverage), count in covered.items():
        rows[coverage] += count
    shares = sorted(rows)
    up_to = np.cumsum([rows[share] for share in shares])
    middle = np.searchsorted(up_to, [(up_to[-1] - 1) // 2, up_to[-1] // 2], side="right")
    return shares[0], float(np.mean([shares[i] for i in middle])), shares[-1]


def _times(seconds: Sequence[float]) -> dict[str, float]:
    median, late, worst = np.quantile(np.asarray(seconds), [0.5, 0.95, 1.0]).tolist()
    return {"median": median, "95th percentile": late, "worst": worst}
