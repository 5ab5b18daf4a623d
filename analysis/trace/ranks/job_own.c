/* job_own.c - own times of steps, and the test for stragglers (job_parts.h). */
#include "analysis/trace/ranks/job_parts.h"
#include "base/order.h"

#include "analysis/ranks/straggler.h"
#include "analysis/stats/correlation.h"
#include "base/bisect.h"
#include "base/door.h"

#include <math.h>

/* --- own times --- */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Takes the union of the waiting with what of the communication was exposed, writes it into the place of the waiting, if that has room,
 * and calls for nothing more: both are by begin, and each piece lies in one exposed interval. */
static enum ts_status expose(struct ts_job_waits *waits, const struct ts_job_interval *exposed, size_t n_exposed,
			     struct ts_arena *arena, struct ts_error *err)
{
	struct ts_job_interval *out = ts_arena_array(arena, waits->n + n_exposed, sizeof *out);
	size_t n = 0, k = 0;
	int64_t done = INT64_MIN;

	if (!out)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < waits->n; i++) {
		int64_t begin = later(waits->items[i].begin, done), end = waits->items[i].end;

		while (k < n_exposed && exposed[k].end <= begin)
			k++;
		for (size_t j = k; j < n_exposed && exposed[j].begin < end; k = j++)
			if (later(begin, exposed[j].begin) < earlier(end, exposed[j].end))
				out[n++] = (struct ts_job_interval){later(begin, exposed[j].begin), earlier(end, exposed[j].end)};
		done = later(done, end);
	}
	waits->items = out;
	waits->n = n;
	return TS_OK;
}

struct own {
	int64_t number;
	uint64_t own, step; /* own time, and the step's */
};

/* Steps that are not there are left out. waits are exposed ones. */
static size_t own_of(const struct ts_job_trace *t, const struct ts_job_waits *waits, struct own *ret)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < t->n_steps; i++) {
		const struct ts_job_step *s = &t->steps[i];
		uint64_t waited = 0;

		while (k < waits->n && waits->items[k].end <= s->begin)
			k++;
		for (size_t j = k; j < waits->n && waits->items[j].begin < s->end; k = j++) {
			int64_t begin = later(waits->items[j].begin, s->begin), end = earlier(waits->items[j].end, s->end);

			waited += end > begin ? (uint64_t)end - (uint64_t)begin : 0;
		}
		if (s->there)
			ret[n++] = (struct own){.number = s->number,
						.own = (uint64_t)s->end - (uint64_t)s->begin - waited,
						.step = (uint64_t)s->end - (uint64_t)s->begin};
	}
	return n;
}

TS_ORDER(compare_own, struct own, TS_UP(number))

/* Keeps of a the steps that b has, too; both are by number. */
static size_t keep_common(int64_t *a, size_t n_a, const struct own *b, size_t n_b)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < n_a; i++) {
		while (k < n_b && b[k].number < a[i])
			k++;
		if (k < n_b && b[k].number == a[i])
			a[n++] = a[i];
	}
	return n;
}

/* --- the test --- */

struct table {
	struct own **rows; /* [rank] */
	size_t *n;	   /* [rank] */
	size_t *at;	   /* [rank], of rows */
	double *own, *saved, *scratch;
	double wall;
};

static void fill(struct table *t, struct ts_trace_job *job)
{
	for (size_t r = 0; r < job->n_ranks; r++) {
		uint64_t sum = 0;
		size_t k = 0;

		for (size_t i = 0; i < job->n_steps; i++) {
			while (t->rows[r][k].number < job->steps[i])
				k++;
			t->own[r * job->n_steps + i] = (double)t->rows[r][k].own;
			ts_job_add(&sum, t->rows[r][k].own);
		}
		job->ranks[r].own_ns = job->n_steps ? sum / job->n_steps : 0;
	}
}

static bool is_common(const struct ts_trace_job *job, int64_t step)
{
	size_t at = 0;

	TS_BISECT(at, job->n_steps, i, job->steps[i] < step);
	return at < job->n_steps && job->steps[at] == step;
}

static struct ts_job_rank *rank_of(const struct ts_trace_job *job, int64_t rank)
{
	size_t at = 0;

	TS_BISECT(at, job->n_ranks, i, job->ranks[i].rank < rank);
	return at < job->n_ranks && job->ranks[at].rank == rank ? &job->ranks[at] : NULL;
}

/* What a step takes, and what it would take if a rank were in time. */
static void fill_in_time(const struct table *t, struct ts_trace_job *job)
{
	uint64_t sum = 0;
	size_t *at = t->at;

	memset(at, 0, job->n_ranks * sizeof *at);
	for (size_t i = 0; i < job->n_steps; i++) {
		uint64_t most = 0;

		for (size_t r = 0; r < job->n_ranks; r++) {
			while (t->rows[r][at[r]].number < job->steps[i])
				at[r]++;
			most = t->rows[r][at[r]].step > most ? t->rows[r][at[r]].step : most;
		}
		ts_job_add(&sum, most);
	}
	for (size_t i = 0; i < job->n_collectives; i++) {
		const struct ts_job_collective *c = &job->collectives[i];
		struct ts_job_rank *last = c->saves_ns && c->in_step && is_common(job, c->step) ? rank_of(job, c->last_rank) : NULL;

		if (last)
			ts_job_add(&last->in_time_ns, c->saves_ns);
	}
	job->step_ns = job->n_steps ? sum / job->n_steps : 0;
	for (size_t r = 0; r < job->n_ranks; r++) {
		uint64_t saved = job->ranks[r].in_time_ns;

		job->ranks[r].in_time_ns = saved < sum ? (sum - saved) / job->n_steps : 0;
	}
}

/* What the job would save without a rank, as a share of the steps' time, less what it would save without a usual rank. */
static void fill_saved(struct table *t, const struct ts_trace_job *job)
{
	size_t n = job->n_ranks, steps = job->n_steps;
	double wall = 0;

	for (size_t i = 0; i < steps; i++) {
		double most = -INFINITY, next = -INFINITY;
		size_t slowest = 0;

		for (size_t r = 0; r < n; r++) {
			double own = t->own[r * steps + i];

			if (own > most) {
				next = most;
				most = own;
				slowest = r;
			} else {
				next = fmax(next, own);
			}
		}
		wall += most;
		t->scratch[slowest] += most - next;
	}
	for (size_t r = 0; r < n; r++)
		t->scratch[r] = wall > 0 ? t->scratch[r] / wall : 0;
	ts_deviations(t->scratch, n, t->scratch + n, t->saved);
}

static const char *why_undecided(const struct ts_trace_job *job, const struct ts_straggler_test *t, struct ts_arena *arena)
{
	if (job->n_steps == 1)
		return "the only step that all ranks have does not show for how long differences between steps last";
	if (job->n_steps < TS_CORRELATION_CELLS_MIN || !t->block)
		return ts_arena_printf(arena, "%zu steps of all ranks do not show for how long differences between them last",
				       job->n_steps);
	return ts_arena_printf(arena, "there are %zu independent blocks of %zu steps, and %zu ranks need %zu", t->blocks, t->block,
			       job->n_ranks, t->blocks_needed);
}

static enum ts_status test(struct table *t, struct ts_arena *arena, struct ts_trace_job *job, struct ts_error *err)
{
	struct ts_straggler_data data = {
		.own = t->own, .stride = job->n_steps, .n_ranks = job->n_ranks, .n_cells = job->n_steps, .saved = t->saved};
	struct ts_straggler_test result;

	fill_saved(t, job);
	if (ts_straggler_test(&data, arena, &result, err))
		return err->status;
	job->decidable = result.decidable;
	job->steps_needed = result.blocks_needed * (result.block ? result.block : 1);
	if (job->steps_needed < TS_CORRELATION_CELLS_MIN)
		job->steps_needed = TS_CORRELATION_CELLS_MIN;
	if (!result.decidable && job->steps_needed <= job->n_steps)
		job->steps_needed = (uint64_t)job->n_steps + 1;
	if (!result.decidable) {
		job->undecided = why_undecided(job, &result, arena);
		if (!job->undecided)
			return ts_arena_error(arena, err);
	}
	for (size_t r = 0; r < job->n_ranks; r++) {
		job->ranks[r].tested = true;
		job->ranks[r].straggler = result.ranks[r].named;
		job->ranks[r].slowdown = result.ranks[r].slowdown;
		job->ranks[r].p = result.ranks[r].p;
	}
	return TS_OK;
}

static enum ts_status common_steps(struct table *t, struct ts_arena *arena, struct ts_trace_job *job, struct ts_error *err)
{
	size_t n = 0;

	job->steps = ts_arena_array(arena, job->n_ranks ? t->n[0] : 0, sizeof *job->steps);
	if (!job->steps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; job->n_ranks && i < t->n[0]; i++)
		if (!n || job->steps[n - 1] != t->rows[0][i].number)
			job->steps[n++] = t->rows[0][i].number;
	for (size_t r = 1; r < job->n_ranks; r++)
		n = keep_common(job->steps, n, t->rows[r], t->n[r]);
	job->n_steps = n;
	t->own = ts_arena_array(arena, job->n_ranks, (n ? n : 1) * sizeof *t->own);
	t->saved = ts_arena_array(arena, job->n_ranks, sizeof *t->saved);
	t->scratch = ts_arena_array(arena, job->n_ranks, 2 * sizeof *t->scratch);
	if (!t->own || !t->saved || !t->scratch)
		return ts_arena_error(arena, err);
	fill(t, job);
	fill_in_time(t, job);
	return TS_OK;
}

enum ts_status ts_job_own_times(const struct ts_job_side *sides, const struct ts_job_waits *waits, struct ts_arena *arena,
				struct ts_trace_job *job, struct ts_error *err)
{
	struct table t = {.rows = ts_arena_array(arena, job->n_ranks, sizeof *t.rows),
			  .n = ts_arena_array(arena, job->n_ranks, sizeof *t.n),
			  .at = ts_arena_array(arena, job->n_ranks, sizeof *t.at)};

	TS_DOOR_ALL(i, job->n_ranks, sides[i].trace);
	if (!t.rows || !t.n || !t.at)
		return ts_arena_error(arena, err);
	for (size_t r = 0; r < job->n_ranks; r++) {
		const struct ts_job_trace *trace = sides[r].trace;
		struct ts_job_waits exposed = waits[r];

		t.rows[r] = ts_arena_array(arena, trace->n_steps, sizeof **t.rows);
		if (!t.rows[r])
			return ts_arena_error(arena, err);
		if (expose(&exposed, trace->exposed, trace->n_exposed, arena, err))
			return err->status;
		for (size_t i = 0; i < exposed.n; i++)
			ts_job_add(&job->ranks[r].ns[TS_JOB_EXPOSED_WAITING],
				   (uint64_t)exposed.items[i].end - (uint64_t)exposed.items[i].begin);
		t.n[r] = own_of(trace, &exposed, t.rows[r]);
		TS_SORT(t.rows[r], t.n[r], compare_own);
	}
	if (common_steps(&t, arena, job, err))
		return err->status;
	for (size_t r = 0; r < job->n_ranks; r++)
		job->ranks[r].slowdown = job->ranks[r].p = (double)NAN;
	return job->n_ranks >= 2 && job->n_steps ? test(&t, arena, job, err) : TS_OK;
}
