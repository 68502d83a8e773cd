# SPDX-License-Identifier: MIT
"""The command ``wal-bench report``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from atomics import command
from wal_bench.errors import EnvironmentUnfit, UsageError
from wal_bench.options import PROG, option

_NEEDS = ("matplotlib", "jinja2")  #: the extra ``report``


def _require_libraries() -> None:
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        raise EnvironmentUnfit(f"report needs {' and '.join(missing)}: pip install 'dwcas[report]'")


def _directory(name: str) -> Path:
    """Made if it is not there; UsageError if that cannot be."""
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"plots {name}: cannot be made ({reason})") from None
    return path


def report(
    files: Annotated[
        list[str],
        typer.Argument(help="What run --json or insert --json wrote.", metavar="FILE..."),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="The page; - is stdout. Default: the first FILE's name, .html.",
            metavar="FILE",
        ),
    ] = None,
    plots: Annotated[
        str | None, option("--plots", "Also write each plot there, as SVG and PNG.", "DIR")
    ] = None,
) -> None:
    """Make one page of runs: verdict, tables, plots, machine. No network, no script."""
    from atomics.output import Target
    from wal_bench import run_file, words

    _require_libraries()
    runs = [run_file.read(file) for file in files]
    name = output or str(Path(files[0]).with_suffix(".html"))
    target = Target("output", name)
    directory = None if plots is None else _directory(plots)
    from wal_bench.report import build

    made = build.build(runs)
    try:
        written = [] if directory is None else build.write_plots(made, directory)
        target.write(made.page)
    except OSError as error:
        where = error.filename or name
        raise EnvironmentUnfit(f"{where}: writing failed ({error.strerror})") from None
    if target.path is not None:
        drawn = f", and {words.count(len(written), 'plot file')} in {plots}" if plots else ""
        command.say(PROG, f"{name} written{drawn}")
