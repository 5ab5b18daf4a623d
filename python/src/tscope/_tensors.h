/* _tensors.h - the tensors of a model and their digests without a line of Python a tensor, as a watched step wants them. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__TENSORS_H
#define TSCOPE_PYTHON_SRC_TSCOPE__TENSORS_H

#include "_recorder.h"

#include <stdint.h>

/* Adds to the sum of a set what a tensor of this name and digest adds. Returns -1 with an exception on failure. */
int tensors_add_named(uint64_t *sum, PyObject *name, uint64_t bits);

/* Where the bytes of a tensor lie on the host, one behind the other, if its type is one of two of torch's own. Returns 0 where they do
 * not, and leaves no exception. */
int tensors_lies_plain(PyObject *tensor, PyObject *plain, const void **ret_bytes, size_t *ret_len);

/* Of floats of any width: a bit of the first word is set that is no number's sign, so not all are zero. */
int tensors_begins_above_zero(const void *bytes, size_t len);

/* Adds the functions members and digest_tensors to the module. Returns -1 with an exception on failure. */
int tensors_add(PyObject *module);

#endif
