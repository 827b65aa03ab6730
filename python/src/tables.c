/* The library's tables of methods, transforms and options as Python objects. */
#include "extension.h"

static PyObject *strings_of(const char *const *list)
{
    PyObject *made = PyList_New(0);

    for (; made && list && *list; list++) {
        PyObject *text = string(*list);

        if (!text || PyList_Append(made, text) < 0)
            Py_CLEAR(made);
        Py_XDECREF(text);
    }
    return made;
}

static PyObject *default_of(const cleave_param *param)
{
    switch (param->type) {
    case CLEAVE_REAL:
        return PyFloat_FromDouble(param->initial);
    case CLEAVE_INTEGER:
        return PyLong_FromDouble(param->initial);
    case CLEAVE_FLAG:
        return PyBool_FromLong(param->initial != 0);
    case CLEAVE_NAME:
        return string(param->values[(size_t)param->initial]);
    default:
        return string(param->text);
    }
}

static PyObject *params_of(const cleave_param *param)
{
    static const char *const types[] = {"real", "integer", "flag", "name", "text"};
    PyObject *list = PyList_New(0);

    for (; list && param && param->name; param++) {
        PyObject *one = Py_BuildValue(
            "{ssssszsNsNsdsdsO}", "name", param->name, "type", types[param->type], "help",
            param->help, "default", default_of(param), "values",
            strings_of(param->type == CLEAVE_NAME ? param->values : NULL), "min", param->min, "max",
            param->max, "min_open", param->min_open ? Py_True : Py_False);

        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *method_of(const cleave_method_info *info)
{
    return Py_BuildValue("{sssssssssIsIsOsNsN}", "name", info->name, "brief", info->brief,
                         "objective", info->objective, "reference", info->reference, "tasks",
                         info->tasks, "traits", info->traits, "streams",
                         info->streams ? Py_True : Py_False, "limits", strings_of(info->limits),
                         "params", params_of(info->params));
}

static bool add(PyObject *list, PyObject *item)
{
    bool added = item && PyList_Append(list, item) == 0;

    Py_XDECREF(item);
    return added;
}

/* tables() -> {"methods": [...], "transforms": [...], "train": [...], ...} */
PyObject *tables(PyObject *module, PyObject *nothing)
{
    PyObject *methods = PyList_New(0), *transforms = PyList_New(0);
    bool good = methods && transforms;

    (void)module, (void)nothing;
    for (size_t i = 0; good && i < cleave_method_count(); i++) {
        cleave_method_info info = cleave_method(i);

        good = add(methods, method_of(&info));
    }
    for (size_t i = 0; good && i < cleave_transform_count(); i++) {
        cleave_transform_info info = cleave_transform(i);

        good = add(transforms, Py_BuildValue("{sssssssN}", "name", info.name, "brief", info.brief,
                                             "about", info.about, "params",
                                             params_of(info.params)));
    }
    if (!good) {
        Py_XDECREF(methods);
        Py_XDECREF(transforms);
        return NULL;
    }
    return Py_BuildValue(
        "{sNsNsNsNsNsNsNsNsNsNsNsNsNsN}", "methods", methods, "transforms", transforms, "read",
        params_of(cleave_read_params()), "train", params_of(cleave_train_params()), "predict",
        params_of(cleave_predict_params()), "evaluate", params_of(cleave_evaluate_params()),
        "search", params_of(cleave_search_params()), "update", params_of(cleave_update_params()),
        "stream", params_of(cleave_stream_params()), "cross_validate",
        params_of(cleave_cv_params()), "tune", params_of(cleave_tune_params()), "compare",
        params_of(cleave_compare_params()), "plot", params_of(cleave_plot_params()), "crowd",
        params_of(cleave_crowd_params()));
}
