from collections.abc import Callable
from enum import Enum

from numpy import float64, int32, int64, uint8
from numpy.typing import NDArray

MOST_RULES: int
"""So many rules a forest may have."""
ROOM_WITH_RULES: int
"""Where there are rules, sums of weights stay below 2 to the power of this."""

class Language(Enum):
    """What a literal may say about one variable."""

    SETS = ...
    INTERVALS = ...
    VALUES = ...

class Link(Enum):
    """What scores go through before they are compared."""

    IDENTITY = ...
    LOGISTIC32 = ...
    LOGISTIC = ...
    SOFTMAX32 = ...
    SOFTMAX = ...
    EXPONENTIAL32 = ...
    EXPONENTIAL = ...

def apply_link(link: Link, scores: NDArray[float64]) -> None: ...

class Budget:
    """What a run may take; −1 for no limit. With a limit on nodes, it works in one thread."""

    def __init__(self, seconds: float = -1.0, nodes: int = -1, threads: int = 1) -> None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def nodes(self) -> int: ...
    @property
    def threads(self) -> int: ...

class Outcome(Enum):
    """How a search ended; where a limit interrupted it, nothing is proved."""

    FOUND = ...
    NONE_EXISTS = ...
    INTERRUPTED = ...

class Found:
    """A point, if one was found; else its point is empty."""

    @property
    def outcome(self) -> Outcome: ...
    @property
    def point(self) -> tuple[int, ...]: ...

class WorkDone:
    @property
    def runs(self) -> int: ...
    @property
    def queries(self) -> int: ...
    @property
    def nodes(self) -> int: ...

def work_done() -> WorkDone:
    """What all searches of this process have done so far."""

class VariableArrays:
    """Per variable: how many values are in a line, and whether "missing" comes after them."""

    ordered: NDArray[int32]
    has_missing: NDArray[uint8]

class TreeArrays:
    """Trees, the nodes of one after those of the other; the last `n_rules` are rules."""

    root: NDArray[int32]
    variable: NDArray[int32]
    prefix: NDArray[int32]
    left: NDArray[int32]
    right: NDArray[int32]
    missing_left: NDArray[uint8]
    forbidden: NDArray[uint8]
    n_rules: int

class VoteArrays:
    """How leaves decide: exact integers per class, and floats as the library adds them."""

    n_classes: int
    weight: NDArray[int64]
    value: NDArray[float64]
    exact: NDArray[uint8]
    band: int
    any_order: bool
    group_size: NDArray[int32]
    group_weight: NDArray[float64]
    divisor: float
    start: NDArray[float64]
    single: bool
    link: Link
    cuts: NDArray[float64]

class SearchOptions:
    """How to search; it changes no answer."""

    patience: int
    local_search: bool
    probe: int
    alone: int
    few: int

class Question:
    """Asks for a point that is not decided for the label; given a target, for one that is decided for it."""

    def __init__(self, label: int, target: int | None = None) -> None: ...
    @property
    def label(self) -> int: ...
    @property
    def target(self) -> int | None: ...

class Norm(Enum):
    """Which costs of a point count: all of them, or the largest."""

    SUM = ...
    LARGEST = ...

class Weakening:
    """How to weaken an instance."""

    steps: list[list[tuple[int, int]]]
    order: list[int]
    fixed: list[int]
    nominal: list[int]
    language: Language
    target: int | None

class Counts:
    @property
    def queries(self) -> int: ...
    @property
    def bounded(self) -> int: ...
    @property
    def falsified(self) -> int: ...
    @property
    def searched(self) -> int: ...
    @property
    def relaxed(self) -> int: ...

class Grown:
    """A box, one bit per value, and the counterexamples that were seen on the way to it."""

    @property
    def box(self) -> bytes: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def blocked_by(self) -> NDArray[int32]: ...
    @property
    def witnesses(self) -> list[list[int]]: ...
    @property
    def counts(self) -> Counts: ...

class Growth:
    """The box so far, and how many of all steps are done."""

    @property
    def found(self) -> Grown: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def nodes(self) -> int: ...

class Nearest:
    """The nearest point that was found, if any, with its cost; nothing costs less than `lower`."""

    @property
    def outcome(self) -> Outcome: ...
    @property
    def point(self) -> tuple[int, ...]: ...
    @property
    def cost(self) -> float: ...
    @property
    def lower(self) -> float: ...

class RecordingOutcome(Enum):
    """How a recording ended: with proofs, or why without."""

    PROOFS = ...
    COUNTEREXAMPLE = ...
    TOO_LONG = ...
    NEEDS_LINK = ...
    INTERRUPTED = ...

class Recording:
    """Proofs for certificates: a body and a unit per rival."""

    @property
    def outcome(self) -> RecordingOutcome: ...
    @property
    def bodies(self) -> list[bytes]: ...
    @property
    def units(self) -> list[int]: ...
    @property
    def nodes(self) -> int: ...

class Forest:
    options: SearchOptions
    def __init__(self, variables: VariableArrays, trees: TreeArrays, vote: VoteArrays) -> None: ...
    @property
    def atoms(self) -> int: ...
    def possible(self, point: list[int]) -> bool: ...
    def decide(self, point: list[int]) -> int: ...
    def decide_all(self, points: NDArray[int32]) -> NDArray[int32]: ...
    def sum_in_sequence(self) -> Forest: ...
    def find(self, mask: NDArray[uint8], question: Question, budget: Budget) -> Found: ...
    def grow(
        self,
        point: list[int],
        weakening: Weakening,
        budget: Budget,
        watcher: Callable[[Growth], None] | None = None,
    ) -> Grown: ...
    def find_within(
        self, start: list[int], cost: NDArray[float64], most: float, question: Question, budget: Budget
    ) -> Found: ...
    def nearest(
        self, instance: list[int], cost: NDArray[float64], norm: Norm, target: int | None, budget: Budget
    ) -> Nearest: ...
    def record(
        self,
        mask: NDArray[uint8],
        pairs: list[tuple[int, int]],
        features: list[int],
        most_nodes: int,
        budget: Budget,
    ) -> Recording: ...

class JointPlan:
    """How forests are put together."""

    variables: VariableArrays
    relations: TreeArrays
    paired: bool
    twins: bool
    most_nodes: int

class Demand:
    """That a part decides a label; given a rival, that the rival keeps it from doing so."""

    def __init__(self, part: int, label: int, rival: int | None = None) -> None: ...
    @property
    def part(self) -> int: ...
    @property
    def label(self) -> int: ...
    @property
    def rival(self) -> int | None: ...

class Joint:
    @property
    def atoms(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def meets(self, point: list[int], demands: list[Demand]) -> bool: ...
    def find(self, mask: NDArray[uint8], demands: list[Demand], budget: Budget) -> Found: ...
    def record(
        self,
        mask: NDArray[uint8],
        classes: list[int],
        costs: list[int],
        affordable: int,
        features: list[int],
        most_nodes: int,
        budget: Budget,
    ) -> Recording: ...

class JoinOutcome(Enum):
    JOINED = ...
    TOO_LARGE = ...
    INTERRUPTED = ...

class Joining:
    @property
    def outcome(self) -> JoinOutcome: ...
    @property
    def joint(self) -> Joint | None: ...

def join(parts: list[Forest], places: list[list[int]], plan: JointPlan, budget: Budget) -> Joining: ...

class Exceeded(Enum):
    """The limit that a run outgrew."""

    NODES = ...
    TIME = ...

class Overrun:
    """A run that outgrew a limit, and how far it got."""

    @property
    def limit(self) -> Exceeded: ...
    @property
    def nodes(self) -> int: ...
    @property
    def states(self) -> int: ...

MOST_LEVELS: int

class Diagram:
    """A finished diagram: per level the children of its nodes, one row per node; terminals below."""

    def __init__(self, levels: list[NDArray[int32]], root: int, terminals: int) -> None: ...
    @property
    def root(self) -> int: ...
    @property
    def terminals(self) -> int: ...
    def level(self, level: int) -> NDArray[int32]: ...
    def decide(self, path: list[int]) -> int: ...
    def find(self, box: list[list[int]], label: int, otherwise: bool) -> list[int] | None: ...

class OrderedDiagram:
    """A diagram and the variable of each of its levels."""

    def __init__(self, diagram: Diagram, order: list[int]) -> None: ...
    @property
    def diagram(self) -> Diagram: ...
    @property
    def order(self) -> list[int]: ...

def reorder(diagram: OrderedDiagram, order: list[int], most_nodes: int) -> OrderedDiagram | Overrun: ...

class Stage(Enum):
    """What a compilation is at."""

    ORDER = ...
    DECISION = ...
    SIFTING = ...

class Progress:
    """How far a compilation is."""

    @property
    def stage(self) -> Stage: ...
    @property
    def nodes(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def settled(self) -> int: ...
    @property
    def parts(self) -> int: ...

class CompileOptions:
    """What a compilation starts with, and how much it may take."""

    def __init__(
        self,
        *,
        order: list[int],
        find_order: bool,
        most_nodes: int,
        most_states: int,
        order_work: float,
        final_work: float,
    ) -> None: ...

class Compilation:
    """A diagram that was compiled, and what that took."""

    @property
    def found(self) -> OrderedDiagram: ...
    @property
    def progress(self) -> Progress: ...

def compile(
    forest: Forest,
    options: CompileOptions,
    *,
    seconds: float | None,
    watcher: Callable[[Progress], None] | None,
) -> Compilation | Overrun: ...

TERMINAL_VARIABLE: int

class ReasonQuery:
    """Which reason is asked for: that of "the terminal is this label"."""

    def __init__(
        self, *, label: int, language: Language, ordered: list[int], instance: list[int], contrast: bool
    ) -> None: ...

class LevelRestriction:
    """Values of the variable at a level."""

    @property
    def level(self) -> int: ...
    @property
    def values(self) -> list[int]: ...

class BinaryDiagram:
    """Nodes as arrays, children first; the first two are the terminals."""

    @property
    def variable(self) -> NDArray[int32]: ...
    @property
    def lo(self) -> NDArray[int32]: ...
    @property
    def hi(self) -> NDArray[int32]: ...
    @property
    def root(self) -> int: ...

class ReasonFunction:
    """A monotone function of restrictions, and its prime implicants."""

    @property
    def restrictions(self) -> list[LevelRestriction]: ...
    def function(self) -> BinaryDiagram: ...
    def primes(self, *, seconds: float | None) -> BinaryDiagram | Overrun: ...

def build_reason(
    diagram: Diagram, query: ReasonQuery, *, most_nodes: int, seconds: float | None
) -> ReasonFunction | Overrun: ...

class Expressions:
    """Functions under construction; each is known by its number."""

    def __init__(self, widths: list[int], *, most_nodes: int, seconds: float | None) -> None: ...
    def constant(self, value: bool) -> int | Overrun: ...
    def literal(self, level: int, allowed: list[int]) -> int | Overrun: ...
    def negation(self, argument: int) -> int | Overrun: ...
    def conjunction(self, left: int, right: int) -> int | Overrun: ...
    def disjunction(self, left: int, right: int) -> int | Overrun: ...
    def at_least(self, count: int, arguments: list[int]) -> int | Overrun: ...
    def finish(self, root: int, order: list[int], *, work: float) -> OrderedDiagram: ...
