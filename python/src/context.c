/* Contexts, calls and errors. */
#include "extension.h"

#include <time.h>

/* Calls of this thread that released the GIL. Only such a thread takes the GIL to look for signals:
 * a worker of the library would wait for a caller that holds it. */
static _Thread_local int entered;

/* ---- callbacks */

static void keep_exception(ContextObject *self)
{
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    Py_XDECREF(self->exception);
    self->exception = value;
    atomic_store(&self->stop, true);
}

/* Returns whether this thread has not looked for signals for 20 ms. Taking the GIL can take 5 ms while
 * other threads run Python code, and the library may poll every few microseconds. */
static bool is_due(void)
{
    static _Thread_local struct timespec last;
    struct timespec now;
    long long past;

    clock_gettime(CLOCK_MONOTONIC, &now);
    past = (now.tv_sec - last.tv_sec) * 1000000000LL + (now.tv_nsec - last.tv_nsec);
    if (past < 20 * 1000 * 1000)
        return false;
    last = now;
    return true;
}

bool is_cancelled(ContextObject *self)
{
    PyGILState_STATE gil;

    if (atomic_load(&self->stop) || !entered || !is_due())
        return atomic_load(&self->stop);
    gil = PyGILState_Ensure();
    if (PyErr_CheckSignals() < 0) /* runs handlers in the main thread only */
        keep_exception(self);
    PyGILState_Release(gil);
    return atomic_load(&self->stop);
}

static bool on_cancelled(void *user) { return is_cancelled(user); }

static void on_log(void *user, cleave_log_level level, const char *message, const char *hint)
{
    ContextObject *self = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *entry = Py_BuildValue("iss", level, message, hint);

    if (!entry || PyList_Append(self->messages, entry) < 0)
        PyErr_Clear();
    Py_XDECREF(entry);
    PyGILState_Release(gil);
}

static void on_progress(void *user, const cleave_progress *progress)
{
    ContextObject *self = user;
    PyGILState_STATE gil;
    PyObject *result;

    if (on_cancelled(user) || !entered)
        return;
    gil = PyGILState_Ensure();
    if (self->progress != Py_None) {
        result = PyObject_CallFunction(self->progress, "sKKKKII", progress->phase,
                                       progress->rows, progress->rows_total, progress->bytes,
                                       progress->bytes_total, progress->epoch, progress->epochs);
        if (!result)
            keep_exception(self);
        Py_XDECREF(result);
    }
    PyGILState_Release(gil);
}

/* ---- calls */

Call call_begin(ContextObject *context)
{
    context->active++;
    entered++;
    return (Call){.context = context, .thread = PyEval_SaveThread()};
}

void call_end(Call call)
{
    PyEval_RestoreThread(call.thread);
    entered--;
    if (--call.context->active == 0)
        atomic_store(&call.context->stop, false);
}

bool was_interrupted(ContextObject *context)
{
    PyObject *exception = context->exception;

    if (!exception)
        return false;
    context->exception = NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
    return true;
}

static PyObject *exception_of(cleave_code code)
{
    switch (code) {
    case CLEAVE_ERROR_IO:
        return PyExc_OSError;
    case CLEAVE_ERROR_MEMORY:
        return PyExc_MemoryError;
    case CLEAVE_ERROR_CANCELLED:
        return PyExc_KeyboardInterrupt;
    case CLEAVE_ERROR_INTERNAL:
        return PyExc_RuntimeError;
    default:
        return PyExc_ValueError;
    }
}

PyObject *raise_error(ContextObject *context, const cleave_error *error)
{
    PyObject *text;

    if (context && was_interrupted(context))
        return NULL;
    if (error->hint[0])
        text = PyUnicode_FromFormat("%s\nhint: %s", error->message, error->hint);
    else
        text = PyUnicode_FromString(error->message);
    if (text)
        PyErr_SetObject(exception_of(error->code), text);
    Py_XDECREF(text);
    return NULL;
}

/* ---- the type */

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"threads", "progress", NULL};
    unsigned threads = 0;
    PyObject *progress = Py_None;
    ContextObject *self;
    cleave_config config = {.size = sizeof config,
                            .log = on_log,
                            .cancelled = on_cancelled,
                            .progress = on_progress};

    if (!PyArg_ParseTupleAndKeywords(args, names, "|IO:Context", keywords, &threads, &progress))
        return NULL;
    self = (ContextObject *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->messages = PyList_New(0);
    self->progress = Py_NewRef(progress);
    self->threads = threads;
    config.user = self;
    config.threads = threads;
    self->context = self->messages ? cleave_context_new(&config) : NULL;
    if (!self->context) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void context_dealloc(PyObject *object)
{
    ContextObject *self = (ContextObject *)object;
    PyTypeObject *type = Py_TYPE(object);

    cleave_context_free(self->context);
    Py_XDECREF(self->messages);
    Py_XDECREF(self->progress);
    Py_XDECREF(self->exception);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

/* Returns the messages so far and forgets them. */
static PyObject *take_messages(PyObject *object, PyObject *nothing)
{
    ContextObject *self = (ContextObject *)object;
    PyObject *taken = self->messages, *empty = PyList_New(0);

    (void)nothing;
    if (!empty)
        return NULL;
    self->messages = empty;
    return taken;
}

static PyMethodDef context_methods[] = {
    {"take_messages", take_messages, METH_NOARGS, "Messages since the last call."},
    {0}};
static PyType_Slot context_slots[] = {{Py_tp_new, context_new},
                                      {Py_tp_dealloc, context_dealloc},
                                      {Py_tp_methods, context_methods},
                                      {Py_tp_doc, "Threads, messages and progress of calls."},
                                      {0}};
PyType_Spec context_spec = {.name = "cleave._cleave.Context",
                            .basicsize = sizeof(ContextObject),
                            .flags = Py_TPFLAGS_DEFAULT,
                            .slots = context_slots};
