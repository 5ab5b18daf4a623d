/* report_diff.c - the report of a diff: one sentence, how sure it is, which equivalences hold, then which series differ from which step
 * on, the curves, the facts, the evidence and what to run next. What the answer does not have leaves its words or its section out.
 */
#include "cli/report/report_diff.h"
#include "analysis/answer/say.h"
#include "base/words.h"
#include "cli/report/report.h"
#include "cli/text/reproduce.h"
#include "cli/text/show_ops.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { EVIDENCE_SHOWN = 8, EXPERIMENTS_SHOWN = 4, OPS_SHOWN = 8 };

static enum ts_light light_of(enum ts_diff_verdict verdict)
{
	switch (verdict) {
	case TS_DIFF_SAME:
		return TS_LIGHT_CLEAR;
	case TS_DIFF_DIFFERENT:
		return TS_LIGHT_HIGH;
	case TS_DIFF_INCONCLUSIVE:
		break;
	}
	return TS_LIGHT_MEDIUM;
}

static bool diagnosed(const struct ts_diff *diff)
{
	return diff->diagnosis.cause != TS_CAUSE_UNKNOWN || diff->diagnosis.sentence.len;
}

/* Says "cause: a different data order; confidence: high; from step 80". Under costs that differ, nothing may be said to be equal but
 * what was computed. */
static const char *cause_of(struct ts_report *r, const struct ts_diagnosis *d)
{
	bool slower = r->costs && d->cause == TS_CAUSE_IDENTICAL;
	const char *but = slower ? " in what was computed, but its costs differ" : "";
	const char *text = ts_report_say(r, "cause: %s%s; confidence: %s", ts_cause_title(d->cause), but,
					 ts_confidence_word(d->confidence));

	return d->has_step ? ts_report_say(r, "%s; from step %" PRId64, text, d->step) : text;
}

static void runs(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {
		{.key = "side"}, {.key = "name", .least = 8}, {.key = "id"}, {.key = "steps"}, {.key = "ranks"}};
	const struct ts_run_ref *sides[] = {&diff->a, &diff->b};
	struct ts_section *s = ts_report_section(r, TS_SECTION_HEAD);
	struct ts_view *table;

	if (diff->diagnosis.sentence.len && diff->diagnosis.cause != TS_CAUSE_IDENTICAL)
		ts_report_line(r, s, NULL, ts_report_text(r, diff->reason));
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	for (int i = 0; i < 2; i++) {
		const struct ts_run_ref *run = sides[i];
		const char *steps = ts_report_kept(r, ts_show_plural(run->steps, "step", r->arena));
		const char *range = run->steps ? ts_show_range(run->first_step, run->last_step, r->arena) : "none";
		const char *name = run->own_name.len ? ts_report_text(r, run->own_name) : "-";
		const char *id = ts_report_kept(r, ts_show_id(&run->id, r->arena));
		const char *ranks = ts_report_kept(r, ts_show_plural(run->ranks, "rank", r->arena));
		const char *extent = ts_report_say(r, "%s (%s)", steps, ts_report_kept(r, range));
		ts_view_row(table, NULL);
		ts_view_set(table, "side", i ? TS_STYLE_B : TS_STYLE_A, i ? "b" : "a");
		ts_view_set(table, "name", TS_STYLE_PLAIN, name);
		ts_view_set(table, "id", TS_STYLE_DIM, id);
		ts_view_lead(table, "id", ts_report_kept(r, ts_show_link("r/", &run->id, r->arena)));
		ts_view_set(table, "steps", TS_STYLE_PLAIN, extent);
		ts_view_set(table, "ranks", TS_STYLE_PLAIN, ranks);
	}
}

static void tier(struct ts_report *r, struct ts_section *s, const char *label, const struct ts_tier *t)
{
	static const char *const answers[] = {"not known", "yes", "no"};

	ts_report_line(r, s, label, ts_report_join(r, answers[t->answer], ": ", t->why.len ? ts_report_text(r, t->why) : NULL));
}

/* Says "numeric_jump 1e-05 (default 2e-06)". */
static void cut_offs(struct ts_report *r, const struct ts_diff *diff)
{
	const char *text = NULL;

	for (size_t i = 0; i < diff->n_cut_offs; i++) {
		const struct ts_cut_off *c = &diff->cut_offs[i];

		text = ts_report_join(r, text, ", ",
				      ts_report_say(r, "%s %s (default %s)", ts_report_text(r, c->name),
						    ts_say_number(c->value).text, ts_say_number(c->standard).text));
	}
	if (text)
		ts_report_line(r, ts_report_section(r, TS_SECTION_CUT_OFFS_BY_POLICY), NULL, text);
}

static void tiers(struct ts_report *r, const struct ts_diagnosis *d)
{
	struct ts_section *s = ts_report_section(r, TS_SECTION_EQUIVALENT);

	tier(r, s, "bit-exact", &d->bits);
	tier(r, s, "numerical", &d->numeric);
	tier(r, s, "statistical", &d->statistical);
}

static void sentences(struct ts_report *r, struct ts_section *s, const char *label, const struct ts_span *items, size_t n)
{
	size_t shown = r->whole || n <= EVIDENCE_SHOWN ? n : EVIDENCE_SHOWN;

	for (size_t i = 0; i < shown; i++)
		ts_report_line(r, s, label, ts_report_text(r, items[i]));
	if (shown < n)
		ts_report_line(r, s, label, ts_report_say(r, "and %zu more; --all shows them", n - shown));
}

static void evidence(struct ts_report *r, const struct ts_diagnosis *d)
{
	const char *remaining = NULL;
	struct ts_section *s;

	if (!d->n_for && !d->n_against && !d->n_remaining)
		return;
	s = ts_report_section(r, TS_SECTION_EVIDENCE);
	sentences(r, s, "for", d->evidence_for, d->n_for);
	sentences(r, s, "against", d->evidence_against, d->n_against);
	for (size_t i = 0; i < d->n_remaining; i++)
		remaining = ts_report_join(r, remaining, "; ", ts_cause_title(d->remaining[i]));
	ts_report_line(r, s, "could be", remaining);
}

static void next(struct ts_report *r, const struct ts_diagnosis *d)
{
	size_t n = r->whole || d->n_experiments <= EXPERIMENTS_SHOWN ? d->n_experiments : EXPERIMENTS_SHOWN;
	struct ts_section *s;

	if (n == 0)
		return;
	s = ts_report_section(r, TS_SECTION_NEXT);
	for (size_t i = 0; i < n; i++) {
		const struct ts_experiment *e = &d->experiments[i];
		const char *text = ts_report_text(r, e->what);

		if (e->steps)
			text = ts_report_say(r, "%s (%s to run)", text,
					     ts_report_kept(r, ts_show_plural(e->steps, "step", r->arena)));
		ts_report_line(
			r, s, ts_report_say(r, "%zu", i + 1),
			ts_report_join(r, text, "; this shows ", e->splits.len ? ts_report_text(r, e->splits) : NULL));
		if (e->command.len)
			ts_report_item(r, s, TS_ITEM_COMMAND, "")->text = ts_report_text(r, e->command);
	}
	if (n < d->n_experiments)
		ts_report_line(r, s, NULL, ts_report_say(r, "and %zu more; --all shows them", d->n_experiments - n));
}

static const char *ops_head(struct ts_report *r, const struct ts_op_diff *ops)
{
	const char *text =
		ts_report_say(r, "%s compared", ts_report_kept(r, ts_show_plural(ops->compared, "digest", r->arena)));

	if (ops->only_a)
		text = ts_report_say(r, "%s, %s only in a", text, ts_report_kept(r, ts_show_count(ops->only_a, r->arena)));
	if (ops->only_b)
		text = ts_report_say(r, "%s, %s only in b", text, ts_report_kept(r, ts_show_count(ops->only_b, r->arena)));
	return ops->reordered ? ts_report_say(r, "%s; the order of the operations differs somewhere", text) : text;
}

static const char *op_role(struct ts_report *r, const struct ts_op_row *row)
{
	const char *role = row->has_inputs ? "receiver" : "origin or receiver";

	return ts_report_say(r, "%s: %s", row->role == TS_OP_ORIGIN ? "origin" : role, ts_op_role_says(row));
}

/* Writes the first operation that differs on each rank, in the order of the rows. */
static void operations(struct ts_report *r, const struct ts_diff *diff)
{
	const struct ts_op_diff *ops = &diff->ops;
	static const struct ts_view_column columns[] = {TS_RIGHT("rank"), TS_RIGHT("step"), TS_LEFT("operation", 12),
							TS_LEFT("role", 12)};
	size_t n = r->whole || ops->n <= OPS_SHOWN ? ops->n : OPS_SHOWN;
	struct ts_section *s;
	struct ts_view *table;

	if (!ops->n && !ops->only_a && !ops->only_b && !ops->reordered)
		return;
	s = ts_report_section(r, TS_SECTION_OPERATIONS);
	s->head = ops_head(r, ops);
	for (size_t i = 0; i < ops->n_apart && i < OPS_SHOWN; i++)
		ts_report_line(r, s, i ? "" : "apart", ts_report_text(r, ts_op_apart_says(&ops->apart[i], r->arena)));
	if (!n)
		return;
	ts_report_line(r, s, "first", ts_report_kept(r, ts_show_first_op(ops, diff->a.ranks > 1 || diff->b.ranks > 1, r->arena)));
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	table->indented = true;
	for (size_t i = 0; i < n; i++) {
		const struct ts_op_row *row = &ops->rows[i];
		const char *name = ts_report_text(r, row->name);
		const char *rank = row->rank == TS_RANK_JOB ? "job" : ts_report_say(r, "%d", row->rank);

		if (row->occurrence)
			name = ts_report_say(r, "%s (occurrence %s)", name,
					     ts_report_kept(r, ts_show_count(row->occurrence, r->arena)));
		ts_view_row(table, NULL);
		ts_view_set(table, "rank", TS_STYLE_PLAIN, rank);
		ts_view_set(table, "step", TS_STYLE_PLAIN, ts_report_say(r, "%" PRId64, row->step));
		ts_view_set(table, "operation", TS_STYLE_BOLD, name);
		ts_view_set(table, "role", row->role == TS_OP_ORIGIN ? TS_STYLE_MARK : TS_STYLE_PLAIN, op_role(r, row));
	}
	table->more = ops->n - n;
}

static const char *tensors_head(struct ts_report *r, const struct ts_sketch_diff *t)
{
	const char *text = ts_report_say(r, "%s compared over %s", ts_report_kept(r, ts_show_plural(t->compared, "tensor", r->arena)),
					 ts_report_kept(r, ts_show_plural(t->steps, "step", r->arena)));
	const struct {
		uint64_t n;
		const char *what;
	} rest[] = {{t->only_a, "only in a"},
		    {t->only_b, "only in b"},
		    {t->shards, "added up from shards"},
		    {t->sizes, "with another number of elements"},
		    {t->not_finite, "not finite in both"},
		    {t->noise, "that rounding alone makes something else"},
		    {t->has_rounding && !t->flat ? t->unjudged : 0, "that could not be judged"}};

	for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
		if (rest[i].n)
			text = ts_report_say(r, "%s, %s %s", text, ts_report_kept(r, ts_show_count(rest[i].n, r->arena)), rest[i].what);
	return text;
}

static const char *size_of(struct ts_report *r, double x)
{
	return isnan(x) ? "-" : ts_report_say(r, "%.3g", x);
}

/* Says of a row what its ratio is, or why it has none. */
static const char *over_rounding(struct ts_report *r, const struct ts_sketch_row *row)
{
	switch (row->state) {
	case TS_SKETCH_EQUAL:
		return "equal";
	case TS_SKETCH_NOISE:
		return "rounding alone makes it something else";
	case TS_SKETCH_SIZES:
		return "other numbers of elements";
	case TS_SKETCH_NOT_FINITE:
		return "not finite";
	case TS_SKETCH_UNJUDGED:
		return "not judged";
	case TS_SKETCH_WITHIN:
	case TS_SKETCH_ABOVE:
		return isnan(row->ratio) ? "not finite in b alone"
					 : ts_report_say(r, "%.3g of at most %.3g", row->ratio, row->limit);
	}
	return TS_NEWER_WORD;
}

static void tensors(struct ts_report *r, const struct ts_diff *diff)
{
	static const struct ts_view_column columns[] = {TS_RIGHT("step"),     TS_LEFT("module", 12), TS_LEFT("kind", 8),
							TS_RIGHT("distance"), TS_RIGHT("rounding"),  TS_LEFT("times rounding", 12)};
	const struct ts_sketch_diff *t = &diff->sketches;
	struct ts_section *s;
	struct ts_view *table;

	if (!t->recorded && t->sentence.len == 0)
		return;
	s = ts_report_section(r, TS_SECTION_TENSORS);
	s->head = t->recorded ? tensors_head(r, t) : "none compared";
	ts_report_line(r, s, t->has_first ? "first" : NULL, ts_report_text(r, t->sentence));
	if (t->has_first)
		ts_report_line(r, s, "before", ts_report_say(r, "%s of that step before it, none of them above rounding",
							     ts_report_kept(r, ts_show_plural(t->before, "tensor", r->arena))));
	if (!t->n)
		return;
	table = ts_report_table(r, s, TS_VIEW_COLUMNS(columns));
	table->indented = true;
	for (size_t i = 0; i < t->n; i++) {
		const struct ts_sketch_row *row = &t->rows[i];
		const char *name = ts_report_text(r, row->name);

		if (row->occurrence)
			name = ts_report_say(r, "%s (occurrence %s)", name,
					     ts_report_kept(r, ts_show_count(row->occurrence, r->arena)));
		ts_view_row(table, NULL);
		ts_view_set(table, "step", TS_STYLE_PLAIN, ts_report_say(r, "%" PRId64, row->step));
		ts_view_set(table, "module", TS_STYLE_BOLD, name);
		ts_view_set(table, "kind", TS_STYLE_PLAIN, ts_report_text(r, row->kind));
		ts_view_set(table, "distance", TS_STYLE_PLAIN, size_of(r, row->distance));
		ts_view_set(table, "rounding", TS_STYLE_PLAIN, size_of(r, row->rounding));
		ts_view_set(table, "times rounding", row->state == TS_SKETCH_ABOVE ? TS_STYLE_MARK : TS_STYLE_PLAIN,
			    over_rounding(r, row));
	}
}

static void side(struct ts_report *r, struct ts_section *s, const char *label, const struct ts_run_ref *run,
		 const struct ts_reproduce_side *side)
{
	const char *missing = NULL;

	ts_report_line(r, s, label, ts_report_kept(r, ts_show_run(run, r->arena)));
	for (size_t i = 0; i < side->n; i++)
		ts_report_item(r, s, TS_ITEM_COMMAND, "")->text = side->commands[i];
	for (size_t i = 0; i < side->n_missing; i++)
		missing = ts_report_join(r, missing, "; ", side->missing[i]);
	ts_report_line(r, s, "not known", missing);
}

static void reproduce(struct ts_report *r, const struct ts_diff *diff, const struct ts_reproduce *how)
{
	struct ts_section *s;

	if (!how)
		return;
	s = ts_report_section(r, TS_SECTION_REPRODUCE);
	side(r, s, "a", &diff->a, &how->a);
	side(r, s, "b", &diff->b, &how->b);
}

/* "a: The run crashed at step 40: ..."; NULL: it finished, or nothing says how it ended. */
static const char *ended(struct ts_report *r, const char *side, const struct ts_ending *ending)
{
	return ending->sentence.len ? ts_report_say(r, "%s: %s", side, ts_report_text(r, ending->sentence)) : NULL;
}

enum ts_status ts_report_of_diff(const struct ts_diff *diff, bool all, const struct ts_reproduce *how, struct ts_arena *arena,
				 struct ts_report *ret_report, struct ts_error *err)
{
	static const struct ts_events no_events;
	struct ts_report r = {.arena = arena, .whole = all, .events = &no_events, .plots = &diff->plots};
	const struct ts_diagnosis *d = &diff->diagnosis;

	r.title = ts_report_text(&r, d->sentence.len ? d->sentence : diff->reason);
	r.light = light_of(diff->verdict);
	r.ended[0] = ended(&r, "a", &diff->ending_a);
	r.ended[1] = ended(&r, "b", &diff->ending_b);
	r.costs = ts_report_diff_costs(&r, diff);
	r.view = diagnosed(diff) ? cause_of(&r, d) : NULL;
	r.name = ts_report_say(&r, "%s and %s", ts_report_run(&r, &diff->a), ts_report_run(&r, &diff->b));
	r.foot = ts_report_say(&r, "runs %s and %s", ts_report_kept(&r, ts_show_hex(&diff->a.id, arena)),
			       ts_report_kept(&r, ts_show_hex(&diff->b.id, arena)));
	r.rows = &d->features;
	runs(&r, diff);
	if (diagnosed(diff))
		tiers(&r, d);
	cut_offs(&r, diff);
	ts_report_diff_outcomes(&r, diff);
	ts_report_diff_series(&r, diff);
	ts_report_diff_layers(&r, diff);
	ts_report_diff_curves(&r, diff);
	ts_report_diff_facts(&r, diff);
	ts_report_diff_compared(&r, diff);
	ts_report_diff_extent(&r, diff);
	ts_report_diff_repeats(&r, diff);
	operations(&r, diff);
	ts_report_diff_events(&r, diff);
	tensors(&r, diff);
	evidence(&r, d);
	next(&r, d);
	reproduce(&r, diff, how);
	if (r.failed)
		return ts_arena_error(arena, err);
	*ret_report = r;
	return TS_OK;
}
