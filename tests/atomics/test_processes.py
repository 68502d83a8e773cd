# SPDX-License-Identifier: MIT
"""Several processes on one pair; several threads that ask for the backend first; torn reads."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from atomics import PairArray

#: A reader whose reads are torn must be seen to be torn so often that 99 of 100 runs of another,
#: torn as often, would have shown it: exp(-5) = 0.7 %.
MIXTURES = 5


COUNT_UP = """
import multiprocessing, sys
from atomics import PairArray

def count_up(name, times):
    pair = PairArray.attach(name)[1]
    for n in range(times):
        if n % 2:
            pair.fetch_add((1, 1 << 32))
        else:
            done, seen = False, pair.load()
            while not done:
                done, seen = pair.compare_exchange(seen, (seen.lo + 1, seen.hi + (1 << 32)))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    array = PairArray.create(None, 3)
    children = [context.Process(target=count_up, args=(array.name, 500)) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print(array.load_many().tolist(), [child.exitcode for child in children])
    array.unlink()
    array.close()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_increments_of_processes_are_not_lost(method: str, tmp_path: Path) -> None:
    script = tmp_path / "count_up.py"  # a file, so that a spawned child can import it
    script.write_text(COUNT_UP)
    command = [sys.executable, "-X", "dev", "-W", "error", str(script), method]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.stdout.strip() == f"{[(0, 0), (1500, 1500 << 32), (0, 0)]} [0, 0, 0]"
    assert result.stderr == ""


WRITER = """
import sys
import numpy as np
from atomics import PairArray, PAIR_DTYPE
array = PairArray.attach(sys.argv[1])
pairs = np.empty(4096, PAIR_DTYPE)
zeros = np.zeros(4096, np.int64)
number = 0
while array[1].load() == (0, 0):
    pairs["lo"] = np.arange(number, number + 4096)
    pairs["hi"] = ~(pairs["lo"] * np.uint64(3))
    array.fetch_many("exchange", zeros, pairs)
    number += 4096
"""


def test_a_reader_in_another_process_sees_no_torn_pair() -> None:
    """load_many and compare_exchange_many beside a reader of halves that is torn on purpose."""
    import numpy as np

    array = PairArray.create(None, 2)
    assert array.name is not None
    writers = [subprocess.Popen([sys.executable, "-P", "-c", WRITER, array.name]) for _ in range(2)]
    zeros, impossible = np.zeros(4096, np.int64), np.full((4096, 2), 1, np.uint64)
    halves = np.frombuffer(array._memory, np.uint64, 2, 128)  # the cell, 8 bytes at a time
    torn, torn_misses, torn_on_purpose = 0, 0, 0
    limit = time.monotonic() + 60

    def mixtures(lo: object, hi: object) -> int:
        low, high = np.asarray(lo, np.uint64), np.asarray(hi, np.uint64)
        return int(np.count_nonzero((high != ~(low * np.uint64(3))) & (low != 0)))

    try:
        while torn_on_purpose < MIXTURES and time.monotonic() < limit:
            seen = array.load_many(zeros)
            torn += mixtures(seen["lo"], seen["hi"])
            hit, seen = array.compare_exchange_many(zeros, impossible, impossible)
            torn_misses += mixtures(seen["lo"], seen["hi"]) + int(hit.sum())
            both = [(halves[0], halves[1]) for _ in range(4096)]
            torn_on_purpose += mixtures([lo for lo, _ in both], [hi for _, hi in both])
    finally:
        array.fetch_many("exchange", [1], [(1, 1)])
        codes = [writer.wait(60) for writer in writers]
        array.unlink()
        del halves
        array.close()
    assert codes == [0, 0]
    assert (torn, torn_misses) == (0, 0)
    assert torn_on_purpose >= MIXTURES, "too few mixtures for a statement"


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_first_use_by_many_threads_is_one_decision() -> None:
    code = """
        import threading
        from atomics._native import ffi, lib
        barrier, seen = threading.Barrier(16), set()
        def ask():
            barrier.wait()
            seen.add(int(ffi.cast("uintptr_t", lib.dwcas_backend_chosen())))
        threads = [threading.Thread(target=ask) for _ in range(16)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(len(seen))
    """
    assert [python(code).stdout.strip() for _ in range(5)] == ["1"] * 5


def test_a_backend_can_be_chosen_before_the_first_use_and_not_after() -> None:
    code = """
        import atomics
        names = [b.name for b in atomics.backends() if b.available]
        atomics.use_backend(names[0])
        atomics.use_backend(names[0])
        assert atomics.backend() == names[0] and atomics.is_lock_free()
        assert atomics.AtomicPair(1, 2).fetch_add(1) == (1, 2)
        for name in ("sse9", names[-1]):
            try:
                if name != names[0]:
                    atomics.use_backend(name)
                    print("no error for", name)
            except atomics.NoBackendError as error:
                print(error)
    """
    result = python(code, DWCAS_BACKEND="")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("backend sse9: no such backend; one of "), result.stderr
    assert all("this process has already decided" in line for line in lines[1:])
