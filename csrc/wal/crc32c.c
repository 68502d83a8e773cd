/* SPDX-License-Identifier: MIT */
#include "wal/crc32c.h"

#include "dwcas/wal.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* For a half byte each, small enough to be written out and to need no start. Row i is i
 * divided by the reflected polynomial 0x82f63b78. */
static const uint32_t half_byte[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_table(uint32_t sum, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;

    for (; count > 0; count--, at++) {
        sum ^= *at;
        sum = sum >> 4 ^ half_byte[sum & 15];
        sum = sum >> 4 ^ half_byte[sum & 15];
    }
    return sum;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define STEP_8(sum, value) ((uint32_t)_mm_crc32_u64(sum, value))
#define STEP_1(sum, value) _mm_crc32_u8(sum, value)

static bool has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}
#else
#include <sys/auxv.h>
#define WITH_INSTRUCTION
#define STEP_8(sum, value) arm64_step_8(sum, value)
#define STEP_1(sum, value) arm64_step_1(sum, value)

/* In assembly, as compilers disagree on how a function asks for the extension. */
static inline uint32_t arm64_step_8(uint32_t sum, uint64_t value)
{
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(sum) : "r"(value));
    return sum;
}

static inline uint32_t arm64_step_1(uint32_t sum, uint8_t value)
{
    __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(sum) : "r"((uint32_t)value));
    return sum;
}

static bool has_instruction(void)
{
    return getauxval(AT_HWCAP) >> 7 & 1; /* CRC32; the number is the kernel's ABI */
}
#endif

WITH_INSTRUCTION static uint32_t crc32c_instruction(uint32_t sum, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t eight;

    for (; count >= sizeof eight; count -= sizeof eight, at += sizeof eight) {
        memcpy(&eight, at, sizeof eight);
        sum = STEP_8(sum, eight);
    }
    for (; count > 0; count--, at++)
        sum = STEP_1(sum, *at);
    return sum;
}

uint32_t crc32c(uint32_t sum, const void *bytes, size_t count)
{
    typedef uint32_t implementation(uint32_t, const void *, size_t);
    static _Atomic(implementation *) chosen;
    implementation *use = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (use == NULL) { /* threads that meet here all choose the same */
        use = has_instruction() ? crc32c_instruction : crc32c_table;
        atomic_store_explicit(&chosen, use, memory_order_relaxed);
    }
    return use(sum, bytes, count);
}

uint32_t dwcas_crc32c(const void *bytes, size_t count)
{
    return ~crc32c(CRC32C_BEGIN, bytes, count);
}

void dwcas_record_crc_many(const uint8_t *log, const uint64_t *starts, const uint32_t *lengths,
                           size_t count, uint32_t *crcs)
{
    for (size_t i = 0; i < count; i++)
        crcs[i] = crc32c_record(log + starts[i], lengths[i]);
}
