/* diff_judge.c - from the rows of a diff to its verdict, and to one sentence that a person can act on. */
#include "run/role.h"
#include "service/handlers/diff/diff_runs.h"

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>

enum { REASON_MAX = 8 << 10, SHOWN_TEXT = 40, SHOWN_RANKS = 8 };

static void put_name(struct ts_buf *out, struct ts_span name)
{
	ts_escape(out, ts_column_said(name));
}

static void put_value(struct ts_buf *out, const struct ts_value *v)
{
	char text[TS_DOUBLE_TEXT];
	size_t len = 0;

	switch (v->type) {
	case TS_COLUMN_F64:
		ts_buf_bytes(out, text, ts_print_double(v->real, text));
		return;
	case TS_COLUMN_U64:
		ts_buf_printf(out, "%016" PRIx64, v->word);
		return;
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		break;
	}
	ts_buf_char(out, '"');
	while (len < v->text.len && len < SHOWN_TEXT) {
		char shown[TS_ESCAPE_TEXT];

		ts_buf_bytes(out, shown, ts_escape_next(v->text, &len, shown));
	}
	ts_buf_str(out, len < v->text.len ? "\xe2\x80\xa6\"" : "\"");
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_count(struct ts_buf *out, uint64_t n, const char *noun)
{
	ts_print_grouped(out, n);
	ts_buf_printf(out, " %s%s", noun, plural(n));
}

/* "; facts differ: config.lr and 2 more". What a session is (hosts, times) always differs and explains nothing. */
static void put_facts(struct ts_buf *out, const struct ts_diff *diff, struct ts_fact_globs expected)
{
	const struct ts_fact_row *first = NULL;
	uint64_t n = 0;

	for (size_t i = 0; i < diff->n_facts; i++) {
		if (diff->facts[i].group == TS_GROUP_SESSION || ts_fact_globs_match(expected, diff->facts[i].path))
			continue;
		first = first ? first : &diff->facts[i];
		n++;
	}
	if (!first)
		return;
	ts_buf_str(out, "; facts differ: ");
	ts_escape(out, first->path);
	if (n > 1)
		ts_buf_printf(out, " and %" PRIu64 " more", n - 1);
}

static bool many_ranks(const struct ts_diff *diff)
{
	return diff->a.ranks > 1 || diff->b.ranks > 1;
}

static void put_rank(struct ts_buf *out, const struct ts_diff *diff, const struct ts_series_row *row)
{
	if (many_ranks(diff))
		ts_buf_printf(out, " (rank %" PRId32 ")", row->rank);
}

/* "1,048,576 tokens (step 512 of the first run, 1024 of the second)" */
static void put_place(struct ts_buf *out, struct ts_span axis, const struct ts_series_row *row)
{
	if (row->first_step < 0)
		ts_buf_char(out, '-');
	ts_print_grouped(out, row->first_step < 0 ? -(uint64_t)row->first_step : (uint64_t)row->first_step);
	ts_buf_char(out, ' ');
	put_name(out, axis);
	ts_buf_printf(out, " (step %" PRId64 " of the first run, %" PRId64 " of the second)", row->step_a, row->step_b);
}

/* The last step on which they agreed is said where it is not the one before: they parted anywhere behind it. */
static void put_parting(struct ts_buf *out, const struct ts_diff *diff, const struct ts_series_row *row)
{
	if (diff->axis.len) {
		ts_buf_str(out, " parts at ");
		put_place(out, diff->axis, row);
	} else if (row->after_known && (uint64_t)row->first_step - (uint64_t)row->after_step > 1)
		ts_buf_printf(out, " parts between step %" PRId64 " and %" PRId64, row->after_step, row->first_step);
	else
		ts_buf_printf(out, " parts at step %" PRId64, row->first_step);
}

static void put_parts(struct ts_buf *out, const struct ts_diff *diff, const struct ts_series_row *row)
{
	put_name(out, row->name);
	put_parting(out, diff, row);
	put_rank(out, diff, row);
	if (!row->after_known)
		ts_buf_str(out, ", the first that both have");
	ts_buf_str(out, ": ");
	put_value(out, &row->a);
	ts_buf_str(out, " against ");
	put_value(out, &row->b);
}

static void say_different(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally)
{
	put_parts(out, diff, &diff->series[0]);
	if (tally->parts > 1) {
		ts_buf_str(out, "; ");
		ts_print_grouped(out, tally->parts - 1);
		ts_buf_printf(out, " more of the trajectory part%s there or later", tally->parts == 2 ? "s" : "");
	}
	if (diff->n_same) {
		ts_buf_str(out, "; ");
		ts_print_grouped(out, diff->n_same);
		ts_buf_printf(out, " other series agree%s", diff->n_same == 1 ? "s" : "");
	}
}

/* No series parts, but an operation does. */
static void say_operation(struct ts_buf *out, const struct ts_diff *diff)
{
	const struct ts_op_row *op = ts_op_culprit(&diff->ops);

	ts_escape(out, op->name);
	ts_buf_printf(out, " (occurrence %" PRIu64 ") differs at step %" PRId64, op->occurrence, op->step);
	if (op->rank != TS_RANK_JOB && many_ranks(diff))
		ts_buf_printf(out, " (rank %" PRId32 ")", op->rank);
	if (op->role == TS_OP_ORIGIN)
		ts_buf_str(out, ": its inputs agree, its output does not");
	else
		ts_buf_str(out, op->has_inputs ? ": its inputs differ already" :
						 ": whether its inputs agree was not recorded");
}

/* "; 74,000 digests of operations agree", and whether there are others. */
static void put_operations(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally)
{
	if (diff->ops.compared) {
		ts_buf_str(out, "; ");
		put_count(out, diff->ops.compared, "digest");
		ts_buf_printf(out, " of operations agree%s", diff->ops.compared == 1 ? "s" : "");
	}
	if (tally->ops_apart)
		ts_buf_str(out, "; some digests of operations are in one run alone and were not compared");
}

/* Nothing but digests of operations says what was computed. */
static void say_operations_apart(struct ts_buf *out, const struct ts_diff *diff)
{
	put_count(out, diff->ops.compared, "digest");
	ts_buf_printf(out, " of operations agree%s, but others are in one run alone", diff->ops.compared == 1 ? "s" : "");
}

static void say_same(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally)
{
	ts_buf_str(out, "every bit of the trajectory agrees");
	if (tally->trajectory) {
		ts_buf_str(out, ": ");
		ts_print_grouped(out, tally->trajectory_same);
		ts_buf_str(out, " series over ");
		put_count(out, diff->a.steps, "step");
	}
	put_operations(out, diff, tally);
}

static void put_ranks(struct ts_buf *out, const char *who, const int32_t *ranks, size_t n)
{
	ts_buf_printf(out, "only the %s run has rank%s ", who, plural(n));
	for (size_t i = 0; i < n && i < SHOWN_RANKS; i++)
		ts_buf_printf(out, "%s%" PRId32, i ? ", " : "", ranks[i]);
	if (n > SHOWN_RANKS)
		ts_buf_printf(out, " and %zu more", n - SHOWN_RANKS);
}

/* Nothing that both have agrees in nothing. */
static void put_common(struct ts_buf *out, const struct ts_diff_tally *tally)
{
	ts_buf_str(out, tally->trajectory_common ? "; common steps of the trajectory agree" :
						   "; no series of the trajectory is in both");
}

static void say_ranks(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally)
{
	if (diff->n_ranks_only_a)
		put_ranks(out, "first", diff->ranks_only_a, diff->n_ranks_only_a);
	if (diff->n_ranks_only_a && diff->n_ranks_only_b)
		ts_buf_str(out, ", ");
	if (diff->n_ranks_only_b)
		put_ranks(out, "second", diff->ranks_only_b, diff->n_ranks_only_b);
	if (tally->common_ranks)
		put_common(out, tally);
	else
		ts_buf_str(out, "; no rank is in both");
}

/* " (90 to 99)", where the steps that the series lacks are those that the run lacks. */
static void put_range(struct ts_buf *out, const struct ts_diff *diff, uint64_t of_series, uint64_t of_run, int64_t first,
		      int64_t last)
{
	if (of_series == of_run && !diff->axis.len)
		ts_buf_printf(out, " (%" PRId64 " to %" PRId64 ")", first, last);
}

static void say_extent(struct ts_buf *out, const struct ts_diff *diff, const struct ts_series_row *row)
{
	put_name(out, row->name);
	put_rank(out, diff, row);
	ts_buf_str(out, " agrees on ");
	put_count(out, row->common, diff->axis.len ? "common point" : "common step");
	if (diff->axis.len) {
		ts_buf_str(out, " of ");
		put_name(out, diff->axis);
	}
	ts_buf_str(out, ", but ");
	if (row->only_a) {
		ts_buf_str(out, "the first run has ");
		ts_print_grouped(out, row->only_a);
		ts_buf_str(out, " that the second lacks");
		put_range(out, diff, row->only_a, diff->steps_only_a, diff->only_a_first, diff->only_a_last);
	}
	if (row->only_b) {
		ts_buf_str(out, row->only_a ? ", the second " : "the second run has ");
		ts_print_grouped(out, row->only_b);
		ts_buf_str(out, " that the first lacks");
		put_range(out, diff, row->only_b, diff->steps_only_b, diff->only_b_first, diff->only_b_last);
	}
}

/* "only the first run has loss", and if so why: " as text, the second has it as f64". */
static void say_only(struct ts_buf *out, const struct ts_diff *diff, const struct ts_series_row *row)
{
	bool first = row->state == TS_SERIES_ONLY_A, any = false;

	ts_buf_printf(out, "only the %s run has ", first ? "first" : "second");
	put_name(out, row->name);
	put_rank(out, diff, row);
	if (!row->other_types)
		return;
	ts_buf_printf(out, " as %s, the %s has it as ", ts_column_type_word(row->type), first ? "second" : "first");
	for (unsigned t = TS_COLUMN_F64; t <= TS_COLUMN_JSON; t++) {
		if (!(row->other_types >> t & 1))
			continue;
		ts_buf_printf(out, "%s%s", any ? " and " : "", ts_column_type_word((enum ts_column_type)t));
		any = true;
	}
}

/* A series that is neither the same nor parts. */
static void say_incomplete(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally,
			   const struct ts_series_row *row)
{
	if (row->state == TS_SERIES_EXTENT) {
		say_extent(out, diff, row);
		return;
	}
	if (row->state == TS_SERIES_DISJOINT) {
		ts_buf_str(out, diff->axis.len ? "no point of " : "no step of ");
		put_name(out, row->name);
		put_rank(out, diff, row);
		if (diff->axis.len) {
			ts_buf_str(out, " by ");
			put_name(out, diff->axis);
		}
		ts_buf_str(out, " is in both runs");
		return;
	}
	say_only(out, diff, row);
	put_common(out, tally);
}

static void say_unknown(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally,
			const struct ts_series_row *row)
{
	ts_buf_str(out, "the trajectory agrees, but ");
	if (row->state == TS_SERIES_PARTS)
		put_parts(out, diff, row);
	else
		say_incomplete(out, diff, tally, row);
	ts_buf_str(out,
		   "; whether it is part of the trajectory is not known: declare columns.<name>.role in facts.json");
}

static const struct ts_series_row *first_of_role(const struct ts_diff *diff, enum ts_role role)
{
	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].role == role)
			return &diff->series[i];
	return NULL;
}

static enum ts_diff_verdict judge(struct ts_buf *out, const struct ts_diff *diff, const struct ts_diff_tally *tally)
{
	const struct ts_series_row *trajectory = first_of_role(diff, TS_ROLE_TRAJECTORY);
	const struct ts_series_row *unknown = first_of_role(diff, TS_ROLE_UNKNOWN);

	if (tally->parts) {
		say_different(out, diff, tally);
		return TS_DIFF_DIFFERENT;
	}
	if (diff->ops.n) {
		say_operation(out, diff);
		return TS_DIFF_DIFFERENT;
	}
	if (diff->n_ranks_only_a || diff->n_ranks_only_b)
		say_ranks(out, diff, tally);
	else if (tally->trajectory == 0 && diff->ops.compared == 0)
		ts_buf_str(
			out,
			"neither run has a loss, gradient norm, learning rate, digest or other column of a trajectory: "
			"nothing says whether they computed the same");
	else if (trajectory)
		say_incomplete(out, diff, tally, trajectory);
	else if (unknown)
		say_unknown(out, diff, tally, unknown);
	else if (tally->trajectory == 0 && tally->ops_apart)
		say_operations_apart(out, diff);
	else {
		say_same(out, diff, tally);
		return TS_DIFF_SAME;
	}
	return TS_DIFF_INCONCLUSIVE;
}

static void say_cut(struct ts_buf *out, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	ts_buf_str(out, "; ");
	ts_print_grouped(out, n);
	ts_buf_printf(out, " more rows of %s are not listed", what);
}

enum ts_status ts_diff_judge(struct ts_diff *diff, const struct ts_diff_tally *tally, struct ts_fact_globs expected,
			     struct ts_arena *arena, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(REASON_MAX);
	enum ts_diff_verdict verdict = judge(&out, diff, tally);
	enum ts_status status;

	put_facts(&out, diff, expected);
	say_cut(&out, tally->facts_cut, "facts");
	say_cut(&out, tally->series_cut, "series");
	status = ts_buf_check(&out, err);
	if (!status) {
		diff->reason = ts_arena_span(arena, ts_buf_view(&out));
		diff->verdict = verdict;
		if (!diff->reason.data)
			status = ts_arena_error(arena, err);
	}
	ts_buf_finish(&out);
	return status;
}
