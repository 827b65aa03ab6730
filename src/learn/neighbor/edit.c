/*
 * Edit distance by bit-parallel dynamic programming, 64 rows of a column at a time (Myers 1999;
 * Hyyrö 2003). Adjacent cells of a column differ by -1, 0 or 1, so that two words of bits represent
 * a column, and fifteen operations compute the next. A query longer than 64 characters has several
 * blocks; the carry between blocks is again -1, 0 or 1 per character of the point.
 *
 * After j of n characters of the point, the distance is at least that of the prefixes minus n - j.
 * If this exceeds the bound, the point is skipped. The difference of the lengths, a lower bound, is
 * tested first.
 */
#include "learn/neighbor/edit.h"

enum { ROWS = 64, SLOTS = 128, CARRY = MOST_CHARACTERS / 64 };

typedef struct {
    const float *value; /* the values without zeros */
    size_t places;
    int64_t length;
} Sequence;

/* Up to 64 characters of the query with their positions, by open addressing. */
typedef struct {
    uint32_t key[SLOTS]; /* value of each slot, as bits; 0: free */
    uint64_t where[SLOTS];
    uint64_t last; /* the bit of the last character */
} Part;

/* The carry at the lower end of a block, per character of the point. */
typedef struct {
    uint64_t up[CARRY], down[CARRY];
} Carry;

static Sequence sequence_of(const float *value, size_t places)
{
    Sequence sequence = {.value = value, .places = places};

    for (size_t i = 0; i < places; i++)
        sequence.length += value[i] != 0;
    return sequence;
}

static Sequence point_of(const Vectors *vectors, uint32_t row)
{
    uint64_t start;

    if (vectors->dense)
        return sequence_of(dense_row(vectors, row), vectors->features);
    start = sparse_start(vectors, row);
    return (Sequence){.value = vectors->value + start,
                      .places = (size_t)(vectors->end[row] - start),
                      .length = (int64_t)(vectors->end[row] - start)};
}

static Sequence asked_of(const Vectors *vectors, const Query *query)
{
    return query->column || !query->dense ? sequence_of(query->value, query->count)
                                          : sequence_of(query->dense, vectors->features);
}

static inline uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint32_t slot_of(const Part *part, uint32_t key)
{
    uint32_t slot = key * 2654435769u >> 25;

    while (part->key[slot] && part->key[slot] != key)
        slot = (slot + 1) % SLOTS;
    return slot;
}

/* Prepares the next 64 characters from position *at on. */
static void make_part(Part *part, const Sequence *sequence, size_t *at)
{
    unsigned row = 0;

    *part = (Part){.last = 0};
    for (; *at < sequence->places && row < ROWS; ++*at) {
        uint32_t slot;

        if (sequence->value[*at] == 0)
            continue;
        slot = slot_of(part, bits_of(sequence->value[*at]));
        part->key[slot] = bits_of(sequence->value[*at]);
        part->where[slot] |= part->last = (uint64_t)1 << row++;
    }
}

typedef struct {
    uint64_t up, down; /* bits per row of a column: one more, or one less, than the row above */
} Deltas;

/* Computes the next column. in and *out are the differences from the previous column for the row
 * above the block and for its last row: 1 up, 2 down, 0 neither. */
static inline unsigned advance(Deltas *column, uint64_t equal, unsigned in, uint64_t last)
{
    uint64_t across, vertical = equal | column->down, up, down;
    unsigned out;

    equal |= in >> 1;
    across = (((equal & column->up) + column->up) ^ column->up) | equal;
    up = column->down | ~(across | column->up);
    down = column->up & across;
    out = up & last ? 1 : down & last ? 2 : 0;
    up = up << 1 | (in & 1);
    down = down << 1 | in >> 1;
    column->up = down | ~(vertical | up);
    column->down = up & vertical;
    return out;
}

/* The distance for a query of one block. */
static int64_t distance_by_part(const Part *part, int64_t query_row, const Sequence *point,
                                int64_t limit)
{
    Deltas column = {.up = ~(uint64_t)0};
    int64_t distance = query_row, left = point->length;

    for (size_t i = 0; i < point->places; i++) {
        unsigned out;

        if (point->value[i] == 0)
            continue;
        out = advance(&column, part->where[slot_of(part, bits_of(point->value[i]))], 1, part->last);
        distance += (out & 1) - (int64_t)(out >> 1);
        if (distance - --left > limit)
            return INT64_MAX;
    }
    return distance;
}

/* Processes one of several blocks. `distance` is that of its last row before the first character;
 * returns the distance after the last character. */
static int64_t pass_part(const Part *part, const Sequence *point, Carry *carry, int64_t distance)
{
    Deltas column = {.up = ~(uint64_t)0};
    size_t j = 0;

    for (size_t i = 0; i < point->places && j < MOST_CHARACTERS; i++) {
        uint64_t *up = &carry->up[j / 64], *down = &carry->down[j / 64];
        unsigned shift = j % 64,
                 in = (unsigned)(*up >> shift & 1) | (unsigned)(*down >> shift & 1) << 1, out;

        if (point->value[i] == 0)
            continue;
        out = advance(&column, part->where[slot_of(part, bits_of(point->value[i]))], in,
                      part->last);
        *up = (*up & ~((uint64_t)1 << shift)) | (uint64_t)(out & 1) << shift;
        *down = (*down & ~((uint64_t)1 << shift)) | (uint64_t)(out >> 1) << shift;
        distance += (out & 1) - (int64_t)(out >> 1);
        j++;
    }
    return distance;
}

/* Above the first row the distance grows by one per character. */
static void begin_carry(Carry *carry, const Sequence *point)
{
    size_t words = (size_t)(point->length < MOST_CHARACTERS ? point->length : MOST_CHARACTERS) /
                       64 +
                   1;

    words = words < CARRY ? words : CARRY;
    memset(carry->up, 0xFF, words * sizeof *carry->up);
    memset(carry->down, 0, words * sizeof *carry->down);
}

double clv_edit_key(const Vectors *vectors, uint32_t row, const Query *query)
{
    Sequence point = point_of(vectors, row), query_row = asked_of(vectors, query);
    int64_t distance = point.length;
    size_t at = 0;
    Carry carry;
    Part part;

    if (query_row.length == 0)
        return (double)point.length;
    begin_carry(&carry, &point);
    for (int64_t done = 0; done < query_row.length; done += ROWS) {
        make_part(&part, &query_row, &at);
        distance = pass_part(&part, &point, &carry,
                             query_row.length - done < ROWS ? query_row.length : done + ROWS);
    }
    return (double)distance;
}

/* ---- many points ----------------------------------------------------------------------------- */

typedef struct {
    Sequence query_row;
    size_t parts;
    Part *part;
    Carry *carry;
} Prepared;

static Status prepare(Prepared *prepared, const Vectors *vectors, const Query *query,
                      SearchWorkspace *workspace, cleave_error *error)
{
    size_t at = 0, parts;

    prepared->query_row = asked_of(vectors, query);
    prepared->parts = parts = (size_t)(prepared->query_row.length + ROWS - 1) / ROWS;
    prepared->carry = clv_search_workspace(
        workspace, sizeof *prepared->carry + parts * sizeof *prepared->part, error);
    if (!prepared->carry)
        return CLEAVE_ERROR_MEMORY;
    prepared->part = (Part *)(prepared->carry + 1);
    for (size_t i = 0; i < parts; i++)
        make_part(&prepared->part[i], &prepared->query_row, &at);
    return OK;
}

static double distance_to(const Prepared *prepared, const Sequence *point, double bound)
{
    int64_t limit = bound >= 0 && bound < (double)INT32_MAX ? (int64_t)bound : INT32_MAX,
            query_row = prepared->query_row.length;
    int64_t apart = point->length < query_row ? query_row - point->length
                                              : point->length - query_row,
            distance = 0;

    if (!(bound >= 0) || apart > limit)
        return (double)INFINITY;
    if (prepared->parts == 0)
        return (double)point->length;
    if (prepared->parts == 1) {
        distance = distance_by_part(prepared->part, query_row, point, limit);
        return distance == INT64_MAX ? (double)INFINITY : (double)distance;
    }
    begin_carry(prepared->carry, point);
    for (size_t i = 0; i < prepared->parts; i++)
        distance = pass_part(&prepared->part[i], point, prepared->carry,
                             i + 1 < prepared->parts ? (int64_t)(i + 1) * ROWS : query_row);
    return (double)distance;
}

Status clv_edit_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                       SearchWorkspace *workspace, cleave_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        Prepared prepared;

        TRY(prepare(&prepared, &index->vectors, &queries[i], workspace, error));
        for (uint32_t row = 0; row < index->built; row++) {
            Sequence point = point_of(&index->vectors, row);
            double bound = nearest_bound(&nearest[i]),
                   distance = distance_to(&prepared, &point, bound);

            nearest[i].candidates++;
            if (distance <= bound)
                nearest_push(&nearest[i], distance, row);
        }
    }
    return OK;
}

bool clv_edit_check(const Vectors *vectors, uint32_t *longest)
{
    bool fine = true;

    *longest = 0;
    for (uint32_t row = 0; row < vectors->count; row++) {
        Sequence point = point_of(vectors, row);

        if (point.length > *longest)
            *longest = point.length < UINT32_MAX ? (uint32_t)point.length : UINT32_MAX;
        fine = fine && point.length <= MOST_CHARACTERS;
    }
    return fine;
}
