/* _tensors.h - the tensors of a model and their digests without a line of Python a tensor, as a watched step wants them. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__TENSORS_H
#define TSCOPE_PYTHON_SRC_TSCOPE__TENSORS_H

#include "_recorder.h"

#include <stdint.h>

/* Adds to the sum of a set what a tensor of this name and digest adds. Returns -1 with an exception on failure. */
int tensors_add_named(uint64_t *sum, PyObject *name, uint64_t bits);

/* Adds the functions members and digest_tensors to the module. Returns -1 with an exception on failure. */
int tensors_add(PyObject *module);

#endif
