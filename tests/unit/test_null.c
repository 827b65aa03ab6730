/*
 * NULL for required arguments, for all of the public headers: every function that returns a code
 * refuses it with CLEAVE_ERROR_USAGE before any other check, and every function that frees accepts
 * it. The test fails for a function of the headers that is not in the lists below.
 */
#include "property/table.h"

#include "support/support.h"

#include <cleave/active.h>

#include <stdlib.h>

/* Stands for arguments that are valid pointers and must not be used. */
static char memory[64];
static void *const any = memory;

static cleave_code on_prediction(void *user, const cleave_prediction *prediction,
                                 cleave_error *error)
{
    (void)user;
    (void)prediction;
    (void)error;
    return CLEAVE_OK;
}

static cleave_code on_found(void *user, const cleave_found *found, cleave_error *error)
{
    (void)user;
    (void)found;
    (void)error;
    return CLEAVE_OK;
}

static cleave_code on_bytes(void *user, const void *bytes, size_t size, cleave_error *error)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)error;
    return CLEAVE_OK;
}

static void on_trace(void *user, const cleave_trace_event *event)
{
    (void)user;
    (void)event;
}

/* Functions that were called. */
typedef struct {
    const char *name[256];
    size_t count;
} Seen;

static void add_seen(Seen *seen, const char *name)
{
    if (seen->count == 0 || strcmp(seen->name[seen->count - 1], name) != 0)
        seen->name[seen->count++] = name;
}

static bool was_seen(const Seen *seen, const char *name, size_t length)
{
    for (size_t i = 0; i < seen->count; i++)
        if (strlen(seen->name[i]) == length && memcmp(seen->name[i], name, length) == 0)
            return true;
    return false;
}

#define REFUSED(function, arguments)                                                               \
    do {                                                                                           \
        error = (cleave_error){0};                                                                 \
        add_seen(seen, #function);                                                                 \
        assert_int_equal(function arguments, CLEAVE_ERROR_USAGE);                                  \
        assert_int_equal(error.code, CLEAVE_ERROR_USAGE);                                          \
        assert_says(&error, #function ": an argument is NULL");                                    \
    } while (0)

#define FREES(function)                                                                            \
    do {                                                                                           \
        add_seen(seen, #function);                                                                 \
        function(NULL);                                                                            \
    } while (0)

static void refuse_1(Seen *seen)
{
    cleave_error error;

    REFUSED(cleave_open, (NULL, any, NULL, any, &error));
    REFUSED(cleave_open, (any, NULL, NULL, any, &error));
    REFUSED(cleave_open, (any, any, NULL, NULL, &error));
    REFUSED(cleave_train, (NULL, any, any, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_train, (any, NULL, any, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_train, (any, any, NULL, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_train, (any, any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_train_from, (NULL, any, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_train_from, (any, NULL, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_train_from, (any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_update, (NULL, any, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_update, (any, NULL, NULL, NULL, any, NULL, &error));
    REFUSED(cleave_update, (any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_save, (NULL, any, &error));
    REFUSED(cleave_save, (any, NULL, &error));
    REFUSED(cleave_load, (NULL, any, any, &error));
    REFUSED(cleave_load, (any, NULL, any, &error));
    REFUSED(cleave_load, (any, any, NULL, &error));
    REFUSED(cleave_options_set, (NULL, any, any, &error));
    REFUSED(cleave_options_set, (any, NULL, any, &error));
    REFUSED(cleave_options_set, (any, any, NULL, &error));
    REFUSED(cleave_open_files, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_open_files, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_open_files, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_open_for, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_open_for, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_open_for, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_open_raw_for, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_open_raw_for, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_open_raw_for, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_open_to_update, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_open_to_update, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_open_to_update, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_open_like, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_open_like, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_open_like, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_data_new, (NULL, any, &error));
    REFUSED(cleave_data_new, (any, NULL, &error));
    REFUSED(cleave_data_add, (NULL, NULL, 1, any, any, &error));
    REFUSED(cleave_data_add, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_data_add, (any, NULL, 1, any, NULL, &error));
    REFUSED(cleave_export, (NULL, any, NULL, &error));
    REFUSED(cleave_export, (any, NULL, NULL, &error));
    REFUSED(cleave_import, (NULL, any, any, &error));
    REFUSED(cleave_import, (any, NULL, any, &error));
    REFUSED(cleave_import, (any, any, NULL, &error));
    REFUSED(cleave_convert, (NULL, any, NULL, any, &error));
    REFUSED(cleave_convert, (any, NULL, NULL, any, &error));
    REFUSED(cleave_split, (NULL, any, any, NULL, any, &error));
    REFUSED(cleave_split, (any, NULL, any, NULL, any, &error));
    REFUSED(cleave_split, (any, any, NULL, NULL, any, &error));
    REFUSED(cleave_describe, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_describe, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_describe, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_crowd_new, (NULL, any, 1, NULL, NULL, any, &error));
    REFUSED(cleave_crowd_new, (any, NULL, 1, NULL, NULL, any, &error));
    REFUSED(cleave_crowd_new, (any, any, 1, NULL, NULL, NULL, &error));
    REFUSED(cleave_crowd_write, (NULL, any, NULL, &error));
    REFUSED(cleave_crowd_write, (any, NULL, NULL, &error));
    REFUSED(cleave_active_new, (NULL, any, any, NULL, false, NULL, NULL, any, &error));
    REFUSED(cleave_active_new, (any, NULL, any, NULL, false, NULL, NULL, any, &error));
    REFUSED(cleave_active_new, (any, any, NULL, NULL, false, NULL, NULL, any, &error));
    REFUSED(cleave_active_new, (any, any, any, NULL, false, NULL, NULL, NULL, &error));
    REFUSED(cleave_active_next, (NULL, any, &error));
    REFUSED(cleave_active_next, (any, NULL, &error));
    REFUSED(cleave_active_label, (NULL, 0, any, &error));
    REFUSED(cleave_active_label, (any, 0, NULL, &error));
    REFUSED(cleave_active_skip, (NULL, 0, &error));
    REFUSED(cleave_active_undo, (NULL, any, &error));
    REFUSED(cleave_active_get_state, (NULL, any, &error));
    REFUSED(cleave_active_get_state, (any, NULL, &error));
    REFUSED(cleave_active_model, (NULL, any, &error));
    REFUSED(cleave_active_model, (any, NULL, &error));
    REFUSED(cleave_active_write, (NULL, any, any, &error));
    REFUSED(cleave_active_write, (any, NULL, any, &error));
    REFUSED(cleave_active_compare, (NULL, any, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_active_compare, (any, NULL, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_active_compare, (any, any, NULL, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_active_compare, (any, any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_plot_of_active, (NULL, any, NULL, any, &error));
    REFUSED(cleave_plot_of_active, (any, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_active, (any, any, NULL, NULL, &error));
    REFUSED(cleave_generate, (NULL, any, any, NULL, any, &error));
    REFUSED(cleave_generate, (any, NULL, any, NULL, any, &error));
    REFUSED(cleave_generate, (any, any, NULL, NULL, any, &error));
    REFUSED(cleave_output_open, (NULL, any, any, &error));
    REFUSED(cleave_output_open, (any, NULL, any, &error));
    REFUSED(cleave_output_open, (any, any, NULL, &error));
    REFUSED(cleave_lock_open, (NULL, any, any, &error));
    REFUSED(cleave_lock_open, (any, NULL, any, &error));
    REFUSED(cleave_lock_open, (any, any, NULL, &error));
    REFUSED(cleave_output_write, (NULL, any, 1, &error));
    REFUSED(cleave_output_write, (any, NULL, 1, &error));
    REFUSED(cleave_output_commit, (NULL, &error));
    REFUSED(cleave_plan_new, (NULL, NULL, any, &error));
    REFUSED(cleave_plan_new, (any, NULL, NULL, &error));
}

static void refuse_2(Seen *seen)
{
    cleave_error error;

    REFUSED(cleave_trace, (NULL, any, any, NULL, on_trace, NULL, any, NULL, &error));
    REFUSED(cleave_trace, (any, NULL, any, NULL, on_trace, NULL, any, NULL, &error));
    REFUSED(cleave_trace, (any, any, NULL, NULL, on_trace, NULL, any, NULL, &error));
    REFUSED(cleave_predict, (NULL, any, NULL, on_prediction, NULL, &error));
    REFUSED(cleave_predict, (any, NULL, NULL, on_prediction, NULL, &error));
    REFUSED(cleave_predict, (any, any, NULL, NULL, NULL, &error));
    REFUSED(cleave_evaluate, (NULL, any, NULL, any, &error));
    REFUSED(cleave_evaluate, (any, NULL, NULL, any, &error));
    REFUSED(cleave_evaluate, (any, any, NULL, NULL, &error));
    REFUSED(cleave_evaluate_details, (NULL, any, NULL, any, any, &error));
    REFUSED(cleave_evaluate_details, (any, NULL, NULL, any, any, &error));
    REFUSED(cleave_evaluate_details, (any, any, NULL, NULL, any, &error));
    REFUSED(cleave_evaluate_details, (any, any, NULL, any, NULL, &error));
    REFUSED(cleave_evaluate_plots, (NULL, any, NULL, any, any, any, &error));
    REFUSED(cleave_evaluate_plots, (any, NULL, NULL, any, any, any, &error));
    REFUSED(cleave_evaluate_plots, (any, any, NULL, NULL, any, any, &error));
    REFUSED(cleave_evaluate_plots, (any, any, NULL, any, NULL, any, &error));
    REFUSED(cleave_evaluate_plots, (any, any, NULL, any, any, NULL, &error));
    REFUSED(cleave_cv, (NULL, any, any, NULL, NULL, any, &error));
    REFUSED(cleave_cv, (any, NULL, any, NULL, NULL, any, &error));
    REFUSED(cleave_cv, (any, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_cv, (any, any, any, NULL, NULL, NULL, &error));
    REFUSED(cleave_tune, (NULL, any, any, NULL, NULL, any, &error));
    REFUSED(cleave_tune, (any, NULL, any, NULL, NULL, any, &error));
    REFUSED(cleave_tune, (any, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_tune, (any, any, any, NULL, NULL, NULL, &error));
    REFUSED(cleave_compare, (NULL, any, NULL, any, &error));
    REFUSED(cleave_compare, (any, NULL, NULL, any, &error));
    REFUSED(cleave_compare, (any, any, NULL, NULL, &error));
    REFUSED(cleave_plot_of_training, (NULL, any, any, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_training, (any, NULL, any, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_training, (any, any, NULL, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_training, (any, any, any, NULL, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_training, (any, any, any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_permutation_importance, (NULL, any, 1, any, any, any, &error));
    REFUSED(cleave_permutation_importance, (any, NULL, 1, any, any, any, &error));
    REFUSED(cleave_permutation_importance, (any, any, 1, NULL, any, any, &error));
    REFUSED(cleave_permutation_importance, (any, any, 1, any, NULL, any, &error));
    REFUSED(cleave_permutation_importance, (any, any, 1, any, any, NULL, &error));
    REFUSED(cleave_plot_of_model, (NULL, any, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_model, (any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_model, (any, any, NULL, NULL, NULL, &error));
    REFUSED(cleave_plot_of_data, (NULL, any, NULL, any, &error));
    REFUSED(cleave_plot_of_data, (any, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_data, (any, any, NULL, NULL, &error));
    REFUSED(cleave_plot_of_nothing, (NULL, any, NULL, any, &error));
    REFUSED(cleave_plot_of_nothing, (any, NULL, NULL, any, &error));
    REFUSED(cleave_plot_of_nothing, (any, any, NULL, NULL, &error));
    REFUSED(cleave_margins_of_model, (NULL, any, true, 1, any, &error));
    REFUSED(cleave_margins_of_model, (any, NULL, true, 1, any, &error));
    REFUSED(cleave_margins_of_model, (any, any, true, 1, NULL, &error));
    REFUSED(cleave_margins_of_weights, (NULL, any, true, 1, any, &error));
    REFUSED(cleave_margins_of_weights, (any, NULL, true, 1, any, &error));
    REFUSED(cleave_margins_of_weights, (any, any, true, 1, NULL, &error));
    REFUSED(cleave_separators_of, (NULL, any, &error));
    REFUSED(cleave_separators_of, (any, NULL, &error));
    REFUSED(cleave_map_contributions, (NULL, any, 1, NULL, any, &error));
    REFUSED(cleave_map_contributions, (any, NULL, 1, NULL, any, &error));
    REFUSED(cleave_map_contributions, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_plot_draw, (NULL, any, any, on_bytes, NULL, &error));
    REFUSED(cleave_plot_draw, (any, NULL, any, on_bytes, NULL, &error));
    REFUSED(cleave_plot_draw, (any, any, NULL, on_bytes, NULL, &error));
    REFUSED(cleave_plot_draw, (any, any, any, NULL, NULL, &error));
    REFUSED(cleave_predict_row, (NULL, 1, any, any, any, &error));
    REFUSED(cleave_predict_row, (any, 1, NULL, any, any, &error));
    REFUSED(cleave_predict_row, (any, 1, any, NULL, any, &error));
    REFUSED(cleave_predict_row, (any, 1, any, any, NULL, &error));
    REFUSED(cleave_model_support_vectors, (NULL, any, any, &error));
    REFUSED(cleave_model_support_vectors, (any, NULL, any, &error));
    REFUSED(cleave_model_support_vectors, (any, any, NULL, &error));
    REFUSED(cleave_explain_row, (NULL, any, 1, any, &error));
    REFUSED(cleave_explain_row, (any, NULL, 1, any, &error));
    REFUSED(cleave_explain_row, (any, any, 1, NULL, &error));
}

static void refuse_3(Seen *seen)
{
    cleave_error error;

    REFUSED(cleave_explain_text, (NULL, any, 1, any, &error));
    REFUSED(cleave_explain_text, (any, NULL, 1, any, &error));
    REFUSED(cleave_explain_text, (any, any, 1, NULL, &error));
    REFUSED(cleave_recommend, (NULL, "a", 1, false, any, any, &error));
    REFUSED(cleave_recommend, (any, NULL, 1, false, any, any, &error));
    REFUSED(cleave_recommend, (any, "a", 1, false, NULL, any, &error));
    REFUSED(cleave_recommend, (any, "a", 1, false, any, NULL, &error));
    REFUSED(cleave_similar_items, (NULL, "a", 1, any, any, &error));
    REFUSED(cleave_similar_items, (any, NULL, 1, any, any, &error));
    REFUSED(cleave_similar_items, (any, "a", 1, NULL, any, &error));
    REFUSED(cleave_similar_items, (any, "a", 1, any, NULL, &error));
    REFUSED(cleave_write_item_vectors, (NULL, "-", NULL, &error));
    REFUSED(cleave_write_item_vectors, (any, NULL, NULL, &error));
    REFUSED(cleave_searcher_open, (NULL, NULL, any, &error));
    REFUSED(cleave_searcher_open, (any, NULL, NULL, &error));
    REFUSED(cleave_search, (NULL, any, on_found, NULL, &error));
    REFUSED(cleave_search, (any, NULL, on_found, NULL, &error));
    REFUSED(cleave_search, (any, any, NULL, NULL, &error));
    REFUSED(cleave_search_vectors, (NULL, any, 1, NULL, NULL, &error));
    REFUSED(cleave_search_vectors, (any, NULL, 1, NULL, NULL, &error));
    REFUSED(cleave_search_box, (NULL, on_found, NULL, &error));
    REFUSED(cleave_search_box, (any, NULL, NULL, &error));
    REFUSED(cleave_searcher_filter, (NULL, NULL, 0, &error));
    REFUSED(cleave_model_add_metadata, (NULL, any, any, &error));
    REFUSED(cleave_model_set_boxes, (NULL, any, &error));
    REFUSED(cleave_model_set_boxes, (any, NULL, &error));
    REFUSED(cleave_model_remove_ids, (NULL, any, NULL, &error));
    REFUSED(cleave_model_remove_ids, (any, NULL, NULL, &error));
    REFUSED(cleave_model_remove, (NULL, any, 1, &error));
    REFUSED(cleave_model_remove, (any, NULL, 1, &error));
    REFUSED(cleave_model_remove_list, (NULL, any, NULL, &error));
    REFUSED(cleave_model_remove_list, (any, NULL, NULL, &error));
    REFUSED(cleave_stream_new, (NULL, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_stream_new, (any, NULL, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_stream_new, (any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_stream_from, (NULL, NULL, NULL, any, &error));
    REFUSED(cleave_stream_from, (any, NULL, NULL, NULL, &error));
    REFUSED(cleave_stream_read, (NULL, any, NULL, &error));
    REFUSED(cleave_stream_read, (any, NULL, NULL, &error));
    REFUSED(cleave_stream_follow, (NULL, any, NULL, &error));
    REFUSED(cleave_stream_follow, (any, NULL, NULL, &error));
    REFUSED(cleave_stream_row, (NULL, NULL, 1, any, any, NULL, &error));
    REFUSED(cleave_stream_row, (any, NULL, 1, NULL, any, NULL, &error));
    REFUSED(cleave_stream_row, (any, NULL, 1, any, NULL, NULL, &error));
    REFUSED(cleave_stream_save, (NULL, &error));
    REFUSED(cleave_stream_model, (NULL, any, &error));
    REFUSED(cleave_stream_model, (any, NULL, &error));
    REFUSED(cleave_begin, (NULL, any, any, NULL, any, &error));
    REFUSED(cleave_begin, (any, NULL, any, NULL, any, &error));
    REFUSED(cleave_begin, (any, any, NULL, NULL, any, &error));
    REFUSED(cleave_begin, (any, any, any, NULL, NULL, &error));
    REFUSED(cleave_map, (NULL, any, 1, NULL, any, any, &error));
    REFUSED(cleave_map, (any, NULL, 1, NULL, any, any, &error));
    REFUSED(cleave_map, (any, any, 1, NULL, NULL, any, &error));
    REFUSED(cleave_map, (any, any, 1, NULL, any, NULL, &error));
    REFUSED(cleave_reduce, (NULL, any, 1, false, any, &error));
    REFUSED(cleave_reduce, (any, NULL, 1, false, any, &error));
    REFUSED(cleave_reduce, (any, any, 1, false, NULL, &error));
    REFUSED(cleave_predict_found, (NULL, any, 1, on_prediction, NULL, &error));
    REFUSED(cleave_predict_found, (any, NULL, 1, on_prediction, NULL, &error));
    REFUSED(cleave_predict_found, (any, any, 1, NULL, NULL, &error));
    REFUSED(cleave_apply, (NULL, any, 1, any, any, &error));
    REFUSED(cleave_apply, (any, NULL, 1, any, any, &error));
    REFUSED(cleave_apply, (any, any, 1, NULL, any, &error));
    REFUSED(cleave_apply, (any, any, 1, any, NULL, &error));
    REFUSED(cleave_method_find, (NULL, any, &error));
    REFUSED(cleave_method_find, (any, NULL, &error));
    REFUSED(cleave_transform_find, (NULL, any, &error));
    REFUSED(cleave_transform_find, (any, NULL, &error));
}

static void refuse_arrays(Seen *seen)
{
    cleave_error error;

    REFUSED(cleave_options_set_numbers, (NULL, any, 1, any, any, &error));
    REFUSED(cleave_options_set_numbers, (any, NULL, 1, any, any, &error));
    REFUSED(cleave_options_set_numbers, (any, any, 1, NULL, any, &error));
    REFUSED(cleave_options_set_numbers, (any, any, 1, any, NULL, &error));
    REFUSED(cleave_options_clone, (NULL, any, &error));
    REFUSED(cleave_options_clone, (any, NULL, &error));
    REFUSED(cleave_data_from_matrix, (NULL, any, NULL, any, &error));
    REFUSED(cleave_data_from_matrix, (any, NULL, NULL, any, &error));
    REFUSED(cleave_data_from_matrix, (any, any, NULL, NULL, &error));
    REFUSED(cleave_data_from_texts, (NULL, any, NULL, 1, NULL, NULL, any, &error));
    REFUSED(cleave_data_from_texts, (any, NULL, NULL, 1, NULL, NULL, any, &error));
    REFUSED(cleave_data_from_texts, (any, any, NULL, 1, NULL, NULL, NULL, &error));
    REFUSED(cleave_data_from_arrow, (NULL, any, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_data_from_arrow, (any, NULL, NULL, NULL, NULL, any, &error));
    REFUSED(cleave_data_from_arrow, (any, any, NULL, NULL, NULL, NULL, &error));
    REFUSED(cleave_pipeline_to_bytes, (NULL, any, any, &error));
    REFUSED(cleave_pipeline_to_bytes, (any, NULL, any, &error));
    REFUSED(cleave_pipeline_to_bytes, (any, any, NULL, &error));
    REFUSED(cleave_pipeline_from_bytes, (NULL, any, 1, any, &error));
    REFUSED(cleave_pipeline_from_bytes, (any, NULL, 1, any, &error));
    REFUSED(cleave_pipeline_from_bytes, (any, any, 1, NULL, &error));
    REFUSED(cleave_data_entries, (NULL, any, &error));
    REFUSED(cleave_data_entries, (any, NULL, &error));
    REFUSED(cleave_data_copy_csr, (NULL, any, any, any, &error));
    REFUSED(cleave_data_copy_csr, (any, NULL, any, any, &error));
    REFUSED(cleave_data_copy_csr, (any, any, NULL, any, &error));
    REFUSED(cleave_data_copy_csr, (any, any, any, NULL, &error));
    REFUSED(cleave_model_to_bytes, (NULL, any, any, &error));
    REFUSED(cleave_model_to_bytes, (any, NULL, any, &error));
    REFUSED(cleave_model_to_bytes, (any, any, NULL, &error));
    REFUSED(cleave_model_from_bytes, (NULL, any, 1, false, any, &error));
    REFUSED(cleave_model_from_bytes, (any, NULL, 1, false, any, &error));
    REFUSED(cleave_model_from_bytes, (any, any, 1, false, NULL, &error));
    REFUSED(cleave_predictor_new, (NULL, any, &error));
    REFUSED(cleave_predictor_new, (any, NULL, &error));
    REFUSED(cleave_predict_matrix, (NULL, any, any, &error));
    REFUSED(cleave_predict_matrix, (any, NULL, any, &error));
    REFUSED(cleave_predict_matrix, (any, any, NULL, &error));
    REFUSED(cleave_predict_texts, (NULL, any, NULL, 1, any, &error));
    REFUSED(cleave_predict_texts, (any, NULL, NULL, 1, any, &error));
    REFUSED(cleave_predict_texts, (any, any, NULL, 1, NULL, &error));
    REFUSED(cleave_search_matrix, (NULL, any, NULL, NULL, &error));
    REFUSED(cleave_search_matrix, (any, NULL, NULL, NULL, &error));
    REFUSED(cleave_pipeline_fit, (NULL, any, any, 0, any, &error));
    REFUSED(cleave_pipeline_fit, (any, NULL, any, 0, any, &error));
    REFUSED(cleave_pipeline_fit, (any, any, NULL, 0, any, &error));
    REFUSED(cleave_pipeline_fit, (any, any, any, 0, NULL, &error));
    REFUSED(cleave_pipeline_apply, (NULL, any, any, &error));
    REFUSED(cleave_pipeline_apply, (any, NULL, any, &error));
    REFUSED(cleave_pipeline_apply, (any, any, NULL, &error));
    REFUSED(cleave_data_size, (NULL, any, any, &error));
    REFUSED(cleave_data_copy, (NULL, any, &error));
    REFUSED(cleave_data_copy, (any, NULL, &error));
}

static void free_null(Seen *seen)
{
    FREES(cleave_predictor_free);
    FREES(cleave_pipeline_free);
    add_seen(seen, "cleave_recommendations_free");
    cleave_recommendations_free(NULL, NULL);
    add_seen(seen, "cleave_bytes_free");
    cleave_bytes_free(NULL, NULL);
    FREES(cleave_context_free);
    FREES(cleave_data_free);
    FREES(cleave_model_free);
    FREES(cleave_options_free);
    FREES(cleave_description_free);
    FREES(cleave_output_abandon);
    FREES(cleave_report_free);
    FREES(cleave_plan_free);
    FREES(cleave_crowd_free);
    FREES(cleave_active_free);
    FREES(cleave_active_comparison_free);
    FREES(cleave_evaluation_details_free);
    FREES(cleave_evaluation_plots_free);
    FREES(cleave_cv_free);
    FREES(cleave_tune_free);
    FREES(cleave_comparison_free);
    FREES(cleave_plot_free);
    FREES(cleave_margins_free);
    FREES(cleave_separators_free);
    FREES(cleave_support_vectors_free);
    FREES(cleave_explanation_free);
    FREES(cleave_searcher_free);
    FREES(cleave_stream_free);
    FREES(cleave_lock_free);
}

/* Every function of a header that returns a code or frees; how many there are. */
static size_t check_header(const Seen *seen, const char *header)
{
    static const char code[] = "CLEAVE_API cleave_code ", nothing[] = "CLEAVE_API void ";
    char path[TEST_PATH_SIZE], *text = test_read_file(test_tree_path(path, header), NULL);
    size_t functions = 0;

    assert_non_null(text);
    for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        bool returns = strncmp(line, code, strlen(code)) == 0,
             frees = strncmp(line, nothing, strlen(nothing)) == 0;
        const char *name = line + (returns ? strlen(code) : frees ? strlen(nothing) : 0);
        size_t length = returns || frees ? strcspn(name, "(\n") : 0;

        if (!returns && !(length > 5 && strncmp(name + length - 5, "_free", 5) == 0))
            continue;
        functions++;
        if (!was_seen(seen, name, length))
            fail_msg("%.*s is not tested with NULL", (int)length, name);
    }
    free(text);
    return functions;
}

static void null_is_refused(void **state)
{
    Seen seen = {0};

    (void)state;
    refuse_1(&seen);
    refuse_2(&seen);
    refuse_3(&seen);
    refuse_arrays(&seen);
    free_null(&seen);
    assert_true(check_header(&seen, "include/cleave.h") +
                    check_header(&seen, "include/cleave/expert.h") +
                    check_header(&seen, "include/cleave/active.h") >
                90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(null_is_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
