/* SPDX-License-Identifier: MIT */
/* explore/explore.c: the search. A state is a vector of numbers: the object's bytes, the
 * watchers' state, the spurious failures that are left, and per CPU its local state and its
 * reservation. Each part is interned, so a state of n CPUs takes 4 * (3 + 2 n) bytes.
 *
 * The search is resumable: when an answer is missing it returns, without having counted the
 * transition, and goes on at the same one (`cursor`). */
#include "dwcas/explore.h"

#include "explore/intern.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY, WATCHED, SPURIOUS, LOCALS };

/* The reservation of a CPU; number 0 is none. */
struct monitor {
    uint32_t offset, size;
    uint64_t value[2];
};

struct answer_key {
    uint64_t value[2];
    uint32_t local, choice;
};

struct answer {
    uint64_t store[2];
    uint32_t next, events;
    bool stores, clears, wrong;
};

struct watch_key {
    uint32_t watched, events;
};

struct dwcas_explorer {
    dwcas_explore_options options;
    uint32_t cpus, bytes;
    struct intern states, memories, monitors, answer_keys, watch_keys, final_keys;
    dwcas_access *locals;
    struct answer *answers;
    uint32_t *watches; /* next, or INTERN_NONE for wrong */
    uint8_t *finals;   /* wrong? */
    uint32_t *parents;
    uint8_t *ways;
    uint32_t *edges_to, *edges_end;
    uint8_t *is_final;
    uint64_t locals_count, locals_room, answers_room, watches_room, finals_room;
    uint64_t parents_room, ways_room, edges_count, edges_room, ends_room, is_final_room;
    uint64_t transitions;
    struct {
        uint32_t state, cpu, choice;
        bool checked; /* a final state: its properties have been asked */
    } cursor;
    dwcas_explore_question asked;
    struct {
        uint32_t state;
        uint8_t way;
        bool step; /* the path goes one step further than the state */
    } end;
};

dwcas_explorer *dwcas_explore_new(const dwcas_explore_options *options, uint32_t cpus,
                                  const uint8_t *memory, uint32_t bytes)
{
    dwcas_explorer *e = calloc(1, sizeof *e);
    const struct monitor none = {0};

    if (e == NULL)
        return NULL;
    e->options = *options;
    e->cpus = cpus;
    e->bytes = bytes;
    if (intern_start(&e->states, 4 * (LOCALS + 2 * cpus)) && intern_start(&e->memories, bytes) &&
        intern_start(&e->monitors, sizeof(struct monitor)) &&
        intern_start(&e->answer_keys, sizeof(struct answer_key)) &&
        intern_start(&e->watch_keys, sizeof(struct watch_key)) &&
        intern_start(&e->final_keys, sizeof(struct watch_key)) &&
        intern_add(&e->memories, memory) == 0 && intern_add(&e->monitors, &none) == 0)
        return e;
    dwcas_explore_free(e);
    return NULL;
}

void dwcas_explore_free(dwcas_explorer *e)
{
    if (e == NULL)
        return;
    intern_finish(&e->states);
    intern_finish(&e->memories);
    intern_finish(&e->monitors);
    intern_finish(&e->answer_keys);
    intern_finish(&e->watch_keys);
    intern_finish(&e->final_keys);
    free(e->locals);
    free(e->answers);
    free(e->watches);
    free(e->finals);
    free(e->parents);
    free(e->ways);
    free(e->edges_to);
    free(e->edges_end);
    free(e->is_final);
    free(e);
}

bool dwcas_explore_local(dwcas_explorer *e, const dwcas_access *access)
{
    if (!array_grow((void **)&e->locals, sizeof *e->locals, e->locals_count, &e->locals_room))
        return false;
    e->locals[e->locals_count++] = *access;
    return true;
}

/* A state that is reached from `parent` by `way`; its number, or INTERN_NONE. */
static uint32_t reach(dwcas_explorer *e, const uint32_t *state, uint32_t parent, uint8_t way)
{
    const uint32_t before = e->states.count;
    uint32_t number;

    if (!array_grow((void **)&e->parents, sizeof *e->parents, before, &e->parents_room) ||
        !array_grow((void **)&e->ways, sizeof *e->ways, before, &e->ways_room))
        return INTERN_NONE;
    number = intern_add(&e->states, state);
    if (number == before) {
        e->parents[number] = parent;
        e->ways[number] = way;
    }
    return number;
}

bool dwcas_explore_start(dwcas_explorer *e, const uint32_t *locals, uint32_t watched)
{
    uint32_t state[LOCALS + 2 * DWCAS_EXPLORE_CPUS] = {0};

    state[WATCHED] = watched;
    state[SPURIOUS] = (uint32_t)e->options.spurious;
    memcpy(state + LOCALS, locals, e->cpus * sizeof *locals);
    return reach(e, state, INTERN_NONE, 0) == 0;
}

bool dwcas_explore_answer(dwcas_explorer *e, uint32_t next, const uint64_t *store, bool clears,
                          uint32_t events, bool wrong)
{
    const struct answer_key key = {
        {e->asked.value[0], e->asked.value[1]}, e->asked.local, e->asked.choice};
    struct answer answer = {.next = next, .clears = clears, .events = events, .wrong = wrong};
    uint32_t number;

    if (store != NULL) {
        answer.stores = true;
        memcpy(answer.store, store, sizeof answer.store);
    }
    if (!array_grow((void **)&e->answers, sizeof answer, e->answer_keys.count, &e->answers_room))
        return false;
    number = intern_add(&e->answer_keys, &key);
    if (number == INTERN_NONE)
        return false;
    e->answers[number] = answer;
    return true;
}

bool dwcas_explore_watch(dwcas_explorer *e, uint32_t next, bool wrong)
{
    const struct watch_key key = {e->asked.watched, e->asked.events};
    uint32_t number;

    if (!array_grow((void **)&e->watches, sizeof next, e->watch_keys.count, &e->watches_room))
        return false;
    number = intern_add(&e->watch_keys, &key);
    if (number == INTERN_NONE)
        return false;
    e->watches[number] = wrong ? INTERN_NONE : next;
    return true;
}

bool dwcas_explore_final(dwcas_explorer *e, bool wrong)
{
    const struct watch_key key = {e->asked.watched, e->asked.memory};
    uint32_t number;

    if (!array_grow((void **)&e->finals, 1, e->final_keys.count, &e->finals_room))
        return false;
    number = intern_add(&e->final_keys, &key);
    if (number == INTERN_NONE)
        return false;
    e->finals[number] = wrong;
    return true;
}

static void read_bytes(const uint8_t *memory, uint32_t offset, uint32_t size, uint64_t value[2])
{
    value[0] = value[1] = 0;
    memcpy(value, memory + offset, size);
}

/* May a store-exclusive store? With a granule monitor a mismatch of address or size is a step
 * that goes wrong (`refused`). */
static bool monitor_holds(const dwcas_explorer *e, const uint32_t *state, uint32_t cpu,
                          const dwcas_access *access)
{
    const uint32_t number = state[LOCALS + e->cpus + cpu];
    const struct monitor *monitor = intern_at(&e->monitors, number);
    uint64_t value[2];

    if (number == 0)
        return false;
    if (e->options.granule != 0)
        return true;
    read_bytes(intern_at(&e->memories, state[MEMORY]), access->offset, access->size, value);
    return monitor->offset == access->offset && memcmp(monitor->value, value, sizeof value) == 0;
}

/* The ways in which the next step of a CPU may go, in the order of Choice. */
static uint32_t choices_of(const dwcas_explorer *e, const uint32_t *state, uint32_t cpu,
                           uint8_t choices[4])
{
    const dwcas_access *access = &e->locals[state[LOCALS + cpu]];
    uint32_t count = 0;

    if (access->kind == DWCAS_DONE)
        return 0;
    if (access->kind == DWCAS_STORE_EXCLUSIVE) {
        const bool holds = monitor_holds(e, state, cpu, access);

        if (holds)
            choices[count++] = DWCAS_STORED;
        if (!holds || state[SPURIOUS] != 0)
            choices[count++] = DWCAS_FAILED;
    } else if (access->part != 0) {
        choices[count++] = DWCAS_LOW;
        choices[count++] = DWCAS_HIGH;
    } else {
        choices[count++] = DWCAS_WHOLE;
    }
    if (e->options.exceptions && state[LOCALS + e->cpus + cpu] != 0)
        choices[count++] = DWCAS_EXCEPTION;
    return count;
}

/* A data abort, or a store-exclusive that does not match its load-exclusive. */
static bool refused(const dwcas_explorer *e, const uint32_t *state, uint32_t cpu,
                    const dwcas_access *access)
{
    const uint32_t number = state[LOCALS + e->cpus + cpu];
    const struct monitor *monitor = intern_at(&e->monitors, number);

    if (e->options.readonly && access->kind != DWCAS_READ && access->kind != DWCAS_STEP)
        return true;
    return access->kind == DWCAS_STORE_EXCLUSIVE && number != 0 && e->options.granule != 0 &&
           (monitor->offset != access->offset || monitor->size != access->size);
}

/* A performed store ends the reservations of its granule; a failing one ends nobody's. */
static void end_reservations(const dwcas_explorer *e, uint32_t *state, uint32_t cpu,
                             uint32_t offset, uint32_t size)
{
    const uint32_t granule = e->options.granule;
    uint32_t *monitors = state + LOCALS + e->cpus;

    if (granule == 0)
        return;
    for (uint32_t other = 0; other < e->cpus; other++) {
        const struct monitor *monitor = intern_at(&e->monitors, monitors[other]);

        if (monitors[other] == 0 || (other == cpu && !e->options.own_store_clears))
            continue;
        if (monitor->offset / granule <= (offset + size - 1) / granule &&
            (monitor->offset + monitor->size - 1) / granule >= offset / granule)
            monitors[other] = 0;
    }
}

enum stepped { STEPPED, STEP_WRONG, STEP_ASKS, STEP_NO_MEMORY };

static void ask_answer(dwcas_explorer *e, const struct answer_key *key)
{
    e->asked.local = key->local;
    e->asked.choice = key->choice;
    memcpy(e->asked.value, key->value, sizeof key->value);
}

/* Apply what a step stores; false: no memory. */
static bool store_bytes(dwcas_explorer *e, uint32_t *state, uint32_t offset, uint32_t size,
                        const uint64_t value[2], uint8_t *scratch)
{
    memcpy(scratch, intern_at(&e->memories, state[MEMORY]), e->bytes);
    memcpy(scratch + offset, value, size);
    state[MEMORY] = intern_add(&e->memories, scratch);
    return state[MEMORY] != INTERN_NONE;
}

static enum stepped step(dwcas_explorer *e, uint32_t *state, uint32_t cpu, uint8_t choice,
                         uint8_t *scratch, dwcas_explore_status *question)
{
    const dwcas_access access = e->locals[state[LOCALS + cpu]];
    uint32_t *monitor = &state[LOCALS + e->cpus + cpu];
    uint32_t offset = access.offset, size = access.size, number;
    struct answer_key key = {{0, 0}, state[LOCALS + cpu], choice};
    const struct answer *answer;

    if (choice == DWCAS_EXCEPTION) {
        *monitor = 0;
        return STEPPED;
    }
    if (refused(e, state, cpu, &access))
        return STEP_WRONG;
    if (choice == DWCAS_LOW || choice == DWCAS_HIGH)
        size = access.part;
    if (choice == DWCAS_HIGH)
        offset += access.part;
    if (access.kind == DWCAS_READ || access.kind == DWCAS_UPDATE)
        read_bytes(intern_at(&e->memories, state[MEMORY]), offset, size, key.value);
    number = intern_find(&e->answer_keys, &key);
    if (number == INTERN_NONE) {
        *question = DWCAS_EXPLORE_ANSWER;
        ask_answer(e, &key);
        return STEP_ASKS;
    }
    answer = &e->answers[number];
    if (answer->events != 0) {
        const struct watch_key watch = {state[WATCHED], answer->events};

        number = intern_find(&e->watch_keys, &watch);
        if (number == INTERN_NONE) {
            *question = DWCAS_EXPLORE_WATCH;
            e->asked.watched = watch.watched;
            e->asked.events = watch.events;
            return STEP_ASKS;
        }
        if (e->watches[number] == INTERN_NONE)
            return STEP_WRONG;
        state[WATCHED] = e->watches[number];
    }
    if (answer->wrong)
        return STEP_WRONG;
    if (access.kind == DWCAS_STORE_EXCLUSIVE && choice == DWCAS_FAILED &&
        (int32_t)state[SPURIOUS] > 0 && monitor_holds(e, state, cpu, &access))
        state[SPURIOUS]--;
    if (answer->stores && !store_bytes(e, state, offset, size, answer->store, scratch))
        return STEP_NO_MEMORY;
    if (answer->stores || (access.kind == DWCAS_UPDATE && e->options.cas_miss_writes))
        end_reservations(e, state, cpu, offset, size);
    if (access.exclusive) {
        struct monitor made = {access.offset, access.size, {0, 0}};

        if (e->options.granule == 0)
            memcpy(made.value, key.value, sizeof made.value);
        *monitor = intern_add(&e->monitors, &made);
        if (*monitor == INTERN_NONE)
            return STEP_NO_MEMORY;
    } else if (access.kind == DWCAS_STORE_EXCLUSIVE) {
        *monitor = 0;
    }
    if (answer->clears)
        *monitor = 0;
    state[LOCALS + cpu] = answer->next;
    return STEPPED;
}

static dwcas_explore_status wrong_at(dwcas_explorer *e, uint32_t state, bool step_further,
                                     uint32_t cpu, uint8_t choice)
{
    e->end.state = state;
    e->end.step = step_further;
    e->end.way = (uint8_t)(8 * cpu + choice);
    return DWCAS_EXPLORE_WRONG;
}

static bool is_finished(const dwcas_explorer *e, const uint32_t *state)
{
    for (uint32_t cpu = 0; cpu < e->cpus; cpu++)
        if (e->locals[state[LOCALS + cpu]].kind != DWCAS_DONE)
            return false;
    return true;
}

/* Backwards from the final states: the first state that is not met can never end. */
static dwcas_explore_status look_for_stuck(dwcas_explorer *e)
{
    const uint32_t count = e->states.count;
    uint64_t *start = calloc((size_t)count + 1, sizeof *start);
    uint32_t *from = malloc((e->edges_count + 1) * sizeof *from);
    uint32_t *todo = malloc(((size_t)count + 1) * sizeof *todo);
    uint8_t *good = calloc((size_t)count + 1, 1);
    dwcas_explore_status status = DWCAS_EXPLORE_NO_MEMORY;
    uint32_t left = 0;

    if (start == NULL || from == NULL || todo == NULL || good == NULL)
        goto out;
    for (uint64_t edge = 0; edge < e->edges_count; edge++)
        start[e->edges_to[edge]]++;
    for (uint32_t state = 0, sum = 0; state <= count; state++) {
        const uint32_t in = (uint32_t)start[state];

        sum += in;
        start[state] = sum; /* one past the last edge into it; filled from behind */
    }
    for (uint32_t state = 0, edge = 0; state < count; state++)
        for (; edge < e->edges_end[state]; edge++)
            from[--start[e->edges_to[edge]]] = state;
    for (uint32_t state = 0; state < count; state++)
        if (e->is_final[state]) {
            good[state] = 1;
            todo[left++] = state;
        }
    while (left > 0) {
        const uint32_t state = todo[--left];

        for (uint64_t edge = start[state]; edge < start[state + 1]; edge++)
            if (!good[from[edge]]) {
                good[from[edge]] = 1;
                todo[left++] = from[edge];
            }
    }
    status = DWCAS_EXPLORE_COMPLETE;
    for (uint32_t state = 0; state < count; state++)
        if (!good[state]) {
            e->end.state = state;
            e->end.step = false;
            status = DWCAS_EXPLORE_STUCK;
            break;
        }
out:
    free(start);
    free(from);
    free(todo);
    free(good);
    return status;
}

/* Has a final state been judged? Asks, if not. */
static bool judged(dwcas_explorer *e, const uint32_t *state, bool *wrong)
{
    const struct watch_key key = {state[WATCHED], state[MEMORY]};
    const uint32_t number = intern_find(&e->final_keys, &key);

    if (number == INTERN_NONE) {
        e->asked.watched = state[WATCHED];
        e->asked.memory = state[MEMORY];
        return false;
    }
    *wrong = e->finals[number];
    return true;
}

/* Everything out of the state at the cursor; STEPPED when it is worked off. */
static dwcas_explore_status expand(dwcas_explorer *e, bool *done, uint8_t *scratch)
{
    uint32_t here[LOCALS + 2 * DWCAS_EXPLORE_CPUS], next[LOCALS + 2 * DWCAS_EXPLORE_CPUS];
    dwcas_explore_status question = DWCAS_EXPLORE_PAUSE;
    const uint32_t at = e->cursor.state;

    memcpy(here, intern_at(&e->states, at), e->states.bytes);
    for (; e->cursor.cpu < e->cpus; e->cursor.cpu++, e->cursor.choice = 0) {
        uint8_t choices[4];
        const uint32_t count = choices_of(e, here, e->cursor.cpu, choices);

        for (; e->cursor.choice < count; e->cursor.choice++) {
            const uint8_t choice = choices[e->cursor.choice];
            uint32_t number;

            memcpy(next, here, e->states.bytes);
            switch (step(e, next, e->cursor.cpu, choice, scratch, &question)) {
            case STEP_ASKS:
                return question;
            case STEP_NO_MEMORY:
                return DWCAS_EXPLORE_NO_MEMORY;
            case STEP_WRONG:
                e->transitions++;
                return wrong_at(e, at, true, e->cursor.cpu, choice);
            case STEPPED:
                e->transitions++;
            }
            if (e->states.count >= e->options.limit &&
                intern_find(&e->states, next) == INTERN_NONE)
                return DWCAS_EXPLORE_BOUNDED;
            number = reach(e, next, at, (uint8_t)(8 * e->cursor.cpu + choice));
            if (number == INTERN_NONE ||
                !array_grow((void **)&e->edges_to, sizeof number, e->edges_count, &e->edges_room))
                return DWCAS_EXPLORE_NO_MEMORY;
            e->edges_to[e->edges_count++] = number;
        }
    }
    *done = true;
    return DWCAS_EXPLORE_PAUSE;
}

/* Is the state at the cursor an end, and a right one? PAUSE: go on with its steps. */
static dwcas_explore_status check_end(dwcas_explorer *e)
{
    const uint32_t at = e->cursor.state;
    const uint32_t *state = intern_at(&e->states, at);
    const bool final = is_finished(e, state);
    bool wrong = false;

    if (!array_grow((void **)&e->is_final, 1, at, &e->is_final_room) ||
        !array_grow((void **)&e->edges_end, sizeof *e->edges_end, at, &e->ends_room))
        return DWCAS_EXPLORE_NO_MEMORY;
    if (final && !judged(e, state, &wrong))
        return DWCAS_EXPLORE_FINAL;
    if (wrong)
        return wrong_at(e, at, false, 0, 0);
    e->is_final[at] = final;
    e->cursor.checked = true;
    return DWCAS_EXPLORE_PAUSE;
}

dwcas_explore_status dwcas_explore_run(dwcas_explorer *e, uint64_t states,
                                       dwcas_explore_question *question)
{
    dwcas_explore_status status = DWCAS_EXPLORE_PAUSE;
    uint8_t *scratch = malloc(e->bytes);

    if (scratch == NULL)
        return DWCAS_EXPLORE_NO_MEMORY;
    for (; states > 0 && e->cursor.state < e->states.count; states--) {
        bool done = false;

        if (!e->cursor.checked)
            status = check_end(e);
        if (status == DWCAS_EXPLORE_PAUSE)
            status = expand(e, &done, scratch);
        if (!done)
            break;
        e->edges_end[e->cursor.state] = (uint32_t)e->edges_count;
        e->cursor.state++;
        e->cursor.cpu = e->cursor.choice = 0;
        e->cursor.checked = false;
    }
    free(scratch);
    *question = e->asked;
    if (status == DWCAS_EXPLORE_PAUSE && e->cursor.state == e->states.count)
        return look_for_stuck(e);
    return status;
}

uint64_t dwcas_explore_states(const dwcas_explorer *e)
{
    return e->states.count;
}

uint64_t dwcas_explore_transitions(const dwcas_explorer *e)
{
    return e->transitions;
}

const uint8_t *dwcas_explore_memory(const dwcas_explorer *e, uint32_t number)
{
    return intern_at(&e->memories, number);
}

size_t dwcas_explore_path(const dwcas_explorer *e, uint8_t *steps)
{
    size_t length = e->end.step, at;

    for (uint32_t state = e->end.state; state != 0; state = e->parents[state])
        length++;
    if (steps == NULL)
        return length;
    at = length;
    if (e->end.step)
        steps[--at] = e->end.way;
    for (uint32_t state = e->end.state; state != 0; state = e->parents[state])
        steps[--at] = e->ways[state];
    return length;
}
