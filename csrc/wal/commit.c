/* SPDX-License-Identifier: MIT */
/* wal/commit.c: the wait for a flush. One thread writes for all that wait. */
#include "wal/insertion.h"

/* Who holds the writer's lock. */
static void flush(struct dwcas_insert *path)
{
    const uint64_t lsn = layout_end_lsn(&path->plan.layout, insert_watermark(path));

    if (files_write(&path->files, lsn) && files_flush(&path->files))
        path->flushes++;
}

/* Returns once everything below `end` is flushed: by this thread, or by one that came before
 * it and took along what was complete (group commit). False: aborted. */
static bool commit(struct dwcas_insert *path, dwcas_thread *thread, uint64_t end)
{
    const uint64_t lsn = layout_end_lsn(&path->plan.layout, end);
    struct files *files = &path->files;
    uint32_t spins = 0;

    while (insert_watermark(path) < end)
        if (!wait_again(&spins, thread))
            return false;
    if (path->plan.early)
        publish_raise(&files->flushed, lsn);
    while (atomic_load_explicit(&files->flushed, memory_order_acquire) < lsn) {
        if (files_failed(files) || wait_aborted(thread))
            return false;
        if (!futex_lock_or_wait(&files->lock))
            continue;
        if (atomic_load_explicit(&files->flushed, memory_order_acquire) < lsn)
            flush(path);
        futex_lock_release_to_all(&files->lock);
    }
    return true;
}

bool insertion_commit(struct insertion *insertion, uint64_t end)
{
    struct dwcas_insert *path = insertion->path;
    const uint64_t begin = clock_ns();
    const bool done = commit(path, insertion->thread, end);

    insertion->inserter->commits++;
    insertion->inserter->commit_wait_ns += clock_ns() - begin;
    if (insertion->note != NULL)
        insertion->note->flushed = layout_bytepos(
            &path->plan.layout, atomic_load_explicit(&path->files.flushed, memory_order_acquire));
    return done;
}
