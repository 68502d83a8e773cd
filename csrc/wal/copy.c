/* SPDX-License-Identifier: MIT */
/* wal/copy.c: a record into the ring of pages, and the wait for a page whose place is taken. */
#include "wal/insertion.h"

/* Writes up to the watermark, if that which is below `lsn` is not written yet. */
static void write_behind(struct dwcas_insert *path, dwcas_thread *thread, uint64_t lsn)
{
    struct files *files = &path->files;

    if (!futex_lock_acquire(&files->lock, thread))
        return;
    if (atomic_load_explicit(&files->written, memory_order_relaxed) < lsn)
        files_write(files, layout_end_lsn(&path->plan.layout, insert_watermark(path)));
    futex_lock_release_to_all(&files->lock);
}

/* Begins the next page if its place is free; does something for that if not. False: no page
 * was begun. */
static bool begin_page(struct dwcas_insert *path, dwcas_thread *thread)
{
    struct pages *pages = &path->pages;
    uint64_t in_the_way;
    bool complete, written;

    if (!pages_try(pages))
        return false;
    in_the_way = pages_in_the_way(pages);
    complete = in_the_way == 0 ||
               insert_watermark(path) >= layout_bytepos(&path->plan.layout, in_the_way);
    /* Acquire; pairs with the writer's release: it has read what is overwritten now. */
    written = !insert_has_files(path) ||
              atomic_load_explicit(&path->files.written, memory_order_acquire) >= in_the_way;
    if (complete && written)
        pages_begin(pages);
    pages_done(pages);
    if (complete && !written)
        write_behind(path, thread, in_the_way);
    return complete && written;
}

bool insertion_publish(struct insertion *insertion, uint64_t position)
{
    struct dwcas_insert *path = insertion->path;

    if (!path->plan.publish->part(path->publish_state, insertion->thread, insertion->slot,
                                  insertion->published, position))
        return false;
    insertion->published = position;
    return true;
}

/* Where the log's byte `lsn` is in memory, once its page is there; NULL if the run was aborted.
 * Before it waits it publishes what lies before, and be it that it has only its place: others
 * may need to know. */
static unsigned char *page_for(struct insertion *insertion, uint64_t lsn)
{
    struct dwcas_insert *path = insertion->path;
    uint32_t spins = 0;

    while (!pages_has(&path->pages, lsn)) {
        if (begin_page(path, insertion->thread))
            continue;
        insertion->inserter->page_waits += spins == 0;
        if (!insertion_publish(insertion, layout_bytepos(&path->plan.layout, lsn)) ||
            !wait_again(&spins, insertion->thread) || files_failed(&path->files))
            return NULL;
    }
    return pages_at(&path->pages, lsn);
}

uint64_t insertion_copy(struct insertion *insertion, uint64_t start)
{
    const dwcas_layout *layout = &insertion->path->plan.layout;
    struct disturb *disturb = &insertion->path->disturb;
    const unsigned char *from = insertion->inserter->record;
    uint64_t lsn = layout_start_lsn(layout, start);
    unsigned char *at = page_for(insertion, lsn);
    uint32_t left;

    memcpy(&left, from, sizeof left); /* the record's first field is its length */
    for (;;) {
        const uint64_t room = layout->page_size - layout_in_page(layout, lsn);
        const uint32_t part = left < room ? left : (uint32_t)room;
        struct page_header *header;

        if (at == NULL)
            return 0;
        if (disturb_wants(disturb, DWCAS_AT_COPYING)) {
            memcpy(at, from, part / 2);
            disturb_at(disturb, DWCAS_AT_COPYING, insertion->thread);
        }
        memcpy(at, from, part);
        from += part;
        left -= part;
        lsn += part;
        if (left == 0)
            return lsn;
        at = page_for(insertion, lsn);
        if (at == NULL)
            return 0;
        header = (struct page_header *)at;
        header->flags |= PAGE_CONTINUES;
        header->remaining = left;
        at += layout_header(layout, lsn);
        lsn += layout_header(layout, lsn);
    }
}

bool insertion_clear_segment(struct insertion *insertion, uint64_t lsn)
{
    const dwcas_layout *layout = &insertion->path->plan.layout;

    for (lsn = pages_end(&insertion->path->pages, lsn - 1);
         (lsn & (layout->segment_size - 1)) != 0; lsn += layout->page_size) {
        unsigned char *page = page_for(insertion, lsn);

        if (page == NULL)
            return false;
        memset(page, 0, LAYOUT_SHORT_HEADER);
    }
    return true;
}
