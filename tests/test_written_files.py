"""Files that are written: their permissions are what the umask leaves, and nobody's umask is touched."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from children import run_child

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX systems")

CHILD = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.umask(0o027)
set_umask = os.umask

def refuse(mask):
    raise AssertionError("the umask of the process was changed")

os.umask = refuse
import primewood as pw
import primewood.files, primewood.batch.into_one_file, primewood.cli.main
from primewood.files import write_whole

folder = Path(sys.argv[1])

def mode(name):
    write_whole(folder / name, lambda file: file.write(b"x"))
    return oct((folder / name).stat().st_mode & 0o777)

print(mode("first"))
set_umask(0o077)
print(mode("second"), mode("first"))
set_umask(0)
with ThreadPoolExecutor(8) as pool:
    print(*set(pool.map(mode, map(str, range(200)))))
print(*sorted({path.suffix for path in folder.iterdir()}))
"""


def test_permissions_are_those_that_the_umask_leaves(tmp_path):
    command = [sys.executable, "-c", CHILD, tmp_path]
    with run_child(command, stdout=subprocess.PIPE, text=True) as child:
        out, _ = child.communicate(timeout=60)
    assert out.splitlines() == ["0o640", "0o600 0o600", "0o666", ""]
