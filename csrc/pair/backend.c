/* SPDX-License-Identifier: MIT */
/* pair/backend.c: the choice of a backend, made once. */
#include "dwcas/backend.h"

#include "pair/detect/detect.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKEND(name, features, flags)                                                            \
    extern const dwcas_pair_operations dwcas_pair_operations_##name;                              \
    extern const struct dwcas_pair_batches dwcas_pair_batches_##name;                             \
    extern const struct dwcas_cost_walks dwcas_cost_walks_##name;                                 \
    extern const struct dwcas_method *const dwcas_methods_##name[];                               \
    uint64_t dwcas_bare_cas128_ns_##name(uint64_t operations);
#include DWCAS_BACKENDS_DEF
#undef BACKEND

static const dwcas_backend backends[] = {
#define BACKEND(name, features, flags)                                                            \
    {#name,                                                                                       \
     (features),                                                                                  \
     &dwcas_pair_operations_##name,                                                               \
     &dwcas_pair_batches_##name,                                                                  \
     &dwcas_cost_walks_##name,                                                                    \
     dwcas_methods_##name,                                                                        \
     dwcas_bare_cas128_ns_##name},
#include DWCAS_BACKENDS_DEF
#undef BACKEND
};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

/* What one evaluation found. Two threads that race compute the same from the same
 * inputs; publishing a pointer makes sure that all see one object. */
struct choice {
    const dwcas_backend *backend;
    char error[256];
};

static bool name_in_list(const char *name, const char *list)
{
    const size_t length = strlen(name);

    while (list != NULL && *list != '\0') {
        const size_t item = strcspn(list, ",");
        if (item == length && strncmp(list, name, length) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

static uint32_t features_allowed(void)
{
    const char *disabled = getenv("DWCAS_DISABLE");
    uint32_t features = dwcas_detect();

    for (const dwcas_feature *f = dwcas_features; f->name != NULL; f++)
        if (name_in_list(f->name, disabled))
            features &= ~f->bit;
    return features;
}

static const char *first_missing(uint32_t wanted, uint32_t features)
{
    for (const dwcas_feature *f = dwcas_features; f->name != NULL; f++)
        if (wanted & f->bit & ~features)
            return f->name;
    return NULL;
}

static void choose_named(struct choice *choice, const char *who, const char *name,
                         uint32_t features)
{
    size_t used = 0;

    for (size_t i = 0; i < BACKENDS; i++) {
        const char *missing = first_missing(backends[i].features, features);

        if (strcmp(backends[i].name, name) != 0)
            continue;
        if (missing == NULL)
            choice->backend = &backends[i];
        else
            snprintf(choice->error, sizeof choice->error, "%s%s: this CPU has no %s", who, name,
                     missing);
        return;
    }
    used = (size_t)snprintf(choice->error, sizeof choice->error,
                            "%s%.40s: no such backend; one of", who, name);
    for (size_t i = 0; i < BACKENDS; i++)
        used += (size_t)snprintf(choice->error + used, sizeof choice->error - used, "%s %s",
                                 i == 0 ? "" : ",", backends[i].name);
}

static void choose(struct choice *choice)
{
    const char *forced = getenv("DWCAS_BACKEND");
    const uint32_t features = features_allowed();
    const char *missing;

    if (forced != NULL && *forced != '\0') {
        choose_named(choice, "DWCAS_BACKEND=", forced, features);
        return;
    }
    for (size_t i = 0; i < BACKENDS; i++)
        if (first_missing(backends[i].features, features) == NULL)
            choice->backend = &backends[i];
    missing = first_missing(backends[0].features, features);
    if (choice->backend == NULL && missing != NULL)
        snprintf(choice->error, sizeof choice->error,
                 "this CPU has no 16-byte compare-and-swap: %s is missing, and there is no "
                 "fallback to a lock",
                 missing);
}

static _Atomic(struct choice *) first_choice;

/* Publishes a choice unless there is one already; returns the one that holds. */
static const struct choice *publish(struct choice *choice)
{
    struct choice *none = NULL;

    if (atomic_compare_exchange_strong_explicit(&first_choice, &none, choice, memory_order_acq_rel,
                                                memory_order_acquire))
        return choice;
    free(choice);
    return none;
}

static struct choice *new_choice(void)
{
    struct choice *choice = calloc(1, sizeof *choice);

    if (choice == NULL)
        abort(); /* a few bytes at start-up: nothing sensible is left to do */
    return choice;
}

static const struct choice *decided(void)
{
    struct choice *choice = atomic_load_explicit(&first_choice, memory_order_acquire);

    if (choice != NULL)
        return choice;
    choice = new_choice();
    choose(choice);
    return publish(choice);
}

bool dwcas_backend_use(const char *name, char *error, size_t bytes)
{
    struct choice *choice = new_choice();
    const struct choice *holds;

    choose_named(choice, "backend ", name, features_allowed());
    if (choice->backend == NULL) { /* not published: a wrong name must not stick */
        snprintf(error, bytes, "%s", choice->error);
        free(choice);
        return false;
    }
    holds = publish(choice);
    if (holds->backend != NULL && strcmp(holds->backend->name, name) == 0)
        return true;
    snprintf(error, bytes, "backend %s: this process has already decided: %s", name,
             holds->backend != NULL ? holds->backend->name : holds->error);
    return false;
}

const dwcas_backend *dwcas_backend_chosen(void)
{
    return decided()->backend;
}

const char *dwcas_backend_error(void)
{
    return decided()->error;
}

const dwcas_backend *dwcas_backend_at(size_t index)
{
    return index < BACKENDS ? &backends[index] : NULL;
}

bool dwcas_backend_available(const dwcas_backend *backend)
{
    return first_missing(backend->features, features_allowed()) == NULL;
}

bool dwcas_feature_at(size_t index, const char **name, const char **source, bool *present)
{
    for (size_t i = 0; i <= index; i++)
        if (dwcas_features[i].name == NULL)
            return false;
    *name = dwcas_features[index].name;
    *source = dwcas_features[index].source;
    *present = (features_allowed() & dwcas_features[index].bit) != 0;
    return true;
}
