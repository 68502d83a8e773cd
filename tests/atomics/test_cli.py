# SPDX-License-Identifier: MIT
"""The command ``atomics info``."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys

import pytest

import atomics
from atomics.orders import OPERATIONS


def info(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "atomics", "info", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_info_json_says_what_serves_this_process() -> None:
    result = info("--json")
    report = json.loads(result.stdout)
    assert result.returncode == 0
    assert report["schema"] == "dwcas.info/1"
    assert report["backend"] == atomics.backend()
    assert [b["name"] for b in report["backends"] if b["chosen"]] == [atomics.backend()]
    assert report["build"]["flags"]


def test_info_says_what_every_operation_executes_and_why() -> None:
    found = json.loads(info("--json").stdout)["sequences"]
    assert {(s["operation"], s["order"]) for s in found} == {
        (name, order) for name, orders in OPERATIONS.items() for order in orders
    }
    assert all(s["code"] and s["why"] for s in found)
    text = info().stdout
    assert all(s["why"].split()[0] in text for s in found)
    assert max(map(len, text.split("what ")[1].splitlines())) < 80


def test_info_text_names_every_feature_and_backend() -> None:
    text = info().stdout
    assert all(f.name in text for f in atomics.features())
    assert all(b.name in text for b in atomics.backends())


@pytest.mark.skipif(platform.machine() != "x86_64", reason="every arm64 CPU has LDXP/STXP")
def test_info_without_a_backend_exits_3_and_says_what_is_missing() -> None:
    result = info("--json", DWCAS_DISABLE="cmpxchg16b", DWCAS_BACKEND="")
    assert result.returncode == 3
    assert json.loads(result.stdout)["lock_free"] is False
    assert result.stderr.startswith("atomics: error: this CPU has no 16-byte compare-and-swap")
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_command_is_a_usage_error() -> None:
    result = subprocess.run(
        [sys.executable, "-P", "-m", "atomics", "inof"], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 2
