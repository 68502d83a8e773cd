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
#include "wal/files.h"
#include "wal/publish/publish.h"

#include <stdlib.h>

enum { LAG_EVERY = 1024 }; /* insertions of a thread between two looks at the lag */

#define NO_GATE UINT32_MAX

/* What one thread has. */
struct inserter {
    _Alignas(DWCAS_LINE) uint64_t count; /* insertions that came to their end */
    uint32_t gate;                       /* to try first */
    unsigned char *record;               /* the one being inserted */
    uint64_t switches, switch_bytes;
    uint64_t lag_samples, lag_sum, lag_max;
    uint64_t gate_waits, page_waits, commits, commit_wait_ns;
};

struct dwcas_insert {
    dwcas_insert_plan plan;
    const dwcas_method *method;
    uint64_t history; /* per thread */
    uint32_t threads;
    uint32_t slot_count;
    void *method_state;
    void *publish_state;
    struct dwcas_slot *slots;
    struct inserter *inserters;
    unsigned char *records;
    struct pages pages;
    struct files files;
    struct disturb disturb;
    uint64_t flushes; /* of who holds the writer's lock */
};

/* An insertion on its way. */
struct insertion {
    struct dwcas_insert *path;
    dwcas_thread *thread;
    struct inserter *inserter;
    struct dwcas_slot *slot;
    dwcas_insertion *note; /* NULL: not recorded */
    uint64_t published;    /* bytepos up to which it is, from its start */
};

static uint64_t watermark(struct dwcas_insert *path)
{
    return path->plan.publish->watermark(path->publish_state);
}

static bool has_files(const struct dwcas_insert *path)
{
    return path->plan.directory >= 0;
}

/* ---- gate ---- */

static uint32_t gate_enter(struct dwcas_insert *path, struct inserter *inserter,
                           dwcas_thread *thread)
{
    const uint32_t gate = inserter->gate;
    futex_lock *lock = &path->slots[gate].gate;

    if (futex_try(lock))
        return gate;
    /* Another one next time: PostgreSQL's way to spread inserters over the gates. */
    inserter->gate = (gate + 1) & (path->plan.gates - 1);
    inserter->gate_waits++;
    return futex_lock_acquire(lock, thread) ? gate : NO_GATE;
}

static bool gates_enter_all(struct dwcas_insert *path, dwcas_thread *thread)
{
    for (uint32_t i = 0; i < path->plan.gates; i++)
        if (!futex_lock_acquire(&path->slots[i].gate, thread)) {
            while (i-- > 0)
                futex_lock_release(&path->slots[i].gate, thread);
            return false;
        }
    return true;
}

static void gates_leave_all(struct dwcas_insert *path, dwcas_thread *thread)
{
    for (uint32_t i = 0; i < path->plan.gates; i++)
        futex_lock_release(&path->slots[i].gate, thread);
}

/* ---- pages ---- */

/* Writes up to the watermark, if that which is below `lsn` is not written yet. */
static void write_behind(struct dwcas_insert *path, dwcas_thread *thread, uint64_t lsn)
{
    struct files *files = &path->files;

    if (!futex_lock_acquire(&files->lock, thread))
        return;
    if (atomic_load_explicit(&files->written, memory_order_relaxed) < lsn)
        files_write(files, layout_end_lsn(&path->plan.layout, watermark(path)));
    futex_lock_release_to_all(&files->lock);
}

/* Begins the next page if its place is free; does something for that if not. False: no page
 * was begun. */
static bool begin_page(struct dwcas_insert *path, dwcas_thread *thread)
{
    struct pages *pages = &path->pages;
    uint64_t in_the_way;
    bool complete, written;

    if (!pages_try(pages))
        return false;
    in_the_way = pages_in_the_way(pages);
    complete =
        in_the_way == 0 || watermark(path) >= layout_bytepos(&path->plan.layout, in_the_way);
    /* Acquire; pairs with the writer's release: it has read what is overwritten now. */
    written = !has_files(path) ||
              atomic_load_explicit(&path->files.written, memory_order_acquire) >= in_the_way;
    if (complete && written)
        pages_begin(pages);
    pages_done(pages);
    if (complete && !written)
        write_behind(path, thread, in_the_way);
    return complete && written;
}

static bool publish_up_to(struct insertion *insertion, uint64_t position)
{
    struct dwcas_insert *path = insertion->path;

    if (!path->plan.publish->part(path->publish_state, insertion->thread, insertion->slot,
                                  insertion->published, position))
        return false;
    insertion->published = position;
    return true;
}

/* Where the log's byte `lsn` is in memory, once its page is there; NULL if the run was aborted.
 * Before it waits it publishes what lies before, and be it that it has only its place: others
 * may need to know. */
static unsigned char *page_for(struct insertion *insertion, uint64_t lsn)
{
    struct dwcas_insert *path = insertion->path;
    uint32_t spins = 0;

    while (!pages_has(&path->pages, lsn)) {
        if (begin_page(path, insertion->thread))
            continue;
        insertion->inserter->page_waits += spins == 0;
        if (!publish_up_to(insertion, layout_bytepos(&path->plan.layout, lsn)) ||
            !wait_again(&spins, insertion->thread) || files_failed(&path->files))
            return NULL;
    }
    return pages_at(&path->pages, lsn);
}

/* ---- copy ---- */

/* All but the prev link and its part of the CRC, which only the reservation tells. */
static uint32_t record_make(unsigned char *record, uint32_t length, uint32_t xid, uint64_t count)
{
    const uint32_t begins = record_data_begins(length);
    const struct record_header header = {
        .length = length, .xid = xid, .info = XLOG_NOOP, .rmgr = RMGR_XLOG};

    memcpy(record, &header, sizeof header);
    record_write_data_header(record, length);
    /* No two records are alike, so that one in the place of another shows. */
    memcpy(record + begins, &count,
           length - begins < sizeof count ? length - begins : sizeof count);
    return crc32c(CRC32C_BEGIN, record + RECORD_HEADER, length - RECORD_HEADER);
}

static void record_link(unsigned char *record, uint64_t prev, uint32_t body_sum)
{
    uint32_t sum;

    memcpy(record + offsetof(struct record_header, prev), &prev, sizeof prev);
    sum = ~crc32c(body_sum, record, RECORD_CRC_AT);
    memcpy(record + RECORD_CRC_AT, &sum, sizeof sum);
}

/* Copies the record to where it starts, over the pages that it covers; returns the LSN after
 * its last byte, 0 if the run was aborted. */
static uint64_t copy(struct insertion *insertion, uint64_t start)
{
    const dwcas_layout *layout = &insertion->path->plan.layout;
    struct disturb *disturb = &insertion->path->disturb;
    const unsigned char *from = insertion->inserter->record;
    uint64_t lsn = layout_start_lsn(layout, start);
    unsigned char *at = page_for(insertion, lsn);
    uint32_t left;

    memcpy(&left, from, sizeof left); /* the record's first field is its length */
    for (;;) {
        const uint64_t room = layout->page_size - layout_in_page(layout, lsn);
        const uint32_t part = left < room ? left : (uint32_t)room;
        struct page_header *header;

        if (at == NULL)
            return 0;
        if (disturb_wants(disturb, DWCAS_AT_COPYING)) {
            memcpy(at, from, part / 2);
            disturb_at(disturb, DWCAS_AT_COPYING, insertion->thread);
        }
        memcpy(at, from, part);
        from += part;
        left -= part;
        lsn += part;
        if (left == 0)
            return lsn;
        at = page_for(insertion, lsn);
        if (at == NULL)
            return 0;
        header = (struct page_header *)at;
        header->flags |= PAGE_CONTINUES;
        header->remaining = left;
        at += layout_header(layout, lsn);
        lsn += layout_header(layout, lsn);
    }
}

/* After a switch the rest of its segment is zero, headers and all. */
static bool clear_segment(struct insertion *insertion, uint64_t lsn)
{
    const dwcas_layout *layout = &insertion->path->plan.layout;

    for (lsn = pages_end(&insertion->path->pages, lsn - 1);
         (lsn & (layout->segment_size - 1)) != 0; lsn += layout->page_size) {
        unsigned char *page = page_for(insertion, lsn);

        if (page == NULL)
            return false;
        memset(page, 0, LAYOUT_SHORT_HEADER);
    }
    return true;
}

/* ---- flush ---- */

/* Who holds the writer's lock. */
static void flush(struct dwcas_insert *path)
{
    const uint64_t lsn = layout_end_lsn(&path->plan.layout, watermark(path));

    if (files_write(&path->files, lsn) && files_flush(&path->files))
        path->flushes++;
}

/* Returns once everything below `end` is flushed: by this thread, or by one that came before
 * it and took along what was complete (group commit). False: aborted. */
static bool commit(struct dwcas_insert *path, dwcas_thread *thread, uint64_t end)
{
    const uint64_t lsn = layout_end_lsn(&path->plan.layout, end);
    struct files *files = &path->files;
    uint32_t spins = 0;

    while (watermark(path) < end)
        if (!wait_again(&spins, thread))
            return false;
    if (path->plan.early)
        publish_raise(&files->flushed, lsn);
    while (atomic_load_explicit(&files->flushed, memory_order_acquire) < lsn) {
        if (files_failed(files) || wait_aborted(thread))
            return false;
        if (!futex_lock_or_wait(&files->lock))
            continue;
        if (atomic_load_explicit(&files->flushed, memory_order_acquire) < lsn)
            flush(path);
        futex_lock_release_to_all(&files->lock);
    }
    return true;
}

static bool commit_timed(struct insertion *insertion, uint64_t end)
{
    struct dwcas_insert *path = insertion->path;
    const uint64_t begin = clock_ns();
    const bool done = commit(path, insertion->thread, end);

    insertion->inserter->commits++;
    insertion->inserter->commit_wait_ns += clock_ns() - begin;
    if (insertion->note != NULL)
        insertion->note->flushed = layout_bytepos(
            &path->plan.layout, atomic_load_explicit(&path->files.flushed, memory_order_acquire));
    return done;
}

/* ---- insertion ---- */

#define NOTE(insertion, field)                                                                    \
    do {                                                                                          \
        if ((insertion)->note != NULL)                                                            \
            (insertion)->note->field = clock_ns();                                                \
    } while (0)

static struct insertion insertion_of(struct dwcas_insert *path, dwcas_thread *thread)
{
    struct insertion insertion = {path, thread, &path->inserters[thread->number], NULL, NULL, 0};

    if (path->plan.inserted == NULL || insertion.inserter->count >= path->history)
        return insertion;
    insertion.note =
        path->plan.inserted + thread->number * path->history + insertion.inserter->count;
    *insertion.note = (dwcas_insertion){.gate = NO_GATE};
    NOTE(&insertion, asked_ns);
    insertion.note->seen = watermark(path);
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
        end = copy(insertion, r.start);
        if (end == 0 || (switches && !clear_segment(insertion, end)))
            return aborted;
    }
    disturb_at(&path->disturb, DWCAS_AT_COPIED, insertion->thread);
    NOTE(insertion, copied_ns);
    if (!publish_up_to(insertion, r.end))
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
    const uint64_t complete = watermark(path);
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
    if (has_files(path) && is_turn(inserter->count, path->plan.commit_every) &&
        !commit_timed(&insertion, r.end))
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

static void *aligned_zeroed(size_t bytes)
{
    const size_t rounded = (bytes + DWCAS_LINE - 1) / DWCAS_LINE * DWCAS_LINE;
    void *memory = aligned_alloc(DWCAS_LINE, rounded);

    return memory == NULL ? NULL : memset(memory, 0, rounded);
}

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

    result->insert.watermark = watermark(path);
    if (has_files(path) &&
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
