/* A raw mail: headers, encoded words, parts, transfer encodings, character sets and pages inside
 * it. */
#include "fuzz/fuzz.h"
#include "text/mail.h"

#include <string.h>

static void check_text(const Buffer *text, size_t most)
{
    PROMISE(text->size <= most);
    PROMISE(text->data && text->data[text->size] == '\n');
    PROMISE(text->capacity >= text->size + MAIL_SLACK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    cleave_error error = {0};
    Mail mail = {0};

    clv_mail_begins((const char *)data, size);
    for (int again = 0; again < 2; again++) { /* the second time with reused memory */
        cleave_code code = clv_mail_read(context, (const char *)data, size, &mail, &error);

        if (code != CLEAVE_OK) {
            fuzz_check_error(code, &error);
            break;
        }
        /* A byte becomes three at most; every part and every mail inside the mail adds a
         * newline. */
        check_text(&mail.body, 4 * size + 1);
        check_text(&mail.subject, 3 * size);
        check_text(&mail.address, size);
        check_text(&mail.host, size);
        PROMISE(mail.host.size <= mail.address.size);
        PROMISE(!mail.address.size || memchr(mail.address.data, '@', mail.address.size));
    }
    clv_mail_free(context, &mail);
    cleave_context_free(context);
    return 0;
}
