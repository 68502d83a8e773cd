# SPDX-License-Identifier: MIT
"""Errors a user can cause, each with the exit code that the commands owe for it.

A message is one line: it names the thing, the value, and what would be right.
"""

from atomics.command import EnvironmentUnfit, UsageError

__all__ = ["EnvironmentUnfit", "UsageError"]
