#include "read/classes.h"

#include "data/builder.h"

typedef struct {
    Source source;
    Source *inner;
    char *name, *classes;
    Builder builder;
    Block block;
    uint32_t *label; /* our number for each label of inner; UNLABELED: its rows are dropped */
    uint32_t labels;
    size_t label_capacity;
    uint64_t dropped;
    bool guided, reported;
} ClassFilter;

bool clv_class_is_listed(const char *classes, const char *text, size_t length, bool from_libsvm)
{
    for (const char *at = classes; *at;) {
        size_t size = strcspn(at, ",");

        if (clv_labels_alike(at, size, text, length, from_libsvm))
            return true;
        at += size + (at[size] == ',');
    }
    return false;
}

void clv_note_dropped(const Source *source, const char *name, const char *classes, uint64_t dropped)
{
    if (dropped)
        clv_note(source->context, "%s: %llu row%s of classes other than %s dropped", name,
                 (unsigned long long)dropped, dropped == 1 ? "" : "s", classes);
}

Status clv_report_classes(const Source *source, const char *name, const char *classes,
                          uint64_t dropped, bool guided, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    if (source->rows == 0)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "write the class names exactly as in the data, separated by commas",
                             "%s: --classes %s: none of the %llu rows belongs to these classes",
                             name, classes, (unsigned long long)dropped);
    for (const char *at = classes; *at && !guided;) {
        size_t size = strcspn(at, ",");
        uint32_t label = clv_labels_find(&source->labels, at, size);

        if (label == UNLABELED || source->labels.list[label].count == 0)
            clv_warn(source->context, NULL, "%s: --classes: no row has the class '%s'", name,
                     clv_quote(quoted, at, size));
        at += size + (at[size] == ',');
    }
    clv_note_dropped(source, name, classes, dropped);
    return OK;
}

static Status extend_labels(ClassFilter *self, cleave_error *error)
{
    const Labels *from = &self->inner->labels;

    TRY(clv_labels_join(&self->source.labels, from, error));
    TRY(GROW(self->source.context, self->label, self->label_capacity, from->count, error));
    for (; self->labels < from->count; self->labels++) {
        const Label *label = &from->list[self->labels];
        uint32_t *number = &self->label[self->labels];

        *number = UNLABELED;
        if (!clv_class_is_listed(self->classes, label->text, strlen(label->text),
                                 from->from_libsvm))
            continue;
        TRY(clv_labels_add(&self->source.labels, label->text, strlen(label->text), number, error));
        self->source.labels.list[*number].first_line = label->first_line;
        self->source.labels.list[*number].first_file = label->first_file;
    }
    return OK;
}

static Status keep_rows(ClassFilter *self, const Block *block, cleave_error *error)
{
    Labels *labels = &self->source.labels;

    clv_builder_clear(&self->builder);
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row),
                 own = label == UNLABELED ? UNLABELED : self->label[label];

        if (label != UNLABELED && own == UNLABELED) {
            self->dropped++;
            continue;
        }
        TRY(clv_builder_copy_row(&self->builder, block, row, own, error));
        if (own != UNLABELED)
            labels->list[own].count++;
        else
            labels->unlabeled++;
    }
    TRY(clv_builder_finish(&self->builder, &self->block, error));
    self->block.first_row = self->source.rows;
    self->source.rows += self->block.rows;
    if (block->features > self->source.features)
        self->source.features = block->features;
    if (self->block.features < block->features)
        self->block.features = block->features;
    return OK;
}

static Status next_block(Source *source, const Block **result, cleave_error *error)
{
    ClassFilter *self = (ClassFilter *)source;
    const Block *block;

    *result = NULL;
    do {
        TRY(source_next(self->inner, &block, error));
        source->bytes = self->inner->bytes;
        if (!block) {
            if (self->reported)
                return OK;
            self->reported = true;
            return clv_report_classes(source, self->name, self->classes, self->dropped,
                                      self->guided, error);
        }
        TRY(extend_labels(self, error));
        TRY(keep_rows(self, block, error));
    } while (self->block.rows == 0);
    *result = &self->block;
    return OK;
}

static Status rewind_filter(Source *source, cleave_error *error)
{
    ClassFilter *self = (ClassFilter *)source;

    TRY(clv_source_rewind(self->inner, error));
    for (uint32_t i = 0; i < source->labels.count; i++)
        source->labels.list[i].count = 0;
    source->labels.unlabeled = 0;
    self->dropped = 0;
    return OK;
}

static void close_filter(Source *source)
{
    ClassFilter *self = (ClassFilter *)source;

    clv_source_close(self->inner);
    clv_builder_free(&self->builder);
    FREE(source->context, self->label, self->name, self->classes);
}

static const SourceOps filter_ops = {
    .next = next_block, .rewind = rewind_filter, .close = close_filter};

static Status fill(ClassFilter *self, const char *name, const char *classes, cleave_error *error)
{
    Context *context = self->source.context;
    const Source *inner = self->inner;

    self->name = clv_copy_string(context, name, strlen(name));
    self->classes = clv_copy_string(context, classes, strlen(classes));
    if (!self->name || !self->classes)
        return clv_fail_memory(error, "a source", strlen(name) + strlen(classes));
    self->source.features = inner->features;
    self->source.bytes_total = inner->bytes_total;
    self->source.shuffled = inner->shuffled;
    TRY(clv_names_copy(&self->source.names, &inner->names, error));
    self->source.names.frozen = inner->names.frozen;
    return clv_schema_copy(&self->source.schema, &inner->schema, error);
}

Status clv_keep_classes(Source *inner, const char *name, const char *classes, bool guided,
                        Source **filtered, cleave_error *error)
{
    ClassFilter *self = clv_alloc_zero(inner->context, 1, sizeof *self);
    Status status;

    *filtered = NULL;
    if (!self) {
        clv_source_close(inner);
        return clv_fail_memory(error, "a source", sizeof *self);
    }
    clv_source_init(&self->source, inner->context, &filter_ops);
    clv_builder_init(&self->builder, inner->context);
    self->inner = inner;
    self->guided = guided;
    status = fill(self, name, classes, error);
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *filtered = &self->source;
    return OK;
}
