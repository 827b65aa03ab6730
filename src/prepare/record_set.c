#include "prepare/record_set.h"

#include "base/file.h"
#include "base/random.h"
#include "read/records.h"

/* ---- records in memory ----------------------------------------------------------------------- */

static Status hold(void *user, uint64_t row, const char *bytes, size_t size, cleave_error *error)
{
    RecordSet *records = user;
    Context *context = records->source->context;

    if (row == RECORD_HEADER)
        return clv_buffer_add(context, &records->header, bytes, size, error);
    TRY(clv_buffer_add(context, &records->text, bytes, size, error));
    TRY(GROW(context, records->end, records->end_capacity, (size_t)records->rows + 1, error));
    records->end[records->rows++] = records->text.size;
    return OK;
}

bool clv_records_apply(const Source *source, const char *path, const char *to)
{
    return source && clv_records_fit(source, clv_write_format(path, to));
}

Status clv_records_begin(RecordSet *records, Source *source, const char *path, const WriteHow *how,
                         bool held, cleave_error *error)
{
    RecordSink sink = {.take = hold, .user = records, .safe = how->csv_safe};

    *records = (RecordSet){.source = source, .how = *how, .held = held};
    return held ? clv_records_attach(source, clv_write_format(path, how->to), &sink, error) : OK;
}

void clv_records_end(RecordSet *records)
{
    if (!records->source)
        return;
    clv_records_detach(records->source);
    FREE(records->source->context, records->text.data, records->header.data, records->end,
         records->order);
    *records = (RecordSet){.source = NULL};
}

/* Fisher-Yates shuffle, from the end. */
Status clv_records_shuffle(RecordSet *records, uint64_t seed, cleave_error *error)
{
    Random random = clv_random(seed, 0);

    TRY(ALLOC(records->source->context, records->order, (size_t)records->rows + 1,
              "the order of rows", error));
    for (uint64_t i = 0; i < records->rows; i++)
        records->order[i] = i;
    for (uint64_t i = records->rows; i > 1; i--) {
        uint64_t other = clv_random_next(&random) % i, kept = records->order[i - 1];

        records->order[i - 1] = records->order[other];
        records->order[other] = kept;
    }
    return OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct {
    Output *output;
    RowChosen chosen;
    const void *user;
    uint64_t rows;
} Copy;

static Status copy(void *user, uint64_t row, const char *bytes, size_t size, cleave_error *error)
{
    Copy *self = user;

    if (row != RECORD_HEADER) {
        if (self->chosen && !self->chosen(self->user, row))
            return OK;
        self->rows++;
    }
    return clv_output_write(self->output, bytes, size, error);
}

static Status copy_held(const RecordSet *records, Copy *self, cleave_error *error)
{
    if (records->header.size)
        TRY(copy(self, RECORD_HEADER, records->header.data, records->header.size, error));
    for (uint64_t i = 0; i < records->rows; i++) {
        uint64_t row = records->order ? records->order[i] : i,
                 start = row ? records->end[row - 1] : 0;

        TRY(copy(self, row, records->text.data + start, (size_t)(records->end[row] - start),
                 error));
    }
    return OK;
}

/* entries: number of entries of all rows read. */
static Status copy_source(Source *source, const char *format, bool safe, Copy *self,
                          cleave_conversion *done, cleave_error *error)
{
    Status status;

    TRY(clv_source_rewind(source, error));
    TRY(clv_records_attach(source, format, &(RecordSink){.take = copy, .user = self, .safe = safe},
                           error));
    for (;;) {
        const Block *block;

        status = source_next(source, &block, error);
        if (status != OK || !block)
            break;
        status = clv_write_step(source, block, done, error);
        if (status != OK)
            break;
    }
    done->columns = clv_records_columns(source);
    clv_records_detach(source);
    return status;
}

Status clv_records_write(RecordSet *records, const char *path, RowChosen chosen, const void *user,
                         cleave_conversion *done, cleave_error *error)
{
    Source *source = records->source;
    Copy self = {.chosen = chosen, .user = user};
    Status status;

    TRY(clv_output_open(source->context, path, false, &self.output, error));
    status = records->held ? copy_held(records, &self, error)
                           : copy_source(source, clv_write_format(path, records->how.to),
                                         records->how.csv_safe, &self, done, error);
    done->rows = self.rows;
    done->bytes_out = clv_output_position(self.output);
    done->bytes_in = source->bytes;
    done->features = source->features;
    if (records->held)
        done->columns = clv_records_columns(source);
    done->classes = source->labels.count;
    if (status != OK) {
        clv_output_abandon(self.output);
        return status;
    }
    return clv_output_commit(self.output, error);
}
