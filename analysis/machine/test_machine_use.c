/* Checks machine_use.h by tables whose sums were made by hand, and memory_rise.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/machine/machine_use.h"
#include "analysis/machine/memory_rise.h"
#include "base/buf.h"

static struct ts_arena arena;
static struct ts_measures rows;

static int begin(void **unused)
{
	(void)unused;
	ts_arena_init(&arena, 0);
	rows = (struct ts_measures){.n = 0};
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	ts_arena_finish(&arena);
	return 0;
}

static void use(const char *text)
{
	struct ts_machine_rows table;
	struct ts_error err;

	assert_int_equal(ts_machine_read(ts_span_str(text), &arena, &table, &err), TS_OK);
	assert_int_equal(ts_machine_use(&table, &arena, &rows, &err), TS_OK);
	assert_true(test_seen(&rows));
}

static void is(enum ts_measure_name what, const char *of, double expected)
{
	double value = -1;

	assert_true(ts_measure_value(&rows, what, ts_measure_is_kind(what) ? ts_span_str(of) : TS_NO_SUBJECT, &value));
	if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("%s %s: %.12g, expected %.12g", ts_measure_specs[what].subject, ts_measure_specs[what].name, value, expected);
}

/* A row counts for the time since the row before: 3 of (1 s, 1), (1 s, 3), (8 s, 0.5) are 8 core seconds over 10. */
static void test_means_are_over_time(void **unused)
{
	(void)unused;
	use("seconds,cpu_cores,cpu_steal\n1,1,\n2,3,0.5\n10,0.5,\n");
	is(TS_M_MACHINE_CORES, "cores", 0.8);
	is(TS_M_MACHINE_STOLEN, "cores", 0.5); /* where it is known */
	is(TS_M_MACHINE_COUNT, "observations", 3);
	is(TS_M_MACHINE_SPAN, "observations", 10);
	assert_null(ts_measure_find(&rows, TS_M_MACHINE_SWAPS, TS_NO_SUBJECT)); /* not known is no zero */
	assert_null(ts_measure_find(&rows, TS_M_MACHINE_WORKERS, TS_NO_SUBJECT));
}

/* The first of ten rows does not count in means, and does in what is most. */
static void test_the_beginning_is_left_out(void **unused)
{
	(void)unused;
	use("seconds,cpu_waiting,memory_bytes,swapped_pages_per_s\n1,1,900,9\n2,0,1,0\n3,0,1,0\n4,0,1,100\n5,0,1,99\n6,0,1,0\n7,0,1,"
	    "0\n8,0,1,0\n"
	    "9,0.9,1,0\n10,0,1,800\n");
	is(TS_M_MACHINE_CPU_PRESSURE, "pressure", 0.1);
	is(TS_M_MACHINE_MEMORY, "memory", 900);
	is(TS_M_MACHINE_SWAPS, "swap", 2.0 / 9);
	is(TS_M_MACHINE_SWAPPED, "swap", 111);
}

static const char gpus[] =
	"seconds,gpu0_busy,gpu0_sm_clock_mhz,gpu0_temperature_c,gpu0_power_limit_w,gpu1_busy,gpu1_sm_clock_mhz,gpu1_temperature_c,"
	"gpu1_power_limit_w,gpu2_busy,gpu2_sm_clock_mhz,gpu2_temperature_c,gpu2_power_limit_w,gpu3_busy,gpu3_sm_clock_mhz,gpu0_xid,"
	"gpu0_ecc_uncorrected,gpu0_memory_bytes\n"
	"1,1,1000,60,400,1,2000,70,700,1,1900,50,700,0,210,0,1,5\n"
	"2,0.2,9000,10,400,1,2000,70,700,1,1900,50,700,0,210,31,2,7\n"
	"3,1,1200,62,400,1,2000,70,700,1,1900,50,700,0,210,0,,6\n";

/* GPU 3 idles, and is nobody's peer. GPU 0 at work: 1100 MHz, where the median of the others is 1950; 61 degrees, 60. */
static void test_peers(void **unused)
{
	(void)unused;
	use(gpus);
	is(TS_M_GPU_CLOCK, "gpu 0", 1100);
	is(TS_M_GPU_BEHIND, "gpu 0", 1 - 1100.0 / 1950);
	is(TS_M_GPU_HOTTER, "gpu 0", 1);
	is(TS_M_GPU_PEERS_POWER_LIMIT, "gpu 0", 700);
	is(TS_M_GPU_BEHIND, "gpu 1", 1 - 2000.0 / 1500);
	assert_null(ts_measure_find(&rows, TS_M_GPU_BEHIND, ts_span_str("gpu 3")));
	is(TS_M_GPU_XID, "gpu 0", 31);
	is(TS_M_GPU_UNCORRECTED, "gpu 0", 3);
	is(TS_M_GPU_MEMORY, "gpu 0", 7);
	assert_null(ts_measure_find(&rows, TS_M_GPU_XID, ts_span_str("gpu 1")));
}

/* Time that goes back, where a run was joined again, counts nothing, and nothing counts for more than a minute. */
static void test_time(void **unused)
{
	(void)unused;
	use("seconds,load,cpu_cores\n10,1,1\n1,1,9\n100000,1,2\n");
	is(TS_M_MACHINE_SPAN, "observations", 70);
	is(TS_M_MACHINE_CORES, "cores", (10 + 0 + 120) / 70.0);
}

/* Every column at once, so that every measure is made. */
static void test_all(void **unused)
{
	struct ts_buf text = TS_BUF_INIT(1 << 20);

	(void)unused;
	ts_buf_str(&text, "seconds");
	for (int k = 1; k < TS_MACHINE_COLUMNS; k++)
		ts_buf_printf(&text, ",%s", ts_machine_names[k]);
	for (int gpu = 0; gpu < 2; gpu++)
		for (int k = 0; k < TS_GPU_COLUMNS; k++)
			ts_buf_printf(&text, ",gpu%d_%s", gpu, ts_gpu_names[k]);
	ts_buf_char(&text, '\n');
	for (int i = 1; i <= 100; i++) {
		ts_buf_printf(&text, "%d", i);
		for (int k = 1; k < TS_MACHINE_COLUMNS + 2 * TS_GPU_COLUMNS; k++)
			ts_buf_printf(&text, ",%d", k == TS_MACHINE_JOB_MEMORY ? 1000 + i : 1);
		ts_buf_char(&text, '\n');
	}
	ts_buf_char(&text, '\0');
	use((const char *)text.data);
	ts_buf_finish(&text);
	/* From 1026 s on: 75 of 99 s in six parts of 12.375; the first whole second of each. */
	is(TS_M_MACHINE_RISE_FROM, "rise", 1026);
	is(TS_M_MACHINE_RISE, "rise", 88 - 26);
	is(TS_M_MACHINE_RISES, "rise", 5);
	is(TS_M_MACHINE_RISE_TIME, "rise", 5 * 12.375);
	assert_true(test_seen_all(TS_ANSWER_MACHINE, NULL));
}

static void test_unread(void **unused)
{
	struct ts_error err;
	double value;

	(void)unused;
	assert_int_equal(ts_machine_use_unread("too large", &arena, &rows, &err), TS_OK);
	assert_false(ts_measure_value(&rows, TS_M_MACHINE_COUNT, TS_NO_SUBJECT, &value));
}

enum { N = 240 };

static bool rise_of(double (*of)(double s), struct ts_memory_rise *ret)
{
	static double seconds[N], values[N];

	for (int i = 0; i < N; i++) {
		seconds[i] = i;
		values[i] = of(i);
	}
	return ts_memory_rise(seconds, values, N, ret);
}

static double leak_with_peaks(double s)
{
	return 1000 + s + (fmod(s, 10) < 5 ? 500 : 0);
}

static double level(double s)
{
	return 1000 + fmod(s, 7);
}

static double fills(double s)
{
	return 1000 - 500 * exp(-s / 40);
}

static double seldom_known(double s)
{
	return fmod(s, 20) < 1 ? s : (double)NAN;
}

static void test_rise(void **unused)
{
	struct ts_memory_rise rise;

	(void)unused;
	assert_true(rise_of(leak_with_peaks, &rise) && rise.rises == 5 && rise.late > 0.7 && rise.late < 1.4);
	assert_true(fabs((rise.last - rise.first) / rise.seconds - 1) < 0.1); /* a byte a second, whatever the peaks */
	assert_true(rise_of(level, &rise) && rise.rises == 0);
	assert_true(rise_of(fills, &rise) && rise.rises == 5 && rise.late < 0.2);
	assert_false(rise_of(seldom_known, &rise));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_means_are_over_time, begin, end),
		cmocka_unit_test_setup_teardown(test_the_beginning_is_left_out, begin, end),
		cmocka_unit_test_setup_teardown(test_peers, begin, end),
		cmocka_unit_test_setup_teardown(test_time, begin, end),
		cmocka_unit_test_setup_teardown(test_all, begin, end),
		cmocka_unit_test_setup_teardown(test_unread, begin, end),
		cmocka_unit_test(test_rise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
