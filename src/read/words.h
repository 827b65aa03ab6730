/*
 * Converts words of documents to columns, for every reader of text (lines, folders, mail, text
 * cells of a table).
 *
 * A reader begins a document, adds text and ready-made features, and ends it with its label.
 * Features are counts: a word that occurs twice in a document has the value 2. A chunk numbers its
 * words in order of first appearance in its own dictionary, so chunks are parsed independently.
 * Settling assigns each distinct word of the chunk its column in the data, in file order,
 * independent of the parsing thread. The dictionary is kept for the next chunk, so most words need
 * no second lookup.
 *
 * A reader whose rows are only words uses Words as the scratch space of its chunks. While parsing
 * it calls
 *
 *     clv_words_clear(words, reader);
 *     clv_words_begin(words, error)
 *     clv_words_text(words, prefix, text, stop, error)        once or more
 *     clv_words_feature(words, name, length, count, error)    optional
 *     clv_words_end(words, chunk, label, length, line)
 *
 * It calls clv_words_start in Format.start and sets Format.settle to clv_words_settle_chunk. A
 * reader of tables keeps a Words beside its own data and ends a document with
 * clv_words_end_unlabeled. In settling it calls clv_words_number once and clv_words_row for each
 * row.
 */
#ifndef READ_WORDS_H
#define READ_WORDS_H

#include "read/reader.h"
#include "text/tokens.h"

/* Bytes after a text are not read; functions that copy texts leave space for a newline. */
#define WORDS_SLACK 8

typedef struct {
    uint32_t column;
    uint32_t count;
} WordCount;

typedef struct Word Word;

/* A zeroed Words is empty. */
typedef struct {
    Context *context;

    /* The dictionary outlives the chunk and stores the columns of settled words. */
    Word *word; /* offsets into word_memory, aligned to their size */
    void *word_memory;
    /* column of each word in the data; unset for a new word until the chunk is settled */
    uint32_t *column;
    size_t words, word_capacity, column_capacity;
    Buffer text;    /* text of words longer than their key */
    uint32_t *slot; /* hash table with open addressing: words_dictionary.h */
    size_t slots;
    uint32_t *fresh; /* words first counted in the current chunk, in order */
    size_t fresh_count, fresh_capacity;
    uint32_t documents; /* number of documents since the dictionary was empty */
    uint32_t names;     /* number of names at the last settling */

    struct WordsRow {
        size_t end; /* end of the entries of each row */
        uint64_t line;
        uint32_t label;
    } * row;
    size_t rows, row_capacity;
    /* .column is the number of the word in the dictionary until the chunk is settled */
    WordCount *entry;
    size_t entries, entry_capacity;

    Tokens *tokens;
    const struct WordsPlan *plan;
    struct WordsMaker *maker; /* state for features other than plain words */

    /* During settling: the entries of the rows, columns increasing. */
    WordCount *settled;
    struct WordsPlace *one, *other;
    size_t settled_capacity, one_capacity, other_capacity;
    size_t *row_end;
    size_t row_end_capacity;
} Words;

/* Called once per file. Sets the reader's names to words, unless the model has other features.
 * Takes the text rules from the options or from the model's schema, and stores them in its own
 * schema. */
Status clv_words_start(Reader *reader, cleave_error *error);
void clv_words_forget_plan(Reader *reader);
/* At the end of the data: prints a note with the number of hashed words that share a column. */
void clv_words_note_collisions(const Reader *reader);

/* Prepares for the next chunk of the reader; keeps the memory. */
void clv_words_clear(Words *words, const Reader *reader);
void clv_words_free(Context *context, void *words); /* suitable as Format.free_scratch */

Status clv_words_begin(Words *words, cleave_error *error);
/* Adds every word of the text, each with the prefix ("subject:"), which may be NULL. */
Status clv_words_text(Words *words, const char *prefix, const char *text, const char *stop,
                      cleave_error *error);
/* Adds `count` to a feature that is not a word of the text ("from-host:example.com"); at most
 * WORDS_FEATURE_MOST bytes of the name are used. */
#define WORDS_FEATURE_MOST 255
Status clv_words_feature(Words *words, const char *name, size_t length, uint32_t count,
                         cleave_error *error);
/* Ends the document. line counts from 1 in the chunk. Records in the chunk that a document has no
 * features. */
Status clv_words_end(Words *words, Chunk *chunk, const char *label, size_t length, uint64_t line);
void clv_words_end_unlabeled(Words *words, uint64_t line);

/* Settles a format whose rows are only words, with Words as the chunk's scratch space. */
Status clv_words_settle_chunk(Reader *reader, Chunk *chunk, cleave_error *error);

/* The two parts of settling. clv_words_number assigns the words' columns in the data (or in the
 * model, where new words are dropped). clv_words_row returns the entries of a row, with increasing
 * columns; they are valid until the next chunk is parsed. */
Status clv_words_number(Words *words, Reader *reader, cleave_error *error);
const WordCount *clv_words_row(const Words *words, size_t row, size_t *count);
/* Adds the entries of a row to the builder without ending the row. Sets *empty if the row has
 * words, but the model has none of them. */
Status clv_words_put_row(const Words *words, size_t row, Builder *builder, bool *empty,
                         cleave_error *error);

#endif
