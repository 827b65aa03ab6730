/*
 * For tests of readers: reads bytes to their end and writes the rows as text, one per line, which
 * is compared with the expected text:
 *
 *     label name:value name:value …        unlabeled: ?
 */
#ifndef TESTS_READ_ALL_H
#define TESTS_READ_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "read/reader.h"

typedef struct {
    char *data;
    size_t size, capacity;
} Text;

static inline void text_add(Text *text, const void *bytes, size_t size)
{
    if (text->size + size + 1 > text->capacity) {
        text->capacity = 2 * (text->size + size + 1);
        text->data = realloc(text->data, text->capacity);
        assert_non_null(text->data);
    }
    if (size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

static inline void text_put(Text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

static inline void text_put_value(Text *text, float value)
{
    char number[NUMBER_SIZE];

    text_add(text, number, clv_format_float(number, value));
}

static inline void text_free(Text *text)
{
    free(text->data);
    *text = (Text){.data = NULL};
}

static inline void text_put_row(Text *text, const Source *source, const Block *block, uint32_t row)
{
    uint32_t label = block_label(block, row);

    text_put(text, label == UNLABELED ? "?" : source->labels.list[label].text);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        char buffer[24];

        text_put(text, " ");
        text_put(text, clv_names_get(&source->names, walk.column, buffer));
        text_put(text, ":");
        text_put_value(text, walk.value);
    }
    text_put(text, "\n");
}

/* How to read the bytes, in addition to the format. */
typedef struct {
    const char *name; /* for messages; "test" unless set */
    const char *labels;
    const ReadGuide *guide;
    size_t chunk_bytes;
    unsigned threads;
    const ReadOptions *text; /* set if its options for text are used */
} How;

static inline Status text_put_source(Text *text, Source *source, cleave_error *error)
{
    for (;;) {
        const Block *block;
        Status status = source_next(source, &block, error);

        if (status != OK || !block)
            return status;
        for (uint32_t row = 0; row < block->rows; row++)
            text_put_row(text, source, block, row);
    }
}

/* Reads from a copy that ends with the bytes, so that sanitizers detect reading past the end. */
static inline Status read_all(const Format *format, const void *bytes, size_t size, How how,
                              Text *text, cleave_error *error)
{
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = how.threads ? how.threads : 1});
    ReadOptions options = {.format = "auto"};
    Source *source = NULL;
    char *copy = malloc(size ? size : 1);
    Status status;

    assert_non_null(context);
    assert_non_null(copy);
    if (size)
        memcpy(copy, bytes, size);
    clv_params_initial(clv_read_params, &options);
    options.labels = how.labels;
    options.chunk_bytes = how.chunk_bytes;
    if (how.text) {
        options.stop_words = how.text->stop_words;
        options.stem = how.text->stem;
        options.ngrams = how.text->ngrams;
        options.chars = how.text->chars;
        options.hash_bits = how.text->hash_bits;
        options.hash_names = how.text->hash_names;
        options.keep_case = how.text->keep_case;
    }
    text_add(text, "", 0);
    text->size = 0;
    text->data[0] = '\0';
    *error = (cleave_error){.code = OK};
    status = clv_read_memory(context, how.name ? how.name : "test", copy, size, format, &options,
                             how.guide, &source, error);
    if (status == OK)
        status = text_put_source(text, source, error);
    clv_source_close(source);
    cleave_context_free(context);
    free(copy);
    return status;
}

static inline void assert_reads(const Format *format, const void *bytes, size_t size, How how,
                                const char *expected)
{
    Text text = {.data = NULL};
    cleave_error error;
    Status status = read_all(format, bytes, size, how, &text, &error);

    if (status != OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, OK);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

static inline void assert_refuses(const Format *format, const void *bytes, size_t size, How how,
                                  const char *message)
{
    Text text = {.data = NULL};
    cleave_error error;
    Status status = read_all(format, bytes, size, how, &text, &error);

    assert_int_not_equal(status, OK);
    if (!strstr(error.message, message))
        print_error("expected '%s' in '%s'\n", message, error.message);
    assert_non_null(strstr(error.message, message));
    text_free(&text);
}

/* A file that exists during the test. */
static inline void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
