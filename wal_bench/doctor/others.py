# SPDX-License-Identifier: MIT
"""Who else uses these CPUs now."""

from __future__ import annotations

from statistics import median

from wal_bench import machine
from wal_bench.doctor.check import Seen, check, unreadable
from wal_bench.doctor.host import Host
from wal_bench.durations import format_duration
from wal_bench.samples import MOST_DELAY
from wal_bench.words import count, listed, ranges

_SHOWN = 3  #: processes
_STOLEN, _MUCH_STOLEN = 0.02, 0.1
_MUCH = 0.25  #: of all CPU time taken, or of a CPU lost: most windows would be disturbed
_LONG_NS = 10_000_000  #: a good part of a window


def _percent(share: float) -> str:
    return "0 %" if not share else f"{100 * share:.0f} %" if share >= 0.01 else "<1 %"


@check(before_run=True)
def load(host: Host) -> Seen:
    """The average of the last minute."""
    average = machine.load(host.root)
    values = {"load": average}
    if average is None:
        return unreadable("load", "")
    found = f"{average:.2f} with {count(len(host.cpus), 'CPU')}"
    if average <= 0.5 * len(host.cpus):
        return Seen("ok", found, "over the last minute", None, values)
    return Seen("warn", found, "others are or were busy here", "wait until they are done", values)


@check()
def other_work(host: Host) -> Seen:
    """CPU time that goes to others while this process sleeps."""
    usage = host.usage
    taken = {n: t.busy / t.total for n, t in (usage.cpus if usage else {}).items() if t.total}
    ours = {number: taken[number] for number in host.numbers if number in taken}
    if usage is None or not ours:
        return unreadable("proc/stat", "who else uses these CPUs would not show")
    who = [p for p in usage.processes if p.cpu in ours and p.share >= 0.01][:_SHOWN]
    values = {
        "share": {str(number): round(share, 4) for number, share in ours.items()},
        "processes": [
            {"pid": p.pid, "name": p.name, "cpu": p.cpu, "share": round(p.share, 4)} for p in who
        ],
    }
    worst = max(ours, key=lambda number: ours[number])
    whole = sum(ours.values()) / len(ours)
    found = f"{_percent(whole)} of all CPU time, {_percent(ours[worst])} of CPU {worst}"
    if ours[worst] <= MOST_DELAY:
        return Seen("ok", found, "the CPUs are free", None, values)
    names = listed([f"{p.name} ({p.pid}) {_percent(p.share)}" for p in who])
    means = f"by {names}" if names else "by what does not show itself here"
    means += "; who is interrupted collides less, and looks faster or far slower"
    busy = [number for number, share in ours.items() if share > MOST_DELAY]
    free = [number for number in ours if number not in busy]
    advice = "stop it or wait"
    if free:
        advice += f", or stay away from CPU {ranges(busy)}: `taskset -c {ranges(free)}`"
    return Seen("bad" if whole > _MUCH else "warn", found, means, advice, values)


@check()
def stolen_time(host: Host) -> Seen:
    """CPU time that the hypervisor admits to have given to others. It counts only where something
    wants to run: therefore while ``waits`` keeps the CPUs busy."""
    usage = host.watched[1]
    if usage is None:
        return unreadable("proc/stat", "what a hypervisor takes away would not show")
    now = [usage.cpus[n] for n in host.numbers if n in usage.cpus]
    ever = [usage.since_boot[n] for n in host.numbers if n in usage.since_boot]
    share = sum(t.stolen for t in now) / (sum(t.total for t in now) or 1)
    wanted = sum(t.stolen + t.busy for t in ever)
    past = sum(t.stolen for t in ever) / (wanted or 1)
    values = {"now": round(share, 4), "of_wanted_since_boot": round(past, 4)}
    found = (
        f"{_percent(share)} while all CPUs are busy, {_percent(past)} of the time wanted since boot"
    )
    if share <= _STOLEN:
        if past <= _STOLEN:
            return Seen("ok", found, "", None, values)
        return Seen("note", found, "little now, but it comes and goes", None, values)
    means = "other machines on this host take these CPUs"
    advice = "use a machine whose CPUs are its own, or another hour"
    return Seen("bad" if share > _MUCH_STOLEN else "warn", found, means, advice, values)


@check()
def waits(host: Host) -> Seen:
    """How long a busy thread on each CPU at once did not run: whatever the reason."""
    seen = host.watched[0]
    if isinstance(seen, str):
        return unreadable(seen, "how long threads wait for a CPU is not known")
    worst = max(seen, key=lambda gaps: gaps.lost)
    longest = max(gaps.longest_ns for gaps in seen)
    middle = median(gaps.lost for gaps in seen)
    values: dict[str, object] = {
        "watched_ns": max(gaps.watched_ns for gaps in seen),
        "cpus": [
            {"cpu": g.cpu, "lost": round(g.lost, 6), "longest_ns": g.longest_ns} for g in seen
        ],
    }
    found = (
        f"{_percent(worst.lost)} lost on CPU {worst.cpu}, {_percent(middle)} in the median; "
        f"longest {format_duration(longest)} (watched {count(len(seen), 'CPU')}, all at once, "
        f"for {format_duration(max(gaps.watched_ns for gaps in seen))})"
    )
    if worst.lost <= MOST_DELAY and longest < _LONG_NS:
        return Seen("ok", found, "threads run nearly all the time", None, values)
    means = "a thread that waits may hold the lock that all others wait for"
    advice = "see quota and other work; if it is neither: interrupts or the hypervisor"
    return Seen("bad" if worst.lost > _MUCH else "warn", found, means, advice, values)
