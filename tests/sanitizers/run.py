"""Run a module of Python, such as pytest, with a core that sanitizers watch in the place of the usual one.

``python -m sanitizers.run CORE MODULE ARGUMENTS ...``
"""

from __future__ import annotations

import ctypes
import importlib.util
import runpy
import sys
from pathlib import Path

import primewood.core

NAME = "primewood.core._native"
MARKS = {"address": b"__asan_report_load", "thread": b"__tsan_read"}
"""What a compiler leaves in the code that it instruments."""


def load_core(path: Path) -> None:
    """Load this core before anything else asks for one."""
    if NAME in sys.modules:
        raise SystemExit("the usual core is loaded already")
    spec = importlib.util.spec_from_file_location(NAME, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    primewood.core._native = module


def check_watched(sanitizer: str) -> None:
    """Stop unless the loaded core is instrumented, and its sanitizer is at work in this process."""
    from primewood.core import _native

    if MARKS[sanitizer] not in Path(_native.__file__).read_bytes():
        raise SystemExit(f"{_native.__file__} is not instrumented by the {sanitizer} sanitizer")
    if not hasattr(ctypes.CDLL(None), f"__{sanitizer[0]}san_init"):
        raise SystemExit(f"the runtime of the {sanitizer} sanitizer is not loaded")


def main() -> None:
    core, module, *arguments = sys.argv[1:]
    load_core(Path(core))
    check_watched(Path(core).parent.name)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
