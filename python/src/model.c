/* Models: training, prediction, contents; searchers over their training points. */
#include "extension.h"

/* ---- pools of workspaces */

static void *pool_take(Pool *pool) { return pool->count ? pool->item[--pool->count] : NULL; }

/* Returns false if the pool is full. */
static bool pool_give(Pool *pool, void *item)
{
    if (pool->count == POOLED)
        return false;
    pool->item[pool->count++] = item;
    return true;
}

/* ---- creation */

PyObject *new_model(ContextObject *context, cleave_model *model)
{
    ModelObject *self = (ModelObject *)PyType_GenericAlloc(model_type, 0);
    size_t outputs;

    if (!self) {
        cleave_model_free(model);
        return NULL;
    }
    self->context = (ContextObject *)Py_NewRef((PyObject *)context);
    self->model = model;
    self->quick = cleave_model_is_linear(model, &outputs) || cleave_model_tree_count(model) > 0;
    return (PyObject *)self;
}

static void model_dealloc(PyObject *object)
{
    ModelObject *self = (ModelObject *)object;
    PyTypeObject *type = Py_TYPE(object);

    while (self->predictors.count)
        cleave_predictor_free(pool_take(&self->predictors));
    cleave_model_free(self->model);
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

bool take_model(PyObject *object, cleave_model **model)
{
    *model = NULL;
    if (object == Py_None)
        return true;
    if (!PyObject_TypeCheck(object, model_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a Model");
        return false;
    }
    *model = ((ModelObject *)object)->model;
    return true;
}

/* (model, report); the references are stolen, also on failure. */
static PyObject *pair(PyObject *model, PyObject *report)
{
    if (model && report)
        return Py_BuildValue("NN", model, report);
    Py_XDECREF(model);
    Py_XDECREF(report);
    return NULL;
}

/* train(context, method, data, validation, options, from) -> (model, report) */
static PyObject *train(PyObject *type, PyObject *args)
{
    ContextObject *context;
    DataObject *data;
    PyObject *validation, *dict, *from;
    const char *method;
    cleave_options *options;
    cleave_model *model = NULL;
    cleave_report *report = NULL;
    cleave_error error;
    cleave_code code;
    cleave_data *other;
    cleave_model *start;
    PyObject *facts;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!sO!OOO", context_type, &context, &method, data_type, &data,
                          &validation, &dict, &from) ||
        !take_model(from, &start))
        return NULL;
    if (validation != Py_None && !PyObject_TypeCheck(validation, data_type)) {
        PyErr_SetString(PyExc_TypeError, "expected Data or None");
        return NULL;
    }
    options = take_options(context, dict);
    if (!options)
        return NULL;
    other = validation == Py_None ? NULL : ((DataObject *)validation)->data;
    call = call_begin(context);
    if (!start)
        code = cleave_train(context->context, method, data->data, other, options, &model, &report,
                            &error);
    else
        code = cleave_train_from(start, data->data, other, options, &model, &report, &error);
    call_end(call);
    cleave_options_free(options);
    if (code != CLEAVE_OK)
        return raise_error(context, &error);
    if (was_interrupted(context)) {
        cleave_model_free(model);
        cleave_report_free(report);
        return NULL;
    }
    facts = dict_of(report_fields, report);
    cleave_report_free(report);
    return pair(new_model(context, model), facts);
}

static PyObject *update(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    DataObject *data;
    PyObject *dict, *facts;
    cleave_update_result result = {.size = sizeof result};
    cleave_options *options;
    cleave_model *model;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "O!O", data_type, &data, &dict))
        return NULL;
    options = take_options(self->context, dict);
    if (!options)
        return NULL;
    call = call_begin(self->context);
    code = cleave_update(self->model, data->data, NULL, options, &model, &result, &error);
    call_end(call);
    cleave_options_free(options);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    if (was_interrupted(self->context)) {
        cleave_model_free(model);
        return NULL;
    }
    facts = dict_of(update_fields, &result);
    return pair(new_model(self->context, model), facts);
}

static PyObject *from_bytes(PyObject *type, PyObject *args)
{
    ContextObject *context;
    const char *bytes;
    Py_ssize_t size;
    cleave_model *model;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!y#", context_type, &context, &bytes, &size))
        return NULL;
    call = call_begin(context);
    code = cleave_model_from_bytes(context->context, bytes, (size_t)size, false, &model, &error);
    call_end(call);
    return code == CLEAVE_OK ? new_model(context, model) : raise_error(context, &error);
}

static PyObject *load(PyObject *type, PyObject *args)
{
    ContextObject *context;
    const char *path;
    cleave_model *model;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!s", context_type, &context, &path))
        return NULL;
    call = call_begin(context);
    code = cleave_load(context->context, path, &model, &error);
    call_end(call);
    return code == CLEAVE_OK ? new_model(context, model) : raise_error(context, &error);
}

static PyObject *import_model(PyObject *type, PyObject *args)
{
    ContextObject *context;
    const char *path;
    cleave_model *model;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!s", context_type, &context, &path))
        return NULL;
    call = call_begin(context);
    code = cleave_import(context->context, path, &model, &error);
    call_end(call);
    return code == CLEAVE_OK ? new_model(context, model) : raise_error(context, &error);
}

/* export(path, options) */
static PyObject *export_model(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    const char *path;
    PyObject *dict;
    cleave_options *options;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "sO", &path, &dict))
        return NULL;
    options = take_options(self->context, dict);
    if (!options)
        return NULL;
    call = call_begin(self->context);
    code = cleave_export(self->model, path, options, &error);
    call_end(call);
    cleave_options_free(options);
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : raise_error(self->context, &error);
}

static PyObject *save(PyObject *object, PyObject *path)
{
    ModelObject *self = (ModelObject *)object;
    const char *name = PyUnicode_AsUTF8AndSize(path, NULL);
    cleave_error error;
    cleave_code code;
    Call call;

    if (!name)
        return NULL;
    call = call_begin(self->context);
    code = cleave_save(self->model, name, &error);
    call_end(call);
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : raise_error(self->context, &error);
}

static PyObject *to_bytes(PyObject *object, PyObject *nothing)
{
    ModelObject *self = (ModelObject *)object;
    void *bytes;
    size_t size;
    cleave_error error;
    PyObject *made;
    Call call = call_begin(self->context);
    cleave_code code = cleave_model_to_bytes(self->model, &bytes, &size, &error);

    (void)nothing;
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    made = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    cleave_bytes_free(self->context->context, bytes);
    return made;
}

/* ---- prediction */

/* Arrays of the caller: labels (int64), scores and probabilities (float64), each or None. */
typedef struct {
    Py_buffer buffers[3];
    cleave_predictions to;
} Outputs;

static void free_outputs(Outputs *outputs)
{
    for (int i = 0; i < 3; i++)
        if (outputs->buffers[i].buf)
            PyBuffer_Release(&outputs->buffers[i]);
}

static bool take_outputs(const ModelObject *self, PyObject *const *args, size_t rows,
                         Outputs *outputs)
{
    size_t width[3] = {1, cleave_model_score_count(self->model),
                       cleave_model_label_count(self->model)};

    memset(outputs, 0, sizeof *outputs);
    for (int i = 0; i < 3; i++) {
        Py_buffer *buffer = &outputs->buffers[i];

        if (!take_numbers(args[i], buffer, i == 0 ? "q" : "d", true))
            goto failed;
        if (buffer->buf && (size_t)buffer->len != rows * width[i] * 8) {
            PyErr_Format(PyExc_ValueError, "expected an output array of %zu numbers, found %zu",
                         rows * width[i], (size_t)buffer->len / 8);
            goto failed;
        }
    }
    outputs->to = (cleave_predictions){.size = sizeof outputs->to,
                                       .labels = outputs->buffers[0].buf,
                                       .scores = outputs->buffers[1].buf,
                                       .probabilities = outputs->buffers[2].buf};
    return true;
failed:
    free_outputs(outputs);
    return false;
}

static cleave_predictor *take_predictor(ModelObject *self, cleave_error *error)
{
    cleave_predictor *predictor = pool_take(&self->predictors);
    cleave_code code;
    Call call;

    if (predictor)
        return predictor;
    call = call_begin(self->context);
    code = cleave_predictor_new(self->model, &predictor, error);
    call_end(call);
    if (code != CLEAVE_OK)
        raise_error(self->context, error);
    return predictor;
}

static void give_predictor(ModelObject *self, cleave_predictor *predictor)
{
    if (!pool_give(&self->predictors, predictor))
        cleave_predictor_free(predictor);
}

/* predict(matrix, labels, scores, probabilities) writes into the arrays. */
static PyObject *predict(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    ModelObject *self = (ModelObject *)object;
    cleave_predictor *predictor;
    cleave_error error;
    cleave_code code;
    Matrix matrix;
    Outputs outputs;

    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "predict takes a matrix and three arrays");
        return NULL;
    }
    if (!take_matrix(args[0], &matrix))
        return NULL;
    if (!take_outputs(self, args + 1, matrix.matrix.rows, &outputs)) {
        free_matrix(&matrix);
        return NULL;
    }
    predictor = take_predictor(self, &error);
    if (!predictor) {
        code = CLEAVE_ERROR_INTERNAL;
    } else {
        if (self->quick && matrix.matrix.rows <= 4) {
            code = cleave_predict_matrix(predictor, &matrix.matrix, &outputs.to, &error);
        } else {
            Call call = call_begin(self->context);

            code = cleave_predict_matrix(predictor, &matrix.matrix, &outputs.to, &error);
            call_end(call);
        }
        give_predictor(self, predictor);
        if (code != CLEAVE_OK)
            raise_error(self->context, &error);
        else if (was_interrupted(self->context))
            code = CLEAVE_ERROR_CANCELLED;
    }
    free_outputs(&outputs);
    free_matrix(&matrix);
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : NULL;
}

static PyObject *predict_texts(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    ModelObject *self = (ModelObject *)object;
    cleave_predictor *predictor;
    const char **texts;
    size_t texts_count, *lengths;
    cleave_error error;
    cleave_code code = CLEAVE_ERROR_INTERNAL;
    Outputs outputs;

    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "predict_texts takes a list and three arrays");
        return NULL;
    }
    texts = take_strings(args[0], &texts_count, &lengths);
    if (!texts)
        return NULL;
    if (take_outputs(self, args + 1, texts_count, &outputs)) {
        predictor = take_predictor(self, &error);
        if (predictor) {
            Call call = call_begin(self->context);

            code = cleave_predict_texts(predictor, texts, lengths, texts_count, &outputs.to,
                                        &error);
            call_end(call);
            give_predictor(self, predictor);
            if (code != CLEAVE_OK)
                raise_error(self->context, &error);
        }
        free_outputs(&outputs);
    }
    PyMem_Free(lengths);
    PyMem_Free(texts);
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : NULL;
}

/* Predictions of data of unknown length, collected without the GIL. */
typedef struct {
    size_t rows, capacity, score_count, probability_count;
    int64_t *labels;
    double *scores, *probabilities;
} Collected;

static cleave_code collect(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Collected *to = user;
    size_t row = to->rows;

    if (row == to->capacity) {
        size_t capacity = to->capacity ? 2 * to->capacity : 1024;
        /* at least a byte: realloc frees memory of size 0 */
        int64_t *labels = realloc(to->labels, capacity * sizeof *labels);
        double *scores = realloc(to->scores, capacity * to->score_count * sizeof *scores + 1);
        double *probabilities = realloc(
            to->probabilities, capacity * to->probability_count * sizeof *probabilities + 1);

        to->labels = labels ? labels : to->labels;
        to->scores = scores ? scores : to->scores;
        to->probabilities = probabilities ? probabilities : to->probabilities;
        if (!labels || !scores || !probabilities) {
            error->code = CLEAVE_ERROR_MEMORY;
            strcpy(error->message, "out of memory for predictions");
            error->hint[0] = '\0';
            return CLEAVE_ERROR_MEMORY;
        }
        to->capacity = capacity;
    }
    to->labels[row] =
        prediction->label_number == SIZE_MAX ? -1 : (int64_t)prediction->label_number;
    memcpy(to->scores + row * to->score_count, prediction->scores,
           to->score_count * sizeof *to->scores);
    if (prediction->probabilities)
        memcpy(to->probabilities + row * to->probability_count, prediction->probabilities,
               to->probability_count * sizeof *to->probabilities);
    to->rows++;
    return CLEAVE_OK;
}

static PyObject *bytes_of(const void *values, size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(values, (Py_ssize_t)(count * size));
}

/* predict_data(data, options) -> bytes of labels (int64), scores and probabilities (float64) */
static PyObject *predict_data(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    DataObject *data;
    PyObject *dict, *made = NULL;
    Collected to = {.score_count = cleave_model_score_count(self->model)};
    cleave_options *options;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "O!O", data_type, &data, &dict))
        return NULL;
    options = take_options(self->context, dict);
    if (!options)
        return NULL;
    if (cleave_options_get(options, "probabilities"))
        to.probability_count = cleave_model_label_count(self->model);
    call = call_begin(self->context);
    code = cleave_predict(self->model, data->data, options, collect, &to, &error);
    call_end(call);
    cleave_options_free(options);
    if (code != CLEAVE_OK)
        raise_error(self->context, &error);
    else
        made = Py_BuildValue("NNN", bytes_of(to.labels, to.rows, 8),
                             bytes_of(to.scores, to.rows * to.score_count, 8),
                             bytes_of(to.probabilities, to.rows * to.probability_count, 8));
    free(to.labels);
    free(to.scores);
    free(to.probabilities);
    return made;
}

/* evaluate(data, options) -> dict */
static PyObject *evaluate(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    DataObject *data;
    PyObject *dict, *facts;
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_evaluation_details *details;
    cleave_options *options;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "O!O", data_type, &data, &dict))
        return NULL;
    options = take_options(self->context, dict);
    if (!options)
        return NULL;
    call = call_begin(self->context);
    code = cleave_evaluate_details(self->model, data->data, options, &evaluation, &details, &error);
    call_end(call);
    cleave_options_free(options);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    facts = dict_of(evaluation_fields, &evaluation);
    if (facts) {
        PyObject *classes = PyList_New(0);

        for (size_t i = 0; classes && i < details->class_count; i++) {
            PyObject *one = dict_of(class_fields, details->classes + i);

            if (!one || PyList_Append(classes, one) < 0)
                Py_CLEAR(classes);
            Py_XDECREF(one);
        }
        if (!classes || PyDict_SetItemString(facts, "classes", classes) < 0)
            Py_CLEAR(facts);
        Py_XDECREF(classes);
    }
    if (facts && details->confusion) {
        size_t side = details->class_count + 1;
        PyObject *confusion = bytes_of(details->confusion, side * side, sizeof(double));

        if (!confusion || PyDict_SetItemString(facts, "confusion", confusion) < 0)
            Py_CLEAR(facts);
        Py_XDECREF(confusion);
    }
    cleave_evaluation_details_free(details);
    return facts;
}

/* explain(data, row) or explain(text) -> dict */
static PyObject *explain(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    cleave_explanation *explanation;
    PyObject *what, *facts;
    unsigned long long row = 0;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "O|K", &what, &row))
        return NULL;
    if (PyObject_TypeCheck(what, data_type)) {
        call = call_begin(self->context);
        code = cleave_explain_row(self->model, ((DataObject *)what)->data, row, &explanation,
                                  &error);
        call_end(call);
    } else {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(what, &size);

        if (!text)
            return NULL;
        call = call_begin(self->context);
        code = cleave_explain_text(self->model, text, (size_t)size, &explanation, &error);
        call_end(call);
    }
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    facts = dict_of(explanation_fields, explanation);
    cleave_explanation_free(explanation);
    return facts;
}

/* ---- contents */

static PyObject *get_method(PyObject *self, void *closure)
{
    (void)closure;
    return string(cleave_model_method(((ModelObject *)self)->model));
}

static PyObject *get_regression(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(cleave_model_task(((ModelObject *)self)->model) ==
                           CLEAVE_TASK_REGRESSION);
}

static PyObject *get_probabilities(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(cleave_model_has_probabilities(((ModelObject *)self)->model));
}

static PyObject *get_labels(PyObject *self, void *closure)
{
    const cleave_model *model = ((ModelObject *)self)->model;
    size_t count = cleave_model_label_count(model);
    PyObject *labels = PyList_New((Py_ssize_t)count);

    (void)closure;
    for (size_t i = 0; labels && i < count; i++)
        PyList_SetItem(labels, (Py_ssize_t)i, string(cleave_model_label(model, i)));
    return labels;
}

/* Names and kinds of the columns of the training table; empty for other data. */
static PyObject *get_columns(PyObject *self, void *closure)
{
    const cleave_model *model = ((ModelObject *)self)->model;
    PyObject *columns = PyList_New(0);
    const char *name, *kind;

    (void)closure;
    for (size_t i = 0; columns && (name = cleave_model_column(model, i, &kind)); i++) {
        PyObject *pair = Py_BuildValue("NN", string(name), string(kind));

        if (!pair || PyList_Append(columns, pair) < 0)
            Py_CLEAR(columns);
        Py_XDECREF(pair);
    }
    return columns;
}

static PyObject *get_positive(PyObject *self, void *closure)
{
    (void)closure;
    return string(cleave_model_positive(((ModelObject *)self)->model));
}

static PyObject *get_score_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(cleave_model_score_count(((ModelObject *)self)->model));
}

static PyObject *get_feature_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(cleave_model_feature_count(((ModelObject *)self)->model));
}

static PyObject *get_row_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(cleave_model_rows(((ModelObject *)self)->model));
}

static PyObject *get_tree_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(cleave_model_tree_count(((ModelObject *)self)->model));
}

static PyObject *get_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((ModelObject *)self)->context);
}

static PyObject *model_feature_names(PyObject *object, PyObject *nothing)
{
    const cleave_model *model = ((ModelObject *)object)->model;
    size_t count = cleave_model_feature_count(model);
    PyObject *names = PyList_New((Py_ssize_t)count);

    (void)nothing;
    for (size_t i = 0; names && i < count; i++) {
        char buffer[24];

        PyList_SetItem(names, (Py_ssize_t)i, string(cleave_model_feature_name(model, i, buffer)));
    }
    return names;
}

static PyObject *get_params(PyObject *object, void *closure)
{
    const cleave_model *model = ((ModelObject *)object)->model;
    PyObject *params = PyDict_New();
    const char *name, *value;

    (void)closure;
    for (size_t i = 0; params && (value = cleave_model_param(model, i, &name)); i++) {
        PyObject *text = string(value);

        if (!text || PyDict_SetItemString(params, name, text) < 0)
            Py_CLEAR(params);
        Py_XDECREF(text);
    }
    return params;
}

PyObject *array_of(const cleave_array *array)
{
    static const char formats[] = {'f', 'd', 'i', 'q', 'I', 'Q', 'B'};
    char format = formats[array->type];
    size_t size = format == 'B' ? 1 : strchr("fiI", format) ? 4 : 8;

    return Py_BuildValue("CN", format, bytes_of(array->values, array->count, size));
}

/* array(name) -> (format, bytes), or None */
static PyObject *model_array(PyObject *object, PyObject *name)
{
    cleave_array array = {.size = sizeof array};
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);

    if (!text)
        return NULL;
    return cleave_model_array(((ModelObject *)object)->model, text, &array) ? array_of(&array)
                                                                            : Py_NewRef(Py_None);
}

static PyObject *array_names(PyObject *object, PyObject *nothing)
{
    cleave_array array = {.size = sizeof array};
    PyObject *names = PyList_New(0);

    (void)nothing;
    for (size_t i = 0; names && cleave_model_array_at(((ModelObject *)object)->model, i, &array);
         i++) {
        PyObject *name = string(array.name);

        if (!name || PyList_Append(names, name) < 0)
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

/* weights() -> (outputs, bytes of outputs x features weights, bytes of intercepts), or None */
static PyObject *weights(PyObject *object, PyObject *nothing)
{
    const cleave_model *model = ((ModelObject *)object)->model;
    size_t outputs, features = cleave_model_feature_count(model);
    PyObject *coefficients, *intercepts;

    (void)nothing;
    if (!cleave_model_is_linear(model, &outputs))
        return Py_NewRef(Py_None);
    coefficients = bytes_of(NULL, outputs * features, sizeof(double));
    intercepts = bytes_of(NULL, outputs, sizeof(double));
    if (!coefficients || !intercepts) {
        Py_XDECREF(coefficients);
        Py_XDECREF(intercepts);
        return NULL;
    }
    for (size_t i = 0; i < outputs; i++) {
        ((double *)PyBytes_AsString(intercepts))[i] = -cleave_model_threshold(model, i);
        for (size_t j = 0; j < features; j++)
            ((double *)PyBytes_AsString(coefficients))[i * features + j] =
                cleave_model_weight(model, i, j);
    }
    return Py_BuildValue("nNN", (Py_ssize_t)outputs, coefficients, intercepts);
}

/* importances() -> bytes of the gain of each feature, or None */
static PyObject *importances(PyObject *object, PyObject *nothing)
{
    const cleave_model *model = ((ModelObject *)object)->model;
    size_t features = cleave_model_feature_count(model);
    PyObject *gain = bytes_of(NULL, features, sizeof(double)),
             *harm = bytes_of(NULL, features, sizeof(double)), *made = NULL;

    (void)nothing;
    if (gain && harm) {
        if (cleave_model_importances(model, (double *)PyBytes_AsString(gain),
                                     (double *)PyBytes_AsString(harm)))
            made = Py_BuildValue("OO", gain, harm);
        else
            made = Py_NewRef(Py_None);
    }
    Py_XDECREF(gain);
    Py_XDECREF(harm);
    return made;
}

/* support_vectors() -> list of (row, label, alpha) */
static PyObject *support_vectors(PyObject *object, PyObject *nothing)
{
    ModelObject *self = (ModelObject *)object;
    cleave_support_vector *vectors;
    size_t count;
    cleave_error error;
    PyObject *list;
    Call call = call_begin(self->context);
    cleave_code code = cleave_model_support_vectors(self->model, &vectors, &count, &error);

    (void)nothing;
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++)
        PyList_SetItem(list, (Py_ssize_t)i,
                       Py_BuildValue("KNd", vectors[i].row, string(vectors[i].label),
                                     vectors[i].alpha));
    cleave_support_vectors_free(vectors);
    return list;
}

static PyObject *list_recommendations(ModelObject *self, cleave_code code, cleave_error *error,
                                      cleave_recommendation *items, size_t count)
{
    PyObject *list;

    if (code != CLEAVE_OK)
        return raise_error(self->context, error);
    list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++)
        PyList_SetItem(list, (Py_ssize_t)i,
                       Py_BuildValue("Nd", string(items[i].name), items[i].score));
    cleave_recommendations_free(self->model, items);
    return list;
}

/* recommend(user, top, include_rated) -> list of (item, score) */
static PyObject *recommend(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    const char *user;
    Py_ssize_t top;
    int include_rated;
    cleave_recommendation *items;
    size_t count;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "snp", &user, &top, &include_rated))
        return NULL;
    call = call_begin(self->context);
    code = cleave_recommend(self->model, user, (size_t)top, include_rated, &items, &count, &error);
    call_end(call);
    return list_recommendations(self, code, &error, items, count);
}

/* similar_items(item, top) -> list of (item, cosine) */
static PyObject *similar_items(PyObject *object, PyObject *args)
{
    ModelObject *self = (ModelObject *)object;
    const char *item;
    Py_ssize_t top;
    cleave_recommendation *items;
    size_t count;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyArg_ParseTuple(args, "sn", &item, &top))
        return NULL;
    call = call_begin(self->context);
    code = cleave_similar_items(self->model, item, (size_t)top, &items, &count, &error);
    call_end(call);
    return list_recommendations(self, code, &error, items, count);
}

/* tree_condition(tree, node, left) -> text; tree_node(tree, node) -> tuple */
static PyObject *tree_node(PyObject *object, PyObject *args)
{
    const cleave_model *model = ((ModelObject *)object)->model;
    Py_ssize_t tree, node;
    cleave_tree_node facts;
    char text[512] = "";

    if (!PyArg_ParseTuple(args, "nn", &tree, &node))
        return NULL;
    if (!cleave_model_tree_node(model, (size_t)tree, (size_t)node, &facts))
        return Py_NewRef(Py_None);
    if (!facts.leaf)
        cleave_model_tree_condition(model, (size_t)tree, (size_t)node, true, 8, text, sizeof text);
    return Py_BuildValue("{sOsnsnsnsNsdsNsd}", "leaf", facts.leaf ? Py_True : Py_False, "left",
                         (Py_ssize_t)facts.left, "right", (Py_ssize_t)facts.right, "column",
                         (Py_ssize_t)facts.column, "condition", string(text), "weight",
                         facts.weight, "label",
                         string(facts.label == SIZE_MAX
                                    ? NULL
                                    : cleave_model_label(model, facts.label)),
                         "value", facts.value);
}

static PyMethodDef model_methods[] = {
    {"train", train, METH_VARARGS | METH_STATIC, NULL},
    {"from_bytes", from_bytes, METH_VARARGS | METH_STATIC, NULL},
    {"load", load, METH_VARARGS | METH_STATIC, NULL},
    {"import_model", import_model, METH_VARARGS | METH_STATIC, NULL},
    {"export", export_model, METH_VARARGS, NULL},
    {"save", save, METH_O, NULL},
    {"to_bytes", to_bytes, METH_NOARGS, NULL},
    {"update", update, METH_VARARGS, NULL},
    {"predict", (PyCFunction)(void (*)(void))predict, METH_FASTCALL, NULL},
    {"predict_texts", (PyCFunction)(void (*)(void))predict_texts, METH_FASTCALL, NULL},
    {"predict_data", predict_data, METH_VARARGS, NULL},
    {"evaluate", evaluate, METH_VARARGS, NULL},
    {"explain", explain, METH_VARARGS, NULL},
    {"feature_names", model_feature_names, METH_NOARGS, NULL},
    {"array", model_array, METH_O, NULL},
    {"array_names", array_names, METH_NOARGS, NULL},
    {"weights", weights, METH_NOARGS, NULL},
    {"importances", importances, METH_NOARGS, NULL},
    {"support_vectors", support_vectors, METH_NOARGS, NULL},
    {"tree_node", tree_node, METH_VARARGS, NULL},
    {"recommend", recommend, METH_VARARGS, NULL},
    {"similar_items", similar_items, METH_VARARGS, NULL},
    {0}};
static PyGetSetDef model_properties[] = {
    {"method", get_method, NULL, NULL, NULL},
    {"regression", get_regression, NULL, NULL, NULL},
    {"has_probabilities", get_probabilities, NULL, NULL, NULL},
    {"labels", get_labels, NULL, NULL, NULL},
    {"positive", get_positive, NULL, NULL, NULL},
    {"score_count", get_score_count, NULL, NULL, NULL},
    {"feature_count", get_feature_count, NULL, NULL, NULL},
    {"row_count", get_row_count, NULL, NULL, NULL},
    {"columns", get_columns, NULL, NULL, NULL},
    {"tree_count", get_tree_count, NULL, NULL, NULL},
    {"params", get_params, NULL, NULL, NULL},
    {"context", get_context, NULL, NULL, NULL},
    {0}};
static PyType_Slot model_slots[] = {{Py_tp_dealloc, model_dealloc},
                                    {Py_tp_methods, model_methods},
                                    {Py_tp_getset, model_properties},
                                    {Py_tp_doc, "A trained model; immutable and thread-safe."},
                                    {0}};
PyType_Spec model_spec = {.name = "cleave._cleave.Model",
                          .basicsize = sizeof(ModelObject),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          .slots = model_slots};

/* ---- searchers */

typedef struct {
    PyObject_HEAD
    ModelObject *model;
    cleave_options *options;
    Pool searchers;
    size_t k, features;
} SearcherObject;

static cleave_searcher *take_searcher(SearcherObject *self)
{
    cleave_searcher *searcher = pool_take(&self->searchers);
    cleave_error error;
    cleave_code code;
    Call call;

    if (searcher)
        return searcher;
    call = call_begin(self->model->context);
    code = cleave_searcher_open(self->model->model, self->options, &searcher, &error);
    call_end(call);
    if (code != CLEAVE_OK)
        raise_error(self->model->context, &error);
    return searcher;
}

static PyObject *searcher_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    ModelObject *model;
    PyObject *dict;
    SearcherObject *self;
    cleave_searcher *first;

    (void)names;
    if (!PyArg_ParseTuple(args, "O!O", model_type, &model, &dict))
        return NULL;
    self = (SearcherObject *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->model = (ModelObject *)Py_NewRef((PyObject *)model);
    self->options = take_options(model->context, dict);
    first = self->options ? take_searcher(self) : NULL;
    if (!first) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    self->k = cleave_searcher_k(first);
    self->features = cleave_searcher_features(first);
    pool_give(&self->searchers, first);
    return (PyObject *)self;
}

static void searcher_dealloc(PyObject *object)
{
    SearcherObject *self = (SearcherObject *)object;
    PyTypeObject *type = Py_TYPE(object);

    while (self->searchers.count)
        cleave_searcher_free(pool_take(&self->searchers));
    cleave_options_free(self->options);
    Py_XDECREF((PyObject *)self->model);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

/* search(queries, rows, distances) writes k numbers per query into int64 and float64 arrays. */
static PyObject *search(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    SearcherObject *self = (SearcherObject *)object;
    Py_buffer rows = {0}, distances = {0};
    cleave_searcher *searcher;
    cleave_error error;
    cleave_code code = CLEAVE_ERROR_INTERNAL;
    Matrix matrix;
    size_t numbers;

    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "search takes a matrix and two arrays");
        return NULL;
    }
    if (!take_matrix(args[0], &matrix))
        return NULL;
    numbers = matrix.matrix.rows * self->k * 8;
    if (take_numbers(args[1], &rows, "q", true) && take_numbers(args[2], &distances, "d", true)) {
        if ((rows.buf && (size_t)rows.len != numbers) ||
            (distances.buf && (size_t)distances.len != numbers)) {
            PyErr_SetString(PyExc_ValueError, "expected output arrays of k numbers per query");
        } else if ((searcher = take_searcher(self))) {
            Call call = call_begin(self->model->context);

            code = cleave_search_matrix(searcher, &matrix.matrix, rows.buf, distances.buf, &error);
            call_end(call);
            if (!pool_give(&self->searchers, searcher))
                cleave_searcher_free(searcher);
            if (code != CLEAVE_OK)
                raise_error(self->model->context, &error);
            else if (was_interrupted(self->model->context))
                code = CLEAVE_ERROR_CANCELLED;
        }
    }
    if (rows.buf)
        PyBuffer_Release(&rows);
    if (distances.buf)
        PyBuffer_Release(&distances);
    free_matrix(&matrix);
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : NULL;
}

static PyObject *get_k(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(((SearcherObject *)self)->k);
}

static PyMethodDef searcher_methods[] = {
    {"search", (PyCFunction)(void (*)(void))search, METH_FASTCALL, NULL}, {0}};
static PyGetSetDef searcher_properties[] = {{"k", get_k, NULL, NULL, NULL}, {0}};
static PyType_Slot searcher_slots[] = {{Py_tp_new, searcher_new},
                                       {Py_tp_dealloc, searcher_dealloc},
                                       {Py_tp_methods, searcher_methods},
                                       {Py_tp_getset, searcher_properties},
                                       {Py_tp_doc, "Nearest training points; thread-safe."},
                                       {0}};
PyType_Spec searcher_spec = {.name = "cleave._cleave.Searcher",
                             .basicsize = sizeof(SearcherObject),
                             .flags = Py_TPFLAGS_DEFAULT,
                             .slots = searcher_slots};
