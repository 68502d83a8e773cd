# SPDX-License-Identifier: MIT
"""Errors a user can cause, each with the exit code that the commands owe for it.

A message is one line: it names the thing, the value, and what would be right.
"""

from atomics.command import CommandError


class WalBenchError(CommandError):
    """Base of the errors that end a command with one line on stderr."""


class UsageError(WalBenchError):
    """The request itself is wrong (unknown method, malformed size file, ...): exit code 2."""

    exit_code = 2


class EnvironmentUnfit(WalBenchError):
    """This machine cannot run the request (no 16-byte CAS, no threads left, ...): exit code 3."""

    exit_code = 3
