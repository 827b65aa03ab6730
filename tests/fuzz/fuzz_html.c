/* An HTML page. */
#include "fuzz/fuzz.h"
#include "text/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    cleave_error error = {0};
    Buffer text = {0};
    cleave_code code = clv_html_text(context, (const char *)data, size, &text, &error);

    clv_html_begins((const char *)data, size);
    if (code != CLEAVE_OK)
        fuzz_check_error(code, &error);
    PROMISE(text.size <= 3 * size);
    clv_free(context, text.data);
    cleave_context_free(context);
    return 0;
}
