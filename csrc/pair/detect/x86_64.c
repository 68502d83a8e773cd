/* SPDX-License-Identifier: MIT */
/* pair/detect/x86_64.c: CPUID and XGETBV, the same under every system.
 *
 * VMOVDQA counts only if the vendor promises its atomicity (Intel, AMD, Zhaoxin; no
 * statement from the others is known), the CPU enumerates AVX, and the operating system
 * saves the XMM and YMM state (XCR0 bits 1 and 2), since AVX instructions fault
 * otherwise. Source: Intel SDM vol. 1 section 14.3, vol. 3 section 9.1.1. */
#include "pair/detect/detect.h"

#include <cpuid.h>
#include <string.h>

const dwcas_feature dwcas_features[] = {
    {DWCAS_HAS_CX16, "cmpxchg16b", "CPUID.1:ECX bit 13"},
    {DWCAS_HAS_AVX_ATOMIC, "avx", "CPUID.1:ECX bits 27 and 28, XCR0 bits 1 and 2, vendor"},
    {0, NULL, NULL},
};

enum { ECX_CX16 = 1 << 13, ECX_OSXSAVE = 1 << 27, ECX_AVX = 1 << 28, XCR0_XMM_YMM = 6 };

static int vendor_promises_atomic_vmovdqa(void)
{
    static const char vendors[][13] = {"GenuineIntel", "AuthenticAMD", "  Shanghai  "};
    unsigned int eax, ebx, ecx, edx;
    char vendor[13] = "";

    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
        return 0;
    memcpy(vendor, &ebx, 4);
    memcpy(vendor + 4, &edx, 4);
    memcpy(vendor + 8, &ecx, 4);
    for (unsigned int i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (strcmp(vendor, vendors[i]) == 0)
            return 1;
    return 0;
}

uint32_t dwcas_detect(void)
{
    unsigned int eax, ebx, ecx, edx, xcr0, xcr0_high;
    uint32_t features = 0;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return 0;
    if (ecx & ECX_CX16)
        features |= DWCAS_HAS_CX16;
    if ((ecx & ECX_OSXSAVE) && (ecx & ECX_AVX) && vendor_promises_atomic_vmovdqa()) {
        __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(xcr0_high) : "c"(0));
        if ((xcr0 & XCR0_XMM_YMM) == XCR0_XMM_YMM)
            features |= DWCAS_HAS_AVX_ATOMIC;
    }
    return features;
}
