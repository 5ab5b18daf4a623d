/* _hooks.h - what the hooks of torch call for a loop that is not touched: the steps and phases of a loop, as a type in C. */
#ifndef TSCOPE_PYTHON_SRC_TSCOPE__HOOKS_H
#define TSCOPE_PYTHON_SRC_TSCOPE__HOOKS_H

#include "_recorder.h"

enum { FORWARD, BACKWARD, OPTIMIZER, N_MARKS };

typedef struct {
	PyObject_HEAD
	Recorder *run;
	PyObject *model;
	PyObject *members;	/* of the model, where `training` is one of them; NULL: it is asked for that */
	PyObject *grad_enabled; /* torch.is_grad_enabled */
	PyCFunction grad_is_on;	/* the function of C behind it, which takes nothing; NULL: there is none */
	PyObject *flops;	/* what counts them now; NULL or None: nothing does */
	PyObject *loss;		/* what sees losses and rates (_one.h), called as an optimizer steps; NULL or None: nothing does */
	int waiting_for;	/* optimizers whose step ends the step; 0: whichever comes first */
	int stepped;
	tscope_column phases[N_MARKS]; /* of the host's clock; 0: not known yet, or none */
	int depth;	     /* of the model's forwards in each other */
	unsigned forwards;   /* of the model in training, the outermost of each other */
	unsigned long thread; /* that called the model last to train, or at all; 0: none */
	char open;	     /* a step of this loop is */
	char scoped;	     /* trace_step begins and ends the steps */
	char trains_in_eval; /* the program trains in evaluation mode */
	char count_flops;    /* of the next step */
	char looked;	     /* an evaluation has begun behind the last step, and was told of */
	char known;	     /* an optimizer has stepped: whether the program trains in evaluation mode is known */
	long long evaluating; /* ns when the outermost forward of an evaluation began; 0: none is under way */
	long long maybe;      /* ns when a forward with gradients began of which that is not known; 0: none is under way */
	long long forward_ns; /* how long the last one of these took */
} Hooks;

extern PyTypeObject *hooks_type;

/* Whether an optimizer, whose hook was called with its step's arguments, was given a closure: that calls the model. */
int hooks_has_closure(PyObject *const *args, Py_ssize_t n);

/* Adds the type Hooks to the module; its runs are of the type `recorder`. Returns -1 with an exception on failure. */
int hooks_add(PyObject *module, PyObject *recorder);

#endif
