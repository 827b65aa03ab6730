/*
 * libsvm_run.h for AVX2 and BMI2: compiled with -mavx2 -mbmi -mbmi2, and empty on other machines.
 *
 * A mask of 64 bytes gives the starts and ends of several features (as in simdjson: Langdale and
 * Lemire 2019), so that they are parsed independently. Their digits are packed into words with
 * leading zeros; the words of eight features are checked and converted together. The value is the
 * product of the same two doubles as in clv_parse_short_float. Values too close to the midpoint of
 * two floats are left to libsvm.c.
 */
#ifdef __AVX2__
#include "base/number.h"
#include "data/block.h"
#include "read/libsvm_run.h"

#include <immintrin.h>

enum { LANES = RUN_SPARE };

typedef struct {
    _Alignas(32) uint64_t index[LANES];
    uint64_t digits[LANES]; /* digits of the value, without the point */
    double unit[LANES];     /* exponent of the last digit */
} Staged;

static const double units[2][9] = {{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8},
                                   {-1, -1e-1, -1e-2, -1e-3, -1e-4, -1e-5, -1e-6, -1e-7, -1e-8}};

/* Finds the bytes of 64 that cannot be part of a number: blanks, other control bytes, ':' and
 * larger bytes. */
static inline uint64_t find_stops(const char *text)
{
    const __m256i shift = _mm256_set1_epi8((char)(INT8_MIN - '!')),
                  most = _mm256_set1_epi8(INT8_MIN + '9' - '!');
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(text + 32));

    low = _mm256_cmpgt_epi8(_mm256_add_epi8(low, shift), most);
    high = _mm256_cmpgt_epi8(_mm256_add_epi8(high, shift), most);
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

/* Returns the first count (1 … 8) bytes, minus '0', at the top of a word. */
static inline uint64_t top_bytes(const char *text, size_t count)
{
    uint64_t bytes;

    memcpy(&bytes, text, sizeof bytes);
    return (bytes ^ 0x3030303030303030u) << ((64 - 8 * count) % 64);
}

/* Splits the feature from text to end at its colon. Returns false if it is not in plain spelling.
 * Digits are checked later. */
static inline bool stage(Staged *staged, size_t lane, const char *text, const char *colon,
                         const char *end)
{
    size_t length = (size_t)(colon - text), decimals = 0;
    const char *value = colon + 1;
    bool negative;
    uint64_t digits;

    if (length - 1 > 6 || *colon != ':')
        return false;
    staged->index[lane] = top_bytes(text, length);
    negative = *value == '-';
    value += negative;
    length = (size_t)(end - value);
    if (value[1] == '.') {
        uint64_t first = (unsigned char)(*value ^ '0');

        decimals = length - 2;
        if (decimals - 1 > 7 || (decimals == 8 && first != 0))
            return false;
        digits = top_bytes(value + 2, decimals) | (first << 55) >> (8 * decimals - 1);
    } else {
        if (length - 1 > 7)
            return false;
        digits = top_bytes(value, length);
    }
    staged->digits[lane] = digits;
    staged->unit[lane] = units[negative][decimals];
    return true;
}

/* Converts eight numbers of eight digits each; *largest becomes the largest byte at each
 * position. */
static inline __m256i make_numbers(const uint64_t words[LANES], __m256i *largest)
{
    const __m256i tens = _mm256_set1_epi16(0x010A), hundreds = _mm256_set1_epi32(0x00010064);
    const __m256i ten_thousands = _mm256_set1_epi32(0x00012710);
    __m256i low = _mm256_load_si256((const __m256i *)(const void *)words);
    __m256i high = _mm256_load_si256((const __m256i *)(const void *)(words + 4));

    *largest = _mm256_max_epu8(*largest, _mm256_max_epu8(low, high));
    low = _mm256_madd_epi16(_mm256_maddubs_epi16(low, tens), hundreds);
    high = _mm256_madd_epi16(_mm256_maddubs_epi16(high, tens), hundreds);
    return _mm256_madd_epi16(_mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xD8),
                             ten_thousands);
}

/* Finds the lanes whose value is too close to the midpoint of two floats, as in
 * clv_parse_short_float. The order of lanes does not matter. */
static inline __m256i too_near(__m256d low, __m256d high)
{
    __m256i bits = _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high), 0x88));

    bits = _mm256_add_epi32(bits, _mm256_set1_epi32(8 - 0x10000000));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(17),
                              _mm256_and_si256(bits, _mm256_set1_epi32(0x1FFFFFFF)));
}

/* The difference of each index from its predecessor. */
static inline __m256i make_steps(__m256i index, int32_t last)
{
    __m256i before = _mm256_permutevar8x32_epi32(index, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));

    before = _mm256_blend_epi32(before, _mm256_set1_epi32(last), 1);
    return _mm256_sub_epi32(index, before);
}

/* Writes the first `count` staged features. Returns false, without an effect, if one is invalid.
 * Further lanes contain old features, which have valid digits. */
static inline bool take(FeatureRun *run, const Staged *staged, size_t count)
{
    const __m256i least_step = _mm256_setzero_si256(), too_long = _mm256_set1_epi32(FILLER_GAP + 1);
    __m256i largest = _mm256_setzero_si256(), wrong;
    __m256i index = make_numbers(staged->index, &largest),
            digits = make_numbers(staged->digits, &largest);
    __m256i step = make_steps(index, run->last), fine;
    __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(digits));
    __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(digits, 1));
    uint32_t last[LANES], all = (1u << count) - 1;

    low = _mm256_mul_pd(low, _mm256_load_pd(staged->unit));
    high = _mm256_mul_pd(high, _mm256_load_pd(staged->unit + 4));
    wrong = _mm256_or_si256(too_near(low, high), _mm256_subs_epu8(largest, _mm256_set1_epi8(9)));
    fine = _mm256_and_si256(_mm256_cmpgt_epi32(step, least_step),
                            _mm256_cmpgt_epi32(too_long, step));
    fine = _mm256_andnot_si256(_mm256_cmpeq_epi32(digits, _mm256_setzero_si256()), fine);
    if (!_mm256_testz_si256(wrong, wrong) ||
        (~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(fine)) & all) != 0)
        return false;
    _mm_storeu_ps(run->value + run->count, _mm256_cvtpd_ps(low));
    _mm_storeu_ps(run->value + run->count + 4, _mm256_cvtpd_ps(high));
    step = _mm256_permute4x64_epi64(_mm256_packus_epi32(step, step), 0xD8);
    _mm_storeu_si128((__m128i *)(void *)(run->gap + run->count), _mm256_castsi256_si128(step));
    _mm256_storeu_si256((__m256i *)(void *)last, index);
    run->last = (int32_t)last[count - 1];
    run->count += count;
    return true;
}

/* Splits up to eight features from text on. Returns the start of the next feature, or the position
 * where there is none. */
static inline const char *stage_many(Staged *staged, const char *text, size_t *count)
{
    const char *window = text;
    uint64_t stops = find_stops(text);

    for (*count = 0; *count < LANES;) {
        uint64_t more = _blsr_u64(stops);
        const char *colon = window + _tzcnt_u64(stops), *end = window + _tzcnt_u64(more);

        if (more == 0 &&
            text > window) { /* the feature extends beyond the window: start another window here */
            window = text;
            stops = find_stops(text);
            continue;
        }
        if (!stage(staged, *count, text, colon, end))
            return text;
        if (*end != ' ') {
            /* and the value has no exponent */
            bool ends = *end == '\n' || *end == '\r' || *end == '\t';

            *count += ends;
            return ends ? end : text;
        }
        ++*count;
        text = end + 1;
        stops = _blsr_u64(more);
    }
    return text;
}

void clv_libsvm_take_avx2(FeatureRun *run)
{
    Staged staged = {0};
    size_t count;

    do {
        const char *next = stage_many(&staged, run->text, &count);

        if (count == 0 || !take(run, &staged, count))
            return;
        run->text = next;
    } while (count == LANES);
}
#else
typedef int NoAvx2;
#endif
