/* SPDX-License-Identifier: MIT */
/* insert_test.c: whole insertions, with pages and rings so small that everything happens all
 * the time: records longer than the ring, laps, segment ends, switches, reused files. Verified
 * by the telescoping sums, and by where the watermark and the files end. What is in the files
 * is read back in Python; this one is for sanitizers and for qemu. */
#include "check.h"
#include "dwcas/backend.h"
#include "dwcas/engine.h"
#include "wal/layout.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, PAGE = 512, SEGMENT = 4 * PAGE, FILES = 4 };

static const uint32_t sizes[] = {32, 72, 40, 5000, 80, 496, 472, 56};
static const uint32_t offsets[THREADS] = {0, 1, 2, 3};
static dwcas_thread_result threads[THREADS];
static dwcas_result result;
static uint64_t switches; /* of all runs: in one, its thread may hardly have come to run */

static void check_sums(const char *name, const dwcas_plan *plan)
{
    const uint64_t t0 = plan->start_tip, t1 = result.end_tip;
    const uint64_t p0 = plan->start_prev, p1 = result.end_prev;
    uint64_t size = result.insert.switch_bytes, start_end = 0, links = 0;

    for (uint32_t i = 0; i < THREADS; i++) {
        size += threads[i].sum_size;
        start_end += threads[i].sum_start_end;
        links += threads[i].sum_links;
    }
    CHECK(size == t1 - t0, "%s", name);
    CHECK(start_end == t0 * t0 - t1 * t1, "%s", name);
    CHECK(links == p0 * t0 - p1 * t1, "%s", name);
}

static void test_path(const dwcas_method *method, const dwcas_publish *publish, uint32_t gates,
                      int directory)
{
    dwcas_insert_plan insert = {
        .layout = layout_of(PAGE, SEGMENT),
        .publish = publish,
        .gates = gates,
        .copy = 1,
        .ring_pages = 2,
        .commit_every = 5,
        .switch_every = gates > 0 ? 7 : 0,
        .keep_segments = FILES,
        .directory = directory,
        .magic = 0xD110,
    };
    const dwcas_plan plan = {
        .method = method,
        .threads = THREADS,
        .offsets = offsets,
        .sizes = sizes,
        .size_count = sizeof sizes / sizeof sizes[0],
        .sample_every = 64,
        .warmup_ns = 1000000,
        .window_ns = 10000000,
        .start_tip = insert.layout.segment_usable,
        .start_prev = insert.layout.segment_usable - 64,
        .insert = &insert,
    };
    char name[128];

    snprintf(name, sizeof name, "%s, %s, %u gates", method->name, publish->name, gates);
    /* Empty: on a busy machine all of the window may pass within one batch. */
    dwcas_run(&plan, &result, threads);
    CHECK(result.status == DWCAS_RUN_OK || result.status == DWCAS_RUN_EMPTY, "%s: %d", name,
          (int)result.status);
    CHECK(result.insert.watermark == result.end_tip, "%s", name);
    CHECK(result.insert.written == result.end_tip, "%s", name);
    CHECK(result.insert.errno_ == 0, "%s: %s", name, strerror(result.insert.errno_));
    switches += result.insert.switches;
    check_sums(name, &plan);
}

/* Removes the numbered files of a run that began with segment 1. */
static void clear(int directory)
{
    const dwcas_layout layout = layout_of(PAGE, SEGMENT);
    const uint64_t last = layout_end_lsn(&layout, result.insert.written) / SEGMENT;

    for (uint64_t segment = last > FILES ? last - FILES : 0; segment <= last; segment++) {
        char name[32];

        snprintf(name, sizeof name, "%08X%08X%08X", 1,
                 (unsigned)(segment / ((1ull << 32) / SEGMENT)),
                 (unsigned)(segment % ((1ull << 32) / SEGMENT)));
        unlinkat(directory, name, 0);
    }
}

int main(void)
{
    static const char *const names[] = {"spin", "mcs", "cas128", "cas64-seeded", "faa-link"};
    static const uint32_t gates[] = {0, 1, 8};
    char path[] = "/tmp/dwcas-insert-XXXXXX";
    const int directory =
        mkdtemp(path) == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const dwcas_backend *backend = dwcas_backend_chosen();
    const dwcas_publish *publish;

    CHECK(directory >= 0, "%s", path);
    if (backend == NULL) {
        printf("skipped: %s\n", dwcas_backend_error());
        return 0;
    }
    for (const dwcas_method *const *method = backend->methods; *method != NULL; method++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            for (size_t p = 0; (publish = dwcas_publish_at(p)) != NULL; p++)
                for (size_t g = 0; g < sizeof gates / sizeof gates[0]; g++)
                    if (strcmp((*method)->name, names[n]) == 0 && !publish->broken) {
                        test_path(*method, publish, gates[g], directory);
                        clear(directory);
                    }
    CHECK(switches > 0, "no segment was switched");
    CHECK(rmdir(path) == 0, "%s is not empty", path);
    close(directory);
    return check_report();
}
