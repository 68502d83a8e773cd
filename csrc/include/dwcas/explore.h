/* SPDX-License-Identifier: MIT */
/* dwcas/explore.h: every interleaving of several CPUs, breadth-first, over numbered states.
 *
 * The explorer knows no instruction set. A CPU is a table of local states, each waiting for
 * one access to the shared object; what a local state becomes when its access is answered,
 * and what watchers (properties) make of that, is told by the caller the first time it is
 * asked for and remembered. atomics/emulator/semantics.py says the same in Python: tests
 * hold the counts of states and transitions of the two against each other. */
#ifndef DWCAS_EXPLORE_H
#define DWCAS_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DWCAS_EXPLORE_CPUS = 8 };

/* Kinds and choices have the numbers of atomics/emulator/arm64/access.py and local.py. */
enum dwcas_access_kind {
    DWCAS_READ,
    DWCAS_WRITE,
    DWCAS_UPDATE,
    DWCAS_STORE_EXCLUSIVE,
    DWCAS_STEP,
    DWCAS_DONE /* waits for nothing: all calls are made */
};

enum dwcas_choice {
    DWCAS_WHOLE,
    DWCAS_LOW,
    DWCAS_HIGH,
    DWCAS_STORED,
    DWCAS_FAILED,
    DWCAS_EXCEPTION
};

typedef struct dwcas_access {
    uint32_t offset; /* into the object */
    uint32_t size;   /* bytes, at most 16 */
    uint8_t kind;
    uint8_t part; /* bytes of a half if the access is split, else 0 */
    uint8_t exclusive;
} dwcas_access;

typedef struct dwcas_explore_options {
    uint32_t granule;      /* bytes; 0: compare values, as emulators do */
    int32_t spurious;      /* failures without a reason; -1: unlimited */
    bool own_store_clears; /* an own store into the granule ends the reservation */
    bool cas_miss_writes;  /* ... and so does a missing compare-and-swap that of others */
    bool exceptions;
    bool readonly;
    uint64_t limit; /* states */
} dwcas_explore_options;

typedef struct dwcas_explorer dwcas_explorer;

/* What the explorer wants to be told, or how it ended. */
typedef enum dwcas_explore_status {
    DWCAS_EXPLORE_ANSWER,   /* dwcas_explore_answer for (local, choice, value) */
    DWCAS_EXPLORE_WATCH,    /* dwcas_explore_watch for (watched, events) */
    DWCAS_EXPLORE_FINAL,    /* dwcas_explore_final for (memory, watched) */
    DWCAS_EXPLORE_PAUSE,    /* nothing: call again */
    DWCAS_EXPLORE_COMPLETE, /* all states, and from each some end can be reached */
    DWCAS_EXPLORE_WRONG,    /* the last step of the path goes wrong, or its end state is wrong */
    DWCAS_EXPLORE_STUCK,    /* from the state that the path leads to no end can be reached */
    DWCAS_EXPLORE_BOUNDED,  /* `limit` states */
    DWCAS_EXPLORE_NO_MEMORY
} dwcas_explore_status;

typedef struct dwcas_explore_question {
    uint32_t local, choice, watched, events, memory;
    uint64_t value[2];
} dwcas_explore_question;

/* NULL: no memory. `memory` is copied. */
dwcas_explorer *dwcas_explore_new(const dwcas_explore_options *options, uint32_t cpus,
                                  const uint8_t *memory, uint32_t bytes);
void dwcas_explore_free(dwcas_explorer *explorer);

/* The next local state, numbered from 0. False: no memory. */
bool dwcas_explore_local(dwcas_explorer *explorer, const dwcas_access *access);

/* Where it starts; once, before the first run. */
bool dwcas_explore_start(dwcas_explorer *explorer, const uint32_t *locals, uint32_t watched);

/* The answer to the question. `store`: what is written, NULL for nothing. `events`: 0 or a
 * number that watchers are asked about. `wrong`: the step goes wrong by itself. */
bool dwcas_explore_answer(dwcas_explorer *explorer, uint32_t next, const uint64_t *store,
                          bool clears, uint32_t events, bool wrong);
bool dwcas_explore_watch(dwcas_explorer *explorer, uint32_t next, bool wrong);
bool dwcas_explore_final(dwcas_explorer *explorer, bool wrong);

/* Runs until it must ask, has ended, or has worked off `states` states. */
dwcas_explore_status dwcas_explore_run(dwcas_explorer *explorer, uint64_t states,
                                       dwcas_explore_question *question);

uint64_t dwcas_explore_states(const dwcas_explorer *explorer);
uint64_t dwcas_explore_transitions(const dwcas_explorer *explorer);
const uint8_t *dwcas_explore_memory(const dwcas_explorer *explorer, uint32_t number);

/* The path to the end, as 8 * cpu + choice per step; its length. NULL: only the length. */
size_t dwcas_explore_path(const dwcas_explorer *explorer, uint8_t *steps);

#endif
