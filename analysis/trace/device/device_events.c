#include "analysis/trace/device/device_events.h"

#include "analysis/trace/device/kernel_table.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/scratch.h"

/* --- sorting --- */

typedef bool before_fn(const struct ts_device_event *a, const struct ts_device_event *b); /* inlined: sort is compiled once for each */

static bool begins_before(const struct ts_device_event *a, const struct ts_device_event *b)
{
	return a->begin < b->begin;
}

static bool nests_before(const struct ts_device_event *a, const struct ts_device_event *b)
{
	if (a->group != b->group)
		return a->group < b->group;
	if (a->begin != b->begin)
		return a->begin < b->begin;
	return a->end != b->end ? a->end > b->end : a->class < b->class;
}

static inline void merge(const struct ts_device_event *from, size_t low, size_t middle, size_t high, struct ts_device_event *to,
			 before_fn *before)
{
	size_t a = low, b = middle;

	for (size_t i = low; i < high; i++)
		to[i] = b == high || (a < middle && !before(&from[b], &from[a])) ? from[a++] : from[b++];
}

/* The end of the run that begins at i. */
static inline size_t run_end(const struct ts_device_event *w, size_t n, size_t i, before_fn *before)
{
	i++;
	while (i < n && !before(&w[i], &w[i - 1]))
		i++;
	return i;
}

/* Merges runs until there is one: stable, and as fast as it can be for events that are in order but for some. spare has n, too. */
static inline __attribute__((always_inline)) void sort(struct ts_device_event *w, size_t n, struct ts_device_event *spare,
						       before_fn *before)
{
	struct ts_device_event *from = w, *to = spare;
	size_t runs = 2;

	while (runs > 1) {
		runs = 0;
		for (size_t low = 0; low < n; runs++) {
			size_t middle = run_end(from, n, low, before);
			size_t high = middle < n ? run_end(from, n, middle, before) : n;

			merge(from, low, middle < n ? middle : n, high, to, before);
			low = high;
		}
		struct ts_device_event *swap = from;

		from = to;
		to = swap;
	}
	if (from != w)
		memcpy(w, from, n * sizeof *w);
}

void ts_device_events_by_begin(struct ts_device_event *w, size_t n, struct ts_device_event *spare)
{
	sort(w, n, spare, begins_before);
}

/* Goes through from in order, and puts each event behind the last one of its digit. */
static void by_digit(const struct ts_device_event *from, size_t n, unsigned shift, struct ts_device_event *to)
{
	size_t ends[256] = {0}, before = 0;

	for (size_t i = 0; i < n; i++)
		ends[from[i].group >> shift & 0xff]++;
	for (size_t d = 0; d < 256; d++) {
		size_t here = ends[d];

		ends[d] = before;
		before += here;
	}
	for (size_t i = 0; i < n; i++)
		to[ends[from[i].group >> shift & 0xff]++] = from[i];
}

/* By the digits of 8 bits in which the groups differ, from the lowest on: streams, threads and steps differ in one or two. */
void ts_device_events_by_group(struct ts_device_event *w, size_t n, struct ts_device_event *spare)
{
	struct ts_device_event *from = w, *to = spare;
	bool in_order = true;
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++) {
		differ |= w[i].group ^ w[0].group;
		in_order &= w[i].group >= w[i - 1].group;
	}
	for (unsigned shift = 0; shift < 64 && !in_order; shift += 8) {
		struct ts_device_event *swap = from;

		if (!(differ >> shift & 0xff))
			continue;
		by_digit(from, n, shift, to);
		from = to;
		to = swap;
	}
	if (from != w)
		memcpy(w, from, n * sizeof *w);
	TS_DOOR_SORTED(i, n, w[i - 1].group <= w[i].group);
}

void ts_device_events_by_nesting(struct ts_device_event *w, size_t n, struct ts_device_event *spare)
{
	sort(w, n, spare, nests_before);
}

/* --- what the events are --- */

enum { NOT_YET = 0xff };

static uint8_t class_of(const struct ts_trace *trace, size_t row, uint8_t *categories)
{
	uint32_t name = trace->rows.spans.name[row];

	if (trace->rows.spans.kind[row] == TS_TRACE_COPY)
		return TS_PART_MEMORY;
	if (trace->rows.spans.kind[row] == TS_TRACE_FILL)
		return TS_PART_COMPUTATION;
	if (categories[name] == NOT_YET)
		categories[name] = (uint8_t)ts_kernel_category_in(trace, name);
	return categories[name] == TS_KERNEL_COMMUNICATION ? TS_PART_COMMUNICATION : TS_PART_COMPUTATION;
}

enum ts_status ts_device_events(const struct ts_trace *trace, struct ts_arena *arena, struct ts_device_event **ret, size_t *ret_n,
				struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *categories = ts_arena_alloc(arena, trace->n_names + 1);
	struct ts_device_event *w;
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	for (size_t i = 0; i < s->n; i++)
		n += ts_trace_on_device(s->kind[i]);
	w = ts_scratch_array(arena, n, sizeof *w);
	if (!w || !categories)
		return ts_arena_error(arena, err);
	memset(categories, NOT_YET, trace->n_names + 1);
	*ret = w;
	*ret_n = n;
	for (size_t i = 0; i < s->n; i++) {
		if (!ts_trace_on_device(s->kind[i]))
			continue;
		*w = (struct ts_device_event){.begin = s->start_ns[i], .end = s->start_ns[i] + s->duration_ns[i], .row = (uint32_t)i};
		w->class = class_of(trace, i, categories);
		if (w->class == TS_PART_COMMUNICATION)
			w->collective = (uint8_t)ts_kernel_collective(trace->names[s->name[i]], trace->names[s->collective[i]]);
		w++;
	}
	TS_DOOR_ALL(i, n, (*ret)[i].begin <= (*ret)[i].end && (*ret)[i].row < s->n);
	return TS_OK;
}

/* --- launches --- */

enum ts_status ts_launches_find(const struct ts_trace *trace, struct ts_arena *arena, struct ts_launches *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *spare;
	struct ts_arena scratch;
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_RUNTIME && s->correlation[i] != TS_TRACE_NONE;
	ret->items = ts_scratch_array(arena, n, sizeof *ret->items);
	if (!ret->items)
		return ts_arena_error(arena, err);
	ts_scratch_init(&scratch, arena);
	spare = ts_scratch_array(&scratch, n, sizeof *spare);
	if (!spare) {
		(void)ts_arena_error(&scratch, err);
		ts_arena_finish(&scratch);
		return err->status;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_RUNTIME && s->correlation[i] != TS_TRACE_NONE)
			ret->items[ret->n++] = (struct ts_device_event){.begin = s->start_ns[i],
									.end = s->start_ns[i] + s->duration_ns[i],
									.group = (uint64_t)s->correlation[i],
									.row = (uint32_t)i};
	ts_device_events_by_group(ret->items, ret->n, spare);
	ts_arena_finish(&scratch);
	return TS_OK;
}

const struct ts_device_event *ts_launch_of(struct ts_launches *l, uint64_t correlation)
{
	size_t low = 0;

	if (l->last + 1 < l->n && l->items[l->last + 1].group == correlation && l->items[l->last].group != correlation)
		return &l->items[++l->last];
	TS_BISECT(low, l->n, i, l->items[i].group < correlation);
	if (low == l->n || l->items[low].group != correlation)
		return NULL;
	l->last = low;
	return &l->items[low];
}
