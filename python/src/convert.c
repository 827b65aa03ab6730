/* Python objects as arguments of the library. */
#include "extension.h"

PyObject *string(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
                : Py_NewRef(Py_None);
}

/* Returns the type character of a buffer format in native byte order, or 0. */
static char format_of(const Py_buffer *buffer)
{
    const char *format = buffer->format ? buffer->format : "B";

    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    if (strlen(format) != 1)
        return 0;
    if ((*format == 'l' || *format == 'q') && buffer->itemsize == 8)
        return 'q';
    return *format == 'l' ? 'i' : *format;
}

bool take_numbers(PyObject *object, Py_buffer *buffer, const char *formats, bool writable)
{
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);

    *buffer = (Py_buffer){0};
    if (object == Py_None)
        return true;
    if (PyObject_GetBuffer(object, buffer, flags) < 0)
        return false;
    if (format_of(buffer) && strchr(formats, format_of(buffer)))
        return true;
    PyErr_Format(PyExc_TypeError, "expected an array of type %s, found '%s'", formats,
                 buffer->format ? buffer->format : "B");
    PyBuffer_Release(buffer);
    return false;
}

/* ---- matrices */

void free_matrix(Matrix *matrix)
{
    while (matrix->count > 0)
        PyBuffer_Release(&matrix->buffers[--matrix->count]);
}

static int64_t start_at(const Py_buffer *starts, Py_ssize_t at)
{
    return starts->itemsize == 4 ? ((const int32_t *)starts->buf)[at]
                                 : ((const int64_t *)starts->buf)[at];
}

/* Row starts have to ascend within the values and the indexes. */
static bool check_sparse(const Matrix *matrix, Py_ssize_t columns)
{
    const Py_buffer *values = &matrix->buffers[0], *indexes = &matrix->buffers[1],
                    *starts = &matrix->buffers[2];
    Py_ssize_t count = starts->len / starts->itemsize;
    bool valid = columns >= 0 && count > 0 && start_at(starts, 0) >= 0;

    for (Py_ssize_t i = 1; i < count; i++)
        valid = valid && start_at(starts, i - 1) <= start_at(starts, i);
    valid = valid && start_at(starts, count - 1) <= indexes->len / indexes->itemsize &&
            start_at(starts, count - 1) <= values->len / values->itemsize;
    if (!valid)
        PyErr_SetString(PyExc_ValueError,
                        "the sparse matrix is invalid: its row starts (indptr) do not ascend from "
                        "0 to the number of its entries");
    return valid;
}

static bool take_sparse(PyObject *tuple, Matrix *matrix)
{
    PyObject *values, *indexes, *starts;
    Py_ssize_t columns;
    const char *index_format;

    if (!PyArg_ParseTuple(tuple, "OOOn", &values, &indexes, &starts, &columns))
        return false;
    if (!take_numbers(values, &matrix->buffers[0], "fd", false))
        return false;
    matrix->count = 1;
    index_format = "iq";
    if (!take_numbers(indexes, &matrix->buffers[1], index_format, false))
        return false;
    matrix->count = 2;
    index_format = matrix->buffers[1].itemsize == 4 ? "i" : "q";
    if (!take_numbers(starts, &matrix->buffers[2], index_format, false))
        return false;
    matrix->count = 3;
    if (!check_sparse(matrix, columns))
        return false;
    matrix->matrix.type = matrix->buffers[0].itemsize == 4 ? CLEAVE_FLOAT32 : CLEAVE_FLOAT64;
    matrix->matrix.index_type = *index_format == 'i' ? CLEAVE_INT32 : CLEAVE_INT64;
    matrix->matrix.rows = (size_t)(matrix->buffers[2].len / matrix->buffers[2].itemsize - 1);
    matrix->matrix.columns = (size_t)columns;
    matrix->matrix.values = matrix->buffers[0].buf;
    matrix->matrix.indexes = matrix->buffers[1].buf;
    matrix->matrix.row_starts = matrix->buffers[2].buf;
    return true;
}

static bool take_dense(PyObject *object, Matrix *matrix)
{
    Py_buffer *buffer = &matrix->buffers[0];
    char format;

    if (PyObject_GetBuffer(object, buffer, PyBUF_RECORDS_RO) < 0)
        return false;
    matrix->count = 1;
    format = format_of(buffer);
    if (buffer->ndim != 2 || (format != 'f' && format != 'd')) {
        PyErr_SetString(PyExc_TypeError, "expected a float32 or float64 array with two dimensions");
        return false;
    }
    matrix->matrix.type = format == 'f' ? CLEAVE_FLOAT32 : CLEAVE_FLOAT64;
    matrix->matrix.rows = (size_t)buffer->shape[0];
    matrix->matrix.columns = (size_t)buffer->shape[1];
    matrix->matrix.values = buffer->buf;
    matrix->matrix.row_stride = buffer->strides[0];
    matrix->matrix.column_stride = buffer->strides[1];
    return true;
}

bool take_matrix(PyObject *object, Matrix *matrix)
{
    bool taken;

    memset(matrix, 0, sizeof *matrix);
    matrix->matrix.size = sizeof matrix->matrix;
    taken = PyTuple_Check(object) ? take_sparse(object, matrix) : take_dense(object, matrix);
    if (!taken)
        free_matrix(matrix);
    return taken;
}

/* ---- strings and rows */

const char **take_strings(PyObject *list, size_t *count, size_t **lengths)
{
    Py_ssize_t size;
    const char **texts;

    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "expected a list of str");
        return NULL;
    }
    size = PyList_Size(list);
    texts = PyMem_Calloc((size_t)size + 1, sizeof *texts);
    if (lengths)
        *lengths = PyMem_Calloc((size_t)size + 1, sizeof **lengths);
    if (!texts || (lengths && !*lengths)) {
        PyErr_NoMemory();
        goto failed;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_ssize_t length;

        texts[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), &length);
        if (!texts[i])
            goto failed;
        if (lengths)
            (*lengths)[i] = (size_t)length;
        else if (strlen(texts[i]) != (size_t)length) {
            PyErr_SetString(PyExc_ValueError, "expected a string without zero characters");
            goto failed;
        }
    }
    *count = (size_t)size;
    return texts;
failed:
    PyMem_Free(texts);
    if (lengths)
        PyMem_Free(*lengths);
    return NULL;
}

/* May be called again. */
void free_rows(Rows *rows)
{
    PyBuffer_Release(&rows->labels);
    PyBuffer_Release(&rows->weights);
    PyBuffer_Release(&rows->groups);
    PyMem_Free(rows->texts);
    PyMem_Free(rows->names);
    rows->texts = rows->names = NULL;
}

/* The text of each row's label: names[numbers[row]], NULL for -1. */
static bool take_label_texts(PyObject *label_names, Rows *rows)
{
    size_t count, labels = (size_t)(rows->labels.len / 8);
    const int64_t *number = rows->labels.buf;
    const char **names = take_strings(label_names, &count, NULL);

    if (!names)
        return false;
    rows->texts = PyMem_Calloc(labels + 1, sizeof *rows->texts);
    for (size_t i = 0; rows->texts && i < labels; i++)
        rows->texts[i] = number[i] >= 0 && (size_t)number[i] < count ? names[number[i]] : NULL;
    PyMem_Free(names);
    rows->rows.labels = rows->texts;
    return rows->texts || PyErr_NoMemory();
}

static bool check_count(const char *what, size_t found, size_t expected)
{
    if (found == expected)
        return true;
    PyErr_Format(PyExc_ValueError, "expected %zu %s, found %zu", expected, what, found);
    return false;
}

size_t count_rows(const Rows *rows)
{
    return rows->labels.obj    ? (size_t)rows->labels.len / 8
           : rows->weights.obj ? (size_t)rows->weights.len / sizeof(float)
                               : SIZE_MAX;
}

bool take_rows(PyObject *labels, PyObject *label_names, PyObject *weights, PyObject *names,
               const cleave_matrix *matrix, Rows *rows)
{
    size_t count;

    memset(rows, 0, sizeof *rows);
    rows->rows.size = sizeof rows->rows;
    if (!take_numbers(labels, &rows->labels, "qd", false) ||
        !take_numbers(weights, &rows->weights, "f", false))
        goto failed;
    count = matrix ? matrix->rows : count_rows(rows);
    if ((rows->labels.obj && !check_count("labels", (size_t)rows->labels.len / 8, count)) ||
        (rows->weights.obj &&
         !check_count("weights", (size_t)rows->weights.len / sizeof(float), count)))
        goto failed;
    rows->rows.weights = rows->weights.buf;
    if (rows->labels.buf && format_of(&rows->labels) == 'd')
        rows->rows.targets = rows->labels.buf;
    else if (label_names == Py_None)
        rows->rows.classes = rows->labels.buf;
    else if (!take_label_texts(label_names, rows))
        goto failed;
    if (names != Py_None) {
        rows->names = take_strings(names, &count, NULL);
        if (!rows->names || (matrix && !check_count("column names", count, matrix->columns)))
            goto failed;
        rows->rows.column_names = rows->names;
    }
    return true;
failed:
    free_rows(rows);
    return false;
}

bool take_groups(PyObject *groups, size_t count, Rows *rows)
{
    if (!take_numbers(groups, &rows->groups, "q", false) ||
        (rows->groups.obj && !check_count("groups", (size_t)rows->groups.len / 8, count)))
        return false;
    rows->rows.groups = rows->groups.buf;
    return true;
}

/* ---- options */

static bool set_numbers(cleave_options *options, const char *name, PyObject *dict,
                        cleave_error *error)
{
    size_t size = (size_t)PyDict_Size(dict), count = 0;
    const char **keys = PyMem_Calloc(size + 1, sizeof *keys);
    double *numbers = PyMem_Calloc(size + 1, sizeof *numbers);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    cleave_code code = CLEAVE_OK;

    error->code = CLEAVE_OK;
    if (!keys || !numbers)
        PyErr_NoMemory();
    while (!PyErr_Occurred() && PyDict_Next(dict, &at, &key, &value)) {
        keys[count] = PyUnicode_AsUTF8AndSize(key, NULL);
        numbers[count++] = PyFloat_AsDouble(value);
    }
    if (!PyErr_Occurred())
        code = cleave_options_set_numbers(options, name, count, keys, numbers, error);
    PyMem_Free(keys);
    PyMem_Free(numbers);
    return code == CLEAVE_OK && !PyErr_Occurred();
}

cleave_options *take_options(ContextObject *context, PyObject *dict)
{
    cleave_options *options = cleave_options_new(context->context);
    cleave_error error = {0};
    PyObject *key, *value;
    Py_ssize_t at = 0;

    if (!options) {
        PyErr_NoMemory();
        return NULL;
    }
    while (dict != Py_None && PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL), *text;

        if (!name)
            goto failed;
        if (PyDict_Check(value)) {
            if (!set_numbers(options, name, value, &error))
                goto failed;
            continue;
        }
        text = PyUnicode_AsUTF8AndSize(value, NULL);
        if (!text || cleave_options_set(options, name, text, &error) != CLEAVE_OK)
            goto failed;
    }
    return options;
failed:
    if (!PyErr_Occurred())
        raise_error(NULL, &error);
    cleave_options_free(options);
    return NULL;
}
