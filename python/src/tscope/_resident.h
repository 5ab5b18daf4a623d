/* _resident.h - the memory that this process has resident. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__RESIDENT_H
#define TSCOPE_PYTHON_SRC_TSCOPE__RESIDENT_H

#include "_recorder.h"

/* resident(): the bytes; OSError where the system does not say it. */
PyObject *tscope_resident(PyObject *module, PyObject *unused);

#endif
