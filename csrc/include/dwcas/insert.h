/* SPDX-License-Identifier: MIT */
/* dwcas/insert.h: the whole insertion of a record, of which the reservation is one part.
 *
 *   gate     one of so many locks is held from the reservation to the publication
 *   reserve  a method (dwcas/method.h)
 *   copy     header, prev link, CRC-32C and body into the pages of a ring in memory
 *   publish  others learn below which position everything is complete: the watermark
 *   flush    what lies below the watermark is written to segment files, and synced
 *
 * Stock PostgreSQL is 8 gates, the method spin, inserting-at. The log is PostgreSQL's: its
 * page headers, continuation flags, record headers, and segment files with its names, so its
 * own pg_waldump reads it. Records are of its kind "XLOG/NOOP", which carries any bytes.
 *
 * A record may be longer than the ring. A page of the ring serves the next page only when all
 * that lies on it is complete and, with files, written; who needs it waits for that, and
 * meanwhile publishes the part of its own record that it has copied. */
#ifndef DWCAS_INSERT_H
#define DWCAS_INSERT_H

#include "dwcas/method.h"
#include "dwcas/wal.h"

enum {
    DWCAS_MOST_GATES = 128,
    DWCAS_SMALLEST_RECORD = 32, /* bytes: a header of 24 and some */
    DWCAS_LARGEST_RECORD = 1 << 30,
};

/* What one inserter at a time owns: its gate or, without gates, its thread
 * (csrc/wal/publish/publish.h). */
struct dwcas_slot;

/* A way to publish. To add one: one file in csrc/wal/publish/, one row in publish.def there.
 * Between enter and leave an inserter publishes its record in one or several parts, in order. */
typedef struct dwcas_publish {
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* where it comes from */
    bool broken;         /* wrong on purpose: the oracle must catch it */
    size_t state_bytes;
    void (*start)(void *state, uint64_t tip, struct dwcas_slot *slots, uint32_t count);
    /* Before the reservation. */
    void (*enter)(void *state, struct dwcas_slot *slot);
    /* [from, to) is copied; it may be empty: the place is known. False if the run was aborted
     * while it waited. */
    bool (*part)(void *state, dwcas_thread *thread, struct dwcas_slot *slot, uint64_t from,
                 uint64_t to);
    /* After the last part. */
    void (*leave)(void *state, struct dwcas_slot *slot);
    /* Everything below is complete. Does not wait; never less than an earlier answer. */
    uint64_t (*watermark)(void *state);
} dwcas_publish;

/* The i-th way to publish; NULL past the end. */
const dwcas_publish *dwcas_publish_at(size_t index);

/* Where an insertion can be disturbed. */
typedef enum dwcas_insert_point {
    DWCAS_AT_NONE,
    DWCAS_AT_RESERVED,    /* it has its place, nothing is copied */
    DWCAS_AT_COPYING,     /* half of the record is in the ring */
    DWCAS_AT_COPIED,      /* all of it is, and not published */
    DWCAS_AT_PUBLISHED,   /* its gate is still held */
    DWCAS_AT_WRITING,     /* half of what a write has is in the file */
    DWCAS_AT_WRITTEN,     /* before the sync */
    DWCAS_AT_SEGMENT_END, /* a segment is full, the next has no file yet */
    DWCAS_AT_FLUSHED,     /* before anybody is told */
    DWCAS_INSERT_POINTS
} dwcas_insert_point;

/* "reserved", ...; NULL past the end. */
const char *dwcas_insert_point_name(size_t point);

typedef struct dwcas_disturbance {
    uint32_t point;      /* a dwcas_insert_point */
    uint64_t nth;        /* at which passage of any thread, from 1 */
    uint64_t suspend_ns; /* its thread sleeps so long, or until the run is aborted; 0: the whole
                            process is killed by SIGKILL */
} dwcas_disturbance;

/* One insertion of a history, beside its dwcas_interval. Positions are bytepos. */
typedef struct dwcas_insertion {
    uint64_t asked_ns;     /* just before the watermark was asked for, before the insertion ... */
    uint64_t seen_ns;      /* ... just after the answer ... */
    uint64_t seen;         /* ... and the answer */
    uint64_t reserved_ns;  /* the place is known */
    uint64_t copied_ns;    /* all of it is in the ring; just before its last part is published */
    uint64_t published_ns; /* just after that */
    uint64_t flushed;      /* where the synced log ended when it returned; 0 if it did not ask */
    uint32_t switched;     /* 1: it is a segment switch, its size is what was left */
    uint32_t gate;         /* UINT32_MAX: none */
} dwcas_insertion;

typedef struct dwcas_insert_plan {
    dwcas_layout layout;
    const dwcas_publish *publish;
    uint32_t gates;         /* 0: none; else a power of two, up to DWCAS_MOST_GATES */
    uint32_t copy;          /* 0: nothing is copied, and nothing can be flushed */
    uint32_t ring_pages;    /* a power of two, at least 2 */
    uint32_t commit_every;  /* each thread waits for every so many'th record's flush; 0: never */
    uint32_t switch_every;  /* thread 0 makes every so many'th of its insertions a segment
                               switch; 0: never. Needs gates */
    uint32_t sync;          /* 0: written to files, but not synced: flushed means written */
    uint32_t keep_segments; /* older segment files are reused, as PostgreSQL does; 0: all stay */
    int32_t directory;      /* open, for segment files; those it has are used; -1: no flush */
    uint32_t magic;         /* of the pages: the version of PostgreSQL */
    uint64_t system_id;     /* in the first page of each segment */
    dwcas_insertion *inserted; /* threads x history, or NULL */
    dwcas_disturbance disturbance;
    uint32_t
        early; /* wrong on purpose: commits are acknowledged and nothing is flushed for them */
} dwcas_insert_plan;

/* Over the whole run, all threads. */
typedef struct dwcas_insert_result {
    uint64_t watermark;   /* at the end; the tip if all insertions came to their end */
    uint64_t written;     /* end of the log in the files, bytepos; where it began without files */
    uint64_t lag_samples; /* watermark lag: own end - watermark, once in 1024 insertions */
    uint64_t lag_sum;     /* bytes */
    uint64_t lag_max;
    uint64_t gate_waits;     /* insertions that found their gate taken */
    uint64_t page_waits;     /* that had to wait for a page of the ring */
    uint64_t commits;        /* insertions that waited for their flush */
    uint64_t commit_wait_ns; /* sum */
    uint64_t flushes;  /* times that the log was written for commits, and synced if asked for */
    uint64_t switches; /* segment switches; at a segment's very beginning there is none */
    uint64_t switch_bytes; /* usable bytes that switches took beyond the size that was asked for */
    int32_t errno_;        /* of a failed file operation; the run was aborted then */
} dwcas_insert_result;

#endif
