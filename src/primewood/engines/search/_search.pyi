from numpy import float64, int32, int64, uint8
from numpy.typing import NDArray

class Forest:
    patience: int
    local_search: bool
    @property
    def atoms(self) -> int: ...
    def decide(self, point: list[int]) -> int: ...
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
        seconds: float,
        nodes: int,
    ) -> dict[str, object]: ...

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
) -> Forest: ...
