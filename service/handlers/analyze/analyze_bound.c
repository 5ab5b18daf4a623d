#include "service/handlers/analyze/analyze_bound.h"

#include "analysis/rules/memory_advice.h"

/* How short memory is: 0 without a snapshot, or where that is not known. */
static double shortage(const struct ts_measures *m)
{
	double n, left, capacity;

	if (ts_measure_value(m, TS_M_SNAPSHOT_REFUSED, TS_NO_SUBJECT, &n) && n > 0)
		return 4;
	if (ts_measure_value(m, TS_M_SNAPSHOT_RETRIES, TS_NO_SUBJECT, &n) && n > 0)
		return 3;
	if (ts_measure_value(m, TS_M_SNAPSHOT_HEADROOM, TS_NO_SUBJECT, &left) &&
	    ts_measure_value(m, TS_M_SNAPSHOT_CAPACITY, TS_NO_SUBJECT, &capacity) && capacity > 0)
		return 1 + (left > 0 ? 1 - left / capacity : 1);
	return ts_measure_find(m, TS_M_SNAPSHOT_RESERVED, TS_NO_SUBJECT) ? 0.5 : 0;
}

/* The rank whose memory is shortest; NULL: that of the rank in view. */
static const struct ts_rank_rows *shortest(const struct ts_analysis *a)
{
	const struct ts_rank_rows *found = NULL;
	double most = shortage(&a->measures);

	for (size_t i = 0; i < a->n_ranks; i++) {
		double one = shortage(&a->ranks[i].measures);

		if (one > most) {
			most = one;
			found = &a->ranks[i];
		}
	}
	return found;
}

/* The rows of the answer but those of its snapshot, and those of a snapshot but for times. */
static bool with_snapshot_of(const struct ts_measures *snapshot, const struct ts_measures *m, struct ts_arena *arena,
			     struct ts_measures *ret)
{
	for (size_t i = 0; i < m->n; i++)
		if (!ts_measure_in(&m->items[i], TS_ANSWER_SNAPSHOT) && !ts_measure_put(ret, arena, &m->items[i]))
			return false;
	for (size_t i = 0; i < snapshot->n; i++) {
		const struct ts_measure *row = &snapshot->items[i];

		if (ts_measure_in(row, TS_ANSWER_SNAPSHOT) && !ts_measure_is(row, TS_M_SNAPSHOT_RETRY_TIME) &&
		    !ts_measure_is(row, TS_M_SNAPSHOT_ALLOCATOR_TIME) && !ts_measure_put(ret, arena, row))
			return false;
	}
	return true;
}

enum ts_status ts_analyze_bound(struct ts_analysis *io, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_rank_rows *other = shortest(io);
	const struct ts_measures *snapshot = other ? &other->measures : &io->measures;
	struct ts_measures rows = {0};
	const char *text;

	if (!other && !(io->n_ranks && ts_rank_rows_of_any(TS_M_SNAPSHOT_RESERVED, &io->measures, io->ranks, io->n_ranks)))
		return ts_bound_decide(&io->measures, arena, &io->bound, err);
	if (!with_snapshot_of(snapshot, &io->measures, arena, &rows))
		return ts_arena_error(arena, err);
	if (ts_bound_decide(&rows, arena, &io->bound, err))
		return err->status;
	if (!other || !io->bound.memory.sentence.len)
		return TS_OK;
	text = ts_arena_printf(arena, "on rank %" PRId32 " %.*s", other->rank, TS_SPAN_ARG(io->bound.memory.sentence));
	io->bound.memory.sentence = ts_span_str(text ? text : "");
	return ts_arena_check(arena, err);
}
