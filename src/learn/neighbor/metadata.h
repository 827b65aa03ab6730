/*
 * Ids and metadata of the rows of the data behind a model of points. Row i of the data has text i
 * of the ids, and the texts from i * columns of the cells. Rows after the last text have none.
 * Removing points does not change the rows.
 *
 *     id_ends, id_text              the ids; each text ends with a NUL
 *     metadata_name_ends, _names    names of the columns
 *     metadata_ends, metadata_text  the cells, row after row
 *     boxes                         the points are boxes: the columns of their bounds
 */
#ifndef LEARN_NEIGHBOR_METADATA_H
#define LEARN_NEIGHBOR_METADATA_H

#include "model/model.h"

typedef struct {
    uint64_t count;
    const uint64_t *end; /* end of each text, including its NUL */
    const char *text;
} Texts;

typedef struct {
    Texts ids, names, cells;
    uint64_t rows;     /* number of rows with cells */
    const char *boxes; /* see cleave_model_set_boxes; NULL: none */
} Metadata;

static inline const char *texts_get(const Texts *texts, uint64_t i)
{
    return texts->text + (i ? texts->end[i - 1] : 0);
}

/* NULL for a row without an id. */
static inline const char *metadata_id(const Metadata *metadata, uint64_t row)
{
    return row < metadata->ids.count ? texts_get(&metadata->ids, row) : NULL;
}

static inline const char *metadata_cell(const Metadata *metadata, uint64_t row, uint64_t column)
{
    return row < metadata->rows ? texts_get(&metadata->cells, row * metadata->names.count + column)
                                : NULL;
}

/* The column with this name; names.count if there is none. */
uint64_t clv_metadata_find(const Metadata *metadata, const char *name, size_t length);
/* Reads the arrays of a model; false if one is missing or has the wrong size. */
bool clv_metadata_of_model(const Model *model, Metadata *metadata);
/* Validates every text, for untrusted files. */
bool clv_metadata_check(const Metadata *metadata);
/* Copies the arrays. */
Status clv_metadata_copy(const Bundle *from, Bundle *to, cleave_error *error);

#endif
