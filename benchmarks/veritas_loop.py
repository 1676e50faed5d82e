"""The `values` explanation with Veritas (dtai-veritas) as the oracle of a plain deletion loop.

Let go of one feature after the other; a feature stays free if Veritas proves that no row with the kept
features at their values has a larger score for a rival class. Its box is in its own arithmetic.
"""

from __future__ import annotations

import time

import numpy as np


class VeritasLoop:
    def __init__(self, model) -> None:
        import veritas

        self.veritas = veritas
        ensemble = veritas.get_addtree(model, silent=True)
        classes = range(len(model.classes_))
        if len(classes) == 2:
            self.margins = {(0, 1): ensemble, (1, 0): ensemble.negate_leaf_values()}
        else:
            self.margins = {
                (c, r): ensemble.contrast_classes(r, c) for c in classes for r in classes if c != r
            }

    def explain(self, x, label: int, order, limit: float) -> tuple[float, bool, int]:
        """CPU seconds, whether every answer was a proof, and how many features are kept."""
        start, deadline = time.process_time(), time.monotonic() + limit
        kept, proved = set(range(len(x))), True
        for feature in order:
            verdict = self.safe(x, kept - {feature}, label, deadline)
            if verdict:
                kept.discard(feature)
            proved = proved and verdict is not None
        return time.process_time() - start, proved, len(kept)

    def safe(self, x, kept, label: int, deadline: float) -> bool | None:
        """True: proved; False: a counterexample; None: out of time."""
        v = self.veritas
        box = [
            v.Interval(float(value), float(np.nextafter(np.float32(value), np.float32(np.inf))))
            if j in kept
            else v.Interval()
            for j, value in enumerate(np.asarray(x, dtype=np.float32))
        ]
        unknown = False
        for (decided, _), margin in self.margins.items():
            if decided != label:
                continue
            config = v.Config(v.HeuristicType.MAX_OUTPUT)
            config.ignore_state_when_worse_than = 0.0
            config.stop_when_num_solutions_exceeds = 1
            search = config.get_search(margin, box)
            reason = v.StopReason.NONE
            while reason == v.StopReason.NONE and time.monotonic() < deadline:
                reason = search.step_for(max(0.001, min(0.5, deadline - time.monotonic())), 100)
            if search.num_solutions() > 0:
                return False
            unknown = unknown or reason not in (v.StopReason.NO_MORE_OPEN, v.StopReason.OPTIMAL)
        return None if unknown else True
