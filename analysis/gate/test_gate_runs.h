/* test_gate_runs.h - what the tests of the gate share: runs in their roles, the judge, and what is said. */
#ifndef TSCOPE_ANALYSIS_GATE_TEST_GATE_RUNS_H
#define TSCOPE_ANALYSIS_GATE_TEST_GATE_RUNS_H

#include "analysis/gate/gate.h"

enum { TS_TEST_GATE_ROOM = 5000 };

struct ts_test_gate {
	struct ts_arena arena;
	struct ts_gate_input input; /* its runs are `runs` */
	struct ts_gate_run runs[TS_TEST_GATE_ROOM];
	char names[TS_TEST_GATE_ROOM][24];
	char sessions[TS_TEST_GATE_ROOM][24];
	struct ts_verdict v; /* of the last ts_test_gate_judge */
};

/* The only one, which ts_test_gate_setup empties. */
extern struct ts_test_gate t;

/* Ten values that scatter by 0.5 % around 1, written by hand. */
extern const double ts_test_ten[10];

/* Fixtures of cmocka: no runs, and the policy that holds without a file. */
int ts_test_gate_setup(void **state);
int ts_test_gate_teardown(void **state);
/* Adds a run named p/runN with a session and an id of its own, of which no metric is known. */
struct ts_gate_run *ts_test_gate_put(enum ts_gate_role role);
void ts_test_gate_set(struct ts_gate_run *run, enum ts_metric metric, double value); /* NaN: it is not known */
/* Judges all runs, and returns the row of a metric. */
struct ts_gate_row *ts_test_gate_judge(enum ts_metric metric);
/* The number of warnings that have this part. */
size_t ts_test_gate_warned(const char *part);
bool ts_test_gate_holds(struct ts_span text, const char *part);

#endif
