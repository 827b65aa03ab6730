/*
 * Words of documents become columns: what every reader of text shares (documents a line, folders, mail, text cells of a
 * table).
 *
 * A document is begun, given text and ready-made features as often as wanted, and ended with its label; features are
 * counted, so a word that occurs twice in a document has the value 2 there. A chunk's words are numbered in order of first
 * appearance in a dictionary of the chunk's own, so that parsing can be done anywhere. Settling gives every different word
 * of the chunk, once, its number in the data set: names are added in the order of the files whoever parsed them.
 * The dictionary is kept for the next chunk, so that most words need no second look-up.
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
#include "text/tokens.h"

/* Nothing behind a text is read; those who copy texts leave room for a newline. */
#define WORDS_SLACK 8

typedef struct {
    uint32_t column;
    uint32_t count;
} WordCount;

typedef struct Word Word;

/* Zeroed is empty. */
typedef struct {
    Context *context;

    /* The dictionary: it outlives the chunk, and knows the column of what was settled before. */
    Word *word; /* into word_memory, from a multiple of their size on */
    void *word_memory;
    uint32_t *column; /* of each word in the data set; of a new one not before the chunk is settled */
    size_t words, word_capacity, column_capacity;
    Buffer text;    /* of words that are longer than their key */
    uint32_t *slot; /* open addressing: words_dictionary.h */
    size_t slots;
    uint32_t *fresh; /* words that the chunk under way is the first to count, in order */
    size_t fresh_count, fresh_capacity;
    uint32_t documents; /* since the dictionary was empty */
    uint32_t names;     /* how many there were when a chunk was last settled */

    struct WordsRow {
        size_t end; /* of its entries */
        uint64_t line;
        uint32_t label;
    } * row;
    size_t rows, row_capacity;
    WordCount *entry; /* .column is the number of the word in the dictionary */
    size_t entries, entry_capacity;

    Tokens *tokens;
    const struct WordsPlan *plan;
    struct WordsMaker *maker; /* what it takes to make other features than plain words */

    /* While settling: the entries of the rows, columns increasing. */
    WordCount *settled;
    struct WordsPlace *one, *other;
    size_t settled_capacity, one_capacity, other_capacity;
    size_t *row_end;
    size_t row_end_capacity;
} Words;

/* Once per file: makes the reader's names words, unless a model's are not; finds out from its options, or from the model's schema, by
 * which rules text is read, and leaves them in its own schema. */
Status clv_words_start(Reader *reader, cleave_error *error);
void clv_words_forget_plan(Reader *reader);
/* At the end of the data: how many words share a column, where they are hashed. */
void clv_words_tell(const Reader *reader);

/* Ready for the next chunk of the reader; keeps the memory. */
void clv_words_clear(Words *words, const Reader *reader);
void clv_words_free(Context *context, void *words); /* as a Format.free_scratch */

Status clv_words_begin(Words *words, cleave_error *error);
/* Every word of the text; with a prefix ("subject:"), which may be NULL, before each. */
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
 * entries of a row, columns increasing; they live until the next chunk is parsed. */
Status clv_words_number(Words *words, Reader *reader, cleave_error *error);
const WordCount *clv_words_row(const Words *words, size_t row, size_t *count);
/* The entries of a row, as the next of the builder's, which is not ended. *empty: it has words, none of which the model knows. */
Status clv_words_put_row(const Words *words, size_t row, Builder *builder, bool *empty, cleave_error *error);

#endif
