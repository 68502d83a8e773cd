# SPDX-License-Identifier: MIT
"""What the control groups of this process allow."""

from __future__ import annotations

from wal_bench import cgroup
from wal_bench.doctor.check import Seen, check, unreadable
from wal_bench.doctor.host import Host
from wal_bench.words import count, ranges

_TIMES_CPUS = 8  #: threads of a default run


@check(before_run=True)
def quota(host: Host) -> Seen:
    """CPU time per period, of this group or any above it."""
    allowed, struck = cgroup.cpu_quota(host.root), cgroup.throttled(host.root)
    values = {"cpus": allowed, "throttled": struck}
    times = f"; it struck {count(struck, 'time')} so far" if allowed and struck else ""
    if host.text("proc/self/cgroup") is None:
        return unreadable("control groups", "a quota would stop threads: it would not show")
    if allowed is None:
        return Seen("ok", "none", "what holds above a container is not seen in it", None, values)
    found = f"{allowed:g} CPUs' worth of time for the {count(host.used, 'CPU')} used{times}"
    if allowed >= host.used:
        return Seen("ok", found, "enough for one thread per CPU", None, values)
    means = "threads will be stopped in the middle of windows, whatever they hold"
    whole = int(allowed)
    advice = "raise the quota (cpu.max, cpu.cfs_quota_us)"
    if whole:
        advice += f" or use fewer CPUs: `taskset -c {ranges(host.numbers[:whole])} wal-bench run`"
    return Seen("bad", found, means, advice, values)


@check()
def cpuset(host: Host) -> Seen:
    """CPUs that the group may use."""
    allowed, online = cgroup.cpuset(host.root), host.listed("online")
    values = {"cpus": allowed, "online": online}
    if allowed is None:
        return unreadable("cpuset", "the affinity mask says all the same which CPUs are ours")
    if online is None or set(online) <= set(allowed):
        return Seen("ok", ranges(allowed), "", None, values)
    means = "other groups may share these CPUs, and certainly share caches with them"
    return Seen("note", f"{ranges(allowed)} of {ranges(online)}", means, None, values)


@check()
def tasks(host: Host) -> Seen:
    """How many threads can still be started."""
    left = cgroup.tasks_left(host.root)
    wanted = _TIMES_CPUS * len(host.cpus)
    values = {"left": left}
    if left is None:
        return Seen("ok", "no limit", "none that can be seen from here", None, values)
    if left > wanted:
        return Seen("ok", f"{left} left", f"a default run starts {wanted} threads", None, values)
    means = f"a default run starts {wanted} threads, and would be refused some"
    return Seen("warn", f"{left} left", means, f"raise pids.max, or --threads 1..{left}", values)
