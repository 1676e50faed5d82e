"""A certificate as a file: one line of JSON, then binary blobs, gzipped; the same content gives the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from primewood.certify.check import Confirmed, EnsembleFile, Rejected, unpack
from primewood.certify.check_more import check
from primewood.ensemble import Ensemble
from primewood.ensemble.file import bytes_of
from primewood.errors import CertificateRejected, InvalidInput
from primewood.fields import file_path
from primewood.files import write_whole


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """A proof of one answer, for `primewood.confirm` or any checker of the format.

    Attributes
    ----------
    content : bytes
        The file, byte for byte.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> certificate = explainer.explain(X[50]).certificate()
    >>> certificate.kind
    'explanation'
    """

    content: bytes

    def __repr__(self) -> str:
        return f"<Certificate: {self.kind}, {len(self.content):,} bytes, {self.digest[:16]}>"

    @cached_property
    def header(self) -> dict[str, Any]:
        """What it claims, in plain types; the proofs themselves are binary."""
        try:
            line = unpack(self.content).partition(b"\n")[0]
            found = json.loads(line)
        except (Rejected, ValueError) as problem:
            raise InvalidInput(f"this is not a certificate: {problem}") from None
        if not isinstance(found, dict) or found.get("format") != "primewood certificate":
            raise InvalidInput("this is not a certificate: it has no header")
        return found

    @property
    def kind(self) -> str:
        """What is certified: "explanation", "shortest", "rule", "never", "radius", "nearest", "pairs" or "compare"."""
        return str(self.header.get("kind"))

    @property
    def digest(self) -> str:
        """The SHA-256 of the file, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file; the file is there whole or not at all."""
        write_whole(file_path(path), lambda file: file.write(self.content))


def pack(header: dict[str, Any], blobs: list[bytes]) -> Certificate:
    """A certificate from its header and its blobs."""
    line = json.dumps(
        {**header, "blobs": [len(blob) for blob in blobs]}, separators=(",", ":"), allow_nan=False
    )
    return Certificate(gzip.compress(b"\n".join([line.encode(), b"".join(blobs)]), mtime=0))


def confirm(
    ensemble: Ensemble | str | Path,
    certificate: Certificate | str | Path,
    other: Ensemble | str | Path | None = None,
) -> Confirmed:
    """Check a certificate against the ensemble that it is about.

    The checker is `primewood/certify/check.py`. It also runs alone: ``python check.py ensemble.json case.pwcert``.

    Parameters
    ----------
    ensemble
        What `primewood export` or `Ensemble.save` wrote, or the ensemble itself.
    certificate
        What `certificate()` returned, or its file.
    other
        For a comparison of two models: the second ensemble.

    Returns
    -------
    Confirmed
        What is confirmed, in words (``str``), and how much was checked.

    Raises
    ------
    CertificateRejected
        If a step of the proof fails; the message names the first one.

    Examples
    --------
    >>> from primewood import confirm
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> why = explainer.explain(X[50])
    >>> confirmed = confirm(explainer.ensemble, why.certificate())
    >>> confirmed.witnesses
    3
    """
    given = [one for one in (ensemble, other) if one is not None]
    files = [bytes_of(one) if isinstance(one, Ensemble) else read_file(one) for one in given]
    content = certificate.content if isinstance(certificate, Certificate) else read_file(certificate)
    try:
        return check(*map(EnsembleFile, files), content)
    except Rejected as problem:
        raise CertificateRejected(str(problem)) from None


def read_file(path: str | Path) -> bytes:
    """The content of an ensemble file or a certificate."""
    found = file_path(path)
    if not found.is_file():
        raise InvalidInput(f"there is no file {found}")
    return found.read_bytes()
