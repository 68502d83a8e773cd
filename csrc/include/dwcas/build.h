/* SPDX-License-Identifier: MIT */
/* dwcas/build.h: how this library was built; part of every result. */
#ifndef DWCAS_BUILD_H
#define DWCAS_BUILD_H

const char *dwcas_build_version(void);
const char *dwcas_build_compiler(void);
const char *dwcas_build_flags(void); /* those of the backends follow after a bar each */

#endif
