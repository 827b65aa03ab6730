/* Data: matrices, texts, Arrow streams and files. */
#include "extension.h"

#include <errno.h>
#include <stdio.h>

typedef struct Borrowed {
    Matrix matrix;
    Rows rows;
} Borrowed;

static void free_borrowed(Borrowed *borrowed)
{
    if (!borrowed)
        return;
    free_matrix(&borrowed->matrix);
    free_rows(&borrowed->rows);
    PyMem_Free(borrowed);
}

static PyObject *make(ContextObject *context, cleave_data *data, Borrowed *borrowed)
{
    DataObject *self = (DataObject *)PyType_GenericAlloc(data_type, 0);

    if (!self) {
        cleave_data_free(data);
        free_borrowed(borrowed);
        return NULL;
    }
    self->context = (ContextObject *)Py_NewRef((PyObject *)context);
    self->data = data;
    self->borrowed = borrowed;
    return (PyObject *)self;
}

PyObject *new_data(ContextObject *context, cleave_data *data) { return make(context, data, NULL); }

static void data_dealloc(PyObject *object)
{
    DataObject *self = (DataObject *)object;
    PyTypeObject *type = Py_TYPE(object);

    cleave_data_free(self->data);
    free_borrowed(self->borrowed);
    Py_XDECREF(self->keep);
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static PyObject *from_matrix(PyObject *type, PyObject *args)
{
    ContextObject *context;
    PyObject *object, *labels, *label_names, *weights, *names, *groups = Py_None;
    int borrow;
    Borrowed *borrowed;
    cleave_data *data;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!OOOOOp|O", context_type, &context, &object, &labels, &label_names,
                          &weights, &names, &borrow, &groups))
        return NULL;
    borrowed = PyMem_Calloc(1, sizeof *borrowed);
    if (!borrowed)
        return PyErr_NoMemory();
    if (!take_matrix(object, &borrowed->matrix) ||
        !take_rows(labels, label_names, weights, names, &borrowed->matrix.matrix,
                   &borrowed->rows) ||
        !take_groups(groups, borrowed->matrix.matrix.rows, &borrowed->rows)) {
        free_borrowed(borrowed);
        return NULL;
    }
    borrowed->rows.rows.borrow = borrow;
    call = call_begin(context);
    code = cleave_data_from_matrix(context->context, &borrowed->matrix.matrix,
                                   &borrowed->rows.rows, &data, &error);
    call_end(call);
    if (code != CLEAVE_OK || was_interrupted(context)) {
        if (code == CLEAVE_OK)
            cleave_data_free(data);
        free_borrowed(borrowed);
        return code == CLEAVE_OK ? NULL : raise_error(context, &error);
    }
    return make(context, data, borrowed);
}

static PyObject *from_texts(PyObject *type, PyObject *args)
{
    ContextObject *context;
    PyObject *list, *labels, *label_names, *dict, *of, *made = NULL;
    int keep_new;
    Rows rows;
    cleave_model *model;
    cleave_options *options = NULL;
    const char **texts;
    size_t count, *lengths;
    cleave_data *data;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!OOOOOp", context_type, &context, &list, &labels, &label_names,
                          &dict, &of, &keep_new))
        return NULL;
    if (!take_model(of, &model) || !take_rows(labels, label_names, Py_None, Py_None, NULL, &rows))
        return NULL;
    rows.rows.model = model;
    rows.rows.keep_new = keep_new;
    texts = take_strings(list, &count, &lengths);
    if (texts && count_rows(&rows) != SIZE_MAX && count_rows(&rows) != count) {
        PyErr_Format(PyExc_ValueError, "expected %zu labels, found %zu", count, count_rows(&rows));
        goto done;
    }
    options = texts ? take_options(context, dict) : NULL;
    if (options) {
        call = call_begin(context);
        code = cleave_data_from_texts(context->context, texts, lengths, count, &rows.rows, options,
                                      &data, &error);
        call_end(call);
        made = code == CLEAVE_OK ? new_data(context, data) : raise_error(context, &error);
    }
done:
    cleave_options_free(options);
    if (texts)
        PyMem_Free(lengths);
    PyMem_Free(texts);
    free_rows(&rows);
    return made;
}

/* A stream whose rows are counted: the library reads as many labels and weights as rows. */
typedef struct {
    struct ArrowArrayStream inner;
    size_t expected, found; /* rows; expected SIZE_MAX: any number */
    char message[96];
} CountedStream;

static int counted_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    CountedStream *counted = stream->private_data;

    return counted->inner.get_schema(&counted->inner, schema);
}

static int counted_next(struct ArrowArrayStream *stream, struct ArrowArray *batch)
{
    CountedStream *counted = stream->private_data;
    int status = counted->inner.get_next(&counted->inner, batch);
    bool ended = status == 0 && !batch->release;

    if (status != 0 || counted->expected == SIZE_MAX)
        return status;
    if (!ended && batch->length > 0)
        counted->found += (size_t)batch->length;
    if (ended ? counted->found == counted->expected : counted->found <= counted->expected)
        return 0;
    if (!ended)
        batch->release(batch);
    snprintf(counted->message, sizeof counted->message, "the table has %s rows than labels",
             ended ? "fewer" : "more");
    return EINVAL;
}

static const char *counted_error(struct ArrowArrayStream *stream)
{
    CountedStream *counted = stream->private_data;

    return *counted->message ? counted->message : counted->inner.get_last_error(&counted->inner);
}

static void counted_release(struct ArrowArrayStream *stream)
{
    CountedStream *counted = stream->private_data;

    counted->inner.release(&counted->inner);
    stream->release = NULL;
}

static PyObject *from_arrow(PyObject *type, PyObject *args)
{
    ContextObject *context;
    PyObject *capsule, *labels, *label_names, *weights, *dict, *of, *made = NULL;
    struct ArrowArrayStream *stream, outer = {.get_schema = counted_schema,
                                              .get_next = counted_next,
                                              .get_last_error = counted_error,
                                              .release = counted_release};
    CountedStream counted = {0};
    Rows rows;
    cleave_model *model;
    cleave_options *options;
    cleave_data *data;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!OOOOOO", context_type, &context, &capsule, &labels,
                          &label_names, &weights, &dict, &of))
        return NULL;
    stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream || !take_model(of, &model) ||
        !take_rows(labels, label_names, weights, Py_None, NULL, &rows))
        return NULL;
    options = take_options(context, dict);
    if (options) {
        counted.inner = *stream; /* moved */
        counted.expected = count_rows(&rows);
        stream->release = NULL;
        outer.private_data = &counted;
        /* The producer may need the GIL, which it takes itself. */
        call = call_begin(context);
        code = cleave_data_from_arrow(context->context, &outer, &rows.rows, options, model, &data,
                                      &error);
        call_end(call);
        made = code == CLEAVE_OK ? new_data(context, data) : raise_error(context, &error);
    }
    cleave_options_free(options);
    free_rows(&rows);
    return made;
}

/* open(context, paths, options, model, mode, keep): mode is "new", "predict", "update" or "raw". The
 * data keeps the object `keep`. */
static PyObject *open_files(PyObject *type, PyObject *args)
{
    ContextObject *context;
    PyObject *list, *dict, *of, *keep = NULL, *made = NULL;
    const char *mode, **paths;
    cleave_model *model;
    cleave_options *options;
    size_t count;
    cleave_data *data;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!OOOs|O", context_type, &context, &list, &dict, &of, &mode,
                          &keep) ||
        !take_model(of, &model))
        return NULL;
    paths = take_strings(list, &count, NULL);
    options = paths ? take_options(context, dict) : NULL;
    if (options) {
        call = call_begin(context);
        if (!model)
            code = cleave_open_files(context->context, paths, count, options, &data, &error);
        else if (*mode == 'u')
            code = cleave_open_to_update(model, paths, count, options, &data, &error);
        else if (*mode == 'r')
            code = cleave_open_raw_for(model, paths, count, options, &data, &error);
        else
            code = cleave_open_for(model, paths, count, options, &data, &error);
        call_end(call);
        made = code == CLEAVE_OK ? new_data(context, data) : raise_error(context, &error);
        if (made && keep)
            ((DataObject *)made)->keep = Py_NewRef(keep);
    }
    cleave_options_free(options);
    PyMem_Free(paths);
    return made;
}

static PyObject *data_size(PyObject *object, PyObject *nothing)
{
    DataObject *self = (DataObject *)object;
    uint64_t rows, features;
    cleave_error error;
    Call call = call_begin(self->context);
    cleave_code code = cleave_data_size(self->data, &rows, &features, &error);

    (void)nothing;
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    return Py_BuildValue("KK", rows, features);
}

/* copy_to(array): the rows as float32 in C order. */
static PyObject *copy_to(PyObject *object, PyObject *array)
{
    DataObject *self = (DataObject *)object;
    uint64_t rows, features;
    cleave_error error;
    Py_buffer buffer;
    cleave_code code;
    bool fits;
    Call call;

    if (!take_numbers(array, &buffer, "f", true))
        return NULL;
    call = call_begin(self->context);
    code = cleave_data_size(self->data, &rows, &features, &error);
    fits = code == CLEAVE_OK && (uint64_t)buffer.len == rows * features * sizeof(float);
    if (fits)
        code = cleave_data_copy(self->data, buffer.buf, &error);
    call_end(call);
    PyBuffer_Release(&buffer);
    if (code == CLEAVE_OK && !fits) {
        PyErr_Format(PyExc_ValueError, "expected an array of %llu x %llu numbers",
                     (unsigned long long)rows, (unsigned long long)features);
        return NULL;
    }
    return code == CLEAVE_OK ? Py_NewRef(Py_None) : raise_error(self->context, &error);
}

/* entries() -> bytes of row starts (uint64), indexes (uint32) and values (float32) */
static PyObject *entries(PyObject *object, PyObject *nothing)
{
    DataObject *self = (DataObject *)object;
    PyObject *starts = NULL, *indexes = NULL, *values = NULL;
    uint64_t rows, count;
    cleave_error error;
    cleave_code code;
    Call call = call_begin(self->context);

    (void)nothing;
    code = cleave_data_size(self->data, &rows, NULL, &error);
    if (code == CLEAVE_OK)
        code = cleave_data_entries(self->data, &count, &error);
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    starts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((rows + 1) * sizeof(uint64_t)));
    indexes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(uint32_t)));
    values = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(float)));
    if (!starts || !indexes || !values)
        goto failed;
    call = call_begin(self->context);
    code = cleave_data_copy_csr(self->data, (uint64_t *)(void *)PyBytes_AsString(starts),
                                (uint32_t *)(void *)PyBytes_AsString(indexes),
                                (float *)(void *)PyBytes_AsString(values), &error);
    call_end(call);
    if (code == CLEAVE_OK)
        return Py_BuildValue("NNN", starts, indexes, values);
    raise_error(self->context, &error);
failed:
    Py_XDECREF(starts);
    Py_XDECREF(indexes);
    Py_XDECREF(values);
    return NULL;
}

static PyObject *feature_names(PyObject *object, PyObject *nothing)
{
    DataObject *self = (DataObject *)object;
    uint64_t features;
    cleave_error error;
    PyObject *names;
    Call call = call_begin(self->context);
    cleave_code code = cleave_data_size(self->data, NULL, &features, &error);

    (void)nothing;
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    names = PyList_New((Py_ssize_t)features);
    for (size_t i = 0; names && i < features; i++) {
        char buffer[24];

        PyList_SetItem(names, (Py_ssize_t)i,
                       string(cleave_data_feature_name(self->data, i, buffer)));
    }
    return names;
}

static PyObject *data_labels(PyObject *object, PyObject *nothing)
{
    DataObject *self = (DataObject *)object;
    PyObject *labels = PyList_New(0);
    const char *text;

    (void)nothing;
    for (size_t i = 0; labels && (text = cleave_data_label(self->data, i)); i++) {
        PyObject *label = string(text);

        if (!label || PyList_Append(labels, label) < 0)
            Py_CLEAR(labels);
        Py_XDECREF(label);
    }
    return labels;
}

static PyMethodDef data_methods[] = {
    {"from_matrix", from_matrix, METH_VARARGS | METH_STATIC, NULL},
    {"from_texts", from_texts, METH_VARARGS | METH_STATIC, NULL},
    {"from_arrow", from_arrow, METH_VARARGS | METH_STATIC, NULL},
    {"open", open_files, METH_VARARGS | METH_STATIC, NULL},
    {"size", data_size, METH_NOARGS, "Rows and features; the data is read to its end."},
    {"copy_to", copy_to, METH_O, "Copies the rows to a float32 array in C order."},
    {"entries", entries, METH_NOARGS, "The rows as CSR."},
    {"feature_names", feature_names, METH_NOARGS, NULL},
    {"labels", data_labels, METH_NOARGS, NULL},
    {0}};
static PyType_Slot data_slots[] = {{Py_tp_dealloc, data_dealloc},
                                   {Py_tp_methods, data_methods},
                                   {Py_tp_doc, "Rows in memory or in files."},
                                   {0}};
PyType_Spec data_spec = {.name = "cleave._cleave.Data",
                         .basicsize = sizeof(DataObject),
                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         .slots = data_slots};
