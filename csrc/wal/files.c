/* SPDX-License-Identifier: MIT */
#include "wal/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { NAME_BYTES = 25 };

static const unsigned char zeros[1 << 16]; /* no page is larger */

void files_open(struct files *files, const struct pages *pages, struct disturb *disturb,
                int directory, bool sync, uint32_t keep)
{
    files->disturb = disturb;
    files->pages = pages;
    files->directory = directory;
    files->sync = sync;
    files->keep = keep;
    files->oldest = files->segment = pages->first / pages->layout.segment_size;
    files->file = -1;
    files->reused = false;
    files->cleared = 0;
    futex_lock_start(&files->lock);
    atomic_init(&files->written, pages->first);
    atomic_init(&files->flushed, pages->first);
    atomic_init(&files->error, 0);
}

void files_close(struct files *files)
{
    if (files->file >= 0)
        close(files->file);
}

static bool failed(struct files *files)
{
    atomic_store_explicit(&files->error, errno, memory_order_relaxed);
    return false;
}

static void name_of(char name[NAME_BYTES], const struct files *files, uint64_t segment)
{
    const uint64_t in_4_gib = (1ull << 32) / files->pages->layout.segment_size;

    snprintf(name, NAME_BYTES, "%08X%08X%08X", TIMELINE, (unsigned)(segment / in_4_gib),
             (unsigned)(segment % in_4_gib));
}

static bool write_all(int file, const unsigned char *bytes, uint64_t count, uint64_t offset)
{
    while (count > 0) {
        const ssize_t wrote = pwrite(file, bytes, count, (off_t)offset);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        bytes += wrote;
        offset += (uint64_t)wrote;
        count -= (uint64_t)wrote;
    }
    return true;
}

/* A file of its full length. To be synced it is filled with zeros, as PostgreSQL does: a sync
 * then need not write where the blocks of the file are. */
static bool lengthen(const struct files *files, int file)
{
    const uint64_t size = files->pages->layout.segment_size;

    if (!files->sync)
        return ftruncate(file, (off_t)size) == 0;
    for (uint64_t at = 0; at < size; at += sizeof zeros)
        if (!write_all(file, zeros, size - at < sizeof zeros ? size - at : sizeof zeros, at))
            return false;
    return fsync(file) == 0;
}

/* The file of the next segment: the oldest one if there are enough, or one that is there already,
 * made ready by the caller; or else a new one. What a used one holds is older than its place,
 * which a reader sees. */
static bool open_segment(struct files *files)
{
    char name[NAME_BYTES], old[NAME_BYTES];

    name_of(name, files, files->segment);
    if (files->keep > 0 && files->segment - files->oldest >= files->keep) {
        name_of(old, files, files->oldest++);
        if (renameat(files->directory, old, files->directory, name) != 0)
            return false;
    }
    files->file = openat(files->directory, name, O_RDWR | O_CLOEXEC);
    files->reused = files->file >= 0;
    if (!files->reused) {
        files->file = openat(files->directory, name, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
        if (files->file < 0 || !lengthen(files, files->file))
            return false;
    }
    return !files->sync || fsync(files->directory) == 0;
}

static bool close_segment(struct files *files)
{
    const int file = files->file;
    const bool synced = !files->sync || fdatasync(file) == 0;

    files->file = -1;
    files->segment++;
    return close(file) == 0 && synced;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Zeros behind `to`, the first time that its page is written in part: PostgreSQL writes whole
 * pages, so that behind the end of the log there are zeros or pages with an old address. */
static bool clear_page(struct files *files, uint64_t to)
{
    const uint64_t page = to & ~(files->pages->layout.page_size - 1);

    if (!files->reused || to == page || page == files->cleared)
        return true;
    files->cleared = page;
    return write_all(files->file, zeros, pages_end(files->pages, to) - to,
                     to % files->pages->layout.segment_size);
}

/* [from, to), which lies in one piece in memory and in the open segment. */
static bool write_part(struct files *files, uint64_t from, uint64_t to)
{
    const unsigned char *bytes = pages_at(files->pages, from);
    const uint64_t offset = from % files->pages->layout.segment_size;

    if (!clear_page(files, to))
        return false;
    if (disturb_wants(files->disturb, DWCAS_AT_WRITING)) {
        if (!write_all(files->file, bytes, (to - from) / 2, offset))
            return false;
        disturb_at(files->disturb, DWCAS_AT_WRITING, NULL);
    }
    return write_all(files->file, bytes, to - from, offset);
}

bool files_write(struct files *files, uint64_t lsn)
{
    const struct pages *pages = files->pages;
    const uint64_t segment_size = pages->layout.segment_size;
    uint64_t from = atomic_load_explicit(&files->written, memory_order_relaxed);

    if (files_failed(files))
        return false;
    while (from < lsn) {
        const uint64_t lap = (from & ~(pages->ring - 1)) + pages->ring;
        const uint64_t end = (files->segment + 1) * segment_size;
        const uint64_t to = least(lsn, least(lap, end));

        if (files->file < 0 && !open_segment(files))
            return failed(files);
        if (!write_part(files, from, to))
            return failed(files);
        if (to == end && !close_segment(files))
            return failed(files);
        if (to == end)
            disturb_at(files->disturb, DWCAS_AT_SEGMENT_END, NULL);
        /* Release: who reuses the pages may overwrite what was written. */
        atomic_store_explicit(&files->written, to, memory_order_release);
        from = to;
    }
    return true;
}

bool files_flush(struct files *files)
{
    disturb_at(files->disturb, DWCAS_AT_WRITTEN, NULL);
    /* Without an open file all was synced when the last segment was full. */
    if (files->sync && files->file >= 0 && fdatasync(files->file) != 0)
        return failed(files);
    disturb_at(files->disturb, DWCAS_AT_FLUSHED, NULL);
    atomic_store_explicit(&files->flushed,
                          atomic_load_explicit(&files->written, memory_order_relaxed),
                          memory_order_release);
    return true;
}
