/* SPDX-License-Identifier: MIT */
/* dwcas/method.h: a reservation method, as the engine and the checker see it.
 *
 * A method owns a small state whose essence is two words: the tip (end of what is
 * reserved) and the prev link (start of the record before). Positions are bytepos:
 * usable bytes, page headers excluded, so that reserving is one addition; multiples
 * of 8. To add a method: one file in csrc/wal/methods/, one row in methods.def there. */
#ifndef DWCAS_METHOD_H
#define DWCAS_METHOD_H

#include "dwcas/pair.h"

/* What a reservation hands out. start == DWCAS_NOT_RESERVED: the run was aborted while
 * the method waited, nothing was handed out. A method that moves the tip before it waits
 * leaves a hole then, and the oracle says so. */
typedef struct dwcas_reservation {
    uint64_t start;
    uint64_t end;
    uint64_t prev; /* 0 from methods without links */
} dwcas_reservation;

#define DWCAS_NOT_RESERVED UINT64_MAX

/* What a method may touch of the thread that calls it. It stays where it is until the
 * method's `finish`, also after the thread is gone: others may hold on to `shared`. */
typedef struct dwcas_thread {
    uint64_t retries;                        /* failed CAS so far; the method counts */
    uint64_t random;                         /* state of a xorshift generator, never 0 */
    const _Atomic uint32_t *abort;           /* nonzero: leave every wait loop, reserve nothing */
    uint32_t number;                         /* among the threads of the run, from 0 */
    _Alignas(16) unsigned char own[128];     /* zeroed; the method's or its lock's, per thread */
    _Alignas(128) unsigned char shared[128]; /* as own, but for what other threads touch too */
} dwcas_thread;

typedef enum dwcas_method_kind {
    DWCAS_KIND_LOCK,      /* mutual exclusion around the two words */
    DWCAS_KIND_LOCK_FREE, /* a suspended thread blocks nobody's reservation */
    DWCAS_KIND_FETCH_ADD, /* the tip never waits; the link is the thread before's to leave */
    DWCAS_KIND_COMBINING, /* one thread reserves for others, who wait for it */
    DWCAS_KIND_BOUND,     /* gives up the prev link: how fast the line itself can go */
    DWCAS_KIND_ENGINE,    /* reserves nothing: what the engine costs */
    DWCAS_KIND_BROKEN,    /* wrong on purpose: the oracle must catch it */
    DWCAS_KINDS
} dwcas_method_kind;

struct dwcas_worker;

typedef struct dwcas_method {
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* where the algorithm comes from */
    const char *lock;    /* name of the lock it takes, or NULL */
    dwcas_method_kind kind;
    bool links;   /* returns prev links */
    bool sleeps;  /* may give up the CPU while it waits */
    bool telling; /* measured by default: an idea that nothing else measured by default has */
    size_t state_bytes;
    void (*start)(void *state, uint64_t tip, uint64_t prev);
    dwcas_reservation (*reserve)(void *state, dwcas_thread *thread, uint64_t size);
    void (*finish)(void *state, uint64_t *tip, uint64_t *prev); /* read, then destroy */
    void (*window_loop)(struct dwcas_worker *worker);           /* reserve inlined */
    void (*history_loop)(struct dwcas_worker *worker);          /* reserve inlined */
} dwcas_method;

#endif
