/* Tokenizer: see the header for the definition of a word. */
#include "text/tokens.h"

#include "text/marks.h"
#include "text/unicode.h"

enum { BLOCKS = TOKEN_WINDOW / 64, FOLDED_SPACE = TOKEN_MOST + 16, EDGES_AT_ONCE = 8 };

/* ---- tokens ---------------------------------------------------------------------------------- */

/* Sixteen bytes of ones and sixteen zeros. From byte 16 - n on, there are n bytes of ones followed
 * by zeros. */
static const char ones[2 * TOKEN_KEY] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1};

static inline uint64_t load(const char *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

Token clv_token_of(HashKey by, const char *text, size_t length)
{
    Token token = {.text = text, .length = (uint32_t)length};

    memcpy(token.key, text, length < TOKEN_KEY ? length : TOKEN_KEY);
    token.hash = clv_token_hash(by, token.key, text, length);
    return token;
}

/* Adds the word at the end of the folded text. A long word stays there. */
static void add_folded(Tokens *tokens, size_t length)
{
    char *text = tokens->folded + tokens->folded_size;

    memset(text + length, 0, 8);
    tokens->token[tokens->count++] = clv_token_of(tokens->hash_key, text, length);
    if (length > TOKEN_KEY)
        tokens->folded_size += length + 8;
}

/* ---- any characters -------------------------------------------------------------------------- */

enum { NO_JOINER = 0 };

static bool is_digit(uint32_t c)
{
    return c - '0' < 10;
}

/* Returns the character to write for a joiner, or NO_JOINER. */
static uint32_t joiner(uint32_t character, uint32_t before)
{
    if (character == '\'' || character == 0x2019)
        return '\'';
    return character == '.' || (character == ',' && is_digit(before)) ? character : NO_JOINER;
}

/* The current word: its bytes so far, and whether it is too long. */
typedef struct {
    char *text;
    size_t length;
    bool cut;
} Writing;

static void write_character(Writing *writing, uint32_t character)
{
    char bytes[4];
    size_t size = clv_put_character(character, bytes);

    writing->cut = writing->cut || writing->length + size > TOKEN_MOST;
    if (writing->cut)
        return;
    memcpy(writing->text + writing->length, bytes, size);
    writing->length += size;
}

/* Returns whether a word continues after a joiner, at p. */
static bool goes_on(const char *p, const char *stop, uint32_t joining)
{
    uint32_t next;

    if (p == stop)
        return false;
    next = clv_character(&p, stop);
    return joining == ',' ? is_digit(next) : clv_character_kind(next) == CHARACTER_LETTER;
}

/* Reads the next word by characters into writing->text and advances *at. If there is no word, the
 * length is 0. */
static void walk_word(const char **at, const char *stop, bool keep_case, Writing *writing)
{
    uint32_t before = 0;

    while (*at < stop) {
        const char *start = *at;
        uint32_t character = clv_character(at, stop), joining;
        CharacterKind kind = clv_character_kind(character);

        if (kind == CHARACTER_FORMAT || (kind == CHARACTER_MARK && writing->length == 0)) {
            before = character;
            continue;
        }
        if (kind == CHARACTER_LETTER || kind == CHARACTER_MARK) {
            write_character(writing, keep_case ? character : clv_fold_character(character));
            before = character;
            continue;
        }
        if (writing->length == 0) {
            if (kind == CHARACTER_OTHER)
                continue;
            write_character(writing, character);
            return;
        }
        joining = joiner(character, before);
        if (joining == NO_JOINER || !goes_on(*at, stop, joining)) {
            *at = start;
            return;
        }
        write_character(writing, joining);
        before = character;
    }
}

static inline bool has_space(const Tokens *tokens)
{
    return tokens->count + 1 < TOKEN_BATCH && tokens->folded_size + FOLDED_SPACE <= TOKEN_FOLDED;
}

/* Reads words by characters until one ends at or after the limit; returns that end. */
static const char *walk(Tokens *tokens, const char *at, const char *limit, const char *stop)
{
    while (at < limit && has_space(tokens)) {
        Writing writing = {.text = tokens->folded + tokens->folded_size};

        walk_word(&at, stop, tokens->keep_case, &writing);
        if (writing.length)
            add_folded(tokens, writing.length);
    }
    return at;
}

/* ---- ASCII ----------------------------------------------------------------------------------- */

static const uint64_t small =
    0x2020202020202020u; /* turns letters to lower case, and keeps digits, points and apostrophes */

static void add_long(Tokens *tokens, const char *text, size_t length, uint64_t fold)
{
    char *folded = tokens->folded + tokens->folded_size;

    if (length > TOKEN_MOST)
        length = TOKEN_MOST;
    for (size_t i = 0; i < length; i++)
        folded[i] = (char)(text[i] | (char)fold);
    add_folded(tokens, length);
}

/* Makes the token of an ASCII word no longer than a key; limit: number of readable bytes. */
static inline void make_short(Token *token, HashKey by, const char *text, size_t length,
                              size_t capacity, uint64_t fold)
{
    uint64_t key[2] = {0};

    if (capacity >= TOKEN_KEY) {
        key[0] = load(text);
        key[1] = load(text + 8);
    } else {
        memcpy(key, text, length);
    }
    token->key[0] = key[0] = (key[0] | fold) & load(ones + TOKEN_KEY - length);
    token->key[1] = key[1] = (key[1] | fold) & load(ones + TOKEN_KEY - length + 8);
    token->length = (uint32_t)length;
    token->hash = clv_token_hash(by, key, NULL, length);
}

/* Makes the token of an ASCII word. */
static inline void add_plain(Tokens *tokens, const char *text, size_t length, size_t capacity,
                             uint64_t fold)
{
    if (length > TOKEN_KEY)
        add_long(tokens, text, length, fold);
    else
        make_short(&tokens->token[tokens->count++], tokens->hash_key, text, length, capacity, fold);
}

/* ---- windows --------------------------------------------------------------------------------- */

typedef struct {
    size_t size; /* size in bytes */
    size_t blocks;
    bool any_high;
    Marks marks[BLOCKS];
    uint16_t edge[TOKEN_WINDOW + 2 +
                  EDGES_AT_ONCE]; /* starts and ends of words, alternating, with spare entries */
    size_t edges;
} Window;

static void mark(Window *window, const char *text)
{
    FindMarks find = clv_marks_finder();
    size_t whole = window->size / 64, rest = window->size % 64;

    find(text, whole, window->marks);
    window->blocks = whole;
    if (rest) {
        char last[64] = {0};

        memcpy(last, text + 64 * whole, rest);
        find(last, 1, &window->marks[window->blocks++]);
    }
}

/* Returns the bits of a whose predecessor is in b and whose successor is in c, across blocks. */
static inline uint64_t between(uint64_t a, uint64_t b, uint64_t b_before, uint64_t c,
                               uint64_t c_behind)
{
    return a & (b << 1 | b_before >> 63) & (c >> 1 | c_behind << 63);
}

static inline unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (unsigned)(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Writes the positions of the set bits, plus `first`, and returns the end. Several are written at a
 * time, with garbage after the last: a loop that ends at the last bit is mispredicted in most
 * blocks. */
static inline uint16_t *put_bits(uint16_t *to, uint64_t bits, unsigned first)
{
    const unsigned count = count_bits(bits);

    for (unsigned done = 0; done < count; done += EDGES_AT_ONCE)
#pragma GCC unroll 8
        for (unsigned i = 0; i < EDGES_AT_ONCE; i++) {
            to[done + i] = (uint16_t)(first + (unsigned)__builtin_ctzll(bits | (uint64_t)1 << 63));
            bits &= bits - 1;
        }
    return to + count;
}

static void find_edges(Window *window)
{
    uint64_t words_before = 0, digits_before = 0, run_before = 0, high = 0;
    uint16_t *edge = window->edge;

    for (size_t i = 0; i < window->blocks; i++) {
        const Marks *marks = &window->marks[i];
        uint64_t words = marks->word | marks->high, run = words, changes;

        high |= marks->high;
        if (marks->joiner | marks->comma) {
            bool more = i + 1 < window->blocks;
            uint64_t words_behind = more ? window->marks[i + 1].word | window->marks[i + 1].high
                                         : 0;

            run |= between(marks->joiner, words, words_before, words, words_behind);
            run |= between(marks->comma, marks->digit, digits_before, marks->digit,
                           more ? window->marks[i + 1].digit : 0);
        }
        changes = run ^ (run << 1 | run_before >> 63);
        edge = put_bits(edge, changes, 64 * (unsigned)i);
        words_before = words;
        digits_before = marks->digit;
        run_before = run;
    }
    if ((edge - window->edge) % 2)
        *edge++ = (uint16_t)window->size;
    window->edges = (size_t)(edge - window->edge);
    window->any_high = high != 0;
}

static bool has_high(const Window *window, size_t start, size_t end)
{
    for (size_t block = start / 64; block <= (end - 1) / 64; block++) {
        uint64_t high = window->marks[block].high;

        if (block == start / 64)
            high &= UINT64_MAX << start % 64;
        if (block == (end - 1) / 64)
            high &= UINT64_MAX >> (63 - (end - 1) % 64);
        if (high)
            return true;
    }
    return false;
}

/* Adds the first words of an ASCII window to an empty batch, which has space for all words of a
 * window. The number of tokens is kept in a register, because each word depends on it. */
static void add_all_plain(Tokens *tokens, const Window *window, size_t words, const char *text,
                          size_t left, uint64_t fold)
{
    const uint16_t *edge = window->edge;
    const HashKey by = tokens->hash_key;
    size_t count = 0;

    for (; count < words; count++, edge += 2) {
        size_t start = edge[0], length = edge[1] - start;

        if (length > TOKEN_KEY) {
            tokens->count = count;
            add_long(tokens, text + start, length, fold);
        } else {
            make_short(&tokens->token[count], by, text + start, length, left - start, fold);
        }
    }
    tokens->count = count;
}

/* Adds the complete words of the window; returns the position after them. */
static const char *take_window(Tokens *tokens, Window *window, const char *text, const char *stop)
{
    size_t left = (size_t)(stop - text);
    uint64_t fold = tokens->keep_case ? 0 : small;
    const char *end_of_window;
    size_t i = 0;

    window->size = left < TOKEN_WINDOW ? left : TOKEN_WINDOW;
    end_of_window = text + window->size;
    mark(window, text);
    find_edges(window);
    if (!window->any_high && window->edges > 0) {
        i = window->edges -
            2 * (window->edge[window->edges - 1] + 1u >= window->size && window->size < left);
        add_all_plain(tokens, window, i / 2, text, left, fold);
    }
    for (; i < window->edges; i += 2) {
        size_t start = window->edge[i], end = window->edge[i + 1];

        /* A word that may continue in the next window (its last byte may be a joiner) is left to
         * that window, or read by characters if it fills this one. */
        if (end + 1 >= window->size && window->size < left)
            return start > 0 ? text + start : walk(tokens, text, end_of_window, stop);
        if (!has_space(tokens))
            return text + start;
        if (window->any_high && has_high(window, start, end)) {
            const char *at = walk(tokens, text + start, text + end, text + end);

            if (at < text + end)
                return at;
        } else {
            add_plain(tokens, text + start, end - start, left - start, fold);
        }
    }
    return end_of_window;
}

bool clv_tokens_take(Tokens *tokens, const char **at, const char *stop)
{
    Window window;

    tokens->count = tokens->folded_size = 0;
    while (*at < stop && tokens->count == 0)
        *at = take_window(tokens, &window, *at, stop);
    return tokens->count > 0;
}
