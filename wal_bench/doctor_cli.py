# SPDX-License-Identifier: MIT
"""The command ``wal-bench doctor``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from atomics import command
from wal_bench.options import option


def doctor(
    json_: Annotated[
        str | None,
        option("--json", "Write dwcas.doctor/1; - is stdout, the table on stderr.", "FILE"),
    ] = None,
) -> None:
    """Look for what disturbs a measurement on this machine."""
    from atomics import topology
    from atomics.output import Target
    from wal_bench import result
    from wal_bench.doctor import check, host, report
    from wal_bench.errors import EnvironmentUnfit

    command.require_stdout()
    target = None if json_ is None else Target("json", json_)
    here = host.Host(topology.read_topology())
    rows = list(check.examine(here))
    lost: OSError | None = None
    if target is not None:
        try:
            target.write(result.dumps(report.document(rows, here.numbers)))
        except OSError as error:
            lost = error
    if json_ == "-":  # stdout is taken
        command.note(report.render(rows, sys.stderr))
    else:
        command.emit(report.render(rows, sys.stdout))
    if lost is not None:
        raise EnvironmentUnfit(f"json {json_}: writing failed ({lost.strerror})")
    raise typer.Exit(int(report.worst(rows) == "bad"))
