/* ranks_rows.c - makes rows of an answer from what ranks.c collected.
 *
 * Stragglers are in ranks_stragglers.c, TraceML's view and plots in ranks_views.c.
 */
#include "analysis/answer/row_words.h"
#include "analysis/ranks/ranks_internal.h"

#include "analysis/stats/stats.h"
#include "base/bisect.h"
#include "base/door.h"

#include <stdio.h>

static const char NO_COMM[] = "no rank has the phase comm";
static const char IN_BACKWARD[] =
	"the collectives run inside backward, where their time cannot be separated from computing";

/* With fewer ranks or steps, a slope of backward on the other time may be chance. */
enum { SLOPE_MIN = 8, MISSING_LISTED = 64 };

enum ts_rank_track_kind ts_ranks_track(const struct ts_ranks *r)
{
	const struct ts_rank_steps *k = r->kept;
	double slope, correlation;

	TS_DOOR(ts_ranks_hold(r));
	if (!k->tracks[TS_TRACK_HIDDEN].on || k->n * (r->n_ranks - 1) < SLOPE_MIN || k->pre_square <= 0)
		return TS_TRACK_PLAIN;
	slope = k->pre_backward / k->pre_square;
	correlation = k->pre_backward / sqrt(k->pre_square) / sqrt(k->backward_square);
	return slope <= -0.5 && correlation <= -0.5 ? TS_TRACK_HIDDEN : TS_TRACK_PLAIN;
}

/* The rows of the job or of one rank; that the arena has no room for one of them, it remembers. */
struct rows {
	struct ts_measures *measures;
	struct ts_arena *arena;
	struct ts_span subject; /* a rank, or none */
};

static void row(struct rows *o, enum ts_measure_name what, double value, const char *reason)
{
	if (reason)
		(void)ts_measure_unknown(o->measures, o->arena, what, o->subject, reason);
	else
		(void)ts_measure_add(o->measures, o->arena, what, o->subject, value);
}

static void row_text(struct rows *o, enum ts_measure_name what, const char *text)
{
	if (text)
		(void)ts_measure_text(o->measures, o->arena, what, o->subject, ts_span_str(text));
}

static bool present(const struct ts_ranks *r, int64_t rank)
{
	size_t lo = 0;

	TS_BISECT(lo, r->n_ranks, i, r->ranks[i] < rank);
	return lo < r->n_ranks && r->ranks[lo] == rank;
}

/* Lists the missing ranks as "3, 7, 12-15", at most MISSING_LISTED ranges of them. */
static char *missing_text(const struct ts_ranks *r, struct ts_arena *arena)
{
	char *text = ts_arena_printf(arena, "%s", "");
	int listed = 0;

	for (int64_t a = 0; text && a < r->world_size; a++) {
		int64_t last = a;

		if (present(r, a))
			continue;
		while (last + 1 < r->world_size && !present(r, last + 1))
			last++;
		if (listed == MISSING_LISTED)
			return ts_arena_printf(arena, "%s and more", text);
		text = ts_arena_printf(arena, last > a ? "%s%s%" PRId64 "-%" PRId64 : "%s%s%" PRId64, text,
				       listed ? ", " : "", a, last);
		listed++;
		a = last;
	}
	return text;
}

static void job_rows(const struct ts_ranks *r, struct rows *o)
{
	static const char NO_WORLD[] = "the run does not record its world size";
	size_t inside = 0;

	row(o, TS_M_RANKS_WORLD_SIZE, r->world_size, r->world_size ? NULL : NO_WORLD);
	row(o, TS_M_RANKS_PRESENT, (double)r->n_ranks, NULL);
	for (size_t i = 0; i < r->n_ranks; i++)
		inside += r->ranks[i] >= 0 && r->ranks[i] < (int64_t)r->world_size;
	row(o, TS_M_RANKS_MISSING, (double)(r->world_size - inside), r->world_size ? NULL : NO_WORLD);
	if (inside < r->world_size)
		row_text(o, TS_M_RANKS_MISSING_LIST, missing_text(r, o->arena));
	row(o, TS_M_RANKS_ALIGNED_STEPS, (double)r->n_aligned, NULL);
	row(o, TS_M_RANKS_LEFT_OUT, (double)r->kept->left_out, NULL);
	row_text(o, TS_M_RANKS_RESOLUTION,
		 r->kept->exact ? "steps" : ts_arena_printf(o->arena, "cells of %zu steps", r->kept->cell));
}

/* Returns why nothing can be compared, or NULL if it can. */
static const char *why_nothing(const struct ts_ranks *r)
{
	if (r->n_ranks < 2)
		return r->n_ranks ? "only one rank has steps" : "no rank has steps";
	if (r->n_aligned == 0)
		return "no step is present on every rank";
	return r->kept->n ? NULL : "every step has a time that is not finite";
}

static double sum_waits(const struct ts_ranks *r, enum ts_rank_track_kind kind)
{
	struct ts_tally sum = {0, 0};

	for (size_t a = 0; a < r->n_ranks; a++)
		ts_tally_add(&sum, ts_tally_value(&r->sums[a].wait[kind]));
	return ts_tally_value(&sum);
}

static void cost_rows(const struct ts_ranks *r, enum ts_rank_track_kind kind, double *scratch, struct rows *o)
{
	const struct ts_rank_steps *k = r->kept;
	const struct ts_rank_track *t = &k->tracks[kind];
	const char *none = why_nothing(r), *no_comm = none, *no_wait = none;
	double n = (double)k->n, wall = ts_tally_value(&k->wall), longest = ts_tally_value(&t->longest);
	double transfer = ts_tally_value(&k->transfer[TS_TRACK_PLAIN]), wait = none ? 0 : sum_waits(r, kind) / (double)r->n_ranks;
	const char *no_wall = none ? none : (wall > 0 ? NULL : "the steps take no time");

	if (!none && kind == TS_TRACK_HIDDEN)
		no_comm = IN_BACKWARD;
	else if (!none && !k->has_comm)
		no_comm = no_wait = NO_COMM;
	row_text(o, TS_M_RANKS_MODE,
		 ts_ranks_mode_word(kind == TS_TRACK_HIDDEN ? TS_RANKS_HIDDEN
				    : k->has_comm	    ? TS_RANKS_EXPLICIT
							    : TS_RANKS_ALONE));
	row(o, TS_M_RANKS_WALL, wall / n, none);
	row(o, TS_M_RANKS_TRANSFER, transfer / n, no_comm);
	row(o, TS_M_RANKS_WAIT, wait / n, no_wait);
	row(o, TS_M_RANKS_TRANSFER_SHARE, transfer / wall, no_comm ? no_comm : no_wall);
	row(o, TS_M_RANKS_WAIT_SHARE, wait / wall, no_wait ? no_wait : no_wall);
	row(o, TS_M_RANKS_COMM_SHARE, (transfer + wait) / wall, no_comm ? no_comm : no_wall);
	row(o, TS_M_RANKS_COMM_MAX, ts_tally_value(&k->comm_max) / n, no_comm);
	row(o, TS_M_RANKS_IMBALANCE_CV, none ? 0 : ts_median(t->imbalance, k->n, scratch), none);
	row(o, TS_M_RANKS_SKEW, none ? 0 : ts_median(t->skew, k->n, scratch), none);
	row(o, TS_M_RANKS_LOST_SHARE, ts_tally_value(&t->lost) / longest,
	    none ? none : (longest > 0 ? NULL : "the ranks' own time is 0"));
	row(o, TS_M_RANKS_LOST, ts_tally_value(&t->lost), none);
}

/* Returns the median over steps, or over cells where not every step is kept. */
static double rank_median(const struct ts_ranks *r, size_t rank, const double *steps, const struct ts_rank_track *t,
			  double *scratch)
{
	const struct ts_rank_steps *k = r->kept;

	if (k->exact)
		return ts_median(steps + rank * r->n_aligned, k->n, scratch);
	return ts_median(t->cells + rank * k->n_cells, k->cells, scratch);
}

static void rank_rows(const struct ts_ranks *r, size_t a, enum ts_rank_track_kind kind, double *scratch, struct rows *o)
{
	const struct ts_rank_steps *k = r->kept;
	const struct ts_rank_track *t = &k->tracks[kind], *plain = &k->tracks[TS_TRACK_PLAIN];
	const struct ts_rank_sums *s = &r->sums[a];
	const double *total = k->total ? k->total : plain->own;
	double n = (double)k->n, wait = ts_tally_value(&s->wait[kind]);
	const char *none = k->n ? NULL : why_nothing(r);
	const char *no_wait = none ? none : (kind == TS_TRACK_HIDDEN || k->has_comm ? NULL : NO_COMM);
	const char *no_median = none;

	if (!none && !k->exact && k->has_comm)
		no_median = "there are too many ranks and steps to keep the time of every step";
	row(o, TS_M_RANK_STEPS, n, NULL);
	row(o, TS_M_RANK_OWN, ts_tally_value(&s->own[kind]) / n, none);
	row(o, TS_M_RANK_OWN_MEDIAN, none ? 0 : rank_median(r, a, t->own, t, scratch), none);
	row(o, TS_M_RANK_MEDIAN, no_median ? 0 : rank_median(r, a, total, plain, scratch), no_median);
	row(o, TS_M_RANK_WORK, (ts_tally_value(&s->total) - wait) / n, no_wait);
	row(o, TS_M_RANK_WAIT, wait / n, no_wait);
	row(o, TS_M_RANK_SLOWEST, (double)s->slowest[kind], none);
	row(o, TS_M_RANK_SLOWEST_SHARE, (double)s->slowest[kind] / n, none);
	row(o, TS_M_RANK_BLAME, ts_tally_value(&s->blame[kind]), why_nothing(r));
	if (!r->memory)
		return;
	row(o, TS_M_RANK_PEAK, r->memory[a].peak, r->memory[a].has_peak ? NULL : r->memory[a].no_peak);
	row(o, TS_M_RANK_GROWTH, r->memory[a].growth, r->memory[a].has_growth ? NULL : r->memory[a].no_growth);
}

/* Turns the sums of cells into means; the last cell may have fewer steps. */
static void finish_cells(struct ts_ranks *r)
{
	struct ts_rank_steps *k = r->kept;

	k->cells = k->n / k->cell + (k->n % k->cell != 0);
	for (int kind = 0; kind < TS_TRACKS; kind++)
		for (size_t i = 0; k->tracks[kind].on && i < r->n_ranks * k->cells; i++) {
			size_t rank = i / k->cells, cell = i % k->cells;
			size_t n = cell + 1 < k->cells ? k->cell : k->n - cell * k->cell;

			k->tracks[kind].cells[rank * k->n_cells + cell] /= (double)n;
		}
}

/* Adds the rows with the results of the straggler test for the job. */
static void test_rows(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *t,
		      const char *undecided, struct rows *o)
{
	const struct ts_rank_steps *k = r->kept;
	const char *unknown = t->n_named ? NULL : undecided; /* an episode needs no decision over the whole run */
	double saved = unknown ? 0 : ts_ranks_saved(r, kind, t), wall = ts_tally_value(&k->wall);

	row(o, TS_M_RANKS_AUTOCORRELATION, (double)(t->block * k->cell), t->block ? NULL : undecided);
	row(o, TS_M_RANKS_BLOCKS, (double)t->blocks, t->block ? NULL : undecided);
	row_text(o, TS_M_RANKS_DECIDABLE, undecided ? undecided : ts_answered_word(TS_ANSWERED_YES));
	row(o, TS_M_RANKS_STRAGGLERS, (double)t->n_named, unknown);
	row(o, TS_M_RANKS_SAVED, saved, unknown);
	row(o, TS_M_RANKS_SAVED_SHARE, saved / wall, unknown ? unknown : (wall > 0 ? NULL : "the steps take no time"));
}

static void straggler_rows(const struct ts_ranks *r, size_t a, const struct ts_straggler_test *t,
			   const struct ts_straggler_course *c, const char *undecided, struct rows *o)
{
	const struct ts_straggler_rank *s = &t->ranks[a];

	row(o, TS_M_RANK_SLOWDOWN, s->slowdown, isfinite(s->slowdown) ? NULL : "the own time of the other ranks is 0");
	row(o, TS_M_RANK_P_VALUE, s->p, isnan(s->p) ? undecided : NULL);
	if (!s->named)
		return;
	row_text(o, TS_M_RANK_STRAGGLER, ts_straggler_word(c[a].kind));
	if (c[a].kind != TS_STRAGGLER_PERSISTENT)
		row(o, TS_M_RANK_ONSET, (double)r->kept->steps[c[a].onset], NULL);
	if (c[a].kind == TS_STRAGGLER_PERIODIC)
		row(o, TS_M_RANK_PERIOD, (double)c[a].period, NULL);
}

/* Adds the rows for a job in which nothing can be tested. */
static void no_test_rows(const char *none, struct rows *o)
{
	static const enum ts_measure_name untested[] = {TS_M_RANKS_AUTOCORRELATION, TS_M_RANKS_BLOCKS,
							TS_M_RANKS_STRAGGLERS, TS_M_RANKS_SAVED,
							TS_M_RANKS_SAVED_SHARE};

	row_text(o, TS_M_RANKS_DECIDABLE, ts_arena_printf(o->arena, "the test for stragglers cannot run: %s", none));
	for (size_t i = 0; i < sizeof untested / sizeof untested[0]; i++)
		row(o, untested[i], 0, none);
}

static struct ts_span *subjects_of(const struct ts_ranks *r, struct ts_arena *arena)
{
	struct ts_span *subjects = ts_arena_array(arena, r->n_ranks, sizeof *subjects);

	for (size_t a = 0; subjects && a < r->n_ranks; a++) {
		char *subject = ts_measure_subject(TS_M_RANK_OWN, r->ranks[a], arena);

		if (!subject)
			return NULL;
		subjects[a] = ts_span_str(subject);
	}
	return subjects;
}

enum ts_status ts_ranks_finish(struct ts_ranks *r, struct ts_arena *arena, struct ts_measures *measures,
			       struct ts_events *events, struct ts_plots *plots, struct ts_error *err)
{
	struct rows o = {.measures = measures, .arena = arena};
	enum ts_rank_track_kind kind = ts_ranks_track(r);
	double *scratch = ts_arena_array(r->arena, r->kept->n, sizeof *scratch);
	struct ts_span *subjects = subjects_of(r, arena);
	struct ts_straggler_course *courses = ts_arena_array(r->arena, r->n_ranks, sizeof *courses);
	struct ts_straggler_test test = {.n_named = 0};
	const char *none = why_nothing(r);
	size_t first_event = events->n, plotted = 0;
	char *undecided = NULL;

	TS_DOOR(ts_ranks_hold(r));
	TS_DOOR(ts_plots_hold(plots));
	TS_DOOR(ts_events_hold(events));
	TS_DOOR(ts_measures_hold(measures));
	if (!scratch || !subjects || !courses)
		return ts_arena_error(r->arena, err);
	finish_cells(r);
	job_rows(r, &o);
	cost_rows(r, kind, scratch, &o);
	if (none) {
		no_test_rows(none, &o);
	} else {
		if (ts_ranks_test(r, kind, arena, &test, &undecided, err))
			return err->status;
		test_rows(r, kind, &test, undecided, &o);
		if (test.n_named && ts_ranks_courses(r, kind, &test, subjects, arena, courses, events, err))
			return err->status;
		if (ts_ranks_plots(r, kind, &test, subjects, arena, plots, &plotted, err))
			return err->status;
		row(&o, TS_M_RANKS_PLOTTED, (double)plotted, NULL);
	}
	for (size_t a = 0; a < r->n_ranks; a++) {
		o.subject = subjects[a];
		rank_rows(r, a, kind, scratch, &o);
		if (!none)
			straggler_rows(r, a, &test, courses, undecided, &o);
	}
	ts_events_trim(events, first_event);
	if (!none && ts_ranks_traceml(r, arena, measures, err))
		return err->status;
	return ts_arena_check(arena, err);
}
