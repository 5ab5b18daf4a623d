/* _between.c - a callable that is called in the place of a function: before and after it, others are, which raise nothing into it. */
#include "_between.h"

#include <stddef.h>
#include <structmember.h>

typedef struct {
	PyObject_HEAD
	PyObject *before, *inner, *after;
} Between;

static PyObject *between_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *before, *inner, *after;
	Between *self;

	if (kwargs || !PyArg_ParseTuple(args, "OOO", &before, &inner, &after))
		return NULL;
	self = (Between *)allocate(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(before);
	Py_INCREF(inner);
	Py_INCREF(after);
	self->before = before;
	self->inner = inner;
	self->after = after;
	return (PyObject *)self;
}

/* Whatever `after` does, what the function raised goes on. It is what sys.exc_info() has meanwhile. */
static PyObject *leave(PyObject *after, PyObject *seen, PyObject *given)
{
	PyObject *type, *value, *trace, *none, *outer_type = NULL, *outer_value = NULL, *outer_trace = NULL;

	PyErr_Fetch(&type, &value, &trace);
	if (type) {
		PyErr_NormalizeException(&type, &value, &trace);
		PyErr_GetExcInfo(&outer_type, &outer_value, &outer_trace);
		Py_INCREF(type);
		Py_XINCREF(value);
		Py_XINCREF(trace);
		PyErr_SetExcInfo(type, value, trace);
	}
	none = recorder_swallow(PyObject_CallFunctionObjArgs(after, seen, NULL));
	if (type) {
		PyErr_Clear();
		PyErr_SetExcInfo(outer_type, outer_value, outer_trace);
		PyErr_Restore(type, value, trace);
	} else if (!none) {
		Py_CLEAR(given);
	}
	Py_XDECREF(none);
	return given;
}

static PyObject *call(Between *self, PyObject *args, PyObject *kwargs)
{
	PyObject *seen, *given, *after = self->after, *inner = self->inner;

	if (!self->before || !inner || !after) {
		PyErr_SetString(PyExc_TypeError, "there is nothing to call");
		return NULL;
	}
	seen = PyObject_Call(self->before, args, kwargs);
	if (!seen) { /* such as arguments that the function does not take either */
		if (!PyErr_ExceptionMatches(PyExc_Exception))
			return NULL;
		PyErr_Clear();
	}
	Py_INCREF(inner);
	Py_INCREF(after);
	given = PyObject_Call(inner, args, kwargs);
	if (seen && seen != Py_None)
		given = leave(after, seen, given);
	Py_XDECREF(seen);
	Py_DECREF(inner);
	Py_DECREF(after);
	return given;
}

/* What is asked of it is asked of the function: its name, its module. */
static PyObject *get(PyObject *object, PyObject *name)
{
	PyObject *found = PyObject_GenericGetAttr(object, name), *inner = ((Between *)object)->inner;

	if (found || !inner || !PyErr_ExceptionMatches(PyExc_AttributeError))
		return found;
	PyErr_Clear();
	return PyObject_GetAttr(inner, name);
}

static int traverse(Between *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->before);
	Py_VISIT(self->inner);
	Py_VISIT(self->after);
	return 0;
}

static int clear(Between *self)
{
	Py_CLEAR(self->before);
	Py_CLEAR(self->inner);
	Py_CLEAR(self->after);
	return 0;
}

static void dealloc(Between *self)
{
	PyObject_GC_UnTrack(self);
	(void)clear(self);
	recorder_free((PyObject *)self);
}

static PyMemberDef members[] = {
	{"__wrapped__", T_OBJECT, offsetof(Between, inner), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_new, between_new},
	{Py_tp_call, call},
	{Py_tp_getattro, get},
	{Py_tp_members, members},
	{Py_tp_traverse, traverse},
	{Py_tp_clear, clear},
	{Py_tp_dealloc, dealloc},
	{Py_tp_doc, "Between(before, inner, after)\n--\n\nCalls before, inner with the same arguments, and after with what before "
		    "gave; where that is None, not."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tscope._recorder.Between",
	.basicsize = sizeof(Between),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

int between_add(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	if (!type || PyModule_AddObject(module, "Between", type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}
