#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/ranks/test_rank_runs.h"

#include "base/file.h"
#include "base/json_reader.h"

#include <stdio.h>

enum { FILE_MAX = 64 << 20, STEPS_MAX = 1000 };

static const char *const names[TS_RANK_PHASES] = {"data", "forward", "backward", "optimizer", "compute", "comm", "other"};

void rank_run_init(struct rank_run *run, size_t n_ranks, size_t n, struct ts_arena *arena)
{
	*run = (struct rank_run){.n_ranks = n_ranks, .n = n};
	assert_true(n_ranks <= RANK_RUN_MAX);
	run->steps = ts_arena_array(arena, n, sizeof *run->steps);
	assert_non_null(run->steps);
	for (size_t i = 0; i < n; i++)
		run->steps[i] = (int64_t)i;
	for (size_t a = 0; a < n_ranks; a++)
		run->ranks[a] = (int32_t)a;
}

double *rank_run_phase(struct rank_run *run, size_t rank, enum ts_rank_phase phase, struct ts_arena *arena)
{
	if (!run->phases[rank][phase])
		run->phases[rank][phase] = ts_arena_array(arena, run->n, sizeof(double));
	assert_non_null(run->phases[rank][phase]);
	return run->phases[rank][phase];
}

void rank_run_analyze(const struct rank_run *run, uint32_t world_size, size_t window, struct ts_arena *arena,
		      struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots)
{
	const double *at[RANK_RUN_MAX][TS_RANK_PHASES];
	struct ts_error err = {.status = TS_OK};
	struct ts_ranks r;

	measures->n = events->n = plots->n = 0;
	assert_int_equal(ts_ranks_begin(&r, run->ranks, run->n_ranks, world_size, run->n, arena, &err), TS_OK);
	for (size_t from = 0; from < run->n; from += window ? window : run->n) {
		struct ts_rank_window w = {.steps = run->steps + from, .n = run->n - from, .phases = (void *)at};

		if (window && w.n > window)
			w.n = window;
		for (size_t a = 0; a < run->n_ranks; a++)
			for (int p = 0; p < TS_RANK_PHASES; p++)
				at[a][p] = run->phases[a][p] ? run->phases[a][p] + from : NULL;
		if (ts_ranks_window(&r, &w, &err))
			fail_msg("%s", err.text);
	}
	if (ts_ranks_finish(&r, arena, measures, events, plots, &err))
		fail_msg("%s", err.text);
}

static enum ts_rank_phase phase_of(struct ts_span name)
{
	for (int p = 0; p < TS_RANK_PHASES; p++)
		if (ts_span_is(name, names[p]))
			return (enum ts_rank_phase)p;
	return TS_RANK_OTHER;
}

/* Reads one record per line: {"step":3,...,"phases":{"forward":0.01,...},...}. */
static size_t read_steps(struct ts_span text, struct rank_run *run, size_t rank, struct ts_arena *arena)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error err = {.status = TS_OK};
	enum ts_rank_phase phase = TS_RANK_OTHER;
	bool step = false, in_phases = false;
	int depth = 0;
	size_t n = 0;

	ts_json_reader_init(&r, text, &scratch);
	while (ts_json_next(&r, &token, &err) == TS_OK && token.type != TS_JSON_EOF) {
		if (token.type == TS_JSON_OBJECT) {
			n += depth++ == 0;
			assert_true(n <= run->n);
		} else if (token.type == TS_JSON_END) {
			depth--;
		} else if (token.type == TS_JSON_KEY) {
			step = depth == 1 && ts_span_is(token.text, "step");
			if (depth == 1)
				in_phases = ts_span_is(token.text, "phases");
			phase = phase_of(token.text);
		} else if (token.type == TS_JSON_NUMBER && step) {
			run->steps[n - 1] = (int64_t)token.number;
		} else if (token.type == TS_JSON_NUMBER && depth == 2 && in_phases) {
			rank_run_phase(run, rank, phase, arena)[n - 1] = token.number;
		}
	}
	if (err.status)
		fail_msg("%s", err.text);
	ts_buf_finish(&scratch);
	return n;
}

bool rank_run_load(const char *dir, size_t n_ranks, struct ts_arena *arena, struct rank_run *ret_run)
{
	struct ts_error err;
	char path[256];
	size_t n = 0;

	rank_run_init(ret_run, n_ranks, STEPS_MAX, arena);
	for (size_t a = 0; a < n_ranks; a++) {
		struct ts_buf text = TS_BUF_INIT(FILE_MAX);

		(void)snprintf(path, sizeof path, "%s/rank%zu/steps.jsonl", dir, a);
		if (ts_file_read(path, &text, &err)) {
			ts_buf_finish(&text);
			return false;
		}
		n = read_steps(ts_buf_view(&text), ret_run, a, arena);
		ts_buf_finish(&text);
	}
	ret_run->n = n;
	return true;
}
