# SPDX-License-Identifier: MIT
"""A pytest fixture, so that a repository says in a line that its sequence is right::

def test_cas(check_arm64):
    check_arm64("cas.S", "compare_exchange", order="acq_rel")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Check = Callable[..., None]


@pytest.fixture
def check_arm64(request: pytest.FixtureRequest) -> Check:
    """``check_arm64(target, spec, *, cpus=2, calls=1, order=None, model=())``

    ``target`` and ``spec`` as of ``atomics check``; a file is looked for beside the test. Fails
    with the report, trace included, unless the verdict is right."""
    folder = request.path.parent

    def check(
        target: str,
        spec: str | None = None,
        *,
        cpus: int | None = None,
        calls: int | None = None,
        order: str | None = None,
        model: Sequence[str] | str = (),
    ) -> None:
        from atomics.command import CommandError  # here: not every test run checks sequences
        from atomics.emulator import check_run, report
        from atomics.emulator.check import RIGHT

        settings = [model] if isinstance(model, str) else model
        asked = check_run.Request(
            _beside(folder, target), spec and _beside(folder, spec), cpus, calls, order, settings
        )
        verdict, refused = None, None
        try:
            verdict = check_run.Question(asked).verdict()
        except (CommandError, ValueError) as error:
            refused = f"check_arm64: {error}"
        if verdict is None:  # outside of the handler, so that pytest shows the line once
            pytest.fail(refused or "", pytrace=False)
        elif verdict.result != RIGHT:
            pytest.fail(f"{report.summary(verdict)}\n\n{report.text(verdict)}", pytrace=False)

    return check


def _beside(folder: Path, text: str) -> str:
    """The text with a file name taken as beside the test, if there is such a file."""
    name, colon, symbol = text.partition(":")
    path = folder / name
    return f"{path}{colon}{symbol}" if path.is_file() else text
