"""Answers that can hand over a certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from primewood.engines.protocol import Clock
from primewood.errors import NoCertificate
from primewood.fields import number, optional, takes

if TYPE_CHECKING:
    from primewood.certify.certificate import Certificate

Certifier = Callable[[Clock], "Certificate"]
"""Writes a certificate in the time that a clock leaves."""


class Certified:
    """An answer with a certificate, if it is proved."""

    certify: Certifier | None

    @property
    def _unproved(self) -> str:
        """Why an answer like this one has no certificate; "" if it can have one."""
        return ""

    @takes(time_limit=optional(number))
    def certificate(self, time_limit: float | None = 60.0) -> Certificate:
        """A proof of the answer that anyone can check without primewood.

        It is about the ensemble file that `Ensemble.save` or ``primewood export`` writes. `primewood.confirm` says in
        words what it proves. Cost: another proof of the final answer, usually less than finding it took.

        Parameters
        ----------
        time_limit
            Seconds; None for no limit.

        Returns
        -------
        Certificate
            Save it with `save`, check it with `primewood.confirm`.

        Raises
        ------
        NoCertificate
            If there is none; the message says why.

        Examples
        --------
        >>> from primewood import confirm
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, X = load_iris_explainer()
        >>> why = explainer.explain(X[50])
        >>> confirm(explainer.ensemble, why.certificate()).witnesses
        3
        """
        if self._unproved:
            raise NoCertificate(f"there is no certificate: {self._unproved}")
        if self.certify is None:
            raise NoCertificate(
                "there is no certificate: it is written from the model, which is not at hand (after loading or "
                "pickling), or is an expression, which has no ensemble file"
            )
        return self.certify(Clock(time_limit))

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what writes the certificate, which needs the model."""
        return {**self.__dict__, "certify": None}
