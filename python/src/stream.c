/* Streams: online learning, one visit per row. */
#include "extension.h"

typedef struct {
    PyObject_HEAD
    ContextObject *context;
    cleave_stream *stream;
    uint32_t *indexes; /* 0, 1, 2, ... for dense rows */
    float *values;
    size_t capacity;
    bool busy;
} StreamObject;

/* Stream(context, method, options, model): starts from the model, or None. */
static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    ContextObject *context;
    const char *method;
    PyObject *dict, *from;
    StreamObject *self;
    cleave_options *options;
    cleave_model *start;
    cleave_error error;
    cleave_code code;

    (void)names;
    if (!PyArg_ParseTuple(args, "O!sOO", context_type, &context, &method, &dict, &from) ||
        !take_model(from, &start))
        return NULL;
    self = (StreamObject *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->context = (ContextObject *)Py_NewRef((PyObject *)context);
    options = take_options(context, dict);
    if (options) {
        Call call = call_begin(context);

        if (!start)
            code = cleave_stream_new(context->context, method, NULL, options, NULL, &self->stream,
                                     &error);
        else
            code = cleave_stream_from(start, options, NULL, &self->stream, &error);
        call_end(call);
        cleave_options_free(options);
        if (code == CLEAVE_OK)
            return (PyObject *)self;
        raise_error(context, &error);
    }
    Py_DECREF((PyObject *)self);
    return NULL;
}

static void stream_dealloc(PyObject *object)
{
    StreamObject *self = (StreamObject *)object;
    PyTypeObject *type = Py_TYPE(object);

    cleave_stream_free(self->stream);
    PyMem_Free(self->indexes);
    PyMem_Free(self->values);
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static bool reserve(StreamObject *self, size_t columns)
{
    if (columns <= self->capacity)
        return true;
    PyMem_Free(self->indexes);
    PyMem_Free(self->values);
    self->indexes = PyMem_Calloc(columns, sizeof *self->indexes);
    self->values = PyMem_Calloc(columns, sizeof *self->values);
    self->capacity = self->indexes && self->values ? columns : 0;
    return self->capacity || PyErr_NoMemory();
}

static size_t start_of(const cleave_matrix *matrix, size_t row)
{
    return (size_t)(matrix->index_type == CLEAVE_INT32 ? ((const int32_t *)matrix->row_starts)[row]
                                                       : ((const int64_t *)matrix->row_starts)[row]);
}

/* Entries of the longest row; a CSR row can have several for a column. */
static size_t longest_row(const cleave_matrix *matrix)
{
    size_t longest = 0;

    if (!matrix->row_starts)
        return matrix->columns;
    for (size_t row = 0; row < matrix->rows; row++) {
        size_t count = start_of(matrix, row + 1) - start_of(matrix, row);

        longest = count > longest ? count : longest;
    }
    return longest;
}

static float value_at(const cleave_matrix *matrix, const void *at)
{
    return matrix->type == CLEAVE_FLOAT32 ? *(const float *)at : (float)*(const double *)at;
}

/* Gathers a row; returns the number of its entries. */
static size_t gather(StreamObject *self, const cleave_matrix *matrix, size_t row)
{
    const char *at = matrix->values;
    size_t first, count;

    if (!matrix->row_starts) {
        at += (ptrdiff_t)row * matrix->row_stride;
        for (size_t i = 0; i < matrix->columns; i++, at += matrix->column_stride) {
            self->indexes[i] = (uint32_t)i;
            self->values[i] = value_at(matrix, at);
        }
        return matrix->columns;
    }
    first = start_of(matrix, row);
    count = start_of(matrix, row + 1) - first;
    at += first * (matrix->type == CLEAVE_FLOAT32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < count; i++) {
        self->indexes[i] = matrix->index_type == CLEAVE_INT32
                               ? (uint32_t)((const int32_t *)matrix->indexes)[first + i]
                               : (uint32_t)((const int64_t *)matrix->indexes)[first + i];
        self->values[i] = value_at(matrix, at);
        at += matrix->type == CLEAVE_FLOAT32 ? sizeof(float) : sizeof(double);
    }
    return count;
}

static cleave_code learn_rows(StreamObject *self, const Matrix *matrix, const Rows *rows,
                              cleave_error *error)
{
    char buffer[32];
    cleave_code code = CLEAVE_OK;

    for (size_t i = 0; i < matrix->matrix.rows && code == CLEAVE_OK; i++) {
        size_t count = gather(self, &matrix->matrix, i);
        const char *label = rows->rows.labels
                                ? rows->rows.labels[i]
                                : cleave_number_text(rows->rows.targets[i], buffer);

        code = cleave_stream_row(self->stream, label, count, self->indexes, self->values, NULL,
                                 error);
        if (i % 64 == 63 && is_cancelled(self->context))
            break;
    }
    return code;
}

/* learn(matrix, labels, label_names): CSR rows have sorted indexes. */
static PyObject *learn(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    StreamObject *self = (StreamObject *)object;
    cleave_error error;
    cleave_code code = CLEAVE_ERROR_INTERNAL;
    Matrix matrix;
    Rows rows;

    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "learn takes a matrix, labels and names of labels");
        return NULL;
    }
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is learning with this estimator");
        return NULL;
    }
    if (!take_matrix(args[0], &matrix))
        return NULL;
    if (take_rows(args[1], args[2], Py_None, Py_None, &matrix.matrix, &rows)) {
        if (!rows.rows.labels && !rows.rows.targets) {
            PyErr_SetString(PyExc_ValueError, "expected one label per row");
        } else if (reserve(self, longest_row(&matrix.matrix) + 1)) {
            self->busy = true;
            if (matrix.matrix.rows <= 4) {
                code = learn_rows(self, &matrix, &rows, &error);
            } else {
                Call call = call_begin(self->context);

                code = learn_rows(self, &matrix, &rows, &error);
                call_end(call);
            }
            self->busy = false;
            if (code != CLEAVE_OK)
                raise_error(self->context, &error);
            else if (was_interrupted(self->context))
                code = CLEAVE_ERROR_CANCELLED;
        }
        free_rows(&rows);
    }
    free_matrix(&matrix);
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : NULL;
}

/* model() -> Model, or None before the first label */
static PyObject *stream_model(PyObject *object, PyObject *nothing)
{
    StreamObject *self = (StreamObject *)object;
    cleave_model *model;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)nothing;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is learning with this estimator");
        return NULL;
    }
    self->busy = true;
    call = call_begin(self->context);
    code = cleave_stream_model(self->stream, &model, &error);
    call_end(call);
    self->busy = false;
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    return model ? new_model(self->context, model) : Py_NewRef(Py_None);
}

static PyMethodDef stream_methods[] = {
    {"learn", (PyCFunction)(void (*)(void))learn, METH_FASTCALL, NULL},
    {"model", stream_model, METH_NOARGS, NULL},
    {0}};
static PyType_Slot stream_slots[] = {{Py_tp_new, stream_new},
                                     {Py_tp_dealloc, stream_dealloc},
                                     {Py_tp_methods, stream_methods},
                                     {Py_tp_doc, "Online learning, one visit per row."},
                                     {0}};
PyType_Spec stream_spec = {.name = "cleave._cleave.Stream",
                           .basicsize = sizeof(StreamObject),
                           .flags = Py_TPFLAGS_DEFAULT,
                           .slots = stream_slots};
