#include "text/html.h"

#include "text/charset.h"
#include "text/unicode.h"

#include <strings.h>

/* State of one page. A failed search up to the end is not repeated, so that for any page each byte
 * is visited a bounded number of times. */
typedef struct {
    Context *context;
    Buffer *text;
    const char *at, *stop;
    bool no_more_tags;  /* no further '>' follows */
    bool open_quote[2]; /* an unclosed " or ' follows: quotes are ignored from here on */
} Page;

static bool is_letter(char c)
{
    return (unsigned)((c | 0x20) - 'a') < 26;
}

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t left(const Page *page)
{
    return (size_t)(page->stop - page->at);
}

static bool begins(const Page *page, const char *word)
{
    size_t length = strlen(word);

    return left(page) >= length && strncasecmp(page->at, word, length) == 0;
}

static Status add(Page *page, const char *bytes, size_t size, cleave_error *error)
{
    return clv_buffer_add(page->context, page->text, bytes, size, error);
}

/* ---- entities -------------------------------------------------------------------------------- */

/* Names of Latin-1 characters from 160 on, in order; then other names that occur in mail. */
static const char *const latin_entities[96] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml",
};
static const struct {
    const char *name;
    uint32_t character;
} other_entities[] = {
    {"amp", '&'},       {"lt", '<'},       {"gt", '>'},       {"quot", '"'},     {"apos", '\''},
    {"euro", 0x20AC},   {"OElig", 0x152},  {"oelig", 0x153},  {"Scaron", 0x160}, {"scaron", 0x161},
    {"Yuml", 0x178},    {"ndash", 0x2013}, {"mdash", 0x2014}, {"lsquo", 0x2018}, {"rsquo", 0x2019},
    {"sbquo", 0x201A},  {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"bdquo", 0x201E}, {"bull", 0x2022},
    {"hellip", 0x2026}, {"trade", 0x2122}, {"zwnj", 0x200C},  {"zwj", 0x200D},
};

static bool same_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static uint32_t named(const char *name, size_t length)
{
    for (uint32_t i = 0; i < 96; i++)
        if (same_name(latin_entities[i], name, length))
            return 160 + i;
    for (size_t i = 0; i < sizeof other_entities / sizeof *other_entities; i++)
        if (same_name(other_entities[i].name, name, length))
            return other_entities[i].character;
    return 0;
}

/* Returns the number of "&#228;" or "&#xE4;"; p is after the '#', *end after the digits. 0x110000
 * represents all larger numbers. */
static uint32_t numbered(const char *p, const char *stop, const char **end)
{
    bool hex = p < stop && (*p | 0x20) == 'x';
    uint32_t number = 0;

    p += hex;
    *end = NULL;
    for (; p < stop; p++) {
        uint32_t digit = is_digit(*p)           ? (uint32_t)(*p - '0')
                         : hex && is_letter(*p) ? (uint32_t)((*p | 0x20) - 'a' + 10)
                                                : 16;

        if (digit >= (hex ? 16u : 10u))
            break;
        number = number * (hex ? 16 : 10) + digit;
        number = number > 0x110000 ? 0x110000 : number;
        *end = p + 1;
    }
    return number >= 0x80 && number < 0xA0 ? clv_windows_1252((unsigned char)number) : number;
}

/* Called at an '&': appends the decoded character, or the '&'. */
static Status read_entity(Page *page, cleave_error *error)
{
    enum { LONGEST = 8 };
    const char *start = page->at + 1, *end = start;
    uint32_t character = 0;
    char bytes[4];

    if (start < page->stop && *start == '#') {
        character = numbered(start + 1, page->stop, &end);
        character = end && character == 0 ? 0xFFFD : character;
    } else {
        while (end < page->stop && end - start < LONGEST && (is_letter(*end) || is_digit(*end)))
            end++;
        character = named(start, (size_t)(end - start));
    }
    if (!character || !end) {
        page->at++;
        return add(page, "&", 1, error);
    }
    page->at = end < page->stop && *end == ';' ? end + 1 : end;
    if (character == 0xAD || character == 0x200C || character == 0x200D)
        return OK; /* soft hyphens and joiners do not separate words */
    return add(page, bytes,
               clv_put_character(character == 0xA0 ? ' ' : clv_sound_character(character), bytes),
               error);
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* Returns the '>' that ends the tag, after quoted values; NULL: there is none. */
static const char *end_of_tag(Page *page)
{
    char before = ' ';

    if (page->no_more_tags)
        return NULL;
    for (const char *p = page->at; p < page->stop; p++) {
        bool single = *p == '\'';

        if (*p == '>')
            return p;
        if (before == '=' && (*p == '"' || single) && !page->open_quote[single]) {
            const char *close = memchr(p + 1, *p, (size_t)(page->stop - p - 1));

            page->open_quote[single] = !close;
            p = close ? close : p;
        }
        if (!is_blank(*p))
            before = *p;
    }
    page->no_more_tags = true;
    return NULL;
}

static bool keeps_words_whole(const char *name, size_t length)
{
    static const char *const names[] = {
        "a",      "abbr", "acronym", "b",    "big", "code", "del",   "em",   "font",
        "i",      "ins",  "kbd",     "mark", "s",   "samp", "small", "span", "strike",
        "strong", "sub",  "sup",     "tt",   "u",   "var",  "wbr",   NULL};

    for (size_t i = 0; names[i]; i++)
        if (strlen(names[i]) == length && strncasecmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* Skips the content between <script> and </script>. */
static void skip_element(Page *page, const char *name)
{
    size_t length = strlen(name);

    for (;; page->at++) {
        const char *open = memchr(page->at, '<', left(page));

        page->at = open ? open : page->stop;
        if (!open || (left(page) > length + 1 && page->at[1] == '/' &&
                      strncasecmp(page->at + 2, name, length) == 0))
            return;
    }
}

/* Skips a comment; called at "<!--". */
static void skip_comment(Page *page)
{
    for (page->at += 2; page->at < page->stop; page->at++) {
        const char *dash = memchr(page->at, '-', left(page));

        page->at = dash ? dash : page->stop;
        if (left(page) >= 3 && memcmp(page->at, "-->", 3) == 0) {
            page->at += 3;
            return;
        }
        if (!dash)
            return;
    }
}

/* Reads a tag; called at a '<'. */
static Status read_tag(Page *page, cleave_error *error)
{
    const char *name, *end, *name_end;
    bool closes = left(page) > 1 && page->at[1] == '/';

    if (begins(page, "<!--")) {
        skip_comment(page);
        return OK;
    }
    name = page->at + 1 + closes;
    end = name < page->stop && (is_letter(*name) || *name == '!' || *name == '?') ? end_of_tag(page)
                                                                                  : NULL;
    if (!end) {
        page->at++;
        return add(page, "<", 1, error);
    }
    for (name_end = name; name_end < end && (is_letter(*name_end) || is_digit(*name_end));)
        name_end++;
    page->at = end + 1;
    if (!closes && name_end - name == 6 && strncasecmp(name, "script", 6) == 0)
        skip_element(page, "script");
    if (!closes && name_end - name == 5 && strncasecmp(name, "style", 5) == 0)
        skip_element(page, "style");
    return keeps_words_whole(name, (size_t)(name_end - name)) ? OK : add(page, "\n", 1, error);
}

Status clv_html_text(Context *context, const char *text, size_t size, Buffer *result,
                     cleave_error *error)
{
    Page page = {.context = context, .text = result, .at = text, .stop = size ? text + size : text};

    while (page.at < page.stop) {
        const char *plain = page.at;

        while (page.at < page.stop && *page.at != '<' && *page.at != '&')
            page.at++;
        TRY(add(&page, plain, (size_t)(page.at - plain), error));
        if (page.at < page.stop)
            TRY(*page.at == '<' ? read_tag(&page, error) : read_entity(&page, error));
    }
    return OK;
}

bool clv_html_begins(const char *text, size_t size)
{
    Page page = {.at = text, .stop = size ? text + size : text};

    if (begins(&page, "\xEF\xBB\xBF"))
        page.at += 3;
    for (;;) {
        while (page.at < page.stop && is_blank(*page.at))
            page.at++;
        if (begins(&page, "<!--"))
            skip_comment(&page);
        else
            return begins(&page, "<!doctype html") || begins(&page, "<html>") ||
                   begins(&page, "<html ");
    }
}
