"""The certificate of a rule: no row of some boxes gets one of some decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from primewood.engines.protocol import Clock
from primewood.errors import NoCertificate
from primewood.logic.instance import Box
from primewood.model.model import TreeModel

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate


@dataclass(frozen=True)
class RuleCertifier:
    """Writes the certificate of a rule: no row of some boxes gets one of some decisions.

    Attributes
    ----------
    model : TreeModel
        Over a domain that is cut where the rule cuts.
    boxes : tuple of Box
    forbidden : tuple of int
        The decisions.
    """

    model: TreeModel
    boxes: tuple[Box, ...]
    forbidden: tuple[int, ...]

    def __call__(self, clock: Clock) -> Certificate:
        """The certificate. Cost: another proof per box and decision."""
        from primewood.certify.record import CertificateWriter

        if not self.boxes:
            raise NoCertificate(
                "there is no certificate: no row satisfies the conditions, so nothing is claimed"
            )
        decided = [k for k in range(len(self.model.ensemble.classes)) if k not in self.forbidden]
        writer = CertificateWriter(self.model.space, clock)
        try:
            for box in self.boxes:
                writer.add_claim(box, decided)
        except ValueError:
            return certify_never(self.model, self.boxes, self.forbidden, clock)
        return writer.finish("rule")


def certify_never(
    model: TreeModel, boxes: Sequence[Box], classes: Sequence[int], clock: Clock
) -> Certificate:
    """The certificate that no row of some boxes gets one of some decisions, of many."""
    from primewood.certify.certificate import pack
    from primewood.certify.record import JointWriter

    writer = JointWriter(model.space, model.space.joint, clock, [])
    for box in boxes:
        writer.add_claim(box, [(k,) for k in classes])
    return pack({**model.space.header, "kind": "never", "claims": writer.claims}, writer.blobs)
