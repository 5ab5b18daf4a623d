/* _hooks.h - what the hooks of torch call for a loop that is not touched: the steps and phases of a loop, as a type in C. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__HOOKS_H
#define TSCOPE_PYTHON_SRC_TSCOPE__HOOKS_H

#include "_recorder.h"

/* Adds the type Hooks to the module; its runs are of the type `recorder`. Returns -1 with an exception on failure. */
int hooks_add(PyObject *module, PyObject *recorder);

#endif
