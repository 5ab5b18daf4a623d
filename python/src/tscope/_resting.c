/* _resting.c - places in memory and attributes of objects that are as they were, or are not.
 *
 * Whoever makes a Resting knows that its places stay readable as long as its attributes have the objects that they have. What cannot be
 * asked is not as it was.
 */
#include "_resting.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum { PLACES = 8, ASKED = 8, LONGEST = 128 /* bytes of a place */ };

typedef struct {
	PyObject_HEAD
	int n_places, n_asked, looked, known;
	struct {
		const uint8_t *at;
		size_t len;
		uint8_t was[LONGEST];
	} places[PLACES];
	struct {
		PyObject *object, *name, *expected;
	} asked[ASKED];
	unsigned long long value;
} Resting;

static PyTypeObject *resting_type;

/* --- what it looks at --- */

static int add_place(Resting *self, PyObject *pair)
{
	unsigned long long at, len;

	if (self->n_places == PLACES || !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "KK", &at, &len) || len > LONGEST) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_ValueError, "too many places, or one that is too long");
		return -1;
	}
	self->places[self->n_places].at = (const uint8_t *)(uintptr_t)at;
	self->places[self->n_places++].len = (size_t)len;
	return 0;
}

static int add_asked(Resting *self, PyObject *three)
{
	PyObject *object, *name, *expected;

	if (self->n_asked == ASKED || !PyTuple_Check(three) || !PyArg_ParseTuple(three, "OUO", &object, &name, &expected)) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_ValueError, "too many attributes");
		return -1;
	}
	Py_INCREF(object);
	Py_INCREF(name);
	Py_INCREF(expected);
	self->asked[self->n_asked].object = object;
	self->asked[self->n_asked].name = name;
	self->asked[self->n_asked++].expected = expected;
	return 0;
}

static PyObject *resting_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *places, *asked;
	Resting *self;
	int bad = 0;

	if (kwargs || !PyArg_ParseTuple(args, "O!O!", &PyList_Type, &places, &PyList_Type, &asked))
		return NULL;
	self = (Resting *)allocate(type, 0);
	if (!self)
		return NULL;
	for (Py_ssize_t i = 0; !bad && i < PyList_Size(places); i++)
		bad = add_place(self, PyList_GetItem(places, i));
	for (Py_ssize_t i = 0; !bad && i < PyList_Size(asked); i++)
		bad = add_asked(self, PyList_GetItem(asked, i));
	if (bad)
		Py_CLEAR(self);
	return (PyObject *)self;
}

/* --- whether it is as it was --- */

static bool is_as_asked(const Resting *self)
{
	for (int i = 0; i < self->n_asked; i++) {
		PyObject *found = PyObject_GetAttr(self->asked[i].object, self->asked[i].name);

		Py_XDECREF(found);
		if (found != self->asked[i].expected) {
			PyErr_Clear();
			return false;
		}
	}
	return true;
}

static bool is_as_it_was(const Resting *self)
{
	if (!self->known || !is_as_asked(self))
		return false;
	for (int i = 0; i < self->n_places; i++)
		if (memcmp(self->places[i].was, self->places[i].at, self->places[i].len) != 0)
			return false;
	return true;
}

bool resting_value(PyObject *resting, uint64_t *ret_value)
{
	if (!resting || Py_TYPE(resting) != resting_type || !is_as_it_was((Resting *)resting))
		return false;
	*ret_value = ((Resting *)resting)->value;
	return true;
}

static PyObject *rests(Resting *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(is_as_it_was(self));
}

static PyObject *look(Resting *self, PyObject *unused)
{
	(void)unused;
	self->looked = is_as_asked(self);
	self->known = 0;
	for (int i = 0; self->looked && i < self->n_places; i++)
		memcpy(self->places[i].was, self->places[i].at, self->places[i].len);
	Py_RETURN_NONE;
}

static PyObject *tell(Resting *self, PyObject *value)
{
	unsigned long long given = PyLong_AsUnsignedLongLong(value);

	if (PyErr_Occurred())
		return NULL;
	self->known = self->looked;
	self->value = given;
	Py_RETURN_NONE;
}

/* --- the type --- */

static int traverse(Resting *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	for (int i = 0; i < self->n_asked; i++) {
		Py_VISIT(self->asked[i].object);
		Py_VISIT(self->asked[i].expected);
	}
	return 0;
}

static int clear(Resting *self)
{
	int n = self->n_asked;

	self->n_asked = self->looked = self->known = 0;
	for (int i = 0; i < n; i++) {
		Py_CLEAR(self->asked[i].object);
		Py_CLEAR(self->asked[i].name);
		Py_CLEAR(self->asked[i].expected);
	}
	return 0;
}

static void dealloc(Resting *self)
{
	PyObject_GC_UnTrack(self);
	(void)clear(self);
	recorder_free((PyObject *)self);
}

static PyMethodDef methods[] = {
	{"look", FAST(look), METH_NOARGS, PyDoc_STR("look()\n--\n\nKeeps what lies there now.")},
	{"tell", FAST(tell), METH_O, PyDoc_STR("tell(value)\n--\n\nSays what value is of that: one that was asked for behind `look`.")},
	{"rests", FAST(rests), METH_NOARGS, PyDoc_STR("rests()\n--\n\nReturns whether all is as it was then, and the value holds.")},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"value", T_ULONGLONG, offsetof(Resting, value), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_new, resting_new},
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{Py_tp_traverse, traverse},
	{Py_tp_clear, clear},
	{Py_tp_dealloc, dealloc},
	{Py_tp_doc, "Resting(places, attributes)\n--\n\nPlaces in memory, each (address, bytes), that are readable as long as the "
		    "attributes, each (object, name, expected), are what they are."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tscope._recorder.Resting",
	.basicsize = sizeof(Resting),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

int resting_add(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	resting_type = (PyTypeObject *)type;
	Py_XINCREF(type); /* one for the module, one for resting_type */
	if (!type || PyModule_AddObject(module, "Resting", type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}
