#include "ingest/recording/columns.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/text.h"

/* The key under which a record of steps.jsonl has the columns of a kind; "": they stand there by themselves; NULL: they are none. */
static const char *const prefixes[] = {
	[TSCOPE_PHASE] = "phases",
	[TSCOPE_DEVICE_PHASE] = "phases",
	[TSCOPE_REGION] = "regions",
	[TSCOPE_NUMBER] = "scalars",
	[TSCOPE_MEMORY] = "memory",
	[TSCOPE_AMOUNT] = "",
	[TSCOPE_DIGEST] = "digests",
	[TSCOPE_EVENT] = NULL,
};

/* What a record of steps.jsonl has under these keys is no number of the run's own. */
static const char *const taken[] = {"step", "timestamp", "phases", "regions", "scalars", "memory", "digests", "tags"};

void ts_declared_init(struct ts_declared *d)
{
	*d = (struct ts_declared){.n = 0};
	ts_arena_init(&d->names, 0);
}

void ts_declared_finish(struct ts_declared *d)
{
	ts_free(d->items);
	ts_arena_finish(&d->names);
	*d = (struct ts_declared){.n = 0};
}

static enum ts_status make_room(struct ts_declared *d, size_t number, struct ts_error *err)
{
	return TS_GROW(d->items, d->n, number + 1, 64) ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for columns");
}

/* The path of a column of steps; empty if it would be too long. */
static struct ts_span path_of(struct ts_declared *d, enum tscope_kind kind, struct ts_span name)
{
	struct ts_buf path = TS_BUF_INIT(TS_PATH_MAX);
	struct ts_span kept = {NULL, 0};

	ts_buf_str(&path, prefixes[kind]);
	ts_path_key(&path, name);
	if (kind == TSCOPE_AMOUNT && ts_span_is(name, "segment"))
		ts_buf_str(&path, "[0]");
	if (path.failed != TS_TOO_LARGE)
		kept = ts_arena_span(&d->names, ts_buf_view(&path));
	if (path.failed == TS_NO_MEMORY)
		d->names.failed = true;
	ts_buf_finish(&path);
	return kept;
}

static const char *refusal(enum tscope_kind kind, struct ts_span name)
{
	if (kind < TSCOPE_PHASE || kind > TSCOPE_EVENT)
		return "a column of a kind that this version of tscope does not know";
	if (name.len == 0)
		return "a column without a name";
	if (!ts_utf8_valid(name))
		return "a column whose name is not UTF-8";
	for (size_t i = 0; kind == TSCOPE_AMOUNT && i < sizeof taken / sizeof taken[0]; i++)
		if (ts_span_is(name, taken[i]))
			return "an amount whose name means something else in a record";
	return NULL;
}

enum ts_status ts_declared_add(struct ts_declared *d, const uint8_t *frame, const char **ret_why, struct ts_error *err)
{
	uint32_t number = ts_frame_u16(frame, TS_FRAME_COLUMN_COLUMN);
	enum tscope_kind kind = (enum tscope_kind)frame[TS_FRAME_COLUMN_KIND];
	struct ts_span name = ts_span_of(frame + TS_FRAME_COLUMN_NAME, frame[TS_FRAME_COLUMN_LENGTH]);
	struct ts_declared_column *column;

	*ret_why = number ? refusal(kind, name) : "a column with the number 0";
	if (*ret_why)
		return TS_OK;
	if (make_room(d, number, err))
		return err->status;
	column = &d->items[number];
	if (column->kind) {
		if (column->kind != kind || !ts_span_eq(column->name, name))
			*ret_why = "a number that another column has";
		return TS_OK;
	}
	*column = (struct ts_declared_column){.kind = kind, .name = ts_arena_span(&d->names, name)};
	if (prefixes[kind])
		column->path = path_of(d, kind, name);
	if (d->names.failed)
		return ts_arena_error(&d->names, err);
	column->refused = prefixes[kind] && !column->path.len;
	if (column->refused)
		*ret_why = "a column whose name is too long";
	return TS_OK;
}

TS_ORDER_OF_POINTERS(by_path, struct ts_declared_column, TS_TEXT(path); TS_BY(a, b))

enum ts_status ts_declared_settle(struct ts_declared *d, size_t *ret_refused, struct ts_span *ret_first, struct ts_error *err)
{
	struct ts_declared_column **all;
	size_t n = 0, refused = 0;

	*ret_refused = 0;
	if (!d->n)
		return TS_OK;
	all = ts_alloc_array(d->n, sizeof *all);
	if (!all)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for columns");
	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].kind && d->items[i].path.len && !d->items[i].refused)
			all[n++] = &d->items[i];
	TS_SORT(all, n, by_path);
	for (size_t i = 1; i < n; i++)
		if (ts_span_eq(all[i]->path, all[i - 1]->path)) {
			all[i]->refused = true;
			if (refused++ == 0)
				*ret_first = all[i]->path;
		}
	ts_free(all);
	*ret_refused = refused;
	return TS_OK;
}
