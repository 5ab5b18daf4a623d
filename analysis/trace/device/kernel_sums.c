#include "analysis/trace/device/kernel_sums.h"

#include "analysis/trace/device/kernel_table.h"
#include "analysis/trace/device/kernel_units.h"
#include "base/door.h"
#include "base/order.h"

const char *ts_sum_category_word(uint32_t category)
{
	if (category == TS_SUM_COPY)
		return "memcpy";
	return category == TS_SUM_FILL ? "memset" : ts_kernel_category_word((enum ts_kernel_category)category);
}

uint32_t ts_sum_category_of(const struct ts_trace *trace, size_t span)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	if (s->kind[span] == TS_TRACE_KERNEL)
		return (uint32_t)ts_kernel_category_in(trace, s->name[span]);
	return s->kind[span] == TS_TRACE_COPY ? TS_SUM_COPY : TS_SUM_FILL;
}

static void add(struct ts_kernel_sum *s, uint64_t duration, int64_t bytes)
{
	s->count++;
	s->sum_ns = s->sum_ns + duration < duration ? UINT64_MAX : s->sum_ns + duration;
	s->max_ns = duration > s->max_ns ? duration : s->max_ns;
	if (bytes > 0)
		s->bytes = s->bytes + (uint64_t)bytes < (uint64_t)bytes ? UINT64_MAX : s->bytes + (uint64_t)bytes;
}

TS_ORDER(longest_first, struct ts_kernel_sum, TS_DOWN(sum_ns); TS_DOWN(count); TS_UP(category); TS_TEXT(name))

/* Leaves those that occur, in order. */
static size_t settle(struct ts_kernel_sum *items, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (items[i].count)
			items[kept++] = items[i];
	TS_SORT(items, kept, longest_first);
	return kept;
}

static void say(struct ts_kernel_sum *io, const struct ts_trace *trace, uint8_t kind, uint32_t name)
{
	struct ts_kernel_told told;

	io->name = trace->names[name];
	io->category = kind == TS_TRACE_COPY ? TS_SUM_COPY : TS_SUM_FILL;
	if (kind != TS_TRACE_KERNEL)
		return;
	told = ts_kernel_told(trace, name);
	io->category = told.category;
	io->by = told.by;
	io->evidence = told.evidence;
	io->units = (uint8_t)ts_kernel_units(trace->names[name]);
}

enum ts_status ts_kernel_sums(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_sums *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_kernel_sums out = {0};
	struct ts_kernel_sum all = {0};

	TS_DOOR(ts_trace_holds(trace));
	out.categories = ts_arena_array(arena, TS_SUM_CATEGORIES, sizeof *out.categories);
	out.names = ts_arena_array(arena, trace->n_names, sizeof *out.names);
	if (!out.categories || !out.names)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < TS_SUM_CATEGORIES; i++)
		out.categories[i].category = i;
	for (size_t i = 0; i < s->n; i++) {
		struct ts_kernel_sum *name = &out.names[s->name[i]];

		if (!ts_trace_on_device(s->kind[i]))
			continue;
		if (!name->count)
			say(name, trace, s->kind[i], s->name[i]);
		add(name, (uint64_t)s->duration_ns[i], s->bytes[i]);
		add(&out.categories[name->category], (uint64_t)s->duration_ns[i], s->bytes[i]);
		add(&all, (uint64_t)s->duration_ns[i], 0);
	}
	out.sum_ns = all.sum_ns;
	out.n_categories = settle(out.categories, TS_SUM_CATEGORIES);
	out.n_names = settle(out.names, trace->n_names);
	TS_DOOR_SORTED(i, out.n_categories, out.categories[i - 1].sum_ns >= out.categories[i].sum_ns);
	TS_DOOR_SORTED(i, out.n_names, out.names[i - 1].sum_ns >= out.names[i].sum_ns);
	TS_DOOR_ALL(i, out.n_names, out.names[i].count && out.names[i].max_ns <= out.names[i].sum_ns);
	TS_DOOR_ALL(i, out.n_names, out.names[i].category < TS_SUM_CATEGORIES);
	*ret = out;
	return TS_OK;
}
