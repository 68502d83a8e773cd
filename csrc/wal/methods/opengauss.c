/* SPDX-License-Identifier: MIT */
/* wal/methods/opengauss.c: R4, the tip, the size before and the record's number moved by
 * one 16-byte CAS; the number finds the entry in a ring where completion is published.
 *
 * lo = tip; hi = size of the record before (bits 31..0) and the number of the next record
 * (bits 62..32, it wraps). prev = tip - size before. In openGauss the record is copied
 * between the reservation and its publication; here it is complete at once, so a reservation
 * includes both: it is compared with methods that do less.
 *
 * The reservation is lock-free, the publication is not: 65,536 records after one that is not
 * published all wait for it. The server's WAL writer recycles entries all the time; here the
 * thread that gets every 4096th record does, and whoever finds its entry not recycled.
 * Left out: the suspend value for a switch, pages that are not initialised, the flush mark.
 * Source: openGauss 5d0218bec and 24678f104 (December 2020) to today. */
#include "wal/methods/completion_ring.h"
#include "wal/methods/define.h"

enum { RECORDS_PER_WRITE = CHECKED_SIZE(4096, 2) };

struct opengauss_state {
    _Alignas(DWCAS_LINE) dwcas_atomic_pair pair;
    struct completion_ring ring;
};

static void opengauss_start(void *memory, uint64_t tip, uint64_t prev)
{
    struct opengauss_state *state = memory;

    pair_store(&state->pair, (dwcas_pair){tip, (uint32_t)(tip - prev)}, DWCAS_SEQ_CST);
    completion_ring_start(&state->ring, tip);
}

DWCAS_INLINE dwcas_reservation opengauss_reserve(void *memory, dwcas_thread *thread, uint64_t size)
{
    struct opengauss_state *state = memory;
    dwcas_pair seen = pair_guess(&state->pair);

    for (;;) {
        const uint32_t number = (uint32_t)(seen.hi >> 32);
        const uint64_t next_number = (number + 1) & RECORD_NUMBERS_MASK;
        const dwcas_pair next = {seen.lo + size, next_number << 32 | (uint32_t)size};

        if (__builtin_expect(pair_compare_exchange(&state->pair, seen, next, &seen, DWCAS_ACQ_REL),
                             1)) {
            if (number % RECORDS_PER_WRITE == 0)
                completion_ring_write(&state->ring);
            if (!completion_ring_publish(&state->ring, number, next.lo, thread))
                return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
            return (dwcas_reservation){seen.lo, next.lo, seen.lo - (uint32_t)seen.hi};
        }
        thread->retries++;
    }
}

/* The tip is read off the ring, so that the oracle sees a completion that was lost. */
static void opengauss_finish(void *memory, uint64_t *tip, uint64_t *prev)
{
    struct opengauss_state *state = memory;
    const dwcas_pair pair = pair_load(&state->pair, DWCAS_SEQ_CST);

    *tip = completion_ring_finish(&state->ring, (uint32_t)(pair.hi >> 32));
    *prev = pair.lo - (uint32_t)pair.hi;
}

DWCAS_DEFINE_METHOD(opengauss, .name = "opengauss", .kind = DWCAS_KIND_LOCK_FREE, .links = true,
                    .sleeps = true,
                    .summary = "tip, size before and record number by one 16-byte CAS, and a ring",
                    .source = "openGauss, since December 2020 (5d0218bec, 24678f104)")
