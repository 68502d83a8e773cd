# SPDX-License-Identifier: MIT
"""What README.md shows runs as shown."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_python_example_does_what_its_comments_say() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.M | re.S)
    checks = """
assert (old, ok, seen) == ((0, 0), False, (1, 2))
assert head.load() == (0x7f00, 7)
"""
    result = subprocess.run(
        [sys.executable, "-P", "-c", code + checks], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
