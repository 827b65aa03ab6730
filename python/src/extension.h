/*
 * The extension module _cleave: the C library as Python objects, in the limited C API (abi3, 3.11).
 *
 * Ownership: a Context object owns a cleave_context; every other object keeps its Context alive.
 * Threads: long calls release the GIL between call_begin and call_end. A Model or Searcher keeps a
 * pool of workspaces, taken and returned under the GIL, so that any number of threads can share it.
 * Ctrl-C: the callback `cancelled` runs pending signal handlers; their exception ends the call.
 */
#ifndef EXTENSION_H
#define EXTENSION_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cleave.h>
#include <cleave/expert.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    cleave_context *context;
    PyObject *messages;  /* list of (level, message, hint), taken by the caller */
    PyObject *progress;  /* callable or None */
    PyObject *exception; /* raised by a signal handler or by progress; NULL: none */
    atomic_bool stop;
    int active; /* calls that use the context, under the GIL */
    unsigned threads;
} ContextObject;

typedef struct {
    PyObject_HEAD
    ContextObject *context;
    cleave_data *data;
    struct Borrowed *borrowed; /* memory of Python objects that the data uses; NULL: none */
    PyObject *keep; /* lives as long as the data, such as an open file; may be NULL */
} DataObject;

/* Objects of one thread at a time, such as predictors. */
enum { POOLED = 16 };
typedef struct {
    void *item[POOLED];
    int count;
} Pool;

typedef struct {
    PyObject_HEAD
    ContextObject *context;
    cleave_model *model;
    bool quick; /* predicting a few rows takes microseconds */
    Pool predictors;
} ModelObject;

extern PyTypeObject *context_type, *data_type, *model_type, *searcher_type, *stream_type,
    *pipeline_type;

/* ---- calls (context.c) */

typedef struct {
    ContextObject *context;
    PyThreadState *thread;
} Call;
Call call_begin(ContextObject *context);
void call_end(Call call);
/* Raises the exception of a failed call; returns NULL. */
PyObject *raise_error(ContextObject *context, const cleave_error *error);
/* Returns whether the call has to end: runs pending signal handlers, at most every 20 ms. */
bool is_cancelled(ContextObject *context);
/* After a successful call: raises the exception that cancelled it, if any. */
bool was_interrupted(ContextObject *context);

/* ---- conversions (convert.c) */

/* A matrix in the memory of Python objects: a buffer with two dimensions, or a tuple (values,
 * indexes, row_starts, columns) for CSR. */
typedef struct Matrix {
    cleave_matrix matrix;
    Py_buffer buffers[3];
    int count;
} Matrix;
bool take_matrix(PyObject *object, Matrix *matrix);
void free_matrix(Matrix *matrix);

/* Labels of rows: None, int64 (classes), float64 (targets), or int64 numbers of a list of names;
 * with weights, groups and column names. All have as many items as the matrix, if there is one. */
typedef struct {
    cleave_rows rows;
    Py_buffer labels, weights, groups;
    const char **texts, **names;
    PyObject *kept; /* bytes objects of names */
} Rows;
bool take_rows(PyObject *labels, PyObject *label_names, PyObject *weights, PyObject *names,
               const cleave_matrix *matrix, Rows *rows);
bool take_groups(PyObject *groups, size_t count, Rows *rows); /* int64, or None */
size_t count_rows(const Rows *rows); /* of labels or weights; SIZE_MAX: neither */
void free_rows(Rows *rows);

/* Options from a dict of str to str, or to a dict of str to float. NULL after an error. */
cleave_options *take_options(ContextObject *context, PyObject *dict);
/* UTF-8 strings of a list of str, kept by the list. */
const char **take_strings(PyObject *list, size_t *count, size_t **lengths);
/* A buffer of numbers in C order; None: buf is NULL. */
bool take_numbers(PyObject *object, Py_buffer *buffer, const char *formats, bool writable);
PyObject *string(const char *text); /* NULL: None */
PyObject *array_of(const cleave_array *array); /* (format, bytes) */

/* ---- structs as dicts (fields.c) */

typedef enum {
    FIELD_END,
    FIELD_DOUBLE,
    FIELD_U32,
    FIELD_U64,
    FIELD_SIZE, /* SIZE_MAX: None */
    FIELD_BOOL,
    FIELD_INT,
    FIELD_STRING,
    FIELD_INTERVAL, /* (value, low, high) */
    FIELD_METRIC,   /* name of a cleave_metric */
    FIELD_ARRAY,    /* of structs: detail describes them, count is the offset of their number */
    FIELD_DOUBLES,  /* an array of numbers */
} FieldType;
typedef struct Field {
    const char *name;
    FieldType type;
    size_t offset;
    const struct Field *detail;
    size_t count, size;
} Field;
PyObject *dict_of(const Field *fields, const void *record);
extern const Field report_fields[], update_fields[], evaluation_fields[], cv_fields[],
    tune_fields[], comparison_fields[], class_fields[], explanation_fields[],
    description_fields[], crowd_summary_fields[], crowd_task_fields[], crowd_worker_fields[];

/* ---- functions of the module */

bool add_types(PyObject *module);
PyObject *tables(PyObject *module, PyObject *nothing);
PyObject *cross_validate(PyObject *module, PyObject *args);
PyObject *tune(PyObject *module, PyObject *args);
PyObject *compare(PyObject *module, PyObject *args);
PyObject *describe(PyObject *module, PyObject *args);
PyObject *plot(PyObject *module, PyObject *args);
PyObject *crowd(PyObject *module, PyObject *args);
PyObject *new_model(ContextObject *context, cleave_model *model);
PyObject *new_data(ContextObject *context, cleave_data *data);
/* The model of a Model, or NULL for None; false: an exception was raised. */
bool take_model(PyObject *object, cleave_model **model);

extern PyType_Spec context_spec, data_spec, model_spec, searcher_spec, stream_spec, pipeline_spec;

#endif
