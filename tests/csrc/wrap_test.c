/* SPDX-License-Identifier: MIT */
/* wrap_test.c: record numbers of the completion ring wrap and nothing is lost. 31 bits take
 * 18 minutes at 2 M/s; here they have 10, and the ring has 64 entries. */
#define RECORD_NUMBER_BITS 10
#define COMPLETION_ENTRIES 64

#include "check.h"
#include "wal/methods/completion_ring.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, RECORDS = 50 * (1 << RECORD_NUMBER_BITS), SIZE = 48, FIRST = 4096 };

static struct completion_ring ring;
static _Atomic uint64_t taken; /* records so far */
static _Atomic uint32_t abort_flag;

/* Record n is [FIRST + n * SIZE, + SIZE), its number is n modulo the numbers there are. */
static void *publisher(void *unused)
{
    const dwcas_thread thread = {.abort = &abort_flag, .random = 1};
    uint64_t n;

    (void)unused;
    while ((n = atomic_fetch_add(&taken, 1)) < RECORDS)
        if (!completion_ring_publish(&ring, (uint32_t)n & RECORD_NUMBERS_MASK,
                                     FIRST + (n + 1) * SIZE, &thread))
            return &ring;
    return NULL;
}

int main(void)
{
    const uint32_t next = RECORDS & RECORD_NUMBERS_MASK;
    pthread_t handles[THREADS];
    uint64_t written;

    alarm(60); /* whose turn never comes waits for ever */
    completion_ring_start(&ring, FIRST);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&handles[i], NULL, publisher, NULL);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(handles[i], &failed);
        CHECK(failed == NULL, "thread %d gave up", i);
    }
    written = completion_ring_finish(&ring, next);
    CHECK(written == FIRST + (uint64_t)RECORDS * SIZE, "written up to %llu",
          (unsigned long long)written);
    CHECK(completion_ring_finish(&ring, next + 1) == 0, "a record that nobody published");
    return check_report();
}
