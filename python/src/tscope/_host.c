/* _host.c - the facts of the host, as `tscope facts` collects them: the extension is linked with the same C. */
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_host.h"
#include "ingest/facts/facts_json.h"
#include "ingest/facts/redact.h"
#include "ingest/host/host.h"

#include <dlfcn.h>
#include <string.h>

enum { FACTS_MAX = 16 << 20 };

static enum ts_status collect(const struct ts_host_wanted *wanted, struct ts_arena *arena, struct ts_buf *json,
			      const char **ret_no_patch, struct ts_error *err)
{
	struct ts_facts facts = {.n = 0};

	if (ts_host_facts(wanted, arena, &facts, ret_no_patch, err))
		return err->status;
	(void)ts_facts_sort(&facts);
	ts_facts_to_json(&facts, json);
	return ts_buf_check(json, err);
}

PyObject *tscope_host_facts(PyObject *module, PyObject *args)
{
	struct ts_buf json = TS_BUF_INIT(FACTS_MAX);
	struct ts_host_wanted wanted;
	const char *no_patch = NULL;
	PyObject *found = NULL;
	struct ts_arena arena;
	struct ts_error err;
	enum ts_status status;
	int patch;

	(void)module;
	if (!PyArg_ParseTuple(args, "ssp:host_facts", &wanted.dir, &wanted.command, &patch))
		return NULL;
	wanted.patch = patch != 0;
	ts_arena_init(&arena, FACTS_MAX);
	Py_BEGIN_ALLOW_THREADS;
	status = collect(&wanted, &arena, &json, &no_patch, &err);
	Py_END_ALLOW_THREADS;
	if (status)
		PyErr_SetString(PyExc_OSError, err.text);
	else
		found = Py_BuildValue("s#z", (const char *)json.data, (Py_ssize_t)json.len, no_patch);
	ts_buf_finish(&json);
	ts_arena_finish(&arena);
	return found;
}

PyObject *tscope_is_secret(PyObject *module, PyObject *args)
{
	const char *name;

	(void)module;
	if (!PyArg_ParseTuple(args, "s:is_secret", &name))
		return NULL;
	return PyBool_FromLong(ts_secret_key(ts_span_str(name)));
}

/* --- files that are opened --- */

typedef int (*add_hook)(int (*hook)(const char *, PyObject *, void *), void *);

static PyObject *sees; /* what is called; NULL: nothing is */

static int on_event(const char *event, PyObject *args, void *unused)
{
	PyObject *kind, *value, *trace, *call = sees, *none;

	(void)unused;
	if (!call || strcmp(event, "open") != 0)
		return 0;
	PyErr_Fetch(&kind, &value, &trace);
	Py_INCREF(call);
	sees = NULL; /* what it opens itself is not meant */
	none = PyObject_CallObject(call, args);
	sees = call;
	Py_XDECREF(none);
	PyErr_Clear();
	PyErr_Restore(kind, value, trace);
	Py_DECREF(call);
	return 0;
}

/* PySys_AddAuditHook is no part of the stable interface that this extension is compiled for; where it is not there, nothing is seen. */
PyObject *tscope_see_opens(PyObject *module, PyObject *call)
{
	static int added;
	PyObject *before = sees;
	void *found = added ? NULL : dlsym(RTLD_DEFAULT, "PySys_AddAuditHook");
	add_hook add;

	(void)module;
	memcpy(&add, &found, sizeof add);
	if (found)
		added = add(on_event, NULL) == 0;
	if (call != Py_None)
		Py_INCREF(call);
	sees = call == Py_None ? NULL : call;
	Py_XDECREF(before);
	return PyBool_FromLong(added);
}
