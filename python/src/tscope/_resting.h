/* _resting.h - whether states of generators of random numbers are as they were, by looking at the memory in which they lie. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__RESTING_H
#define TSCOPE_PYTHON_SRC_TSCOPE__RESTING_H

#include "_recorder.h"

#include <stdbool.h>

/* Whether what a Resting looks at is surely as it was when it was told a value, and that value. Of another object it is not. Leaves no
 * exception. */
bool resting_value(PyObject *resting, uint64_t *ret_value);

/* Adds the type Resting to the module. Returns -1 with an exception on failure. */
int resting_add(PyObject *module);

#endif
