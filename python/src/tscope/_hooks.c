/* _hooks.c - the hooks of a loop that is not touched, in C: tscope._auto.Auto is a Hooks with what is called less often.
 *
 * Nothing here raises into training but what is no Exception. A hook of a copy of the model has no model, and does nothing.
 */
#include "_hooks.h"

#include "_one.h"
#include "_watched.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *hooks_type;
static PyTypeObject *recorder_type, *around_type;

/* Interned, so that they are found by their addresses. */
static PyObject *marks[N_MARKS], *data, *evaluation, *evaluation_data, *training;

/* --- what they ask --- */

/* Whether an attribute is true; what cannot be asked counts as true. */
static int is_true(PyObject *object)
{
	int found = object ? PyObject_IsTrue(object) : 1;

	Py_XDECREF(object);
	if (PyErr_Occurred())
		PyErr_Clear();
	return found != 0;
}

static int is_without_grad(Hooks *self)
{
	if (self->grad_is_on)
		return !is_true(self->grad_is_on(PyCFunction_GetSelf(self->grad_enabled), NULL));
	return self->grad_enabled && !is_true(PyObject_CallObject(self->grad_enabled, NULL));
}

/* Whether the model is in training mode. A module asks its class in Python for what lies in its dictionary. */
static int is_training(const Hooks *self)
{
	PyObject *found = self->members ? PyDict_GetItemWithError(self->members, training) : NULL;

	Py_XINCREF(found);
	return is_true(found ? found : PyObject_GetAttr(self->model, training));
}

static int is_evaluating(Hooks *self)
{
	return is_without_grad(self) ||
	       (!self->trains_in_eval && self->model && !is_training(self));
}

static int recording(const Hooks *self)
{
	return self->run && self->run->run;
}

/* Ends a region that began at begin_ns. */
static void end_region(Hooks *self, PyObject *name, long long begin_ns)
{
	tscope_region(self->run->run, recorder_column(self->run, REGIONS, name), begin_ns);
}

/* A phase ends. Its column is found by name once: what is looked for in a table is in no cache by then. */
static PyObject *mark(Hooks *self, int which)
{
	Recorder *run = self->run;
	PyObject *none;

	if (self->phases[which] && run->open && !run->device) {
		tscope_mark(run->run, self->phases[which]);
		Py_RETURN_NONE;
	}
	none = recorder_mark(run, marks[which]);
	if (none && run->run && run->open && !run->device)
		self->phases[which] = recorder_column(run, PHASES, marks[which]);
	return none;
}

/* --- the hooks --- */

static PyObject *begin_step(Hooks *self)
{
	PyObject *none;

	self->open = 1;
	if (self->looked) {
		self->looked = 0;
		Py_XDECREF(recorder_swallow(PyObject_CallMethod((PyObject *)self, "_trains", NULL)));
	}
	none = recorder_begin(self->run, TSCOPE_NEXT);
	if (!none || !self->count_flops || tscope_step_now(self->run->run) <= 0)
		return none;
	Py_DECREF(none);
	return recorder_swallow(PyObject_CallMethod((PyObject *)self, "_begin_flops", NULL));
}

/* The model's forward begins. One that another thread calls meanwhile, or to evaluate, is none of the loop's. */
static PyObject *enter(Hooks *self)
{
	unsigned long me = PyThread_get_thread_ident();
	int evaluates;

	if (self->depth > 0) {
		self->depth += self->thread == me;
		Py_RETURN_NONE;
	}
	if (!recording(self))
		Py_RETURN_NONE;
	evaluates = is_evaluating(self);
	if (evaluates && self->thread && self->thread != me)
		Py_RETURN_NONE;
	self->thread = me;
	self->depth = 1;
	self->forwards += !evaluates;
	self->forward_ns = 0;
	if (evaluates && (self->known || self->open || self->scoped || is_without_grad(self))) {
		if (!self->open && !self->scoped && !self->looked) {
			self->looked = 1;
			Py_XDECREF(recorder_swallow(PyObject_CallMethod((PyObject *)self, "_evaluates", NULL)));
		}
		self->evaluating = tscope_now_ns();
	} else if (evaluates)
		self->maybe = tscope_now_ns();
	else if (self->open)
		return mark(self, BACKWARD); /* of the micro-batch before */
	else if (!self->scoped)
		return begin_step(self);
	Py_RETURN_NONE;
}

/* An evaluation within a step is a phase of its own, and no part of the next one. */
static PyObject *end_evaluation(Hooks *self, PyObject *output)
{
	int in_eval = self->model && !is_training(self);

	end_region(self, evaluation, self->evaluating);
	if (self->open && in_eval)
		tscope_add_ns(self->run->run, recorder_column(self->run, PHASES, evaluation), tscope_now_ns() - self->evaluating);
	self->evaluating = 0;
	if (!output || !in_eval || self->scoped)
		Py_RETURN_NONE;
	return recorder_swallow(PyObject_CallMethod((PyObject *)self, "_evaluated", "(O)", output));
}

/* It ends, and gave output; NULL: it raised, or nobody knows. */
static PyObject *leave(Hooks *self, PyObject *output)
{
	if (!self->depth || self->thread != PyThread_get_thread_ident() || --self->depth || !recording(self))
		Py_RETURN_NONE;
	if (self->evaluating) {
		return end_evaluation(self, output);
	} else if (self->maybe) {
		self->forward_ns = tscope_now_ns() - self->maybe;
		self->maybe = 0;
	} else if (self->open) {
		return mark(self, FORWARD);
	}
	Py_RETURN_NONE;
}

static PyObject *before_forward(Hooks *self, PyObject *const *args, Py_ssize_t n)
{
	if (n < 1 || args[0] != self->model)
		Py_RETURN_NONE;
	return enter(self);
}

static PyObject *after_forward(Hooks *self, PyObject *const *args, Py_ssize_t n)
{
	if (n < 1 || args[0] != self->model)
		Py_RETURN_NONE;
	return leave(self, n > 2 ? args[n - 1] : NULL);
}

/* What was called in evaluation mode is trained: the step begins now, and its forward was before it. */
static PyObject *backward_begins(Hooks *self, PyObject *unused)
{
	(void)unused;
	if (self->open || !self->forward_ns || !recording(self))
		Py_RETURN_NONE;
	self->trains_in_eval = 1;
	tscope_add_ns(self->run->run, recorder_column(self->run, PHASES, marks[FORWARD]), self->forward_ns);
	self->forward_ns = 0;
	return begin_step(self);
}

int hooks_has_closure(PyObject *const *args, Py_ssize_t n)
{
	return n == 3 && ((PyTuple_Check(args[1]) && PyTuple_Size(args[1]) > 1) || (PyDict_Check(args[2]) && PyDict_Size(args[2]) > 0));
}

static PyObject *optimizer_begins(Hooks *self, PyObject *const *args, Py_ssize_t n)
{
	self->depth = 0;
	if (self->open && recording(self))
		return mark(self, BACKWARD);
	if (!self->thread && !self->scoped && recording(self) && !hooks_has_closure(args, n)) {
		self->thread = PyThread_get_thread_ident(); /* said once */
		return recorder_swallow(PyObject_CallMethod((PyObject *)self, "_unseen", NULL));
	}
	/* A program that trains in evaluation mode: its next forward begins a step. */
	if (!self->open && self->model && !is_training(self))
		self->trains_in_eval = 1;
	Py_RETURN_NONE;
}

static PyObject *before_optimizer(Hooks *self, PyObject *const *args, Py_ssize_t n)
{
	PyObject *none = optimizer_begins(self, args, n), *seen = self->loss, *watched;

	if (none && n == 3 && seen && seen != Py_None) {
		Py_DECREF(none);
		Py_INCREF(seen);
		none = one_step(seen, args, n);
		Py_DECREF(seen);
	}
	watched = none && n == 3 && recording(self) ? self->run->watched : NULL;
	if (watched && watched_steps(watched, args[0]))
		Py_CLEAR(none);
	return none;
}

/* What is logged behind the step belongs to it. */
static PyObject *after_optimizer(Hooks *self, PyObject *const *args, Py_ssize_t n)
{
	PyObject *none;

	(void)args;
	(void)n;
	self->known = 1;
	if (!self->open || !recording(self))
		Py_RETURN_NONE;
	none = mark(self, OPTIMIZER);
	if (!none)
		return NULL;
	self->stepped++;
	if (self->scoped || self->stepped < self->waiting_for)
		return none;
	self->stepped = 0;
	self->open = 0;
	Py_DECREF(none);
	if (self->flops && self->flops != Py_None) {
		none = recorder_swallow(PyObject_CallMethod((PyObject *)self, "_end_flops", NULL));
		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	return recorder_end(self->run);
}

static PyObject *waited(Hooks *self, PyObject *given)
{
	long long ns = PyLong_AsLongLong(given);

	if (ns == -1 && PyErr_Occurred())
		return NULL;
	if (!recording(self))
		Py_RETURN_NONE;
	if (self->trains_in_eval || !self->model || is_training(self))
		tscope_add_ns(self->run->run, recorder_column(self->run, PHASES, data), ns);
	else
		end_region(self, evaluation_data, tscope_now_ns() - ns);
	Py_RETURN_NONE;
}

static PyObject *is_evaluation(Hooks *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(is_evaluating(self));
}

static int takes_nothing(PyObject *function)
{
	return PyObject_TypeCheck(function, &PyCFunction_Type) && PyCFunction_GetFlags(function) == METH_NOARGS;
}

/* Returns the dictionary of a model, or NULL without an exception where its class says what `training` is. */
static PyObject *members_of(PyObject *model)
{
	PyObject *by_class = PyObject_GetAttr((PyObject *)Py_TYPE(model), training), *members = NULL;

	if (!by_class) {
		PyErr_Clear();
		members = PyObject_GetAttrString(model, "__dict__");
	}
	Py_XDECREF(by_class);
	PyErr_Clear();
	if (members && !PyDict_CheckExact(members))
		Py_CLEAR(members);
	return members;
}

static PyObject *bind(Hooks *self, PyObject *args)
{
	PyObject *run, *model, *grad_enabled;

	if (!PyArg_ParseTuple(args, "O!OO", recorder_type, &run, &model, &grad_enabled))
		return NULL;
	Py_INCREF(run);
	Py_INCREF(model);
	Py_INCREF(grad_enabled);
	Py_XDECREF(self->run);
	Py_XDECREF(self->model);
	Py_XDECREF(self->grad_enabled);
	self->run = (Recorder *)run;
	self->model = model;
	self->grad_enabled = grad_enabled;
	self->grad_is_on = takes_nothing(grad_enabled) ? PyCFunction_GetFunction(grad_enabled) : NULL;
	memset(self->phases, 0, sizeof self->phases);
	Py_XDECREF(self->members);
	self->members = members_of(model);
	Py_RETURN_NONE;
}

/* --- the type --- */

static int traverse(Hooks *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->run);
	Py_VISIT(self->model);
	Py_VISIT(self->members);
	Py_VISIT(self->grad_enabled);
	Py_VISIT(self->flops);
	Py_VISIT(self->loss);
	return 0;
}

static int clear(Hooks *self)
{
	Py_CLEAR(self->run);
	Py_CLEAR(self->model);
	Py_CLEAR(self->members);
	self->grad_is_on = NULL;
	Py_CLEAR(self->grad_enabled);
	Py_CLEAR(self->flops);
	Py_CLEAR(self->loss);
	return 0;
}

static void dealloc(Hooks *self)
{
	PyObject_GC_UnTrack(self);
	(void)clear(self);
	recorder_free((PyObject *)self);
}

static PyMethodDef methods[] = {
	{"before_forward", FAST(before_forward), METH_FASTCALL,
	 PyDoc_STR("before_forward(module, *rest)\n--\n\nThe forward of a module begins; of another than the model it does nothing.")},
	{"after_forward", FAST(after_forward), METH_FASTCALL,
	 PyDoc_STR("after_forward(module, *rest)\n--\n\nThe forward of a module ends.")},
	{"before_optimizer", FAST(before_optimizer), METH_FASTCALL,
	 PyDoc_STR("before_optimizer(*rest)\n--\n\nAn optimizer's step begins.")},
	{"after_optimizer", FAST(after_optimizer), METH_FASTCALL,
	 PyDoc_STR("after_optimizer(*rest)\n--\n\nAn optimizer's step ends, and the step with the last of them.")},
	{"backward_begins", FAST(backward_begins), METH_NOARGS,
	 PyDoc_STR("backward_begins()\n--\n\nBackward is called after a forward in evaluation mode: a step begins.")},
	{"waited", FAST(waited), METH_O, PyDoc_STR("waited(ns)\n--\n\nA DataLoader gave a batch after a wait.")},
	{"is_evaluation", FAST(is_evaluation), METH_NOARGS,
	 PyDoc_STR("is_evaluation()\n--\n\nWhether a forward that begins now is no part of training.")},
	{"_bind", FAST(bind), METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"run", T_OBJECT, offsetof(Hooks, run), READONLY, NULL},
	{"model", T_OBJECT, offsetof(Hooks, model), 0, NULL},
	{"flops", T_OBJECT, offsetof(Hooks, flops), 0, NULL},
	{"loss", T_OBJECT, offsetof(Hooks, loss), 0, NULL},
	{"waiting_for", T_INT, offsetof(Hooks, waiting_for), 0, NULL},
	{"stepped", T_INT, offsetof(Hooks, stepped), 0, NULL},
	{"depth", T_INT, offsetof(Hooks, depth), 0, NULL},
	{"thread", T_ULONG, offsetof(Hooks, thread), READONLY, NULL},
	{"open", T_BOOL, offsetof(Hooks, open), 0, NULL},
	{"scoped", T_BOOL, offsetof(Hooks, scoped), 0, NULL},
	{"trains_in_eval", T_BOOL, offsetof(Hooks, trains_in_eval), 0, NULL},
	{"count_flops", T_BOOL, offsetof(Hooks, count_flops), 0, NULL},
	{"known", T_BOOL, offsetof(Hooks, known), READONLY, NULL},
	{"forward_ns", T_LONGLONG, offsetof(Hooks, forward_ns), READONLY, NULL},
	{"evaluating", T_LONGLONG, offsetof(Hooks, evaluating), 0, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{Py_tp_traverse, traverse},
	{Py_tp_clear, clear},
	{Py_tp_dealloc, dealloc},
	{Py_tp_doc, "The hooks of a loop of torch, in C."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tscope._recorder.Hooks",
	.basicsize = sizeof(Hooks),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};

static int intern(void)
{
	struct {
		PyObject **name;
		const char *text;
	} names[] = {
		{&marks[FORWARD], "forward"},
		{&marks[BACKWARD], "backward"},
		{&marks[OPTIMIZER], "optimizer"},
		{&data, "data"},
		{&training, "training"},
		{&evaluation, "evaluation"},
		{&evaluation_data, "evaluation data"},
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		*names[i].name = PyUnicode_InternFromString(names[i].text);
		if (!*names[i].name)
			return -1;
	}
	return 0;
}

/* --- the call of a model --- */

/* Stands where Module.compile puts what is called for a module (Module._compiled_call_impl), which Module.__getstate__ leaves out of
 * copies and files. Hooks would have Module.__call__ take its long way, which costs several times what they do. */
typedef struct {
	PyObject_HEAD
	Hooks *hooks;	 /* NULL or None: they were taken back */
	PyObject *inner; /* what is called: the module's _call_impl, or what stood there before */
} Around;

/* An exception that is on its way goes on; one of ours never takes its place. */
static PyObject *call_around(Around *self, PyObject *args, PyObject *kwargs)
{
	Hooks *hooks = self->hooks && (PyObject *)self->hooks != Py_None ? self->hooks : NULL;
	PyObject *none, *given, *type, *value, *trace;

	if (!self->inner) {
		PyErr_SetString(PyExc_TypeError, "there is nothing to call");
		return NULL;
	}
	if (!hooks)
		return PyObject_Call(self->inner, args, kwargs);
	Py_INCREF(hooks);
	none = enter(hooks);
	given = none ? PyObject_Call(self->inner, args, kwargs) : NULL;
	if (none) {
		Py_DECREF(none);
		PyErr_Fetch(&type, &value, &trace);
		none = leave(hooks, given);
		if (type) {
			PyErr_Clear();
			PyErr_Restore(type, value, trace);
		} else if (!none) {
			Py_CLEAR(given);
		}
		Py_XDECREF(none);
	}
	Py_DECREF(hooks);
	return given;
}

static PyObject *no_copy(Around *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	Py_RETURN_NONE;
}

static PyObject *reduce_to_none(Around *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return Py_BuildValue("O()", (PyObject *)Py_TYPE(Py_None));
}

static int around_traverse(Around *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->hooks);
	Py_VISIT(self->inner);
	return 0;
}

static int around_clear(Around *self)
{
	Py_CLEAR(self->hooks);
	Py_CLEAR(self->inner);
	return 0;
}

static void around_dealloc(Around *self)
{
	PyObject_GC_UnTrack(self);
	(void)around_clear(self);
	recorder_free((PyObject *)self);
}

static PyMethodDef around_methods[] = {
	{"__deepcopy__", FAST(no_copy), METH_O, PyDoc_STR("A copy of the module has none.")},
	{"__reduce__", FAST(reduce_to_none), METH_NOARGS, PyDoc_STR("A module that is saved has none.")},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef around_members[] = {
	{"hooks", T_OBJECT, offsetof(Around, hooks), 0, NULL},
	{"inner", T_OBJECT, offsetof(Around, inner), 0, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot around_slots[] = {
	{Py_tp_call, call_around},
	{Py_tp_methods, around_methods},
	{Py_tp_members, around_members},
	{Py_tp_traverse, around_traverse},
	{Py_tp_clear, around_clear},
	{Py_tp_dealloc, around_dealloc},
	{Py_tp_doc, "What is called for a module, around what would be."},
	{0, NULL},
};

static PyType_Spec around_spec = {
	.name = "tscope._recorder.Around",
	.basicsize = sizeof(Around),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = around_slots,
};

/* Returns what stands around an object for some hooks: around(hooks, inner). */
static PyObject *around(PyObject *type, PyObject *args)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(around_type, Py_tp_alloc);
	PyObject *hooks, *inner;
	Around *self;

	(void)type;
	if (!PyArg_ParseTuple(args, "O!O", hooks_type, &hooks, &inner))
		return NULL;
	self = (Around *)allocate(around_type, 0);
	if (!self)
		return NULL;
	Py_INCREF(hooks);
	Py_INCREF(inner);
	self->hooks = (Hooks *)hooks;
	self->inner = inner;
	return (PyObject *)self;
}

/* --- the reduction of DDP --- */

/* What DDP calls with a bucket: reduce(reduction, bucket). A function of C has no frame, so that what the reduction raises, such as
 * that another rank is gone, ends where it would without us. */
static PyObject *reduce(PyObject *unused, PyObject *const *args, Py_ssize_t n)
{
	PyObject *act, *future, *given;

	(void)unused;
	if (n != 2) {
		PyErr_SetString(PyExc_TypeError, "reduce takes a reduction and a bucket");
		return NULL;
	}
	act = PyObject_CallMethod(args[0], "before", "O", args[1]);
	future = act ? PyObject_CallFunctionObjArgs(act, args[1], NULL) : NULL;
	given = future ? PyObject_CallMethod(args[0], "after", "OO", args[1], future) : NULL;
	Py_XDECREF(act);
	Py_XDECREF(future);
	return given;
}

static PyMethodDef functions[] = {
	{"around", around, METH_VARARGS,
	 PyDoc_STR("around(hooks, inner)\n--\n\nReturns what calls `inner`, and tells hooks when it begins and ends.")},
	{"reduce", FAST(reduce), METH_FASTCALL,
	 PyDoc_STR("reduce(reduction, bucket)\n--\n\nReduces a bucket of gradients, and has the reduction told before and after it.")},
	{NULL, NULL, 0, NULL},
};

int hooks_add(PyObject *module, PyObject *recorder)
{
	PyObject *type = intern() ? NULL : PyType_FromSpec(&spec);
	PyObject *called = PyType_FromSpec(&around_spec);

	recorder_type = (PyTypeObject *)recorder;
	hooks_type = (PyTypeObject *)type;
	around_type = (PyTypeObject *)called;
	Py_XINCREF(called); /* one for the module, one for around_type */
	if (!type || !called || PyModule_AddFunctions(module, functions) || PyModule_AddObject(module, "Around", called) ||
	    PyModule_AddObject(module, "Hooks", type)) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}
