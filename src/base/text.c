#include "base/text.h"

#include <ctype.h>
#include <string.h>

#define LONGEST 64

static char folded(char c)
{
    return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned clv_edit_distance(const char *a, const char *b, unsigned limit)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned rows[3][LONGEST +
                     1]; /* the last three rows of the table, for swaps of adjacent characters */

    if (n > LONGEST || m > LONGEST)
        return limit + 1;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned differ = folded(a[i - 1]) != folded(b[j - 1]);

            row[j] = least(above[j - 1] + differ, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1]))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return least(rows[n % 3][m], limit + 1);
}

const char *cleave_nearest_word(const char *word, const char *const *candidates)
{
    unsigned limit = (unsigned)(strlen(word) / 3 + 1);
    unsigned best = limit + 1;
    const char *nearest = NULL;

    for (; *candidates; candidates++) {
        unsigned distance = clv_edit_distance(word, *candidates, limit);

        if (distance < best) {
            best = distance;
            nearest = *candidates;
        }
    }
    return nearest;
}
