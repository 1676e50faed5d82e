"""The result of explaining a file: where the explanations are, how many there are, and their summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from primewood.batch.certificates import ConfirmedBatch
from primewood.batch.overview import Overview, overview
from primewood.fields import file_path
from primewood.visible import Readable


@dataclass(frozen=True)
class Written(Readable):
    r"""The result of explaining a file: where the explanations are, and how many.

    Attributes
    ----------
    folder : Path
        The folder of parts, or the one file.
    rows : int
        How many rows it has now.
    parts : int or None
        How many parts the folder has; None for one file.
    before : int
        How many of these rows an earlier run had finished.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rows.csv").write_text("sl,sw,pl,pw\n5.1,3.5,1.4,0.2\n7.0,3.2,4.7,1.4\n")
    >>> written = explainer.explain_file(folder / "rows.csv", folder / "answers.csv")
    >>> written.folder.name, written.rows, written.parts
    ('answers.csv', 2, None)
    """

    folder: Path
    rows: int
    parts: int | None
    before: int = 0
    _kept: Overview | None = field(default=None, repr=False, compare=False)

    def confirm(self, ensemble: str | Path | None = None) -> ConfirmedBatch:
        r"""Check the certificates of a folder, against the ensemble file in it or another one.

        Parameters
        ----------
        ensemble
            What `primewood export` or `Ensemble.save` has written; by default the file that the folder contains.

        Returns
        -------
        ConfirmedBatch
            How many rows have a certificate; all of these are confirmed.

        Raises
        ------
        CertificateRejected
            If a certificate is missing, was changed, or does not prove what it claims; the message names the row.
        InvalidInput
            If the folder was written without certificates, or is gone or damaged.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "rows.csv").write_text("sl,sw,pl,pw\n5.1,3.5,1.4,0.2\n7.0,3.2,4.7,1.4\n")
        >>> written = explainer.explain_file(folder / "rows.csv", folder / "a", format="jsonl", certificates=True)
        >>> written.confirm().confirmed
        2
        """
        from primewood.batch.confirm_folder import confirm_folder

        return confirm_folder(self.folder, None if ensemble is None else file_path(ensemble))

    def summary(self) -> Overview:
        r"""Summarise the explanations that were written.

        Cost: for a folder, linear in the parts, which are read again; nothing for one file, which was counted when it
        was written.

        Returns
        -------
        Overview
            The summary of the whole folder, including the rows of earlier runs, or of the one file.

        Raises
        ------
        InvalidInput
            If the folder is gone or damaged.
        MissingDependency
            If the parts are Parquet files and pyarrow is not installed.
        OSError
            If the folder cannot be read.

        Examples
        --------
        >>> from primewood.data.iris import load_iris_explainer
        >>> explainer, _ = load_iris_explainer()
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "rows.csv").write_text("sl,sw,pl,pw\n5.1,3.5,1.4,0.2\n7.0,3.2,4.7,1.4\n")
        >>> found = explainer.explain_file(folder / "rows.csv", folder / "answers", format="jsonl").summary()
        >>> found.finished, found.summary.features
        (True, {'pw': 2, 'pl': 1})
        """
        return overview(self.folder) if self._kept is None else self._kept

    def __repr__(self) -> str:
        return f"<Written: {self}>"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import lines

        return lines("Written", f"{self.rows:,} rows", [str(self)], badge="Finished")

    def __str__(self) -> str:
        if self.parts is None:
            return f"{self.folder} is written: {self.rows:,} row{'' if self.rows == 1 else 's'}"
        held = f"{self.rows:,} rows in {self.parts:,} part{'' if self.parts == 1 else 's'}"
        if self.before == self.rows and self.rows:
            return f"{self.folder} was finished already: {held}"
        earlier = f", {self.before:,} rows of them by an earlier run" if self.before else ""
        return f"{self.folder} is finished: {held}{earlier}"
