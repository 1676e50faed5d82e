"""Answers in plain types: the dictionaries that `to_dict` gives and that JSON contains.

Everything that is shown (words, terminals, cards, frames, plots) is made from these and from nothing else. The page
``docs/reference/records.md`` says what each field means. None means no bound, a missing value, or unknown.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, final

from primewood.logic.interval import Closed

Scalar = bool | int | float | str
"""A decision, a category or a number."""
Bound = list[str] | None
"""A printed bound: an operator and a decimal; None if there is no bound."""


def plain(value: object) -> Scalar:
    """A value as a JSON type."""
    return value if isinstance(value, bool | int | float | str) else str(value)


class IntervalRecord(TypedDict):
    """An interval, with its exact ends."""

    low: float | None
    high: float | None
    closed: Closed


class EndsRecord(TypedDict):
    """The printed bounds of an interval."""

    low: Bound
    high: Bound


class LiteralRecord(TypedDict):
    """A condition on one feature: intervals of numbers with their ends, or values with a condition."""

    feature: str
    unit: str
    missing: bool
    shown: list[str]
    text: str
    whole: NotRequired[bool]
    intervals: NotRequired[list[IntervalRecord]]
    ends: NotRequired[list[EndsRecord]]
    values: NotRequired[list[Scalar]]
    condition: NotRequired[str]


class HistogramRecord(TypedDict):
    """How many training rows lie between neighbouring edges."""

    edges: list[float]
    counts: list[int]


class ScaleRecord(TypedDict, total=False):
    """The scale of a feature: the range of its training numbers, or its categories."""

    kind: Literal["numeric", "categories"]
    low: float | None
    high: float | None
    values: list[Scalar]


class DistributionRecord(TypedDict, total=False):
    """How training rows are distributed over a feature."""

    missing_count: int | None
    histogram: HistogramRecord | None
    counts: list[int] | None


class EntryRecord(ScaleRecord, DistributionRecord):
    """A feature of the row that an answer is about, and its training rows."""

    feature: str
    unit: str
    value: Scalar | None
    shown: str
    tested: bool


class ScoreRecord(TypedDict):
    """What a decision is based on."""

    text: str
    reason: str
    decision: Scalar | None
    measure: str
    of: Scalar | None
    value: float
    raw: float | None
    cutoff: float | None


class ExclusionRecord(TypedDict):
    """A run of values that an explanation excludes, with a row that gets a different decision."""

    text: str
    literal: LiteralRecord
    shown: dict[str, str]
    values: int
    row: list[float | None]
    changed: dict[str, float | None]
    decision: Scalar | None


class ExclusionsRecord(TypedDict, total=False):
    """The exclusions of an explanation: all or the first, their total number, and where to find the rest."""

    excludes: list[ExclusionRecord]
    excludes_total: int
    excludes_note: str


class NecessityRecord(TypedDict):
    """How many of the values that one condition excludes are shown to be necessary."""

    feature: str
    excluded: int
    necessary: int
    undecided: int


class NecessitiesRecord(TypedDict, total=False):
    """What is shown of the conditions of an explanation that was interrupted."""

    necessity: list[NecessityRecord]


class InShortRecord(TypedDict):
    """A decision in short: a rule and how often it holds; without literals, no rule was found."""

    decision: Scalar | None
    literals: list[LiteralRecord] | None
    precision: float
    matching: int
    same: int
    rows: int
    is_sample: bool
    lower: float | None
    promised: bool
    mixed_matching: int
    mixed_same: int
    exceptions: list[Scalar | None]


class BoundsRecord(TypedDict):
    """Between which numbers, both included, a feature stays."""

    feature: str
    low: float
    high: float


class NearRecord(TypedDict):
    """Which rows an answer near a row is about.

    Numbers differ from the row's own by at most `share` of their training range, which gives their bounds, and at most
    `features` features differ; None where that does not matter.
    """

    share: float | None
    features: int | None
    bounds: list[BoundsRecord]


class NearbyRecord(TypedDict, total=False):
    """Which rows an explanation is about, where these are only rows near one row."""

    near: NearRecord


class InShortOverSpaceRecord(TypedDict):
    """A decision in short over the feature space; without literals, no rule was found."""

    decision: Scalar | None
    literals: list[LiteralRecord] | None
    precision: float
    over: str
    lower: float | None
    upper: float | None
    is_exact: bool
    coverage: float
    assumptions: list[str]


class ShortenedRecord(TypedDict, total=False):
    """An explanation's decision in short, where that was asked for."""

    in_short: InShortRecord


class ExplanationRecord(ExclusionsRecord, NecessitiesRecord, NearbyRecord, ShortenedRecord):
    """An explanation."""

    decision: Scalar | None
    score: ScoreRecord | None
    status: str
    literal_language: str
    literals: list[LiteralRecord]
    coverage: float | None
    volume: float | None
    queries: int
    vote: str | None
    model: str | None
    assumptions: list[str]
    notes: list[str]
    goal: str | None
    bounds: list[float | None] | None
    history: list[list[float | None]]
    instance: list[EntryRecord]


class RuleRecord(ExplanationRecord):
    """A rule of a rule list: an explanation, and how many training rows it covers."""

    rows: int
    new_rows: int


class CoverageRecord(TypedDict):
    """How many training rows the explanations of a batch cover."""

    least: float
    median: float
    largest: float


@final
class SummaryRecord(TypedDict):
    """A summary of the explanations of a batch: counts by name."""

    rows: int
    decisions: dict[str, int]
    statuses: dict[str, int]
    features: dict[str, int]
    sizes: dict[str, int]
    coverage: CoverageRecord | None


@final
class BatchRecord(TypedDict):
    """The explanations of many rows."""

    summary: SummaryRecord
    index: list[Scalar]
    explanations: list[ExplanationRecord]


class CellRecord(TypedDict, total=False):
    """A cell of a feature: an interval, values, or missing."""

    low: float | None
    high: float | None
    closed: Closed
    values: list[Scalar]
    missing: bool


class ShownEndsRecord(TypedDict, total=False):
    """The printed bounds of a run of numbers; absent for other values."""

    ends: EndsRecord


class StretchRecord(CellRecord, ShownEndsRecord):
    """A run of cells of a what-if strip with one decision; for numbers, with the printed bounds."""

    decision: Scalar | None
    proved: bool
    text: str


class RowOnAxisRecord(ScaleRecord):
    """A feature that changes, and the row's own value."""

    feature: str
    unit: str
    value: Scalar | None
    shown: str


class WhatIfRecord(RowOnAxisRecord):
    """The decisions if one feature of a row changes."""

    decision: Scalar | None
    score: ScoreRecord | None
    pieces: list[StretchRecord]
    classes: list[Scalar]
    rule: str


class AxisRecord(RowOnAxisRecord):
    """An axis of a decision map: its cells, and which of them the explanation allows."""

    cells: list[CellRecord]
    inside: list[bool]


class DecisionMapRecord(TypedDict):
    """The decisions if two features of a row change."""

    axes: list[AxisRecord]
    decisions: list[list[int | None]]
    classes: list[Scalar]
    decision: Scalar | None
    score: ScoreRecord | None
    rule: str


class FeatureImportanceRecord(TypedDict):
    """How often one feature matters over some rows."""

    feature: str
    in_explanations: int
    flips_alone: int


class ImportanceRecord(TypedDict):
    """Which features matter over some rows."""

    rows: int
    explained: int
    tested: int
    undecided: int
    importance: list[FeatureImportanceRecord]
    assumptions: list[str]
    literal_language: str
    model: str | None


class BreakingRecord(TypedDict):
    """The training rows that break a property."""

    count: int
    rows: int
    complete: bool
    text: str
    ids: list[Scalar]
    places: list[int]
    decisions: list[Scalar]
    changes: list[dict[str, Scalar | None]]
    changed_decisions: list[Scalar]


class OutcomeRecord(TypedDict):
    """What is known about a property."""

    property: str
    outcome: str
    words: str
    breaking: BreakingRecord | None
    witnesses: list[list[float | None]]
    shown: list[dict[str, str]]
    decisions: list[Scalar]
    scores: list[ScoreRecord | None]
    differ_in: list[str]
    proved: float
    note: str
    assumptions: list[str]


class VerificationRecord(OutcomeRecord):
    """Whether a property holds for a model."""

    model: str | None


class CounterfactualRecord(TypedDict):
    """The nearest row that gets another decision."""

    status: str
    decision: Scalar
    score: ScoreRecord | None
    other_score: ScoreRecord | None
    other: Scalar
    norm: str
    relative: bool
    cost: float | None
    lower: float | None
    row: list[float | None] | None
    changes: dict[str, list[Scalar | None]]
    box: list[LiteralRecord]
    advice: str
    model: str | None
    notes: list[str]


class CoveredRecord(TypedDict):
    """How many training rows of one decision the rules cover."""

    decision: Scalar
    rows: int
    covered: int
    uncovered: int
    curve: list[float]


class RuleListRecord(TypedDict):
    """The rules of a model."""

    status: str
    literal_language: str
    rules: list[RuleRecord]
    decisions: list[CoveredRecord]
    curve: list[float]
    outside: int
    vote: str | None
    model: str | None
    assumptions: list[str]


class GroupRuleRecord(TypedDict):
    """A rule of a group: the rows of the group that it covers, and the rule itself, proved or in short."""

    rows: int
    new_rows: int
    places: list[int]
    proved: ExplanationRecord | None
    in_short: InShortRecord | None


class UncoveredRecord(TypedDict):
    """A row of a group that no rule covers."""

    place: int
    label: Scalar | None
    reason: str


class GroupRecord(TypedDict):
    """The rules of a group of rows; without a status and a lower bound, they are short ones."""

    decision: Scalar | None
    kind: str
    status: str | None
    literal_language: str | None
    rows: int
    covered: int
    lower: int | None
    apart: list[int]
    rules: list[GroupRuleRecord]
    uncovered: list[UncoveredRecord]
    vote: str | None
    model: str | None
    assumptions: list[str]


class ContrastRecord(TypedDict):
    """The values to allow so that a different decision becomes possible."""

    decision: Scalar
    score: ScoreRecord | None
    other_score: ScoreRecord | None
    model: str | None
    other: Scalar | None
    status: str
    fewest: bool
    literal_language: str
    lets_go: list[LiteralRecord]
    changed: dict[str, float | None]
    notes: list[str]


class NearestRecord(TypedDict):
    """The nearest change of a decision that was found."""

    other: Scalar
    other_score: ScoreRecord | None
    row: list[float | None] | None
    changes: dict[str, list[Scalar | None]]


class RobustnessRecord(TypedDict):
    """How far a row can move before its decision may change."""

    status: str
    decision: Scalar
    score: ScoreRecord | None
    norm: str
    relative: bool
    radius: float | None
    upper: float | None
    nearest: NearestRecord
    model: str | None
    notes: list[str]


class RelevanceRecord(TypedDict):
    """Which features a decision depends on."""

    necessary: list[str]
    relevant: list[str]
    irrelevant: list[str]
    undecided: NotRequired[list[str]]
    complete: NotRequired[bool]
    literal_language: NotRequired[str]
    model: NotRequired[str | None]


class AttributionRecord(TypedDict):
    """Bounds on the share of explanations that mention each feature."""

    shares: dict[str, list[float]]
    count: list[int]
    complete: bool


class RefutationRecord(TypedDict):
    """A row that refutes a claim."""

    row: list[float | None]
    changed: dict[str, float | None]
    text: str
    decision: Scalar


class CheckRecord(TypedDict):
    """Whether a claimed explanation is sufficient."""

    claim: list[str]
    source: str
    decision: Scalar
    score: ScoreRecord | None
    model: str | None
    literal_language: str
    sufficient: bool | None
    contains_row: bool
    verdict: str
    status: str
    counterexample: RefutationRecord | None
    redundant: list[str]
    repaired: ExplanationRecord | None
    assumptions: list[str]
    notes: list[str]


class DirectionRecord(TypedDict):
    """The rows with one pair of different decisions of two models."""

    first: Scalar
    second: Scalar
    count: int
    ids: list[Scalar]
    places: list[int]


class RegionRecord(TypedDict):
    """A box in which two models differ on every row."""

    literals: list[LiteralRecord]
    first: Scalar
    second: Scalar
    rows: list[int]
    share: float | None


class ComparisonRecord(TypedDict):
    """Whether two models decide alike."""

    equivalent: bool | None
    words: str
    directions: list[DirectionRecord]
    witness: list[float | None] | None
    shown: dict[str, str]
    decisions: list[Scalar]
    scores: list[ScoreRecord]
    affected: list[int]
    rows: int
    regions: list[RegionRecord]
    note: str
    assumptions: list[str]
    model: str | None


class DifferenceRecord(TypedDict):
    """How two compiled models differ: counts of cells."""

    equivalent: bool
    share: float
    kinds: dict[str, int]
    assumptions: list[str]


class FeatureRecord(ScaleRecord, DistributionRecord):
    """A feature of a model: its possible values, and how many values the model distinguishes."""

    feature: str
    unit: str
    tested: bool
    cells: int


@final
class TreeTest(TypedDict):
    """A test of a tree in words, with the places of the nodes that follow: left for "yes"."""

    text: str
    left: int
    right: int


class TreeLeaf(TypedDict):
    """A leaf of a tree: the place of its class, with its share or a note."""

    decision: int
    share: NotRequired[float | None]
    note: NotRequired[str]


TreeNode = TreeTest | TreeLeaf
"""A node of a tree."""


class LevelRecord(TypedDict):
    """A level of a diagram."""

    feature: str
    values: int
    nodes: int


class CompiledRecord(TypedDict):
    """What a compiled model is like."""

    model: str | None
    nodes: int
    levels: list[LevelRecord]
    cells: dict[str, str]
    seconds: float | None
    states: int | None
    settled: int | None


class CompleteReasonRecord(TypedDict):
    """All explanations of a decision as one function: nodes 0 (open) and 1 (certain), then its own.

    A node of its own is [exclusion, node without it, node with it].
    """

    decision: Scalar
    model: str | None
    exclusions: list[LiteralRecord]
    nodes: list[list[int]]
    root: int
    necessary: list[str]
    relevant: list[str]
    irrelevant: list[str]


class FidelityRecord(TypedDict):
    """The result of the comparison with the model."""

    rows: int
    differ: int


class AgreementRecord(TypedDict):
    """The number of rows on which the vote gives the same decision as the model's own `predict`."""

    rows: int
    same: int


class DiagramRecord(TypedDict):
    """Whether a model compiles to one diagram, and to what; or why not."""

    compiles: bool
    nodes: NotRequired[int | None]
    seconds: NotRequired[float | None]
    order: NotRequired[list[str]]
    why: NotRequired[str]


class MinedRuleRecord(TypedDict):
    """A rule that was found in the training rows."""

    text: str
    features: list[str]
    support: int
    excluded: float


class MinedKnowledgeRecord(TypedDict):
    """The rules that were found in the training rows."""

    rules: list[MinedRuleRecord]
    violated: float
    rows: int


class DescriptionRecord(TypedDict):
    """The description of a model."""

    model: str
    digest: str
    kind: Literal["classifier", "regressor"]
    classes: list[Scalar]
    trees: int
    depth: int
    leaves: int
    features: int
    tested: dict[str, int]
    cells: str
    vote: str
    summation: Literal["any", "sequential"]
    may_be_missing: list[str]
    assumptions: list[str]
    constraints: list[str]
    scales: list[FeatureRecord]
    diagram: DiagramRecord
    fidelity: NotRequired[FidelityRecord]
    predict_agrees: NotRequired[AgreementRecord]
