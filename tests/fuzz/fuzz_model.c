/* Model files with the checksum switched off (nohash.c). All functions that need no file run on
 * a model that loads (attack/use_model.c). */
#include "attack/use_model.h"
#include "fuzz/fuzz.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    cleave_error error = {0};
    cleave_model *model = NULL;
    Status status = clv_model_from_bytes(context, "input", data, size, &model, &error);

    if (status == OK) {
        use_model_alone(context, model);
        cleave_model_free(model);
    } else {
        fuzz_check_error(status, &error);
    }
    cleave_context_free(context);
    return 0;
}
