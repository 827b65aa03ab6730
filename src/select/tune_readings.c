#include "select/tune_readings.h"

#include "base/machine.h"
#include "base/param.h"

/* Limit of the memory for readings other than the caller's: the machine's memory divided by
 * this. */
enum { MEMORY_SHARE = 4 };

/* ---- the context of reading */

static void *allocate(void *user, void *old, size_t size)
{
    const cleave_config *config = &((Readings *)user)->parent->config;

    return config->allocate(config->user, old, size);
}

static bool is_late(const Readings *readings)
{
    return readings->deadline > 0 && clv_now() > readings->deadline;
}

static bool cancelled(void *user)
{
    Readings *readings = user;

    return clv_cancelled(readings->parent) || is_late(readings);
}

static void progress(void *user, const cleave_progress *facts)
{
    clv_progress(((Readings *)user)->parent, facts);
}

static Status make_context(Readings *readings, cleave_error *error)
{
    cleave_config config = {.size = sizeof config,
                            .allocate = allocate,
                            .cancelled = cancelled,
                            .progress = progress,
                            .user = readings,
                            .threads = readings->parent->config.threads};

    if (!readings->context)
        readings->context = cleave_context_new(&config);
    return readings->context ? OK : clv_fail_memory(error, "a context", sizeof *readings->context);
}

/* ---- the list */

Status clv_readings_begin(Readings *readings, Context *context, cleave_data *base, Dataset *dataset,
                          size_t limit, cleave_error *error)
{
    *readings = (Readings){.parent = context,
                           .base = base,
                           .limit = limit ? limit : clv_memory_limit() / MEMORY_SHARE};
    TRY(GROW(context, readings->list, readings->capacity, 1, error));
    readings->list[readings->count++] = (TrialReading){.data = base, .dataset = dataset};
    return OK;
}

static void drop(Readings *readings, TrialReading *reading)
{
    cleave_data_free(reading->data);
    reading->data = NULL;
    reading->dataset = NULL;
    readings->bytes -= reading->bytes;
    reading->bytes = 0;
}

void clv_readings_free(Readings *readings)
{
    for (uint32_t i = 1; i < readings->count; i++) {
        drop(readings, &readings->list[i]);
        cleave_options_free(readings->list[i].options);
    }
    if (readings->parent)
        clv_free(readings->parent, readings->list);
    cleave_context_free(readings->context);
    *readings = (Readings){0};
}

static bool same(const cleave_options *a, const cleave_options *b)
{
    size_t count = a ? a->count : 0;

    if (count != (b ? b->count : 0))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(a->list[i].name, b->list[i].name) != 0 ||
            strcmp(a->list[i].value, b->list[i].value) != 0)
            return false;
    return true;
}

Status clv_readings_find(Readings *readings, const cleave_options *options, uint32_t *number,
                         cleave_error *error)
{
    TrialReading *added;

    for (*number = 0; *number < readings->count; ++*number)
        if (same(readings->list[*number].options, options))
            return OK;
    TRY(GROW(readings->parent, readings->list, readings->capacity, readings->count + 1, error));
    added = &readings->list[readings->count];
    *added = (TrialReading){0};
    TRY(clv_options_copy(readings->parent, options, &added->options, error));
    readings->count++;
    return OK;
}

/* ---- reading */

static size_t bytes_of(const Dataset *dataset)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < dataset->blocks; i++)
        bytes += dataset->block[i].size;
    return bytes;
}

/* Fails if the rows differ: files may change while a search runs. */
static Status check_rows(const Dataset *first, const Dataset *again, const char *name,
                         cleave_error *error)
{
    bool same_labels = first->labels.count == again->labels.count;

    for (uint32_t i = 0; same_labels && i < first->labels.count; i++)
        same_labels = strcmp(first->labels.list[i].text, again->labels.list[i].text) == 0 &&
                      first->labels.list[i].count == again->labels.list[i].count;
    if (first->rows == again->rows && same_labels)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "start the search again with a copy of the data that does not change",
                         "%s has changed since it was read: expected %llu rows, found %llu%s", name,
                         (unsigned long long)first->rows, (unsigned long long)again->rows,
                         same_labels ? "" : ", with other labels");
}

static Status read_again(Readings *readings, TrialReading *reading, cleave_error *error)
{
    Status status;

    TRY(make_context(readings, error));
    TRY(clv_data_reread(readings->base, readings->context, reading->options, &reading->data,
                        error));
    status = clv_data_training_set(reading->data, &reading->dataset, error);
    THEN(status, check_rows(readings->list[0].dataset, reading->dataset,
                            clv_data_name(readings->base), error));
    if (status != OK) {
        drop(readings, reading);
        return status;
    }
    reading->bytes = bytes_of(reading->dataset);
    readings->bytes += reading->bytes;
    readings->reads++;
    return OK;
}

void clv_readings_next_batch(Readings *readings)
{
    readings->batch++;
}

/* Frees the least recently used readings until there is enough memory. */
static void make_space(Readings *readings)
{
    while (readings->bytes > readings->limit) {
        TrialReading *oldest = NULL;

        for (uint32_t i = 1; i < readings->count; i++) {
            TrialReading *reading = &readings->list[i];

            if (reading->data && reading->batch < readings->batch &&
                (!oldest || reading->batch < oldest->batch))
                oldest = reading;
        }
        if (!oldest)
            return;
        drop(readings, oldest);
    }
}

Status clv_readings_need(Readings *readings, uint32_t number, bool *full, bool *late,
                         cleave_error *error)
{
    TrialReading *reading = &readings->list[number];
    Status status = OK;

    *late = false;
    reading->batch = readings->batch;
    if (!reading->data) {
        status = read_again(readings, reading, error);
        *late = status == CLEAVE_ERROR_CANCELLED && is_late(readings);
        make_space(readings);
    }
    *full = readings->bytes > readings->limit;
    return status;
}
