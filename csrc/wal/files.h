/* SPDX-License-Identifier: MIT */
/* wal/files.h: segment files, written from the ring of pages.
 *
 * One thread at a time writes: who holds `lock`. It writes the bytes from `written` up to the
 * watermark and none behind it, so nothing is read that somebody may be writing. Files have
 * PostgreSQL's names. A segment that is full is synced before the next one begins.
 *
 * Positions are LSN. After a file operation has failed, `error` is its errno for good. */
#ifndef DWCAS_WAL_FILES_H
#define DWCAS_WAL_FILES_H

#include "locks/futex.h"
#include "wal/disturb.h"
#include "wal/pages.h"

struct files {
    const struct pages *pages;
    struct disturb *disturb;
    int directory; /* -1: there are no files */
    bool sync;
    uint32_t keep;    /* segments; 0: all */
    uint64_t oldest;  /* number of the oldest segment that has a file */
    uint64_t segment; /* number of the open one */
    int file;         /* -1: none is open */
    bool reused;      /* the open one has old bytes behind what is written */
    uint64_t cleared; /* the page of a reused one that has none any more */
    _Alignas(DWCAS_LINE) futex_lock lock;
    _Alignas(DWCAS_LINE) _Atomic uint64_t written;
    _Atomic uint64_t flushed; /* written and, if asked for, synced */
    _Atomic int32_t error;
};

/* The log begins at the first page of `pages`. */
void files_open(struct files *files, const struct pages *pages, struct disturb *disturb,
                int directory, bool sync, uint32_t keep);
void files_close(struct files *files);

/* Who holds the lock: write up to `lsn`. False: `error` says why not. */
bool files_write(struct files *files, uint64_t lsn);

/* Who holds the lock: what is written is flushed afterwards. */
bool files_flush(struct files *files);

static inline bool files_failed(struct files *files)
{
    return atomic_load_explicit(&files->error, memory_order_relaxed) != 0;
}

#endif
