"""What a report says, in plain types: the dictionary that `Report.to_dict` gives, section by section."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from primewood.render.records import (
    ContrastRecord,
    CounterfactualRecord,
    CoveredRecord,
    DescriptionRecord,
    ExplanationRecord,
    HistogramRecord,
    LiteralRecord,
    OutcomeRecord,
    Scalar,
)

RowsOrigin = Literal["given", "training", "none"]
FeatureChanges = dict[str, list[Scalar | None]]
"""For each changed feature, its old and new value as text."""


class ModelSection(DescriptionRecord):
    """The model, and what it decides by."""

    threshold: float | None
    between: list[float] | None
    immutable: list[str]


class DecisionCount(TypedDict):
    """How many rows get a decision."""

    decision: Scalar
    rows: int


class RowsSection(TypedDict):
    """The rows, and how the decisions are distributed over them."""

    source: RowsOrigin
    rows: int
    decided: int
    outside: int
    training: int | None
    decisions: list[DecisionCount]


class CaseScore(TypedDict):
    """The number that a decision comes from, and what it is."""

    what: str
    value: float


class FewestFeaturesRecord(ContrastRecord):
    """The fewest features that change a decision."""

    features: list[str]
    changes: FeatureChanges


class CaseRecord(TypedDict):
    """A row: why it is decided so, and what would change that; or the problem with it."""

    row: int
    label: Scalar
    chosen: str
    problem: str | None
    score: NotRequired[CaseScore]
    why: NotRequired[ExplanationRecord]
    fewest: NotRequired[FewestFeaturesRecord]
    nearest: NotRequired[CounterfactualRecord]


class CasesSection(TypedDict):
    """The decisions that are explained one by one."""

    asked_for: bool
    literal_language: str
    statuses: dict[str, int]
    items: list[CaseRecord]


class NearestRow(TypedDict):
    """A row just beyond the radius of another one."""

    decision: Scalar
    changes: FeatureChanges
    row: list[float | None]


class RadiusRecord(TypedDict):
    """The proved radius of a row; for the least robust rows, also the row just beyond it."""

    row: int
    label: Scalar
    decision: Scalar
    radius: float | None
    upper: float | None
    status: str
    nearest: NotRequired[NearestRow | None]


class RobustnessSection(TypedDict):
    """How far rows can move; only `absent`, which says why, where there are no rows."""

    absent: str | None
    ranges: NotRequired[RowsOrigin]
    sampled: NotRequired[int]
    measured: NotRequired[int]
    exact: NotRequired[int]
    unmoved: NotRequired[int]
    least: NotRequired[float | None]
    median: NotRequired[float | None]
    largest: NotRequired[float | None]
    histogram: NotRequired[HistogramRecord]
    rows: NotRequired[list[RadiusRecord]]
    least_robust: NotRequired[list[RadiusRecord]]


class PropertyRecord(OutcomeRecord):
    """A property with its outcome."""

    kind: str
    features: list[str]
    claim: str


class PropertiesSection(TypedDict):
    """The properties that were stated, or that were asked about by default."""

    stated: bool
    ordered: NotRequired[bool]
    items: list[PropertyRecord]


class FeatureUse(TypedDict):
    """How many explanations mention a feature, and on how many rows it alone changes the decision."""

    feature: str
    explanations: int
    alone: int


class UseCounts(TypedDict):
    """Over which explanations feature use is counted."""

    source: Literal["sample", "batch"]
    rows: int
    explained: int
    proved: int
    failed: int
    taken_over: int
    finished: bool
    sizes: dict[str, int]


class FeaturesSection(UseCounts):
    """What features do."""

    sampled: int
    alone_rows: int
    items: list[FeatureUse]


class ReportRule(TypedDict):
    """A rule, and how many rows it covers: of the report, and of those that rules were grown from."""

    decision: Scalar | None
    status: str
    literals: list[LiteralRecord]
    rows: int
    new_rows: int
    covers: int


class GrownFrom(TypedDict):
    """The rows that rules were grown from."""

    source: RowsOrigin
    rows: int
    of: int


class RulesSection(TypedDict):
    """Rules for the whole model; only `absent`, which says why, where there are no rows."""

    absent: str | None
    status: NotRequired[str]
    literal_language: NotRequired[str]
    rules: NotRequired[list[ReportRule]]
    decisions: NotRequired[list[CoveredRecord]]
    curve: NotRequired[list[float]]
    outside: NotRequired[int]
    vote: NotRequired[str | None]
    model: NotRequired[str | None]
    assumptions: NotRequired[list[str]]
    counted: NotRequired[int]
    covered: NotRequired[int]
    uncovered: NotRequired[list[Scalar]]
    most_rules: NotRequired[int]
    grown_from: NotRequired[GrownFrom]


class ConfirmationRecord(TypedDict):
    """On how many rows of the evidence the model itself decides as the report says."""

    rows: int
    agree: int
    by: Literal["predict", "scores", "reading"] | None


class SettingsRecord(TypedDict):
    """What was asked for."""

    rows: list[int] | None
    explain: int
    sample: int
    answers: str | None
    properties: list[str]
    literals: str
    time_limit: float | None
    work_limit: int | None
    seed: int
    certificates: bool


class DigestsRecord(TypedDict):
    """Hashes that identify the model and the rows."""

    model: str
    rows: str | None
    training: str | None


class CertificateEntry(TypedDict):
    """What a certificate is about, and its SHA-256; or why there is none."""

    about: str
    sha256: str | None
    reason: str | None


class MadeRecord(TypedDict):
    """When a report was made, how long it took, with which versions."""

    date: str
    seconds: dict[str, float]
    versions: dict[str, str]
    digests: DigestsRecord
    settings: SettingsRecord


class ReportRecord(TypedDict):
    """A report."""

    format: str
    version: int
    title: str
    model: ModelSection
    rows: RowsSection
    cases: CasesSection
    robustness: RobustnessSection
    properties: PropertiesSection
    features: FeaturesSection
    rules: RulesSection
    confirmation: ConfirmationRecord
    certificates: list[CertificateEntry] | None
    made: MadeRecord
