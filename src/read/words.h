/*
 * Words of documents become columns: what every reader of text shares (documents a line, folders, mail, text cells of a
 * table).
 *
 * A document is begun, given text and ready-made features as often as wanted, and ended with its label; features are
 * counted, so a word that occurs twice in a document has the value 2 there. A chunk's words are numbered in order of first
 * appearance in a dictionary of the chunk's own, so that parsing can be done anywhere. Settling gives every different word
 * of the chunk, once, its number in the data set: names are added in the order of the files whoever parsed them.
 *
 * A reader whose rows are nothing but words has Words as its chunk's scratch, calls
 *
 *     clv_words_clear(words, reader);
 *     clv_words_begin(words, error)
 *     clv_words_text(words, prefix, text, stop, error)        once or more
 *     clv_words_feature(words, name, length, count, error)    perhaps
 *     clv_words_end(words, chunk, label, length, line)
 *
 * while parsing, clv_words_start in its Format.start, and has clv_words_settle_chunk as its Format.settle. One whose rows have more (tables) keeps a Words beside
 * its own things, ends a document with clv_words_end_unlabelled, and when it settles calls clv_words_number once and
 * clv_words_row for each row.
 */
#ifndef READ_WORDS_H
#define READ_WORDS_H

#include "read/reader.h"

/* So many bytes behind a text must be readable; the first of them is not part of a word (a newline will do). */
#define WORDS_SLACK 8

typedef struct {
    uint32_t column;
    uint32_t count;
} WordCount;

typedef struct Word Word;

/* Zeroed is empty. */
typedef struct {
    Context *context;
    Word *word;
    size_t words, word_capacity;
    Buffer text;
    uint32_t *slot; /* open addressing: number of the word + 1 */
    size_t slots;

    struct WordsRow {
        size_t end; /* of its entries */
        uint64_t line;
        uint32_t label;
    } * row;
    size_t rows, row_capacity;
    WordCount *entry; /* .column is the number of the word in this dictionary */
    size_t entries, entry_capacity;

    /* While settling. */
    uint32_t *column; /* of each word in the data set */
    WordCount *sorted, *spare;
    size_t column_capacity, sorted_capacity, spare_capacity;
} Words;

/* Once per file: makes the reader's names words, unless a model's are not. */
Status clv_words_start(Reader *reader, cleave_error *error);

/* Ready for the next chunk of the reader; keeps the memory. */
void clv_words_clear(Words *words, const Reader *reader);
void clv_words_free(Context *context, void *words); /* as a Format.free_scratch */

Status clv_words_begin(Words *words, cleave_error *error);
/* Every word of the text; with a prefix ("subject:"), which may be NULL, before each. See WORDS_SLACK. */
Status clv_words_text(Words *words, const char *prefix, const char *text, const char *stop, cleave_error *error);
/* A feature that is not a word of the text ("from-host:example.com"), at most WORDS_FEATURE_MOST bytes of it; count times
 * more. */
#define WORDS_FEATURE_MOST 255
Status clv_words_feature(Words *words, const char *name, size_t length, uint32_t count, cleave_error *error);
/* Ends the document; line from 1 in the chunk. Notes a document without features in the chunk. */
Status clv_words_end(Words *words, Chunk *chunk, const char *label, size_t length, uint64_t line);
void clv_words_end_unlabelled(Words *words, uint64_t line);

/* The settle of a format whose rows are words alone, with Words as the chunk's scratch. */
Status clv_words_settle_chunk(Reader *reader, Chunk *chunk, cleave_error *error);

/* The parts of it. Number: the words' columns in the data set (or in the model, new words then being dropped). Row: the
 * entries of a row, columns increasing; they live until the next call. */
Status clv_words_number(Words *words, Reader *reader, cleave_error *error);
Status clv_words_row(Words *words, size_t row, const WordCount **entries, size_t *count, cleave_error *error);

#endif
