#include "data/remap.h"

#include "data/builder.h"
#include "data/compact.h"
#include "data/unseen.h"

/* Columns below this number are found in a table, others by name when they occur. */
enum { TABLE_COLUMNS = 1 << 16 };

struct Pair {
    uint32_t column;
    float value;
};

typedef struct {
    Source source;
    Source **inners;
    bool own;
    size_t inner_count, at;
    Source *inner;       /* equal to inners[at] */
    const Names *names;  /* names of the model; NULL: own names, which grow */
    uint32_t features;   /* number of features of the model; UINT32_MAX if names grow */
    bool grows;          /* own names begin with those of a model */
    bool notes_labels;   /* see clv_remap_note_labels */
    uint32_t known;      /* number of labels of the model */
    bool by_name;        /* columns must be looked up; otherwise they are only truncated */
    bool may_compact;    /* see clv_remap_compact */
    bool warns_unshared; /* see clv_remap_warn_unshared */
    bool shares;         /* a value was in a column of the model, … */
    bool others;         /* … or in another column */
    uint64_t values;     /* number of values so far, until compaction is decided */
    /* Columns that the model lacks are kept, numbered past the model's columns in each row. */
    bool keeps_unknown;
    Builder builder;
    Block block;

    /* for each inner column, the model's or NO_COLUMN; grows with the inner columns */
    uint32_t *column;
    uint32_t columns;
    size_t column_capacity;
    /* for each inner column, the categorical column whose value is unknown; NULL: none */
    const char **category;
    size_t category_capacity;
    UnseenColumns unseen;
    uint64_t *marks; /* marks for Source.unseen of the rows of the block */
    size_t mark_capacity;
    uint32_t *label; /* for each inner label, ours */
    uint32_t labels;
    size_t label_capacity;

    Buffer name;
    struct Pair *pair; /* the row being sorted */
    size_t pair_capacity;
} Remap;

/* Returns the categorical column of a feature that the model lacks. */
static const char *unseen_category(const Remap *self, const char *name)
{
    if (!self->names || !clv_schema_is_table(&self->inner->schema) ||
        clv_names_find(self->names, name, strlen(name)) != NO_COLUMN)
        return NULL;
    return clv_category_column(&self->inner->schema, name);
}

/* Returns the new number of a column of the inner source; NO_COLUMN: there is none. */
static Status find_column(Remap *self, uint32_t inner, uint32_t *column, cleave_error *error)
{
    const Names *from = &self->inner->names, *to = self->names ? self->names : &self->source.names;
    char buffer[24];
    const char *name = clv_names_get(from, inner, buffer);

    if (from->implicit && to->implicit)
        *column = inner + from->first >= to->first ? inner + from->first - to->first : NO_COLUMN;
    else if (self->names)
        TRY(clv_names_find_or_other(to, name, strlen(name), &self->name, column, error));
    else if (to->implicit)
        *column = clv_names_find(to, name, strlen(name));
    else
        TRY(clv_names_add(&self->source.names, name, strlen(name), column, error));
    if (*column >= self->features)
        *column = NO_COLUMN;
    return OK;
}

/* Maps new columns of the inner source. Named columns keep their order. Numbers become new names
 * only when they occur. */
static Status extend_columns(Remap *self, uint32_t count, cleave_error *error)
{
    const Names *from = &self->inner->names;

    if (from->implicit)
        count = self->names || self->source.names.implicit
                    ? (count < TABLE_COLUMNS ? count : TABLE_COLUMNS)
                    : 0;
    if (!self->by_name || count <= self->columns)
        return OK;
    TRY(GROW(self->source.context, self->column, self->column_capacity, count, error));
    TRY(GROW(self->source.context, self->category, self->category_capacity, count, error));
    for (; self->columns < count; self->columns++) {
        char buffer[24];
        const char *name = clv_names_get(from, self->columns, buffer);

        TRY(find_column(self, self->columns, &self->column[self->columns], error));
        self->category[self->columns] = unseen_category(self, name);
    }
    return OK;
}

static Status extend_labels(Remap *self, cleave_error *error)
{
    const Labels *from = &self->inner->labels;

    TRY(clv_labels_join(&self->source.labels, from, error));
    TRY(GROW(self->source.context, self->label, self->label_capacity, from->count, error));
    for (; self->labels < from->count; self->labels++) {
        const Label *label = &from->list[self->labels];
        uint32_t *number = &self->label[self->labels], known = self->source.labels.count;

        TRY(clv_labels_add(&self->source.labels, label->text, strlen(label->text), number, error));
        if (*number == known) {
            self->source.labels.list[known].first_line = label->first_line;
            self->source.labels.list[known].first_file = label->first_file;
        }
    }
    return OK;
}

static bool identical(const Remap *self, const Block *block)
{
    if (block->features > (self->by_name ? self->columns : self->features))
        return false;
    for (uint32_t i = 0; self->by_name && i < block->features; i++)
        if (self->column[i] != i)
            return false;
    for (uint32_t i = 0; i < self->labels; i++)
        if (self->label[i] != i)
            return false;
    return true;
}

static void sort_pairs(struct Pair *pair, size_t count)
{
    for (size_t gap = count / 2; gap > 0;
         gap /= 2) { /* Shell sort: rows are short and often sorted */
        for (size_t i = gap; i < count; i++) {
            struct Pair held = pair[i];
            size_t j = i;

            for (; j >= gap && pair[j - gap].column > held.column; j -= gap)
                pair[j] = pair[j - gap];
            pair[j] = held;
        }
    }
}

static Status remap_row(Remap *self, const Block *block, uint32_t row, cleave_error *error)
{
    uint32_t label = block_label(block, row), unknown = 0;
    size_t count = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        uint32_t column = walk.column < self->features ? walk.column : NO_COLUMN;

        if (self->by_name && walk.column < self->columns)
            column = self->column[walk.column];
        else if (self->by_name)
            TRY(find_column(self, walk.column, &column, error));
        if (column == NO_COLUMN && self->keeps_unknown)
            column = self->features + unknown++;
        if (column == NO_COLUMN)
            continue;
        TRY(GROW(self->source.context, self->pair, self->pair_capacity, count + 1, error));
        self->pair[count++] = (struct Pair){.column = column, .value = walk.value};
    }
    if (self->by_name)
        sort_pairs(self->pair, count);
    clv_builder_begin_row(&self->builder);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || self->pair[i].column !=
                          self->pair[i - 1].column) /* two values mapped to (other) are one */
            TRY(clv_builder_add(&self->builder, self->pair[i].column, self->pair[i].value, error));
    TRY(clv_builder_end_row(&self->builder, label == UNLABELED ? label : self->label[label],
                            error));
    return clv_builder_copy_extras(&self->builder, block, row, error);
}

/* Whether the data and the model have a column in common. Examined until the first such value. */
static void look_for_shared(Remap *self, const Block *before)
{
    if (!self->warns_unshared || self->shares)
        return;
    for (uint32_t row = 0; row < self->block.rows && !self->shares; row++)
        for (RowWalk walk = clv_walk(&self->block, row); clv_walk_next(&walk);)
            self->shares |= walk.value != 0 && walk.column < self->features;
    for (uint32_t row = 0; row < before->rows && !self->shares && !self->others; row++)
        for (RowWalk walk = clv_walk(before, row); clv_walk_next(&walk);)
            self->others |= walk.value != 0;
}

static void warn_unshared(const Remap *self)
{
    clv_warn(self->source.context, "check that the data has the features of the training data",
             "no feature of the data is a feature of the model");
}

/* Marks the rows of a block with categories unknown to the model, unless the inner source did. */
static Status mark_unseen(Remap *self, const Block *block, cleave_error *error)
{
    bool found = false;

    for (uint32_t i = 0; self->by_name && !self->inner->unseen && i < self->columns; i++)
        found = found || self->category[i];
    if (!found)
        return OK;
    TRY(GROW(self->source.context, self->marks, self->mark_capacity, block->rows, error));
    for (uint32_t row = 0; row < block->rows; row++) {
        self->marks[row] = 0;
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            bool listed = walk.value != 0 && walk.column < self->columns;
            const char *category = listed ? self->category[walk.column] : NULL;
            uint32_t number = category ? clv_unseen_number(&self->unseen, category) : MOST_UNSEEN;

            if (number == MOST_UNSEEN)
                continue;
            self->marks[row] |= UINT64_C(1) << number;
            self->unseen.rows[number]++;
        }
    }
    self->source.unseen = self->marks;
    self->source.unseen_column = self->unseen.column;
    return OK;
}

static void enter(Remap *self, size_t number)
{
    const Names *wanted = self->names ? self->names : &self->source.names;

    self->at = number;
    self->inner = self->inners[number];
    self->columns = self->labels = 0;
    self->by_name = self->grows && !wanted->implicit
                        ? true /* the inner source may still have further names */
                        : !self->inner->names.frozen &&
                              !clv_names_same(&self->inner->names, wanted);
}

static Status next_inner(Remap *self, const Block **block, cleave_error *error)
{
    for (;;) {
        TRY(source_next(self->inner, block, error));
        if (*block || self->at + 1 == self->inner_count)
            return OK;
        enter(self, self->at + 1);
    }
}

static void count_labels(Remap *self)
{
    Labels *labels = &self->source.labels;

    for (uint32_t row = 0; row < self->block.rows; row++) {
        uint32_t label = block_label(&self->block, row);

        if (label != UNLABELED)
            labels->list[label].count++;
    }
    if (self->inner_count > 1)
        return; /* the lines of several inputs are ambiguous */
    labels->unlabeled = self->inner->labels.unlabeled;
    labels->first_unlabeled_line = self->inner->labels.first_unlabeled_line;
    labels->first_unlabeled_file = self->inner->labels.first_unlabeled_file;
}

/* Turns numbers with gaps into names, from this block on: first the columns so far, then each
 * column that occurs. */
static Status leave_gaps_out(Remap *self, const Block *block, cleave_error *error)
{
    Names *names = &self->source.names;

    if (!self->may_compact || !names->implicit)
        return OK;
    if (!clv_stream_has_gaps(block->features, self->values += clv_block_entries(block)))
        return OK;
    TRY(clv_names_spell_out(names, self->source.features, error));
    self->features = UINT32_MAX;
    self->by_name = true;
    return OK;
}

Status clv_remap_block(Source *source, const Block *block, const Block **result,
                       cleave_error *error)
{
    Remap *self = (Remap *)source;

    TRY(leave_gaps_out(self, block, error));
    TRY(extend_columns(self, block->features, error));
    TRY(mark_unseen(self, block, error));
    TRY(extend_labels(self, error));
    if (identical(self, block)) {
        self->block = *block;
    } else {
        clv_builder_clear(&self->builder);
        for (uint32_t row = 0; row < block->rows; row++)
            TRY(remap_row(self, block, row, error));
        TRY(clv_builder_finish(&self->builder, &self->block, error));
    }
    look_for_shared(self, block);
    self->block.first_row = source->rows;
    count_labels(self);
    if (!self->names && self->block.features > source->features)
        source->features = self->block.features;
    source->rows += block->rows;
    *result = &self->block;
    return OK;
}

static Status next_block(Source *source, const Block **result, cleave_error *error)
{
    Remap *self = (Remap *)source;
    const Block *block;

    *result = NULL;
    TRY(next_inner(self, &block, error));
    source->bytes = 0;
    for (size_t i = 0; i <= self->at; i++)
        source->bytes += self->inners[i]->bytes;
    source->unseen = self->inner->unseen;
    source->unseen_column = self->inner->unseen_column;
    if (!block) {
        if (self->others && !self->shares)
            warn_unshared(self);
        else
            clv_unseen_warn(&self->unseen, source->rows, "rows", source->context);
        self->others = false; /* one warning */
        self->unseen.count = 0;
        if (self->notes_labels)
            clv_labels_note(&source->labels, self->known);
        self->notes_labels = false;
        return OK;
    }
    return clv_remap_block(source, block, result, error);
}

static Status rewind_remap(Source *source, cleave_error *error)
{
    Remap *self = (Remap *)source;

    for (size_t i = 0; i < self->inner_count; i++)
        TRY(clv_source_rewind(self->inners[i], error));
    for (uint32_t i = 0; i < source->labels.count; i++)
        source->labels.list[i].count = 0;
    self->unseen = (UnseenColumns){0};
    self->shares = self->others = false;
    enter(self, 0);
    return OK;
}

static void close_remap(Source *source)
{
    Remap *self = (Remap *)source;

    for (size_t i = 0; i < self->inner_count && self->own; i++)
        clv_source_close(self->inners[i]);
    clv_builder_free(&self->builder);
    FREE(source->context, self->inners, self->column, self->category, self->marks, self->label,
         self->pair, self->name.data);
}

static const SourceOps remap_ops = {
    .next = next_block, .rewind = rewind_remap, .close = close_remap};

static Status new_remap(Context *context, Source *const *sources, size_t count, bool own,
                        Remap **result, cleave_error *error)
{
    Remap *self = clv_alloc_zero(context, 1, sizeof *self);
    Source **inners = clv_alloc(context, count, sizeof *inners);

    *result = NULL;
    if (!self || !inners) {
        for (size_t i = 0; i < count && own; i++)
            clv_source_close(sources[i]);
        FREE(context, self, inners);
        return clv_fail_memory(error, "a source", sizeof *self);
    }
    clv_source_init(&self->source, context, &remap_ops);
    clv_builder_init(&self->builder, context);
    memcpy(inners, sources, count * sizeof *inners);
    self->inners = inners;
    self->own = own;
    self->inner_count = count;
    for (size_t i = 0; i < count; i++) {
        self->source.rows_total += inners[i]->rows_total;
        self->source.bytes_total += inners[i]->bytes_total;
    }
    *result = self;
    return OK;
}

Status clv_remap_source(Source *inner, bool own, const Labels *labels, const Names *names,
                        uint32_t features, Source **remapped, cleave_error *error)
{
    Remap *self;
    Status status;

    *remapped = NULL;
    TRY(new_remap(inner->context, &inner, 1, own, &self, error));
    self->names = names;
    self->features = self->source.features = features;
    enter(self, 0);
    status = clv_labels_copy(&self->source.labels, labels, error);
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    clv_labels_reset(&self->source.labels);
    self->known = self->source.labels.count;
    *remapped = &self->source;
    return OK;
}

Status clv_remap_growing(Source *inner, bool own, const Labels *labels, const Names *names,
                         const Schema *schema, uint32_t features, Source **remapped,
                         cleave_error *error)
{
    Remap *self;
    Status status;

    TRY(clv_remap_source(inner, own, labels, NULL, features, remapped, error));
    self = (Remap *)*remapped;
    self->grows = true;
    self->features = names->implicit ? MOST_FEATURES : UINT32_MAX;
    status = clv_names_copy(&self->source.names, names, error);
    self->source.names.frozen = false;
    THEN(status, clv_schema_copy(&self->source.schema, schema ? schema : &inner->schema, error));
    if (status != OK) {
        clv_source_close(*remapped);
        *remapped = NULL;
        return status;
    }
    enter(self, 0);
    return OK;
}

void clv_remap_keep_new(Source *remapped)
{
    Remap *self = (Remap *)remapped;

    if (self->names && self->names->implicit)
        self->features = MOST_FEATURES;
}

void clv_remap_note_labels(Source *remapped, bool on)
{
    Remap *self = (Remap *)remapped;

    self->notes_labels = on && self->known > 0;
}

void clv_remap_warn_unshared(Source *source)
{
    ((Remap *)source)->warns_unshared = true;
}

void clv_remap_compact(Source *remapped)
{
    ((Remap *)remapped)->may_compact = true;
}

void clv_remap_keep_unknown(Source *remapped)
{
    Remap *self = (Remap *)remapped;

    self->keeps_unknown = self->names && !self->names->implicit && self->inner->names.implicit;
}

Status clv_chain_sources(Context *context, Source *const *sources, size_t count, Source **chain,
                         cleave_error *error)
{
    Remap *self;
    Status status;

    *chain = NULL;
    TRY(new_remap(context, sources, count, true, &self, error));
    self->features = UINT32_MAX;
    status = clv_names_copy(&self->source.names, &sources[0]->names, error);
    THEN(status, clv_schema_copy(&self->source.schema, &sources[0]->schema, error));
    for (size_t i = 1; i < count && status == OK; i++) {
        if (sources[i]->names.first < self->source.names.first)
            self->source.names.first = sources[i]->names.first;
        if (sources[i]->names.implicit != sources[0]->names.implicit)
            status = clv_fail(error, CLEAVE_ERROR_DATA,
                              "the datasets cannot be combined: one has named features, another "
                              "numbered features");
    }
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    enter(self, 0);
    *chain = &self->source;
    return OK;
}
