#include "text/marks.h"

#include <string.h>

#define EACH(byte) (0x0101010101010101u * (byte))
#define HIGH EACH(0x80u)

/* Sets the high bit of each ASCII byte of x in low … high. */
static inline uint64_t within(uint64_t x, uint64_t low, uint64_t high)
{
    uint64_t seven = x & ~HIGH;

    return ((seven + EACH(0x80u - low)) ^ (seven + EACH(0x7Fu - high))) & HIGH & ~x;
}

/* Packs eight high bits; the first byte is the lowest bit. */
static inline uint64_t gather(uint64_t bits)
{
    return (bits >> 7) * 0x0102040810204080u >> 56;
}

/* Loads bytes so that the first is the lowest. */
static inline uint64_t load(const char *p)
{
    uint64_t bytes;

    memcpy(&bytes, p, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

void clv_marks_plain(const char *text, size_t blocks, Marks *marks)
{
    for (size_t block = 0; block < blocks; block++) {
        Marks found = {0};

        for (unsigned i = 0; i < 64; i += 8) {
            uint64_t bytes = load(text + 64 * block + i), digit = within(bytes, '0', '9');

            found.word |= gather(digit | within(bytes | EACH(0x20u), 'a', 'z')) << i;
            found.digit |= gather(digit) << i;
            found.high |= gather(bytes & HIGH) << i;
            found.joiner |= gather(within(bytes, '\'', '\'') | within(bytes, '.', '.')) << i;
            found.comma |= gather(within(bytes, ',', ',')) << i;
        }
        marks[block] = found;
    }
}

FindMarks clv_marks_finder(void)
{
#ifdef CLEAVE_X86_KERNELS
    if (__builtin_cpu_supports("avx2"))
        return clv_marks_avx2;
#endif
    return clv_marks_plain;
}
