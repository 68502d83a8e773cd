/* SPDX-License-Identifier: MIT */
/* check.h: say what failed, count on. A program ends with `return check_report();`, whose
 * line "N passed, M failed" is also what a person reads. */
#ifndef DWCAS_TESTS_CHECK_H
#define DWCAS_TESTS_CHECK_H

#include <stdio.h>

static int checks_passed, checks_failed;

#define CHECK(condition, ...)                                                                     \
    do {                                                                                          \
        if (condition) {                                                                          \
            checks_passed++;                                                                      \
        } else {                                                                                  \
            checks_failed++;                                                                      \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                       \
            fprintf(stderr, __VA_ARGS__);                                                         \
            fputc('\n', stderr);                                                                  \
        }                                                                                         \
    } while (0)

static inline int check_report(void)
{
    printf("%d passed, %d failed\n", checks_passed, checks_failed);
    return checks_failed != 0;
}

#endif
