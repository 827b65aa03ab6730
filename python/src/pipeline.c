/* Pipelines: transforms without a method. */
#include "extension.h"

typedef struct {
    PyObject_HEAD
    ContextObject *context;
    cleave_pipeline *pipeline;
} PipelineObject;

static PyObject *make(ContextObject *context, cleave_pipeline *pipeline)
{
    PipelineObject *self = (PipelineObject *)PyType_GenericAlloc(pipeline_type, 0);

    if (!self) {
        cleave_pipeline_free(pipeline);
        return NULL;
    }
    self->context = (ContextObject *)Py_NewRef((PyObject *)context);
    self->pipeline = pipeline;
    return (PyObject *)self;
}

static void pipeline_dealloc(PyObject *object)
{
    PipelineObject *self = (PipelineObject *)object;
    PyTypeObject *type = Py_TYPE(object);

    cleave_pipeline_free(self->pipeline);
    Py_XDECREF((PyObject *)self->context);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

/* fit(context, transform, data, seed) */
static PyObject *fit(PyObject *type, PyObject *args)
{
    ContextObject *context;
    const char *transform;
    DataObject *data;
    unsigned long long seed;
    cleave_pipeline *pipeline;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!sO!K", context_type, &context, &transform, data_type, &data,
                          &seed))
        return NULL;
    call = call_begin(context);
    code = cleave_pipeline_fit(context->context, transform, data->data, seed, &pipeline, &error);
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(context, &error);
    return make(context, pipeline);
}

/* apply(data) -> Data */
static PyObject *apply(PyObject *object, PyObject *data)
{
    PipelineObject *self = (PipelineObject *)object;
    cleave_data *made;
    cleave_error error;
    cleave_code code;
    Call call;

    if (!PyObject_TypeCheck(data, data_type) || ((DataObject *)data)->context != self->context) {
        PyErr_SetString(PyExc_TypeError, "expected Data of the pipeline's context");
        return NULL;
    }
    call = call_begin(self->context);
    code = cleave_pipeline_apply(self->pipeline, ((DataObject *)data)->data, &made, &error);
    call_end(call);
    if (code != CLEAVE_OK)
        return raise_error(self->context, &error);
    if (was_interrupted(self->context)) {
        cleave_data_free(made);
        return NULL;
    }
    return new_data(self->context, made);
}

static PyObject *from_bytes(PyObject *type, PyObject *args)
{
    ContextObject *context;
    const char *bytes;
    Py_ssize_t size;
    cleave_pipeline *pipeline;
    cleave_error error;
    cleave_code code;
    Call call;

    (void)type;
    if (!PyArg_ParseTuple(args, "O!y#", context_type, &context, &bytes, &size))
        return NULL;
    call = call_begin(context);
    code = cleave_pipeline_from_bytes(context->context, bytes, (size_t)size, &pipeline, &error);
    call_end(call);
    return code == CLEAVE_OK ? make(context, pipeline) : raise_error(context, &error);
}

static PyObject *to_bytes(PyObject *object, PyObject *nothing)
{
    PipelineObject *self = (PipelineObject *)object;
    void *bytes;
    size_t size;
    cleave_error error;
    PyObject *made;

    (void)nothing;
    if (cleave_pipeline_to_bytes(self->pipeline, &bytes, &size, &error) != CLEAVE_OK)
        return raise_error(self->context, &error);
    made = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    cleave_bytes_free(self->context->context, bytes);
    return made;
}

/* arrays(step) -> {name: (format, bytes)} */
static PyObject *arrays(PyObject *object, PyObject *number)
{
    const cleave_pipeline *pipeline = ((PipelineObject *)object)->pipeline;
    cleave_array array = {.size = sizeof array};
    size_t step = PyLong_AsSize_t(number);
    PyObject *dict = PyErr_Occurred() ? NULL : PyDict_New();

    for (size_t i = 0; dict && cleave_pipeline_array(pipeline, step, i, &array); i++) {
        PyObject *value = array_of(&array);

        if (!value || PyDict_SetItemString(dict, array.name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *get_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((PipelineObject *)self)->context);
}

static PyGetSetDef pipeline_properties[] = {{"context", get_context, NULL, NULL, NULL}, {0}};
static PyMethodDef pipeline_methods[] = {{"fit", fit, METH_VARARGS | METH_STATIC, NULL},
                                         {"from_bytes", from_bytes, METH_VARARGS | METH_STATIC, NULL},
                                         {"to_bytes", to_bytes, METH_NOARGS, NULL},
                                         {"apply", apply, METH_O, NULL},
                                         {"arrays", arrays, METH_O, NULL},
                                         {0}};
static PyType_Slot pipeline_slots[] = {{Py_tp_dealloc, pipeline_dealloc},
                                       {Py_tp_methods, pipeline_methods},
                                       {Py_tp_getset, pipeline_properties},
                                       {Py_tp_doc, "Fitted transforms."},
                                       {0}};
PyType_Spec pipeline_spec = {.name = "cleave._cleave.Pipeline",
                             .basicsize = sizeof(PipelineObject),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .slots = pipeline_slots};
