# SPDX-License-Identifier: MIT
"""Every interleaving, breadth-first, in pure Python: the oracle of the native explorer.

Breadth-first, so that the first thing that goes wrong has a shortest trace; states are hashed, so
that a loop ends; the search is complete, or says at how many states it stopped.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

from atomics.emulator.fault import Undecided
from atomics.emulator.local import Choice
from atomics.emulator.semantics import Semantics, State

Path = list[tuple[int, Choice]]  #: (CPU, choice) of each step
Progress = Callable[[int], None]


@dataclass
class Found:
    """What a search found. ``complete`` and ``wrong`` None: nothing goes wrong, ever.

    ``path`` leads to the wrong step, which is its last, or to a state from which no CPU can finish
    (``stuck``). ``undecided``: why the search could not go on. ``states`` and ``transitions`` are
    counted until it ended."""

    states: int
    transitions: int
    complete: bool
    wrong: str | None = None
    path: Path | None = None
    stuck: bool = False
    undecided: str | None = None


STUCK = "no CPU can finish from here, whatever happens"


def can_finish(semantics: Semantics, begin: State, limit: int) -> bool:
    """Is there a way from a state to the end of all calls? True also where ``limit`` states do not
    say, or where something goes wrong on the way."""
    seen, todo = {begin}, [begin]
    while todo and len(seen) < limit:
        state = todo.pop()
        if semantics.finished(state):
            return True
        for step in semantics.steps(state):
            if step.state is None:
                return True
            if step.state not in seen:
                seen.add(step.state)
                todo.append(step.state)
    return bool(todo)


def around(semantics: Semantics, path: Path) -> tuple[Path, int]:
    """A path to a state from which nobody finishes, continued: the CPUs that are not through take
    steps in turn until a state comes again. And how many steps come before that state."""
    state = semantics.reached(path)
    made = list(path)
    seen: dict[tuple[State, int], int] = {}
    cpu = -1
    while (state, cpu) not in seen:
        seen[state, cpu] = len(made)
        ready = [n for n, at in enumerate(state.locals) if semantics.local.pending[at] is not None]
        cpu = next((n for n in ready if n > cpu), ready[0])
        step = next(one for one in semantics.steps(state) if one.cpu == cpu)
        made.append((cpu, step.choice))
        assert step.state is not None
        state = step.state
    return made, seen[state, cpu]


def explore(semantics: Semantics, limit: int, progress: Progress = lambda states: None) -> Found:
    """Search all states, at most ``limit`` of them."""
    try:
        begin = semantics.initial()
    except Undecided as reason:
        return Found(0, 0, False, undecided=str(reason))
    if begin.state is None:
        return Found(0, 0, True, begin.wrong, [])
    numbers: dict[State, int] = {begin.state: 0}
    states = [begin.state]
    parents = array("q", [-1])
    ways: list[tuple[int, Choice]] = [(0, Choice.WHOLE)]
    edges_to, edges_end, finals = array("q"), array("q"), []
    transitions = 0

    def path(number: int) -> Path:
        steps: Path = []
        while number > 0:
            steps.append(ways[number])
            number = parents[number]
        return steps[::-1]

    at = 0
    while at < len(states):
        state = states[at]
        if at % 4096 == 0:
            progress(at)
        if semantics.finished(state):
            finals.append(at)
            wrong = semantics.judged(state.watched, state.memory)
            if wrong is not None:
                return Found(len(states), transitions, True, wrong, path(at))
        try:
            following = list(semantics.steps(state))
        except Undecided as reason:
            return Found(len(states), transitions, False, undecided=str(reason))
        for step in following:
            transitions += 1
            if step.state is None:
                steps = [*path(at), (step.cpu, step.choice)]
                return Found(len(states), transitions, True, step.wrong, steps)
            number = numbers.get(step.state)
            if number is None:
                if len(states) >= limit:
                    return Found(len(states), transitions, False)
                number = numbers[step.state] = len(states)
                states.append(step.state)
                parents.append(at)
                ways.append((step.cpu, step.choice))
            edges_to.append(number)
        edges_end.append(len(edges_to))
        at += 1
    stuck = first_stuck(edges_end, edges_to, finals)
    if stuck is not None:
        return Found(len(states), transitions, True, STUCK, path(stuck), True)
    return Found(len(states), transitions, True)


def first_stuck(edges_end: array[int], edges_to: array[int], finals: list[int]) -> int | None:
    """The first state from which no final one can be reached; edges of state n end at
    ``edges_end[n]`` in ``edges_to``. Backwards from the final states."""
    count = len(edges_end)
    before: list[list[int]] = [[] for _ in range(count)]
    start = 0
    for state in range(count):
        for edge in range(start, edges_end[state]):
            before[edges_to[edge]].append(state)
        start = edges_end[state]
    good = bytearray(count)
    todo = list(finals)
    for state in finals:
        good[state] = 1
    while todo:
        for state in before[todo.pop()]:
            if not good[state]:
                good[state] = 1
                todo.append(state)
    stuck = good.find(0)
    return None if stuck < 0 else stuck
