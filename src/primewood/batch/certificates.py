"""The certificates of a batch: per part an archive, in which each is named by its SHA-256."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from primewood.batch.row_explainer import MOST_BYTES
from primewood.batch.row_result import RowResult
from primewood.certify.check import EnsembleFile, Rejected
from primewood.certify.check_more import check
from primewood.errors import CertificateRejected, InvalidInput
from primewood.visible import Readable

SUFFIX = ".pwcert"


def digest_certificate(result: RowResult) -> str | None:
    """The SHA-256 of a row's certificate, in hexadecimal."""
    return None if result.certificate is None else sha256(result.certificate).hexdigest()


def pack_certificates(results: Iterable[RowResult]) -> bytes:
    """An archive of the certificates of rows; rows that share an explanation share its certificate."""
    contents: dict[str, bytes] = {}
    for result in results:
        digest = digest_certificate(result)
        if digest is not None and result.certificate is not None:
            contents[digest] = result.certificate
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for digest, content in contents.items():
            archive.writestr(ZipInfo(digest + SUFFIX), content)  # without a date: the same bytes in every run
    return file.getvalue()


def read_certificates(file: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """The certificates of an archive, each with the digest that names it."""
    try:
        with ZipFile(file) as archive:
            for entry in archive.infolist():
                if entry.file_size > MOST_BYTES or entry.compress_type != ZIP_STORED:
                    raise InvalidInput(f"{entry.filename} is too large, or compressed again")
                yield entry.filename.removesuffix(SUFFIX), archive.read(entry)
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError) as problem:
        raise InvalidInput(f"it is not an archive of certificates ({problem})") from None


@dataclass(frozen=True)
class ConfirmedBatch(Readable):
    """What checking the certificates of a batch confirmed.

    Attributes
    ----------
    folder : Path
    rows : int
        How many rows are explained.
    confirmed : int
        How many have a certificate; all of these are confirmed.
    taken_over : int
        How many take over the explanation of another row, and have no certificate of their own.
    without : int
        How many others have none; their notes say why.
    """

    folder: Path
    rows: int
    confirmed: int
    taken_over: int
    without: int

    def __str__(self) -> str:
        words = f"Confirmed: the certificates of {self.confirmed:,} of {self.rows:,} rows in {self.folder}."
        if self.taken_over:
            words += f" {self.taken_over:,} more take over the explanation of another row."
        if self.without:
            words += f" {self.without:,} have no certificate; their notes say why."
        return words

    def to_dict(self) -> dict[str, object]:
        """The same in plain types."""
        return {
            "confirmed": True,
            "rows": self.rows,
            "certified": self.confirmed,
            "taken_over": self.taken_over,
            "without": self.without,
        }


class BatchChecker:
    """Checks certificates of a batch against one ensemble file."""

    def __init__(self, ensemble: bytes) -> None:
        self._ensemble = EnsembleFile(ensemble)
        self.confirmed = self.taken_over = self.without = 0

    def check_part(self, archive: IO[bytes], columns: Mapping[str, list[object]]) -> None:
        """Check the certificates of one part, whose columns are "row", "certificate" and "taken_from".

        Raises
        ------
        CertificateRejected
            If one is missing, is not the one that the part names, or is not confirmed.
        """
        contents = dict(read_certificates(archive))
        good = set[str]()
        for row, digest, source in zip(*(columns[x] for x in COLUMNS), strict=True):
            if digest is None:
                self.taken_over += source is not None
                self.without += source is None
                continue
            if digest not in good:
                self._check(f"row {row}", str(digest), contents)
                good.add(str(digest))
            self.confirmed += 1

    def _check(self, row: str, digest: str, contents: Mapping[str, bytes]) -> None:
        content = contents.get(digest)
        if content is None or sha256(content).hexdigest() != digest:
            raise CertificateRejected(f"{row}: its certificate {digest} is missing or changed")
        try:
            check(self._ensemble, content)
        except Rejected as problem:
            raise CertificateRejected(f"{row}: {problem}") from None


COLUMNS = ("row", "certificate", "taken_from")
