/* _one.c - the common step, of one loss that lies on the host and one optimizer with one rate: what tscope._backward.Seen would do.
 *
 * Whatever is not common is left to `enter` and `steps`, and so is everything until `learn` says what is common in this loop.
 */
#include "_one.h"

#include "_hooks.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>

typedef struct {
	PyObject_HEAD Hooks *hooks; /* of the loop */
	PyObject *tensor;	    /* torch.Tensor, and none of its subclasses */
	PyObject *enter;	    /* backward begins: enter(tensors, ...) */
	PyObject *steps;	    /* an optimizer's step begins: steps(optimizer, args, kwargs) */
	int common;		    /* steps have one loss of the host; else all is left to the others */
	PyObject *dtype;	    /* of losses that are read where they lie; NULL: none is */
	int size;		    /* of such a loss in bytes: that of a float or of a double */
	PyObject *number;	    /* the loss of this step; NULL: none */
	unsigned forwards;	    /* of the loop, when it was taken */
	tscope_column loss, rate;   /* their columns; 0: not known yet, or none */
} One;

static PyTypeObject *one_type;
static PyObject *param_groups, *lr, *loss, *grad_tensors, *grad_variables, *is_cpu, *dtype_word, *data_ptr;

static PyObject *one_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *hooks, *tensor, *enter, *steps;
	One *self;

	if (kwargs || !PyArg_ParseTuple(args, "O!OOO", hooks_type, &hooks, &tensor, &enter, &steps))
		return NULL;
	self = (One *)allocate(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(hooks);
	Py_INCREF(tensor);
	Py_INCREF(enter);
	Py_INCREF(steps);
	self->hooks = (Hooks *)hooks;
	self->tensor = tensor;
	self->enter = enter;
	self->steps = steps;
	return (PyObject *)self;
}

/* --- backward --- */

static int is_common_call(const One *self, PyObject *args, PyObject *kwargs)
{
	Py_ssize_t n = PyTuple_Size(args);

	return self->common && !self->number && n > 0 && (PyObject *)Py_TYPE(PyTuple_GetItem(args, 0)) == self->tensor &&
	       (n == 1 || PyTuple_GetItem(args, 1) == Py_None) &&
	       !(kwargs && (PyDict_GetItemWithError(kwargs, grad_tensors) || PyDict_GetItemWithError(kwargs, grad_variables)));
}

static int is(PyObject *object, PyObject *name, PyObject *expected)
{
	PyObject *found = PyObject_GetAttr(object, name);

	Py_XDECREF(found);
	return found && found == expected;
}

static unsigned long long number_of(PyObject *object)
{
	unsigned long long found = object ? PyLong_AsUnsignedLongLong(object) : 0;

	Py_XDECREF(object);
	return PyErr_Occurred() ? 0 : found;
}

/* Reads a loss where it lies: torch's item() goes a long way for it. Returns NULL, without an exception, for one that is to be asked. A
 * tensor of another size than one number has none that backward would take. */
static PyObject *read_loss(const One *self, PyObject *tensor)
{
	const void *at = NULL;
	double real = 0;
	float single;

	if (self->dtype && is(tensor, is_cpu, Py_True) && is(tensor, dtype_word, self->dtype))
		at = (const void *)(uintptr_t)number_of(PyObject_CallMethodObjArgs(tensor, data_ptr, NULL));
	if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
		PyErr_Clear();
	if (!at || PyErr_Occurred())
		return NULL;
	if (self->size == sizeof single) {
		memcpy(&single, at, sizeof single);
		real = (double)single;
	} else {
		memcpy(&real, at, sizeof real);
	}
	return PyFloat_FromDouble(real);
}

/* Takes the loss, whatever it was divided by: of a step that has one it is as it was given. Returns whether it did; an exception is set
 * if that must get through. */
static int take_loss(One *self, PyObject *tensor)
{
	self->number = read_loss(self, tensor);
	if (!self->number && !PyErr_Occurred())
		self->number = recorder_number_on_host(tensor);
	self->forwards = self->hooks->forwards;
	return self->number != NULL;
}

static PyObject *before(One *self, PyObject *args, PyObject *kwargs)
{
	Hooks *hooks = self->hooks;

	if (!self->enter || !hooks || (!hooks->open && !hooks->forward_ns))
		Py_RETURN_NONE; /* none of the loop's */
	if (self->common && hooks->thread != PyThread_get_thread_ident())
		Py_RETURN_NONE;
	if (is_common_call(self, args, kwargs)) {
		if (take_loss(self, PyTuple_GetItem(args, 0)))
			Py_RETURN_NONE;
		if (PyErr_Occurred())
			return NULL;
	}
	self->common = 0;
	return PyObject_Call(self->enter, args, kwargs);
}

/* --- the optimizer --- */

/* Its column is found by name once: what is looked for in a table is in no cache by then. */
static void log_number(const Hooks *hooks, tscope_column *column, PyObject *name, PyObject *number)
{
	double value = PyFloat_AsDouble(number);

	if (!*column)
		*column = recorder_column(hooks->run, NUMBERS, name);
	if (*column && !(value == -1 && PyErr_Occurred()))
		tscope_log(hooks->run->run, *column, value);
	PyErr_Clear();
}

/* Returns the one rate of an optimizer, if it is a float; else NULL without an exception. */
static PyObject *rate_of(PyObject *optimizer)
{
	PyObject *groups = PyObject_GetAttr(optimizer, param_groups), *group, *rate = NULL;

	if (groups && PyList_CheckExact(groups) && PyList_Size(groups) == 1) {
		group = PyList_GetItem(groups, 0);
		rate = PyDict_CheckExact(group) ? PyDict_GetItem(group, lr) : NULL;
		if (rate && !PyFloat_CheckExact(rate))
			rate = NULL;
		Py_XINCREF(rate);
	}
	Py_XDECREF(groups);
	PyErr_Clear();
	return rate;
}

static PyObject *step(One *self, PyObject *const *args, Py_ssize_t n)
{
	const Hooks *hooks = self->hooks;
	PyObject *rate = self->common && n == 3 && !hooks_has_closure(args, n) ? rate_of(args[0]) : NULL;
	int64_t now;

	if (!rate) {
		self->common = 0;
		return self->steps && n == 3 ? PyObject_CallFunctionObjArgs(self->steps, args[0], args[1], args[2], NULL)
					     : PyErr_Format(PyExc_TypeError, "step takes an optimizer and its arguments");
	}
	if (hooks->run && hooks->run->run) {
		now = tscope_step_now(hooks->run->run);
		if (now != TSCOPE_NEXT) {
			if (self->number && !recorder_says_loss(hooks->run, now))
				log_number(hooks, &self->loss, loss, self->number);
			log_number(hooks, &self->rate, lr, rate);
		}
	}
	Py_DECREF(rate);
	Py_CLEAR(self->number);
	Py_RETURN_NONE;
}

PyObject *one_step(PyObject *one, PyObject *const *args, Py_ssize_t n)
{
	if (Py_TYPE(one) != one_type)
		Py_RETURN_NONE;
	return recorder_swallow(step((One *)one, args, n));
}

/* --- what the others say --- */

static PyObject *learn(One *self, PyObject *args)
{
	PyObject *dtype;
	int size;

	if (!PyArg_ParseTuple(args, "Oi", &dtype, &size))
		return NULL;
	self->common = 1;
	Py_CLEAR(self->dtype);
	if (size == sizeof(float) || size == sizeof(double)) {
		Py_INCREF(dtype);
		self->dtype = dtype;
		self->size = size;
	}
	Py_RETURN_NONE;
}

static PyObject *unlearn(One *self, PyObject *unused)
{
	(void)unused;
	self->common = 0;
	Py_RETURN_NONE;
}

static PyObject *take(One *self, PyObject *unused)
{
	PyObject *number = self->number, *again;

	(void)unused;
	self->number = NULL;
	if (!number)
		Py_RETURN_NONE;
	again = self->hooks && self->hooks->forwards != self->forwards ? Py_True : Py_False;
	return Py_BuildValue("(NO)", number, again);
}

/* --- the type --- */

static int traverse(One *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->hooks);
	Py_VISIT(self->tensor);
	Py_VISIT(self->enter);
	Py_VISIT(self->steps);
	Py_VISIT(self->dtype);
	return 0;
}

static int clear(One *self)
{
	Py_CLEAR(self->hooks);
	Py_CLEAR(self->tensor);
	Py_CLEAR(self->enter);
	Py_CLEAR(self->steps);
	Py_CLEAR(self->dtype);
	Py_CLEAR(self->number);
	return 0;
}

static void dealloc(One *self)
{
	PyObject_GC_UnTrack(self);
	(void)clear(self);
	recorder_free((PyObject *)self);
}

static PyMethodDef methods[] = {
	{"before", FAST(before), METH_VARARGS | METH_KEYWORDS, PyDoc_STR("Backward is called; returns None, or what enter() gave.")},
	{"learn", FAST(learn), METH_VARARGS,
	 PyDoc_STR("learn(dtype, size)\n--\n\nSays that steps of this loop have one loss of the host, and of which type and size in\n"
		   "bytes it is, if it can be read where it lies; of size 0 it cannot.")},
	{"unlearn", FAST(unlearn), METH_NOARGS, PyDoc_STR("unlearn()\n--\n\nSays that the next loss is not like these.")},
	{"take", FAST(take), METH_NOARGS,
	 PyDoc_STR("take()\n--\n\nReturns the loss that was seen in this step, and whether the model was called since; or None.")},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_new, one_new},
	{Py_tp_methods, methods},
	{Py_tp_traverse, traverse},
	{Py_tp_clear, clear},
	{Py_tp_dealloc, dealloc},
	{Py_tp_doc, "One(hooks, tensor, enter, steps)\n--\n\nThe loss of a step that has one, in C."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tscope._recorder.One",
	.basicsize = sizeof(One),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

int one_add(PyObject *module)
{
	struct {
		PyObject **at;
		const char *text;
	} words[] = {{&param_groups, "param_groups"}, {&lr, "lr"},	       {&loss, "loss"},		{&grad_tensors, "grad_tensors"},
		     {&grad_variables, "grad_variables"}, {&is_cpu, "is_cpu"}, {&data_ptr, "data_ptr"}, {&dtype_word, "dtype"}};
	PyObject *type = PyType_FromSpec(&spec);
	int bad = 0;

	one_type = (PyTypeObject *)type;
	Py_XINCREF(type); /* one for the module, one for one_type */
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		*words[i].at = PyUnicode_InternFromString(words[i].text);
		bad = bad || !*words[i].at;
	}
	if (bad || !type || PyModule_AddObject(module, "One", type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}
