# SPDX-License-Identifier: MIT
"""``python -m atomics`` is the command ``atomics``."""

from atomics.cli import main

main()
