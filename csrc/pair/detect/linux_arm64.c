/* SPDX-License-Identifier: MIT */
/* pair/detect/linux_arm64.c: the auxiliary vector.
 *
 * The kernel sets a bit only when it allows the instruction, so nothing else is asked.
 * The bit numbers are the kernel's ABI; they are written out because older C libraries
 * do not name the newer ones. Source: Linux, arch/arm64 elf_hwcaps documentation. */
#include "pair/detect/detect.h"

#include <stddef.h>
#include <sys/auxv.h>

const dwcas_feature dwcas_features[] = {
    {DWCAS_HAS_LSE, "lse", "AT_HWCAP bit 8 (ATOMICS)"},
    {DWCAS_HAS_LSE2, "lse2", "AT_HWCAP bit 25 (USCAT)"},
    {DWCAS_HAS_LSE128, "lse128", "AT_HWCAP2 bit 47 (LSE128)"},
    {DWCAS_HAS_RCPC3, "rcpc3", "AT_HWCAP2 bit 46 (LRCPC3)"},
    {0, NULL, NULL},
};

uint32_t dwcas_detect(void)
{
    const unsigned long hwcap = getauxval(AT_HWCAP);
    const unsigned long hwcap2 = getauxval(AT_HWCAP2);
    uint32_t features = 0;

    if (hwcap >> 8 & 1)
        features |= DWCAS_HAS_LSE;
    if (hwcap >> 25 & 1)
        features |= DWCAS_HAS_LSE2;
    if (hwcap2 >> 47 & 1)
        features |= DWCAS_HAS_LSE128;
    if (hwcap2 >> 46 & 1)
        features |= DWCAS_HAS_RCPC3;
    return features;
}
