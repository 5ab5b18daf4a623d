/* _recorder.c - the extension: the calls of a step, from Python to record/tscope.h, without an allocation on their way.
 *
 * A name is found by its address first, since keywords and literals are interned, and by its value else. After open no function
 * raises: what cannot be recorded is given to the method _cannot, which counts it and says it once.
 */
#include "_recorder.h"

#include "_arrow.h"
#include "_between.h"
#include "_digest.h"
#include "_hooks.h"
#include "_host.h"
#include "_one.h"
#include "_quiet.h"
#include "_resident.h"
#include "_resting.h"
#include "_tensors.h"
#include "_watched.h"
#include "record/crc32c.h"
#include "record/sketch.h"
#include "record/standard_error.h"

typedef struct {
	PyObject_HEAD
	Recorder *recorder;
} Step;

static PyTypeObject *step_type;
static PyObject *no_step;     /* the context of a step that is not recorded */
static PyObject *tensor_type; /* torch.Tensor itself, and none of its subclasses; NULL until one was logged */
static PyObject *is_cpu, *item;
static PyObject *words[3]; /* of log, which are no names of numbers */

/* --- names --- */

static size_t place_of(PyObject *name)
{
	return (size_t)(((uint64_t)(uintptr_t)name >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 55);
}

static tscope_column declare(Recorder *self, struct names *names, PyObject *name)
{
	PyObject *utf8 = PyUnicode_AsUTF8String(name);
	PyObject *number = NULL;
	tscope_column column = 0;
	char *text = NULL;

	/* Without a length, a zero byte in the name is an error. */
	if (utf8 && PyBytes_AsStringAndSize(utf8, &text, NULL) == 0) {
		column = tscope_declare(self->run, names->kind, text);
		number = PyLong_FromLong(column);
		if (number && !names->by_value)
			names->by_value = PyDict_New();
		/* A name that was refused is not kept: there may be any number of them. */
		if (number && names->by_value && column)
			(void)PyDict_SetItem(names->by_value, name, number);
		if (names == &self->names[NUMBERS] && strcmp(text, "loss") == 0)
			self->loss = column;
	}
	Py_XDECREF(number);
	Py_XDECREF(utf8);
	PyErr_Clear();
	return column;
}

static tscope_column find_by_value(Recorder *self, struct names *names, PyObject *name)
{
	PyObject *number;
	tscope_column column;

	if (!PyUnicode_CheckExact(name))
		return 0;
	number = names->by_value ? PyDict_GetItemWithError(names->by_value, name) : NULL;
	column = number ? (tscope_column)PyLong_AsLong(number) : declare(self, names, name);
	PyErr_Clear();
	if (column && names->n_near < NEAR_FULL) {
		size_t at = place_of(name);

		while (names->near[at].name)
			at = (at + 1) % NEAR;
		Py_INCREF(name);
		names->near[at].name = name;
		names->near[at].column = column;
		names->n_near++;
	}
	return column;
}

tscope_column recorder_column(Recorder *self, int kind, PyObject *name)
{
	struct names *names = &self->names[kind];

	for (size_t at = place_of(name); names->near[at].name; at = (at + 1) % NEAR)
		if (names->near[at].name == name)
			return names->near[at].column;
	return find_by_value(self, names, name);
}

static int is_known(Recorder *self, int kind, PyObject *name)
{
	PyObject *by_value = self->names[kind].by_value;
	int found = by_value && PyUnicode_CheckExact(name) && PyDict_GetItemWithError(by_value, name);

	PyErr_Clear();
	return found;
}

/* --- what cannot be recorded --- */

/* Returns None, or NULL for what is no Exception (KeyboardInterrupt), which must get through. */
PyObject *recorder_swallow(PyObject *result)
{
	if (!result && !PyErr_ExceptionMatches(PyExc_Exception))
		return NULL;
	PyErr_Clear();
	Py_XDECREF(result);
	Py_RETURN_NONE;
}

static PyObject *cannot(Recorder *self, const char *why)
{
	PyErr_Clear();
	return recorder_swallow(PyObject_CallMethod((PyObject *)self, "_cannot", "s", why));
}

/* --- the step --- */

/* The program begins a step of its own: steps are not made of what is logged from here on. Returns whether numbers that were logged
 * before join this step, or -1 with an exception that must get through. */
static int comes_after_log(Recorder *self)
{
	PyObject *joins;
	int does = 0;

	self->made_by = BY_PROGRAM;
	if (!self->holds)
		return 0;
	joins = PyObject_CallMethod((PyObject *)self, "_hand_over", NULL);
	if (joins)
		does = PyObject_IsTrue(joins);
	joins = recorder_swallow(joins);
	Py_XDECREF(joins);
	return joins ? does : -1;
}

PyObject *recorder_begin(Recorder *self, int64_t step)
{
	int joins = self->made_by == BY_PROGRAM ? 0 : comes_after_log(self), back;
	int64_t now;

	if (joins < 0)
		return NULL;
	tscope_step_begin(self->run, step);
	self->open = 1;
	if (joins) {
		PyObject *none = recorder_swallow(PyObject_CallMethod((PyObject *)self, "_join", NULL));

		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	now = tscope_step_now(self->run);
	back = now < self->begun;
	self->begun = now;
	if (now >= self->wake || self->device || back) {
		PyObject *none = recorder_swallow(PyObject_CallMethod((PyObject *)self, "_begins", "i", back));

		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	if (self->watched && watched_begins(self->watched, now, back))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *end_at(Recorder *self, int64_t ns)
{
	if (self->ends && self->open) {
		PyObject *none = recorder_swallow(PyObject_CallMethod((PyObject *)self, "_ends", NULL));

		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	if (self->watched && watched_ends(self->watched))
		return NULL;
	if (self->batch) {
		tscope_log_digest(self->run, self->batch, self->batch_bits);
		self->batch = 0;
	}
	if (ns == INT64_MAX)
		(void)tscope_step_end(self->run);
	else
		(void)tscope_step_end_at(self->run, ns);
	self->open = 0;
	if (self->every && --self->left == 0) {
		self->left = self->every;
		return recorder_swallow(PyObject_CallMethod((PyObject *)self, "_tick", NULL));
	}
	Py_RETURN_NONE;
}

PyObject *recorder_end(Recorder *self)
{
	return end_at(self, INT64_MAX);
}

/* Sets *ret_step from the optional argument of step and begin_step. Returns 0 if that is no number of a step. */
static int parse_step(PyObject *const *args, Py_ssize_t n, PyObject *names, int64_t *ret_step)
{
	PyObject *given = n == 1 && !names ? args[0] : NULL;

	*ret_step = TSCOPE_NEXT;
	if (n == 0 && names && PyTuple_Size(names) == 1 &&
	    PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "step") == 0)
		given = args[0];
	else if (n > 1 || names)
		return 0;
	if (given && given != Py_None) {
		PyObject *index = PyNumber_Index(given);

		*ret_step = index ? PyLong_AsLongLong(index) : -1;
		Py_XDECREF(index);
	}
	return !PyErr_Occurred();
}

static PyObject *begin_step(Recorder *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	int64_t step = TSCOPE_NEXT;

	if (!self->run)
		Py_RETURN_NONE;
	if ((n || names) && !parse_step(args, n, names, &step))
		return cannot(self, "the number of a step is no integer of 64 bits");
	return recorder_begin(self, step);
}

static PyObject *end_step(Recorder *self, PyObject *unused)
{
	(void)unused;
	if (!self->run)
		Py_RETURN_NONE;
	return recorder_end(self);
}

/* A step that log makes (_rows.py): it begins and ends at times that may be over. */
static PyObject *begin_row(Recorder *self, PyObject *args)
{
	long long step, ns;

	if (!PyArg_ParseTuple(args, "LL", &step, &ns))
		return NULL;
	if (self->run) {
		tscope_step_begin_at(self->run, step, ns);
		self->open = 1;
		self->made_by = BY_LOG;
	}
	Py_RETURN_NONE;
}

static PyObject *end_row(Recorder *self, PyObject *args)
{
	long long ns;

	if (!PyArg_ParseTuple(args, "L", &ns))
		return NULL;
	if (self->run)
		return end_at(self, ns);
	Py_RETURN_NONE;
}

static PyObject *hold(Recorder *self, PyObject *args)
{
	if (!PyArg_ParseTuple(args, "p", &self->holds))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *by_program(Recorder *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(self->made_by == BY_PROGRAM);
}

static PyObject *cancel_step(Recorder *self, PyObject *unused)
{
	(void)unused;
	self->batch = 0;
	self->open = 0;
	tscope_step_cancel(self->run);
	Py_RETURN_NONE;
}

static PyObject *step(Recorder *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (!self->run) {
		Py_INCREF(no_step);
		return no_step;
	}
	self->next = TSCOPE_NEXT;
	if ((n || names) && !parse_step(args, n, names, &self->next)) {
		PyObject *none = cannot(self, "the number of a step is no integer of 64 bits");

		if (!none)
			return NULL;
		Py_DECREF(none);
		self->next = TSCOPE_NEXT;
	}
	Py_XINCREF(self->step);
	return self->step;
}

PyObject *recorder_mark(Recorder *self, PyObject *name)
{
	tscope_column column;

	int kind;

	if (!self->run)
		Py_RETURN_NONE;
	if (!self->open)
		return cannot(self, "a phase was marked outside of a step");
	/* A phase that the host's clock has timed before (the wait for data) stays with it. */
	kind = self->device && !is_known(self, PHASES, name) ? DEVICE_PHASES : PHASES;
	column = recorder_column(self, kind, name);
	if (!column)
		return cannot(self, "a phase has a name that is none, or there are too many");
	tscope_mark(self->run, column);
	if (kind == DEVICE_PHASES)
		return recorder_swallow(PyObject_CallMethod(self->device, "mark", "O", name));
	Py_RETURN_NONE;
}

/* The program logs a number itself: a loss that it says counts, and not what is seen of it. */
static void note_said(Recorder *self, int kind, tscope_column column)
{
	int64_t step;

	if (kind != NUMBERS || !column || column != self->loss)
		return;
	step = tscope_step_now(self->run);
	self->said[(uint64_t)step % SAID] = step;
}

static PyObject *log_number(Recorder *self, int kind, PyObject *name, PyObject *value)
{
	tscope_column column = recorder_column(self, kind, name);
	double number = PyFloat_AsDouble(value);

	if (!column) {
		PyErr_Clear();
		return recorder_swallow(PyObject_CallMethod((PyObject *)self, "_no_column", "O", name));
	}
	if (number == -1 && PyErr_Occurred())
		return cannot(self, "an integer is beyond what a double can hold");
	tscope_log(self->run, column, number);
	note_said(self, kind, column);
	Py_RETURN_NONE;
}

PyObject *recorder_number_on_host(PyObject *tensor)
{
	PyObject *here = PyObject_GetAttr(tensor, is_cpu);
	PyObject *number = here == Py_True ? PyObject_CallMethodObjArgs(tensor, item, NULL) : NULL;

	Py_XDECREF(here);
	if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
		PyErr_Clear();
	if (number && !PyFloat_Check(number) && !PyLong_Check(number))
		Py_CLEAR(number); /* complex */
	return number;
}

static PyObject *log_one(Recorder *self, int kind, PyObject *name, PyObject *value)
{
	PyObject *none;

	if (PyFloat_Check(value) || PyLong_Check(value))
		return log_number(self, kind, name, value);
	if ((PyObject *)Py_TYPE(value) == tensor_type) {
		PyObject *number = recorder_number_on_host(value);

		if (number) {
			none = log_number(self, kind, name, number);
			Py_DECREF(number);
			return none;
		}
		if (PyErr_Occurred())
			return NULL;
	}
	none = recorder_swallow(PyObject_CallMethod((PyObject *)self, "_log_other", "iOO", kind, name, value));
	if (none && self->run && kind == NUMBERS && PyUnicode_CheckExact(name) && PyUnicode_GetLength(name) == 4 &&
	    is_known(self, kind, name))
		note_said(self, kind, recorder_column(self, kind, name));
	return none;
}

static PyObject *log_dict(Recorder *self, int kind, PyObject *dict)
{
	PyObject *name, *value;
	Py_ssize_t at = 0;

	if (!PyDict_Check(dict))
		return cannot(self, "log takes numbers by name, or a dictionary of them");
	while (PyDict_Next(dict, &at, &name, &value)) {
		PyObject *none;

		Py_INCREF(name);
		Py_INCREF(value);
		none = log_one(self, kind, name, value);
		Py_DECREF(name);
		Py_DECREF(value);
		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	Py_RETURN_NONE;
}

static PyObject *log_kind(Recorder *self, int kind, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	Py_ssize_t n_names;

	if (!self->run)
		Py_RETURN_NONE;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *none = log_dict(self, kind, args[i]);

		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	n_names = names ? PyTuple_Size(names) : 0;
	for (Py_ssize_t i = 0; i < n_names; i++) {
		PyObject *none = log_one(self, kind, PyTuple_GetItem(names, i), args[n + i]);

		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	Py_RETURN_NONE;
}

/* Gives the arguments of a call of log to a method in Python. */
static PyObject *by_method(Recorder *self, const char *name, int kind, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *numbers = PyTuple_New(n), *by_name = PyDict_New(), *done = NULL;
	Py_ssize_t n_names = names ? PyTuple_Size(names) : 0;
	int failed = !numbers || !by_name;

	for (Py_ssize_t i = 0; i < n && !failed; i++) {
		Py_INCREF(args[i]);
		failed = PyTuple_SetItem(numbers, i, args[i]) != 0;
	}
	for (Py_ssize_t i = 0; i < n_names && !failed; i++)
		failed = PyDict_SetItem(by_name, PyTuple_GetItem(names, i), args[n + i]) != 0;
	if (!failed)
		done = PyObject_CallMethod((PyObject *)self, name, "iOO", kind, numbers, by_name);
	Py_XDECREF(numbers);
	Py_XDECREF(by_name);
	return recorder_swallow(done);
}

/* Whether a call has more than numbers: the words step, commit and data, or what is no dictionary. */
static int has_words(PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	for (Py_ssize_t i = 0; i < n; i++)
		if (!PyDict_Check(args[i]))
			return 1;
	for (Py_ssize_t i = 0, n_names = names ? PyTuple_Size(names) : 0; i < n_names; i++)
		for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
			if (PyTuple_GetItem(names, i) == words[k])
				return 1;
	return 0;
}

/* Behind the end of a run, what is logged is counted. */
static PyObject *not_now(Recorder *self)
{
	if (self->ended)
		return cannot(self, "a call came when the run had ended");
	Py_RETURN_NONE;
}

static PyObject *log_numbers(Recorder *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (!self->run)
		return not_now(self);
	if ((!self->open && self->made_by != BY_PROGRAM) || has_words(args, n, names))
		return by_method(self, "_log_row", NUMBERS, args, n, names);
	return log_kind(self, NUMBERS, args, n, names);
}

static PyObject *log_beside(Recorder *self, int kind, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (!self->run)
		return not_now(self);
	if (!self->open && self->made_by != BY_PROGRAM)
		return by_method(self, "_keep", kind, args, n, names);
	return log_kind(self, kind, args, n, names);
}

static PyObject *log_amounts(Recorder *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return log_beside(self, AMOUNTS, args, n, names);
}

static PyObject *log_memory(Recorder *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return log_beside(self, MEMORY, args, n, names);
}

/* Logs a dictionary as a kind, for the step that is open or ended last. */
static PyObject *log_now(Recorder *self, PyObject *args)
{
	PyObject *numbers;
	int kind;

	if (!PyArg_ParseTuple(args, "iO", &kind, &numbers))
		return NULL;
	if (!self->run || kind < 0 || kind >= N_NAMES)
		Py_RETURN_NONE;
	return log_dict(self, kind, numbers);
}

static PyObject *step_enter(Step *self, PyObject *unused)
{
	(void)unused;
	if (self->recorder->run) {
		int64_t next = self->recorder->next;
		PyObject *none;

		self->recorder->next = TSCOPE_NEXT;
		none = recorder_begin(self->recorder, next);
		if (!none)
			return NULL;
		Py_DECREF(none);
	}
	Py_INCREF(self);
	return (PyObject *)self;
}

/* The step that an exception leaves is recorded, too: what came until then is what one wants to know. */
static PyObject *step_exit(Step *self, PyObject *const *args, Py_ssize_t n)
{
	Recorder *recorder = self->recorder;
	PyObject *none = NULL;

	if (!recorder->run)
		Py_RETURN_FALSE;
	if (n == 3 && args[0] != Py_None)
		none = recorder_swallow(PyObject_CallMethod((PyObject *)recorder, "_left_by", "OO", args[0], args[1]));
	Py_XDECREF(none);
	PyErr_Clear(); /* the exception that leaves is not ours to replace */
	none = recorder_end(recorder);
	if (!none)
		return NULL;
	Py_DECREF(none);
	Py_RETURN_FALSE;
}

/* --- what the Python side calls --- */

static PyObject *add_ns(Recorder *self, PyObject *args)
{
	PyObject *name;
	long long ns;
	tscope_column column;
	int kind;

	if (!PyArg_ParseTuple(args, "OL", &name, &ns))
		return NULL;
	kind = self->device && is_known(self, DEVICE_PHASES, name) ? DEVICE_PHASES : PHASES;
	column = self->run ? recorder_column(self, kind, name) : 0;
	tscope_add_ns(self->run, column, ns);
	Py_RETURN_NONE;
}

/* _log_other found the number: log it as the kind that it was given as. */
static PyObject *log_as(Recorder *self, PyObject *args)
{
	int kind;
	PyObject *name;
	double value;

	if (!PyArg_ParseTuple(args, "iOd", &kind, &name, &value))
		return NULL;
	if (self->run && kind >= 0 && kind < N_NAMES)
		tscope_log(self->run, recorder_column(self, kind, name), value);
	Py_RETURN_NONE;
}

/* A number of a step that is not the one under way. */
static PyObject *keep_beside(Recorder *self, PyObject *args, void (*keep)(struct tscope_run *, int64_t, tscope_column, double))
{
	int kind;
	PyObject *name;
	long long step;
	double value;

	if (!PyArg_ParseTuple(args, "LiOd", &step, &kind, &name, &value))
		return NULL;
	if (self->run && kind >= 0 && kind < N_NAMES)
		keep(self->run, step, recorder_column(self, kind, name), value);
	Py_RETURN_NONE;
}

static PyObject *late(Recorder *self, PyObject *args)
{
	return keep_beside(self, args, tscope_late);
}

static PyObject *ahead(Recorder *self, PyObject *args)
{
	return keep_beside(self, args, tscope_first);
}

static PyObject *late_ns(Recorder *self, PyObject *args)
{
	PyObject *name;
	long long step, ns;

	if (!PyArg_ParseTuple(args, "LOL", &step, &name, &ns))
		return NULL;
	if (self->run)
		tscope_late_ns(self->run, step, recorder_column(self, DEVICE_PHASES, name), ns);
	Py_RETURN_NONE;
}

static PyObject *late_digest(Recorder *self, PyObject *args)
{
	PyObject *name;
	long long step;
	unsigned long long bits;

	if (!PyArg_ParseTuple(args, "LOK", &step, &name, &bits))
		return NULL;
	if (self->run)
		tscope_late_digest(self->run, step, recorder_column(self, DIGESTS, name), bits);
	Py_RETURN_NONE;
}

static PyObject *late_digests(Recorder *self, PyObject *args)
{
	tscope_column columns[TSCOPE_LATE_MAX];
	uint64_t bits[TSCOPE_LATE_MAX];
	PyObject *by_name, *name, *value;
	Py_ssize_t at = 0;
	long long step;
	unsigned n = 0;

	if (!PyArg_ParseTuple(args, "LO!", &step, &PyDict_Type, &by_name))
		return NULL;
	while (self->run && n < TSCOPE_LATE_MAX && PyDict_Next(by_name, &at, &name, &value)) {
		columns[n] = recorder_column(self, DIGESTS, name);
		bits[n] = PyLong_AsUnsignedLongLong(value);
		if (PyErr_Occurred())
			return NULL;
		n += columns[n] != 0;
	}
	if (n)
		tscope_late_digests(self->run, step, columns, bits, n);
	Py_RETURN_NONE;
}

static PyObject *log_digest(Recorder *self, PyObject *args)
{
	PyObject *name;
	unsigned long long bits;

	if (!PyArg_ParseTuple(args, "OK", &name, &bits))
		return NULL;
	if (self->run)
		tscope_log_digest(self->run, recorder_column(self, DIGESTS, name), bits);
	Py_RETURN_NONE;
}

/* Several batches of one step, as with accumulation, give one digest: that of their order, too. */
static PyObject *add_batch(Recorder *self, PyObject *args)
{
	unsigned long long bits;
	PyObject *name;

	if (!PyArg_ParseTuple(args, "OK", &name, &bits))
		return NULL;
	if (!self->run)
		Py_RETURN_NONE;
	self->batch_bits = self->batch ? self->batch_bits * UINT64_C(0x9E3779B97F4A7C15) + bits : bits;
	self->batch = recorder_column(self, DIGESTS, name);
	Py_RETURN_NONE;
}

static PyObject *digest_row(Recorder *self, PyObject *args)
{
	const char *name, *kind;
	int has_in;
	unsigned long long in, out;

	if (!PyArg_ParseTuple(args, "szpKK", &name, &kind, &has_in, &in, &out))
		return NULL;
	tscope_digest(self->run, name, kind, has_in, in, out);
	Py_RETURN_NONE;
}

static PyObject *end_region(Recorder *self, PyObject *args)
{
	PyObject *name;
	long long begin_ns;

	if (!PyArg_ParseTuple(args, "OL", &name, &begin_ns))
		return NULL;
	if (self->run)
		tscope_region(self->run, recorder_column(self, REGIONS, name), begin_ns);
	Py_RETURN_NONE;
}

static PyObject *event_number(Recorder *self, PyObject *args)
{
	PyObject *name;
	double value;

	if (!PyArg_ParseTuple(args, "Od", &name, &value))
		return NULL;
	if (self->run)
		tscope_event(self->run, recorder_column(self, EVENTS, name), value);
	Py_RETURN_NONE;
}

static PyObject *event_text(Recorder *self, PyObject *args)
{
	PyObject *name;
	const char *text;

	if (!PyArg_ParseTuple(args, "Oz", &name, &text))
		return NULL;
	if (self->run)
		tscope_event_text(self->run, recorder_column(self, EVENTS, name), text);
	Py_RETURN_NONE;
}

/* Says what is watched from now on, or None. */
static PyObject *watch_by(Recorder *self, PyObject *watched)
{
	PyObject *before = self->watched;

	self->watched = NULL;
	if (watched_is(watched)) {
		Py_INCREF(watched);
		self->watched = watched;
	}
	Py_XDECREF(before);
	Py_RETURN_NONE;
}

static PyObject *tick_every(Recorder *self, PyObject *args)
{
	unsigned long every;

	if (!PyArg_ParseTuple(args, "k", &every))
		return NULL;
	self->every = self->left = every;
	Py_RETURN_NONE;
}

/* Says when _begins and _ends are called: the first step, -1 for none, and whether the step that is open has something at its end. */
static PyObject *wake(Recorder *self, PyObject *args)
{
	long long step;
	int ends;

	if (!PyArg_ParseTuple(args, "Lp", &step, &ends))
		return NULL;
	self->wake = step < 0 ? INT64_MAX : step;
	self->ends = ends;
	Py_RETURN_NONE;
}

/* Phases are timed by what is given from now on, None: by the host's clock. Those that are never marked stay with the host's. */
static PyObject *set_device(Recorder *self, PyObject *device)
{
	static const char *const of_host[] = {"data", "comm", "profiler"};

	for (size_t i = 0; device != Py_None && i < sizeof of_host / sizeof of_host[0]; i++) {
		PyObject *name = PyUnicode_InternFromString(of_host[i]);

		if (!name)
			return NULL;
		if (self->run)
			(void)recorder_column(self, PHASES, name);
		Py_DECREF(name);
	}
	Py_CLEAR(self->device);
	if (device != Py_None) {
		Py_INCREF(device);
		self->device = device;
	}
	Py_RETURN_NONE;
}

int recorder_says_loss(const Recorder *self, int64_t step)
{
	return self->said[(uint64_t)step % SAID] == step;
}

static PyObject *says_loss(Recorder *self, PyObject *given)
{
	long long step = PyLong_AsLongLong(given);

	if (step == -1 && PyErr_Occurred())
		return NULL;
	return PyBool_FromLong(recorder_says_loss(self, step));
}

static PyObject *step_now(Recorder *self, PyObject *unused)
{
	int64_t now = tscope_step_now(self->run);

	(void)unused;
	if (now == TSCOPE_NEXT)
		Py_RETURN_NONE;
	return PyLong_FromLongLong(now);
}

/* The step that what a loader gives now belongs to. */
static PyObject *step_fed(Recorder *self, PyObject *unused)
{
	int64_t now = tscope_step_now(self->run);

	(void)unused;
	return PyLong_FromLongLong(now == TSCOPE_NEXT ? 0 : self->open || now == INT64_MAX ? now : now + 1);
}

static PyObject *raise_status(enum tscope_status status, const char *text)
{
	PyObject *type = PyExc_OSError;

	if (status == TSCOPE_EXISTS)
		type = PyExc_FileExistsError;
	else if (status == TSCOPE_INVALID)
		type = PyExc_ValueError;
	else if (status == TSCOPE_NO_MEMORY)
		type = PyExc_MemoryError;
	PyErr_SetString(type, text);
	return NULL;
}

static PyObject *facts(Recorder *self, PyObject *args)
{
	struct tscope_error err = {0};
	const char *json;
	enum tscope_status status;

	if (!PyArg_ParseTuple(args, "s", &json))
		return NULL;
	status = self->run ? tscope_facts(self->run, json, &err) : TSCOPE_OK;
	if (status)
		return raise_status(status, err.text);
	Py_RETURN_NONE;
}

static PyObject *trouble(Recorder *self, PyObject *unused)
{
	struct tscope_trouble t = {0};

	(void)unused;
	if (self->run)
		tscope_trouble(self->run, &t);
	return Py_BuildValue("{s:K,s:K,s:K,s:N,s:s}", "lost_frames", (unsigned long long)t.lost_frames, "waits",
			     (unsigned long long)t.waits, "refused_columns", (unsigned long long)t.refused_columns, "stopped",
			     PyBool_FromLong(t.stopped), "first", t.first);
}

static PyObject *attempt(Recorder *self, PyObject *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLong(tscope_attempt(self->run));
}

static PyObject *open_run(Recorder *self, PyObject *args)
{
	struct tscope_options options = {0};
	struct tscope_error err = {0};
	struct tscope_run *run = NULL;
	PyObject *directory;
	enum tscope_status status;
	int rank, world_size, resume = 0;
	unsigned flush_ms;

	if (!PyArg_ParseTuple(args, "O&zzziiI|pz", PyUnicode_FSConverter, &directory, &options.name, &options.config,
			      &options.facts, &rank, &world_size, &flush_ms, &resume, &options.keeper))
		return NULL;
	options.resume = resume;
	options.asked = 1; /* _asked.py does it */
	options.rank = rank;
	options.world_size = world_size;
	options.flush_ms = flush_ms;
	options.directory = PyBytes_AsString(directory);
	Py_BEGIN_ALLOW_THREADS
	status = tscope_open(&options, &run, &err);
	Py_END_ALLOW_THREADS
	Py_DECREF(directory);
	if (status)
		return raise_status(status, err.text);
	self->run = run;
	Py_RETURN_NONE;
}

static int close_run(Recorder *self)
{
	struct tscope_run *run = self->run;
	int is_whole;

	self->run = NULL;
	self->ended |= run != NULL;
	Py_BEGIN_ALLOW_THREADS
	is_whole = tscope_close(run);
	Py_END_ALLOW_THREADS
	return is_whole;
}

static PyObject *close_(Recorder *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(close_run(self));
}

static PyObject *sync_(Recorder *self, PyObject *ms)
{
	int most = (int)PyLong_AsLong(ms), is_there;

	if (most == -1 && PyErr_Occurred())
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	is_there = tscope_sync(self->run, most);
	Py_END_ALLOW_THREADS
	return PyBool_FromLong(is_there);
}

/* --- the types --- */

static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static const enum tscope_kind kinds[N_NAMES] = {
		[PHASES] = TSCOPE_PHASE,     [NUMBERS] = TSCOPE_NUMBER, [AMOUNTS] = TSCOPE_AMOUNT, [MEMORY] = TSCOPE_MEMORY,
		[DIGESTS] = TSCOPE_DIGEST, [REGIONS] = TSCOPE_REGION, [EVENTS] = TSCOPE_EVENT,
		[DEVICE_PHASES] = TSCOPE_DEVICE_PHASE,
	};
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	allocfunc allocate_step = (allocfunc)PyType_GetSlot(step_type, Py_tp_alloc);
	Recorder *self = (Recorder *)allocate(type, 0);
	Step *step;

	(void)args;
	(void)kwargs;
	if (!self)
		return NULL;
	self->next = TSCOPE_NEXT;
	self->wake = INT64_MAX;
	self->begun = INT64_MIN;
	for (int i = 0; i < SAID; i++)
		self->said[i] = INT64_MIN;
	for (int i = 0; i < N_NAMES; i++)
		self->names[i].kind = kinds[i];
	step = (Step *)allocate_step(step_type, 0);
	if (!step) {
		Py_DECREF(self);
		return NULL;
	}
	Py_INCREF(self);
	step->recorder = self;
	self->step = (PyObject *)step;
	return (PyObject *)self;
}

static int recorder_traverse(Recorder *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->step);
	Py_VISIT(self->watched);
	Py_VISIT(self->device);
	return 0;
}

static int recorder_clear(Recorder *self)
{
	Py_CLEAR(self->step);
	Py_CLEAR(self->watched);
	Py_CLEAR(self->device);
	return 0;
}

void recorder_free(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	release(self);
	Py_DECREF(type);
}

static void recorder_dealloc(Recorder *self)
{
	PyObject_GC_UnTrack(self);
	(void)close_run(self);
	(void)recorder_clear(self);
	for (int i = 0; i < N_NAMES; i++) {
		Py_CLEAR(self->names[i].by_value);
		for (int k = 0; k < NEAR; k++)
			Py_CLEAR(self->names[i].near[k].name);
	}
	recorder_free((PyObject *)self);
}

static int step_traverse(Step *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(self->recorder);
	return 0;
}

static int step_clear(Step *self)
{
	Py_CLEAR(self->recorder);
	return 0;
}

static void step_dealloc(Step *self)
{
	PyObject_GC_UnTrack(self);
	Py_CLEAR(self->recorder);
	recorder_free((PyObject *)self);
}

static PyMethodDef recorder_methods[] = {
	{"step", FAST(step), METH_FASTCALL | METH_KEYWORDS,
	 PyDoc_STR("step(step=None)\n--\n\nReturns the context of a step, which begins and ends with its block; without a number, "
		   "the step after the last.\n\n>>> with run.step():\n...     run.log(loss=0.5)\n")},
	{"begin_step", FAST(begin_step), METH_FASTCALL | METH_KEYWORDS,
	 PyDoc_STR("begin_step(step=None)\n--\n\nBegins a step, where a block does not fit; one that is still open ends.\n\n"
		   ">>> run.begin_step()\n>>> run.end_step()\n")},
	{"end_step", FAST(end_step), METH_NOARGS,
	 PyDoc_STR("end_step()\n--\n\nEnds the step that is open; from here on, killing the process does not lose it.\n\n"
		   ">>> run.begin_step(41)\n>>> run.end_step()\n")},
	{"cancel_step", FAST(cancel_step), METH_NOARGS,
	 PyDoc_STR("cancel_step()\n--\n\nGives up the step that is open: nothing of it is recorded.\n\n"
		   ">>> run.begin_step()\n>>> run.cancel_step()\n")},
	{"mark", FAST(recorder_mark), METH_O,
	 PyDoc_STR("mark(phase)\n--\n\nAdds the time since the last mark of the step, or since it began, to a phase. It counts in an "
		   "open step alone, by the host's clock, and is recorded as `phases.PHASE` in seconds; "
		   "a phase that is marked again adds up.\n\n"
		   ">>> with run.step():\n...     run.mark(\"forward\")\n...     run.mark(\"backward\")\n")},
	{"log", FAST(log_numbers), METH_FASTCALL | METH_KEYWORDS,
	 PyDoc_STR("log(*numbers, step=None, commit=None, **by_name)\n--\n\nRecords numbers of the step by name, or "
		   "dictionaries of them, as `scalars.NAME` in the unit that they have; the last value counts. They count for the "
		   "step that is open, or behind its end for the step that ended last; one call before the first step is of that "
		   "one. Tensors of a device are copied aside and read later, without a synchronization.\n\nA program that begins "
		   "no steps makes one with each call, as W&B does: `commit=False` adds to the step of the call that follows, "
		   "`step=N` adds to step N, whose number must not go back, until a later one comes (docs/recording.md).\n\n"
		   ">>> with run.step():\n...     run.log(loss=0.5, lr=1e-3)\n...     run.log({\"eval/accuracy\": 0.9})\n")},
	{"amount", FAST(log_amounts), METH_FASTCALL | METH_KEYWORDS,
	 PyDoc_STR("amount(*numbers, **by_name)\n--\n\nRecords what the step worked on, as counts of this rank: samples, tokens. "
		   "The last value counts, and nothing is added up: with micro-batches give the sum. Which step it is for is as with "
		   "`log`.\n\n"
		   ">>> with run.step():\n...     run.amount(samples=64, tokens=8192)\n")},
	{"memory", FAST(log_memory), METH_FASTCALL | METH_KEYWORDS,
	 PyDoc_STR("memory(*numbers, **by_name)\n--\n\nRecords bytes of memory by name, as `memory.NAME`; the last value counts. "
		   "Which step it is for is as with `log`. The recorder samples `rss`, the bytes that this process has resident, "
		   "and of a device `alloc`, `reserved` and their peaks, every `memory_every` steps (`tscope.start`).\n\n"
		   ">>> with run.step():\n...     run.memory(alloc=2**30)\n")},
	{"_add_ns", FAST(add_ns), METH_VARARGS, NULL},
	{"_begin_row", FAST(begin_row), METH_VARARGS, NULL},
	{"_end_row", FAST(end_row), METH_VARARGS, NULL},
	{"_hold", FAST(hold), METH_VARARGS, NULL},
	{"_by_program", FAST(by_program), METH_NOARGS, NULL},
	{"_log_now", FAST(log_now), METH_VARARGS, NULL},
	{"_log_as", FAST(log_as), METH_VARARGS, NULL},
	{"_late", FAST(late), METH_VARARGS, NULL},
	{"_ahead", FAST(ahead), METH_VARARGS, NULL},
	{"_late_ns", FAST(late_ns), METH_VARARGS, NULL},
	{"_late_digest", FAST(late_digest), METH_VARARGS, NULL},
	{"_late_digests", FAST(late_digests), METH_VARARGS, NULL},
	{"_log_digest", FAST(log_digest), METH_VARARGS, NULL},
	{"_add_batch", FAST(add_batch), METH_VARARGS, NULL},
	{"_digest_row", FAST(digest_row), METH_VARARGS, NULL},
	{"_end_region", FAST(end_region), METH_VARARGS, NULL},
	{"_event", FAST(event_number), METH_VARARGS, NULL},
	{"_event_text", FAST(event_text), METH_VARARGS, NULL},
	{"_tick_every", FAST(tick_every), METH_VARARGS, NULL},
	{"_watch_by", FAST(watch_by), METH_O, NULL},
	{"_wake", FAST(wake), METH_VARARGS, NULL},
	{"_set_device", FAST(set_device), METH_O, NULL},
	{"_says_loss", FAST(says_loss), METH_O, NULL},
	{"_step_now", FAST(step_now), METH_NOARGS, NULL},
	{"_step_fed", FAST(step_fed), METH_NOARGS, NULL},
	{"_facts", FAST(facts), METH_VARARGS, NULL},
	{"_trouble", FAST(trouble), METH_NOARGS, NULL},
	{"_attempt", FAST(attempt), METH_NOARGS, NULL},
	{"_open", FAST(open_run), METH_VARARGS, NULL},
	{"_sync", FAST(sync_), METH_O, NULL},
	{"_close", FAST(close_), METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot recorder_slots[] = {
	{Py_tp_new, recorder_new},
	{Py_tp_methods, recorder_methods},
	{Py_tp_traverse, recorder_traverse},
	{Py_tp_clear, recorder_clear},
	{Py_tp_dealloc, recorder_dealloc},
	{Py_tp_doc, "The calls of a step, in C."},
	{0, NULL},
};

static PyType_Spec recorder_spec = {
	.name = "tscope._recorder.Recorder",
	.basicsize = sizeof(Recorder),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
	.slots = recorder_slots,
};

static PyMethodDef step_methods[] = {
	{"__enter__", FAST(step_enter), METH_NOARGS, NULL},
	{"__exit__", FAST(step_exit), METH_FASTCALL, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot step_slots[] = {
	{Py_tp_methods, step_methods},
	{Py_tp_traverse, step_traverse},
	{Py_tp_clear, step_clear},
	{Py_tp_dealloc, step_dealloc},
	{Py_tp_doc, "The context of a step."},
	{0, NULL},
};

static PyType_Spec step_spec = {
	.name = "tscope._recorder.Step",
	.basicsize = sizeof(Step),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = step_slots,
};

/* --- a step that is not recorded --- */

static PyObject *no_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	Py_INCREF(self);
	return self;
}

static PyObject *no_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	(void)args;
	(void)n;
	Py_RETURN_FALSE;
}

static PyMethodDef no_step_methods[] = {
	{"__enter__", FAST(no_enter), METH_NOARGS, NULL},
	{"__exit__", FAST(no_exit), METH_FASTCALL, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot no_step_slots[] = {
	{Py_tp_dealloc, recorder_free},
	{Py_tp_doc, "The context of a step that is not recorded."},
	{0, NULL},
};

static PyType_Spec no_step_spec = {
	.name = "tscope._recorder.NoStep",
	.basicsize = sizeof(PyObject),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = no_step_slots,
};

/* Its methods are functions that are bound already, one object for all: a `with` makes no object to call them. */
static PyObject *make_no_step(void)
{
	PyObject *type = PyType_FromSpec(&no_step_spec);
	PyObject *found = type ? PyObject_CallObject(type, NULL) : NULL;

	for (PyMethodDef *def = no_step_methods; found && def->ml_name; def++) {
		PyObject *method = PyCFunction_New(def, found);

		if (!method || PyObject_SetAttrString(type, def->ml_name, method))
			Py_CLEAR(found);
		Py_XDECREF(method);
	}
	Py_XDECREF(type);
	return found;
}

/* --- the module --- */

/* The interpreter calls a method in C faster where the object's type is the one that has it, so that a type has those of Recorder. */
static PyObject *adopt(PyObject *module, PyObject *type)
{
	(void)module;
	if (!PyType_Check(type)) {
		PyErr_SetString(PyExc_TypeError, "a type adopts the methods");
		return NULL;
	}
	for (PyMethodDef *def = recorder_methods; def->ml_name; def++) {
		PyObject *method = def->ml_name[0] == '_' ? NULL : PyDescr_NewMethod((PyTypeObject *)type, def);
		int failed = method && PyObject_SetAttrString(type, def->ml_name, method);

		Py_XDECREF(method);
		if (failed || PyErr_Occurred())
			return NULL;
	}
	Py_RETURN_NONE;
}

static PyObject *know_tensors(PyObject *module, PyObject *type)
{
	(void)module;
	Py_INCREF(type);
	Py_XDECREF(tensor_type);
	tensor_type = type;
	Py_RETURN_NONE;
}

static PyObject *now_ns(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyLong_FromLongLong(tscope_now_ns());
}

enum { LONG = 1 << 16 }; /* bytes whose digest takes so long that other threads go on meanwhile */

static PyObject *digest_of(const void *bytes, size_t len)
{
	PyThreadState *state = len >= LONG ? PyEval_SaveThread() : NULL;
	uint64_t digest = tscope_digest_bytes(bytes, len);

	if (state)
		PyEval_RestoreThread(state);
	return PyLong_FromUnsignedLongLong(digest);
}

static PyObject *digest_bytes(PyObject *module, PyObject *args)
{
	const char *bytes;
	Py_ssize_t len;

	(void)module;
	if (!PyArg_ParseTuple(args, "y#", &bytes, &len))
		return NULL;
	return digest_of(bytes, (size_t)len);
}

static PyObject *digest_set(PyObject *module, PyObject *pairs)
{
	PyObject *iterator = PyObject_GetIter(pairs), *pair, *name, *bits;
	uint64_t sum = 0;

	(void)module;
	if (!iterator)
		return NULL;
	while ((pair = PyIter_Next(iterator))) {
		int bad = !PyArg_ParseTuple(pair, "UO!", &name, &PyLong_Type, &bits) ||
			  tensors_add_named(&sum, name, PyLong_AsUnsignedLongLongMask(bits));

		Py_DECREF(pair);
		if (bad)
			break;
	}
	Py_DECREF(iterator);
	return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(tscope_digest_mix(sum));
}

/* A generator's state: numbers of 32 bits, and what else belongs to it. */
static PyObject *digest_words(PyObject *module, PyObject *args)
{
	uint8_t bytes[4 * 1024], *at = bytes;
	PyObject *words;
	Py_ssize_t n, len;
	const char *rest;
	int32_t first;

	(void)module;
	if (!PyArg_ParseTuple(args, "iO!y#", &first, &PyTuple_Type, &words, &rest, &len))
		return NULL;
	n = PyTuple_Size(words);
	if (4 + 4 * n + len > (Py_ssize_t)sizeof bytes)
		return PyErr_Format(PyExc_ValueError, "a state of %zd words", n);
	memcpy(at, &first, 4);
	for (Py_ssize_t i = 0; i < n; i++) {
		uint32_t word = (uint32_t)PyLong_AsUnsignedLongMask(PyTuple_GetItem(words, i));

		memcpy(at += 4, &word, 4);
	}
	memcpy(at += 4, rest, (size_t)len);
	return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(tscope_digest_bytes(bytes, (size_t)(at - bytes + len)));
}

/* A tensor that wraps others, or whose memory was given back, says that its numbers lie at 0. Returns 1, with an exception, if it has
 * some. */
static int is_nowhere(unsigned long long address, unsigned long long n)
{
	if (address || !n)
		return 0;
	PyErr_SetString(PyExc_ValueError, "its numbers do not lie in memory");
	return 1;
}

static PyObject *zero_at(PyObject *module, PyObject *args)
{
	unsigned long long address, len, size;
	PyThreadState *state;
	bool zero;

	(void)module;
	if (!PyArg_ParseTuple(args, "KKK", &address, &len, &size))
		return NULL;
	if (size != 2 && size != 4 && size != 8)
		return PyErr_Format(PyExc_ValueError, "numbers of %llu bytes", size);
	if (is_nowhere(address, len))
		return NULL;
	state = PyEval_SaveThread();
	zero = tscope_is_zero((const void *)(uintptr_t)address, (size_t)len, (size_t)size);
	PyEval_RestoreThread(state);
	return PyBool_FromLong(zero);
}

/* A tensor of the host is read where it lies: its caller keeps it alive, contiguous and of that length. */
static PyObject *digest_at(PyObject *module, PyObject *args)
{
	unsigned long long address, len;

	(void)module;
	if (!PyArg_ParseTuple(args, "KK", &address, &len) || is_nowhere(address, len))
		return NULL;
	return digest_of((const void *)(uintptr_t)address, (size_t)len);
}

static void sketch(struct tscope_sketch *s, int form, const void *values, size_t n, uint64_t first)
{
	switch (form) {
	case 0:
		tscope_sketch_f64(s, values, n, first);
		break;
	case 1:
		tscope_sketch_f32(s, values, n, first);
		break;
	case 2:
		tscope_sketch_bf16(s, values, n, first);
		break;
	default:
		tscope_sketch_f16(s, values, n, first);
		break;
	}
}

/* Returns the sketch of n elements at an address, as the 256 sums and the sum of squares, doubles, and the counts of all and of not
 * finite elements, u64. The form is 0 float64, 1 float32, 2 bfloat16, 3 float16. */
static PyObject *sketch_at(PyObject *module, PyObject *args)
{
	struct tscope_sketch s = TSCOPE_SKETCH_NONE;
	unsigned long long address, n, first;
	PyThreadState *state;
	int form;

	(void)module;
	if (!PyArg_ParseTuple(args, "iKKK", &form, &address, &n, &first) || is_nowhere(address, n))
		return NULL;
	state = PyEval_SaveThread();
	sketch(&s, form, (const void *)(uintptr_t)address, (size_t)n, first);
	PyEval_RestoreThread(state);
	return PyBytes_FromStringAndSize((const char *)&s, (Py_ssize_t)sizeof s);
}

static PyObject *crc32c(PyObject *module, PyObject *args)
{
	PyObject *bytes;
	Py_ssize_t size;
	char *data;

	(void)module;
	if (!PyArg_ParseTuple(args, "S", &bytes) || PyBytes_AsStringAndSize(bytes, &data, &size))
		return NULL;
	return PyLong_FromUnsignedLong(ts_crc32c(0, data, (size_t)size));
}

/* Others may run meanwhile, as the wait of whoever reads standard error may be one of theirs. */
static PyObject *say(PyObject *module, PyObject *text)
{
	char *data;
	Py_ssize_t size;

	(void)module;
	if (PyBytes_AsStringAndSize(text, &data, &size))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	ts_standard_error_put(data, (size_t)size);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
	{"adopt", adopt, METH_O, PyDoc_STR("Gives a subclass of Recorder its methods as its own, which are called faster.")},
	{"know_tensors", know_tensors, METH_O, PyDoc_STR("Says which type is torch.Tensor.")},
	{"now_ns", now_ns, METH_NOARGS, PyDoc_STR("Returns nanoseconds of the recorder's clock.")},
	{"digest_bytes", digest_bytes, METH_VARARGS, PyDoc_STR("Returns the digest of bytes (docs/digests.md).")},
	{"host_facts", tscope_host_facts, METH_VARARGS, PyDoc_STR("Returns the host's facts as JSON, and why a patch is left out.")},
	{"is_secret", tscope_is_secret, METH_VARARGS, PyDoc_STR("Returns whether the key names a secret.")},
	{"see_opens", tscope_see_opens, METH_O,
	 PyDoc_STR("see_opens(call)\n--\n\nHas what opens a file told to call(path, mode, flags).")},
	{"resident", tscope_resident, METH_NOARGS,
	 PyDoc_STR("resident()\n--\n\nReturns the bytes of memory that this process has resident; OSError where the system does not\n"
		   "say it.")},
	{"digest_at", digest_at, METH_VARARGS, PyDoc_STR("Returns the digest of so many bytes at an address.")},
	{"digest_set", digest_set, METH_O, PyDoc_STR("Returns the digest of named tensors, from their names and digests.")},
	{"digest_words", digest_words, METH_VARARGS, PyDoc_STR("Returns the digest of 32-bit words and of bytes behind them.")},
	{"zero_at", zero_at, METH_VARARGS, PyDoc_STR("Returns whether the floats of a size at an address are zero.")},
	{"arrow_stream", tscope_arrow_stream, METH_VARARGS,
	 PyDoc_STR("arrow_stream(rows, columns)\n--\n\nReturns a stream of Arrow of columns in memory.")},
	{"say", say, METH_O,
	 PyDoc_STR("say(text)\n--\n\nHas bytes written on standard error by a thread, and waits for a moment at most.")},
	{"crc32c", crc32c, METH_VARARGS, PyDoc_STR("Returns the CRC-32C of bytes.")},
	{"sketch_at", sketch_at, METH_VARARGS, PyDoc_STR("Returns the sketch of so many elements at an address (docs/sketches.md).")},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "_recorder", "The recorder in C.", -1, module_methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__recorder(void);

PyMODINIT_FUNC PyInit__recorder(void)
{
	PyObject *m = PyModule_Create(&module);
	PyObject *recorder = PyType_FromSpec(&recorder_spec);

	tscope_digest_begin();
	step_type = (PyTypeObject *)PyType_FromSpec(&step_spec);
	Py_XINCREF(step_type); /* one for the module, one for step_type */
	no_step = make_no_step();
	is_cpu = PyUnicode_InternFromString("is_cpu");
	item = PyUnicode_InternFromString("item");
	words[0] = PyUnicode_InternFromString("step");
	words[1] = PyUnicode_InternFromString("commit");
	words[2] = PyUnicode_InternFromString("data");
	if (!words[0] || !words[1] || !words[2] || !no_step || !is_cpu || !item || !m || !recorder || !step_type ||
	    PyModule_AddObject(m, "Step", (PyObject *)step_type) ||
	    PyModule_AddObject(m, "Recorder", recorder)) {
		Py_XDECREF(recorder);
		Py_XDECREF(m);
		return NULL;
	}
	if (hooks_add(m, recorder) || between_add(m) || one_add(m) || tensors_add(m) || resting_add(m) || quiet_add(m) ||
	    watched_add(m, recorder)) {
		Py_DECREF(m);
		return NULL;
	}
	return m;
}
