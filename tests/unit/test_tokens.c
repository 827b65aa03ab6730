/* The definition of words: a table of cases, and the batches against a plain walk over characters;
 * both forms of the masks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "text/marks.h"
#include "text/tokens.h"
#include "text/unicode.h"

/* ---- examples -------------------------------------------------------------------------------- */

/* Writes the words of a text to `out`, separated by bars. The text ends where its memory ends. */
static void split(const char *text, size_t size, bool keep_case, char *out)
{
    Tokens *tokens = malloc(sizeof *tokens);
    char *copy = malloc(size ? size : 1);
    const char *at = copy;
    size_t used = 0;

    assert_non_null(tokens);
    assert_non_null(copy);
    memcpy(copy, text, size);
    tokens->keep_case = keep_case;
    tokens->hash_key = (HashKey){size, 7};
    while (clv_tokens_take(tokens, &at, copy + size))
        for (size_t i = 0; i < tokens->count; i++) {
            const Token *token = &tokens->token[i];

            if (used)
                out[used++] = '|';
            assert_in_range(token->length, 1, TOKEN_MOST);
            memcpy(out + used, token_text(token), token->length);
            used += token->length;
            assert_int_equal(token->hash, clv_token_hash(tokens->hash_key, token->key, token->text,
                                                         token->length));
        }
    out[used] = '\0';
    free(copy);
    free(tokens);
}

static void check(const char *text, const char *expected)
{
    char found[4096];

    split(text, strlen(text), false, found);
    assert_string_equal(found, expected);
}

static void words_of_many_scripts(void **state)
{
    (void)state;
    check("", "");
    check(" .,'-- ", "");
    check("Don't stop 'quoting' O'Neil's 42nd rock-n-roll snake_case",
          "don't|stop|quoting|o'neil's|42nd|rock|n|roll|snake|case");
    check("it's'' a''b x' 'y", "it's|a|b|x|y");
    check("mail joe@cs.cmu.edu. U.S.A. v1.0 3.14 1,000,000 a,b 1, 2",
          "mail|joe|cs.cmu.edu|u.s.a|v1.0|3.14|1,000,000|a|b|1|2");
    check("a..b .c d. 1,a a,1", "a|b|c|d|1|a|a|1");
    check("\u00C4rger NA\u00CFVE stra\u00DFe STRA\u1E9EE",
          "\u00E4rger|na\u00EFve|stra\u00DFe|stra\u00DFe");
    check("\u0130stanbul \u0178 \u0141\u00F3d\u017A \u1EA0",
          "istanbul|\u00FF|\u0142\u00F3d\u017A|\u1EA1");
    check("\u039F\u0394\u039F\u03A3 \u03BF\u03B4\u03BF\u03C2",
          "\u03BF\u03B4\u03BF\u03C3|\u03BF\u03B4\u03BF\u03C3");
    check("\u041C\u043E\u0441\u043A\u0432\u0410, \u0401\u043B\u043A\u0430\u2026",
          "\u043C\u043E\u0441\u043A\u0432\u0430|\u0451\u043B\u043A\u0430");
    check("\u0531\u0580\u0565\u0587 \u10D0\u10D1 \U00010400",
          "\u0561\u0580\u0565\u0587|\u10D0\u10D1|\U00010428");
    check("l\u2019\u00E9t\u00E9 don\u2019t \u2018ok\u2019", "l'\u00E9t\u00E9|don't|ok");
    check("cafe\u0301 \u0301x", "cafe\u0301|x");
    check("soft\u00ADhyphen zero\u200Dwidth \uFEFFmark", "softhyphen|zerowidth|mark");
    check("\u5E8A\u524D\u660E\u6708\u5149\uFF0C\u7591",
          "\u5E8A|\u524D|\u660E|\u6708|\u5149|\u7591");
    check("\u3042\u3044\u30C6\u30B9\u30C8\u4E2Dabc1",
          "\u3042|\u3044|\u30C6\u30B9\u30C8|\u4E2D|abc1");
    check("\uC548\uB155 \uC138\uC0C1", "\uC548\uB155|\uC138\uC0C1");
    check("\u0928\u092E\u0938\u094D\u0924\u0947 \u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35",
          "\u0928\u092E\u0938\u094D\u0924\u0947|\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35");
    check("\u0663\u0664 \u0627\u0644\u0639\u0631\u0628\u064A\u0629 \u05E2\u05D1",
          "\u0663\u0664|\u0627\u0644\u0639\u0631\u0628\u064A\u0629|\u05E2\u05D1");
    check("nice\U0001F600\U0001F600 \u2764\uFE0F \U0001F44D\U0001F3FD",
          "nice|\U0001F600|\U0001F600|\u2764|\U0001F44D");
    check("\u20AC5 5\u00B2 \u00BD \u00B5m a\u2014b \u00ABq\u00BB", "5|5|\u00B5m|a|b|q");
    check("\uFF21\uFF22\uFF11", "\uFF41\uFF42\uFF11");
}

static void bytes_that_are_not_utf8(void **state)
{
    (void)state;
    check("caf\xE9 CAF\xC9 \xC4rger", "caf\u00E9|caf\u00E9|\u00E4rger");
    check("don\x92t \x93quoted\x94 \x8Aok", "don't|quoted|\u0161ok");
    check("\xC3", "\u00E3");
    check("\xE2\x82 x \xF0\x9F\x98 y", "\u00E2|x|\u00F0\u00FF|y"); /* truncated */
    check("\xC0\xAF \xED\xA0\x80z", "\u00E0|\u00ED|z");            /* overlong; half a pair */
    check("\xF4\x90\x80\x80q", "\u00F4\x7C\x71");                  /* above the last character */
}

static void case_can_be_kept(void **state)
{
    char found[256];

    (void)state;
    split("The THE \u00C4 caf\xC9 \u03C2 MoreThanSixteenLetters",
          strlen("The THE \u00C4 caf\xC9 \u03C2 MoreThanSixteenLetters"), true, found);
    assert_string_equal(found, "The|THE|\u00C4|caf\u00C9|\u03C2|MoreThanSixteenLetters");
}

static void long_words_are_cut(void **state)
{
    char text[9000], found[256];

    (void)state;
    for (unsigned lead = 0; lead < 4;
         lead++) { /* the cut divides a letter of three bytes at every position */
        memset(text, 'x', lead);
        for (unsigned i = 0; i < 40; i++)
            memcpy(text + lead + 3 * i, "\u30C6", 3);
        memcpy(text + lead + 120, " y", 2);
        split(text, lead + 122, false, found);
        assert_int_equal(strcspn(found, "|"), lead + (64 - lead) / 3 * 3);
        assert_string_equal(strchr(found, '|'), "|y");
    }
    for (size_t size = 17; size < 9000; size = size * 5 / 4) {
        memset(text, 'A', size);
        split(text, size, false, found);
        assert_int_equal(strlen(found), size < 64 ? size : 64);
        assert_int_equal(strspn(found, "a"), strlen(found));
    }
}

/* ---- against a plain walk -------------------------------------------------------------------- */

static bool is_letter(const uint32_t *c, size_t i, size_t count)
{
    return i < count && clv_character_kind(c[i]) == CHARACTER_LETTER;
}

static bool is_digit(const uint32_t *c, size_t i, size_t count)
{
    return i < count && c[i] >= '0' && c[i] <= '9';
}

/* The rule of tokens.h over decoded characters; words as split() gives them. */
static void plain_split(const char *text, size_t size, char *out)
{
    uint32_t *c = malloc((size + 1) * sizeof *c), before = 0;
    size_t count = 0, used = 0, length = 0;
    bool open = false, cut = false;
    const char *at = text;

    assert_non_null(c);
    while (at < text + size) {
        uint32_t next = clv_character(&at, text + size);

        c[count++] = next;
    }
    for (size_t i = 0; i < count; i++) {
        CharacterKind kind = clv_character_kind(c[i]);
        uint32_t put = 0;

        if (kind == CHARACTER_FORMAT) {
            before = c[i];
            continue;
        }
        if (kind == CHARACTER_LETTER || (kind == CHARACTER_MARK && open))
            put = clv_fold_character(c[i]);
        else if (open && (c[i] == '\'' || c[i] == 0x2019) && is_letter(c, i + 1, count))
            put = '\'';
        else if (open && c[i] == '.' && is_letter(c, i + 1, count))
            put = '.';
        else if (open && c[i] == ',' && before >= '0' && before <= '9' && is_digit(c, i + 1, count))
            put = ',';
        before = c[i];
        if (put || kind == CHARACTER_ALONE) {
            char bytes[4];
            size_t more = clv_put_character(put ? put : c[i], bytes);

            if (!open || !put) {
                if (used)
                    out[used++] = '|';
                length = 0;
                cut = false;
            }
            open = put != 0;
            cut = cut || length + more > TOKEN_MOST;
            if (!cut) {
                memcpy(out + used, bytes, more);
                used += more;
                length += more;
            }
        } else {
            open = false;
        }
    }
    out[used] = '\0';
    free(c);
}

static void the_same_as_by_characters(const char *text, size_t size)
{
    static char found[64 << 10], plain[64 << 10];

    split(text, size, false, found);
    plain_split(text, size, plain);
    assert_string_equal(found, plain);
}

static void random_texts(void **state)
{
    static const char *const pieces[] = {"a",
                                         "Zq",
                                         "0",
                                         "7",
                                         "'",
                                         ".",
                                         ",",
                                         " ",
                                         "\n",
                                         "-",
                                         "\xE9",
                                         "\x92",
                                         "\xC3",
                                         "\u00E9",
                                         "\u2019",
                                         "\u4E2D",
                                         "\u0301",
                                         "\u00AD",
                                         "\u0416",
                                         "\u30C6",
                                         "\u2014",
                                         "\U0001F600",
                                         "someverylongword",
                                         "\xF0\x9F"};
    Random random = clv_random(1, 0);
    char text[6000];

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        size_t size = 0, target = clv_random_below(&random, round % 10 ? 300 : 5000);
        unsigned kinds = 2 + clv_random_below(&random, 22),
                 from = clv_random_below(&random, 24 - kinds + 1);

        while (size < target) {
            const char *piece = pieces[from + clv_random_below(&random, kinds)];

            memcpy(text + size, piece, strlen(piece));
            size += strlen(piece);
        }
        the_same_as_by_characters(text, size);
    }
}

/* Windows of words of equal length, from the shortest to those whose text is stored separately. */
static void windows_full_of_words(void **state)
{
    char text[3 * TOKEN_WINDOW];

    (void)state;
    for (size_t length = 1; length <= TOKEN_KEY + 4; length++)
        for (size_t size = sizeof text - 2 * length; size <= sizeof text; size++) {
            for (size_t i = 0; i < size; i++)
                text[i] = i % (length + 1) < length ? (char)('a' + i % 26) : ' ';
            the_same_as_by_characters(text, size);
        }
}

static void random_bytes(void **state)
{
    Random random = clv_random(2, 0);
    char text[5000];

    (void)state;
    for (unsigned round = 0; round < 1000; round++) {
        size_t size = clv_random_below(&random, round % 10 ? 200 : sizeof text);

        for (size_t i = 0; i < size; i++)
            text[i] = (char)clv_random_below(&random, round % 2 ? 256 : 128);
        the_same_as_by_characters(text, size);
    }
}

static void masks_are_the_same(void **state)
{
    Random random = clv_random(3, 0);
    char text[64 * 5];
    Marks one[5], other[5];

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (char)(round == 0 ? i : clv_random_below(&random, 256));
        clv_marks_plain(text, 5, one);
        clv_marks_finder()(text, 5, other);
        assert_memory_equal(one, other, sizeof one);
        for (size_t i = 0; i < 64; i++) {
            unsigned char c = (unsigned char)text[i];

            assert_int_equal(one[0].high >> i & 1, c >= 0x80);
            assert_int_equal(one[0].digit >> i & 1, c >= '0' && c <= '9');
            assert_int_equal(one[0].word >> i & 1,
                             (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'));
            assert_int_equal(one[0].joiner >> i & 1, c == '\'' || c == '.');
            assert_int_equal(one[0].comma >> i & 1, c == ',');
        }
    }
}

static void every_character_comes_back(void **state)
{
    (void)state;
    for (uint32_t c = 0x80; c < 0x110000; c++) {
        char bytes[4];
        const char *at = bytes;
        size_t size = clv_put_character(c, bytes);

        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        assert_int_equal(clv_character(&at, bytes + size), c);
        assert_ptr_equal(at, bytes + size);
        assert_int_equal(clv_fold_character(clv_fold_character(c)), clv_fold_character(c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_many_scripts), cmocka_unit_test(bytes_that_are_not_utf8),
        cmocka_unit_test(case_can_be_kept),      cmocka_unit_test(long_words_are_cut),
        cmocka_unit_test(random_texts),          cmocka_unit_test(random_bytes),
        cmocka_unit_test(masks_are_the_same),    cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(windows_full_of_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
