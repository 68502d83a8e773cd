# SPDX-License-Identifier: MIT
# Toolchain file: cross-build for arm64 Linux with Debian's gcc-aarch64-linux-gnu, run
# the tests under qemu-aarch64 (static, so that no arm64 system is needed).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 CACHE STRING "how to run an arm64 program")
# Without LSE (llsc alone), and with everything that qemu has.
set(DWCAS_QEMU_CPUS cortex-a53 max CACHE STRING "CPU models for the tests")
