/* SPDX-License-Identifier: MIT */
/* pair/detect/detect.h: what the CPU and the kernel allow. One file per system.
 *
 * Every feature is a bit of its own: none of them implies another (LSE2 without LSE
 * exists). A new system adds one file that defines dwcas_detect. */
#ifndef DWCAS_PAIR_DETECT_H
#define DWCAS_PAIR_DETECT_H

#include <stdint.h>

enum {
    DWCAS_HAS_CX16 = 1 << 0,       /* x86-64: CMPXCHG16B */
    DWCAS_HAS_AVX_ATOMIC = 1 << 1, /* x86-64: 16-byte VMOVDQA is atomic here */
    DWCAS_HAS_LSE = 1 << 2,        /* arm64: CASP and the other LSE atomics */
    DWCAS_HAS_LSE2 = 1 << 3,       /* arm64: aligned LDP and STP are atomic */
    DWCAS_HAS_LSE128 = 1 << 4,     /* arm64: SWPP, LDCLRP, LDSETP */
    DWCAS_HAS_RCPC3 = 1 << 5,      /* arm64: LDIAPP, STILP */
};

typedef struct dwcas_feature {
    uint32_t bit;
    const char *name;   /* as in the architecture's manual, lower case */
    const char *source; /* where the bit is read */
} dwcas_feature;

/* The features this architecture can have; ends at name == NULL. */
extern const dwcas_feature dwcas_features[];

/* The bits this machine has. */
uint32_t dwcas_detect(void);

#endif
