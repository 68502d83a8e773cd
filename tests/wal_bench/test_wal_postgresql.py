# SPDX-License-Identifier: MIT
"""The reader on the log of a PostgreSQL that is installed here, against its pg_waldump."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wal_bench.postgresql import LISTED, programs
from wal_bench.layout import Layout
from wal_bench.wal_format import rmgr_name
from wal_bench.wal_reader import read_wal

WORK = """
CREATE TABLE t AS SELECT i, repeat('x', i % 200) AS x FROM generate_series(1, 3000) i;
CREATE INDEX ON t (i);
UPDATE t SET x = x || 'y' WHERE i % 3 = 0;
SELECT pg_logical_emit_message(false, 'p', repeat('z', i * 37)) FROM generate_series(1, 900) i;
SELECT pg_switch_wal();
DELETE FROM t WHERE i % 2 = 0;
CHECKPOINT;
"""


@pytest.fixture(scope="module")
def wal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[Path]]]:
    """The folder and the segments of a small cluster, which has stopped."""
    found = programs()
    # PostgreSQL refuses to be root, and others may not enter pytest's folders.
    as_other: dict[str, Any] = {"user": "nobody"} if os.getuid() == 0 else {}
    home = Path(tempfile.mkdtemp(prefix="wal-reader-"))
    try:
        if as_other:
            shutil.chown(home, "nobody")
        data = home / "data"
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        options: dict[str, Any] = {
            "cwd": home, "env": environment, "check": True, "capture_output": True, "timeout": 120
        } | as_other  # fmt: skip
        initdb = [found / "initdb", "-D", data, "--wal-segsize=1", "-N", "-A", "trust"]
        subprocess.run([*initdb, "-U", "owner"], **options)
        keep = ["-c", "wal_keep_size=1GB", "-c", "wal_level=logical"]
        alone = [found / "postgres", "--single", "-F", *keep, "-D", data, "template1"]
        subprocess.run(alone, input=WORK.encode(), **options)
        folder = data / "pg_wal"
        yield folder, sorted(p for p in folder.iterdir() if re.fullmatch("[0-9A-F]{24}", p.name))
    finally:
        shutil.rmtree(home)


def test_the_log_of_a_server_reads_as_its_own_tool_reads_it(
    wal: tuple[Path, list[Path]],
) -> None:
    folder, segments = wal
    dumped = subprocess.run(
        [programs() / "pg_waldump", "-p", folder, segments[0].name, segments[-1].name],
        env={"LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    listed = [
        (rmgr, int(length), int(xid), int(high, 16) << 32 | int(low, 16),
         int(prev_high, 16) << 32 | int(prev_low, 16))
        for rmgr, length, xid, high, low, prev_high, prev_low in LISTED.findall(dumped.stdout)
    ]  # fmt: skip
    found = read_wal(segments)
    ours = [
        (rmgr_name(int(r["rmgr"])), r["length"], r["xid"], r["start_lsn"], r["prev_lsn"])
        for r in found.records
    ]
    assert len(segments) > 3
    assert {"Btree", "Heap", "LogicalMessage", "Transaction", "XLOG"} <= {row[0] for row in listed}
    assert ours == listed
    assert not found.end.damaged
    ended = re.search(r"error in WAL record at .*: .* at (\w+)/(\w+)", dumped.stderr)
    if ended:  # not when the last segment is full
        lsn = int(ended[1], 16) << 32 | int(ended[2], 16)
        layout = Layout(8192, 1 << 20)
        assert layout.bytepos(lsn) == layout.bytepos(found.end_lsn)
