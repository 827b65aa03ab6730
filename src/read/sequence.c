#include "read/sequence.h"

#include "read/words_dictionary.h"
#include "text/unicode.h"

bool clv_reads_sequences(const Reader *reader)
{
    return reader->words && reader->words->rules.sequence;
}

Status clv_sequence_row(Chunk *chunk, const char *text, const char *stop, const char *label,
                        size_t length, uint64_t line)
{
    Builder *builder = &chunk->builder;
    uint32_t column = 0, number;

    if (stop > text && stop[-1] == '\r')
        stop--;
    clv_builder_begin_row(builder);
    while (text < stop) {
        if (column == MOST_SEQUENCE) {
            clv_chunk_fail(chunk, line, 0, CLEAVE_ERROR_DATA,
                           "expected a sequence of at most %u characters, found more",
                           MOST_SEQUENCE);
            return clv_chunk_hint(chunk, "omit --sequence to use the words of a text as features, "
                                         "without a limit on its length");
        }
        TRY(clv_builder_add(builder, column++, (float)clv_character(&text, stop), &chunk->error));
    }
    TRY(clv_chunk_label(chunk, label, length, line, &number));
    TRY(clv_builder_end_row(builder, number, &chunk->error));
    return clv_builder_set_line(builder, line, &chunk->error);
}
