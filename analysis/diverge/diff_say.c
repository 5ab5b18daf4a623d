/* diff_say.c - see diff_say.h. Each say_ function writes the clause of one ground; further facts follow it, after semicolons. */
#include "analysis/diverge/diff_say.h"

#include "base/number.h"
#include "base/text.h"
#include "run/head.h"

enum { SENTENCE_MAX = 8 << 10, SHOWN_TEXT = 40, SHOWN_RANKS = 8 };

struct saying {
	struct ts_buf out;
	const struct ts_diff *diff;
	const struct ts_diff_tally *tally;
	const struct ts_diff_basis *basis;
};

/* --- names and values --- */

static void put_name(struct saying *s, struct ts_span name)
{
	ts_escape(&s->out, ts_column_said(name));
}

static void put_value(struct saying *s, const struct ts_value *v)
{
	char text[TS_DOUBLE_TEXT];
	size_t len = 0;

	switch (v->type) {
	case TS_COLUMN_F64:
		ts_buf_bytes(&s->out, text, ts_print_double(v->real, text));
		return;
	case TS_COLUMN_U64:
		ts_buf_printf(&s->out, "%016" PRIx64, v->word);
		return;
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		break;
	}
	ts_buf_char(&s->out, '"');
	while (len < v->text.len && len < SHOWN_TEXT) {
		char shown[TS_ESCAPE_TEXT];

		ts_buf_bytes(&s->out, shown, ts_escape_next(v->text, &len, shown));
	}
	ts_buf_str(&s->out, len < v->text.len ? "\xe2\x80\xa6\"" : "\"");
}

static void put_count(struct saying *s, uint64_t n, const char *noun)
{
	ts_print_grouped(&s->out, n);
	ts_buf_printf(&s->out, " %s%s", noun, n == 1 ? "" : "s");
}

static void put_rank(struct saying *s, int32_t rank)
{
	if (rank != TS_RANK_JOB && (s->diff->a.ranks > 1 || s->diff->b.ranks > 1))
		ts_buf_printf(&s->out, " on rank %" PRId32, rank);
}

/* "digests.batch on rank 1" */
static void put_series(struct saying *s, const struct ts_series_row *row)
{
	put_name(s, row->name);
	put_rank(s, row->rank);
}

static void put_values(struct saying *s, const struct ts_series_row *row)
{
	ts_buf_str(&s->out, " is ");
	put_value(s, &row->a);
	ts_buf_str(&s->out, " in the first run and ");
	put_value(s, &row->b);
	ts_buf_str(&s->out, " in the second");
}

/* --- where a series differs --- */

/* "1,048,576 tokens (step 512 of the first run, step 1024 of the second)" */
static void put_point(struct saying *s, const struct ts_series_row *row)
{
	int64_t at = row->first_step;

	if (at < 0)
		ts_buf_char(&s->out, '-');
	ts_print_grouped(&s->out, at < 0 ? -(uint64_t)at : (uint64_t)at);
	ts_buf_char(&s->out, ' ');
	put_name(s, s->diff->axis);
	ts_buf_printf(&s->out, " (step %" PRId64 " of the first run, step %" PRId64 " of the second)", row->step_a,
		      row->step_b);
}

/* The sentence names the last step at which they agree where that is not the one before: they may differ from any
 * step after it on. */
static void put_place(struct saying *s, const struct ts_series_row *row)
{
	if (s->diff->axis.len) {
		ts_buf_str(&s->out, " first differ at ");
		put_point(s, row);
	} else if (row->after_known && (uint64_t)row->first_step - (uint64_t)row->after_step > 1) {
		ts_buf_printf(&s->out, " first differ between step %" PRId64 " and step %" PRId64, row->after_step,
			      row->first_step);
	} else {
		ts_buf_printf(&s->out, " first differ at step %" PRId64, row->first_step);
	}
	if (!row->after_known)
		ts_buf_printf(&s->out, ", the first %s that both have", s->diff->axis.len ? "point" : "step");
	ts_buf_str(&s->out, ": ");
}

static void say_different(struct saying *s)
{
	const struct ts_diff *diff = s->diff;

	ts_buf_str(&s->out, "The two runs");
	put_place(s, s->basis->row);
	put_series(s, s->basis->row);
	put_values(s, s->basis->row);
	if (s->tally->parts > 1) {
		ts_buf_str(&s->out, "; ");
		ts_print_grouped(&s->out, s->tally->parts - 1);
		ts_buf_printf(&s->out, " more series differ%s at that %s or later", s->tally->parts == 2 ? "s" : "",
			      diff->axis.len ? "point" : "step");
	}
	if (diff->n_same) {
		ts_buf_str(&s->out, "; ");
		ts_print_grouped(&s->out, diff->n_same);
		ts_buf_printf(&s->out, " other series %s the same in both", diff->n_same == 1 ? "is" : "are");
	}
}

/* --- operations --- */

static void say_operation(struct saying *s)
{
	const struct ts_op_row *op = ts_op_culprit(&s->diff->ops);

	ts_buf_str(&s->out, "The two runs first differ in the operation ");
	ts_escape(&s->out, op->name);
	ts_buf_printf(&s->out, " (occurrence %" PRIu64 ") at step %" PRId64, op->occurrence, op->step);
	put_rank(s, op->rank);
	ts_buf_printf(&s->out, ": %s", ts_op_role_says(op));
}

static void say_tensor(struct saying *s)
{
	const struct ts_sketch_row *row = ts_sketch_told(&s->diff->sketches);

	ts_buf_str(&s->out, s->diff->sketches.has_first ? "The two runs differ in a tensor by more than rounding: "
							: "The two runs differ in a tensor: ");
	ts_escape(&s->out, row->name);
	ts_buf_str(&s->out, " (");
	ts_escape(&s->out, row->kind);
	ts_buf_printf(&s->out, ", occurrence %" PRIu64 ") at step %" PRId64, row->occurrence, row->step);
}

static void put_compared(struct saying *s)
{
	put_count(s, s->diff->ops.compared, "digest");
	ts_buf_printf(&s->out, " of operations agree%s", s->diff->ops.compared == 1 ? "s" : "");
}

/* --- what one run lacks --- */

static void put_ranks(struct saying *s, const char *who, const int32_t *ranks, size_t n)
{
	ts_buf_printf(&s->out, "only the %s run has rank%s ", who, n == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < SHOWN_RANKS; i++)
		ts_buf_printf(&s->out, "%s%" PRId32, i ? ", " : "", ranks[i]);
	if (n > SHOWN_RANKS)
		ts_buf_printf(&s->out, " and %zu more", n - SHOWN_RANKS);
}

/* Runs that have nothing in common do not agree either. */
static void put_common(struct saying *s)
{
	ts_buf_str(&s->out, s->tally->trajectory_common ? "; the trajectory agrees at all common steps"
							: "; no series of the trajectory is in both runs");
}

static void say_ranks(struct saying *s)
{
	const struct ts_diff *diff = s->diff;

	ts_buf_str(&s->out, "The two runs do not have the same ranks: ");
	if (diff->n_ranks_only_a)
		put_ranks(s, "first", diff->ranks_only_a, diff->n_ranks_only_a);
	if (diff->n_ranks_only_a && diff->n_ranks_only_b)
		ts_buf_str(&s->out, ", ");
	if (diff->n_ranks_only_b)
		put_ranks(s, "second", diff->ranks_only_b, diff->n_ranks_only_b);
	if (s->tally->common_ranks)
		put_common(s);
	else
		ts_buf_str(&s->out, "; no rank is in both runs");
}

/* "the second run has 4 steps (90 to 93) that the first lacks"; the range is given only where it has no other steps. */
static void put_more(struct saying *s, const char *who, uint64_t n, const char *other, uint64_t of_run, int64_t first,
		     int64_t last)
{
	ts_buf_printf(&s->out, "the %s run has ", who);
	put_count(s, n, s->diff->axis.len ? "point" : "step");
	if (n == of_run && !s->diff->axis.len)
		ts_buf_printf(&s->out, " (%" PRId64 " to %" PRId64 ")", first, last);
	ts_buf_printf(&s->out, " that the %s lacks", other);
}

static void put_extent(struct saying *s, const struct ts_series_row *row)
{
	const struct ts_diff *diff = s->diff;

	put_series(s, row);
	ts_buf_str(&s->out, " agrees at ");
	put_count(s, row->common, diff->axis.len ? "common point" : "common step");
	if (diff->axis.len) {
		ts_buf_str(&s->out, " of ");
		put_name(s, diff->axis);
	}
	ts_buf_str(&s->out, ", but ");
	if (row->only_a)
		put_more(s, "first", row->only_a, "second", diff->steps_only_a, diff->only_a_first, diff->only_a_last);
	if (row->only_a && row->only_b)
		ts_buf_str(&s->out, " and ");
	if (row->only_b)
		put_more(s, "second", row->only_b, "first", diff->steps_only_b, diff->only_b_first, diff->only_b_last);
}

static void put_disjoint(struct saying *s, const struct ts_series_row *row)
{
	ts_buf_printf(&s->out, "no %s of ", s->diff->axis.len ? "point" : "step");
	put_series(s, row);
	if (s->diff->axis.len) {
		ts_buf_str(&s->out, " by ");
		put_name(s, s->diff->axis);
	}
	ts_buf_str(&s->out, " is in both runs");
}

/* "only the first run has loss", and where the other has it in another type: " as text; the second run has it as f64". */
static void put_only(struct saying *s, const struct ts_series_row *row)
{
	bool first = row->state == TS_SERIES_ONLY_A, any = false;

	ts_buf_printf(&s->out, "only the %s run has ", first ? "first" : "second");
	put_series(s, row);
	if (!row->other_types)
		return;
	ts_buf_printf(&s->out, " as %s; the %s run has it as ", ts_column_type_word(row->type),
		      first ? "second" : "first");
	for (unsigned t = TS_COLUMN_F64; t <= TS_COLUMN_JSON; t++) {
		if (!(row->other_types >> t & 1))
			continue;
		ts_buf_printf(&s->out, "%s%s", any ? " and " : "", ts_column_type_word((enum ts_column_type)t));
		any = true;
	}
}

static void put_incomplete(struct saying *s, const struct ts_series_row *row)
{
	if (row->state == TS_SERIES_EXTENT)
		put_extent(s, row);
	else if (row->state == TS_SERIES_DISJOINT)
		put_disjoint(s, row);
	else
		put_only(s, row);
}

static void say_incomplete(struct saying *s)
{
	const struct ts_series_row *row = s->basis->row;

	ts_buf_str(&s->out, "The trajectories cannot be compared in full: ");
	put_incomplete(s, row);
	if (row->state == TS_SERIES_ONLY_A || row->state == TS_SERIES_ONLY_B)
		put_common(s);
}

static void say_role(struct saying *s)
{
	const struct ts_series_row *row = s->basis->row;

	if (row->state == TS_SERIES_PARTS) {
		ts_buf_str(&s->out, "The trajectory agrees, but in another series the two runs");
		put_place(s, row);
		put_series(s, row);
		put_values(s, row);
	} else {
		ts_buf_str(&s->out, "The trajectory agrees, but one series cannot be compared in full: ");
		put_incomplete(s, row);
	}
	ts_buf_str(&s->out, "; it is not known whether ");
	put_name(s, row->name);
	ts_buf_str(&s->out, " is part of the trajectory: declare columns.<name>.role in facts.json");
}

/* --- the same --- */

static void say_same(struct saying *s)
{
	ts_buf_str(&s->out, "Both runs computed the same, bit for bit");
	if (s->tally->trajectory) {
		ts_buf_str(&s->out, ": ");
		ts_print_grouped(&s->out, s->tally->trajectory_same);
		ts_buf_printf(&s->out, " series of the trajectory agree%s over ",
			      s->tally->trajectory_same == 1 ? "s" : "");
		put_count(s, s->diff->a.steps, "step");
	}
	if (s->diff->ops.compared) {
		ts_buf_str(&s->out, "; ");
		put_compared(s);
	}
	if (s->tally->ops_apart)
		ts_buf_str(&s->out, "; some digests of operations are in one run only and were not compared");
}

static void say_ground(struct saying *s)
{
	switch (s->basis->ground) {
	case TS_GROUND_SERIES:
		say_different(s);
		return;
	case TS_GROUND_OPERATION:
		say_operation(s);
		return;
	case TS_GROUND_TENSOR:
		say_tensor(s);
		return;
	case TS_GROUND_RANKS:
		say_ranks(s);
		return;
	case TS_GROUND_NO_RECORD:
		ts_buf_str(
			&s->out,
			"Neither run recorded a loss, a gradient norm, a learning rate, a digest or any other series "
			"of a trajectory: nothing shows whether they computed the same");
		return;
	case TS_GROUND_INCOMPLETE:
		say_incomplete(s);
		return;
	case TS_GROUND_ROLE:
		say_role(s);
		return;
	case TS_GROUND_OPERATIONS_APART:
		put_compared(s);
		ts_buf_str(&s->out, ", but other digests of operations are in one run only");
		return;
	case TS_GROUND_SAME:
		break;
	}
	say_same(s);
}

/* --- all --- */

/* "; 3 recorded facts differ: config.lr and 2 more" */
static void put_facts(struct saying *s)
{
	uint64_t n = s->basis->facts;

	if (n == 0)
		return;
	ts_buf_str(&s->out, "; ");
	put_count(s, n, "recorded fact");
	ts_buf_printf(&s->out, " differ%s: ", n == 1 ? "s" : "");
	ts_escape(&s->out, s->basis->fact->path);
	if (n > 1)
		ts_buf_printf(&s->out, " and %" PRIu64 " more", n - 1);
}

/* "; loss of the first run and train/loss of the second are compared as one series: they agree at the first 64 common steps" */
static void put_aliases(struct saying *s)
{
	const struct ts_alias_row *alias = s->diff->aliases;
	size_t n = s->diff->n_aliases;

	if (n == 0)
		return;
	ts_buf_str(&s->out, "; ");
	put_name(s, alias->a);
	ts_buf_str(&s->out, " of the first run and ");
	put_name(s, alias->b);
	ts_buf_str(&s->out, " of the second are compared as one series: they ");
	if (alias->common) {
		ts_buf_printf(&s->out, "agree at %s ", alias->parts ? "the first" : "all");
		put_count(s, alias->common, s->diff->axis.len ? "common point" : "common step");
	} else {
		ts_buf_printf(&s->out, alias->parts ? "differ at the first common %s already" : "have no common %s",
			      s->diff->axis.len ? "point" : "step");
	}
	if (n > 1) {
		ts_buf_str(&s->out, n == 2 ? "; so is " : "; so are ");
		put_count(s, n - 1, "more pair");
		ts_buf_str(&s->out, " of names");
	}
}

static void put_cut(struct saying *s, uint64_t n, const char *what)
{
	if (n == 0)
		return;
	ts_buf_str(&s->out, "; ");
	ts_print_grouped(&s->out, n);
	ts_buf_printf(&s->out, " more rows of %s are not listed", what);
}

enum ts_status ts_diff_say(const struct ts_diff *diff, const struct ts_diff_tally *tally,
			   const struct ts_diff_basis *basis, struct ts_arena *arena, struct ts_span *ret_sentence,
			   struct ts_error *err)
{
	struct saying s = {.out = TS_BUF_INIT(SENTENCE_MAX), .diff = diff, .tally = tally, .basis = basis};
	enum ts_status status;
	struct ts_span text;

	say_ground(&s);
	put_aliases(&s);
	put_facts(&s);
	put_cut(&s, tally->facts_cut, "facts");
	put_cut(&s, tally->series_cut, "series");
	status = ts_buf_check(&s.out, err);
	if (!status) {
		text = ts_arena_span(arena, ts_buf_view(&s.out));
		if (text.data)
			*ret_sentence = text;
		else
			status = ts_arena_error(arena, err);
	}
	ts_buf_finish(&s.out);
	return status;
}
