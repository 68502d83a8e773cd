# SPDX-License-Identifier: MIT
"""16-byte atomics: pairs of 64-bit words that move together, lock-free or an error.

Not the package of the same name on PyPI; do not install both in one environment.
"""

try:
    import atomics._native  # noqa: F401
except ModuleNotFoundError as missing:
    raise ImportError(
        f"atomics: {__file__} is a source tree whose C part is not built; "
        "run `pip install -e .` there, or start Python in another folder"
    ) from missing

from typing import TYPE_CHECKING, Any

from atomics.atomic_pair import AtomicPair, PairReader
from atomics.buffers import AlignmentError, ReadOnlyError
from atomics.dispatch import (
    Backend,
    Build,
    Feature,
    NoBackendError,
    backend,
    backends,
    build,
    features,
    is_lock_free,
    use_backend,
)
from atomics.pair import Pair

if TYPE_CHECKING:
    from atomics.pair_array import PAIR_DTYPE, PairArray

__all__ = [
    "PAIR_DTYPE",
    "AlignmentError",
    "AtomicPair",
    "Backend",
    "Build",
    "Feature",
    "NoBackendError",
    "Pair",
    "PairArray",
    "PairReader",
    "ReadOnlyError",
    "backend",
    "backends",
    "build",
    "features",
    "is_lock_free",
    "use_backend",
]


def __getattr__(name: str) -> Any:
    """PairArray and PAIR_DTYPE, when first asked for: NumPy takes a while to import."""
    if name in ("PAIR_DTYPE", "PairArray"):
        from atomics import pair_array

        return getattr(pair_array, name)
    raise AttributeError(f"module 'atomics' has no attribute {name!r}")
