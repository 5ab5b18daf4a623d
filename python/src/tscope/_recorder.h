/* _recorder.h - the recorder as the files of the extension see it: what a mark, a beginning and an end of a step do.
 *
 * Calls need the interpreter's lock. A function that returns an object returns None, or NULL with what must get through
 * (KeyboardInterrupt).
 */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__RECORDER_H
#define TSCOPE_PYTHON_SRC_TSCOPE__RECORDER_H

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "record/tscope.h"

#ifndef METH_FASTCALL /* CPython 3.9 has it, and leaves it out of the limited API */
#define METH_FASTCALL 0x0080
#endif

#define FAST(name) ((PyCFunction)(void (*)(void))(name))

enum { NEAR = 512, NEAR_FULL = 256, SAID = 64 };

/* The columns of one kind, by name. */
struct names {
	enum tscope_kind kind;
	PyObject *by_value; /* dict: str to int */
	size_t n_near;
	struct {
		PyObject *name; /* a reference, so that no other string comes to lie at its address */
		tscope_column column;
	} near[NEAR];
};

enum { BY_NOBODY, BY_LOG, BY_PROGRAM };
enum { PHASES, NUMBERS, AMOUNTS, MEMORY, DIGESTS, REGIONS, EVENTS, DEVICE_PHASES, N_NAMES };

typedef struct {
	PyObject_HEAD
	struct tscope_run *run; /* NULL: nothing is recorded */
	PyObject *step;		/* what step() returns */
	int64_t next;		/* the number of the step that begins next */
	int open;		/* a step is */
	int made_by;		/* BY_NOBODY: no step has begun; whose the steps are */
	int holds;		/* numbers wait for the row that they belong to (_rows.py) */
	int ended;		/* the run was recorded, and is over */
	unsigned long every;	/* steps between two calls of _tick; 0: never */
	unsigned long left;
	tscope_column batch; /* the digest of what the loader gave for the step; 0: none is waiting */
	uint64_t batch_bits;
	int64_t wake;	  /* the first step at whose beginning _begins is called, as where steps go back; INT64_MAX: none */
	int64_t begun;	  /* the step that began last; INT64_MIN: none */
	int ends;	  /* _ends is called before the step ends */
	PyObject *watched; /* at which steps digests are taken (_watched.h); NULL: at none */
	PyObject *device; /* what times phases by a device's clock (_device.py); NULL: nothing does */
	tscope_column loss;	/* the column of the number "loss"; 0: it has none yet */
	int64_t said[SAID]; /* steps for which the program itself said a loss, by their last bits */
	struct names names[N_NAMES];
} Recorder;

/* Steps: TSCOPE_NEXT for the one after the last. */
PyObject *recorder_begin(Recorder *self, int64_t step);
PyObject *recorder_end(Recorder *self);
PyObject *recorder_mark(Recorder *self, PyObject *name);
/* Returns the column of a name, or 0. */
tscope_column recorder_column(Recorder *self, int kind, PyObject *name);
/* Returns the number of a tensor that lies on the host, or NULL: with an exception if that must get through. One on a device is not
 * touched, since reading it would wait for the device. */
PyObject *recorder_number_on_host(PyObject *tensor);
/* Whether the program itself said the loss of a step, which is one of the last. */
int recorder_says_loss(const Recorder *self, int64_t step);
/* Takes an object, or NULL with an exception: what is an Exception is forgotten. */
PyObject *recorder_swallow(PyObject *result);
/* Releases an object of a type that was made from a specification. */
void recorder_free(PyObject *self);

#endif
