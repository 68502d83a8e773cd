# SPDX-License-Identifier: MIT
"""Files that commands write."""

from __future__ import annotations

import os
import tempfile
from errno import EACCES, EISDIR
from pathlib import Path

from atomics import command
from atomics.command import UsageError


class Target:
    """Where a result goes: a file, or stdout for ``-``. Made before the work, so that a path that
    cannot be written is found out then (UsageError); the file appears whole or not at all.
    ``what`` is the option's name."""

    def __init__(self, what: str, text: str) -> None:
        self.path = None if text == "-" else Path(text)
        if self.path is None:
            command.require_stdout()
            return
        try:
            self.path = self.path.resolve()  # a link is written through, not replaced
            self._probe(self.path)
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{what} {text}: cannot be written ({reason})") from None

    def _probe(self, path: Path) -> None:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, "a folder; name a file in it")
        if self._is_special(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
        else:
            self._temporary(path)[1].unlink()

    @staticmethod
    def _is_special(path: Path) -> bool:
        """A pipe or a device: written in place, when the time comes."""
        return path.exists() and not path.is_file()

    def _temporary(self, path: Path) -> tuple[int, Path]:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        return number, Path(name)

    def write(self, text: str) -> None:
        """All of it, or an OSError and the file as it was."""
        if self.path is None:
            command.emit(text)
        elif self._is_special(self.path):
            self.path.write_text(text + "\n", encoding="utf-8")
        else:
            self._replace(self.path, text)

    def _replace(self, path: Path, text: str) -> None:
        number, temporary = self._temporary(path)
        try:
            with open(number, "w", encoding="utf-8") as out:
                out.write(text + "\n")
            os.chmod(temporary, 0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
