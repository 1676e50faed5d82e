"""The progress of a command on stderr: a live line on a terminal, elsewhere a line now and then."""

from __future__ import annotations

from primewood import progress


class CommandProgress(progress.Progress):
    """The progress of a command, shown wherever stderr goes.

    Parameters
    ----------
    doing
        The current activity, such as "searching"; `say` changes it.
    """

    def __init__(self, doing: progress.Doing) -> None:
        super().__init__(doing, True)
