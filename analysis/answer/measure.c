#include "analysis/answer/measure.h"

enum { MEASURES_FIRST = 32 };

static struct ts_measure *measure_next(struct ts_measures *m, struct ts_arena *arena)
{
	if (m->n == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : MEASURES_FIRST;
		struct ts_measure *items = ts_arena_array(arena, cap, sizeof *items);

		if (!items)
			return NULL;
		if (m->n)
			memcpy(items, m->items, m->n * sizeof *items);
		m->items = items;
		m->cap = cap;
	}
	return &m->items[m->n++];
}

static bool put(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject, const char *name,
		struct ts_measure row)
{
	struct ts_measure *place = measure_next(m, arena);

	if (!place)
		return false;
	row.group = ts_span_str(group);
	row.subject = subject;
	row.name = ts_span_str(name);
	*place = row;
	return true;
}

bool ts_measure_add(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject,
		    const char *name, enum ts_unit unit, double value)
{
	return put(m, arena, group, subject, name, (struct ts_measure){.unit = unit, .known = true, .value = value});
}

bool ts_measure_unknown(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject,
			const char *name, enum ts_unit unit, const char *reason)
{
	return put(m, arena, group, subject, name, (struct ts_measure){.unit = unit, .reason = ts_span_str(reason)});
}

bool ts_measure_text(struct ts_measures *m, struct ts_arena *arena, const char *group, struct ts_span subject,
		     const char *name, struct ts_span text)
{
	return put(m, arena, group, subject, name, (struct ts_measure){.unit = TS_UNIT_TEXT, .known = true, .text = text});
}

/* "best" or, with its unit, "best_step". */
static bool name_is(const struct ts_measure *row, const char *name)
{
	struct ts_span want = ts_span_str(name);
	struct ts_span suffix = ts_span_str(ts_unit_suffix(row->unit));

	if (ts_span_eq(row->name, want))
		return true;
	return want.len == row->name.len + suffix.len && ts_span_starts(want, row->name) &&
	       ts_span_eq(ts_span_of(want.data + row->name.len, suffix.len), suffix);
}

const struct ts_measure *ts_measure_find(const struct ts_measures *m, const char *group, const char *subject,
					 const char *name)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		if (ts_span_is(row->group, group) && ts_span_is(row->subject, subject) && name_is(row, name))
			return row;
	}
	return NULL;
}

bool ts_measure_value(const struct ts_measures *m, const char *group, const char *subject, const char *name,
		      double *ret_value)
{
	const struct ts_measure *row = ts_measure_find(m, group, subject, name);

	if (!row || !row->known || row->unit == TS_UNIT_TEXT)
		return false;
	*ret_value = row->value;
	return true;
}

const char *ts_unit_suffix(enum ts_unit unit)
{
	switch (unit) {
	case TS_UNIT_NONE:
		return "";
	case TS_UNIT_SECONDS:
		return "_s";
	case TS_UNIT_BYTES:
		return "_bytes";
	case TS_UNIT_RATIO:
		return "_ratio";
	case TS_UNIT_PER_SECOND:
		return "_per_s";
	case TS_UNIT_STEP:
		return "_step";
	case TS_UNIT_COUNT:
		return "_count";
	case TS_UNIT_BYTES_PER_STEP:
		return "_bytes_per_step";
	case TS_UNIT_FLOPS:
		return "_flops";
	case TS_UNIT_FLOPS_PER_S:
		return "_flops_per_s";
	case TS_UNIT_TEXT:
		return "";
	}
	return "";
}
