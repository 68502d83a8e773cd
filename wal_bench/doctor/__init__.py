# SPDX-License-Identifier: MIT
"""What on this machine disturbs a measurement: one small check for each thing, in a table."""

from wal_bench.doctor import cpus, limits, memory, others, speed  # noqa: F401  the rows, in order
