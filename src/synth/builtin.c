/*
 * Small datasets from the literature, so that every example runs without a file. Rows are in the
 * order of the literature, because traces of online methods depend on it.
 */
#include "synth/synth.h"

#include "data/builder.h"

#include <stdio.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define VALUES(...) ((const float[]){__VA_ARGS__})

const Builtin clv_builtins[] = {
    {
        .name = "@spam6",
        .brief = "six messages as the presence of five words; spam is +1 (Figure 12.6)",
        .features = LIST("and", "viagra", "the", "of", "nigeria"),
        .rows = LIST("a", "b", "c", "d", "e", "f"),
        .labels = LIST("+1", "-1", "+1", "-1", "+1", "-1"),
        .values = VALUES(1, 1, 0, 1, 1, /* a */
                         0, 0, 1, 1, 0, /* b */
                         0, 1, 1, 0, 0, /* c */
                         1, 0, 0, 1, 0, /* d */
                         1, 0, 1, 0, 1, /* e */
                         1, 0, 1, 1, 0 /* f */),
    },
    {
        .name = "@films5",
        .brief = "five viewers and the films they liked; science fiction is +1, romance -1",
        .features = LIST("Star Wars", "Martian", "Avengers", "Titanic", "Lake House",
                         "You've Got Mail"),
        .rows = LIST("A", "B", "C", "D", "E"),
        .labels = LIST("+1", "+1", "-1", "-1", "+1"),
        .values = VALUES(0, 1, 1, 1, 1, 0, /* A */
                         1, 1, 1, 0, 0, 0, /* B */
                         0, 1, 0, 1, 1, 0, /* C */
                         0, 0, 0, 1, 0, 1, /* D */
                         1, 0, 1, 0, 0, 1 /* E */),
    },
    {
        .name = "@points5",
        .brief = "five points of the plane that are separable only with a threshold",
        .features = LIST("x1", "x2"),
        .rows = LIST("A", "B", "C", "D", "E"),
        .labels = LIST("-1", "-1", "-1", "+1", "+1"),
        .values = VALUES(1, 4, 3, 3, 3, 1, 3, 6, 5, 3),
    },
    {
        .name = "@points6",
        .brief = "six points of the plane for gradient descent (Figure 12.18)",
        .features = LIST("x1", "x2"),
        .labels = LIST("+1", "+1", "+1", "-1", "-1", "-1"),
        .values = VALUES(1, 4, 2, 2, 3, 4, 1, 1, 2, 1, 3, 1),
    },
    {
        .name = "@line4",
        .brief = "four pairs x, y for a line fit (Example 12.2)",
        .features = LIST("x"),
        .labels = LIST("2", "1", "4", "3"),
        .values = VALUES(1, 2, 3, 4),
    },
    {
        .name = "@square4",
        .brief = "four points of the plane, all on the margin of the best separator (Example 12.8)",
        .features = LIST("x1", "x2"),
        .labels = LIST("+1", "-1", "+1", "-1"),
        .values = VALUES(1, 2, 2, 1, 3, 4, 4, 3),
    },
    {
        .name = "@peak7",
        .brief = "seven pairs x, y: a function with a peak at 4 (Example 12.12)",
        .features = LIST("x"),
        .labels = LIST("1", "2", "4", "8", "4", "2", "1"),
        .values = VALUES(1, 2, 3, 4, 5, 6, 7),
    },
    {
        .name = "@powers6",
        .brief = "six pairs x, y: x is a power of two (Exercise 12.4.3)",
        .features = LIST("x"),
        .labels = LIST("1", "2", "3", "4", "5", "6"),
        .values = VALUES(1, 2, 4, 8, 16, 32),
    },
    {
        .name = "@dogs",
        .brief = "ten dogs of three breeds by height and weight",
        .features = LIST("height", "weight"),
        .labels = LIST("Chihuahua", "Chihuahua", "Chihuahua", "Dachshund", "Dachshund", "Dachshund",
                       "Beagle", "Beagle", "Beagle", "Beagle"),
        .values = VALUES(5, 2, 4, 1, 6, 2, 5, 4, 6, 5, 4, 6, 8, 5, 9, 6, 10, 7, 8, 8),
    },
    {
        .name = "@utility5",
        .brief = "ratings of five items by five users, two of them blank (UV-decomposition)",
        .features = LIST("u1", "u2", "u3", "u4", "u5", "v1", "v2", "v3", "v4", "v5"),
        .labels = LIST("5", "2", "4", "4", "3", /* u1 */
                       "3", "1", "2", "4", "1", /* u2 */
                       "2", "3", "1", "4",      /* u3 */
                       "2", "5", "4", "3", "5", /* u4 */
                       "4", "4", "5", "4" /* u5 */),
        .pairs = (const uint8_t[]){0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 1, 5, 1, 6, 1, 7,
                                   1, 8, 1, 9, 2, 5, 2, 7, 2, 8, 2, 9, 3, 5, 3, 6,
                                   3, 7, 3, 8, 3, 9, 4, 5, 4, 6, 4, 7, 4, 8},
    },
    {.name = NULL},
};

static uint32_t length_of(const char *const *list)
{
    uint32_t count = 0;

    while (list[count])
        count++;
    return count;
}

static const Builtin *find(const char *name)
{
    for (const Builtin *set = clv_builtins; set->name; set++)
        if (strcmp(name, set->name) == 0)
            return set;
    return NULL;
}

static Status unknown_name(const char *name, cleave_error *error)
{
    const char *names[sizeof clv_builtins / sizeof *clv_builtins];
    const char *nearest;
    char quoted[QUOTE_SIZE], list[256] = "";
    size_t count = 0;

    for (; clv_builtins[count].name; count++) {
        size_t length = strlen(list);

        names[count] = clv_builtins[count].name;
        snprintf(list + length, sizeof list - length, " %s", names[count]);
    }
    names[count] = NULL;
    nearest = cleave_nearest_word(name, names);
    clv_quote(quoted, name, strlen(name));
    if (nearest)
        clv_fail(error, CLEAVE_ERROR_USAGE, "unknown built-in dataset '%s'; did you mean '%s'?",
                 quoted, nearest);
    else
        clv_fail(error, CLEAVE_ERROR_USAGE, "unknown built-in dataset '%s'", quoted);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "the built-in datasets are%s; a file of that name is ./%s", list, quoted);
}

static Status add_rows(const Builtin *set, Labels *labels, Builder *builder, cleave_error *error)
{
    uint32_t width = length_of(set->features);
    float pair[16];

    labels->from_libsvm = true; /* +1 and -1 are numbers, which options may spell 1 and -1 */
    for (uint32_t row = 0; set->labels[row]; row++) {
        uint32_t label;

        TRY(clv_labels_add(labels, set->labels[row], strlen(set->labels[row]), &label, error));
        labels->list[label].count++;
        if (set->pairs) {
            memset(pair, 0, width * sizeof *pair);
            pair[set->pairs[2 * row]] = pair[set->pairs[2 * row + 1]] = 1;
        }
        TRY(clv_builder_add_dense(builder, set->pairs ? pair : set->values + (size_t)row * width,
                                  width, label, error));
        if (set->rows)
            TRY(clv_builder_set_name(builder, set->rows[row], strlen(set->rows[row]), error));
    }
    return OK;
}

static Status fill(const Builtin *set, Dataset *dataset, Builder *builder, cleave_error *error)
{
    Block block;
    uint32_t column;

    dataset->names.implicit = false;
    for (const char *const *feature = set->features; *feature; feature++)
        TRY(clv_names_add(&dataset->names, *feature, strlen(*feature), &column, error));
    snprintf(dataset->schema.format, sizeof dataset->schema.format, "builtin");
    TRY(add_rows(set, &dataset->labels, builder, error));
    TRY(clv_builder_finish(builder, &block, error));
    TRY(clv_dataset_add(dataset, &block, error));
    dataset->features = length_of(set->features);
    return OK;
}

Status clv_builtin_open(Context *context, const char *name, Dataset **result, cleave_error *error)
{
    const Builtin *set = find(name);
    Dataset *dataset;
    Builder builder;
    Status status;

    *result = NULL;
    if (!set)
        return unknown_name(name, error);
    TRY(clv_dataset_new(context, &dataset, error));
    clv_builder_init(&builder, context);
    status = fill(set, dataset, &builder, error);
    clv_builder_free(&builder);
    if (status != OK) {
        clv_dataset_free(dataset);
        return status;
    }
    *result = dataset;
    return OK;
}
