# SPDX-License-Identifier: MIT
"""How long a busy thread is away from its CPU: one process per CPU that only reads the clock.

What takes the CPU away shows as a gap between two readings, whoever it was: another process, an
interrupt, a hypervisor that does not tell. Run as a script, this file is that process: it imports
nothing else, so that many start quickly.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

_LEAST_NS = 20_000  #: shorter ones are the loop itself, a page fault or a timer interrupt
_START_S = 20.0  #: for all processes to come up and be done
_AHEAD_NS = 20_000_000  #: the common start lies so far ahead


@dataclass(frozen=True)
class Gaps:
    """What one CPU's process saw."""

    cpu: int
    watched_ns: int
    lost_ns: int  #: sum of the gaps
    longest_ns: int

    @property
    def lost(self) -> float:
        """Share of the time."""
        return self.lost_ns / self.watched_ns


def _busy(cpu: int) -> None:
    os.sched_setaffinity(0, {cpu})
    print("ready", flush=True)
    start, stop = map(int, sys.stdin.readline().split())
    clock = time.monotonic_ns
    while clock() < start:
        pass
    lost = longest = 0
    last = start
    while last < stop:
        now = clock()
        gap = now - last
        last = now
        if gap > _LEAST_NS:
            lost += gap
            if gap > longest:
                longest = gap
    print(json.dumps([cpu, last - start, lost, longest]), flush=True)


def watch(cpus: Sequence[int], seconds: float) -> list[Gaps] | str:
    """Keep all these CPUs busy at once, and say what each lost; or why that could not be done."""
    command = [sys.executable or "python3", "-I", "-S", __file__]
    pipe = subprocess.PIPE
    try:
        with ExitStack() as stack:
            children = []
            for cpu in cpus:
                started = [*command, str(cpu)]
                child = subprocess.Popen(started, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
                children.append(stack.enter_context(child))
                stack.callback(child.kill)
            # Who never gets its CPU would be waited for for ever.
            late = threading.Timer(_START_S, _kill, (children,))
            stack.callback(late.cancel)
            late.start()
            return _result(children, seconds)
    except (OSError, ValueError) as failed:
        return f"a process on each of {len(cpus)} CPUs ({failed})"


def _kill(children: list[subprocess.Popen[str]]) -> None:
    for child in children:
        child.kill()


def _result(children: list[subprocess.Popen[str]], seconds: float) -> list[Gaps]:
    for child in children:
        assert child.stdout is not None
        if child.stdout.readline() != "ready\n":
            raise ValueError("it did not start")
    start = time.monotonic_ns() + _AHEAD_NS
    for child in children:
        assert child.stdin is not None
        child.stdin.write(f"{start} {start + int(seconds * 1e9)}\n")
        child.stdin.flush()
    return [Gaps(*json.loads(child.communicate()[0])) for child in children]


if __name__ == "__main__":
    _busy(int(sys.argv[1]))
