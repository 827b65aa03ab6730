/* marks.h for AVX2: compiled with -mavx2, and empty on other machines. */
#ifdef __AVX2__
#include "text/marks.h"

#include <immintrin.h>

/* Sets all bits of each byte in a range of `count` values from `low` on. */
static inline __m256i within(__m256i bytes, char low, char count)
{
    __m256i moved = _mm256_add_epi8(bytes, _mm256_set1_epi8((char)(INT8_MIN - low)));

    return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(INT8_MIN + count)), moved);
}

static inline uint64_t bits(__m256i bytes)
{
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

static inline Marks half(const char *text)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i digit = within(bytes, '0', 10);
    __m256i letter = within(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), 'a', 26);
    __m256i joiner = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.')),
                                     _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\'')));

    return (Marks){.word = bits(_mm256_or_si256(letter, digit)),
                   .high = bits(bytes),
                   .digit = bits(digit),
                   .joiner = bits(joiner),
                   .comma = bits(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(',')))};
}

void clv_marks_avx2(const char *text, size_t blocks, Marks *marks)
{
    for (size_t i = 0; i < blocks; i++) {
        Marks low = half(text + 64 * i), high = half(text + 64 * i + 32);

        marks[i] = (Marks){.word = low.word | high.word << 32,
                           .high = low.high | high.high << 32,
                           .digit = low.digit | high.digit << 32,
                           .joiner = low.joiner | high.joiner << 32,
                           .comma = low.comma | high.comma << 32};
    }
}
#else
typedef int NoAvx2;
#endif
