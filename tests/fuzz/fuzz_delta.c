/*
 * Updates as bytes, which ranks and workers send: a delta or a tree of deltas that can be read is
 * written as bytes that are read as the same.
 */
#include "fuzz/fuzz.h"
#include "model/delta_bytes.h"

static void read_delta(cleave_context *context, const uint8_t *data, size_t size)
{
    DeltaBytes bytes = {.at = data, .end = data + size};
    cleave_error error = {0};
    Buffer written = {0};
    Delta delta, again;
    Status status;

    clv_delta_init(&delta, context);
    clv_delta_init(&again, context);
    status = clv_delta_from_bytes(&bytes, &delta, &error);
    if (status == OK) {
        PROMISE(bytes.at <= bytes.end);
        PROMISE(clv_delta_to_bytes(&delta, context, &written, &error) == OK);
        bytes = (DeltaBytes){.at = (unsigned char *)written.data,
                             .end = (unsigned char *)written.data + written.size};
        PROMISE(clv_delta_from_bytes(&bytes, &again, &error) == OK);
        PROMISE(bytes.at == bytes.end);
    } else {
        fuzz_check_error(status, &error);
    }
    clv_free(context, written.data);
    clv_delta_free(&delta);
    clv_delta_free(&again);
}

static void read_tree(cleave_context *context, const uint8_t *data, size_t size)
{
    cleave_error error = {0};
    Buffer written = {0};
    DeltaTree tree, again;
    Status status;

    clv_delta_tree_init(&tree, context, 16);
    clv_delta_tree_init(&again, context, 16);
    status = clv_delta_tree_from_bytes(&tree, data, size, &error);
    if (status == OK) {
        PROMISE(clv_delta_tree_to_bytes(&tree, &written, &error) == OK);
        PROMISE(clv_delta_tree_from_bytes(&again, written.data, written.size, &error) == OK);
    } else {
        fuzz_check_error(status, &error);
    }
    clv_free(context, written.data);
    clv_delta_tree_free(&tree);
    clv_delta_tree_free(&again);
}

/* The first byte selects the format. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context;

    if (size == 0)
        return 0;
    context = fuzz_context();
    if (data[0] % 2 == 0)
        read_delta(context, data + 1, size - 1);
    else
        read_tree(context, data + 1, size - 1);
    cleave_context_free(context);
    return 0;
}
