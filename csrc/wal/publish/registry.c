/* SPDX-License-Identifier: MIT */
/* wal/publish/registry.c: the ways to publish, from the rows of publish.def. */
#include "dwcas/insert.h"

#define PUBLISH(identifier) extern const dwcas_publish dwcas_publish_##identifier;
#include "wal/publish/publish.def"
#undef PUBLISH

static const dwcas_publish *const rows[] = {
#define PUBLISH(identifier) &dwcas_publish_##identifier,
#include "wal/publish/publish.def"
#undef PUBLISH
};

const dwcas_publish *dwcas_publish_at(size_t index)
{
    return index < sizeof rows / sizeof rows[0] ? rows[index] : NULL;
}
