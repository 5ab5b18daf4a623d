/* test_words.h - for tests: finds rows by the words that JSON has, so that expected values do not come from the table under
 * test.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_TEST_WORDS_H
#define TSCOPE_ANALYSIS_ANSWER_TEST_WORDS_H

#include "analysis/answer/measure.h"

static inline bool test_span_is_two(struct ts_span text, struct ts_span a, const char *b)
{
	struct ts_span end = ts_span_str(b);

	return text.len == a.len + end.len && ts_span_starts(text, a) &&
	       ts_span_eq(ts_span_of(text.data + a.len, end.len), end);
}

/* The first row with these words; the name may have the suffix of its unit ("best" is the value, "best_step" its step). NULL
 * if there is none. */
static inline const struct ts_measure *test_find(const struct ts_measures *m, const char *group, const char *subject,
						 const char *name)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		if (ts_span_is(row->group, group) && ts_span_is(row->subject, subject) &&
		    (ts_span_is(row->name, name) ||
		     test_span_is_two(ts_span_str(name), row->name, ts_unit_suffix(row->unit))))
			return row;
	}
	return NULL;
}

/* The value of that row; false if there is no such row, it is not known, or it is a text. */
static inline bool test_value(const struct ts_measures *m, const char *group, const char *subject, const char *name,
			      double *ret_value)
{
	const struct ts_measure *row = test_find(m, group, subject, name);

	if (!row || !row->known || row->unit == TS_UNIT_TEXT)
		return false;
	*ret_value = row->value;
	return true;
}

/* How many letters of a pattern are fixed: 5 of "rank <K>", 4 of "step". */
static inline size_t test_said(const char *pattern)
{
	const char *open = strchr(pattern, '<');

	return open ? strlen(pattern) - (size_t)(strchr(open, '>') + 1 - open) : strlen(pattern);
}

/* The measure that a row is. If several fit, it is the one with most fixed letters, so that "step" is the step and not a
 * phase of that name. TS_MEASURE_NAMES if the table has no such measure. */
static inline enum ts_measure_name test_measure_of(const struct ts_measure *row)
{
	enum ts_measure_name best = TS_MEASURE_NAMES;
	size_t most = 0;

	for (int what = 0; what < TS_MEASURE_NAMES; what++) {
		const struct ts_measure_spec *spec = &ts_measure_specs[what];
		size_t said = test_said(spec->subject) + test_said(spec->name) + 1;

		if (ts_measure_is(row, (enum ts_measure_name)what) && said > most) {
			best = (enum ts_measure_name)what;
			most = said;
		}
	}
	return best;
}

/* Makes an unknown row from its words; the key has the suffix of the unit ("mean_s", "ratio"). False if the table has no such
 * measure. */
static inline bool test_row_of(const char *group, const char *subject, const char *key, bool text,
			       struct ts_measure *ret_row)
{
	struct ts_measure row = {.group = ts_span_str(group), .subject = ts_span_str(subject)};

	for (int what = 0; what < TS_MEASURE_NAMES; what++) {
		row.name = ts_span_str(ts_measure_specs[what].name);
		row.unit = ts_measure_specs[what].unit;
		if ((!text || row.unit == TS_UNIT_TEXT) && ts_measure_is(&row, (enum ts_measure_name)what) &&
		    test_span_is_two(ts_span_str(key), row.name, ts_measure_suffix(&row))) {
			*ret_row = row;
			return true;
		}
	}
	return false;
}

#endif
