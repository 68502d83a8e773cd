# SPDX-License-Identifier: MIT
"""How fast the CPUs run and how well time can be told."""

from __future__ import annotations

import atomics
from wal_bench import machine
from wal_bench.doctor.check import Seen, check, unreadable
from wal_bench.doctor.host import Host

_SLOW_CLOCK_NS = 100
_SLOW_SOURCES = ("hpet", "acpi_pm", "jiffies", "pit", "refined-jiffies")  #: read by the kernel only


@check()
def sixteen_bytes(host: Host) -> Seen:
    """The instructions that all of this is about; of this process, not of the files."""
    try:
        backend = atomics.backend()
    except atomics.NoBackendError as missing:
        return Seen("bad", "no compare-and-swap of 16 bytes", str(missing), "use another machine")
    return Seen("ok", backend, "serves this process", None, {"backend": backend})


@check()
def hypervisor(host: Host) -> Seen:
    """Whether this is a virtual machine."""
    name = machine.hypervisor(host.root)
    values = {"name": name}
    if name is None and host.text("proc/cpuinfo") is None:
        return unreadable("proc/cpuinfo", "")
    if name is None:
        return Seen("ok", "none shows itself", "", None, values)
    means = "it moves virtual CPUs, and need not tell what it takes: results flip for seconds"
    advice = "trust ratios within rounds, not figures of different runs"
    return Seen("note", "one without a name" if name == "unknown" else name, means, advice, values)


@check()
def frequency(host: Host) -> Seen:
    """Governor and driver of clock speed."""
    governors = machine.governors(host.cpus, host.root)
    folder = f"sys/devices/system/cpu/cpu{host.numbers[0]}/cpufreq"
    driver = host.text(f"{folder}/scaling_driver")
    values: dict[str, object] = {"governors": governors, "driver": driver}
    if governors is None:
        means = "clock speed may change with load: it would not show"
        return unreadable("cpufreq/scaling_governor", means)
    found = ", ".join(governors) + (f" ({driver})" if driver else "")
    if governors == ["performance"]:
        return Seen("ok", found, "the clock does not wait for load", None, values)
    means = "the clock follows the load: the first windows and few threads run slower"
    return Seen("warn", found, means, "cpupower frequency-set -g performance", values)


@check()
def boost(host: Host) -> Seen:
    """Clock speed above the nominal one."""
    folder = "sys/devices/system/cpu"
    on, off = host.text(f"{folder}/cpufreq/boost"), host.text(f"{folder}/intel_pstate/no_turbo")
    told = on == "1" if on is not None else None if off is None else off == "0"
    values = {"on": told}
    if told is None:
        means = "one thread may run at a higher clock than many"
        return unreadable("cpufreq/boost, intel_pstate/no_turbo", means)
    if not told:
        return Seen("ok", "off", "one thread runs at the clock of many", None, values)
    means = "one thread may run at a higher clock than many, and a cold CPU than a warm one"
    how = "echo 1 > /{}/intel_pstate/no_turbo" if on is None else "echo 0 > /{}/cpufreq/boost"
    advice = f"before comparing thread counts: `{how.format(folder)}`"
    return Seen("note", "on", means, advice, values)


@check()
def clock(host: Host) -> Seen:
    """What the kernel tells time by, and what one reading of the sampling clock costs."""
    folder = "sys/devices/system/clocksource/clocksource0"
    source = host.text(f"{folder}/current_clocksource")
    cost, step = host.clock_cost()
    values = {"source": source, "cost_ns": round(cost, 3), "step_ns": round(step, 3)}
    found = source or "source cannot be read"
    found += f"; a reading takes {cost:.3g} ns, in steps of {step:.2g} ns"
    if source not in _SLOW_SOURCES and cost < _SLOW_CLOCK_NS:
        return Seen("ok" if source else "note", found, "", None, values)
    means = "latencies and the ends of windows are blurred by as much"
    advice = "boot with a clock that is read without the kernel (tsc)"
    return Seen("warn", found, means, advice, values)


@check()
def perf_events(host: Host) -> Seen:
    """Whether hardware counters could be read by others than root."""
    text = host.text("proc/sys/kernel/perf_event_paranoid")
    means = "no command here needs counters; perf c2c does, as a user at 0 or less"
    if text is None:
        return unreadable("perf_event_paranoid", means)
    level = int(text) if text.removeprefix("-").isdigit() else None
    values = {"paranoid": level}
    return Seen("ok", f"perf_event_paranoid {text}", means, None, values)
