/* table KIND ROWS COLUMNS
 * Writes a CSV table to standard output: a header x1,...,label, then ROWS rows of COLUMNS numbers and a class, `a` or `b`.
 *   six        normals as %.6g           seventeen  normals as %.17g           digit  one digit a cell
 * The same arguments make the same bytes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 40, BUFFER = 1 << 16 };

static uint64_t next(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) /* Box and Muller */
{
    double radius = sqrt(-2 * log(uniform(state)));

    return radius * cos(6.283185307179586 * uniform(state));
}

static int six(char *out, uint64_t *state)
{
    return snprintf(out, CELL, "%.6g", normal(state));
}

static int seventeen(char *out, uint64_t *state)
{
    return snprintf(out, CELL, "%.17g", normal(state));
}

static int digit(char *out, uint64_t *state)
{
    *out = (char)('0' + (next(state) >> 32) % 10);
    return 1;
}

static int (*cell_of(const char *kind))(char *, uint64_t *)
{
    if (strcmp(kind, "six") == 0)
        return six;
    if (strcmp(kind, "seventeen") == 0)
        return seventeen;
    return strcmp(kind, "digit") == 0 ? digit : NULL;
}

int main(int argc, char **argv)
{
    static char buffer[BUFFER];
    int (*cell)(char *, uint64_t *) = argc == 4 ? cell_of(argv[1]) : NULL;
    long rows = argc == 4 ? atol(argv[2]) : 0, columns = argc == 4 ? atol(argv[3]) : 0;
    uint64_t state = 1;
    size_t used = 0;

    if (!cell || rows < 1 || columns < 1) {
        fprintf(stderr, "usage: table six|seventeen|digit ROWS COLUMNS\n");
        return 2;
    }
    for (long j = 1; j <= columns; j++)
        printf("x%ld,", j);
    printf("label\n");
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < columns; j++) {
            if (used + CELL + 4 > sizeof buffer) {
                fwrite(buffer, 1, used, stdout);
                used = 0;
            }
            used += (size_t)cell(buffer + used, &state);
            buffer[used++] = ',';
        }
        buffer[used++] = next(&state) >> 63 ? 'a' : 'b';
        buffer[used++] = '\n';
    }
    fwrite(buffer, 1, used, stdout);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
