"""The settings of a batch: options of `explain`, limits, and whether rows share explanations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from primewood.engines.protocol import check_limit
from primewood.errors import InvalidInput
from primewood.logic.language import Language, check_language
from primewood.model.model import TreeModel
from primewood.tables.rows import read_rows

BLOCK = 1000
"""The number of rows of a block."""


@dataclass(frozen=True)
class Settings:
    """The settings of a batch.

    Attributes
    ----------
    options : mapping
        As for `explain`, without limits.
    time_limit, work_limit
        Per row.
    batch_limit : float or None
        Seconds for all rows together.
    reuse : bool
        Whether rows reuse explanations that cover them.
    block : int
        How many rows a block has.
    in_short : bool
        Whether decisions are written to files in short, too.
    certificates : bool
        Whether each proved explanation gets a certificate, in at most the time for a row.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = 10.0
    work_limit: int | None = None
    batch_limit: float | None = None
    reuse: bool = False
    block: int = BLOCK
    in_short: bool = False
    certificates: bool = False

    @property
    def literals(self) -> Language:
        """The literal language of the explanations."""
        return check_language(self.options.get("literals", "intervals"))

    @property
    def together(self) -> bool:
        """Whether rows are explained together with rows near them: not if an order or weights are given.

        In the language "values" other rows are hardly ever covered, and trying would only take time.
        """
        options = self.options
        led = options.get("order") is not None or bool(options.get("weights"))
        return self.reuse and not led and self.literals != "values"

    def check(self) -> None:
        """Raise for invalid settings."""
        limit = self.batch_limit
        if limit is not None and not (isinstance(limit, int | float) and limit > 0):
            raise InvalidInput(
                f"batch_limit must be a positive number of seconds or None, not {self.batch_limit!r}"
            )
        if not isinstance(self.block, int) or self.block < 1:
            raise InvalidInput(f"block must be a number of rows of at least 1, not {self.block!r}")
        goal = self.options.get("goal")
        if self.reuse and goal not in (None, "prime"):
            raise InvalidInput(
                'reuse is for goal="prime": what is shortest or widest for one row is not for another'
            )
        for name in ("within", "near", "near_features"):
            if self.reuse and self.options.get(name) is not None:
                raise InvalidInput(
                    f"reuse does not go with {name}=: what holds around one row does not around another"
                )
        if self.reuse and self.options.get("also") is not None:
            raise InvalidInput("reuse chooses itself which rows are explained together; leave out also=")


def choose_settings(model: TreeModel, options: dict[str, Any], *limits: Any) -> Settings:
    """The settings of a batch, with options of `explain`."""
    kept = dict(options)
    kept["literals"] = model.choose_language(options.get("literals"))
    if kept.get("also") is not None:
        kept["also"] = read_rows(kept["also"], model.context.layout, source="also").rows
    settings = Settings(kept, *limits)
    if settings.reuse and kept.get("goal") is None:
        kept["goal"] = "prime"
    check_limit("time_limit", settings.time_limit)
    check_limit("work_limit", settings.work_limit)
    settings.check()
    return settings
