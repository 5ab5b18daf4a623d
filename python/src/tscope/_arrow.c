/* _arrow.c - see _arrow.h. The structs and their rules are those of Arrow's C data and stream interfaces
 * (https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html), which are meant to be copied. */
#include "_arrow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 3, NULLABLE = 2 };

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

struct column {
	char *name, *format;
	int64_t nulls, n_buffers;
	const void *buffers[BUFFERS];
	int64_t n_words; /* of a column of numbers of words: how many there are; else below 0 */
	const void *words[BUFFERS];
};

/* What a stream and all that came from it share. */
struct table {
	PyObject *owners; /* a tuple, which keeps the buffers */
	int64_t rows, n;
	long uses; /* counted under the GIL */
	int given; /* the batch was given */
	struct column columns[];
};

static void give_up(struct table *t)
{
	PyGILState_STATE state = PyGILState_Ensure();

	if (--t->uses == 0) {
		for (int64_t i = 0; i < t->n; i++) {
			free(t->columns[i].name);
			free(t->columns[i].format);
		}
		Py_XDECREF(t->owners);
		free(t);
	}
	PyGILState_Release(state);
}

static void *use(struct table *t)
{
	PyGILState_STATE state = PyGILState_Ensure();

	t->uses++;
	PyGILState_Release(state);
	return t;
}

/* -- schema: each text is copied, so that it stands alone -- */

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		if (schema->children[i] && schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
		free(schema->children[i]);
	}
	free(schema->children);
	if (schema->dictionary && schema->dictionary->release)
		schema->dictionary->release(schema->dictionary);
	free(schema->dictionary);
	free((void *)(uintptr_t)schema->name);
	free((void *)(uintptr_t)schema->format);
	schema->release = NULL;
}

static int fill_schema(struct ArrowSchema *schema, const char *format, const char *name, int64_t n_children)
{
	*schema = (struct ArrowSchema){.format = strdup(format), .name = strdup(name), .flags = NULLABLE, .release = release_schema};
	schema->children = n_children ? calloc((size_t)n_children, sizeof(struct ArrowSchema *)) : NULL;
	if (!schema->format || !schema->name || (n_children && !schema->children))
		return ENOMEM;
	schema->n_children = n_children;
	return 0;
}

static int add_words_schema(struct ArrowSchema *schema)
{
	schema->dictionary = calloc(1, sizeof *schema);
	return schema->dictionary ? fill_schema(schema->dictionary, "U", "", 0) : ENOMEM;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *ret)
{
	const struct table *t = stream->private_data;
	int status = fill_schema(ret, "+s", "", t->n);

	ret->flags = 0;
	for (int64_t i = 0; i < t->n && !status; i++) {
		ret->children[i] = calloc(1, sizeof *ret);
		status = ret->children[i] ? fill_schema(ret->children[i], t->columns[i].format, t->columns[i].name, 0) : ENOMEM;
		if (!status && t->columns[i].n_words >= 0)
			status = add_words_schema(ret->children[i]);
	}
	if (status)
		release_schema(ret);
	return status;
}

/* -- batches: the batch and each column of it may outlive the stream -- */

static void release_column(struct ArrowArray *array)
{
	if (array->dictionary && array->dictionary->release)
		array->dictionary->release(array->dictionary);
	free(array->dictionary);
	give_up(array->private_data);
	array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++) {
		if (array->children[i] && array->children[i]->release)
			array->children[i]->release(array->children[i]);
		free(array->children[i]);
	}
	free(array->children);
	free(array->buffers);
	give_up(array->private_data);
	array->release = NULL;
}

static int add_words(struct table *t, struct column *column, struct ArrowArray *array)
{
	array->dictionary = calloc(1, sizeof *array);
	if (!array->dictionary)
		return ENOMEM;
	*array->dictionary = (struct ArrowArray){.length = column->n_words,
						 .n_buffers = BUFFERS,
						 .buffers = column->words,
						 .release = release_column,
						 .private_data = use(t)};
	return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *ret)
{
	struct table *t = stream->private_data;

	memset(ret, 0, sizeof *ret);
	if (t->given)
		return 0; /* released: the end */
	*ret = (struct ArrowArray){.length = t->rows, .n_buffers = 1, .release = release_batch, .private_data = use(t)};
	ret->buffers = calloc(1, sizeof *ret->buffers);
	ret->children = calloc((size_t)(t->n ? t->n : 1), sizeof(struct ArrowArray *));
	if (!ret->buffers || !ret->children)
		goto no_memory;
	for (; ret->n_children < t->n; ret->n_children++) {
		struct column *column = &t->columns[ret->n_children];
		struct ArrowArray *array = calloc(1, sizeof *array);

		if (!array)
			goto no_memory;
		*array = (struct ArrowArray){.length = t->rows,
					     .null_count = column->nulls,
					     .n_buffers = column->n_buffers,
					     .buffers = column->buffers,
					     .release = release_column,
					     .private_data = use(t)};
		ret->children[ret->n_children] = array;
		if (column->n_words >= 0 && add_words(t, column, array)) {
			ret->n_children++;
			goto no_memory;
		}
	}
	t->given = 1;
	return 0;
no_memory:
	release_batch(ret);
	return ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "there is no memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
	give_up(stream->private_data);
	stream->release = NULL;
}

/* -- the capsule -- */

#define CAPSULE "arrow_array_stream"

static void end_capsule(PyObject *capsule)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, CAPSULE);

	if (stream && stream->release)
		stream->release(stream);
	free(stream);
}

/* words: None, or how many there are and the addresses of their buffers. */
static int fill_words(struct column *column, PyObject *words)
{
	PyObject *addresses;
	long long n;

	column->n_words = -1;
	if (words == Py_None)
		return 0;
	if (!PyTuple_Check(words) || !PyArg_ParseTuple(words, "LO!", &n, &PyTuple_Type, &addresses))
		return -1;
	if (n < 0 || PyTuple_Size(addresses) != BUFFERS) {
		PyErr_SetString(PyExc_ValueError, "words are a number and three buffers");
		return -1;
	}
	for (Py_ssize_t i = 0; i < BUFFERS; i++)
		column->words[i] = PyLong_AsVoidPtr(PyTuple_GetItem(addresses, i));
	column->n_words = n;
	return PyErr_Occurred() ? -1 : 0;
}

static int fill_column(struct column *column, PyObject *item)
{
	PyObject *addresses, *owner, *words = Py_None;
	const char *name, *format;
	long long nulls;

	column->n_words = -1;
	if (!PyArg_ParseTuple(item, "ssLO!O|O", &name, &format, &nulls, &PyTuple_Type, &addresses, &owner, &words) ||
	    fill_words(column, words))
		return -1;
	column->n_buffers = PyTuple_Size(addresses);
	if (column->n_buffers > BUFFERS) {
		PyErr_SetString(PyExc_ValueError, "a column has at most three buffers");
		return -1;
	}
	for (Py_ssize_t i = 0; i < column->n_buffers; i++)
		column->buffers[i] = PyLong_AsVoidPtr(PyTuple_GetItem(addresses, i));
	column->nulls = nulls;
	column->name = strdup(name);
	column->format = strdup(format);
	if (!column->name || !column->format)
		PyErr_NoMemory();
	return PyErr_Occurred() ? -1 : 0;
}

PyObject *tscope_arrow_stream(PyObject *module, PyObject *args)
{
	struct ArrowArrayStream *stream;
	PyObject *columns, *capsule;
	struct table *t;
	Py_ssize_t n;
	long long rows;

	(void)module;
	if (!PyArg_ParseTuple(args, "LO!", &rows, &PyTuple_Type, &columns))
		return NULL;
	n = PyTuple_Size(columns);
	t = calloc(1, sizeof *t + (size_t)n * sizeof t->columns[0]);
	stream = calloc(1, sizeof *stream);
	if (!t || !stream) {
		free(t);
		free(stream);
		return PyErr_NoMemory();
	}
	t->rows = rows;
	t->uses = 1;
	Py_INCREF(columns);
	t->owners = columns;
	for (; t->n < n; t->n++) {
		PyObject *item = PyTuple_GetItem(columns, t->n);

		if (!PyTuple_Check(item) || fill_column(&t->columns[t->n], item)) {
			if (!PyErr_Occurred())
				PyErr_SetString(PyExc_TypeError, "a column is a tuple");
			t->n++;
			give_up(t);
			free(stream);
			return NULL;
		}
	}
	*stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, t};
	capsule = PyCapsule_New(stream, CAPSULE, end_capsule);
	if (!capsule) {
		release_stream(stream);
		free(stream);
	}
	return capsule;
}
