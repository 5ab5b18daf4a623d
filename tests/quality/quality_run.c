#include "quality_run.h"

#include "analysis/rank/work.h"

#include <stdio.h>
#include <stdlib.h>

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		(void)fprintf(stderr, "%s\n", err->text);
		abort();
	}
}

void quality_run_reduce(const double *times, size_t n, double accumulation, struct ts_arena *arena, struct ts_reduction *ret_reduction)
{
	static int64_t steps[QUALITY_RECORDS_MOST];
	static double ends[QUALITY_RECORDS_MOST];
	struct ts_reduce_ends rest = {.no_peak = "not simulated", .no_loss = "not simulated", .devices = 1};
	struct ts_reduce_rows rows = {.steps = steps, .n = n, .ends = ends};
	struct ts_facts none = {.n = 0};
	struct ts_reduce_options options = {0};
	struct ts_reducer r;
	struct ts_error err;
	struct ts_work work;
	double at = 1.7e9;

	for (size_t t = 0; t < n; t++) {
		at += times[t];
		steps[t] = (int64_t)t;
		ends[t] = at;
	}
	ts_work_of_facts(&none, &work);
	if (accumulation > 1)
		ts_work_override(&work.accumulation, accumulation);
	must(ts_reducer_begin(&r, &options, &work, arena, &err), &err);
	must(ts_reducer_rows(&r, &rows, &err), &err);
	must(ts_reducer_finish(&r, &rest, ret_reduction, &err), &err);
}
