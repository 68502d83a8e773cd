/* SPDX-License-Identifier: MIT */
/* explore/intern.h: a set of equal-sized items that numbers them in order of arrival.
 *
 * Open addressing over a table of numbers at most half full; the items lie one after
 * another, so that an item costs its bytes and about 12 more. */
#ifndef DWCAS_EXPLORE_INTERN_H
#define DWCAS_EXPLORE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern {
    size_t bytes; /* of one item; a multiple of 4 */
    uint32_t count, capacity;
    unsigned char *items;
    uint32_t *table; /* number + 1, or 0 */
    uint32_t slots;  /* a power of two */
};

#define INTERN_NONE UINT32_MAX

bool intern_start(struct intern *set, size_t bytes);
void intern_finish(struct intern *set);

/* The number of an item, or INTERN_NONE. */
uint32_t intern_find(const struct intern *set, const void *item);

/* The number of an item, which is added if it is new; INTERN_NONE: no memory. */
uint32_t intern_add(struct intern *set, const void *item);

static inline const void *intern_at(const struct intern *set, uint32_t number)
{
    return set->items + set->bytes * number;
}

/* Room for one more element of an array that doubles; false: no memory. */
bool array_grow(void **array, size_t bytes, uint64_t count, uint64_t *capacity);

#endif
