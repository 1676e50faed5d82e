"""Run the example notebooks and write what they show into them: ``python docs/examples/refresh.py [credit ...]``.

Each runs in a fresh kernel and in an empty directory. What differs from run to run is not kept: times, and versions
in the metadata. `tests/docs/test_notebooks.py` runs them in the same way, and compares.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
INLINE = "module://matplotlib_inline.backend_inline"
"""What puts pictures into a notebook; another setting of the surroundings must not keep them out."""


def read(path: Path) -> nbformat.NotebookNode:
    """A notebook as it is in its file."""
    return nbformat.read(path, as_version=4)


def run(path: Path, seconds: int = 120) -> nbformat.NotebookNode:
    """The notebook with the outputs of a fresh run; `CellExecutionError` if a cell fails, or takes longer than this."""
    notebook = read(path)
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=seconds,
            kernel_name=METADATA["kernelspec"]["name"],
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        )
        client.execute(env={**os.environ, "MPLBACKEND": INLINE})
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_cleared(output)]
    return notebook


def is_cleared(output: nbformat.NotebookNode) -> bool:
    """Whether an output is a line of progress that is gone: on a quick machine there never was one."""
    return output.output_type == "display_data" and not any(output.data.values())


def main(names: list[str]) -> None:
    """Refresh these notebooks, or all."""
    for path in sorted(HERE.glob("*.ipynb")):
        if not names or path.stem in names:
            notebook = run(path)
            nbformat.write(notebook, path)
            sys.stderr.write(f"{path.name}: {path.stat().st_size // 1024} kB\n")


if __name__ == "__main__":
    main(sys.argv[1:])
