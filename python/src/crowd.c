/* Labels from many workers. */
#include "extension.h"

/* The lists of a crowd: each task and each worker as a dict, with its probabilities as a list. */
static PyObject *with_numbers(PyObject *dict, const char *name, const double *numbers, size_t count)
{
    PyObject *list = dict ? PyList_New((Py_ssize_t)count) : NULL;

    for (size_t i = 0; list && i < count; i++)
        PyList_SetItem(list, (Py_ssize_t)i, PyFloat_FromDouble(numbers[i]));
    if (!list || PyDict_SetItemString(dict, name, list) < 0)
        Py_CLEAR(dict);
    Py_XDECREF(list);
    return dict;
}

static PyObject *task_of(const cleave_crowd *crowd, const cleave_crowd_summary *summary, size_t i)
{
    cleave_crowd_task task = cleave_crowd_get_task(crowd, i);
    PyObject *dict = dict_of(crowd_task_fields, &task), *label;

    label = dict ? string(summary->labels[task.label]) : NULL;
    if (!label || PyDict_SetItemString(dict, "label", label) < 0)
        Py_CLEAR(dict);
    Py_XDECREF(label);
    return with_numbers(dict, "probabilities", task.probabilities, summary->label_count);
}

static PyObject *worker_of(const cleave_crowd *crowd, const cleave_crowd_summary *summary, size_t i)
{
    cleave_crowd_worker worker = cleave_crowd_get_worker(crowd, i);

    return with_numbers(dict_of(crowd_worker_fields, &worker), "confusion", worker.confusion,
                        summary->label_count * summary->label_count);
}

static bool add_list(PyObject *facts, const char *name, size_t count, const cleave_crowd *crowd,
                     const cleave_crowd_summary *summary,
                     PyObject *(*one)(const cleave_crowd *, const cleave_crowd_summary *, size_t))
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    bool added;

    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = one(crowd, summary, i);

        if (!item)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, (Py_ssize_t)i, item);
    }
    added = list && PyDict_SetItemString(facts, name, list) == 0;
    Py_XDECREF(list);
    return added;
}

static PyObject *label_of(const cleave_crowd *crowd, const cleave_crowd_summary *summary, size_t i)
{
    (void)crowd;
    return string(summary->labels[i]);
}

static PyObject *facts_of(const cleave_crowd *crowd)
{
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);
    PyObject *facts = with_numbers(dict_of(crowd_summary_fields, summary), "frequencies",
                                   summary->frequencies, summary->label_count);

    if (facts && add_list(facts, "labels", summary->label_count, crowd, summary, label_of) &&
        add_list(facts, "tasks", summary->task_count, crowd, summary, task_of) &&
        add_list(facts, "workers", summary->worker_count, crowd, summary, worker_of))
        return facts;
    Py_XDECREF(facts);
    return NULL;
}

/* crowd(context, paths, reading, options, output) -> dict. output: the path of weighted training
 * data, or None. */
PyObject *crowd(PyObject *module, PyObject *args)
{
    ContextObject *context;
    PyObject *list, *reading_dict, *dict, *facts = NULL;
    const char *output, **paths;
    cleave_options *reading, *options;
    cleave_crowd *made = NULL;
    size_t count;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOOz", context_type, &context, &list, &reading_dict, &dict,
                          &output))
        return NULL;
    paths = take_strings(list, &count, NULL);
    reading = paths ? take_options(context, reading_dict) : NULL;
    options = reading ? take_options(context, dict) : NULL;
    if (options) {
        call = call_begin(context);
        code = cleave_crowd_new(context->context, paths, count, reading, options, &made, &error);
        if (code == CLEAVE_OK && output)
            code = cleave_crowd_write(made, output, NULL, &error);
        call_end(call);
        if (code != CLEAVE_OK)
            raise_error(context, &error);
        else if (!was_interrupted(context))
            facts = facts_of(made);
        cleave_crowd_free(made);
    }
    cleave_options_free(options);
    cleave_options_free(reading);
    PyMem_Free(paths);
    return facts;
}
