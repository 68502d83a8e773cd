/* SPDX-License-Identifier: MIT */
/* locks_test.c: waiters of every lock leave when the run is aborted, without the lock. The
 * mutex is not among them: its holder always leaves again, and its waiters rely on that. */
#include "check.h"
#include "locks/clh.h"
#include "locks/cohort.h"
#include "locks/futex.h"
#include "locks/mcs.h"
#include "locks/spin18.h"
#include "locks/ticket.h"
#include "locks/ttas.h"

#include <pthread.h>

enum { WAITERS = 4 };

static _Atomic uint32_t abort_flag;
static dwcas_thread holder, waiters[WAITERS];
static bool entered[WAITERS];

static void reset(void)
{
    atomic_store(&abort_flag, 0);
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = (dwcas_thread){.abort = &abort_flag, .random = 1000003u * (unsigned)(i + 1)};
    holder = (dwcas_thread){.abort = &abort_flag, .random = 7};
}

#define TEST_LOCK(name)                                                                           \
    static name##_lock name##_tested;                                                             \
                                                                                                  \
    static void *name##_waiter(void *number)                                                      \
    {                                                                                             \
        const size_t i = (size_t)number;                                                          \
                                                                                                  \
        entered[i] = name##_lock_acquire(&name##_tested, &waiters[i]);                            \
        return NULL;                                                                              \
    }                                                                                             \
                                                                                                  \
    static void test_##name(void)                                                                 \
    {                                                                                             \
        const struct timespec until_all_wait = {0, 20000000};                                     \
        pthread_t handles[WAITERS];                                                               \
                                                                                                  \
        reset();                                                                                  \
        name##_lock_start(&name##_tested);                                                        \
        CHECK(name##_lock_acquire(&name##_tested, &holder), #name);                               \
        for (size_t i = 0; i < WAITERS; i++)                                                      \
            pthread_create(&handles[i], NULL, name##_waiter, (void *)i);                          \
        nanosleep(&until_all_wait, NULL);                                                         \
        atomic_store(&abort_flag, 1);                                                             \
        for (size_t i = 0; i < WAITERS; i++)                                                      \
            pthread_join(handles[i], NULL);                                                       \
        for (size_t i = 0; i < WAITERS; i++)                                                      \
            CHECK(!entered[i], #name ": waiter %zu", i);                                          \
        name##_lock_release(&name##_tested, &holder);                                             \
        name##_lock_finish(&name##_tested);                                                       \
    }

TEST_LOCK(spin)
TEST_LOCK(spin18)
TEST_LOCK(ttas)
TEST_LOCK(ticket)
TEST_LOCK(mcs)
TEST_LOCK(clh)
TEST_LOCK(cohort)
TEST_LOCK(futex)

int main(void)
{
    test_spin();
    test_spin18();
    test_ttas();
    test_ticket();
    test_mcs();
    test_clh();
    test_cohort();
    test_futex();
    return check_report();
}
