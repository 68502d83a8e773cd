# SPDX-License-Identifier: MIT
"""Record layouts that the C engine fills and the oracle reads.

Times are CLOCK_MONOTONIC ns, positions bytepos, sizes bytes, sums modulo 2^64. The field
order is that of csrc/include/dwcas/engine.h; a test compares offsets and sizes.
"""

import numpy as np

#: What one thread did. "window" = between its own two stamps, "run" = warm-up and drain included.
THREAD_DTYPE = np.dtype(
    [
        ("ops", "u8"),  # window
        ("retries", "u8"),  # window: failed CAS
        ("total_ops", "u8"),  # run
        ("total_retries", "u8"),  # run
        ("sum_size", "u8"),  # run: sum of sizes asked for
        ("sum_start_end", "u8"),  # run: sum of start^2 - end^2
        ("sum_links", "u8"),  # run: sum of prev * start - start * end
        ("start_ns", "u8"),  # own stamps; 0 = never saw the window open / close
        ("stop_ns", "u8"),
        ("cpu_ns", "u8"),  # window: CPU time
        ("run_delay_ns", "i8"),  # window: runnable, waiting for a CPU; -1 = not told
        ("involuntary", "u8"),  # window: involuntary context switches
        ("cpu", "i4"),  # where it ran last
        ("pin_errno", "i4"),  # errno of a refused pinning, or 0
    ]
)

#: One recorded operation.
HISTORY_DTYPE = np.dtype(
    [
        ("begin_ns", "u8"),  # before the call
        ("finish_ns", "u8"),  # after it returned
        ("start", "u8"),
        ("end", "u8"),
        ("prev", "u8"),
        ("size", "u8"),  # as asked for
    ]
)

#: What an insertion did beyond its reservation; csrc/include/dwcas/insert.h has the order.
INSERTION_DTYPE = np.dtype(
    [
        ("asked_ns", "u8"),  # just before the watermark was asked for, before the insertion ...
        ("seen_ns", "u8"),  # ... just after the answer ...
        ("seen", "u8"),  # ... and the answer
        ("reserved_ns", "u8"),  # the place is known
        ("copied_ns", "u8"),  # all of it is in the ring; just before its last part is published
        ("published_ns", "u8"),  # just after that
        ("flushed", "u8"),  # where the synced log ended when it returned; 0 if it did not ask
        ("switched", "u4"),  # 1: a segment switch, its size is what was left of the segment
        ("gate", "u4"),  # 2^32 - 1: none
    ]
)

#: One non-empty bucket of sampled latency: [low_ns, high_ns).
LATENCY_DTYPE = np.dtype([("low_ns", "f8"), ("high_ns", "f8"), ("count", "u8")])
