/* SPDX-License-Identifier: MIT */
/* wal/methods/link_table.h: R7's links, in a lock-free hash table keyed by position.
 *
 * An entry is one word: the tag of a position and the size of the record that ends there.
 * Who ends there puts it in, who begins there takes it out; nobody else looks for that tag,
 * so a removal is a plain store. Each tag has two buckets of one cache line. In the patch an
 * entry may be moved from one to the other, as in a cuckoo table, under a lock bit in the
 * entry; here who finds both full takes its own link meanwhile, and so do all others, which
 * empties the table: all that stays is the link of a record that does not exist yet.
 *
 * The tag has 32 bits: unit ^ (unit >> 32) of 8-byte units differs between positions less
 * than about 32 GiB apart. The patch has the WAL buffers to guarantee that of all records in
 * flight; here a thread would have to sleep with its record while 32 GiB are reserved. */
#ifndef DWCAS_WAL_METHODS_LINK_TABLE_H
#define DWCAS_WAL_METHODS_LINK_TABLE_H

#include "locks/wait.h"
#include "wal/methods/define.h"

/* More entries than the most threads of a run: each has one link in the table. */
enum { BUCKET_BITS = CHECKED_SIZE(12, 1), BUCKET_ENTRIES = CHECKED_SIZE(8, 2) };

struct link_bucket {
    _Alignas(64) _Atomic uint64_t entries[BUCKET_ENTRIES]; /* tag << 32 | size, 0 = free */
};

struct link_table {
    _Alignas(DWCAS_LINE) struct link_bucket buckets[1 << BUCKET_BITS];
};

static inline uint32_t link_tag(uint64_t position)
{
    return (uint32_t)(position >> 3 ^ position >> 35);
}

static inline struct link_bucket *link_bucket(struct link_table *table, uint32_t tag, int which)
{
    static const uint32_t odd[2] = {0x9e3779b1u, 0x85ebca6bu};

    return &table->buckets[tag * odd[which] >> (32 - BUCKET_BITS)];
}

/* False if there is no room. Relaxed: the entry is the whole message. */
DWCAS_INLINE bool link_table_put(struct link_table *table, uint32_t tag, uint32_t size)
{
    for (int which = 0; which < 2; which++) {
        struct link_bucket *bucket = link_bucket(table, tag, which);

        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            uint64_t seen = atomic_load_explicit(&bucket->entries[i], memory_order_relaxed);

            if (seen == 0 && atomic_compare_exchange_strong_explicit(
                                 &bucket->entries[i], &seen, (uint64_t)tag << 32 | size,
                                 memory_order_relaxed, memory_order_relaxed))
                return true;
        }
    }
    return false;
}

/* 0 if the entry is not there yet. */
DWCAS_INLINE uint32_t link_table_take(struct link_table *table, uint32_t tag)
{
    for (int which = 0; which < 2; which++) {
        struct link_bucket *bucket = link_bucket(table, tag, which);

        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            const uint64_t seen = atomic_load_explicit(&bucket->entries[i], memory_order_relaxed);

            if (seen >> 32 == tag && seen != 0) {
                atomic_store_explicit(&bucket->entries[i], 0, memory_order_relaxed);
                return (uint32_t)seen;
            }
        }
    }
    return 0;
}

#endif
