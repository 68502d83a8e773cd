# SPDX-License-Identifier: MIT
# atomics._native: the cffi module (API mode, stable ABI). Its C is generated and
# committed, and a test compares it; after a change of the .cdef.txt make it anew:
#   cffi-gen-src read-sources atomics._native atomics/_native.cdef.txt \
#       atomics/_native.csrc.c atomics/_native.c
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.SABIModule)
python_add_library(_native MODULE USE_SABI 3.11 WITH_SOABI atomics/_native.c)
target_link_libraries(_native PRIVATE dwcas)
install(TARGETS _native LIBRARY DESTINATION atomics)
