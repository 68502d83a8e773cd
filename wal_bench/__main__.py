# SPDX-License-Identifier: MIT
"""``python -m wal_bench`` is the command ``wal-bench``."""

from wal_bench.cli import main

main()
