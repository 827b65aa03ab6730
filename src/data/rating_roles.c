#include "data/rating_roles.h"

#include <stddef.h>
#include <string.h>

enum { MOST_LETTERS = 32 };

static const char *const users[] = {"user",   "customer", "client",   "member",
                                    "reader", "viewer",   "reviewer", NULL};
static const char *const items[] = {"item",  "product", "movie", "film", "book",  "song",
                                    "track", "artist",  "game",  "isbn", "anime", NULL};
static const char *const values[] = {"rating", "ratings", "stars", "score", "count", "plays", NULL};
static const char *const endings[] = {"", "id", "name", "number", "no", "key", "index", NULL};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The word, possibly with an ending. */
static bool is_word(const char *letters, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 0; endings[i] && strncmp(letters, word, length) == 0; i++)
        if (strcmp(letters + length, endings[i]) == 0)
            return true;
    return false;
}

static bool is_listed(const char *letters, const char *const *words)
{
    for (; *words; words++)
        if (is_word(letters, *words))
            return true;
    return false;
}

RatingRole clv_rating_role(const char *title)
{
    char letters[MOST_LETTERS + 1];
    size_t count = 0;

    for (; *title; title++) {
        char c = lower(*title);

        if (strchr(" _-./:", c))
            continue;
        if (count == MOST_LETTERS)
            return RATING_NONE;
        letters[count++] = c;
    }
    letters[count] = '\0';
    return is_listed(letters, users)    ? RATING_USER
           : is_listed(letters, items)  ? RATING_ITEM
           : is_listed(letters, values) ? RATING_VALUE
                                        : RATING_NONE;
}

bool clv_rating_sides_swapped(const char *first, const char *second)
{
    RatingRole one = clv_rating_role(first), other = clv_rating_role(second);

    return one != other && (one == RATING_ITEM || other == RATING_USER);
}
