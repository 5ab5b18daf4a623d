/* _quiet.c - the digests of parameters and gradients of the host in one go, and whether checks need look at them.
 *
 * All that is asked of torch is asked first, and then the bytes of all tensors are read, without the interpreter's lock where they are
 * many. What keeps a tensor alive meanwhile is held.
 */
#include "_quiet.h"

#include "_digest.h"
#include "_tensors.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

enum { LONG = 1 << 16 }; /* bytes whose digests take so long that other threads go on meanwhile */

struct span {
	PyObject *name, *tensor; /* references */
	const void *at;
	size_t len;
	uint64_t digest;
};

/* How parameters and the optimizer lie to each other, as numbers that are compared. */
struct key {
	uint64_t *words;
	size_t n, room;
	int bad; /* there was no memory */
};

struct look {
	struct span *params, *grads;
	size_t n_params, n_grads;
	struct key key;
};

typedef struct {
	PyObject_HEAD
	struct key key;	   /* of the last step */
	PyObject *names;   /* of its parameters: a list */
	uint64_t *digests; /* and their digests */
	long long step;
	char may;    /* checks found nothing there, and would find nothing in a step like it */
	char rested; /* the checks have not seen it */
} Quiet;

static PyObject *grad_word, *requires_grad, *param_groups, *lr_word, *params_word;

/* --- what is looked at --- */

static void push(struct key *key, uint64_t word)
{
	uint64_t *grown;

	if (key->n == key->room) {
		grown = realloc(key->words, (2 * key->room + 64) * sizeof *grown);
		if (!grown) {
			key->bad = 1;
			return;
		}
		key->words = grown;
		key->room = 2 * key->room + 64;
	}
	key->words[key->n++] = word;
}

/* A rate on a device is not read. */
static uint64_t kind_of_rate(PyObject *rate)
{
	double value;

	if (!rate || !(PyFloat_Check(rate) || PyLong_Check(rate)))
		return 2;
	value = PyFloat_AsDouble(rate);
	PyErr_Clear();
	return value == 0;
}

/* Returns 0 where the optimizer's groups are not what torch makes of them. */
static int push_groups(struct key *key, PyObject *optimizer)
{
	PyObject *groups = PyObject_GetAttr(optimizer, param_groups);
	int known = groups && PyList_Check(groups);

	for (Py_ssize_t i = 0; known && i < PyList_Size(groups); i++) {
		PyObject *group = PyList_GetItem(groups, i), *params = PyDict_Check(group) ? PyDict_GetItem(group, params_word) : NULL;

		known = params && PyList_Check(params);
		if (!known)
			break;
		push(key, kind_of_rate(PyDict_GetItem(group, lr_word)));
		push(key, (uint64_t)PyList_Size(params));
		for (Py_ssize_t k = 0; k < PyList_Size(params); k++)
			push(key, (uint64_t)(uintptr_t)PyList_GetItem(params, k));
	}
	Py_XDECREF(groups);
	PyErr_Clear();
	return known;
}

static int fill(struct span *span, PyObject *name, PyObject *tensor, PyObject *plain)
{
	if (!tensors_lies_plain(tensor, plain, &span->at, &span->len))
		return 0;
	Py_INCREF(name);
	Py_INCREF(tensor);
	span->name = name;
	span->tensor = tensor;
	return 1;
}

static int add_parameter(struct look *look, PyObject *pair, PyObject *plain)
{
	PyObject *name = PyTuple_GetItem(pair, 0), *p = PyTuple_GetItem(pair, 1), *grad, *asked;
	int known = fill(&look->params[look->n_params], name, p, plain), has_grad = 0;

	if (!known)
		return 0;
	look->n_params++;
	grad = PyObject_GetAttr(p, grad_word);
	asked = PyObject_GetAttr(p, requires_grad);
	known = grad && asked;
	if (known && grad != Py_None) {
		has_grad = known = fill(&look->grads[look->n_grads], name, grad, plain);
		look->n_grads += (size_t)known;
	}
	push(&look->key, (uint64_t)(uintptr_t)p);
	push(&look->key, (uint64_t)(has_grad + 2 * (asked == Py_True)));
	Py_XDECREF(grad);
	Py_XDECREF(asked);
	PyErr_Clear();
	return known;
}

static void finish(struct look *look)
{
	for (size_t i = 0; i < look->n_params; i++) {
		Py_XDECREF(look->params[i].name);
		Py_XDECREF(look->params[i].tensor);
	}
	for (size_t i = 0; i < look->n_grads; i++) {
		Py_XDECREF(look->grads[i].name);
		Py_XDECREF(look->grads[i].tensor);
	}
	free(look->params);
	free(look->grads);
	free(look->key.words);
}

/* Returns 0 where something does not lie plain on the host. */
static int collect(struct look *look, PyObject *pairs, PyObject *optimizer, PyObject *plain)
{
	size_t n = (size_t)PyList_Size(pairs);
	int known;

	look->params = calloc(n + 1, sizeof *look->params);
	look->grads = calloc(n + 1, sizeof *look->grads);
	push(&look->key, n);
	known = look->params && look->grads && push_groups(&look->key, optimizer);
	for (size_t i = 0; known && i < n; i++) {
		PyObject *pair = PyList_GetItem(pairs, (Py_ssize_t)i);

		known = pair && PyTuple_Check(pair) && PyTuple_Size(pair) == 2 && PyUnicode_Check(PyTuple_GetItem(pair, 0)) &&
			add_parameter(look, pair, plain);
	}
	PyErr_Clear();
	return known && !look->key.bad;
}

static size_t length_of(const struct span *spans, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += spans[i].len;
	return len;
}

static void make_digests(struct look *look)
{
	size_t len = length_of(look->params, look->n_params) + length_of(look->grads, look->n_grads);
	PyThreadState *state = len >= LONG ? PyEval_SaveThread() : NULL;

	for (size_t i = 0; i < look->n_params; i++)
		look->params[i].digest = tscope_digest_bytes(look->params[i].at, look->params[i].len);
	for (size_t i = 0; i < look->n_grads; i++)
		look->grads[i].digest = tscope_digest_bytes(look->grads[i].at, look->grads[i].len);
	if (state)
		PyEval_RestoreThread(state);
}

/* --- what comes of it --- */

static PyObject *named(const struct span *spans, size_t n)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < n; i++) {
		PyObject *pair = Py_BuildValue("(OK)", spans[i].name, (unsigned long long)spans[i].digest);

		if (!pair || PyList_Append(list, pair))
			Py_CLEAR(list);
		Py_XDECREF(pair);
	}
	return list;
}

static PyObject *doubtful(const struct look *look)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < look->n_grads; i++)
		if (!tensors_begins_above_zero(look->grads[i].at, look->grads[i].len) && PyList_Append(list, look->grads[i].name))
			Py_CLEAR(list);
	return list;
}

static int set_digest(const struct span *spans, size_t n, uint64_t *ret_digest)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (tensors_add_named(&sum, spans[i].name, spans[i].digest))
			return -1;
	*ret_digest = tscope_digest_mix(sum);
	return 0;
}

static int is_like_the_last(const Quiet *self, const struct look *look)
{
	size_t len = look->key.n * sizeof *look->key.words;

	if (!self->may || self->key.n != look->key.n || memcmp(self->key.words, look->key.words, len) != 0)
		return 0;
	for (size_t i = 0; i < look->n_params; i++)
		if (self->digests[i] == look->params[i].digest)
			return 0;
	for (size_t i = 0; i < look->n_grads; i++)
		if (!tensors_begins_above_zero(look->grads[i].at, look->grads[i].len))
			return 0;
	return 1;
}

static int keep_names(Quiet *self, const struct look *look)
{
	PyObject *names = PyList_New(0), *before = self->names;
	int bad = !names;

	for (size_t i = 0; !bad && i < look->n_params; i++)
		bad = PyList_Append(names, look->params[i].name);
	self->names = names;
	Py_XDECREF(before);
	return bad ? -1 : 0;
}

/* Keeps a step, whose key and digests take the place of those before. */
static int keep(Quiet *self, struct look *look, int is_like)
{
	uint64_t *digests = realloc(self->digests, (look->n_params + 1) * sizeof *digests);

	if (!digests)
		return -1;
	self->digests = digests;
	for (size_t i = 0; i < look->n_params; i++)
		digests[i] = look->params[i].digest;
	if (is_like)
		return 0;
	free(self->key.words);
	self->key = look->key;
	memset(&look->key, 0, sizeof look->key);
	self->may = 0; /* until the checks say so */
	return keep_names(self, look);
}

/* Returns (step, parameters) of the last step, if the checks have not seen it; from then on they have. */
static PyObject *unseen(Quiet *self, PyObject *unused)
{
	PyObject *list;

	(void)unused;
	if (!self->rested || !self->names)
		Py_RETURN_NONE;
	self->rested = 0;
	list = PyList_New(0);
	for (Py_ssize_t i = 0; list && i < PyList_Size(self->names); i++) {
		PyObject *pair = Py_BuildValue("(OK)", PyList_GetItem(self->names, i), (unsigned long long)self->digests[i]);

		if (!pair || PyList_Append(list, pair))
			Py_CLEAR(list);
		Py_XDECREF(pair);
	}
	return list ? Py_BuildValue("(LN)", self->step, list) : NULL;
}

static PyObject *none(void)
{
	Py_RETURN_NONE;
}

/* What the checks have to see of a step. */
static PyObject *seen(Quiet *self, const struct look *look)
{
	return Py_BuildValue("(NNNN)", unseen(self, NULL), named(look->params, look->n_params), named(look->grads, look->n_grads),
			     doubtful(look));
}

/* look(step, pairs, optimizer, plain): None where not all lies plain on the host; else (digest of the parameters, of their gradients,
 * None) or, where the checks have to see it, with (the step before if they have not seen it, parameters, gradients, gradients that may
 * be zero) in the place of None. */
static PyObject *look(Quiet *self, PyObject *args)
{
	PyObject *pairs, *optimizer, *plain, *found = NULL;
	struct look look = {0};
	uint64_t params, grads;
	long long step;
	int is_like;

	if (!PyArg_ParseTuple(args, "LO!OO!", &step, &PyList_Type, &pairs, &optimizer, &PyTuple_Type, &plain))
		return NULL;
	if (PyTuple_Size(plain) != 2)
		return PyErr_Format(PyExc_TypeError, "two types");
	if (!collect(&look, pairs, optimizer, plain)) {
		finish(&look);
		Py_RETURN_NONE;
	}
	make_digests(&look);
	is_like = is_like_the_last(self, &look);
	if (!set_digest(look.params, look.n_params, &params) && !set_digest(look.grads, look.n_grads, &grads))
		found = Py_BuildValue("(KKN)", (unsigned long long)params, (unsigned long long)grads,
				      is_like ? none() : seen(self, &look));
	if (found && is_like) {
		self->step = step;
		self->rested = 1;
	}
	if (found && keep(self, &look, is_like))
		self->may = 0;
	finish(&look);
	return found;
}

/* --- the type --- */

static void dealloc(Quiet *self)
{
	Py_CLEAR(self->names);
	free(self->key.words);
	free(self->digests);
	recorder_free((PyObject *)self);
}

static PyMethodDef methods[] = {
	{"look", FAST(look), METH_VARARGS,
	 PyDoc_STR("look(step, pairs, optimizer, plain)\n--\n\nReturns digests, and what checks have to see of them.")},
	{"unseen", FAST(unseen), METH_NOARGS,
	 PyDoc_STR("unseen()\n--\n\nReturns the last step that the checks have not seen, or None.")},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"may", T_BOOL, offsetof(Quiet, may), 0, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{Py_tp_dealloc, dealloc},
	{Py_tp_doc, "What the last watched step was like, so that one like it is not looked at by checks."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tscope._recorder.Quiet",
	.basicsize = sizeof(Quiet),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int quiet_add(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	grad_word = PyUnicode_InternFromString("grad");
	requires_grad = PyUnicode_InternFromString("requires_grad");
	param_groups = PyUnicode_InternFromString("param_groups");
	lr_word = PyUnicode_InternFromString("lr");
	params_word = PyUnicode_InternFromString("params");
	if (!type || !grad_word || !requires_grad || !param_groups || !lr_word || !params_word ||
	    PyModule_AddObject(module, "Quiet", type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}
