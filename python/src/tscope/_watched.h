/* _watched.h - at which steps digests are taken, without a call of Python in other steps, and with few in these. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__WATCHED_H
#define TSCOPE_PYTHON_SRC_TSCOPE__WATCHED_H

#include "_recorder.h"

/* Each returns -1 with what must get through (KeyboardInterrupt), else 0. */

/* A step has begun; `back` says that its number is lower than that of the step before. */
int watched_begins(PyObject *watched, int64_t step, int back);
/* It ends. */
int watched_ends(PyObject *watched);
/* An optimizer's step begins, of which hooks of ours are told that are the only ones it has. */
int watched_steps(PyObject *watched, PyObject *optimizer);

/* Whether an object is a Watched. */
int watched_is(PyObject *object);

/* Adds the type Watched to the module; its runs are of the type `recorder`. Returns -1 with an exception on failure. */
int watched_add(PyObject *module, PyObject *recorder);

#endif
