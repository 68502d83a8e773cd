/* SPDX-License-Identifier: MIT */
/* engine_test.c: every method of every backend through the engine, verified by the
 * telescoping sums; and runs that cannot make progress end in time and say so. The deep
 * tests are in Python; this one also runs where Python does not (under qemu). */
#include "check.h"
#include "dwcas/backend.h"
#include "dwcas/engine.h"
#include "engine/latency.h"

#include <string.h>
#include <time.h>

enum { MOST_THREADS = 8 };

static const uint32_t sizes[] = {32, 72, 40, 8168, 80, 120, 56};
static const uint32_t offsets[MOST_THREADS] = {0, 1, 2, 3, 4, 5, 6, 0};
static dwcas_thread_result threads[MOST_THREADS];
static dwcas_result result;

static dwcas_plan plan_of(const dwcas_method *method, uint32_t count)
{
    return (dwcas_plan){
        .method = method,
        .threads = count,
        .offsets = offsets,
        .sizes = sizes,
        .size_count = sizeof sizes / sizeof sizes[0],
        .sample_every = 64,
        .warmup_ns = 1000000,
        .window_ns = 20000000,
        .start_tip = (1ull << 40) - 8000, /* cas64-packed wraps soon */
        .start_prev = (1ull << 40) - 8064,
    };
}

static void check_sums(const char *backend, const dwcas_plan *plan)
{
    uint64_t size = 0, start_end = 0, links = 0;
    const uint64_t t0 = plan->start_tip, t1 = result.end_tip;
    const uint64_t p0 = plan->start_prev, p1 = result.end_prev;
    const char *name = plan->method->name;

    for (uint32_t i = 0; i < plan->threads; i++) {
        size += threads[i].sum_size;
        start_end += threads[i].sum_start_end;
        links += threads[i].sum_links;
        CHECK(threads[i].ops <= threads[i].total_ops, "%s %s", backend, name);
    }
    CHECK(size == t1 - t0, "%s %s", backend, name);
    CHECK(start_end == t0 * t0 - t1 * t1, "%s %s", backend, name);
    CHECK(!plan->method->links || links == p0 * t0 - p1 * t1, "%s %s", backend, name);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void test_method(const char *backend, const dwcas_method *method)
{
    static const uint32_t counts[] = {1, 2, MOST_THREADS};
    const bool never_ends = strcmp(method->name, "broken-stuck") == 0;

    if (method->kind == DWCAS_KIND_ENGINE || strcmp(method->name, "broken-deaf") == 0 ||
        (method->kind == DWCAS_KIND_BROKEN && !never_ends))
        return;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const dwcas_plan plan = plan_of(method, counts[i]);
        const double begin = seconds();
        const dwcas_run_status status = dwcas_run(&plan, &result, threads);

        CHECK(seconds() - begin < 5.0, "%s %s: %.1f s", backend, method->name, seconds() - begin);
        /* Empty: on a busy machine threads that take turns may not see the window open. */
        CHECK(never_ends ? status == DWCAS_RUN_NO_PROGRESS
                         : status == DWCAS_RUN_OK ||
                               (status == DWCAS_RUN_EMPTY && counts[i] == MOST_THREADS),
              "%s %s x %u: %d", backend, method->name, counts[i], (int)status);
        if (!never_ends)
            check_sums(backend, &plan);
    }
}

static void test_latency_buckets(void)
{
    uint32_t last = 0;

    for (uint32_t bucket = 0; bucket < DWCAS_LATENCY_BUCKETS; bucket++) {
        const uint64_t low = latency_bucket_low(bucket);

        CHECK(latency_bucket(low) == bucket, "bucket %u", bucket);
        CHECK(bucket == 0 || latency_bucket(low - 1) == bucket - 1, "bucket %u", bucket);
        last = latency_bucket(low);
    }
    CHECK(last == DWCAS_LATENCY_BUCKETS - 1, "%u", last);
    CHECK(latency_bucket(UINT64_MAX) == last, "%u", latency_bucket(UINT64_MAX));
    CHECK(latency_bucket_low(last + 1) == UINT64_MAX, "end of the last bucket");
}

int main(void)
{
    const dwcas_backend *backend;

    test_latency_buckets();
    for (size_t i = 0; (backend = dwcas_backend_at(i)) != NULL; i++)
        for (const dwcas_method *const *method = backend->methods;
             dwcas_backend_available(backend) && *method != NULL; method++)
            test_method(backend->name, *method);
    return check_report();
}
