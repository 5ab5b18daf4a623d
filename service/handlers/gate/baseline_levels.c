#include "service/handlers/gate/baseline_levels.h"

#include "analysis/stats/change_point.h"

#include <math.h>

#define MAX_P 0.001

enum { COMMIT_SHOWN = 12, REASON_SHOWN = 200 };

static const uint64_t SEED = 0x7473636f7065; /* for the permutations: any number, but always the same */

/* A series of runs of one workload, oldest first: the indexes of their items, and which of them begin a level. */
struct line {
	size_t *at;
	bool *begins;
	const char **why; /* why the run begins a level; NULL for the others */
	size_t n;
};

static bool has_time(const struct ts_baseline_item *item)
{
	const struct ts_reduced *r = &item->run.reduction.metrics[TS_METRIC_STEP_TIME];

	return r->known && isfinite(r->value) && r->value > 0;
}

/* A run is evidence for a level unless it was passed over or is itself a candidate. */
static bool counts(const struct ts_baseline_item *item)
{
	return !item->silent && (item->why_not.len == 0 || item->other) && has_time(item);
}

/* Returns how a sentence names the run: by the first digits of its commit, or by its name where it records no commit. */
static struct ts_span place(const struct ts_baseline_item *item)
{
	struct ts_span commit = item->run.workload.commit;

	if (commit.len == 0)
		return item->run.name;
	return ts_span_of(commit.data, commit.len < COMMIT_SHOWN ? commit.len : COMMIT_SHOWN);
}

static enum ts_status line_alloc(struct ts_baseline_selection *s, struct line *line, struct ts_error *err)
{
	*line = (struct line){.at = ts_arena_array(s->arena, s->n, sizeof *line->at),
			      .begins = ts_arena_array(s->arena, s->n, sizeof *line->begins),
			      .why = ts_arena_array(s->arena, s->n, sizeof *line->why)};
	return line->at && line->begins && line->why ? TS_OK : ts_arena_error(s->arena, err);
}

static enum ts_status mark(struct ts_baseline_selection *s, struct line *line, size_t k, const char *why,
			   struct ts_error *err)
{
	if (!why)
		return ts_arena_error(s->arena, err);
	line->begins[k] = true;
	line->why[k] = why;
	return TS_OK;
}

static enum ts_status mark_accepted(struct ts_baseline_selection *s, struct line *line, struct ts_error *err)
{
	for (size_t k = 0; k < line->n; k++) {
		const struct ts_baseline_item *item = &s->items[line->at[k]];
		size_t shown = item->accepted.len < REASON_SHOWN ? item->accepted.len : REASON_SHOWN;

		if (item->accepted.len &&
		    mark(s, line, k,
			 ts_arena_printf(s->arena, "the change accepted at %.*s (%.*s)", TS_SPAN_ARG(place(item)),
					 (int)shown, (const char *)item->accepted.data),
			 err))
			return err->status;
	}
	return TS_OK;
}

/* Marks the change points of step time, each at the first run of the new level. */
static enum ts_status mark_changes(struct ts_baseline_selection *s, struct line *line, struct ts_error *err)
{
	struct ts_change_options options = {
		.max_p = MAX_P, .min_size = log1p(s->policy->min_size[TS_METRIC_STEP_TIME]), .seed = SEED};
	double *values = ts_arena_array(s->arena, line->n, sizeof *values);
	size_t *of = ts_arena_array(s->arena, line->n, sizeof *of);
	struct ts_change_point *points;
	size_t n = 0, n_points;

	if (!values || !of)
		return ts_arena_error(s->arena, err);
	for (size_t k = 0; k < line->n; k++) {
		const struct ts_baseline_item *item = &s->items[line->at[k]];

		if (!counts(item))
			continue;
		of[n] = k;
		values[n++] = log(item->run.reduction.metrics[TS_METRIC_STEP_TIME].value);
	}
	if (ts_change_points(values, n, &options, s->arena, &points, &n_points, err))
		return err->status;
	for (size_t i = 0; i < n_points; i++) {
		size_t k = of[points[i].at];
		double size = expm1(points[i].after - points[i].before);

		if (!line->begins[k] &&
		    mark(s, line, k,
			 ts_arena_printf(s->arena, "step time %s by %.2g %% at %.*s", size > 0 ? "rose" : "fell",
					 fabs(size) * 100, TS_SPAN_ARG(place(&s->items[line->at[k]]))),
			 err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_baseline_levels(struct ts_baseline_selection *s, struct ts_error *err)
{
	const char *since = NULL;
	unsigned level = 0;
	struct line line;

	if (line_alloc(s, &line, err))
		return err->status;
	for (size_t i = s->n; i-- > 0;)
		if (s->items[i].same && s->items[i].line)
			line.at[line.n++] = i;
	if (mark_accepted(s, &line, err) || mark_changes(s, &line, err))
		return err->status;
	for (size_t k = 0; k < line.n; k++) {
		level += line.begins[k];
		since = line.begins[k] ? line.why[k] : since;
		s->items[line.at[k]].level = level;
	}
	for (size_t k = 0; since && k < line.n; k++) {
		struct ts_baseline_item *item = &s->items[line.at[k]];
		const char *why;

		if (item->level == level || item->why_not.len)
			continue;
		why = ts_arena_printf(s->arena, "it comes before %s", since);
		if (!why)
			return ts_arena_error(s->arena, err);
		item->why_not = ts_span_str(why);
		item->beyond = true;
	}
	s->since = since ? ts_arena_printf(s->arena, " since %s", since) : NULL;
	return since && !s->since ? ts_arena_error(s->arena, err) : TS_OK;
}

/* --- history --- */

static enum ts_status add_history(struct ts_baseline_selection *s, const struct ts_baseline_item *item, uint32_t group,
				  struct ts_error *err)
{
	struct ts_gate_run *run = ts_gate_run_add(s->input, s->arena);

	if (!run)
		return ts_arena_error(s->arena, err);
	*run = item->run;
	run->role = TS_GATE_HISTORY;
	run->group = group;
	/* For a run of the history, only its distance from the other runs of its group matters. */
	run->reduction.n_parts = run->reduction.n_ranks = 0;
	return TS_OK;
}

static bool same_everything(const struct ts_workload *a, const struct ts_workload *b)
{
	return ts_span_eq(a->name, b->name) &&
	       (a->name.len || ts_id_eq(&a->key[TS_WORKLOAD_CONFIG], &b->key[TS_WORKLOAD_CONFIG])) &&
	       ts_id_eq(&a->key[TS_WORKLOAD_HARDWARE], &b->key[TS_WORKLOAD_HARDWARE]) &&
	       ts_id_eq(&a->key[TS_WORKLOAD_PARALLELISM], &b->key[TS_WORKLOAD_PARALLELISM]) &&
	       ts_id_eq(&a->key[TS_WORKLOAD_LIBRARIES], &b->key[TS_WORKLOAD_LIBRARIES]);
}

/* Adds runs of the workload of the item at `first` to the history, one group per level; *io_group is the last group number given. */
static enum ts_status add_other(struct ts_baseline_selection *s, size_t first, bool *taken, uint32_t *io_group,
				size_t *io_df, struct ts_error *err)
{
	size_t in_level = 0;
	struct line line;

	if (line_alloc(s, &line, err))
		return err->status;
	for (size_t i = s->n; i-- > first;) {
		if (!s->items[i].other || taken[i] ||
		    !same_everything(&s->items[i].run.workload, &s->items[first].run.workload))
			continue;
		taken[i] = true;
		line.at[line.n++] = i;
	}
	if (line.n < 2)
		return TS_OK;
	if (mark_accepted(s, &line, err) || mark_changes(s, &line, err))
		return err->status;
	for (size_t k = 0; k < line.n; k++) {
		if (k == 0 || line.begins[k]) {
			++*io_group;
			in_level = 0;
		}
		*io_df += in_level++ > 0;
		if (add_history(s, &s->items[line.at[k]], *io_group, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_baseline_history(struct ts_baseline_selection *s, struct ts_error *err)
{
	unsigned last = 0;
	uint32_t group = 1; /* of the runs of the newest level that are not baselines */
	size_t df = 0, in_level = 0;
	bool *taken = ts_arena_array(s->arena, s->n, sizeof *taken);

	if (!taken)
		return ts_arena_error(s->arena, err);
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].same && s->items[i].line && s->items[i].level > last)
			last = s->items[i].level;
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_baseline_item *item = &s->items[i];

		if (!item->beyond)
			continue;
		if (last - item->level + 1 != group)
			in_level = 0;
		group = last - item->level + 1;
		df += in_level++ > 0;
		if (add_history(s, item, group, err))
			return err->status;
	}
	for (size_t i = 0; i < s->n && (double)df < s->policy->prior_df_most; i++)
		if (s->items[i].other && !taken[i] && add_other(s, i, taken, &group, &df, err))
			return err->status;
	return TS_OK;
}
