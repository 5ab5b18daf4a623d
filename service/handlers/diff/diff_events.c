#include "service/handlers/diff/diff_events.h"

#include "base/limits.h"
#include "service/handlers/core/run_events.h"

enum { EVENTS_MAX = 1 << 20 };

static enum ts_status diff_rank(struct ts_fetch *f, const struct ts_index *a, const struct ts_index *b, struct ts_arena *scratch,
				struct ts_arena *arena, struct ts_event_diff *events, struct ts_error *err)
{
	struct ts_run_events of_a, of_b;

	ts_arena_reset(scratch);
	if (ts_run_events(f, a, EVENTS_MAX, false, scratch, &of_a, err) || ts_run_events(f, b, EVENTS_MAX, false, scratch, &of_b, err))
		return err->status;
	events->cut |= of_a.cut || of_b.cut;
	return ts_event_diff_rank(events, a->rank, &of_a.events, &of_b.events, scratch, arena, err);
}

static enum ts_status diff_ranks(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *scratch,
				 struct ts_arena *arena, struct ts_event_diff *events, struct ts_error *err)
{
	static const struct ts_index nothing = {.rank = TS_RANK_JOB};
	const struct ts_index *job_a = ts_run_rank(a, TS_RANK_JOB), *job_b = ts_run_rank(b, TS_RANK_JOB);

	for (size_t i = 0; i < a->head.n_ranks; i++) {
		const struct ts_index *of_b = ts_run_rank(b, a->head.ranks[i].rank);

		if (of_b && of_b->rank != TS_RANK_JOB && diff_rank(f, &a->indexes[i], of_b, scratch, arena, events, err))
			return ts_error_prefix(err, "rank %d", of_b->rank);
	}
	return diff_rank(f, job_a ? job_a : &nothing, job_b ? job_b : &nothing, scratch, arena, events, err);
}

enum ts_status ts_diff_events(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
			      struct ts_event_diff *ret_events, struct ts_error *err)
{
	struct ts_event_diff events = {.n = 0};
	struct ts_arena scratch;
	enum ts_status status;

	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = diff_ranks(f, a, b, &scratch, arena, &events, err);
	ts_arena_finish(&scratch);
	if (!status)
		*ret_events = events;
	return status;
}
