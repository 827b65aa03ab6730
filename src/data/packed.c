/*
 * Packed blocks: a header of 64 bytes, then the arrays in the order of the struct, each aligned to
 * 8 with zero padding. Little-endian, identical in memory and in the file.
 */
#include "base/hash.h"
#include "base/number.h"
#include "data/dataset.h"

#include <math.h>

enum { MAGIC = 0x42564C43 }; /* "CLVB" in ASCII */
enum { HAS_FILLERS = 1, HAS_WEIGHT = 2, HAS_QID = 4, HAS_NAME = 8 };

typedef struct {
    uint32_t magic, rows, features;
    uint8_t form, value_form, target_form, label_bytes;
    uint32_t flags, entries, name_bytes, zero;
    uint64_t size, checksum, first_row, reserved;
} Header;

_Static_assert(sizeof(Header) == 64, "the header of a packed block is 64 bytes");

static uint64_t checksum(const char *bytes, uint64_t size)
{
    Header header;

    memcpy(&header, bytes, sizeof header);
    header.checksum = 0;
    return clv_hash(bytes + sizeof header, (size_t)size - sizeof header,
                    clv_hash(&header, sizeof header, 0));
}

/* ---- packing --------------------------------------------------------------------------------- */

static size_t value_count(const Block *block, uint32_t entries)
{
    if (block->form == ROWS_DENSE)
        return (size_t)block->rows * block->features;
    return block->value_form == VALUES_EACH      ? entries
           : block->value_form == VALUES_PER_ROW ? block->rows
                                                 : 0;
}

static size_t target_size(const Block *block)
{
    if (block->target_form == TARGETS_NUMBERS)
        return sizeof(double);
    return block->target_form == TARGETS_LABELS ? block->label_bytes : 0;
}

static Status add_array(Context *context, Buffer *buffer, const void *array, size_t size,
                        cleave_error *error)
{
    TRY(clv_buffer_add(context, buffer, array, size, error));
    return clv_buffer_pad(context, buffer, 8, error);
}

static Status add_arrays(Context *context, const Block *block, uint32_t entries,
                         uint32_t name_bytes, Buffer *buffer, cleave_error *error)
{
    if (block->form != ROWS_DENSE) {
        TRY(add_array(context, buffer, block->end, block->rows * sizeof *block->end, error));
        if (block->form == ROWS_GAPS)
            TRY(add_array(context, buffer, block->gap, entries * sizeof *block->gap, error));
        else
            TRY(add_array(context, buffer, block->column, entries * sizeof *block->column, error));
    }
    TRY(add_array(context, buffer, block->value, value_count(block, entries) * sizeof *block->value,
                  error));
    TRY(add_array(context, buffer, block->target, block->rows * target_size(block), error));
    if (block->weight)
        TRY(add_array(context, buffer, block->weight, block->rows * sizeof *block->weight, error));
    if (block->qid)
        TRY(add_array(context, buffer, block->qid, block->rows * sizeof *block->qid, error));
    if (block->name_end) {
        TRY(add_array(context, buffer, block->name_end, block->rows * sizeof *block->name_end,
                      error));
        TRY(add_array(context, buffer, block->name, name_bytes, error));
    }
    return OK;
}

size_t clv_block_packed_bound(const Block *block)
{
    enum { ARRAYS = 8, ALIGNMENT = 64 };
    size_t entries = block->form != ROWS_DENSE && block->rows ? block->end[block->rows - 1] : 0;
    size_t per_entry = block->form == ROWS_GAPS ? sizeof *block->gap : sizeof *block->column;
    size_t per_row = sizeof *block->end + sizeof(double) + sizeof *block->weight +
                     sizeof *block->qid + sizeof *block->name_end;
    size_t names = block->name_end && block->rows ? block->name_end[block->rows - 1] : 0;

    return sizeof(Header) + entries * per_entry +
           value_count(block, (uint32_t)entries) * sizeof *block->value + block->rows * per_row +
           names + ARRAYS * sizeof(double) + ALIGNMENT;
}

Status clv_block_pack(Context *context, const Block *block, bool with_checksum, Buffer *buffer,
                      cleave_error *error)
{
    bool sparse = block->form != ROWS_DENSE;
    Header header = {
        .magic = MAGIC,
        .rows = block->rows,
        .features = block->features,
        .form = (uint8_t)block->form,
        .value_form = (uint8_t)block->value_form,
        .target_form = (uint8_t)block->target_form,
        .label_bytes = block->label_bytes,
        .flags = (block->has_fillers ? HAS_FILLERS : 0u) | (block->weight ? HAS_WEIGHT : 0u) |
                 (block->qid ? HAS_QID : 0u) | (block->name_end ? HAS_NAME : 0u),
        .entries = sparse && block->rows ? block->end[block->rows - 1] : 0,
        .name_bytes = block->name_end && block->rows ? block->name_end[block->rows - 1] : 0,
        .first_row = block->first_row,
    };

    buffer->size = 0;
    TRY(clv_buffer_add(context, buffer, &header, sizeof header, error));
    TRY(add_arrays(context, block, header.entries, header.name_bytes, buffer, error));
    TRY(clv_buffer_pad(context, buffer, 64, error));
    header.size = buffer->size;
    memcpy(buffer->data, &header, sizeof header);
    if (!with_checksum)
        return OK;
    header.checksum = checksum(buffer->data, header.size);
    memcpy(buffer->data, &header, sizeof header);
    return OK;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

typedef struct {
    const char *at;
    uint64_t left;
    bool ok;
} Cursor;

static const void *take(Cursor *cursor, uint64_t count, uint64_t size)
{
    const char *array = cursor->at;
    uint64_t bytes =
        (count * size + 7) &
        ~(uint64_t)7; /* counts are below 2^32, except dense ones, which are checked before */

    if (!cursor->ok || bytes > cursor->left) {
        cursor->ok = false;
        return NULL;
    }
    cursor->at += bytes;
    cursor->left -= bytes;
    return array;
}

static bool sane(const Header *header, size_t size)
{
    if (header->magic != MAGIC || header->size != size || header->features > MOST_FEATURES)
        return false;
    if (header->form > ROWS_DENSE || header->value_form > VALUES_EACH ||
        header->target_form > TARGETS_NUMBERS)
        return false;
    if (header->form == ROWS_DENSE &&
        (header->value_form != VALUES_EACH ||
         (uint64_t)header->rows * header->features > size / sizeof(float)))
        return false;
    return header->target_form != TARGETS_LABELS || header->label_bytes == 1 ||
           header->label_bytes == 2 || header->label_bytes == 4;
}

bool clv_block_unpack(const char *bytes, size_t size, Block *block)
{
    Cursor cursor = {.at = bytes + sizeof(Header), .ok = true};
    Header header;

    if (size < sizeof header || ((uintptr_t)bytes & 7) != 0)
        return false;
    memcpy(&header, bytes, sizeof header);
    if (!sane(&header, size))
        return false;
    cursor.left = size - sizeof header;
    *block = (Block){
        .rows = header.rows,
        .features = header.features,
        .first_row = header.first_row,
        .form = (RowForm)header.form,
        .value_form = (ValueForm)header.value_form,
        .has_fillers = (header.flags & HAS_FILLERS) != 0,
        .target_form = (TargetForm)header.target_form,
        .label_bytes = header.label_bytes,
    };
    if (block->form != ROWS_DENSE) {
        block->end = take(&cursor, header.rows, sizeof *block->end);
        if (block->form == ROWS_GAPS)
            block->gap = take(&cursor, header.entries, sizeof *block->gap);
        else
            block->column = take(&cursor, header.entries, sizeof *block->column);
        if (!cursor.ok || (header.rows ? block->end[header.rows - 1] : 0) != header.entries)
            return false;
    }
    block->value = take(&cursor, value_count(block, header.entries), sizeof *block->value);
    block->target = take(&cursor, header.rows, target_size(block));
    if (header.flags & HAS_WEIGHT)
        block->weight = take(&cursor, header.rows, sizeof *block->weight);
    if (header.flags & HAS_QID)
        block->qid = take(&cursor, header.rows, sizeof *block->qid);
    if (header.flags & HAS_NAME) {
        block->name_end = take(&cursor, header.rows, sizeof *block->name_end);
        block->name = take(&cursor, header.name_bytes, 1);
        if (!cursor.ok || (header.rows ? block->name_end[header.rows - 1] : 0) != header.name_bytes)
            return false;
    }
    return cursor.ok && cursor.left < 64;
}

/* ---- validation ------------------------------------------------------------------------------ */

bool clv_block_checksum_ok(const char *bytes, size_t size)
{
    Header header;

    if (size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    return header.size == size && checksum(bytes, size) == header.checksum;
}

static bool increasing(const uint32_t *end, uint32_t rows)
{
    uint32_t before = 0;
    bool ok = true;

    for (uint32_t row = 0; row < rows; row++) {
        ok &= end[row] >= before;
        before = end[row];
    }
    return ok;
}

/* Computes the sum of gaps and the number of zeros among them, in 32 bits as long as they fit, so
 * that the loop is vectorized. */
static void add_gaps(const uint16_t *gap, uint32_t count, uint64_t *sum, uint64_t *zeros)
{
    enum { STRETCH = 32768 }; /* number of gaps whose sum fits in 32 bits */

    *sum = *zeros = 0;
    for (uint32_t from = 0; from < count; from += STRETCH) {
        uint32_t to = count - from < STRETCH ? count : from + STRETCH, part = 0, none = 0;

        for (uint32_t i = from; i < to; i++) {
            part += gap[i];
            none += gap[i] == 0;
        }
        *sum += part;
        *zeros += none;
    }
}

/* Checks that columns increase and stay below features: a gap of 0 is only valid as a filler. */
static bool gaps_ok(const Block *block)
{
    bool markers = block->value_form != VALUES_EACH;
    uint32_t start = 0;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint64_t column, zeros;

        add_gaps(block->gap + start, block->end[row] - start, &column, &zeros);
        if (zeros && (!markers || !block->has_fillers))
            return false;
        if (column + zeros * FILLER_GAP > block->features)
            return false;
        start = block->end[row];
    }
    return true;
}

static bool columns_ok(const Block *block)
{
    uint32_t start = 0;

    for (uint32_t row = 0; row < block->rows; row++) {
        for (uint32_t at = start; at < block->end[row]; at++)
            if (block->column[at] >= block->features ||
                (at > start && block->column[at] <= block->column[at - 1]))
                return false;
        start = block->end[row];
    }
    return true;
}

bool clv_block_sound(const Block *block, uint32_t features, uint32_t labels)
{
    size_t values;

    if (block->features > features)
        return false;
    if (block->form != ROWS_DENSE) {
        if (!increasing(block->end, block->rows))
            return false;
        if (block->form == ROWS_GAPS ? !gaps_ok(block) : !columns_ok(block))
            return false;
    }
    if (block->name_end && !increasing(block->name_end, block->rows))
        return false;
    values = value_count(
        block, block->form != ROWS_DENSE && block->rows ? block->end[block->rows - 1] : 0);
    if (values && !all_finite(block->value, values))
        return false;
    if (block->weight && !all_finite(block->weight, block->rows))
        return false;
    for (uint32_t row = 0; row < block->rows && block->target_form == TARGETS_LABELS; row++) {
        uint32_t label = block_label(block, row);

        if (label != UNLABELED && label >= labels)
            return false;
    }
    for (uint32_t row = 0; row < block->rows && block->target_form == TARGETS_NUMBERS; row++)
        if (isinf(((const double *)block->target)[row]))
            return false;
    return true;
}
