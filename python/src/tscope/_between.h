/* _between.h - what stands around a function of the program without a frame of its own, so that what the function raises ends where it
 * would without us. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__BETWEEN_H
#define TSCOPE_PYTHON_SRC_TSCOPE__BETWEEN_H

#include "_recorder.h"

/* Adds the type Between to the module. Returns -1 with an exception on failure. */
int between_add(PyObject *module);

#endif
