# SPDX-License-Identifier: MIT
"""PostgreSQL's own programs, where they are installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

#: A line of pg_waldump: resource manager, length, xid, LSN and prev, halves in hexadecimal.
LISTED = re.compile(
    r"rmgr: (\S+) +len \(rec/tot\): *\d+/ *(\d+), tx: +(\d+), "
    r"lsn: (\w+)/(\w+), prev (\w+)/(\w+), desc"
)


def programs() -> Path:
    """The folder of the server's programs; Debian keeps it out of PATH."""
    for name in ("initdb", "pg_waldump", "postgres"):
        found = shutil.which(name)
        folder = Path(found).resolve().parent if found else None
        if folder and all((folder / p).exists() for p in ("initdb", "pg_waldump", "postgres")):
            return folder
    pytest.skip("PostgreSQL's initdb, postgres and pg_waldump are not installed")
