/* SPDX-License-Identifier: MIT */
/* cost/walks.c: the walks of one backend. */
#include "cost/walks.h"

#include "pair/selected.h"

static inline uint64_t cas_8(dwcas_atomic_pair *at, uint64_t expected)
{
    __atomic_compare_exchange_n(&at->lo, &expected, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected; /* on a hit what it was, 0; on a miss what is there, 0 */
}

static inline uint64_t cas_16(dwcas_atomic_pair *at, dwcas_pair expected)
{
    const dwcas_pair zero = {0, 0};
    dwcas_pair observed;

    (void)pair_compare_exchange(at, expected, zero, &observed, DWCAS_SEQ_CST);
    return observed.lo;
}

static inline void fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define COST(name, bytes, returns, expression)                                                    \
    static uint64_t walk_##name(dwcas_line *lines, const uint32_t *order, size_t count)           \
    {                                                                                             \
        const dwcas_pair zero = {0, 0}, other = {1, 1};                                           \
        uint64_t result = 0, none = 0;                                                            \
                                                                                                  \
        __asm__("" : "+r"(none));                                                                 \
        (void)zero;                                                                               \
        (void)other;                                                                              \
        for (size_t i = 0; i < count; i++) {                                                      \
            dwcas_atomic_pair *at = &lines[order[i] + result].pair;                               \
                                                                                                  \
            (void)at;                                                                             \
            result = (expression);                                                                \
        }                                                                                         \
        return result;                                                                            \
    }
#include "cost/operations.def"
#undef COST

extern const dwcas_cost_walks OF_BACKEND(dwcas_cost_walks);
const dwcas_cost_walks OF_BACKEND(dwcas_cost_walks) = {
    .walk =
        {
#define COST(name, bytes, returns, expression) [DWCAS_COST_##name] = walk_##name,
#include "cost/operations.def"
#undef COST
        },
};
