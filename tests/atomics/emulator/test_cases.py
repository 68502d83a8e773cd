# SPDX-License-Identifier: MIT
"""Public cases of atomicity and of the monitor, each with the verdict that the architecture gives.

Whole operations with their verdicts are files: tests/specimens.

Sources of the verdicts: Arm DDI 0487 B2 and the pseudocode of LDXP, STXP, CASP; herdtools7 tests
L031, L056 and L057; for the torn miss, concurrencykit/ck, Boost.Atomic and LLVM issue 210431.
"""

from __future__ import annotations

import pytest

from tests.atomics.emulator.programs import ends, explored, world

SPLIT: list[str] = []
ATOMIC = ["pairs=atomic"]


def cas(lo: int, hi: int, new_lo: int, new_hi: int) -> str:
    return f"""
        mov  x2, #{lo}
        mov  x3, #{hi}
        mov  x4, #{new_lo}
        mov  x5, #{new_hi}
        mov  x0, x2
        mov  x1, x3
        casp x0, x1, x4, x5, [x8]
    """


def llsc(lo: int, hi: int, new_lo: int, new_hi: int, acquire: str = "") -> str:
    """A classic LDXP/STXP CAS; x0, x1 = the pair that was read, w7 = 1 if it left or failed."""
    return f"""
        mov  x2, #{lo}
        mov  x3, #{hi}
        mov  x4, #{new_lo}
        mov  x5, #{new_hi}
A:      ld{acquire}xp x0, x1, [x8]
        mov  w7, #1
        cmp  x0, x2
        ccmp x1, x3, #0, eq
        b.ne B
        stxp w7, x4, x5, [x8]
        cbnz w7, A
B:      nop
    """


def test_two_casp_never_both_hit() -> None:
    found = ends([cas(0, 0, 1, 1), cas(0, 0, 2, 2)], pair=(0, 0), registers=(0, 1))
    assert found == {
        ((1, 1), ((0, 0, 0), (1, 1, 1))),
        ((2, 2), ((0, 2, 2), (1, 0, 0))),
    }


@pytest.mark.parametrize("settings", [SPLIT, ATOMIC])
def test_two_store_exclusives_never_both_store_over_one_value_but_may_both_fail(
    settings: list[str],
) -> None:
    once = """
        mov  x4, #{0}
        ldxp x0, x1, [x8]
        stxp w7, x4, x4, [x8]
    """
    found = ends([once.format(1), once.format(2)], settings, pair=(0, 0), registers=(0, 1, 7))
    results = {tuple(row[1:] for row in rows) for _, rows in found}
    assert ((0, 0, 0), (0, 0, 0)) not in results  # status 0, 0 and both read {0, 0}
    assert ((0, 0, 1), (0, 0, 1)) in results  # both may fail without a reason


@pytest.mark.parametrize("acquire", ["", "a"])
def test_a_miss_that_returns_what_it_loaded_may_be_torn_before_lse2(acquire: str) -> None:
    programs = [llsc(10, 20, 11, 21), llsc(99, 99, 1, 1, acquire)]

    def returned(settings: list[str]) -> set[tuple[int, int]]:
        found = ends(programs, settings, registers=(0, 1))
        return {rows[1][1:] for _, rows in found}

    assert returned(SPLIT) == {(10, 20), (11, 21), (11, 20), (10, 21)}
    assert returned(ATOMIC) == {(10, 20), (11, 21)}


def test_a_miss_that_stores_back_is_never_torn() -> None:
    back = """
        mov  x2, #99
A:      ldxp x0, x1, [x8]
        cmp  x0, x2
        b.eq B
        stxp w7, x0, x1, [x8]
        cbnz w7, A
B:      nop
    """
    found = ends([llsc(10, 20, 11, 21), back], SPLIT, registers=(0, 1))
    assert {rows[1][1:] for _, rows in found} == {(10, 20), (11, 21)}


@pytest.mark.parametrize("name", ["casp", "caspal"])
def test_a_missing_casp_is_never_torn(name: str) -> None:
    miss = cas(99, 99, 1, 1).replace("casp", name)
    found = ends([cas(10, 20, 11, 21), miss], SPLIT, registers=(0, 1))
    assert {rows[1][1:] for _, rows in found} == {(10, 20), (11, 21)}


INCREMENT = """
A:      ldxp x0, x1, [x8]
        add  x4, x0, #1
        add  x5, x1, #1
        stxp w7, x4, x5, [x8]
"""


def test_a_status_that_nobody_looks_at_loses_updates() -> None:
    assert ends([INCREMENT] * 2, ATOMIC) == {(10, 20), (11, 21), (12, 22)}
    assert ends([INCREMENT + "        cbnz w7, A\n"] * 2, ATOMIC) == {(12, 22)}


def test_swapped_halves_show_with_asymmetric_data_only() -> None:
    swapped = llsc(10, 20, 11, 21).replace("ldxp x0, x1", "ldxp x1, x0")
    assert ends([swapped], ATOMIC) == {(10, 20)}
    assert ends([swapped.replace("#20", "#10")], ATOMIC, pair=(10, 10)) == {(11, 21)}


def test_an_input_that_accumulates_needs_a_spurious_failure_to_show() -> None:
    accumulate = """
        mov  x4, #1
        mov  x5, #1
A:      ldxp x0, x1, [x8]
        add  x4, x4, x0
        add  x5, x5, x1
        stxp w7, x4, x5, [x8]
        cbnz w7, A
    """
    assert ends([accumulate], [*ATOMIC, "spurious=0"]) == {(11, 21)}
    assert ends([accumulate], [*ATOMIC, "spurious=1"]) == {(11, 21), (21, 41)}


@pytest.mark.parametrize(
    "text",
    [
        "        ldxp x0, x1, [x8]\n        clrex\n        stxp w7, x2, x2, [x8]\n",
        "        stxp w7, x2, x2, [x8]\n",
    ],
)
def test_without_a_reservation_nothing_is_stored(text: str) -> None:
    assert ends([text], ATOMIC, registers=(7,)) == {((10, 20), ((0, 1),))}


def test_the_second_of_two_store_exclusives_fails() -> None:
    twice = "        ldxp x0, x1, [x8]\n" + "        stxp w7, x2, x2, [x8]\n" * 2
    assert {rows for _, rows in ends([twice], ATOMIC, registers=(7,))} == {((0, 1),)}


NODES = 64  # bytes: {head, count}, then node 1 at 16 {next} and node 2 at 32 {next}


def stack(tagged: bool) -> list[str]:
    """A stack of nodes 1 -> 2: T0 pops one; T1 pops both and pushes the first again. x1 = tag."""
    bump = "add  x5, x1, #1" if tagged else "mov  x5, x1"

    def pop(label: str) -> str:
        return f"""
{label}:     ldp  x0, x1, [x8]
        ldr  x4, [x8, x0]
        {bump}
        mov  x2, x0
        mov  x3, x1
        casp x2, x3, x4, x5, [x8]
        cmp  x2, x0
        ccmp x3, x1, #0, eq
        b.ne {label}
        """

    push = f"""
        mov  x6, #16
G:      ldp  x0, x1, [x8]
        str  x0, [x8, #16]
        mov  x4, x6
        {bump}
        mov  x2, x0
        mov  x3, x1
        casp x2, x3, x4, x5, [x8]
        cmp  x2, x0
        ccmp x3, x1, #0, eq
        b.ne G
    """
    return [pop("A"), pop("B") + pop("C") + push]


@pytest.mark.parametrize("settings", [SPLIT, ATOMIC])
def test_a_b_a_corrupts_a_stack_unless_a_tag_counts(settings: list[str]) -> None:
    from atomics.emulator.world import World
    from tests.atomics.emulator.programs import Ends

    def heads(tagged: bool) -> set[int]:
        seen = Ends()
        one: World = world(stack(tagged), settings, size=NODES, properties=[seen])
        memory = bytearray(NODES)
        memory[0] = 16  # head: node 1
        memory[16] = 32  # node 1 -> node 2; node 2 -> 0
        one.memory = bytes(memory)
        found = explored(one)
        assert found.complete
        return {pair[0] for pair in seen.found}

    assert 32 in heads(tagged=False)  # node 2, which T1 had popped, is the head again
    assert 32 not in heads(tagged=True)


def test_a_value_monitor_misses_a_b_a_where_hardware_fails() -> None:
    slow = """
        ldxp x0, x1, [x8]
        ldr  x9, [x8]
        stxp w7, x0, x0, [x8]
    """
    there_and_back = """
        mov  x2, #5
        ldr  x3, [x8]
        str  x2, [x8]
        str  x3, [x8]
    """

    def stores_over_a_b_a(*settings: str) -> bool:
        """LDXP read 10, then 5 was there, and the STXP succeeds all the same."""
        found = ends(
            [slow, there_and_back], [*ATOMIC, "spurious=0", *settings], registers=(0, 9, 7)
        )
        return any((0, 10, 5, 0) in rows for _, rows in found)

    assert not stores_over_a_b_a("monitor=granule")
    assert stores_over_a_b_a("monitor=value")


@pytest.mark.parametrize("offset", [0, 8])
def test_a_store_to_one_half_between_is_never_lost(offset: int) -> None:
    store = f"        mov  x2, #99\n        str  x2, [x8, #{offset}]\n"
    loop = INCREMENT + "        cbnz w7, A\n"
    found = ends([loop, store], ATOMIC)
    assert found == ({(99, 21), (100, 21)} if offset == 0 else {(11, 99), (11, 100)})


STORE = "        mov  x2, #11\n        mov  x3, #21\n        stp  x2, x3, [x8]\n"
LOAD = "        ldp  x0, x1, [x8]\n"
WRITERS = {
    "stp": STORE,
    "casp": cas(10, 20, 11, 21),
    "stxp": llsc(10, 20, 11, 21),
}
TORN = {(11, 20), (10, 21)}
WHOLE = {(10, 20), (11, 21)}


def seen_by(reader: str, writer: str, settings: list[str]) -> set[tuple[int, int]]:
    found = ends([WRITERS[writer], reader], settings, registers=(0, 1))
    return {rows[1][1:] for _, rows in found}


@pytest.mark.parametrize("writer", WRITERS)
def test_ldp_tears_before_lse2_and_not_with_it(writer: str) -> None:
    assert seen_by(LOAD, writer, SPLIT) == WHOLE | TORN
    assert seen_by(LOAD, writer, ATOMIC) == WHOLE


CASP_LOAD = "        casp x0, x1, x0, x1, [x8]\n"
LLSC_LOAD = "A:      ldxp x0, x1, [x8]\n        stxp w7, x0, x1, [x8]\n        cbnz w7, A\n"


@pytest.mark.parametrize("reader", [CASP_LOAD, LLSC_LOAD])
def test_no_atomic_reader_repairs_a_writer_that_tears(reader: str) -> None:
    assert seen_by(reader, "stp", SPLIT) == WHOLE | TORN
    assert seen_by(reader, "casp", SPLIT) == WHOLE
    assert seen_by(reader, "stxp", SPLIT) == WHOLE


@pytest.mark.parametrize(("cas_miss", "statuses"), [("write", {0, 1}), ("read", {0})])
def test_a_missing_casp_may_end_others_reservations(cas_miss: str, statuses: set[int]) -> None:
    slow = "        ldxp x0, x1, [x8]\n        stxp w7, x0, x1, [x8]\n"
    settings = [*ATOMIC, "spurious=0", f"cas_miss={cas_miss}"]
    found = ends([slow, cas(99, 99, 1, 1)], settings, registers=(7,))
    assert {rows[0][1] for _, rows in found} == statuses


def test_8_bytes_against_16_give_no_third_value() -> None:
    store = "        mov  x2, #1\n        str  x2, [x8]\n"
    found = ends([store, cas(0, 0, 2, 2)], pair=(0, 0))
    assert found == {(1, 0), (1, 2)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ldxp x0, x1, [x8]\n stxr w7, x2, [x8]", "store-exclusive of 8 bytes"),
        ("ldxr x0, [x8]\n stxp w7, x2, x3, [x8]", "store-exclusive of 16 bytes"),
        ("ldxp x0, x1, [x8]\n stxp w7, w2, w3, [x8]", "store-exclusive of 8 bytes"),
        ("add x9, x8, #16\n ldxp x0, x1, [x8]\n stxp w7, x2, x3, [x9]", "at offset 16"),
        ("ldxp x0, x0, [x8]", "CONSTRAINED UNPREDICTABLE"),
        ("ldp x0, x0, [x8]", "CONSTRAINED UNPREDICTABLE"),
        ("ldxp x0, x1, [x8]\n stxp w2, x2, x3, [x8]", "the status register is a data register"),
        ("ldxp x0, x1, [x8]\n stxp w8, x2, x3, [x8]", "the status register is the base"),
        (".inst 0x48217d04", "UNDEFINED"),
        ("swpp x1, x1, [x8]", "CONSTRAINED UNPREDICTABLE"),
        (".inst 0x193f8101", "UNDEFINED"),
        ("add x8, x8, #8\n ldxp x0, x1, [x8]", "reaches past the object"),
        ("ldr x0, [x8, #4]", "misaligned"),
        ("str x0, [x8, #16]", "outside the object and its own memory"),
    ],
)
def test_what_is_unpredictable_undefined_or_faults_is_found(text: str, reason: str) -> None:
    found = explored(world([text + "\n"], size=32 if "#16\n" in text else 16))
    assert found.wrong is not None
    assert reason in found.wrong


def test_a_casp_at_offset_8_is_an_alignment_fault() -> None:
    text = "        add  x9, x8, #8\n        casp x0, x1, x2, x3, [x9]\n"
    found = explored(world([text], size=32))
    assert found.wrong is not None
    assert "alignment fault" in found.wrong


def test_an_own_store_in_the_granule_may_stop_all_progress() -> None:
    """Between the halves the loop counts its tries in the same granule."""
    text = INCREMENT.replace("        stxp", "        str  x0, [x8, #{0}]\n        stxp")
    text += "        cbnz w7, A\n"

    def stuck(offset: int, *settings: str) -> bool:
        return explored(world([text.format(offset)], [*settings], size=4096)).stuck

    assert stuck(16, "own_store=clear", "granule=64")
    assert not stuck(16, "own_store=keep", "granule=64")
    assert not stuck(64, "own_store=clear", "granule=64")
    assert stuck(64, "own_store=clear", "granule=128")
    assert stuck(1024, "own_store=clear", "granule=2048")


def test_an_exception_between_ends_the_reservation() -> None:
    once = "        ldxp x0, x1, [x8]\n        stxp w7, x0, x1, [x8]\n"

    def statuses(*settings: str) -> set[int]:
        found = ends([once], [*ATOMIC, "spurious=0", *settings], registers=(7,))
        return {rows[0][1] for _, rows in found}

    assert statuses("exceptions=off") == {0}
    assert statuses("exceptions=on") == {0, 1}


def test_on_a_read_only_page_only_plain_loads_work() -> None:
    def wrong(text: str) -> bool:
        return explored(world([text], ["page=readonly"])).wrong is not None

    assert not wrong(LOAD)
    assert not wrong("        ldar x0, [x8]\n")
    assert wrong(CASP_LOAD)  # even where it misses
    assert wrong(LLSC_LOAD)
    assert wrong(STORE)
