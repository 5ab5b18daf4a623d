/* idle.c: gaps whose causes were found on paper, and that the causes add up to the idle time of the timeline. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/trace/device/timeline.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void rows_of(struct made *m, struct ts_idle **rows, size_t *n)
{
	if (ts_idle_rows(&m->trace, &m->arena, rows, n, &m->err))
		fail_msg("%s", m->err.text);
}

static void gaps_by_cause(void **state)
{
	struct ts_idle *rows;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 0, 5, 1);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 45, 49, 2);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 50, 51, 3);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 52, 53, 4);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 10, 20, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 60, 70, 2);	  /* gap [20, 60): 25 for the host, 15 of launching */
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 100, 110, 3); /* gap [70, 100): queued; the other stream was busy [80, 95) of it */
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, 80, 95, 4);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 112, 113, 99); /* gap [110, 112): nobody knows */
	rows_of(&m, &rows, &n);
	assert_int_equal(n, 3);
	assert_int_equal(rows[0].stream, TS_TRACE_NO_DEVICE);
	assert_int_equal(rows[0].idle_ns, 40 + 10 + 5 + 2);
	assert_int_equal(rows[0].host_ns, 25);
	assert_int_equal(rows[0].launch_ns, 15);
	assert_int_equal(rows[0].behind_ns, 0);
	assert_int_equal(rows[0].queued_ns, 15);
	assert_int_equal(rows[0].unknown_ns, 2);
	assert_int_equal(rows[1].stream, 0);
	assert_int_equal(rows[1].gaps, 3);
	assert_int_equal(rows[1].idle_ns, 40 + 30 + 2);
	assert_int_equal(rows[1].host_ns, 25);
	assert_int_equal(rows[1].launch_ns, 15);
	assert_int_equal(rows[1].behind_ns, 15);
	assert_int_equal(rows[1].queued_ns, 15);
	assert_int_equal(rows[1].unknown_ns, 2);
	assert_int_equal(rows[1].longest_ns, 40);
	assert_int_equal(rows[1].longest_at_ns, 20);
	assert_int_equal(rows[2].stream, 1);
	assert_int_equal(rows[2].gaps, 0);
	made_finish(&m);
}

/* Three events end the gap [20, 60): one whose call nobody knows, one that was asked for at 50, and one at 30. In whatever order they
 * come, the host was waited for until 30. */
static void several_end_a_gap(void **state)
{
	static const int64_t correlations[] = {99, 2, 3};

	(void)state;
	for (size_t first = 0; first < 3; first++) {
		struct ts_idle *rows;
		struct made m;
		size_t n;

		made_begin(&m);
		made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 0, 5, 1);
		made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 50, 51, 2);
		made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 30, 31, 3);
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 10, 20, 1);
		for (size_t i = 0; i < 3; i++)
			made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, (int32_t)((i + first) % 3), 60, 70, correlations[i]);
		rows_of(&m, &rows, &n);
		assert_int_equal(rows[0].stream, TS_TRACE_NO_DEVICE);
		assert_int_equal(rows[0].idle_ns, 40);
		assert_int_equal(rows[0].host_ns, 10);
		assert_int_equal(rows[0].launch_ns, 30);
		made_finish(&m);
	}
}

/* A device's streams may be many, and two devices may have one of the same number. */
static void causes_add_up_to_the_idle_time(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct ts_timelines lines;
		struct ts_idle *rows;
		struct made m;
		size_t n, stream = 0, device = 0;

		made_begin(&m);
		for (int i = 0; i < round; i++) {
			seed = seed * 1664525 + 1013904223;
			int64_t at = (seed >> 16) % 3000, len = (seed >> 8) % 90;

			made_add(&m, seed & 64 ? TS_TRACE_KERNEL : TS_TRACE_COPY, NAME_GEMM,
				 (int32_t)((seed >> 27) % 4 + 10 * (seed >> 31)), at, at + len, i);
			if (seed & 4096)
				made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, at - (int64_t)((seed >> 10) % 200), at, i);
		}
		rows_of(&m, &rows, &n);
		assert_int_equal(ts_timelines(&m.trace, &m.arena, &lines, &m.err), TS_OK);
		assert_int_equal(n, lines.n_devices + lines.n_streams);
		for (size_t i = 0; i < n; i++) {
			const struct ts_timeline_of *of =
				rows[i].stream == TS_TRACE_NO_DEVICE ? &lines.devices[device++] : &lines.streams[stream++];

			assert_int_equal(rows[i].device, of->device);
			assert_int_equal(rows[i].stream, of->stream);
			assert_int_equal(rows[i].idle_ns, of->timeline.idle_ns);
			assert_int_equal(rows[i].idle_ns, rows[i].host_ns + rows[i].launch_ns + rows[i].behind_ns + rows[i].queued_ns +
								  rows[i].unknown_ns);
			if (rows[i].stream == TS_TRACE_NO_DEVICE)
				assert_int_equal(rows[i].behind_ns, 0);
		}
		made_finish(&m);
	}
}

/* Gaps of 3 ms each: the first work of a name waits 2 ms for its launch, and the same again later, which is no first launch; that of
 * another name waits a nanosecond less than a millisecond. The last waits 2 ms for a call that returned a nanosecond before half of
 * that was over: nothing was loaded. */
static void first_launches(void **state)
{
	const int64_t ms = 1000000;
	struct ts_idle *rows;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_launch(&m, TS_TRACE_KERNEL, "a", 0, 0, 10, ms);
	made_call(&m, TS_TRACE_KERNEL, "b", 0, 2 * ms, 3 * ms, 4 * ms, 5 * ms);
	made_call(&m, TS_TRACE_KERNEL, "b", 0, 6 * ms, 8 * ms, 8 * ms, 9 * ms);
	made_call(&m, TS_TRACE_KERNEL, "c", 0, 11 * ms + 1, 12 * ms, 12 * ms, 13 * ms);
	made_call(&m, TS_TRACE_KERNEL, "d", 0, 14 * ms, 15 * ms - 1, 16 * ms, 17 * ms);
	rows_of(&m, &rows, &n);
	assert_int_equal(rows[0].idle_ns, 12 * ms);
	assert_int_equal(rows[0].launch_ns, 7 * ms - 1);
	assert_int_equal(rows[0].first_launch_ns, 2 * ms);
	assert_int_equal(rows[0].host_ns, 5 * ms + 1);
	assert_int_equal(rows[0].host_longest.ns[0], 2 * ms + 1);
	assert_int_equal(rows[0].launch_longest.ns[0], 2 * ms); /* those of the second b and of d: the first b is a first launch */
	assert_int_equal(rows[0].launch_longest.ns[1], 2 * ms);
	assert_int_equal(rows[0].launch_longest.n, 3);
	made_finish(&m);
}

/* The first b is asked for while a runs, in a call that goes on for 3 of the 4 ms until it begins, of which 2 lie in the gap: it is
 * queued, and of that a first launch. The other stream was busy for 1 of the 3 ms. The second b has as long a call. That of c returns
 * when 0.1 of its gap of 2 ms have passed, and loaded nothing in it. */
static void first_launch_before_the_gap(void **state)
{
	const int64_t ms = 1000000;
	struct ts_idle *rows;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_launch(&m, TS_TRACE_KERNEL, "a", 0, 0, 0, 2 * ms);
	made_launch(&m, TS_TRACE_KERNEL, "a", 1, 0, 0, 3 * ms);
	made_call(&m, TS_TRACE_KERNEL, "b", 0, ms, 4 * ms, 5 * ms, 6 * ms);
	made_call(&m, TS_TRACE_KERNEL, "b", 0, 5 * ms, 8 * ms, 9 * ms, 10 * ms);
	made_call(&m, TS_TRACE_KERNEL, "c", 0, 6 * ms, 10 * ms + ms / 10, 12 * ms, 13 * ms);
	rows_of(&m, &rows, &n);
	assert_int_equal(rows[0].queued_ns, 2 * ms + 3 * ms + 2 * ms);
	assert_int_equal(rows[0].first_queued_ns, 2 * ms);
	assert_int_equal(rows[0].first_launch_ns, 0);
	assert_int_equal(rows[1].behind_ns, ms);
	assert_int_equal(rows[1].first_queued_ns, 2 * ms);
	made_finish(&m);
}

/* Of the 10 ms before the host asks for b, it sets the device up for 3 ms, for 2 of which another thread loads data, and gets memory in
 * a millisecond; a call that is a nanosecond shorter says nothing, nor does one that only waits. */
static void setting_up(void **state)
{
	const int64_t ms = 1000000;
	struct ts_idle *rows;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_launch(&m, TS_TRACE_KERNEL, "a", 0, 0, 0, ms);
	made_host(&m, TS_TRACE_RUNTIME, "cudaFree", 0, ms, 4 * ms);
	made_host(&m, TS_TRACE_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 2 * ms, 4 * ms);
	made_host(&m, TS_TRACE_RUNTIME, "cudaHostAlloc", 0, 5 * ms, 6 * ms);
	made_host(&m, TS_TRACE_RUNTIME, "cudaMalloc", 0, 7 * ms, 8 * ms - 1);
	made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, 8 * ms, 10 * ms);
	made_launch(&m, TS_TRACE_KERNEL, "b", 0, 11 * ms, 11 * ms, 12 * ms);
	rows_of(&m, &rows, &n);
	assert_int_equal(rows[0].host_ns, 10 * ms);
	assert_int_equal(rows[0].loading_ns, 2 * ms);
	assert_int_equal(rows[0].setup_ns, 2 * ms);
	assert_int_equal(rows[0].host_longest.ns[0], 8 * ms);
	made_finish(&m);
}

/* The longest gap may be of something that happens once, and where there are 30 gaps and ten steps, the three longest. */
static void longest_gaps(void **state)
{
	(void)state;
	for (int64_t gaps = 29; gaps <= 30; gaps++) {
		const uint64_t longest[TS_LONGEST_MOST] = {500, 400, 300};
		struct ts_idle *rows;
		struct made m;
		int64_t at = 0;
		size_t n;

		made_begin(&m);
		made_launch(&m, TS_TRACE_KERNEL, "a", 0, 0, 0, 1);
		for (int64_t i = 0; i < gaps; i++) {
			at += i == 7 ? 401 : i == 11 ? 301 : i == 20 ? 501 : 101; /* each is launched when its gap ends */
			made_launch(&m, TS_TRACE_KERNEL, "a", 0, at, at, at + 1);
		}
		rows_of(&m, &rows, &n);
		assert_int_equal(rows[0].gaps, gaps);
		assert_memory_equal(rows[0].host_longest.ns, longest, sizeof longest);
		assert_int_equal(ts_longest_sum(&rows[0].host_longest, 10), gaps == 29 ? 500 : 1200);
		assert_int_equal(ts_longest_sum(&rows[0].host_longest, 9), 500);
		assert_int_equal(ts_longest_sum(&rows[0].host_longest, 0), 500);
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_by_cause),
		cmocka_unit_test(several_end_a_gap),
		cmocka_unit_test(causes_add_up_to_the_idle_time),
		cmocka_unit_test(first_launches),
		cmocka_unit_test(first_launch_before_the_gap),
		cmocka_unit_test(setting_up),
		cmocka_unit_test(longest_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
