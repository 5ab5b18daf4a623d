/* _one.h - the loss of a step that has one, and the learning rate, without a call of Python. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__ONE_H
#define TSCOPE_PYTHON_SRC_TSCOPE__ONE_H

#include "_recorder.h"

/* An optimizer's step begins, whose hook was called with these: (optimizer, args, kwargs). */
PyObject *one_step(PyObject *one, PyObject *const *args, Py_ssize_t n);

/* Adds the type One to the module. Returns -1 with an exception on failure. */
int one_add(PyObject *module);

#endif
