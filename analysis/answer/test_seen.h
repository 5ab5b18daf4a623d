/* test_seen.h - for tests of analyses: checks that every measure of the table is produced by some scenario.
 *
 * A test gives each answer that it gets to test_seen, and ends with test_seen_all for its group, which names the measures
 * that no scenario produced. There is one record for the whole test program.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_TEST_SEEN_H
#define TSCOPE_ANALYSIS_ANSWER_TEST_SEEN_H

#include "analysis/answer/test_words.h"

#include <stdio.h>

static bool test_seen_names[TS_MEASURE_NAMES];

/* Records the measures of an answer. If the table lacks one of them, prints it and returns false. */
static inline bool test_seen(const struct ts_measures *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];
		enum ts_measure_name what = test_measure_of(row);

		if (what == TS_MEASURE_NAMES) {
			(void)fprintf(stderr, "not in measures.inc: %.*s %.*s %.*s%s\n", TS_SPAN_ARG(row->group),
				      TS_SPAN_ARG(row->subject), TS_SPAN_ARG(row->name), ts_measure_suffix(row));
			return false;
		}
		test_seen_names[what] = true;
	}
	return true;
}

/* True if all measures of a group were seen, except those in `elsewhere` (which ends with TS_MEASURE_NAMES; may be NULL),
 * which another test produces. Prints each missing one. */
static inline bool test_seen_all(enum ts_answer_group group, const enum ts_measure_name *elsewhere)
{
	bool all = true;

	for (int what = 0; what < TS_MEASURE_NAMES; what++) {
		const struct ts_measure_spec *spec = &ts_measure_specs[what];
		bool excused = false;

		for (const enum ts_measure_name *e = elsewhere; e && *e != TS_MEASURE_NAMES; e++)
			excused |= *e == (enum ts_measure_name)what;
		if (spec->group != group || excused || test_seen_names[what])
			continue;
		(void)fprintf(stderr, "no scenario makes: %.*s %s %s%s\n", TS_SPAN_ARG(ts_answer_group_name(group)),
			      spec->subject, spec->name, ts_unit_suffix(spec->unit));
		all = false;
	}
	return all;
}

#endif
