# SPDX-License-Identifier: MIT
"""Signals that ask a run to end: it stops at once and keeps what it has, however often asked."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Self

ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SIGNALLED = 128  #: an exit code, plus the number, as a shell counts: 130 after Ctrl-C


class Interrupts:
    """While entered, the first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt if ``armed``.

    Later ones, and those that come while the results are being written, do nothing: an impatient
    second Ctrl-C must not lose what the first one saved. A signal that was ignored before (nohup)
    stays ignored.
    """

    def __init__(self) -> None:
        self.number: int | None = None  #: the first signal that came
        self.armed = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        for number in ASKING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.number is None:
            self.number = number
            if self.armed:
                raise KeyboardInterrupt
