/* The module _cleave. */
#include "extension.h"

PyTypeObject *context_type, *data_type, *model_type, *searcher_type, *stream_type, *pipeline_type;

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *type && PyModule_AddType(module, *type) == 0;
}

static int exec(PyObject *module)
{
    if (!add_type(module, &context_spec, &context_type) ||
        !add_type(module, &data_spec, &data_type) || !add_type(module, &model_spec, &model_type) ||
        !add_type(module, &searcher_spec, &searcher_type) ||
        !add_type(module, &stream_spec, &stream_type) ||
        !add_type(module, &pipeline_spec, &pipeline_type))
        return -1;
    return PyModule_AddStringConstant(module, "version", cleave_version());
}

static PyMethodDef functions[] = {{"tables", tables, METH_NOARGS, NULL},
                                  {"cross_validate", cross_validate, METH_VARARGS, NULL},
                                  {"tune", tune, METH_VARARGS, NULL},
                                  {"compare", compare, METH_VARARGS, NULL},
                                  {"describe", describe, METH_VARARGS, NULL},
                                  {"plot", plot, METH_VARARGS, NULL},
                                  {"crowd", crowd, METH_VARARGS, NULL},
                                  {0}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)exec}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        .m_name = "cleave._cleave",
                                        .m_doc = "The cleave library.",
                                        .m_size = 0,
                                        .m_methods = functions,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__cleave(void);
PyMODINIT_FUNC PyInit__cleave(void) { return PyModuleDef_Init(&definition); }
