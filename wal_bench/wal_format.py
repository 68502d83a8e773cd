# SPDX-License-Identifier: MIT
"""What pages and records of a write-ahead log look like: PostgreSQL 15's, little-endian.

Source: PostgreSQL 15, src/include/access/xlog_internal.h (pages), xlogrecord.h (records),
rmgrlist.h (resource managers), src/include/catalog/pg_control.h (kinds of XLOG records). The
magic numbers of 16 to 18 are known too: nothing that is read here changed in them.
"""

from __future__ import annotations

import numpy as np

#: By magic number, the major version of PostgreSQL.
VERSIONS = {0xD110: 15, 0xD113: 16, 0xD116: 17, 0xD118: 18}

CONTINUES = 1  #: flag: the page begins with the rest of a record
LONG = 2  #: flag: the header is a long one
FLAGS = 15  #: all there are

#: A long header; a short one ends before ``system_id``.
PAGE_DTYPE = np.dtype(
    [
        ("magic", "<u2"),
        ("flags", "<u2"),
        ("timeline", "<u4"),
        ("address", "<u8"),  # LSN of the page
        ("remaining", "<u4"),  # bytes of the continued record, those on later pages included
        ("padding", "<u4"),
        ("system_id", "<u8"),
        ("segment_size", "<u4"),
        ("page_size", "<u4"),
    ]
)

RECORD_DTYPE = np.dtype(
    [
        ("length", "<u4"),  # bytes, this header included, not aligned
        ("xid", "<u4"),
        ("prev", "<u8"),  # LSN of the record before
        ("info", "u1"),
        ("rmgr", "u1"),
        ("padding", "<u2"),
        ("crc", "<u4"),
    ]
)

#: rmgr and info (without the lower half, which is free for other uses) of a segment switch.
SWITCH = (0, 0x40)

# fmt: off
_RMGRS = (
    "XLOG", "Transaction", "Storage", "CLOG", "Database", "Tablespace", "MultiXact", "RelMap",
    "Standby", "Heap2", "Heap", "Btree", "Hash", "Gin", "Gist", "Sequence", "SPGist", "BRIN",
    "CommitTs", "ReplicationOrigin", "Generic", "LogicalMessage",
)
# fmt: on


def rmgr_name(number: int) -> str:
    """``Heap``; ``custom128`` and the like for those of extensions."""
    return _RMGRS[number] if number < len(_RMGRS) else f"custom{number:03}"
