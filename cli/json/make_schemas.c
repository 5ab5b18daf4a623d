/* make_schemas.c - prints the definitions of docs/schemas that tables make: an object of verbs, each an object of definitions.
 * tests/cli/run.py holds the schemas to it, and writes them with --update. */
#include "cli/gate/gate_json.h"
#include "cli/json/json_diff.h"
#include "cli/json/json_names.h"
#include "cli/json/json_show.h"
#include "proto/shape/shapes.h"

#include <stdio.h>

enum { MOST = 8 };

/* The answers that are made from tables. A schema names them in its oneOf. */
static const struct {
	const char *verb;
	const struct ts_shape *shapes[MOST];
} verbs[] = {
	{"diff",
	 {&ts_shape_diff_answer, &ts_shape_matrix_answer, &ts_shape_trace_diff, &ts_shape_trace_ranks, &ts_shape_memory_diff,
	  &ts_shape_memory_diffs}},
	{"check-resume", {&ts_shape_resume}},
	{"check-determinism", {&ts_shape_determinism}},
	{"gate", {&ts_shape_gate_answer, &ts_shape_repro}},
	{"golden", {&ts_shape_golden}},
	{"baseline", {&ts_shape_baseline_answer}},
	{"analyze", {&ts_shape_analysis, &ts_shape_trace, &ts_shape_trace_job, &ts_shape_memory, &ts_shape_moment}},
	{"plot", {&ts_shape_chart}},
	{"timeline", {&ts_shape_lanes}},
	{"trend", {&ts_shape_trend}},
	{"scaling", {&ts_shape_worlds}},
	{"compare", {&ts_shape_comparison}},
	{"why", {&ts_shape_why}},
	{"reproduce", {&ts_shape_reproduced}},
	{"bisect", {&ts_shape_bisected}},
	{"show", {&ts_shape_show_answer, &ts_shape_moment}},
	{"name", {&ts_shape_ref_reply}},
	{"tag", {&ts_shape_ref_reply}},
	{"log", {&ts_shape_log_reply}},
	{"note", {&ts_shape_notes_answer}},
	{"rm", {&ts_shape_removed_answer}},
	{"restore", {&ts_shape_removed_reply, &ts_shape_restore_reply}},
	{"token", {&ts_shape_tokens_reply}},
	{"projects", {&ts_shape_usage_reply}},
	{"gc", {&ts_shape_retain_reply}},
};

static size_t count(const struct ts_shape *const shapes[MOST])
{
	size_t n = 1;

	while (n < MOST && shapes[n])
		n++;
	return n;
}

int main(void)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_json json = ts_json_of(&out);

	ts_json_object(&json);
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		ts_json_key(&json, verbs[i].verb);
		ts_json_object(&json);
		ts_shape_schema(verbs[i].shapes, count(verbs[i].shapes), &json);
		ts_json_end(&json);
	}
	ts_json_end(&json);
	printf("%.*s\n", TS_SPAN_ARG(ts_buf_view(&out)));
	ts_buf_finish(&out);
	return 0;
}
