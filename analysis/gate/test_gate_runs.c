#include "analysis/gate/test_gate_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

struct ts_test_gate t;

const double ts_test_ten[10] = {1.004, 0.997, 1.006, 0.993, 1.001, 0.995, 1.008, 0.999, 1.003, 0.994};

int ts_test_gate_setup(void **state)
{
	struct ts_error err;

	(void)state;
	ts_arena_init(&t.arena, (size_t)64 << 20);
	t.input = (struct ts_gate_input){.runs = t.runs, .baseline = ts_span_str("main")};
	ts_gate_policy_default(&t.input.policy);
	assert_int_equal(ts_digest_init(&err), TS_OK);
	return 0;
}

int ts_test_gate_teardown(void **state)
{
	(void)state;
	ts_arena_finish(&t.arena);
	return 0;
}

struct ts_gate_run *ts_test_gate_put(enum ts_gate_role role)
{
	size_t at = t.input.n_runs++;
	struct ts_gate_run *run = &t.runs[at];

	assert_true(at < TS_TEST_GATE_ROOM);
	*run = (struct ts_gate_run){.role = role};
	(void)snprintf(t.names[at], sizeof t.names[at], "p/run%zu", at);
	(void)snprintf(t.sessions[at], sizeof t.sessions[at], "session%zu", at);
	run->name = ts_span_str(t.names[at]);
	run->workload.session = ts_span_str(t.sessions[at]);
	run->id.bytes[0] = (uint8_t)at;
	run->id.bytes[1] = (uint8_t)(at >> 8);
	run->reduction.time_source = ts_span_str("timestamps");
	for (int i = 0; i < TS_METRICS; i++)
		run->reduction.metrics[i].reason = ts_span_str("no column");
	return run;
}

void ts_test_gate_set(struct ts_gate_run *run, enum ts_metric metric, double value)
{
	run->reduction.metrics[metric] = (struct ts_reduced){.known = isfinite(value), .value = value};
}

struct ts_gate_row *ts_test_gate_judge(enum ts_metric metric)
{
	struct ts_error err = {0};

	if (ts_gate_judge(&t.input, &t.arena, &t.v, &err))
		fail_msg("%s", err.text);
	return &t.v.rows[metric];
}

bool ts_test_gate_holds(struct ts_span text, const char *part)
{
	return memmem(text.data, text.len, part, strlen(part)) != NULL;
}

size_t ts_test_gate_warned(const char *part)
{
	size_t n = 0;

	for (size_t i = 0; i < t.v.n_warnings; i++)
		n += ts_test_gate_holds(t.v.warnings[i], part);
	return n;
}
