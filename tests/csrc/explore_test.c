/* SPDX-License-Identifier: MIT */
/* explore_test.c: the explorer on counters that two CPUs increment once each, small enough to
 * count by hand, and with its memory watched by the sanitizers. tests/atomics/emulator holds
 * it against its Python twin on real programs. */
#include "check.h"
#include "dwcas/explore.h"

#include <string.h>

/* Local states: `first` asks for the counter, DONE is the end, WRITES + v adds to a read v. */
enum { FIRST, DONE, WRITES, LOCALS_COUNT = WRITES + 4 };

struct program {
    dwcas_access first, second; /* second.kind DWCAS_DONE: the first does it all */
    bool loops;                 /* the first leads to itself */
};

static const struct program plain = {{0, 8, DWCAS_READ, 0, 0}, {0, 8, DWCAS_WRITE, 0, 0}, false};
static const struct program update = {{0, 8, DWCAS_UPDATE, 0, 0}, {0, 0, DWCAS_DONE, 0, 0}, false};
static const struct program exclusive = {
    {0, 8, DWCAS_READ, 0, 1}, {0, 8, DWCAS_STORE_EXCLUSIVE, 0, 0}, false};
static const struct program endless = {{0, 8, DWCAS_READ, 0, 0}, {0, 0, DWCAS_DONE, 0, 0}, true};

struct ended {
    dwcas_explore_status status;
    uint64_t states, transitions;
    uint8_t path[64];
    size_t steps;
};

static bool answer(dwcas_explorer *explorer, const struct program *program,
                   const dwcas_explore_question *asked)
{
    const uint64_t more[2] = {asked->value[0] + 1, 0};

    if (asked->local == FIRST && program->loops)
        return dwcas_explore_answer(explorer, FIRST, NULL, false, 0, false);
    if (asked->local == FIRST && program->second.kind == DWCAS_DONE)
        return dwcas_explore_answer(explorer, DONE, more, false, 0, false);
    if (asked->local == FIRST)
        return dwcas_explore_answer(explorer, WRITES + (uint32_t)asked->value[0], NULL, false, 0,
                                    false);
    if (asked->choice == DWCAS_FAILED)
        return dwcas_explore_answer(explorer, FIRST, NULL, false, 0, false);
    return dwcas_explore_answer(explorer, DONE, (uint64_t[2]){asked->local - WRITES + 1, 0}, false,
                                0, false);
}

/* Searches with at most `pause` states between two looks. A counter that does not end as 2 is
 * wrong. */
static struct ended search(const struct program *program, dwcas_explore_options options,
                           uint64_t pause)
{
    const uint8_t memory[16] = {0};
    const uint32_t starts[2] = {FIRST, FIRST};
    dwcas_explorer *explorer = dwcas_explore_new(&options, 2, memory, sizeof memory);
    dwcas_explore_question asked;
    struct ended ended = {.status = DWCAS_EXPLORE_NO_MEMORY};
    bool going = explorer != NULL;

    for (uint32_t local = 0; going && local < LOCALS_COUNT; local++) {
        const dwcas_access done = {.kind = DWCAS_DONE};

        going = dwcas_explore_local(explorer, local == FIRST  ? &program->first
                                              : local == DONE ? &done
                                                              : &program->second);
    }
    going = going && dwcas_explore_start(explorer, starts, 0);
    while (going) {
        ended.status = dwcas_explore_run(explorer, pause, &asked);
        if (ended.status == DWCAS_EXPLORE_ANSWER) {
            going = answer(explorer, program, &asked);
        } else if (ended.status == DWCAS_EXPLORE_FINAL) {
            const uint8_t *left = dwcas_explore_memory(explorer, asked.memory);

            going = dwcas_explore_final(explorer, left[0] != 2);
        } else {
            going = ended.status == DWCAS_EXPLORE_PAUSE;
        }
    }
    ended.states = dwcas_explore_states(explorer);
    ended.transitions = dwcas_explore_transitions(explorer);
    if (ended.status == DWCAS_EXPLORE_WRONG || ended.status == DWCAS_EXPLORE_STUCK) {
        ended.steps = dwcas_explore_path(explorer, NULL);
        if (ended.steps <= sizeof ended.path)
            dwcas_explore_path(explorer, ended.path);
    }
    dwcas_explore_free(explorer);
    return ended;
}

static const dwcas_explore_options options = {
    .granule = 64, .spurious = -1, .own_store_clears = true, .limit = 1000};

static void read_then_write_loses_an_update(void)
{
    const struct ended ended = search(&plain, options, 1000);

    CHECK(ended.status == DWCAS_EXPLORE_WRONG, "status %d", (int)ended.status);
    CHECK(ended.steps == 4, "%zu steps, the shortest has 4", ended.steps);
    /* A step of CPU n is 8 n: breadth-first in that order, CPU 0 reads, CPU 1 reads, ... */
    CHECK(memcmp(ended.path, (uint8_t[]){0, 8, 0, 8}, 4) == 0, "path %d %d %d %d", ended.path[0],
          ended.path[1], ended.path[2], ended.path[3]);
}

static void an_atomic_update_loses_none(void)
{
    /* none, either, both have added */
    const struct ended ended = search(&update, options, 1000);

    CHECK(ended.status == DWCAS_EXPLORE_COMPLETE, "status %d", (int)ended.status);
    CHECK(ended.states == 4 && ended.transitions == 4, "%d states, %d transitions",
          (int)ended.states, (int)ended.transitions);
}

static void exclusives_lose_none_however_often_they_fail(void)
{
    struct ended ended = search(&exclusive, options, 1000);
    const struct ended slowly = search(&exclusive, options, 1);
    dwcas_explore_options values = options;

    CHECK(ended.status == DWCAS_EXPLORE_COMPLETE, "status %d", (int)ended.status);
    CHECK(ended.states == slowly.states && ended.transitions == slowly.transitions &&
              slowly.status == DWCAS_EXPLORE_COMPLETE,
          "pauses change what is found");
    values.granule = 0;
    ended = search(&exclusive, values, 1000);
    CHECK(ended.status == DWCAS_EXPLORE_COMPLETE, "value monitor: status %d", (int)ended.status);
}

static void what_cannot_end_and_what_is_too_large_are_said(void)
{
    dwcas_explore_options two = options;
    struct ended ended = search(&endless, options, 1000);

    CHECK(ended.status == DWCAS_EXPLORE_STUCK && ended.steps == 0, "status %d", (int)ended.status);
    two.limit = 2;
    ended = search(&exclusive, two, 1000);
    CHECK(ended.status == DWCAS_EXPLORE_BOUNDED && ended.states == 2, "status %d, %d states",
          (int)ended.status, (int)ended.states);
}

static void a_read_only_page_refuses_what_may_write(void)
{
    dwcas_explore_options readonly = options;
    struct ended ended;

    readonly.readonly = true;
    ended = search(&update, readonly, 1000);
    CHECK(ended.status == DWCAS_EXPLORE_WRONG && ended.steps == 1, "status %d", (int)ended.status);
    ended = search(&endless, readonly, 1000);
    CHECK(ended.status == DWCAS_EXPLORE_STUCK, "status %d", (int)ended.status);
}

int main(void)
{
    read_then_write_loses_an_update();
    an_atomic_update_loses_none();
    exclusives_lose_none_however_often_they_fail();
    what_cannot_end_and_what_is_too_large_are_said();
    a_read_only_page_refuses_what_may_write();
    return check_report();
}
