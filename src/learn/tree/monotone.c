/* Parses monotone constraints: NAME=+ or NAME=-, separated by commas. */
#include "learn/tree/boost.h"

static Status refuse(const Fit *fit, const char *what, const char *piece, size_t length)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                         "example: --monotone age=+,income=- (predictions increase with age and "
                         "decrease with income)",
                         "--monotone: %s, found '%s'", what, clv_quote(quoted, piece, length));
}

static Status find_feature(const Fit *fit, const char *piece, size_t length, uint32_t *feature)
{
    *feature = NO_COLUMN;
    for (uint32_t i = 0; fit->problem->names && i < fit->features && *feature == NO_COLUMN; i++) {
        char buffer[24];
        const char *name = clv_names_get(fit->problem->names, i, buffer);

        if (strlen(name) == length && memcmp(name, piece, length) == 0)
            *feature = i;
    }
    if (*feature == NO_COLUMN)
        return refuse(fit, "expected a column of the data", piece, length);
    if (fit->problem->schema && !fit->problem->names->implicit &&
        clv_schema_is_table(fit->problem->schema)) {
        int column = clv_schema_find(fit->problem->schema, piece, length);

        if (column >= 0 && fit->problem->schema->column[column].kind == COLUMN_CATEGORY)
            return refuse(fit, "expected a numeric column", piece, length);
    }
    return OK;
}

/* A name may contain an equals sign. */
static Status read_piece(const Fit *fit, const char *piece, size_t length, int8_t *directions)
{
    uint32_t feature;

    if (length < 3 || piece[length - 2] != '=' ||
        (piece[length - 1] != '+' && piece[length - 1] != '-'))
        return refuse(fit, "expected NAME=+ or NAME=-", piece, length);
    TRY(find_feature(fit, piece, length - 2, &feature));
    if (directions[feature])
        return refuse(fit, "expected each column at most once", piece, length);
    directions[feature] = piece[length - 1] == '+' ? 1 : -1;
    return OK;
}

Status clv_monotone_read(const Fit *fit, const char *text, int8_t **directions)
{
    *directions = NULL;
    if (!text || !*text)
        return OK;
    TRY(ALLOC_ZERO(fit->context, *directions, fit->features ? fit->features : 1, "columns",
                   fit->error));
    while (*text) {
        size_t length = strcspn(text, ",");

        TRY(read_piece(fit, text, length, *directions));
        text += length + (text[length] == ',');
    }
    return OK;
}
