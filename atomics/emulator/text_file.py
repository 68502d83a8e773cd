# SPDX-License-Identifier: MIT
"""Files that a person names: regular ones only, and no more text than anyone writes."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

LARGEST = 16 << 20  #: bytes of text


def open_regular(path: Path) -> BinaryIO:
    """The file, to be read. Raises OSError; a FIFO would block and a device may never end."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(file, "rb")


def read_text(path: Path) -> str:
    """All of a text file. Raises OSError, whose ``strerror`` says what is wrong with the file."""
    with open_regular(path) as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise OSError(errno.EFBIG, f"more than {LARGEST >> 20} MiB of text", str(path))
    try:
        return raw.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise OSError(errno.EINVAL, "not text in UTF-8", str(path)) from None
