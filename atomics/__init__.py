# SPDX-License-Identifier: MIT
"""16-byte atomics: which 128-bit instructions this CPU has, lock-free or an error.

Not the package of the same name on PyPI; do not install both in one environment.
"""

try:
    import atomics._native  # noqa: F401
except ModuleNotFoundError as missing:
    raise ImportError(
        f"atomics: {__file__} is a source tree whose C part is not built; "
        "run `pip install -e .` there, or start Python in another folder"
    ) from missing

from atomics.dispatch import (
    Backend,
    Build,
    Feature,
    NoBackendError,
    backend,
    backends,
    build,
    features,
)

__all__ = [
    "Backend",
    "Build",
    "Feature",
    "NoBackendError",
    "backend",
    "backends",
    "build",
    "features",
]
