# SPDX-License-Identifier: MIT
"""The layout that C code uses (csrc/wal/layout.h), with the methods of wal_bench.layout.Layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from atomics._native import ffi, lib
from wal_bench.layout import Layout, Positions, checked, checked_bytepos, refuse_first


class NativeLayout:
    """Same arguments, results and errors as Layout; only the arithmetic is not shared."""

    def __init__(self, page_size: int = 8192, segment_size: int = 16 << 20) -> None:
        Layout(page_size, segment_size)  # refuses sizes that cannot be
        self._layout = ffi.new("dwcas_layout *", lib.dwcas_layout_of(page_size, segment_size))

    @property
    def usable_in_segment(self) -> int:
        """Bytes of a segment that are not headers."""
        return int(self._layout.segment_usable)

    def start_lsn(self, bytepos: npt.ArrayLike) -> Positions:
        """LSN of records that start at ``bytepos``."""
        return self._map(lib.dwcas_start_lsn_many, checked_bytepos(bytepos))[0]

    def end_lsn(self, bytepos: npt.ArrayLike) -> Positions:
        """LSN of records that end at ``bytepos``."""
        return self._map(lib.dwcas_end_lsn_many, checked_bytepos(bytepos))[0]

    def bytepos(self, lsn: npt.ArrayLike) -> Positions:
        """The bytepos of starts or ends."""
        lsns = checked(lsn)
        found, mapped = self._map(lib.dwcas_bytepos_many, lsns)
        refuse_first(np.arange(lsns.size) == mapped, lsns.reshape(-1))
        return found

    def _map(self, function: Any, positions: Positions) -> tuple[Positions, Any]:
        given = np.asarray(positions, order="C")
        found = np.empty_like(given)
        returned = function(
            self._layout,
            ffi.from_buffer("uint64_t[]", given),
            given.size,
            ffi.from_buffer("uint64_t[]", found),
        )
        return found, returned
