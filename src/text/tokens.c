/* Words of a text: see the header for what a word is. */
#include "text/tokens.h"

#include "text/marks.h"
#include "text/unicode.h"

enum { BLOCKS = TOKEN_WINDOW / 64, FOLDED_ROOM = TOKEN_MOST + 16 };

/* ---- tokens ------------------------------------------------------------------------------------------------------- */

/* Sixteen ones and sixteen zeros: from 16 - n on, n bytes of ones and then zeros. */
static const char ones[2 * TOKEN_KEY] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

static inline uint64_t load(const char *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

Token clv_token_of(const char *text, size_t length)
{
    Token token = {.text = text, .length = (uint32_t)length};

    memcpy(token.key, text, length < TOKEN_KEY ? length : TOKEN_KEY);
    token.hash = clv_token_hash(token.key, text, length);
    return token;
}

/* A word that stands at the end of the folded ones: a long one stays there. */
static void add_folded(Tokens *tokens, size_t length)
{
    char *text = tokens->folded + tokens->folded_size;

    memset(text + length, 0, 8);
    tokens->token[tokens->count++] = clv_token_of(text, length);
    if (length > TOKEN_KEY)
        tokens->folded_size += length + 8;
}

/* ---- any characters ----------------------------------------------------------------------------------------------- */

enum { NO_JOINER = 0 };

static bool is_digit(uint32_t c)
{
    return c - '0' < 10;
}

/* What the character joins as: the character to write, or NO_JOINER. */
static uint32_t joiner(uint32_t character, uint32_t before)
{
    if (character == '\'' || character == 0x2019)
        return '\'';
    return character == '.' || (character == ',' && is_digit(before)) ? character : NO_JOINER;
}

/* The word under way: its bytes so far, and whether it has become too long. */
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

/* Whether a word goes on behind a joiner, at p. */
static bool goes_on(const char *p, const char *stop, uint32_t joining)
{
    uint32_t next;

    if (p == stop)
        return false;
    next = clv_character(&p, stop);
    return joining == ',' ? is_digit(next) : clv_character_kind(next) == CHARACTER_LETTER;
}

/* The next word, by characters: to writing->text, and *at behind it. A length of 0: there is none. */
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

static inline bool has_room(const Tokens *tokens)
{
    return tokens->count + 1 < TOKEN_BATCH && tokens->folded_size + FOLDED_ROOM <= TOKEN_FOLDED;
}

/* Words by characters until one ends at the limit or behind it; where that is. */
static const char *walk(Tokens *tokens, const char *at, const char *limit, const char *stop)
{
    while (at < limit && has_room(tokens)) {
        Writing writing = {.text = tokens->folded + tokens->folded_size};

        walk_word(&at, stop, tokens->keep_case, &writing);
        if (writing.length)
            add_folded(tokens, writing.length);
    }
    return at;
}

/* ---- ASCII -------------------------------------------------------------------------------------------------------- */

static const uint64_t small = 0x2020202020202020u; /* makes letters small and leaves digits, points and apostrophes */

static void add_long(Tokens *tokens, const char *text, size_t length, uint64_t fold)
{
    char *folded = tokens->folded + tokens->folded_size;

    if (length > TOKEN_MOST)
        length = TOKEN_MOST;
    for (size_t i = 0; i < length; i++)
        folded[i] = (char)(text[i] | (char)fold);
    add_folded(tokens, length);
}

/* A word of ASCII alone; room: bytes that can be read. */
static inline void add_plain(Tokens *tokens, const char *text, size_t length, size_t room, uint64_t fold)
{
    Token *token = &tokens->token[tokens->count];
    uint64_t key[2] = {0};

    if (length > TOKEN_KEY) {
        add_long(tokens, text, length, fold);
        return;
    }
    if (room >= TOKEN_KEY) {
        key[0] = load(text);
        key[1] = load(text + 8);
    } else {
        memcpy(key, text, length);
    }
    token->key[0] = key[0] = (key[0] | fold) & load(ones + TOKEN_KEY - length);
    token->key[1] = key[1] = (key[1] | fold) & load(ones + TOKEN_KEY - length + 8);
    token->length = (uint32_t)length;
    token->hash = clv_token_hash(key, NULL, length);
    tokens->count++;
}

/* ---- windows ------------------------------------------------------------------------------------------------------ */

typedef struct {
    size_t size; /* bytes */
    size_t blocks;
    bool any_high;
    Marks marks[BLOCKS];
    uint16_t edge[TOKEN_WINDOW + 2]; /* where words begin and end, in turn */
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

/* The bits of a that have the bit before them in b, and the one behind in c, over the borders of blocks. */
static inline uint64_t between(uint64_t a, uint64_t b, uint64_t b_before, uint64_t c, uint64_t c_behind)
{
    return a & (b << 1 | b_before >> 63) & (c >> 1 | c_behind << 63);
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
            uint64_t words_behind = more ? window->marks[i + 1].word | window->marks[i + 1].high : 0;

            run |= between(marks->joiner, words, words_before, words, words_behind);
            run |= between(marks->comma, marks->digit, digits_before, marks->digit,
                           more ? window->marks[i + 1].digit : 0);
        }
        changes = run ^ (run << 1 | run_before >> 63);
        for (; changes; changes &= changes - 1)
            *edge++ = (uint16_t)(64 * i + (size_t)__builtin_ctzll(changes));
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

/* Takes what is whole in the window; where to go on. */
static const char *take_window(Tokens *tokens, Window *window, const char *text, const char *stop)
{
    size_t left = (size_t)(stop - text);
    uint64_t fold = tokens->keep_case ? 0 : small;
    const char *end_of_window;

    window->size = left < TOKEN_WINDOW ? left : TOKEN_WINDOW;
    end_of_window = text + window->size;
    mark(window, text);
    find_edges(window);
    for (size_t i = 0; i < window->edges; i += 2) {
        size_t start = window->edge[i], end = window->edge[i + 1];

        /* One that may go on in the next window (its last byte may be a joiner there) is left to that, or walked if it fills this. */
        if (end + 1 >= window->size && window->size < left)
            return start > 0 ? text + start : walk(tokens, text, end_of_window, stop);
        if (!has_room(tokens))
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
