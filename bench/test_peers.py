# SPDX-License-Identifier: MIT
"""16-byte compare-and-swap side by side: ours per backend, Concurrency Kit, libatomic, the
compiler's builtin, a mutex and a spinlock, all in the same loop (peers/driver.h)."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import atomics

Measure = Callable[[Callable[[], float]], list[float]]
Run = Callable[[int], float]
ShowRatio = Callable[[str, list[float]], None]

HERE = Path(__file__).parent
CSRC = HERE.parent / "csrc"
CPUS = sorted(os.sched_getaffinity(0))
OPERATIONS = 2_000_000  # much longer than it takes both threads to get going
X86 = platform.machine() == "x86_64"
ARCHITECTURE = "x86_64" if X86 else "arm64"
PEERS = ("ck", "libatomic", "builtins", "mutex", "spin")
BACKENDS = [b.name for b in atomics.backends() if b.available]
THREADS = [n for n in (1, 2) if n <= len(CPUS)]


def _flags(peer: str) -> list[str]:
    if peer in BACKENDS:
        rows = (CSRC / "pair" / ARCHITECTURE / "backends.def").read_text()
        found = re.search(rf'^BACKEND\({peer},.*"(.*)"\)$', rows, re.M)
        assert found is not None
        header = f'-DDWCAS_BACKEND_HEADER="pair/{ARCHITECTURE}/{peer}.h"'
        return [
            *found[1].split(),
            f"-DDWCAS_BACKEND={peer}",
            header,
            f"-I{CSRC}",
            f"-I{CSRC}/include",
        ]
    if peer == "libatomic":
        return ["-latomic"]
    return ["-mcx16"] if X86 else []


@functools.cache
def _library(peer: str) -> ctypes.CDLL | str:
    """The peer, built; or what is missing."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return "a C compiler"
    source = HERE / "peers" / ("dwcas.c" if peer in BACKENDS else f"{peer}.c")
    target = Path(tempfile.mkdtemp()) / f"{peer}.so"
    command = [
        compiler,
        "-O2",
        "-std=gnu11",
        "-D_GNU_SOURCE",
        "-fPIC",
        "-shared",
        "-pthread",
        str(source),
    ]
    command += ["-o", str(target), *_flags(peer)]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        missing = {"ck": "libck-dev (ck_pr.h)", "libatomic": "libatomic"}
        if peer in missing:
            return missing[peer]
        raise RuntimeError(built.stderr)
    library = ctypes.CDLL(str(target))
    library.run.restype = ctypes.c_uint64
    library.run.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.c_uint64]
    shutil.rmtree(target.parent)  # it stays mapped
    return library


@pytest.fixture
def theirs(request: pytest.FixtureRequest) -> Run:
    """The peer that the test names; before `benchmark`, which dislikes a test that skips."""
    return runner(request.param)


def runner(peer: str) -> Run:
    """Threads -> ns per operation of all of them; skips a peer that is not installed, by name."""
    library = _library(peer)
    if isinstance(library, str):
        pytest.skip(f"{library} is not installed")

    def run(threads: int) -> float:
        cpus = (ctypes.c_int * threads)(*CPUS[:threads])
        spent = int(library.run(threads, cpus, OPERATIONS))
        assert spent > 1, f"{peer}: threads were refused, or increments were lost"
        return spent / (threads * OPERATIONS)

    return run


@pytest.mark.parametrize("theirs", [*BACKENDS, *PEERS], indirect=True)
@pytest.mark.parametrize("threads", THREADS)
def test_compare_and_swap(
    theirs: Run, threads: int, measure: Measure, benchmark: BenchmarkFixture
) -> None:
    benchmark.group = f"16-byte compare-and-swap, {threads} threads"
    measure(lambda: theirs(threads))


@pytest.mark.parametrize("theirs", PEERS, indirect=True)
@pytest.mark.parametrize("threads", THREADS)
def test_ratio(
    request: pytest.FixtureRequest,
    theirs: Run,
    threads: int,
    measure: Measure,
    benchmark: BenchmarkFixture,
    show_ratio: ShowRatio,
) -> None:
    """Throughput of the chosen backend divided by the peer's, in pairs: above 1, ours is faster."""
    ours, peer = runner(atomics.backend()), request.node.callspec.params["theirs"]
    benchmark.group = f"ours / peer, {threads} threads"
    ratios: list[float] = []

    def pair() -> float:
        for _ in range(3):  # many short pairs: the hypervisor moves CPUs for seconds at a time
            mine = ours(threads)
            ratios.append(theirs(threads) / mine)
        return mine

    measure(pair)
    show_ratio(f"{atomics.backend()} / {peer}, {threads} threads", ratios)
