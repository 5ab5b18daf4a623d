/* _quiet.h - watched steps that are as the last one was: every parameter has other bits, and checks would find nothing. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__QUIET_H
#define TSCOPE_PYTHON_SRC_TSCOPE__QUIET_H

#include "_recorder.h"

/* Adds the type Quiet to the module. Returns -1 with an exception on failure. */
int quiet_add(PyObject *module);

#endif
