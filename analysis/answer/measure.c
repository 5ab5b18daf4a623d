#include "analysis/answer/measure.h"

#include "base/grow.h"

#include <assert.h>

enum { MEASURES_FIRST = 32 };

static struct ts_measure *measure_next(struct ts_measures *m, struct ts_arena *arena)
{
	if (!TS_GROW_IN(arena, m->items, m->cap, m->n + 1, MEASURES_FIRST))
		return NULL;
	return &m->items[m->n++];
}

/* Returns the subject of a row: the one that the table gives, or the name that fills its pattern. */
static struct ts_span subject_of(enum ts_measure_name what, struct ts_span of)
{
	if (ts_measure_is_kind(what))
		return of;
	assert(of.len == 0);
	return ts_span_str(ts_measure_specs[what].subject);
}

struct ts_measure ts_measure_row(enum ts_measure_name what, struct ts_span of)
{
	const struct ts_measure_spec *spec = &ts_measure_specs[what];

	return (struct ts_measure){
		.group = ts_answer_group_name(spec->group),
		.subject = subject_of(what, of),
		.name = ts_span_str(spec->name),
		.unit = spec->unit,
	};
}

bool ts_measures_hold(const struct ts_measures *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		if (row->group.len == 0 || row->subject.len == 0 || row->name.len == 0 || row->unit > TS_UNIT_TEXT)
			return false;
		if (row->known ? row->unit == TS_UNIT_TEXT && row->text.len == 0 : row->reason.len == 0)
			return false;
	}
	return m->n <= m->cap || !m->cap;
}

bool ts_measure_put(struct ts_measures *m, struct ts_arena *arena, const struct ts_measure *row)
{
	struct ts_measure *place = measure_next(m, arena);

	if (!place)
		return false;
	*place = *row;
	return true;
}

bool ts_measure_add(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
		    double value)
{
	struct ts_measure row = ts_measure_row(what, of);

	assert(row.unit != TS_UNIT_TEXT);
	row.known = true;
	row.value = value;
	return ts_measure_put(m, arena, &row);
}

bool ts_measure_unknown(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
			const char *reason)
{
	struct ts_measure row = ts_measure_row(what, of);

	row.reason = ts_span_str(reason);
	return ts_measure_put(m, arena, &row);
}

bool ts_measure_text(struct ts_measures *m, struct ts_arena *arena, enum ts_measure_name what, struct ts_span of,
		     struct ts_span text)
{
	struct ts_measure row = ts_measure_row(what, of);

	assert(row.unit == TS_UNIT_TEXT);
	row.known = true;
	row.text = text;
	return ts_measure_put(m, arena, &row);
}

bool ts_measure_in(const struct ts_measure *row, enum ts_answer_group group)
{
	return ts_span_eq(row->group, ts_answer_group_name(group));
}

bool ts_measure_is(const struct ts_measure *row, enum ts_measure_name what)
{
	const struct ts_measure_spec *spec = &ts_measure_specs[what];

	return row->unit == spec->unit && ts_measure_in(row, spec->group) && ts_measure_fits(spec->name, row->name) &&
	       ts_measure_fits(spec->subject, row->subject);
}

const struct ts_measure *ts_measure_find(const struct ts_measures *m, enum ts_measure_name what, struct ts_span of)
{
	struct ts_measure want = ts_measure_row(what, of);

	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		if (row->unit == want.unit && ts_span_eq(row->name, want.name) &&
		    ts_span_eq(row->subject, want.subject) && ts_span_eq(row->group, want.group))
			return row;
	}
	return NULL;
}

bool ts_measure_value(const struct ts_measures *m, enum ts_measure_name what, struct ts_span of, double *ret_value)
{
	const struct ts_measure *row = ts_measure_find(m, what, of);

	if (!row || !row->known || row->unit == TS_UNIT_TEXT)
		return false;
	*ret_value = row->value;
	return true;
}

const char *ts_measure_suffix(const struct ts_measure *row)
{
	if ((row->unit == TS_UNIT_COUNT && ts_span_is(row->name, "count")) ||
	    (row->unit == TS_UNIT_RATIO && ts_span_is(row->name, "ratio")) ||
	    (row->unit == TS_UNIT_SECONDS && ts_span_is(row->name, "seconds")))
		return "";
	return ts_unit_suffix(row->unit);
}
