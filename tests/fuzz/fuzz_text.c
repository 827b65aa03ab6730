/* Lines of label TAB text: plain words, and all features that can be made of them. */
#include "fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ReadOptions rules[] = {
        {.ngrams = "1-3", .stop_words = "english", .keep_case = true},
        {.chars = "2-4", .hash_bits = 5, .hash_names = true},
        {.ngrams = "2", .chars = "1", .hash_bits = 3}};
    cleave_context *context = fuzz_context();
    ReadOptions options = {0};

    clv_params_initial(clv_read_params, &options);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        options.ngrams = rules[i].ngrams;
        options.chars = rules[i].chars;
        options.stop_words = rules[i].stop_words;
        options.keep_case = rules[i].keep_case;
        options.hash_bits = rules[i].hash_bits;
        options.hash_names = rules[i].hash_names;
        fuzz_read(context, &clv_format_text, &options, data, size);
    }
    cleave_context_free(context);
    return fuzz_format(&clv_format_text, data, size);
}
