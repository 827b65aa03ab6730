/* Functions over data and methods: cross-validation, tuning, comparison, description, plots. */
#include "extension.h"

PyObject *cross_validate(PyObject *module, PyObject *args)
{
    ContextObject *context;
    const char *method;
    DataObject *data;
    PyObject *dict, *training_dict, *facts = NULL;
    cleave_options *options, *training;
    cleave_cv_result *result;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!sO!OO", context_type, &context, &method, data_type, &data, &dict,
                          &training_dict))
        return NULL;
    options = take_options(context, dict);
    training = options ? take_options(context, training_dict) : NULL;
    if (training) {
        call = call_begin(context);
        code = cleave_cv(context->context, method, data->data, options, training, &result, &error);
        call_end(call);
        if (code != CLEAVE_OK)
            raise_error(context, &error);
        else if (!was_interrupted(context))
            facts = dict_of(cv_fields, result);
        if (code == CLEAVE_OK)
            cleave_cv_free(result);
    }
    cleave_options_free(training);
    cleave_options_free(options);
    return facts;
}

PyObject *tune(PyObject *module, PyObject *args)
{
    ContextObject *context;
    const char *method;
    DataObject *data;
    PyObject *dict, *training_dict, *facts = NULL;
    cleave_options *options, *training;
    cleave_tune_result *result;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!sO!OO", context_type, &context, &method, data_type, &data, &dict,
                          &training_dict))
        return NULL;
    options = take_options(context, dict);
    training = options ? take_options(context, training_dict) : NULL;
    if (training) {
        call = call_begin(context);
        code = cleave_tune(context->context, method, data->data, options, training, &result,
                           &error);
        call_end(call);
        if (code != CLEAVE_OK)
            raise_error(context, &error);
        else if (!was_interrupted(context))
            facts = dict_of(tune_fields, result);
        if (code == CLEAVE_OK)
            cleave_tune_free(result);
    }
    cleave_options_free(training);
    cleave_options_free(options);
    return facts;
}

PyObject *compare(PyObject *module, PyObject *args)
{
    ContextObject *context;
    DataObject *data;
    PyObject *dict, *facts = NULL;
    cleave_options *options;
    cleave_comparison *result;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O", context_type, &context, data_type, &data, &dict))
        return NULL;
    options = take_options(context, dict);
    if (!options)
        return NULL;
    call = call_begin(context);
    code = cleave_compare(context->context, data->data, options, &result, &error);
    call_end(call);
    cleave_options_free(options);
    if (code != CLEAVE_OK)
        return raise_error(context, &error);
    if (!was_interrupted(context))
        facts = dict_of(comparison_fields, result);
    cleave_comparison_free(result);
    return facts;
}

PyObject *describe(PyObject *module, PyObject *args)
{
    ContextObject *context;
    PyObject *list, *dict, *facts = NULL;
    const char **paths;
    cleave_options *options;
    cleave_description *description;
    size_t count;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO", context_type, &context, &list, &dict))
        return NULL;
    paths = take_strings(list, &count, NULL);
    options = paths ? take_options(context, dict) : NULL;
    if (options) {
        call = call_begin(context);
        code = cleave_describe(context->context, paths, count, options, &description, &error);
        call_end(call);
        if (code == CLEAVE_OK) {
            facts = dict_of(description_fields, description);
            cleave_description_free(description);
        } else {
            raise_error(context, &error);
        }
    }
    cleave_options_free(options);
    PyMem_Free(paths);
    return facts;
}

/* ---- plots */

typedef struct {
    char *bytes;
    size_t size;
} Drawing;

static cleave_code add_bytes(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Drawing *drawing = user;
    char *larger = realloc(drawing->bytes, drawing->size + size);

    if (!larger) {
        error->code = CLEAVE_ERROR_MEMORY;
        strcpy(error->message, "out of memory for a plot");
        error->hint[0] = '\0';
        return CLEAVE_ERROR_MEMORY;
    }
    memcpy(larger + drawing->size, bytes, size);
    drawing->bytes = larger;
    drawing->size += size;
    return CLEAVE_OK;
}

/* Without the GIL. Of a model, or by training a method, or of data. */
static cleave_code make_plot(ContextObject *context, const char *kind, const cleave_model *model,
                             const char *method, cleave_data *data, const cleave_options *options,
                             const cleave_options *training, cleave_plot **made,
                             cleave_error *error)
{
    if (model)
        return cleave_plot_of_model(kind, model, data, options, made, error);
    if (method)
        return cleave_plot_of_training(kind, context->context, method, data, NULL, options,
                                       training, made, error);
    return cleave_plot_of_data(kind, data, options, made, error);
}

/* plot(context, kind, what, data, options, training, format) -> bytes. what: a Model, the name of a
 * method to train, or None. */
PyObject *plot(PyObject *module, PyObject *args)
{
    ContextObject *context;
    const char *kind, *format, *method;
    const cleave_model *model;
    PyObject *what, *data, *dict, *training_dict, *made = NULL;
    cleave_options *options, *training;
    cleave_plot *plotted = NULL;
    Drawing drawing = {0};
    cleave_error error;
    cleave_code code;
    Call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!sOOOOs", context_type, &context, &kind, &what, &data, &dict,
                          &training_dict, &format))
        return NULL;
    if (what != Py_None && !PyObject_TypeCheck(what, model_type) && !PyUnicode_Check(what)) {
        PyErr_SetString(PyExc_TypeError, "expected a Model, the name of a method, or None");
        return NULL;
    }
    if (data != Py_None && !PyObject_TypeCheck(data, data_type)) {
        PyErr_SetString(PyExc_TypeError, "expected Data or None");
        return NULL;
    }
    model = PyObject_TypeCheck(what, model_type) ? ((ModelObject *)what)->model : NULL;
    method = PyUnicode_Check(what) ? PyUnicode_AsUTF8AndSize(what, NULL) : NULL;
    if (PyErr_Occurred())
        return NULL;
    options = take_options(context, dict);
    training = options ? take_options(context, training_dict) : NULL;
    if (training) {
        call = call_begin(context);
        code = make_plot(context, kind, model, method,
                         data == Py_None ? NULL : ((DataObject *)data)->data, options, training,
                         &plotted, &error);
        if (code == CLEAVE_OK)
            code = cleave_plot_draw(context->context, plotted, format, add_bytes, &drawing, &error);
        call_end(call);
        cleave_plot_free(plotted);
        if (code == CLEAVE_OK)
            made = PyBytes_FromStringAndSize(drawing.bytes, (Py_ssize_t)drawing.size);
        else
            raise_error(context, &error);
        free(drawing.bytes);
    }
    cleave_options_free(training);
    cleave_options_free(options);
    return made;
}
