# SPDX-License-Identifier: MIT
"""Rules about the procedure call standard, and what the machine refuses on a single CPU.

Source: Procedure Call Standard for the Arm 64-bit Architecture (IHI 0055): registers (6.1), the
stack (6.4.5), flags ("undefined on entry", 6.1.1); SP alignment: Arm DDI 0487, D1.8.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from atomics.emulator.arm64.alu import flags_read
from atomics.emulator.arm64.effects import sets_flags
from atomics.emulator.rules.finding import ERROR, Finding, Subject


def refused(subject: Subject) -> Iterator[Finding]:
    """What ends a path: the machine names the rule; at the return, its last instruction."""
    for path in subject.paths:
        if path.fault is not None:
            last = path.steps[-1].address if path.steps else subject.image.entry
            address = path.fault.address or last
            place = subject.image.symbol_at(address)  # a finding says it already
            reason = str(path.fault).removeprefix(place).lstrip(": ")
            yield subject.finding(path.fault.rule, ERROR, address, reason)


def flags_unset(subject: Subject) -> Iterator[Finding]:
    """Flags hold anything when a call begins: the first who reads them must come after one who
    sets them all."""
    for path in subject.paths:
        for one in path.steps:
            if flags_read(one.word):
                yield subject.finding(
                    "flags-unset", ERROR, one.address,
                    "depends on flags that nothing in this call has set",
                )  # fmt: skip
                break
            if sets_flags(one.word):
                break
