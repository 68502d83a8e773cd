# SPDX-License-Identifier: MIT
"""What the commands share: one-line errors, exit codes, and a stdout that may go away.

Exit codes: 0 ok, 1 a check failed, 2 usage, 3 the environment cannot run it, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer
from typer.exceptions import TyperException


class CommandError(Exception):
    """Ends a command with one line on stderr: it names the thing, the value, what is right."""

    exit_code = 1


class UsageError(CommandError):
    """The request itself is wrong (unknown name, malformed file, ...)."""

    exit_code = 2


class EnvironmentUnfit(CommandError):
    """This machine cannot run the request (no 16-byte CAS, no threads left, a full disk, ...)."""

    exit_code = 3


class OutputLost(EnvironmentUnfit):
    """stdout took no more: closed, a broken pipe, or a full disk."""


def note(text: str) -> None:
    """Text on stderr. Lost in silence where there is no stderr: there is nobody to tell."""
    if sys.stderr is None:
        return  # print would take stdout instead
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _forget("stderr")


def say(prog: str, text: str) -> None:
    """One line on stderr, from that program."""
    note(f"{prog}: {text}")


def _forget(name: str) -> None:
    """Point a stream to nowhere, so that the interpreter does not fail on it at exit."""
    setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def require_stdout() -> None:
    """Raise OutputLost at once if there is no stdout, rather than after the work is done."""
    if sys.stdout is None:
        raise OutputLost("stdout is closed; give it a file, a pipe or a terminal")


def emit(text: str) -> None:
    """Print on stdout, all of it or OutputLost."""
    require_stdout()
    try:
        print(text, flush=True)
    except OSError as error:
        _forget("stdout")
        raise OutputLost(f"stdout took no more ({error.strerror}); the rest is lost") from None


def run(app: typer.Typer, prog: str) -> NoReturn:
    """Run a Typer application as the whole process. A command ends by typer.Exit(code)."""
    try:
        code = app(prog_name=prog, standalone_mode=False)
    except TyperException as wrong:
        say(prog, f"error: {wrong.format_message()}")
        code = wrong.exit_code
    except CommandError as wrong:
        say(prog, f"error: {wrong}")
        code = wrong.exit_code
    sys.exit(code or 0)
