/* SPDX-License-Identifier: MIT */
#include "dwcas/build.h"

const char *dwcas_build_version(void)
{
    return DWCAS_VERSION;
}

const char *dwcas_build_compiler(void)
{
#if defined(__clang__)
    return __VERSION__;
#else
    return "gcc " __VERSION__;
#endif
}

const char *dwcas_build_flags(void)
{
    return DWCAS_FLAGS;
}
