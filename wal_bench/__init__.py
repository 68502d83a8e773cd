# SPDX-License-Identifier: MIT
"""WAL reservation, lock-based and lock-free compared, with every window checked."""
