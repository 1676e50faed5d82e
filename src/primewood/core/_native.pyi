from collections.abc import Callable
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

class Progress:
    stage: str
    nodes: int
    states: int
    settled: int
    parts: int

class Diagram:
    root: int
    terminals: int
    def level(self, j: int) -> NDArray[int32]: ...
    def decide(self, point: list[int]) -> int: ...
    def find(self, box: list[list[int]], label: int, otherwise: bool) -> tuple[int, ...] | None: ...

class Reason:
    def __init__(
        self,
        diagram: Diagram,
        ordered: list[int],
        language: int,
        point: list[int],
        label: int,
        contrast: bool,
        nodes: int,
        seconds: float,
    ) -> None: ...
    @property
    def restrictions(self) -> list[tuple[int, list[int]]]: ...
    def function(self) -> tuple[NDArray[int32], NDArray[int32], NDArray[int32], int]: ...
    def primes(self, seconds: float) -> tuple[NDArray[int32], NDArray[int32], NDArray[int32], int]: ...

class Expressions:
    def __init__(self, width: list[int], nodes: int, seconds: float) -> None: ...
    @property
    def size(self) -> int: ...
    def constant(self, value: bool) -> int | None: ...
    def literal(self, level: int, allowed: list[int]) -> int | None: ...
    def negation(self, argument: int) -> int | None: ...
    def conjunction(self, left: int, right: int) -> int | None: ...
    def disjunction(self, left: int, right: int) -> int | None: ...
    def at_least(self, count: int, arguments: list[int]) -> int | None: ...
    def finish(self, root: int, order: list[int], work: float) -> tuple[Diagram, list[int]]: ...

def compile(
    forest: Forest,
    order: list[int],
    find_order: bool,
    nodes: int,
    states: int,
    order_work: float,
    final_work: float,
    seconds: float,
    watcher: Callable[[str, int, int], None] | None,
    progress: Progress,
) -> tuple[Diagram, list[int]] | None: ...
def make_diagram(rows: list[NDArray[int32]], root: int, terminals: int) -> Diagram: ...
def reordered(diagram: Diagram, order: list[int], wanted: list[int], nodes: int) -> Diagram | None: ...
