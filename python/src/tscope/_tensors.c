/* _tensors.c - the tensors of a model by name, as torch's named_parameters gives them, and the digests of those that lie on the host.
 *
 * A watched step comes so seldom that nothing of it is in a cache; so what it does is short.
 */
#include "_tensors.h"

#include "_digest.h"

#include <string.h>

enum { LONG = 1 << 16 }; /* bytes whose digest takes so long that other threads go on meanwhile */

static PyObject *is_cpu, *is_sparse, *is_quantized, *is_contiguous, *data_ptr, *nbytes, *dict, *modules;

/* --- members of modules --- */

struct walk {
	PyObject *which;       /* _parameters or _buffers */
	PyObject *usual;       /* a set of the types of modules that name their members as torch does */
	PyObject *seen, *found; /* a set of the addresses of modules and members; a list of (name, tensor) */
};

/* Returns 1 if it is seen for the first time, 0 if not, -1 with an exception. */
static int is_new(const struct walk *walk, PyObject *object)
{
	PyObject *address = PyLong_FromVoidPtr(object);
	int known = address ? PySet_Contains(walk->seen, address) : -1;

	if (known == 0 && PySet_Add(walk->seen, address))
		known = -1;
	Py_XDECREF(address);
	return known < 0 ? -1 : !known;
}

static int add_member(const struct walk *walk, PyObject *names, PyObject *key, PyObject *member)
{
	PyObject *name = PyDict_GetItemWithError(names, key), *pair;
	int first, bad;

	if (!name)
		return -1;
	first = is_new(walk, member);
	if (first <= 0)
		return first;
	pair = PyTuple_Pack(2, name, member);
	bad = !pair || PyList_Append(walk->found, pair);
	Py_XDECREF(pair);
	return bad ? -1 : 0;
}

/* Walks a module as `place` says, (names, places of modules) by their keys. Returns -1 if it is another one, or with an exception. */
static int walk_module(const struct walk *walk, PyObject *module, PyObject *place)
{
	PyObject *names, *places, *own, *members, *inner, *key, *value;
	Py_ssize_t at = 0;
	int bad = PySet_Contains(walk->usual, (PyObject *)Py_TYPE(module)) != 1, first = bad ? 0 : is_new(walk, module);

	if (bad || first <= 0)
		return bad ? -1 : first;
	if (!PyArg_ParseTuple(place, "O!O!", &PyDict_Type, &names, &PyDict_Type, &places) || Py_EnterRecursiveCall(" in a model"))
		return -1;
	own = PyObject_GetAttr(module, dict);
	members = own && PyDict_Check(own) ? PyDict_GetItemWithError(own, walk->which) : NULL;
	inner = members ? PyDict_GetItemWithError(own, modules) : NULL;
	bad = !inner || !PyDict_Check(members) || !PyDict_Check(inner);
	while (!bad && PyDict_Next(members, &at, &key, &value))
		bad = value != Py_None && add_member(walk, names, key, value);
	at = 0;
	while (!bad && PyDict_Next(inner, &at, &key, &value)) {
		PyObject *there = value == Py_None ? NULL : PyDict_GetItemWithError(places, key);

		bad = value != Py_None && (!there || walk_module(walk, value, there));
	}
	Py_LeaveRecursiveCall();
	Py_XDECREF(own);
	return bad ? -1 : 0;
}

/* members(model, place, which, usual): a list of (name, tensor), or None where the model is not what its place says. */
static PyObject *members(PyObject *module, PyObject *args)
{
	struct walk walk = {0};
	PyObject *model, *place;
	int bad;

	(void)module;
	if (!PyArg_ParseTuple(args, "OO!UO!", &model, &PyTuple_Type, &place, &walk.which, &PySet_Type, &walk.usual))
		return NULL;
	walk.seen = PySet_New(NULL);
	walk.found = PyList_New(0);
	bad = !walk.seen || !walk.found || walk_module(&walk, model, place);
	Py_XDECREF(walk.seen);
	if (!bad)
		return walk.found;
	Py_XDECREF(walk.found);
	if (PyErr_Occurred())
		return NULL;
	Py_RETURN_NONE;
}

/* --- digests --- */

int tensors_add_named(uint64_t *sum, PyObject *name, uint64_t bits)
{
	PyObject *utf8 = PyUnicode_AsUTF8String(name);
	Py_ssize_t len;
	char *text;
	int bad = !utf8 || PyBytes_AsStringAndSize(utf8, &text, &len);

	if (!bad)
		*sum += tscope_digest_mix(tscope_digest_bytes(text, (size_t)len) + bits);
	Py_XDECREF(utf8);
	return bad ? -1 : 0;
}

/* Whether an attribute is what was expected; what cannot be asked is not. */
static int is(PyObject *object, PyObject *name, PyObject *expected)
{
	PyObject *value = PyObject_GetAttr(object, name);

	Py_XDECREF(value);
	if (!value)
		PyErr_Clear();
	return value == expected;
}

static int is_contiguous_there(PyObject *tensor)
{
	PyObject *value = PyObject_CallMethodObjArgs(tensor, is_contiguous, NULL);

	Py_XDECREF(value);
	if (!value)
		PyErr_Clear();
	return value == Py_True;
}

static unsigned long long number(PyObject *value)
{
	unsigned long long n = value ? PyLong_AsUnsignedLongLong(value) : 0;

	Py_XDECREF(value);
	return n;
}

int tensors_lies_plain(PyObject *tensor, PyObject *plain, const void **ret_bytes, size_t *ret_len)
{
	PyObject *type = (PyObject *)Py_TYPE(tensor);
	int known = type == PyTuple_GetItem(plain, 0) || type == PyTuple_GetItem(plain, 1);

	if (!known || !is(tensor, is_cpu, Py_True) || !is(tensor, is_sparse, Py_False) || !is(tensor, is_quantized, Py_False) ||
	    !is_contiguous_there(tensor))
		return 0;
	*ret_bytes = (const void *)(uintptr_t)number(PyObject_CallMethodObjArgs(tensor, data_ptr, NULL));
	*ret_len = (size_t)number(PyObject_GetAttr(tensor, nbytes));
	if (!PyErr_Occurred())
		return *ret_bytes || !*ret_len;
	PyErr_Clear();
	return 0;
}

static uint64_t digest_of(const void *bytes, size_t len)
{
	PyThreadState *state = len >= LONG ? PyEval_SaveThread() : NULL;
	uint64_t digest = tscope_digest_bytes(bytes, len);

	if (state)
		PyEval_RestoreThread(state);
	return digest;
}

int tensors_begins_above_zero(const void *bytes, size_t len)
{
	uint64_t word = 0;

	if (len)
		memcpy(&word, bytes, len < 8 ? len : 8);
	return (word & ~UINT64_C(0x8080808080808080)) != 0;
}

struct set {
	PyObject *plain;
	PyObject *known, *left; /* lists: (name, digest), and the pairs whose digests are not made here */
	PyObject *doubtful;	/* a list of the names of those that may be zero in every element; or None */
	uint64_t sum;
};

/* Numbers of an optimizer's state count as doubles. */
static int add_value(struct set *set, PyObject *pair)
{
	PyObject *name = PyTuple_GetItem(pair, 0), *value = PyTuple_GetItem(pair, 1), *found;
	const void *bytes;
	uint64_t bits;
	double real;
	size_t len;
	int bad;

	if (PyFloat_Check(value) || PyLong_Check(value)) {
		real = PyFloat_AsDouble(value);
		if (PyErr_Occurred())
			return -1;
		bytes = &real;
		len = sizeof real;
	} else if (!tensors_lies_plain(value, set->plain, &bytes, &len)) {
		return PyList_Append(set->left, pair);
	}
	bits = digest_of(bytes, len);
	if (set->doubtful != Py_None && !tensors_begins_above_zero(bytes, len) && PyList_Append(set->doubtful, name))
		return -1;
	found = Py_BuildValue("(OK)", name, (unsigned long long)bits);
	bad = !found || PyList_Append(set->known, found) || tensors_add_named(&set->sum, name, bits);
	Py_XDECREF(found);
	return bad ? -1 : 0;
}

/* digest_tensors(pairs, plain, doubtful): (digest of the set, known, left). The digest is that of what is known. */
static PyObject *digest_tensors(PyObject *module, PyObject *args)
{
	struct set set = {0};
	PyObject *pairs, *pair, *plain;
	int bad = 0;

	(void)module;
	if (!PyArg_ParseTuple(args, "O!O!O", &PyList_Type, &pairs, &PyTuple_Type, &plain, &set.doubtful))
		return NULL;
	if (PyTuple_Size(plain) != 2 || (set.doubtful != Py_None && !PyList_Check(set.doubtful)))
		return PyErr_Format(PyExc_TypeError, "two types, and a list or None");
	set.plain = plain;
	set.known = PyList_New(0);
	set.left = PyList_New(0);
	bad = !set.known || !set.left;
	for (Py_ssize_t i = 0; !bad && i < PyList_Size(pairs); i++) {
		pair = PyList_GetItem(pairs, i);
		Py_INCREF(pair); /* another thread may change the list while a digest is made */
		bad = !PyTuple_Check(pair) || PyTuple_Size(pair) != 2 || !PyUnicode_Check(PyTuple_GetItem(pair, 0));
		if (bad)
			PyErr_SetString(PyExc_TypeError, "a name and a tensor");
		else
			bad = add_value(&set, pair);
		Py_DECREF(pair);
	}
	if (!bad)
		return Py_BuildValue("(KNN)", (unsigned long long)tscope_digest_mix(set.sum), set.known, set.left);
	Py_XDECREF(set.known);
	Py_XDECREF(set.left);
	return NULL;
}

static PyMethodDef functions[] = {
	{"members", members, METH_VARARGS,
	 PyDoc_STR("Returns the parameters or buffers of a model by name, or None if it is not what was learned of it.")},
	{"digest_tensors", digest_tensors, METH_VARARGS,
	 PyDoc_STR("Returns the digest of named tensors of the host, that of each, and those that lie elsewhere.")},
	{NULL, NULL, 0, NULL},
};

int tensors_add(PyObject *module)
{
	struct {
		PyObject **at;
		const char *text;
	} words[] = {{&is_cpu, "is_cpu"},	    {&is_sparse, "is_sparse"}, {&is_quantized, "is_quantized"},
		     {&is_contiguous, "is_contiguous"}, {&data_ptr, "data_ptr"},   {&nbytes, "nbytes"},
		     {&dict, "__dict__"},	    {&modules, "_modules"}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		*words[i].at = PyUnicode_InternFromString(words[i].text);
		if (!*words[i].at)
			return -1;
	}
	return PyModule_AddFunctions(module, functions);
}
