/* SPDX-License-Identifier: MIT */
/* wal/pages.h: the pages of the log that are in memory, a ring of them.
 *
 * Page p lies in place p mod N. `ends` says which page a place serves, by the LSN where it
 * ends; who finds the page that it wants may write to its own bytes of it, and to its header
 * only if its record goes on there.
 *
 * Pages are begun in their order, by one thread at a time: the one that holds `busy`. */
#ifndef DWCAS_WAL_PAGES_H
#define DWCAS_WAL_PAGES_H

#include "engine/worker.h"
#include "wal/format.h"

struct pages {
    dwcas_layout layout;
    uint64_t first; /* LSN of the first page there ever was */
    uint64_t ring;  /* bytes */
    uint64_t system_id;
    uint16_t magic;
    unsigned char *bytes;
    _Atomic uint64_t *ends;
    _Alignas(DWCAS_LINE) _Atomic uint32_t busy;
    uint64_t next; /* LSN of the page to begin next; of who is busy */
};

/* `lsn`: where the log begins. False: no memory. */
bool pages_open(struct pages *pages, const dwcas_layout *layout, uint64_t count, uint64_t lsn);
void pages_close(struct pages *pages);

/* Who is busy: begins the next page. Its place must be free. */
void pages_begin(struct pages *pages);

/* The end of the page that lies where the next one will; 0 if there was none. */
static inline uint64_t pages_in_the_way(const struct pages *pages)
{
    const uint64_t page_size = pages->layout.page_size;

    return pages->next < pages->first + pages->ring ? 0 : pages->next - pages->ring + page_size;
}

static inline unsigned char *pages_at(const struct pages *pages, uint64_t lsn)
{
    return pages->bytes + (lsn & (pages->ring - 1));
}

static inline uint64_t pages_end(const struct pages *pages, uint64_t lsn)
{
    return (lsn | (pages->layout.page_size - 1)) + 1;
}

/* Acquire; pairs with pages_begin: the header is there. */
static inline bool pages_has(const struct pages *pages, uint64_t lsn)
{
    const uint64_t place = (lsn & (pages->ring - 1)) / pages->layout.page_size;

    return atomic_load_explicit(&pages->ends[place], memory_order_acquire) ==
           pages_end(pages, lsn);
}

static inline bool pages_try(struct pages *pages)
{
    return atomic_load_explicit(&pages->busy, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&pages->busy, 1, memory_order_acquire) == 0;
}

static inline void pages_done(struct pages *pages)
{
    atomic_store_explicit(&pages->busy, 0, memory_order_release);
}

#endif
