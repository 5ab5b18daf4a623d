/* _watched.c - the steps at which digests are taken: tscope._watch.Watch is a Watched with what is done then.
 *
 * A watched step comes so seldom that nothing of it is in a cache; so its beginning and its end are here.
 */
#include "_watched.h"

#include "_resting.h"

#include <stddef.h>
#include <structmember.h>

enum { NOT_HOOKED, BY_HOOK, BY_LOOP };

typedef struct {
	PyObject_HEAD
	Recorder *run;
	PyObject *model;     /* None: it is not known */
	PyObject *optimizer; /* NULL: it is not known */
	PyObject *hooks;     /* what the optimizer has, where the hooks of a loop are among them; NULL: they are not */
	PyObject *resting;   /* what has the digest of generators as long as nobody draws */
	int64_t every, next; /* next: the first step at whose beginning there is something to do */
	int hooked;	     /* what looks for the optimizer's step */
	char awaits;	     /* an optimizer's step, without which a step that is forced is not over */
	char forced;	     /* the next step is watched, whichever it is */
	char open;	     /* a watched step is */
	char before_pass;    /* which had no forward yet */
} Watched;

static PyTypeObject *watched_type, *recorder_type;
static PyObject *begun_by, *rng_pass;

static int call(Watched *self, const char *name)
{
	PyObject *none = recorder_swallow(PyObject_CallMethod((PyObject *)self, name, NULL));

	Py_XDECREF(none);
	return none ? 0 : -1;
}

/* --- which steps --- */

static int64_t floor_multiple(int64_t step, int64_t every)
{
	int64_t rest = step % every;

	return step - (rest < 0 ? rest + every : rest);
}

/* The first multiple of `every` that is greater. */
static int64_t multiple_behind(int64_t step, int64_t every)
{
	return step > INT64_MAX - every ? INT64_MAX : floor_multiple(step, every) + every;
}

static void go_back(Watched *self, int64_t step)
{
	int64_t first = step % self->every ? multiple_behind(step, self->every) : step;

	if (first < self->next)
		self->next = first;
}

/* --- a step --- */

/* In other steps the optimizer has no hook of ours. Those that a loop has anyhow are enough where it has no others, which would come
 * behind them. */
static int look_for_steps(Watched *self)
{
	if (!self->optimizer || self->hooked)
		return 0;
	if (self->hooks && PyDict_Size(self->hooks) == 1) {
		self->hooked = BY_LOOP;
		return 0;
	}
	self->hooked = BY_HOOK;
	return call(self, "_hook");
}

static int take_generators(Watched *self)
{
	uint64_t bits;

	if (!resting_value(self->resting, &bits))
		return call(self, "_take_generators");
	tscope_log_digest(self->run->run, recorder_column(self->run, DIGESTS, rng_pass), bits);
	return 0;
}

static int begins_with_pass(Watched *self)
{
	PyObject *model = PyObject_GetAttr((PyObject *)self->run, begun_by);

	Py_XDECREF(model);
	PyErr_Clear();
	return self->model == Py_None || model == self->model;
}

static int begin(Watched *self, int64_t step)
{
	int forced = self->awaits ? self->forced : self->next == 0, bad = 0;

	self->open = 1;
	if (forced || step % self->every == 0) {
		bad = look_for_steps(self);
		if (!bad && begins_with_pass(self)) {
			bad = take_generators(self);
		} else if (!bad) {
			self->before_pass = 1;
			bad = call(self, "_await_pass");
		}
	}
	/* The optimizer need not step in this step: until it does, the next one is as good. */
	self->next = forced && self->awaits && step < INT64_MAX ? step + 1 : multiple_behind(step, self->every);
	return bad;
}

static int end(Watched *self)
{
	if (!self->open)
		return 0;
	self->open = self->before_pass = 0;
	if (self->hooked == BY_LOOP && !self->forced)
		self->hooked = NOT_HOOKED;
	return self->hooked == BY_HOOK && !self->forced ? call(self, "_closes") : 0;
}

/* What is called may give the object up. */
int watched_begins(PyObject *watched, int64_t step, int back)
{
	Watched *self = (Watched *)watched;
	int bad;

	Py_INCREF(watched);
	bad = end(self); /* of a step that another one ended */
	if (back)
		go_back(self, step);
	if (!bad && step >= self->next && self->model)
		bad = begin(self, step);
	Py_DECREF(watched);
	return bad;
}

int watched_ends(PyObject *watched)
{
	int bad;

	Py_INCREF(watched);
	bad = end((Watched *)watched);
	Py_DECREF(watched);
	return bad;
}

int watched_steps(PyObject *watched, PyObject *optimizer)
{
	Watched *self = (Watched *)watched;
	int bad;

	if (self->hooked != BY_LOOP || optimizer != self->optimizer)
		return 0;
	Py_INCREF(watched);
	bad = call(self, "_steps");
	Py_DECREF(watched);
	return bad;
}

/* --- what Watch says --- */

static PyObject *schedule(Watched *self, PyObject *args)
{
	PyObject *run, *model, *resting;
	long long every;

	if (!PyArg_ParseTuple(args, "O!OOL", recorder_type, &run, &model, &resting, &every))
		return NULL;
	Py_INCREF(run);
	Py_INCREF(model);
	Py_INCREF(resting);
	Py_XDECREF(self->run);
	Py_XDECREF(self->model);
	Py_XDECREF(self->resting);
	self->run = (Recorder *)run;
	self->model = model;
	self->resting = resting;
	self->every = every < 1 ? 1 : every;
	self->forced = 1;
	Py_RETURN_NONE;
}

static PyObject *watches(Watched *self, PyObject *args)
{
	PyObject *optimizer, *hooks;

	if (!PyArg_ParseTuple(args, "OO", &optimizer, &hooks))
		return NULL;
	Py_CLEAR(self->hooks);
	Py_INCREF(optimizer);
	Py_XDECREF(self->optimizer);
	self->optimizer = optimizer;
	if (PyDict_Check(hooks)) {
		Py_INCREF(hooks);
		self->hooks = hooks;
	}
	Py_RETURN_NONE;
}

static PyObject *opens(Watched *self, PyObject *unused)
{
	(void)unused;
	if (look_for_steps(self))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *now(Watched *self, PyObject *unused)
{
	(void)unused;
	self->forced = 1;
	self->next = 0;
	return opens(self, NULL);
}

/* --- the type --- */

static int traverse(Watched *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->run);
	Py_VISIT(self->model);
	Py_VISIT(self->optimizer);
	Py_VISIT(self->hooks);
	Py_VISIT(self->resting);
	return 0;
}

static int clear(Watched *self)
{
	Py_CLEAR(self->run);
	Py_CLEAR(self->model);
	Py_CLEAR(self->optimizer);
	Py_CLEAR(self->hooks);
	Py_CLEAR(self->resting);
	return 0;
}

static void dealloc(Watched *self)
{
	PyObject_GC_UnTrack(self);
	(void)clear(self);
	recorder_free((PyObject *)self);
}

static PyMethodDef methods[] = {
	{"_schedule", FAST(schedule), METH_VARARGS, PyDoc_STR("_schedule(run, model, resting, every)")},
	{"_watches", FAST(watches), METH_VARARGS, PyDoc_STR("_watches(optimizer, hooks)")},
	{"_opens", FAST(opens), METH_NOARGS, PyDoc_STR("_opens()\n--\n\nHas the optimizer's step looked for.")},
	{"now", FAST(now), METH_NOARGS,
	 PyDoc_STR("now()\n--\n\nHas the next step watched, whatever its number: a restart lies there.\n\n"
		   ">>> run.watch(every=100)\n>>> run._watched.now()\n")},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"awaits", T_BOOL, offsetof(Watched, awaits), 0, NULL},
	{"forced", T_BOOL, offsetof(Watched, forced), 0, NULL},
	{"_before_pass", T_BOOL, offsetof(Watched, before_pass), 0, NULL},
	{"_hooked", T_INT, offsetof(Watched, hooked), 0, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{Py_tp_traverse, traverse},
	{Py_tp_clear, clear},
	{Py_tp_dealloc, dealloc},
	{Py_tp_doc, "The steps at which digests are taken, in C."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tscope._recorder.Watched",
	.basicsize = sizeof(Watched),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

int watched_add(PyObject *module, PyObject *recorder)
{
	PyObject *type = PyType_FromSpec(&spec);

	recorder_type = (PyTypeObject *)recorder;
	watched_type = (PyTypeObject *)type;
	begun_by = PyUnicode_InternFromString("_begun_by");
	rng_pass = PyUnicode_InternFromString("rng_pass");
	Py_XINCREF(type); /* one for the module, one for watched_type */
	if (!type || !begun_by || !rng_pass || PyModule_AddObject(module, "Watched", type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}

int watched_is(PyObject *object)
{
	return object && PyType_IsSubtype(Py_TYPE(object), watched_type);
}
