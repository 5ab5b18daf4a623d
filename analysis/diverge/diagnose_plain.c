/* diagnose_plain.c - the diagnoses for which no evidence is looked at: a run and itself, and runs that were not aligned by step. */
#include "analysis/diverge/diagnose.h"

void ts_diagnose_itself(struct ts_diff *diff)
{
	struct ts_tier holds = {TS_TIER_HOLDS, ts_span_str("both sides are the same run")};

	diff->verdict = TS_DIFF_SAME;
	diff->reason = ts_span_str("Both sides are the same run: their ids are equal");
	diff->diagnosis = (struct ts_diagnosis){
		.cause = TS_CAUSE_IDENTICAL,
		.confidence = TS_CONFIDENCE_HIGH,
		.sentence = diff->reason,
		.bits = holds,
		.numeric = holds,
		.statistical = holds,
	};
}

/* --- by an axis --- */

struct by_axis {
	struct ts_span against;
	struct ts_experiment next;
};

static const struct ts_series_row *first_differing(const struct ts_diff *diff)
{
	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].role == TS_ROLE_TRAJECTORY && diff->series[i].state == TS_SERIES_PARTS)
			return &diff->series[i];
	return NULL;
}

static struct ts_tier bits_of(const struct ts_diff *diff, const struct ts_series_row *row, struct ts_arena *arena)
{
	struct ts_span name = ts_column_said(diff->axis), series;
	const char *why;

	if (!row)
		return (struct ts_tier){TS_TIER_UNKNOWN, ts_span_str("the runs were not aligned by step")};
	series = ts_column_said(row->name);
	why = ts_arena_printf(arena, "%.*s differs at %" PRId64 " %.*s", TS_SPAN_ARG(series), row->first_step,
			      TS_SPAN_ARG(name));
	return (struct ts_tier){TS_TIER_FAILS, why ? ts_span_str(why) : ts_span_of(NULL, 0)};
}

static const char *against_of(const struct ts_diff *diff, const struct ts_series_row *row, struct ts_arena *arena)
{
	struct ts_span axis = ts_column_said(diff->axis);

	if (!row)
		return ts_arena_printf(
			arena,
			"the runs were aligned by %.*s, and no series of the trajectory differs so; tscope looks for a "
			"cause only where runs are aligned by step",
			TS_SPAN_ARG(axis));
	return ts_arena_printf(arena,
			       "at that point the first run has taken step %" PRId64 " and the second step %" PRId64
			       "; tscope looks for a cause only where both runs have taken the same steps, that is where "
			       "they are aligned by step",
			       row->step_a, row->step_b);
}

enum ts_status ts_diagnose_by_axis(struct ts_diff *diff, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_tier unknown = {TS_TIER_UNKNOWN, ts_span_str("the runs were not aligned by step")}, bits;
	const struct ts_series_row *row = first_differing(diff);
	struct by_axis *said = ts_arena_alloc(arena, sizeof *said);
	char a[TS_ID_HEX + 1], b[TS_ID_HEX + 1];
	const char *command =
		ts_arena_printf(arena, "tscope diff %.12s %.12s", ts_id_hex(&diff->a.id, a), ts_id_hex(&diff->b.id, b));
	const char *against = against_of(diff, row, arena);

	bits = bits_of(diff, row, arena);
	if (!said || !command || !against || !bits.why.data)
		return ts_arena_error(arena, err);
	said->against = ts_span_str(against);
	said->next =
		(struct ts_experiment){.what = ts_span_str("compare the two runs by step"),
				       .command = ts_span_str(command),
				       .splits = ts_span_str("what differs, and why, after the same number of steps")};
	diff->diagnosis = (struct ts_diagnosis){
		.bits = bits,
		.numeric = unknown,
		.statistical = unknown,
		.evidence_against = &said->against,
		.n_against = 1,
		.experiments = &said->next,
		.n_experiments = 1,
	};
	return TS_OK;
}

void ts_diagnose_settle(struct ts_diff *diff)
{
	struct ts_diagnosis *d = &diff->diagnosis;

	if (d->cause == TS_CAUSE_IDENTICAL || d->cause == TS_CAUSE_NOT_COMPARABLE || d->sentence.len == 0)
		d->sentence = diff->reason;
}
