# SPDX-License-Identifier: MIT
"""Errors a user can cause, each with the exit code that the commands owe for it.

A message is one line: it names the thing, the value, and what would be right.
"""

from atomics.command import CommandError, UsageError

__all__ = ["EnvironmentUnfit", "UsageError"]


class EnvironmentUnfit(CommandError):
    """This machine cannot run the request (no 16-byte CAS, no threads left, ...)."""

    exit_code = 3
