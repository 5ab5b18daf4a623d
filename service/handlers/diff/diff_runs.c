#include "service/handlers/diff/diff_runs.h"

#include "analysis/diverge/diagnose.h"
#include "analysis/diverge/layer_drift.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/order.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/run_ending.h"
#include "service/handlers/core/run_steps.h"
#include "service/handlers/diff/diff_events.h"
#include "service/handlers/diff/diff_evidence.h"
#include "service/handlers/diff/diff_ops.h"
#include "service/handlers/diff/diff_outcomes.h"
#include "service/handlers/diff/diff_plots.h"
#include "service/handlers/diff/diff_sketches.h"
#include "service/handlers/diff/series_alias.h"
#include "service/handlers/diff/series_axis.h"
#include "service/handlers/diff/series_gap.h"
#include "service/handlers/diff/series_list.h"

enum { GAP_SCRATCH = 4 << 20, GAP_BYTES = 160 };

/* The state of one comparison. */
struct diffing {
	struct ts_fetch *fetch;
	struct ts_arena *arena;
	const struct ts_run *a, *b;
	struct ts_series_walk *walk;
	struct ts_axis axis; /* for the current rank */
	struct ts_diff *diff;
	size_t cap_series, cap_aliases;
	size_t next_alias; /* where the next one is looked for: the ranks have theirs in one order */
	struct ts_step_set steps_a, steps_b; /* for the first rank */
	bool has_steps, listed; /* listed: the steps of several ranks are merged */
	struct ts_step_ranges only_a, only_b;
	struct ts_diff_tally tally;
	const struct ts_diff_how *how;
	struct ts_cuts cuts;
	struct ts_evidence_notes notes;
};

/* Returns the role of a series from the facts of the two sides; one is NULL where that side lacks it. */
static enum ts_role joint_role(const struct ts_series_side *a, const struct ts_series_side *b, const struct ts_facts facts[2])
{
	if ((a ? a : b)->table->kind == TS_TABLE_PIPELINE)
		return TS_ROLE_OBSERVATION;
	if (!a || !b)
		return a ? ts_role_of(a->column->name, &facts[0]) : ts_role_of(b->column->name, &facts[1]);
	return ts_series_joint_role(ts_role_of(a->column->name, &facts[0]), ts_role_of(b->column->name, &facts[1]));
}

static uint64_t superseded_of(const struct ts_run *run)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++)
		rows += ts_index_superseded(&run->indexes[i]);
	return rows;
}

static enum ts_status keep_row(struct diffing *d, const struct ts_series_row *row, struct ts_error *err)
{
	struct ts_diff *diff = d->diff;

	if (!TS_GROW_IN(d->arena, diff->series, d->cap_series, diff->n_series + 1, 32))
		return ts_arena_error(d->arena, err);
	diff->series[diff->n_series++] = *row;
	return TS_OK;
}

/* Notes a series that has two names: once, with the fewest steps of any rank. */
static enum ts_status keep_alias(struct diffing *d, struct ts_span b, const struct ts_series_row *row, struct ts_error *err)
{
	struct ts_diff *diff = d->diff;
	struct ts_alias_row one = {
		.a = row->name, .b = b, .ranks = 1, .common = row->common, .parts = row->state == TS_SERIES_PARTS};

	for (size_t k = 0; k < diff->n_aliases; k++) {
		size_t i = (d->next_alias + k) % diff->n_aliases;
		struct ts_alias_row *seen = &diff->aliases[i];

		if (!ts_span_eq(seen->a, one.a) || !ts_span_eq(seen->b, one.b))
			continue;
		seen->ranks++;
		seen->common = seen->common < one.common ? seen->common : one.common;
		seen->parts |= one.parts;
		d->next_alias = i + 1;
		return TS_OK;
	}
	if (!TS_GROW_IN(d->arena, diff->aliases, d->cap_aliases, diff->n_aliases + 1, 8))
		return ts_arena_error(d->arena, err);
	diff->aliases[diff->n_aliases++] = one;
	return TS_OK;
}

static void count_row(struct diffing *d, const struct ts_series_row *row)
{
	if (row->state == TS_SERIES_SAME)
		d->diff->n_same++;
	if (row->role != TS_ROLE_TRAJECTORY)
		return;
	d->tally.trajectory++;
	d->tally.trajectory_same += row->state == TS_SERIES_SAME;
	d->tally.trajectory_common += row->state == TS_SERIES_SAME || row->state == TS_SERIES_PARTS ||
				      row->state == TS_SERIES_EXTENT;
	d->tally.parts += row->state == TS_SERIES_PARTS;
}

static bool same_name(const struct ts_series_side *a, const struct ts_series_side *b)
{
	return a->table->kind == b->table->kind && ts_span_eq(a->column->name, b->column->name);
}

/* Returns the types that a side has under the name of `of`, whose series are next to the place `at` of the walk. */
static unsigned types_beside(const struct ts_series_list *list, size_t at, const struct ts_series_side *of)
{
	unsigned types = 0;

	while (at > 0 && same_name(&list->items[at - 1], of))
		at--;
	for (; at < list->n && same_name(&list->items[at], of); at++)
		types |= 1u << list->items[at].column->type;
	return types;
}

/* Names a series. An event's name is pipeline[].start, for example, which no column of steps can have. */
static enum ts_status name_of(struct diffing *d, const struct ts_series_side *side, struct ts_span *ret_name,
			      struct ts_error *err)
{
	static const char prefix[] = "pipeline[].";
	struct ts_span name = side->column->name;
	char *text;

	if (side->table->kind == TS_TABLE_PIPELINE && name.len + strlen(prefix) <= TS_PATH_MAX) {
		text = ts_arena_printf(d->arena, "%s%.*s", prefix, TS_SPAN_ARG(name));
		if (!text)
			return ts_arena_error(d->arena, err);
		name = ts_span_of(text, name.len + strlen(prefix));
	}
	*ret_name = name;
	return TS_OK;
}

/* Only computed numbers have a gap: measured numbers always differ, and the size of the difference means nothing. */
static bool has_gap(const struct ts_series_row *row)
{
	return row->type == TS_COLUMN_F64 && row->role != TS_ROLE_OBSERVATION;
}

/* A learning rate was chosen by somebody: its number of digits does not show the format in which it was written. */
static bool is_measured(const struct ts_series_row *row)
{
	return ts_series_kind_of(row->name, row->type, row->role) != TS_KIND_LR;
}

static enum ts_status measure_gap(struct diffing *d, struct ts_series_row *row, struct ts_writings *ret_writings, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status;

	if (row->state != TS_SERIES_PARTS || !has_gap(row))
		return TS_OK;
	ts_arena_init(&scratch, GAP_SCRATCH);
	status = ts_series_gap(d->walk, is_measured(row), &scratch, &row->gap, ret_writings, err);
	ts_arena_finish(&scratch);
	return status;
}

/* Events of a pipeline have no step, and therefore no position on an axis. */
static enum ts_status compare_pair(struct diffing *d, const struct ts_series_side *a, const struct ts_series_side *b,
				   struct ts_series_row *row, struct ts_writings *ret_writings, struct ts_error *err)
{
	if (d->axis.name.len && a->table->kind == TS_TABLE_STEPS)
		return ts_series_compare_by(d->fetch, &d->axis, *a, *b, has_gap(row), d->arena, row, err);
	if (ts_series_compare(d->walk, *a, *b, d->arena, row, err))
		return err->status;
	return measure_gap(d, row, ret_writings, err);
}

/* a or b is NULL where that side lacks the series; other_types has the types that it has instead. */
static enum ts_status diff_series(struct diffing *d, int32_t rank, const struct ts_series_side *a,
				  const struct ts_series_side *b, unsigned other_types, enum ts_role role,
				  struct ts_error *err)
{
	const struct ts_column *column = a ? a->column : b->column;
	struct ts_series_row row = {.type = column->type, .role = role, .rank = rank};
	struct ts_writings writings;

	row.a.type = row.b.type = column->type;
	if (name_of(d, a ? a : b, &row.name, err))
		return err->status;
	if (a && b) {
		if (compare_pair(d, a, b, &row, &writings, err))
			return ts_error_prefix(err, "rank %d", rank);
	} else {
		row.state = a ? TS_SERIES_ONLY_A : TS_SERIES_ONLY_B;
		row.steps_a = row.only_a = a ? a->table->rows : 0;
		row.steps_b = row.only_b = b ? b->table->rows : 0;
		row.counted = true;
		row.other_types = other_types;
	}
	count_row(d, &row);
	if (a && b && !ts_span_eq(a->column->name, b->column->name) && keep_alias(d, b->column->name, &row, err))
		return err->status;
	if (d->axis.name.len == 0 && ts_evidence_note(&d->notes, d->fetch, &row, row.gap.known ? &writings : NULL, a, b, err))
		return ts_error_prefix(err, "rank %d", rank);
	if (d->axis.name.len == 0 && ts_layer_drift_take(&d->diff->layers, &row, d->arena, err))
		return err->status;
	return row.state == TS_SERIES_SAME ? TS_OK : keep_row(d, &row, err);
}

static enum ts_status compare_steps(struct diffing *d, const struct ts_step_set *a, const struct ts_step_set *b,
				    struct ts_error *err)
{
	return ts_steps_compare(d->fetch, a, b, d->arena, &d->only_a, &d->only_b, err);
}

/* A rank with the same steps as the first one adds nothing. As long as all ranks do, the steps need not be listed. */
static enum ts_status diff_steps(struct diffing *d, const struct ts_index *a, const struct ts_index *b,
				 struct ts_error *err)
{
	struct ts_step_set set_a, set_b;

	if (ts_steps_of(a, NULL, d->arena, &set_a, err) || ts_steps_of(b, NULL, d->arena, &set_b, err))
		return err->status;
	if (!d->has_steps) {
		d->steps_a = set_a;
		d->steps_b = set_b;
		d->has_steps = true;
		return TS_OK;
	}
	if (ts_steps_same(&set_a, &d->steps_a) && ts_steps_same(&set_b, &d->steps_b))
		return TS_OK;
	if (!d->listed && compare_steps(d, &d->steps_a, &d->steps_b, err))
		return err->status;
	d->listed = true;
	return compare_steps(d, &set_a, &set_b, err);
}

static enum ts_status find_axes(struct diffing *d, const struct ts_index *a, const struct ts_index *b, struct ts_error *err)
{
	if (d->axis.name.len == 0)
		return TS_OK;
	if (ts_axis_find(d->a, a, d->axis.name, &d->axis.a, err))
		return ts_error_prefix(err, "the first run");
	if (ts_axis_find(d->b, b, d->axis.name, &d->axis.b, err))
		return ts_error_prefix(err, "the second run");
	return TS_OK;
}

/* The axis itself is not compared: it is what the other series are aligned by, and its growth in each step differs by design. */
static bool is_axis(const struct diffing *d, const struct ts_series_side *side)
{
	struct ts_span name = side->column->name;

	if (d->axis.name.len == 0 || side->table->kind != TS_TABLE_STEPS)
		return false;
	return ts_span_is(name, "tokens") || ts_span_is(name, "samples") ||
	       ts_span_eq(name, d->axis.a.column->name) || ts_span_eq(name, d->axis.b.column->name);
}

static enum ts_status diff_rank(struct diffing *d, const struct ts_index *a, const struct ts_index *b,
				struct ts_error *err)
{
	struct ts_facts facts[2];
	struct ts_series_list lists[2];
	struct ts_aliases aliases;
	size_t i = 0, j = 0;

	if (ts_series_list_of(a, d->arena, &lists[0], err) || ts_series_list_of(b, d->arena, &lists[1], err) ||
	    ts_series_facts(d->a, a, d->arena, &facts[0], err) || ts_series_facts(d->b, b, d->arena, &facts[1], err) ||
	    find_axes(d, a, b, err) || ts_aliases_find(d->walk, lists, facts, d->arena, &aliases, err))
		return err->status;
	while (i < lists[0].n || j < lists[1].n) {
		const struct ts_series_side *x = i < lists[0].n ? &lists[0].items[i] : NULL;
		const struct ts_series_side *y = j < lists[1].n ? &lists[1].items[j] : NULL;
		int c = !x ? 1 : (!y ? -1 : ts_series_side_cmp(x, y));
		unsigned other_types = c < 0 ? types_beside(&lists[1], j, x) : c > 0 ? types_beside(&lists[0], i, y) : 0;

		x = c <= 0 ? x : NULL;
		y = c >= 0 ? y : NULL;
		/* A series that has two names is compared under that of the first run. */
		if (x && !y && aliases.of_a[i] != TS_ALIAS_NONE)
			y = &lists[1].items[aliases.of_a[i]];
		i += c <= 0;
		j += c >= 0;
		if ((!x && aliases.of_b[j - 1] != TS_ALIAS_NONE) || is_axis(d, x ? x : y))
			continue;
		if (diff_series(d, a->rank, x, y, other_types, joint_role(x, y, facts), err))
			return err->status;
	}
	return diff_steps(d, a, b, err);
}

static enum ts_status lone_ranks(const struct ts_run *run, const struct ts_run *other, struct ts_arena *arena,
				 int32_t **ret_ranks, size_t *ret_n, struct ts_error *err)
{
	int32_t *ranks = ts_arena_array(arena, run->head.n_ranks, sizeof *ranks);
	size_t n = 0;

	if (!ranks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		int32_t rank = run->head.ranks[i].rank;

		if (rank != TS_RANK_JOB && !ts_run_rank(other, rank))
			ranks[n++] = rank;
	}
	*ret_ranks = ranks;
	*ret_n = n;
	return TS_OK;
}

/* Compares the series that belong to no rank, events of a pipeline, even if only one side has any. */
static enum ts_status diff_job(struct diffing *d, struct ts_error *err)
{
	static const struct ts_index nothing = {.rank = TS_RANK_JOB};
	const struct ts_index *a = ts_run_rank(d->a, TS_RANK_JOB), *b = ts_run_rank(d->b, TS_RANK_JOB);

	return a || b ? diff_rank(d, a ? a : &nothing, b ? b : &nothing, err) : TS_OK;
}

static enum ts_status diff_ranks(struct diffing *d, struct ts_error *err)
{
	for (size_t i = 0; i < d->a->head.n_ranks; i++) {
		const struct ts_index *a = &d->a->indexes[i], *b = ts_run_rank(d->b, a->rank);

		if (!b || a->rank == TS_RANK_JOB)
			continue;
		d->tally.common_ranks++;
		if (diff_rank(d, a, b, err))
			return err->status;
	}
	if (diff_job(d, err) ||
	    lone_ranks(d->a, d->b, d->arena, &d->diff->ranks_only_a, &d->diff->n_ranks_only_a, err) ||
	    lone_ranks(d->b, d->a, d->arena, &d->diff->ranks_only_b, &d->diff->n_ranks_only_b, err))
		return err->status;
	return TS_OK;
}

static void sum_up_ranges(struct ts_step_ranges *ranges)
{
	if (ranges->counting)
		return;
	ranges->steps = ts_step_ranges_join(ranges);
	if (ranges->n) {
		ranges->first = ranges->items[0].first;
		ranges->last = ranges->items[ranges->n - 1].last;
	}
}

static enum ts_status sum_up_steps(struct diffing *d, struct ts_error *err)
{
	struct ts_diff *diff = d->diff;

	if (d->has_steps && !d->listed) {
		d->only_a.counting = d->only_b.counting = true;
		if (compare_steps(d, &d->steps_a, &d->steps_b, err))
			return err->status;
	}
	sum_up_ranges(&d->only_a);
	sum_up_ranges(&d->only_b);
	diff->steps_only_a = d->only_a.steps;
	diff->only_a_first = d->only_a.first;
	diff->only_a_last = d->only_a.last;
	diff->steps_only_b = d->only_b.steps;
	diff->only_b_first = d->only_b.first;
	diff->only_b_last = d->only_b.last;
	return TS_OK;
}

static int role_order(enum ts_role role)
{
	return role == TS_ROLE_TRAJECTORY ? 0 : (role == TS_ROLE_UNKNOWN ? 1 : 2);
}

TS_ORDER(by_weight, struct ts_series_row, TS_BY(role_order(a->role), role_order(b->role));
	 TS_BY(b->state == TS_SERIES_PARTS, a->state == TS_SERIES_PARTS); if (a->state == TS_SERIES_PARTS) TS_UP(first_step);
	 TS_TEXT(name); TS_UP(rank); TS_UP(type))

static size_t text_bytes(const struct ts_fact *fact)
{
	return fact ? fact->text.len + 32 : 0;
}

/* Removes the rows that would make the answer larger than a message. */
static void cut_rows(struct diffing *d)
{
	struct ts_diff *diff = d->diff;
	size_t bytes = 0, n = 0;

	for (; n < diff->n_facts && bytes < TS_DIFF_ROWS_BYTES; n++)
		bytes += diff->facts[n].path.len + text_bytes(diff->facts[n].a) + text_bytes(diff->facts[n].b) + 32;
	d->tally.facts_cut = diff->n_facts - n;
	diff->n_facts = n;
	for (bytes = n = 0; n < diff->n_series && bytes < TS_DIFF_ROWS_BYTES; n++)
		bytes += diff->series[n].name.len + diff->series[n].a.text.len + diff->series[n].b.text.len + 128 +
			 (diff->series[n].gap.known ? GAP_BYTES : 0);
	d->tally.series_cut = diff->n_series - n;
	diff->n_series = n;
}

static enum ts_status add_repeats(struct diffing *d, struct ts_error *err)
{
	if (d->how->repeats.n == 0)
		return TS_OK;
	return ts_diff_repeats(d->fetch, d->a, d->b, d->how->repeats, &d->cuts, d->diff, d->arena, &d->diff->repeats,
			       err);
}

/* The run that shows rounding may be missing: then there are distances, and no judgement. */
static enum ts_status add_sketches(struct diffing *d, struct ts_error *err)
{
	struct ts_run rounding;

	if (!d->how->tensors)
		return TS_OK;
	if (d->how->has_rounding && ts_run_open(d->fetch, &d->how->rounding, d->arena, &rounding, err))
		return ts_error_prefix(err, "the run that shows rounding");
	if (ts_diff_sketches(d->fetch, d->a, d->b, d->how->has_rounding ? &rounding : NULL, d->arena, &d->diff->sketches, err))
		return ts_error_prefix(err, "sketches of tensors");
	return TS_OK;
}

/* Lists the cut-offs that a policy set to other values than the defaults. */
static enum ts_status tell_cuts(struct diffing *d, struct ts_error *err)
{
	struct ts_cut_off *told = ts_arena_array(d->arena, TS_CUTS, sizeof *told);
	size_t n = 0;

	if (!told)
		return ts_arena_error(d->arena, err);
	for (size_t i = 0; i < TS_CUTS; i++)
		if (d->cuts.value[i] != ts_cut_rows[i].value)
			told[n++] = (struct ts_cut_off){ts_span_str(ts_cut_rows[i].name), d->cuts.value[i],
							ts_cut_rows[i].value};
	d->diff->cut_offs = told;
	d->diff->n_cut_offs = n;
	return TS_OK;
}

static enum ts_status diff_all(struct diffing *d, struct ts_error *err)
{
	struct ts_diff *diff = d->diff;
	struct ts_repeats_seen seen;

	if (ts_run_describe(d->fetch, d->a, &diff->a, err) || ts_run_ending(d->fetch, d->a, d->arena, &diff->ending_a, err))
		return ts_error_prefix(err, "the first run");
	if (ts_run_describe(d->fetch, d->b, &diff->b, err) || ts_run_ending(d->fetch, d->b, d->arena, &diff->ending_b, err))
		return ts_error_prefix(err, "the second run");
	diff->superseded_a = superseded_of(d->a);
	diff->superseded_b = superseded_of(d->b);
	if (ts_facts_diff(d->a, d->b, d->how->ignore, d->arena, &diff->facts, &diff->n_facts, &diff->ignored_facts, err) ||
	    diff_ranks(d, err))
		return err->status;
	if (ts_diff_ops(d->fetch, d->a, d->b, d->arena, &diff->ops, &d->tally.ops_apart, err))
		return ts_error_prefix(err, "digests of operations");
	if (ts_diff_events(d->fetch, d->a, d->b, d->arena, &diff->events, err))
		return ts_error_prefix(err, "events");
	if (add_sketches(d, err) || sum_up_steps(d, err) || add_repeats(d, err) ||
	    ts_layer_drift_finish(&diff->layers, d->arena, err))
		return err->status;
	TS_SORT(diff->series, diff->n_series, by_weight);
	seen = ts_repeats_seen_of(&diff->repeats);
	if (d->axis.name.len ? ts_diagnose_by_axis(diff, d->arena, err)
			     : ts_diff_diagnose(&d->notes, d->fetch, d->a, d->b, &seen, &d->cuts, diff, err))
		return err->status;
	cut_rows(d);
	if (ts_diff_judge(diff, &d->tally, d->how->expected, d->arena, err))
		return err->status;
	ts_diagnose_settle(diff);
	return TS_OK;
}

static enum ts_status diff_with_itself(struct diffing *d, struct ts_error *err)
{
	struct ts_diff *diff = d->diff;

	if (ts_run_describe(d->fetch, d->a, &diff->a, err) || ts_run_ending(d->fetch, d->a, d->arena, &diff->ending_a, err))
		return err->status;
	diff->b = diff->a;
	diff->ending_b = diff->ending_a;
	for (size_t i = 0; i < d->a->head.n_ranks; i++) {
		const struct ts_index *index = &d->a->indexes[i];

		for (size_t t = 0; t < index->n_tables; t++)
			diff->n_same += ts_series_is_compared(&index->tables[t]) ? index->tables[t].n_columns : 0;
	}
	ts_diagnose_itself(diff);
	return TS_OK;
}

static bool has_loss(const struct ts_run *run)
{
	for (size_t i = 0; i < run->head.n_ranks; i++)
		if (ts_index_has_loss(&run->indexes[i]))
			return true;
	return false;
}

enum ts_status ts_diff_runs(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b,
			    const struct ts_diff_how *how, struct ts_arena *arena, struct ts_diff *ret_diff,
			    struct ts_error *err)
{
	struct ts_diff diff = {.axis = how->axis};
	struct diffing d = {
		.fetch = f, .arena = arena, .diff = &diff, .axis.name = how->axis, .how = how, .notes.arena = arena};
	struct ts_run run_a, run_b;
	enum ts_status status;

	d.a = d.b = &run_a;
	if (how->policy && ts_policy_check(how->policy, err))
		return err->status;
	ts_cuts_of(how->policy, &d.cuts);
	if (tell_cuts(&d, err))
		return err->status;
	if (ts_run_open(f, a, arena, &run_a, err))
		return ts_error_prefix(err, "the first run");
	if (ts_id_eq(a, b)) {
		status = diff_with_itself(&d, err);
		if (!status)
			status = add_repeats(&d, err);
	} else {
		d.b = &run_b;
		if (ts_run_open(f, b, arena, &run_b, err))
			return ts_error_prefix(err, "the second run");
		if (how->outcomes && ts_diff_outcomes_expect(f, &run_a, &run_b, arena, err))
			return err->status;
		d.notes.no_loss = !has_loss(&run_a) && !has_loss(&run_b);
		status = ts_series_walk_create(f, &d.walk, err);
		if (!status)
			status = diff_all(&d, err);
		ts_series_walk_destroy(d.walk);
	}
	if (!status)
		*ret_diff = diff;
	return status;
}

TS_REPLIER(diff_reply, ts_diff);

static enum ts_status resolve_repeats(struct ts_call *call, const struct ts_diff_request *request, struct ts_arena *arena,
				      struct ts_run_ids *ret_repeats, struct ts_error *err)
{
	struct ts_id *ids = ts_arena_array(arena, request->n_repeats, sizeof *ids);

	if (!ids)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < request->n_repeats; i++) {
		struct ts_resolved found;

		if (ts_resolve(call->engine, request->repeats[i], arena, &found, err))
			return ts_error_prefix(err, "repeat %zu", i + 1);
		ids[i] = found.id;
	}
	*ret_repeats = (struct ts_run_ids){ids, request->n_repeats};
	return TS_OK;
}

static enum ts_status answer(struct ts_call *call, const struct ts_diff_request *request, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_diff_how how = {
		.ignore = {request->ignore, request->n_ignore},
		.axis = request->axis,
		.policy = &request->policy,
		.outcomes = request->outcomes,
		.tensors = true,
		.has_rounding = request->rounding.len > 0};
	struct ts_resolved a, b, rounding;
	struct ts_fetch fetch;
	struct ts_diff diff;
	enum ts_status status;

	if (ts_resolve(call->engine, request->a, arena, &a, err) ||
	    ts_resolve(call->engine, request->b, arena, &b, err) ||
	    resolve_repeats(call, request, arena, &how.repeats, err))
		return err->status;
	if (how.has_rounding) {
		if (ts_resolve(call->engine, request->rounding, arena, &rounding, err))
			return ts_error_prefix(err, "the run that shows rounding");
		how.rounding = rounding.id;
	}
	ts_fetch_init(&fetch, call);
	status = ts_diff_runs(&fetch, &a.id, &b.id, &how, arena, &diff, err);
	if (!status && request->outcomes)
		status = ts_diff_outcomes(&fetch, &a.id, &b.id, arena, &diff, err);
	if (!status)
		status = ts_diff_plots(&fetch, &a.id, &b.id, request->plots, arena, &diff, err);
	ts_fetch_finish(&fetch);
	if (!status)
		return reply_diff_reply(call, &diff, err);
	(void)ts_blame(call, (struct ts_span[]){request->a, request->b, request->rounding}, 3, err);
	return ts_blame(call, request->repeats, request->n_repeats, err);
}

enum ts_status ts_handle_diff(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_diff_request asked;
	struct ts_arena arena;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_diff_request(request, call->arena, &asked, err))
		return err->status;
	/* The indexes of two runs may take more memory than an ordinary call is allowed. */
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = answer(call, &asked, &arena, err);
	ts_arena_finish(&arena);
	return status;
}
