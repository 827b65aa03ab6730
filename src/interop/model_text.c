#include "interop/model_text.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>

void clv_model_text_fail(ModelText *text, Status status)
{
    if (text->status == OK)
        text->status = status;
}

void clv_model_text_add(ModelText *text, const void *bytes, size_t size)
{
    THEN(text->status, clv_buffer_add(text->context, &text->bytes, bytes, size, text->error));
}

void clv_model_text_put(ModelText *text, const char *format, ...)
{
    char few[512], *all = few;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(few, sizeof few, format, arguments);
    va_end(arguments);
    if (length < 0 || text->status != OK)
        return;
    if ((size_t)length >= sizeof few) {
        all = clv_alloc(text->context, (size_t)length + 1, 1);
        if (!all) {
            text->status = clv_fail_memory(text->error, "text", (size_t)length);
            return;
        }
        va_start(arguments, format);
        vsnprintf(all, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    clv_model_text_add(text, all, (size_t)length);
    if (all != few)
        clv_free(text->context, all);
}

void clv_model_text_double(ModelText *text, double value)
{
    char digits[NUMBER_SIZE];

    clv_model_text_add(text, digits, clv_format_double(digits, value));
}

void clv_model_text_digits17(ModelText *text, double value)
{
    char digits[64];
    int length = snprintf(digits, sizeof digits, "%.17g", value);

    for (int i = 0; i < length; i++) /* the decimal separator of the locale */
        if (digits[i] != '-' && digits[i] != '+' && digits[i] != 'e' &&
            (digits[i] < '0' || digits[i] > '9'))
            digits[i] = '.';
    clv_model_text_add(text, digits, (size_t)length);
}
