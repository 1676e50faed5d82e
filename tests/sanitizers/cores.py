"""Building the core with sanitizers, and the surroundings that a process with such a core needs."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SUPPRESSIONS = Path(__file__).with_name("suppressions.txt")
Finished = subprocess.CompletedProcess[str]


class NoSanitizer(Exception):
    """The compiler, or this machine, has no such sanitizer."""


@dataclass(frozen=True)
class Sanitizer:
    """One way to watch the core.

    Attributes
    ----------
    name : str
        Of the folder that its core is built in.
    flags : str
        What the compiler takes after ``-fsanitize=``.
    runtime : str
        The library that must be loaded before everything else.
    options : dict
        What the runtime reads from its environment.
    """

    name: str
    flags: str
    runtime: str
    options: dict[str, str] = field(hash=False)

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "sanitize" / self.name

    @property
    def core(self) -> Path:
        return self.folder / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"

    @property
    def planted(self) -> Path:
        """The library of planted errors."""
        return self.folder / "libplanted.so"


ADDRESS = Sanitizer(
    "address",
    "address,undefined,float-cast-overflow",
    "libasan.so",
    {
        "ASAN_OPTIONS": "detect_leaks=0:handle_abort=1",  # an interpreter that ends leaves memory behind
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    },
)
THREAD = Sanitizer(
    "thread",
    "thread",
    "libtsan.so",
    {"TSAN_OPTIONS": f"ignore_noninstrumented_modules=1:exitcode=66:suppressions={SUPPRESSIONS}"},
)


def build(sanitizer: Sanitizer) -> None:
    """Build the core and the planted errors, as far as sources have changed; one process at a time.

    Raises `NoSanitizer` where the compiler has no such sanitizer, or the system cannot run it.
    """
    launcher(sanitizer)
    sanitizer.folder.mkdir(parents=True, exist_ok=True)
    with (sanitizer.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = {
            "CMAKE_BUILD_TYPE": "RelWithDebInfo",
            "PRIMEWOOD_SANITIZE": sanitizer.flags,
            "CMAKE_MAKE_PROGRAM": find_tool("ninja"),
            "Python_EXECUTABLE": sys.executable,
        }
        defined = [f"-D{name}={value}" for name, value in options.items()]
        _run([find_tool("cmake"), "-S", ROOT, "-B", sanitizer.folder, "-G", "Ninja", *defined])
        _run([find_tool("cmake"), "--build", sanitizer.folder])


def find_library(name: str) -> str:
    """Where the compiler has a library."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        raise NoSanitizer("there is no C++ compiler")
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    path = found.stdout.strip()
    if not Path(path).is_absolute():
        raise NoSanitizer(f"the compiler {compiler} has no {name}; g++ on Debian and Ubuntu brings it")
    return path


def find_tool(name: str) -> str:
    """A tool for building: beside this interpreter, or the system's."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if found is None:
        raise RuntimeError(f"{name} is not installed; pip install --editable '.[dev]' brings it")
    return found


def run_watched(sanitizer: Sanitizer, arguments: Sequence[object], **options: Any) -> Finished:
    """Run Python with the sanitizer at work."""
    command = [*launcher(sanitizer), sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=surroundings(sanitizer), cwd=ROOT, text=True, check=False, **options)


def surroundings(sanitizer: Sanitizer) -> dict[str, str]:
    """The environment of a process that loads what the sanitizer watches."""
    # The runtime looks for what throws exceptions when it starts, so the C++ library comes with it.
    preloaded = [find_library(sanitizer.runtime), find_library("libstdc++.so")]
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, **sanitizer.options, "LD_PRELOAD": " ".join(preloaded), "PYTHONPATH": path}


@cache
def launcher(sanitizer: Sanitizer) -> tuple[str, ...]:
    """What to start a process with so that the sanitizer can follow its memory: nothing, or fixed addresses."""
    fixed_addresses = ("setarch", platform.machine(), "-R")
    told = ""
    for prefix in ((), fixed_addresses):
        if prefix and shutil.which(prefix[0]) is None:
            continue
        command = [*prefix, sys.executable, "-c", "pass"]
        ran = subprocess.run(
            command, env=surroundings(sanitizer), capture_output=True, text=True, check=False
        )
        if ran.returncode == 0:
            return prefix
        told = ran.stderr.strip()
    raise NoSanitizer(f"the {sanitizer.name} sanitizer does not start here: {told}")


def _run(command: Sequence[object]) -> None:
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{ran.stdout}\n{ran.stderr}")
