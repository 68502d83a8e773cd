# SPDX-License-Identifier: MIT
"""Memory orders and operations by name, as C11 has them.

``relaxed`` no order; ``acquire`` nothing later moves before; ``release`` nothing earlier moves
behind; ``acq_rel`` both; ``seq_cst`` both, and one total order of all such operations.
Source: ISO C11 7.17.3 and 7.17.7; C17 allows any failure order that does not release.
"""

from __future__ import annotations

from collections.abc import Sequence

#: In the order of dwcas_order: the index is its value.
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")

#: In the order of csrc/include/dwcas/operations.def.
FETCHES = (
    "exchange",
    "fetch_add",
    "fetch_sub",
    "fetch_add_lanes",
    "fetch_and",
    "fetch_or",
    "fetch_xor",
    "fetch_nand",
    "fetch_max",
    "fetch_min",
    "fetch_max_signed",
    "fetch_min_signed",
    "exchange_lo_add_hi",
)

LOAD_ORDERS = ("relaxed", "acquire", "seq_cst")
STORE_ORDERS = ("relaxed", "release", "seq_cst")

#: Operation -> the orders it has.
OPERATIONS: dict[str, Sequence[str]] = {
    "load": LOAD_ORDERS,
    "store": STORE_ORDERS,
    "compare_exchange": ORDERS,
    "compare_and_set": ORDERS,
    **dict.fromkeys(FETCHES, ORDERS),
    "load_lo": LOAD_ORDERS,
    "load_hi": LOAD_ORDERS,
    "fetch_add_lo": ORDERS,
    "fetch_add_hi": ORDERS,
}


def order_number(operation: str, order: str) -> int:
    """The value of ``order`` in C. ValueError names the orders that ``operation`` has."""
    if order not in OPERATIONS[operation]:
        legal = ", ".join(OPERATIONS[operation])
        raise ValueError(f"{operation} with order {order!r}: its orders are {legal}")
    return ORDERS.index(order)
