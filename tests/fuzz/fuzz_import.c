/* Model files of other programs. All functions that need no file run on a model that is imported
 * (attack/use_model.c). */
#define _GNU_SOURCE
#include "attack/use_model.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    cleave_error error = {0};
    cleave_model *model = NULL;
    int file = memfd_create("model", 0);
    cleave_code code;
    char path[32];

    PROMISE(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    code = cleave_import(context, path, &model, &error);
    if (code == CLEAVE_OK) {
        use_model_alone(context, model);
        cleave_model_free(model);
    } else {
        fuzz_check_error(code, &error);
    }
    close(file);
    cleave_context_free(context);
    return 0;
}
