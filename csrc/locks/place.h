/* SPDX-License-Identifier: MIT */
/* locks/place.h: near which others a thread runs: its NUMA node. */
#ifndef DWCAS_LOCKS_PLACE_H
#define DWCAS_LOCKS_PLACE_H

#include "dwcas/method.h"

/* In the thread's own memory: the last answer, as asking costs as much as a reservation. */
struct place {
    uint32_t node;
    uint32_t uses;
};

#ifdef DWCAS_CHECKED

static inline bool place_nodes_differ(void)
{
    return false;
}

static inline uint32_t place_node(struct place *place)
{
    return place->node;
}

#else

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* Whether more than one node of this machine has CPUs ("0-1", "0,2"). */
static inline bool place_nodes_differ(void)
{
    char text[64];
    const int file = open("/sys/devices/system/node/has_cpu", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);

    if (file >= 0)
        close(file);
    text[length < 0 ? 0 : length] = '\0';
    return strpbrk(text, "-,") != NULL;
}

/* The node, asked for anew at every 64th use: a thread may move. */
static inline uint32_t place_node(struct place *place)
{
    unsigned cpu, node;

    if (place->uses++ % 64 == 0 && getcpu(&cpu, &node) == 0)
        place->node = node;
    return place->node;
}

#endif

#endif
