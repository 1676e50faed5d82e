"""The answer to a comparison of two models: which rows they decide differently, and in which regions."""

from __future__ import annotations

from dataclasses import dataclass, field

from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.model.feature_records import instance_record
from primewood.model.score import Score
from primewood.properties.breaking_rows import SHOWN_IDS, format_ids
from primewood.properties.verification import values_in_words
from primewood.properties.wording import Outcome
from primewood.questions.certified import Certified, Certifier
from primewood.render import text
from primewood.render.numbers import format_count
from primewood.render.records import ComparisonRecord, DirectionRecord, RegionRecord, plain
from primewood.visible import Readable, join_lines


@dataclass(frozen=True)
class ChangedRows(Readable):
    """The given rows that the two models decide differently in one way.

    Attributes
    ----------
    first, second : object
        What the first model decides about them, and what the second does.
    places : tuple of int
        Where they are in the given rows.
    ids : tuple
        Their labels in the index of the frame; their places if there is none.
    """

    first: object
    second: object
    places: tuple[int, ...]
    ids: tuple[object, ...]

    def __len__(self) -> int:
        return len(self.places)

    def to_dict(self) -> DirectionRecord:
        """The rows in plain types."""
        return {
            "first": plain(self.first),
            "second": plain(self.second),
            "count": len(self),
            "ids": [plain(x) for x in self.ids],
            "places": list(self.places),
        }

    def __str__(self) -> str:
        return f"the first model decides {self.first} and the second {self.second}"


@dataclass(frozen=True, repr=False)
class Region(Readable):
    """A region throughout which the two models decide differently, each in one way.

    Attributes
    ----------
    term : Term
    first, second : object
        What the two models decide there.
    rows : tuple of int
        The training rows in it, by their place.
    share : float or None
        How much of the box of the training ranges it is, features taken as independent; None without training rows.
    """

    term: Term
    first: object
    second: object
    rows: tuple[int, ...]
    share: float | None
    context: TreeContext

    def to_dict(self) -> RegionRecord:
        """The region in plain types."""
        return {
            "literals": [self.context.literal_record(x) for x in self.term.literals],
            "first": plain(self.first),
            "second": plain(self.second),
            "rows": list(self.rows),
            "share": self.share,
        }

    def to_text(self, *, full: bool = False) -> str:
        """The region in words; of many conditions the first, unless `full`."""
        affected = f" ({len(self.rows)} of your rows)" if self.share is not None else ""
        literals = self.term.literals
        kept = literals if full else literals[: text.count_shown(len(literals))]
        words = " AND ".join(self.context.literal_record(x)["text"] for x in kept) or "anything"
        more = f" AND {len(literals) - len(kept)} more conditions" if len(kept) < len(literals) else ""
        return f"{self.first} -> {self.second} IF {words}{more}{affected}"

    def __repr__(self) -> str:
        size = format_count(len(self.term.literals), "condition")
        return f"<Region {self.first} -> {self.second}: {size}, {format_count(len(self.rows), 'row')}>"

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True, repr=False)
class Comparison(Certified, Readable):
    """Whether two models decide alike.

    Attributes
    ----------
    outcome : Outcome
        "holds": they decide alike on every row, proved. "fails": they do not, with a witness. "undecided": no
        difference was found in time.
    witness : tuple of float or None
        A row that they decide differently.
    decisions : tuple
        What the two say about it.
    scores : tuple of Score
        What the two decisions on it are based on.
    directions : tuple of ChangedRows
        The training rows that they decide differently, by what the two decide; the most frequent way first.
    affected : tuple of int
        The training rows that they decide differently, by their place.
    rows : int
        How many training rows there are.
    regions : tuple of Region
        Where they differ: regions around the affected rows, or the witness, those with the most rows first. There may
        be more of them.
    note : str
        If it is undecided: how far the proof came.
    certify : callable or None
        What writes the certificate of models that decide alike; None where the models are not at hand.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
    >>> explainer = Explainer(tree, iris.data, **names)
    >>> smaller = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    >>> found = explainer.compare(smaller, regions=1)
    >>> found.outcome, found.affected
    (<Outcome.FAILS: 'fails'>, (77, 83, 119, 129, 133, 134))
    """

    outcome: Outcome
    context: TreeContext
    witness: tuple[float, ...] | None = None
    decisions: tuple[object, ...] = ()
    affected: tuple[int, ...] = ()
    rows: int = 0
    regions: tuple[Region, ...] = ()
    note: str = ""
    directions: tuple[ChangedRows, ...] = ()
    scores: tuple[Score, ...] = ()
    certify: Certifier | None = field(default=None, repr=False, compare=False)

    @property
    def _unproved(self) -> str:
        return self.outcome.say_uncertified()

    @property
    def equivalent(self) -> bool | None:
        """True or False; None if it is undecided."""
        return {Outcome.HOLDS: True, Outcome.FAILS: False, Outcome.UNDECIDED: None}[self.outcome]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed about rows."""
        return self.context.all_assumptions

    def to_dict(self) -> ComparisonRecord:
        """The comparison in plain types."""
        return {
            "equivalent": self.equivalent,
            "words": self.words,
            "directions": [direction.to_dict() for direction in self.directions],
            "witness": None if self.witness is None else [None if x != x else x for x in self.witness],
            "shown": self._shown(),
            "decisions": [plain(d) for d in self.decisions],
            "scores": [score.to_dict() for score in self.scores],
            "affected": list(self.affected),
            "rows": self.rows,
            "regions": [region.to_dict() for region in self.regions],
            "note": self.note,
            "assumptions": list(self.assumptions),
            "model": self.context.digest,
        }

    def _shown(self) -> dict[str, str]:
        """The witness per feature, in words."""
        if self.witness is None:
            return {}
        return {x["feature"]: x["shown"] for x in instance_record(self.context, self.witness)}

    @property
    def words(self) -> str:
        """What is known, as a sentence."""
        if self.outcome is Outcome.HOLDS:
            return "Proved: the two models decide alike on every row."
        if self.outcome is Outcome.UNDECIDED:
            return "Not decided: whether the two models decide alike on every row."
        if not self.rows:
            return "The two models decide some rows differently."
        if not self.affected:
            return f"The two models decide some rows differently, but none of your {self.rows:,} rows."
        return f"The two models decide {len(self.affected):,} of your {self.rows:,} rows differently."

    @property
    def _head(self) -> str:
        heads = {Outcome.HOLDS: "equivalent", Outcome.FAILS: "different", Outcome.UNDECIDED: "undecided"}
        return heads[self.outcome]

    def to_text(self, *, full: bool = False) -> str:
        """The comparison in words; `full` names all rows and all conditions."""
        lines = [self._head, self.words]
        if self.note:
            lines.append(f"{self.note[:1].upper()}{self.note[1:]}.")
        lines += self._directions(full) if self.outcome is Outcome.FAILS else []
        if self.regions:
            lines.append("Proved to differ throughout:")
            lines += [f"   {region.to_text(full=full)}" for region in self.regions]
        if self.witness is not None and not self.affected:
            lines.append(f"For instance: {self._instance(full)}.")
        if self.outcome is Outcome.HOLDS and self.assumptions:
            lines.append(f"Assumes: {'; '.join(self.assumptions)}.")
        return join_lines(lines, "   ")

    def _directions(self, full: bool) -> list[str]:
        """In which directions the two differ, on how many rows and on which."""
        lines = []
        for i, one in enumerate(self.directions):
            back = i == 1 == len(self.directions) - 1 and one.first == self.directions[0].second
            told = "the other way round" if back and one.second == self.directions[0].first else str(one)
            ids = format_ids(one.ids, len(one) if full else SHOWN_IDS)
            lines.append(f"{told[:1].upper()}{told[1:]}: {len(one):,} of your {self.rows:,} rows ({ids}).")
        return lines

    def _instance(self, full: bool) -> str:
        first, second = (str(decision) for decision in self.decisions)
        if len(self.scores) == 2:
            first, second = (score.text for score in self.scores)
        held = values_in_words(self._shown(), full=full)
        return f"first model {first}; second model {second}; for {held}"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import comparison

        return comparison(self.to_dict())

    def __repr__(self) -> str:
        return f"<Comparison {self._head}: {self.words}>"

    def __str__(self) -> str:
        return self.to_text()
