#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "service/rpc/meter.h"

#include <stdio.h>

#include <cmocka.h>

static const char *const names[] = {"List", "Put", "unknown"};

struct printed {
	struct ts_buf text;
};

static const char *print(struct ts_meter *meter, struct printed *p)
{
	p->text = TS_BUF_INIT(1 << 20);
	ts_meter_print(meter, &p->text);
	assert_null(memmem(p->text.data, p->text.len, "caller", 6));
	ts_meter_print_callers(meter, &p->text);
	ts_buf_char(&p->text, '\0');
	assert_int_equal(p->text.failed, TS_OK);
	return (const char *)p->text.data;
}

static void assert_has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("there is no line %s in\n%s", line, text);
}

static struct ts_meter *create(void)
{
	struct ts_meter *meter;
	struct ts_error err;

	assert_int_equal(ts_meter_create(names, 3, &meter, &err), TS_OK);
	return meter;
}

static void calls_are_counted_by_method_and_status(void **state)
{
	struct ts_meter *meter = create();
	struct printed p;
	const char *text;

	(void)state;
	for (int i = 0; i < 3; i++)
		ts_meter_count(meter, &(struct ts_metered_call){
					      .method = 1, .caller = "ada", .duration_ns = 2000000, .bytes_in = 10, .bytes_out = 1});
	ts_meter_count(meter, &(struct ts_metered_call){.method = 1, .status = TS_DENIED, .caller = "bob", .duration_ns = 3000000000});
	text = print(meter, &p);
	assert_has(text, "\ntscoped_calls_total{method=\"Put\",status=\"ok\"} 3\n");
	assert_has(text, "\ntscoped_calls_total{method=\"Put\",status=\"denied\"} 1\n");
	assert_null(strstr(text, "tscoped_calls_total{method=\"List\""));
	/* 2 ms lie above the first bound and within the second; buckets count what lies below them, too. */
	assert_has(text, "\ntscoped_call_seconds_bucket{method=\"Put\",le=\"0.001\"} 0\n");
	assert_has(text, "\ntscoped_call_seconds_bucket{method=\"Put\",le=\"0.005\"} 3\n");
	assert_has(text, "\ntscoped_call_seconds_bucket{method=\"Put\",le=\"2\"} 3\n");
	assert_has(text, "\ntscoped_call_seconds_bucket{method=\"Put\",le=\"10\"} 4\n");
	assert_has(text, "\ntscoped_call_seconds_bucket{method=\"Put\",le=\"+Inf\"} 4\n");
	assert_has(text, "\ntscoped_call_seconds_sum{method=\"Put\"} 3.006\n");
	assert_has(text, "\ntscoped_call_seconds_count{method=\"Put\"} 4\n");
	assert_has(text, "\ntscoped_received_bytes_total{method=\"Put\"} 30\n");
	assert_has(text, "\ntscoped_sent_bytes_total{method=\"Put\"} 3\n");
	assert_has(text, "\ntscoped_caller_calls_total{caller=\"ada\"} 3\n");
	assert_has(text, "\ntscoped_caller_refused_total{caller=\"bob\"} 1\n");
	ts_buf_finish(&p.text);
	ts_meter_destroy(meter);
}

static void many_callers_do_not_grow_it(void **state)
{
	struct ts_meter *meter = create();
	struct printed p;
	const char *text;
	char name[32];

	(void)state;
	for (int i = 0; i < TS_METER_CALLERS + 50; i++) {
		(void)snprintf(name, sizeof name, "10.0.%d.%d:9", i / 256, i % 256);
		ts_meter_count(meter, &(struct ts_metered_call){.caller = name});
	}
	text = print(meter, &p);
	assert_has(text, "\ntscoped_caller_calls_total{caller=\"other\"} 50\n");
	assert_has(text, "\ntscoped_calls_total{method=\"List\",status=\"ok\"} 250\n");
	ts_buf_finish(&p.text);
	ts_meter_destroy(meter);
}

/* A name with a quote and a newline must not write lines of its own. */
static void a_label_stays_a_label(void **state)
{
	struct ts_meter *meter = create();
	struct printed p;
	const char *text;

	(void)state;
	ts_meter_count(meter, &(struct ts_metered_call){.caller = "a\"} 1\ntscoped_calls_total{x=\"\\\x01"});
	text = print(meter, &p);
	assert_has(text, "{caller=\"a\\\"} 1\\ntscoped_calls_total{x=\\\"\\\\\"} 1\n");
	ts_buf_finish(&p.text);
	ts_meter_destroy(meter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_counted_by_method_and_status),
		cmocka_unit_test(many_callers_do_not_grow_it),
		cmocka_unit_test(a_label_stays_a_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
