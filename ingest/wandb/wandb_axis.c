#include "ingest/wandb/wandb_axis.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/wandb/wandb_fields.h"
#include "ingest/wandb/wandb_item.h"

enum { NAMES_MAX = 65536 };

/* A series of the log. */
struct ts_wandb_drawn {
	uint64_t records; /* that have it */
	uint64_t over;	  /* values of series that are drawn over it */
	int64_t first;	  /* its first whole number */
	bool whole, other; /* it has whole numbers, and other values */
};

/* A declaration: series are drawn over `axis`. */
struct ts_wandb_declared {
	struct ts_span name; /* of a series, or how the names of several begin */
	struct ts_span axis;
	bool begin;
};

enum ts_status ts_wandb_axes_init(struct ts_wandb_axes *a, struct ts_arena *arena, struct ts_error *err)
{
	*a = (struct ts_wandb_axes){.arena = arena, .name = TS_BUF_INIT(2 * TS_TEXT_MAX)};
	ts_keys_init(&a->names, NAMES_MAX - 1);
	a->declared = ts_arena_array(arena, TS_WANDB_DECLARED_MAX, sizeof *a->declared);
	return a->declared ? TS_OK : ts_arena_error(arena, err);
}

void ts_wandb_axes_finish(struct ts_wandb_axes *a)
{
	ts_free(a->drawn);
	ts_keys_finish(&a->names);
	ts_buf_finish(&a->name);
}

/* --- what is declared --- */

/* The last declaration of a name counts. */
static enum ts_status declare(struct ts_wandb_axes *a, struct ts_span name, bool begin, struct ts_span axis, struct ts_error *err)
{
	struct ts_wandb_declared *d = a->declared;

	while (d < a->declared + a->n_declared && !(d->begin == begin && ts_span_eq(d->name, name)))
		d++;
	if (d == a->declared + TS_WANDB_DECLARED_MAX)
		return TS_OK;
	*d = (struct ts_wandb_declared){.name = ts_arena_span(a->arena, name),
					.axis = ts_arena_span(a->arena, axis),
					.begin = begin};
	if (!d->name.data || !d->axis.data)
		return ts_arena_error(a->arena, err);
	a->n_declared += d == a->declared + a->n_declared;
	return TS_OK;
}

enum ts_status ts_wandb_axes_metric(struct ts_wandb_axes *a, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	struct ts_span name = {NULL, 0}, glob = {NULL, 0}, axis = {NULL, 0};

	while (ts_pb_next(&pb, &f)) {
		if (f.wire != TS_PB_BYTES)
			continue;
		name = f.number == METRIC_NAME ? f.bytes : name;
		glob = f.number == METRIC_GLOB_NAME ? f.bytes : glob;
		axis = f.number == METRIC_STEP_METRIC ? f.bytes : axis;
	}
	if (!axis.len || (!name.len && !glob.len))
		return TS_OK;
	if (!glob.len)
		return declare(a, name, false, axis, err);
	/* The SDK allows a '*' at the end only. */
	return glob.data[glob.len - 1] == '*' ? declare(a, ts_span_of(glob.data, glob.len - 1), true, axis, err) : TS_OK;
}

/* --- what is logged --- */

/* Joins the parts of a name with dots in a->name, which is empty before the second. */
static struct ts_span longer_name(struct ts_wandb_axes *a, struct ts_span name, struct ts_span part)
{
	if (a->name.len == 0)
		ts_buf_span(&a->name, name);
	ts_buf_char(&a->name, '.');
	ts_buf_span(&a->name, part);
	return ts_buf_view(&a->name);
}

/* Reads an item: its name, which is its key or its nested keys with dots between them, and its value. */
static bool read_item(struct ts_wandb_axes *a, struct ts_span message, struct ts_span *ret_name, struct ts_wandb_value *ret_value)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	struct ts_span name = {NULL, 0};
	bool any = false;

	*ret_value = (struct ts_wandb_value){.has_text = false};
	ts_buf_reset(&a->name);
	while (ts_pb_next(&pb, &f)) {
		if (f.wire != TS_PB_BYTES || (f.number != ITEM_KEY && f.number != ITEM_NESTED_KEY)) {
			ts_wandb_value_take(ret_value, &f);
			continue;
		}
		name = any ? longer_name(a, name, f.bytes) : f.bytes;
		any = true;
	}
	a->no_memory |= a->name.failed == TS_NO_MEMORY;
	*ret_name = name;
	return name.len > 0 && name.data[0] != '_' && !pb.broken && !a->name.failed;
}

/* The series of that name; NULL if there are too many, or no memory. */
static struct ts_wandb_drawn *series_of(struct ts_wandb_axes *a, struct ts_span name)
{
	uint32_t key = ts_keys_get(&a->names, TS_KEY_ROOT, name);

	if (key != TS_KEY_NONE && TS_GROW(a->drawn, a->cap, (size_t)key + 1, 64))
		return &a->drawn[key];
	a->no_memory |= key != TS_KEY_NONE || a->names.no_memory;
	return NULL;
}

/* Once a series has another value it is no axis, and its further values are not read. */
static void take_value(struct ts_wandb_drawn *s, const struct ts_wandb_value *value)
{
	int64_t step;

	s->records++;
	if (s->other)
		return;
	if (!ts_wandb_value_whole(value, &step)) {
		s->other = true;
		return;
	}
	if (!s->whole)
		s->first = step;
	s->whole = true;
}

static enum ts_status check(const struct ts_wandb_axes *a, struct ts_error *err)
{
	return a->no_memory ? ts_error_set(err, TS_NO_MEMORY, "out of memory for names") : TS_OK;
}

enum ts_status ts_wandb_axes_steps(struct ts_wandb_axes *a, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	struct ts_wandb_value value;
	struct ts_span name;

	a->records++;
	while (ts_pb_next(&pb, &f)) {
		struct ts_wandb_drawn *s = NULL;

		if (f.number == HISTORY_ITEM && f.wire == TS_PB_BYTES && read_item(a, f.bytes, &name, &value))
			s = series_of(a, name);
		if (s)
			take_value(s, &value);
	}
	return check(a, err);
}

/* --- the choice --- */

static bool is_axis(const struct ts_wandb_axes *a, struct ts_span name)
{
	for (size_t i = 0; i < a->n_declared; i++)
		if (ts_span_eq(a->declared[i].axis, name))
			return true;
	return false;
}

/* A declaration of the whole name counts more than one of its beginning, and of these the longer one. */
static const struct ts_wandb_declared *declared_for(const struct ts_wandb_axes *a, struct ts_span name)
{
	const struct ts_wandb_declared *best = NULL;

	for (size_t i = 0; i < a->n_declared; i++) {
		const struct ts_wandb_declared *d = &a->declared[i];

		if (d->begin ? !ts_span_starts(name, d->name) : !ts_span_eq(name, d->name))
			continue;
		if (!best || (!d->begin && best->begin) || (d->begin == best->begin && d->name.len > best->name.len))
			best = d;
	}
	return best;
}

/* Counts the values that are drawn over each axis. Returns how many are drawn over none. */
static uint64_t weigh(struct ts_wandb_axes *a)
{
	uint64_t none = 0;

	for (uint32_t key = 1, n = a->names.n; key < n; key++) {
		struct ts_span name = ts_key_at(&a->names, key)->text;
		const struct ts_wandb_declared *d = declared_for(a, name);
		struct ts_wandb_drawn *axis = d ? series_of(a, d->axis) : NULL;

		if (is_axis(a, name))
			continue;
		*(axis && axis->records ? &axis->over : &none) += a->drawn[key].records;
	}
	return none;
}

/* The series whose name says that it counts the steps of the whole training, as the integrations of Lightning and Hugging Face log it,
 * and that is in at least half of the records; TS_KEY_NONE: there is none. */
static uint32_t named_axis(const struct ts_wandb_axes *a)
{
	size_t least = TS_LOG_AXIS_NONE;
	uint32_t best = TS_KEY_NONE;

	for (uint32_t key = 1; key < a->names.n && !a->no_memory; key++) {
		struct ts_span name = ts_key_at(&a->names, key)->text;
		const struct ts_wandb_drawn *s = &a->drawn[key];

		if (!ts_log_axis_is_global(name) || ts_log_axis_rank(name) >= least || !s->whole || s->other ||
		    2 * s->records < a->records)
			continue;
		least = ts_log_axis_rank(name);
		best = key;
	}
	return best;
}

/* The key of the axis; TS_KEY_NONE: _step. */
static uint32_t choose(struct ts_wandb_axes *a)
{
	uint64_t most = weigh(a);
	uint32_t best = TS_KEY_NONE;

	for (uint32_t key = 1; key < a->names.n && !a->no_memory; key++)
		if (a->drawn[key].over && a->drawn[key].over >= most) {
			most = a->drawn[key].over + 1;
			best = key;
		}
	return best == TS_KEY_NONE && !a->n_declared ? named_axis(a) : best;
}

enum ts_status ts_wandb_axes_choose(struct ts_wandb_axes *a, struct ts_wandb_axis *ret_axis, struct ts_error *err)
{
	uint32_t key = choose(a);
	struct ts_span name = {NULL, 0};

	if (check(a, err))
		return err->status;
	*ret_axis = (struct ts_wandb_axis){.first = 0};
	if (key == TS_KEY_NONE)
		return TS_OK;
	name = ts_arena_span(a->arena, ts_key_at(&a->names, key)->text);
	if (!name.data)
		return ts_arena_error(a->arena, err);
	if (a->drawn[key].other)
		ret_axis->refused = name;
	else
		*ret_axis = (struct ts_wandb_axis){.name = name, .first = a->drawn[key].first};
	return TS_OK;
}
