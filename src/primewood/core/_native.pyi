from collections.abc import Callable
from enum import Enum
from typing import TypedDict

from numpy import float64, int32, int64, uint8
from numpy.typing import NDArray

def apply_link(link: int, scores: NDArray[float64]) -> None: ...
def work_done() -> dict[str, int]:
    """What all searches of this process have done so far: runs, queries and search nodes."""

class GrownReply(TypedDict):
    """A box that an instance was weakened to: packed bits, and the points that show what it excludes."""

    box: bytes
    complete: bool
    queries: int
    witnesses: list[list[int]]
    blocked_by: bytes

class NearestReply(TypedDict):
    """The cheapest point that gets a different decision, as far as it is known."""

    point: list[int] | None
    cost: float
    lower: float
    complete: bool

class Forest:
    patience: int
    local_search: bool
    @property
    def atoms(self) -> int: ...
    def possible(self, point: list[int]) -> bool: ...
    def decide(self, point: list[int]) -> int: ...
    def in_sequence(self) -> Forest: ...
    def find(
        self, mask: NDArray[uint8], label: int, otherwise: bool, seconds: float, nodes: int
    ) -> tuple[int, ...] | bool | None: ...
    def grow(
        self,
        point: list[int],
        steps: list[list[tuple[int, int]]],
        order: list[int],
        fixed: list[int],
        nominal: list[int],
        language: int,
        target: int,
        seconds: float,
        nodes: int,
    ) -> GrownReply: ...
    def nearest(
        self,
        instance: list[int],
        cost: NDArray[float64],
        largest: bool,
        target: int,
        seconds: float,
        nodes: int,
    ) -> NearestReply: ...

def make_forest(
    n_classes: int,
    ordered: NDArray[int32],
    has_missing: NDArray[uint8],
    root: NDArray[int32],
    variable: NDArray[int32],
    prefix: NDArray[int32],
    left: NDArray[int32],
    right: NDArray[int32],
    missing_left: NDArray[uint8],
    weight: NDArray[int64],
    value: NDArray[float64],
    exact: NDArray[uint8],
    band: int,
    any_order: bool,
    group_size: NDArray[int32],
    group_weight: NDArray[float64],
    divisor: float,
    start: NDArray[float64],
    single: bool,
    link: int,
    cuts: NDArray[float64],
    n_rules: int,
    forbidden: NDArray[uint8],
) -> Forest: ...

class Joint:
    @property
    def atoms(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def meets(self, point: list[int], asked: list[tuple[int, int, int]]) -> bool: ...
    def meet(
        self, mask: NDArray[uint8], asked: list[tuple[int, int, int]], seconds: float, nodes: int
    ) -> tuple[int, ...] | bool | None: ...

def join(
    parts: list[Forest],
    places: list[list[int]],
    ordered: list[int],
    has_missing: list[int],
    paired: bool,
    twins: bool,
    root: NDArray[int32],
    variable: NDArray[int32],
    prefix: NDArray[int32],
    left: NDArray[int32],
    right: NDArray[int32],
    missing_left: NDArray[uint8],
    forbidden: NDArray[uint8],
    most_nodes: int,
    seconds: float,
) -> Joint | bool | None: ...

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

class Language(Enum):
    """What a literal may say about one variable."""

    SETS = ...
    INTERVALS = ...
    VALUES = ...

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
