/* SPDX-License-Identifier: MIT */
/* wal/insertion.h: what the parts of an insert path share. */
#ifndef DWCAS_WAL_INSERTION_H
#define DWCAS_WAL_INSERTION_H

#include "dwcas/engine.h"
#include "wal/files.h"
#include "wal/publish/publish.h"

#define NO_GATE UINT32_MAX

/* What one thread has. */
struct inserter {
    _Alignas(DWCAS_LINE) uint64_t count; /* insertions that came to their end */
    uint32_t gate;                       /* to try first */
    unsigned char *record;               /* the one being inserted */
    uint64_t switches, switch_bytes;
    uint64_t lag_samples, lag_sum, lag_max;
    uint64_t gate_waits, page_waits, commits, commit_wait_ns;
};

struct dwcas_insert {
    dwcas_insert_plan plan;
    const dwcas_method *method;
    uint64_t history; /* per thread */
    uint32_t threads;
    uint32_t slot_count;
    void *method_state;
    void *publish_state;
    struct dwcas_slot *slots;
    struct inserter *inserters;
    unsigned char *records;
    struct pages pages;
    struct files files;
    struct disturb disturb;
    uint64_t flushes; /* of who holds the writer's lock */
};

/* An insertion on its way. */
struct insertion {
    struct dwcas_insert *path;
    dwcas_thread *thread;
    struct inserter *inserter;
    struct dwcas_slot *slot;
    dwcas_insertion *note; /* NULL: not recorded */
    uint64_t published;    /* bytepos up to which it is, from its start */
};

static inline uint64_t insert_watermark(struct dwcas_insert *path)
{
    return path->plan.publish->watermark(path->publish_state);
}

static inline bool insert_has_files(const struct dwcas_insert *path)
{
    return path->plan.directory >= 0;
}

/* Stamps a field of the insertion's record, if it has one. */
#define NOTE(insertion, field)                                                                    \
    do {                                                                                          \
        if ((insertion)->note != NULL)                                                            \
            (insertion)->note->field = clock_ns();                                                \
    } while (0)

/* The insertion's slot is told that everything of it below `position` is copied (copy.c).
 * False: the run was aborted. */
bool insertion_publish(struct insertion *insertion, uint64_t position);

/* Copies the record to where it starts, over the pages that it covers; returns the LSN after
 * its last byte, 0 if the run was aborted (copy.c). */
uint64_t insertion_copy(struct insertion *insertion, uint64_t start);

/* Zeros, headers and all, up to the end of the segment: a switch leaves that behind. False:
 * the run was aborted (copy.c). */
bool insertion_clear_segment(struct insertion *insertion, uint64_t lsn);

/* Returns once everything below `end` is flushed. False: aborted (commit.c). */
bool insertion_commit(struct insertion *insertion, uint64_t end);

#endif
