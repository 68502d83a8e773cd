/* SPDX-License-Identifier: MIT */
/* wal/insert.c: gate, reserve, copy, publish, flush; dwcas/insert.h says what each does.
 *
 * Who waits for what, and why it ends. The oldest record that is not complete never waits for
 * a page whose place is taken by something incomplete: that would be older. It may wait for the
 * writer, who waits for nobody, and for its gate, whose holder has an older record or none. So
 * the watermark moves on, and with it all who wait for it. Nobody waits for the watermark with
 * `busy` or the writer's lock in hand. */
#include "wal/insert.h"

#include "engine/loop.h"
#include "engine/memory.h"
#include "wal/gate.h"
#include "wal/record.h"

#include <stdlib.h>

enum { LAG_EVERY = 1024 }; /* insertions of a thread between two looks at the lag */

static struct insertion insertion_of(struct dwcas_insert *path, dwcas_thread *thread)
{
    struct insertion insertion = {path, thread, &path->inserters[thread->number], NULL, NULL, 0};

    if (path->plan.inserted == NULL || insertion.inserter->count >= path->history)
        return insertion;
    insertion.note =
        path->plan.inserted + thread->number * path->history + insertion.inserter->count;
    *insertion.note = (dwcas_insertion){.gate = NO_GATE};
    NOTE(&insertion, asked_ns);
    clock_passed();
    insertion.note->seen = insert_watermark(path);
    clock_settled();
    NOTE(&insertion, seen_ns);
    return insertion;
}

/* From the reservation to the publication; the slot is ours. */
static dwcas_reservation insert_in(struct insertion *insertion, uint64_t size, uint32_t body_sum,
                                   bool switches)
{
    struct dwcas_insert *path = insertion->path;
    const dwcas_publish *publish = path->plan.publish;
    const dwcas_reservation aborted = {DWCAS_NOT_RESERVED, 0, 0};
    dwcas_reservation r;

    publish->enter(path->publish_state, insertion->slot);
    r = path->method->reserve(path->method_state, insertion->thread, size);
    if (r.start == DWCAS_NOT_RESERVED)
        return r;
    NOTE(insertion, reserved_ns);
    disturb_at(&path->disturb, DWCAS_AT_RESERVED, insertion->thread);
    insertion->published = r.start;
    if (path->plan.copy) {
        uint64_t end;

        record_link(insertion->inserter->record, layout_start_lsn(&path->plan.layout, r.prev),
                    body_sum);
        end = insertion_copy(insertion, r.start);
        if (end == 0 || (switches && !insertion_clear_segment(insertion, end)))
            return aborted;
    }
    disturb_at(&path->disturb, DWCAS_AT_COPIED, insertion->thread);
    NOTE(insertion, copied_ns);
    if (!insertion_publish(insertion, r.end))
        return aborted;
    /* Release; inserting-at asks for it (E2). */
    atomic_store_explicit(&insertion->slot->reached, r.end, memory_order_release);
    publish->leave(path->publish_state, insertion->slot);
    NOTE(insertion, published_ns);
    disturb_at(&path->disturb, DWCAS_AT_PUBLISHED, insertion->thread);
    return r;
}

/* The end of the segment switch that starts at `tip`; `tip` itself at a segment's beginning,
 * where there is none. */
static uint64_t switch_end(const dwcas_layout *layout, uint64_t tip)
{
    const uint64_t rest = layout->segment_size - 1;
    const uint64_t record_end = layout_end_lsn(layout, tip + RECORD_HEADER);

    if ((layout_end_lsn(layout, tip) & rest) == 0)
        return tip;
    return layout_bytepos(layout, (record_end + rest) & ~rest);
}

/* A switch takes what is left of the segment, so nobody else may reserve meanwhile: all gates
 * are held. It publishes through the last one's slot only, so that the others do not stand in
 * the watermark's way. *none: it is at a segment's beginning, nothing was done. */
static dwcas_reservation insert_switch(struct insertion *insertion, uint64_t size, bool *none)
{
    struct dwcas_insert *path = insertion->path;
    dwcas_reservation r = {DWCAS_NOT_RESERVED, 0, 0};
    uint64_t tip = 0, end;
    uint32_t body_sum;

    if (!gates_enter_all(path, insertion->thread))
        return r;
    for (uint32_t i = 0; i < path->plan.gates; i++) {
        const uint64_t reached =
            atomic_load_explicit(&path->slots[i].reached, memory_order_relaxed);

        tip = reached > tip ? reached : tip;
    }
    end = switch_end(&path->plan.layout, tip);
    *none = end == tip;
    if (!*none) {
        struct record_header header = {.length = RECORD_HEADER,
                                       .xid = insertion->thread->number + 1,
                                       .info = XLOG_SWITCH,
                                       .rmgr = RMGR_XLOG};

        memcpy(insertion->inserter->record, &header, sizeof header);
        body_sum = CRC32C_BEGIN;
        insertion->slot = &path->slots[path->plan.gates - 1];
        r = insert_in(insertion, end - tip, body_sum, true);
        insertion->inserter->switches++;
        insertion->inserter->switch_bytes += end - tip - size;
        if (insertion->note != NULL) {
            insertion->note->switched = 1;
            insertion->note->gate = path->plan.gates - 1;
        }
    }
    gates_leave_all(path, insertion->thread);
    return r;
}

static dwcas_reservation insert_record(struct insertion *insertion, uint64_t size)
{
    struct dwcas_insert *path = insertion->path;
    const uint32_t number = insertion->thread->number;
    const uint32_t body_sum = path->plan.copy
                                  ? record_make(insertion->inserter->record, (uint32_t)size,
                                                number + 1, insertion->inserter->count)
                                  : 0;
    const bool gated = path->plan.gates > 0;
    const uint32_t slot =
        gated ? gate_enter(path, insertion->inserter, insertion->thread) : number;
    dwcas_reservation r;

    if (slot == NO_GATE)
        return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    if (gated && insertion->note != NULL)
        insertion->note->gate = slot;
    insertion->slot = &path->slots[slot];
    r = insert_in(insertion, size, body_sum, false);
    if (gated)
        futex_lock_release(&path->slots[slot].gate, insertion->thread);
    return r;
}

static void sample_lag(struct dwcas_insert *path, struct inserter *inserter, uint64_t end)
{
    const uint64_t complete = insert_watermark(path);
    const uint64_t lag = end > complete ? end - complete : 0;

    inserter->lag_samples++;
    inserter->lag_sum += lag;
    inserter->lag_max = lag > inserter->lag_max ? lag : inserter->lag_max;
}

static bool is_turn(uint64_t count, uint32_t every)
{
    return every > 0 && (count + 1) % every == 0;
}

static dwcas_reservation insert(void *memory, dwcas_thread *thread, uint64_t size)
{
    struct dwcas_insert *path = memory;
    struct insertion insertion = insertion_of(path, thread);
    struct inserter *inserter = insertion.inserter;
    bool ordinary = thread->number > 0 || !is_turn(inserter->count, path->plan.switch_every);
    dwcas_reservation r = {DWCAS_NOT_RESERVED, 0, 0};

    if (!ordinary)
        r = insert_switch(&insertion, size, &ordinary);
    if (ordinary)
        r = insert_record(&insertion, size);
    if (r.start == DWCAS_NOT_RESERVED)
        return r;
    if (inserter->count % LAG_EVERY == 0)
        sample_lag(path, inserter, r.end);
    if (insert_has_files(path) && is_turn(inserter->count, path->plan.commit_every) &&
        !insertion_commit(&insertion, r.end))
        return (dwcas_reservation){DWCAS_NOT_RESERVED, 0, 0};
    inserter->count++;
    return r;
}

const char *dwcas_insert_point_name(size_t point)
{
    static const char *const names[DWCAS_INSERT_POINTS] = {
        [DWCAS_AT_NONE] = "none",           [DWCAS_AT_RESERVED] = "reserved",
        [DWCAS_AT_COPYING] = "copying",     [DWCAS_AT_COPIED] = "copied",
        [DWCAS_AT_PUBLISHED] = "published", [DWCAS_AT_WRITING] = "writing",
        [DWCAS_AT_WRITTEN] = "written",     [DWCAS_AT_SEGMENT_END] = "segment-end",
        [DWCAS_AT_FLUSHED] = "flushed",
    };

    return point < DWCAS_INSERT_POINTS ? names[point] : NULL;
}

void dwcas_insert_window_loop(struct dwcas_worker *worker)
{
    window_loop(worker, insert);
}

void dwcas_insert_history_loop(struct dwcas_worker *worker)
{
    history_loop(worker, insert);
}

/* ---- before and after ---- */

/* Each thread's record, filled once: what is copied and summed should not be zeros. */
static bool make_records(struct dwcas_insert *path, const dwcas_plan *plan)
{
    uint64_t largest = RECORD_HEADER, random = 0x9e3779b97f4a7c15u;

    for (uint32_t i = 0; i < plan->size_count; i++)
        largest = plan->sizes[i] > largest ? plan->sizes[i] : largest;
    path->records = malloc(path->threads * largest);
    if (path->records == NULL)
        return false;
    for (uint64_t i = 0; i < path->threads * largest; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        path->records[i] = (unsigned char)(random >> 56);
    }
    for (uint32_t i = 0; i < path->threads; i++) {
        path->inserters[i].record = path->records + i * largest;
        path->inserters[i].gate = path->plan.gates > 0 ? i & (path->plan.gates - 1) : 0;
    }
    return true;
}

static void free_memory(struct dwcas_insert *path)
{
    pages_close(&path->pages);
    free(path->records);
    free(path->inserters);
    free(path->slots);
    free(path->publish_state);
    free(path->method_state);
    free(path);
}

struct dwcas_insert *dwcas_insert_open(const dwcas_plan *plan)
{
    struct dwcas_insert *path = aligned_zeroed(sizeof *path);
    const uint64_t lsn = layout_start_lsn(&plan->insert->layout, plan->start_tip);

    if (path == NULL)
        return NULL;
    path->plan = *plan->insert;
    path->method = plan->method;
    path->history = plan->history;
    path->threads = plan->threads;
    path->slot_count = path->plan.gates > 0 ? path->plan.gates : plan->threads;
    path->method_state = aligned_zeroed(plan->method->state_bytes);
    path->publish_state = aligned_zeroed(path->plan.publish->state_bytes);
    path->slots = aligned_zeroed(path->slot_count * sizeof *path->slots);
    path->inserters = aligned_zeroed(plan->threads * sizeof *path->inserters);
    path->pages.magic = (uint16_t)path->plan.magic;
    path->pages.system_id = path->plan.system_id;
    if (path->method_state == NULL || path->publish_state == NULL || path->slots == NULL ||
        path->inserters == NULL || !make_records(path, plan) ||
        !pages_open(&path->pages, &path->plan.layout, path->plan.ring_pages, lsn)) {
        free_memory(path);
        return NULL;
    }
    for (uint32_t i = 0; i < path->slot_count; i++) {
        futex_lock_start(&path->slots[i].gate);
        atomic_init(&path->slots[i].reached, plan->start_tip);
    }
    path->plan.publish->start(path->publish_state, plan->start_tip, path->slots, path->slot_count);
    path->method->start(path->method_state, plan->start_tip, plan->start_prev);
    path->disturb.wanted = path->plan.disturbance;
    files_open(&path->files, &path->pages, &path->disturb, path->plan.directory,
               path->plan.sync != 0, path->plan.keep_segments);
    return path;
}

static void gather(const struct dwcas_insert *path, dwcas_insert_result *result)
{
    for (uint32_t i = 0; i < path->threads; i++) {
        const struct inserter *from = &path->inserters[i];

        result->lag_samples += from->lag_samples;
        result->lag_sum += from->lag_sum;
        result->lag_max = from->lag_max > result->lag_max ? from->lag_max : result->lag_max;
        result->gate_waits += from->gate_waits;
        result->page_waits += from->page_waits;
        result->commits += from->commits;
        result->commit_wait_ns += from->commit_wait_ns;
        result->switches += from->switches;
        result->switch_bytes += from->switch_bytes;
    }
    result->flushes = path->flushes;
}

void dwcas_insert_close(struct dwcas_insert *path, dwcas_result *result)
{
    struct files *files = &path->files;

    result->insert.watermark = insert_watermark(path);
    if (insert_has_files(path) &&
        files_write(files, layout_end_lsn(&path->plan.layout, result->insert.watermark)))
        files_flush(files);
    files_close(files);
    result->insert.written = layout_bytepos(
        &path->plan.layout, atomic_load_explicit(&files->written, memory_order_relaxed));
    result->insert.errno_ = atomic_load_explicit(&files->error, memory_order_relaxed);
    gather(path, &result->insert);
    path->method->finish(path->method_state, &result->end_tip, &result->end_prev);
    free_memory(path);
}
