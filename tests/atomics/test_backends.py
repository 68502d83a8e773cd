# SPDX-License-Identifier: MIT
"""The choice of a backend: made once, forced loudly, never a lock."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import atomics
import atomics._native


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter: the choice of a backend lasts as long as a process."""
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def cpuinfo_flags() -> set[str]:
    words = re.findall(r"^(?:flags|Features)\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return set(words[0].split())


#: Our names of features and the kernel's, on either architecture.
KERNEL_NAMES = {"cmpxchg16b": "cx16", "lse": "atomics", "lse2": "uscat", "lse128": "lse128"}


def test_features_agree_with_the_kernel() -> None:
    present = {f.name: f.present for f in atomics.features()}
    flags = cpuinfo_flags()
    named = {ours: kernels in flags for ours, kernels in KERNEL_NAMES.items() if ours in present}
    assert named
    assert named == {name: present[name] for name in named}
    assert present.get("avx", False) <= ("avx" in flags)


def test_the_best_available_backend_is_chosen() -> None:
    result = python("import atomics; print(atomics.backend())", DWCAS_BACKEND="")
    available = [b.name for b in atomics.backends() if b.available]
    assert result.stdout.strip() == available[-1]


@pytest.mark.parametrize("name", [b.name for b in atomics.backends() if b.available])
def test_a_backend_can_be_forced(name: str) -> None:
    result = python("import atomics; print(atomics.backend())", DWCAS_BACKEND=name)
    assert result.stdout.strip() == name


def test_an_unknown_backend_is_refused_with_the_names() -> None:
    result = python("import atomics; atomics.backend()", DWCAS_BACKEND="sse9")
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert "DWCAS_BACKEND=sse9: no such backend" in last
    assert all(b.name in last for b in atomics.backends())


@pytest.mark.skipif(platform.machine() != "x86_64", reason="every arm64 CPU has LDXP/STXP")
def test_a_cpu_without_the_instruction_is_an_error_that_names_it() -> None:
    code = "import atomics; atomics.backend()"
    result = python(code, DWCAS_DISABLE="cmpxchg16b", DWCAS_BACKEND="")
    assert result.returncode == 1
    assert "cmpxchg16b is missing" in result.stderr.strip().splitlines()[-1]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names x86-64 backends")
def test_a_forced_backend_that_the_cpu_lacks_is_refused() -> None:
    code = "import atomics; atomics.backend()"
    result = python(code, DWCAS_DISABLE="avx", DWCAS_BACKEND="cx16_avx")
    assert "DWCAS_BACKEND=cx16_avx: this CPU has no avx" in result.stderr.strip().splitlines()[-1]


def test_concurrent_first_use_decides_once() -> None:
    code = """
import threading
from atomics._native import ffi, lib
gate, seen = threading.Barrier(16), []
def first():
    gate.wait()
    seen.append(int(ffi.cast("uintptr_t", lib.dwcas_backend_chosen())))
threads = [threading.Thread(target=first) for _ in range(16)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(seen), len(set(seen)), seen[0] != 0)
"""
    assert python(code).stdout.split() == ["16", "1", "True"]


def test_the_library_needs_no_libatomic() -> None:
    """libatomic may be a lock and would hide the choice of the instruction."""
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf (binutils) is not installed")
    shown = subprocess.run(
        [readelf, "-d", atomics._native.__file__], capture_output=True, text=True, check=True
    )
    needed = re.findall(r"NEEDED.*\[(.*)\]", shown.stdout)
    assert needed
    assert not [name for name in needed if "atomic" in name]


def test_the_module_uses_the_stable_abi() -> None:
    assert ".abi3." in Path(atomics._native.__file__).name
