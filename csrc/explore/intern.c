/* SPDX-License-Identifier: MIT */
#include "explore/intern.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

/* Multiply and fold, 4 bytes at a time. */
static uint64_t hash(const void *item, size_t bytes)
{
    uint64_t h = 0x9e3779b97f4a7c15u;

    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t word;

        memcpy(&word, (const unsigned char *)item + at, 4);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

bool intern_start(struct intern *set, size_t bytes)
{
    *set = (struct intern){.bytes = bytes, .slots = FIRST_SLOTS, .capacity = FIRST_SLOTS / 2};
    set->table = calloc(set->slots, sizeof *set->table);
    set->items = malloc(bytes * set->capacity);
    return set->table != NULL && set->items != NULL;
}

void intern_finish(struct intern *set)
{
    free(set->table);
    free(set->items);
}

static uint32_t slot_of(const struct intern *set, const void *item)
{
    uint32_t slot = (uint32_t)hash(item, set->bytes) & (set->slots - 1);

    while (set->table[slot] != 0 &&
           memcmp(intern_at(set, set->table[slot] - 1), item, set->bytes) != 0)
        slot = (slot + 1) & (set->slots - 1);
    return slot;
}

uint32_t intern_find(const struct intern *set, const void *item)
{
    const uint32_t entry = set->table[slot_of(set, item)];

    return entry == 0 ? INTERN_NONE : entry - 1;
}

/* Twice the slots; half of them are the new capacity. */
static bool grow(struct intern *set)
{
    unsigned char *items;
    uint32_t *table;

    if (set->slots > UINT32_MAX / 2)
        return false;
    items = realloc(set->items, set->bytes * set->slots);
    if (items == NULL)
        return false;
    set->items = items;
    table = calloc((size_t)set->slots * 2, sizeof *table);
    if (table == NULL)
        return false;
    free(set->table);
    set->table = table;
    set->capacity = set->slots;
    set->slots *= 2;
    for (uint32_t number = 0; number < set->count; number++)
        set->table[slot_of(set, intern_at(set, number))] = number + 1;
    return true;
}

uint32_t intern_add(struct intern *set, const void *item)
{
    uint32_t slot = slot_of(set, item);

    if (set->table[slot] != 0)
        return set->table[slot] - 1;
    if (set->count == set->capacity) {
        if (!grow(set))
            return INTERN_NONE;
        slot = slot_of(set, item);
    }
    memcpy(set->items + set->bytes * set->count, item, set->bytes);
    set->table[slot] = ++set->count;
    return set->count - 1;
}

bool array_grow(void **array, size_t bytes, uint64_t count, uint64_t *capacity)
{
    const uint64_t wanted = *capacity == 0 ? FIRST_SLOTS : 2 * *capacity;
    void *moved;

    if (count < *capacity)
        return true;
    moved = realloc(*array, bytes * wanted);
    if (moved == NULL)
        return false;
    *array = moved;
    *capacity = wanted;
    return true;
}
