#include "analysis/trace/ranks/job.h"

#include "analysis/trace/ranks/job_parts.h"
#include "base/door.h"
#include "base/order.h"
#include "base/words.h"

struct work {
	struct ts_job_trace *traces;
	size_t n;
	enum ts_job_file_state *states;
	const char **whys;
	struct ts_arena *arena;
	struct ts_trace_job *out;
	const struct ts_job_trace **by_rank; /* those that name their rank, by rank and time */
	size_t n_by_rank;
	struct ts_job_trace *joined; /* [rank] */
	struct ts_job_side *sides;   /* [rank] */
};

TS_WORDS(ts_job_figure_word, enum ts_job_figure, "unknown", [TS_JOB_SPAN] = "span", [TS_JOB_BUSY] = "busy", [TS_JOB_IDLE] = "idle",
	 [TS_JOB_COMPUTATION] = "computation", [TS_JOB_COMMUNICATION] = "communication", [TS_JOB_EXPOSED] = "exposed_communication",
	 [TS_JOB_MEMORY] = "memory", [TS_JOB_WAITING] = "waiting", [TS_JOB_EXPOSED_WAITING] = "exposed_waiting")

TS_WORDS(ts_job_file_word, enum ts_job_file_state, "unknown", [TS_JOB_FILE_READ] = "read", [TS_JOB_FILE_NO_RANK] = "no_rank",
	 [TS_JOB_FILE_SAME] = "same_time", [TS_JOB_FILE_FAILED] = "failed", [TS_JOB_FILE_OTHER] = "no_trace")

/* --- which traces are of which rank --- */

/* A time of a trace since 1970; stops at the ends of what can be said. */
static int64_t since_1970(const struct ts_job_trace *t, int64_t time)
{
	int64_t sum;

	if (__builtin_add_overflow(t->base_ns, time, &sum))
		return time > 0 ? INT64_MAX : INT64_MIN;
	return sum;
}

TS_ORDER_OF_POINTERS(compare_traces, struct ts_job_trace, TS_UP(rank); TS_BY(since_1970(a, a->from), since_1970(b, b->from));
		     TS_THEN(strcmp(a->file, b->file)))

static enum ts_status choose(struct work *w, struct ts_error *err)
{
	const struct ts_job_trace *last = NULL;
	size_t n = 0;

	w->by_rank = ts_arena_array(w->arena, w->n, sizeof *w->by_rank);
	if (!w->by_rank)
		return ts_arena_error(w->arena, err);
	for (size_t i = 0; i < w->n; i++) {
		w->states[i] = w->traces[i].has_rank ? TS_JOB_FILE_READ : TS_JOB_FILE_NO_RANK;
		w->whys[i] = NULL;
		if (w->traces[i].has_rank)
			w->by_rank[n++] = &w->traces[i];
	}
	TS_SORT(w->by_rank, n, compare_traces);
	for (size_t i = 0; i < n; i++) {
		const struct ts_job_trace *t = w->by_rank[i];

		if (last && last->rank == t->rank && since_1970(t, t->from) < since_1970(last, last->until)) {
			w->states[t - w->traces] = TS_JOB_FILE_SAME;
			w->whys[t - w->traces] = ts_arena_printf(w->arena, "rank %" PRId64 ", at the time of %s", t->rank, last->file);
			if (!w->whys[t - w->traces])
				return ts_arena_error(w->arena, err);
			continue;
		}
		last = w->by_rank[w->n_by_rank++] = t;
	}
	return TS_OK;
}

/* --- cycles of one rank --- */

/* Copies one cycle behind those before it. Their bases may differ: times become those of the first. False: they cannot. */
static bool append(struct ts_job_trace *to, const struct ts_job_trace *from)
{
	int64_t shift, unused;

	if (__builtin_sub_overflow(from->base_ns, to->base_ns, &shift) || __builtin_add_overflow(from->until, shift, &unused) ||
	    __builtin_add_overflow(from->from, shift, &unused))
		return false;
	for (size_t i = 0; i < from->n_groups; i++)
		to->groups[to->n_groups + i] = from->groups[i];
	for (size_t i = 0; i < from->n_arrivals; i++) {
		struct ts_job_arrival *a = &to->arrivals[to->n_arrivals++];

		*a = from->arrivals[i];
		a->begin += shift;
		a->end += shift;
		a->group += (uint32_t)to->n_groups;
	}
	to->n_groups += from->n_groups;
	for (size_t i = 0; i < from->n_steps; i++) {
		struct ts_job_step *s = &to->steps[to->n_steps++];

		*s = from->steps[i];
		s->begin += shift;
		s->end += shift;
	}
	for (size_t i = 0; i < from->n_exposed; i++)
		to->exposed[to->n_exposed++] = (struct ts_job_interval){from->exposed[i].begin + shift, from->exposed[i].end + shift};
	to->until = from->until + shift;
	to->events += from->events;
	for (size_t i = 0; i < TS_JOB_TIMELINE_FIGURES; i++) {
		ts_job_add(&to->ns[i], from->ns[i]);
		ts_job_add(&to->step_ns[i], from->step_ns[i]);
	}
	return true;
}

/* Joins n cycles of one rank. */
static enum ts_status join(struct work *w, const struct ts_job_trace *const *cycles, size_t n, struct ts_job_trace *ret,
			   struct ts_error *err)
{
	size_t groups = 0, arrivals = 0, steps = 0, exposed = 0;
	struct ts_job_trace out = *cycles[0];

	*ret = out;
	if (n == 1)
		return TS_OK;
	for (size_t i = 0; i < n; i++) {
		groups += cycles[i]->n_groups;
		arrivals += cycles[i]->n_arrivals;
		steps += cycles[i]->n_steps;
		exposed += cycles[i]->n_exposed;
	}
	out.groups = ts_arena_array(w->arena, groups, sizeof *out.groups);
	out.arrivals = ts_arena_array(w->arena, arrivals, sizeof *out.arrivals);
	out.steps = ts_arena_array(w->arena, steps, sizeof *out.steps);
	out.exposed = ts_arena_array(w->arena, exposed, sizeof *out.exposed);
	if (!out.groups || !out.arrivals || !out.steps || !out.exposed)
		return ts_arena_error(w->arena, err);
	out.n_groups = out.n_arrivals = out.n_steps = out.n_exposed = 0;
	out.events = 0;
	memset(out.ns, 0, sizeof out.ns);
	memset(out.step_ns, 0, sizeof out.step_ns);
	for (size_t i = 0; i < n; i++)
		if (!append(&out, cycles[i])) {
			w->states[cycles[i] - w->traces] = TS_JOB_FILE_SAME;
			w->whys[cycles[i] - w->traces] = "its times cannot be set beside those of the other traces of its rank";
		}
	*ret = out;
	return TS_OK;
}

static void about_rank(const struct ts_job_trace *t, size_t files, struct ts_job_rank *r)
{
	uint64_t host = 0;

	r->rank = t->rank;
	r->file = t->file;
	r->files = files;
	r->device_name = t->device_name;
	r->host = t->host;
	r->recorded = t->recorded;
	r->events = t->events;
	r->steps = t->n_steps;
	memcpy(r->ns, t->ns, sizeof t->ns);
	for (size_t i = 0; i < t->n_steps; i++)
		ts_job_add(&host, t->steps[i].host_ns);
	if (!t->n_steps)
		return;
	r->host_step_ns = host / t->n_steps;
	for (size_t i = 0; i < TS_JOB_TIMELINE_FIGURES; i++)
		r->step_ns[i] = t->step_ns[i] / t->n_steps;
}

static enum ts_status find_ranks(struct work *w, struct ts_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_by_rank; i++)
		n += !i || w->by_rank[i - 1]->rank != w->by_rank[i]->rank;
	w->joined = ts_arena_array(w->arena, n, sizeof *w->joined);
	w->sides = ts_arena_array(w->arena, n, sizeof *w->sides);
	w->out->ranks = ts_arena_array(w->arena, n, sizeof *w->out->ranks);
	if (!w->joined || !w->sides || !w->out->ranks)
		return ts_arena_error(w->arena, err);
	for (size_t i = 0, end; i < w->n_by_rank; i = end) {
		size_t at = w->out->n_ranks++;

		for (end = i + 1; end < w->n_by_rank && w->by_rank[end]->rank == w->by_rank[i]->rank; end++)
			;
		if (join(w, w->by_rank + i, end - i, &w->joined[at], err))
			return err->status;
		about_rank(&w->joined[at], end - i, &w->out->ranks[at]);
		w->sides[at].trace = &w->joined[at];
	}
	for (size_t i = 0; i < w->n_by_rank; i++) {
		const struct ts_trace_warmup *left = &w->by_rank[i]->warmup;

		w->out->warmup.given |= left->given;
		w->out->warmup.steps = left->steps;
		w->out->warmup.marked += left->marked;
		w->out->warmup.events += left->events;
	}
	return TS_OK;
}

/* --- the world --- */

static enum ts_status find_missing(struct work *w, struct ts_error *err)
{
	struct ts_trace_job *out = w->out;
	int64_t next = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (!w->traces[i].has_world_size)
			continue;
		out->worlds_differ |= out->has_world_size && out->world_size != w->traces[i].world_size;
		if (!out->has_world_size || w->traces[i].world_size > out->world_size)
			out->world_size = w->traces[i].world_size;
		out->has_world_size = true;
	}
	out->missing = ts_arena_array(w->arena, TS_JOB_MISSING_SHOWN, sizeof *out->missing);
	if (!out->missing)
		return ts_arena_error(w->arena, err);
	for (size_t i = 0; out->has_world_size && i <= out->n_ranks; i++) {
		int64_t until = i < out->n_ranks && out->ranks[i].rank < out->world_size ? out->ranks[i].rank : out->world_size;

		if (until > next) {
			out->missing_count += (uint64_t)until - (uint64_t)next;
			for (int64_t r = next; r < until && out->n_missing < TS_JOB_MISSING_SHOWN; r++)
				out->missing[out->n_missing++] = r;
		}
		if (until == out->world_size)
			break;
		next = until >= next ? until + 1 : next;
	}
	return TS_OK;
}

/* Whether all times of a trace can be set on the job's scale. */
static bool place_side(const struct ts_job_trace *t, int64_t origin, int64_t *ret_shift, int64_t *ret_from, int64_t *ret_until)
{
	return t->any && !__builtin_sub_overflow(t->base_ns, origin, ret_shift) &&
	       !__builtin_add_overflow(t->from, *ret_shift, ret_from) && !__builtin_add_overflow(t->until, *ret_shift, ret_until) &&
	       *ret_from > -TS_JOB_TIME_MAX && *ret_until < TS_JOB_TIME_MAX;
}

/* Sets times of all sides on one scale, whose 0 is the begin of the first rank. */
static void place_sides(struct work *w)
{
	int64_t origin = since_1970(&w->joined[0], w->joined[0].from), first_until = 0;

	for (size_t i = 0; i < w->out->n_ranks; i++) {
		struct ts_job_side *s = &w->sides[i];
		int64_t shift = 0, from = 0, until = 0;

		s->comparable = place_side(&w->joined[i], origin, &shift, &from, &until);
		s->shift = s->comparable ? shift : 0;
		if (i == 0)
			first_until = until;
		else if (s->comparable && w->sides[0].comparable)
			w->out->apart |= from > first_until || until < 0;
	}
}

/* --- spread --- */

static void spread(struct ts_trace_job *out)
{
	for (size_t f = 0; f < TS_JOB_FIGURES; f++) {
		struct ts_job_spread *s = &out->spread[f];

		s->figure = ts_job_figure_word((enum ts_job_figure)f);
		for (size_t i = 0; i < out->n_ranks; i++) {
			uint64_t ns = out->ranks[i].ns[f];

			ts_job_add(&s->sum_ns, ns);
			if (!i || ns < s->least_ns) {
				s->least_ns = ns;
				s->least_rank = out->ranks[i].rank;
			}
			if (!i || ns > s->most_ns) {
				s->most_ns = ns;
				s->most_rank = out->ranks[i].rank;
			}
		}
		s->mean_ns = out->n_ranks ? s->sum_ns / out->n_ranks : 0;
	}
}

/* Times of collectives are shown by the clock of the first rank's trace. */
static void show_by_first(struct work *w)
{
	for (size_t i = 0; i < w->out->n_collectives; i++) {
		int64_t *begin = &w->out->collectives[i].begin_ns, shown;

		*begin = __builtin_sub_overflow(*begin, w->sides[0].shift, &shown) ? TS_TRACE_NONE : shown;
	}
}

static enum ts_status compare_ranks(struct work *w, struct ts_error *err)
{
	struct ts_trace_job *out = w->out;
	struct ts_job_clock *clocks = ts_arena_array(w->arena, out->n_ranks, sizeof *clocks);
	struct ts_job_waits *waits = ts_arena_array(w->arena, out->n_ranks, sizeof *waits);
	struct ts_job_matches matches;

	if (!clocks || !waits)
		return ts_arena_error(w->arena, err);
	place_sides(w);
	if (ts_job_match(w->sides, out->n_ranks, w->arena, &matches, err) ||
	    ts_job_clocks(w->sides, out->n_ranks, &matches, clocks, w->arena, err))
		return err->status;
	out->groups = matches.groups;
	out->n_groups = matches.n_groups;
	for (size_t i = 0; i < out->n_ranks; i++)
		out->ranks[i].clock = clocks[i];
	if (ts_job_arrive(w->sides, &matches, w->arena, out, waits, err) || ts_job_own_times(w->sides, waits, w->arena, out, err))
		return err->status;
	show_by_first(w);
	return TS_OK;
}

enum ts_status ts_trace_job(struct ts_job_trace *traces, size_t n, enum ts_job_file_state *states, const char **whys,
			    struct ts_arena *arena, struct ts_trace_job *ret, struct ts_error *err)
{
	struct ts_trace_job out = {0};
	struct work w = {.traces = traces, .n = n, .states = states, .whys = whys, .arena = arena, .out = &out};

	if (choose(&w, err) || find_ranks(&w, err) || find_missing(&w, err))
		return err->status;
	for (size_t i = 0; i < out.n_ranks; i++) {
		out.backend = out.backend.len ? out.backend : w.joined[i].backend;
		out.device_name = out.device_name.len ? out.device_name : w.joined[i].device_name;
	}
	if (out.n_ranks && compare_ranks(&w, err))
		return err->status;
	spread(&out);
	TS_DOOR_SORTED(i, out.n_ranks, out.ranks[i - 1].rank < out.ranks[i].rank);
	TS_DOOR_ALL(i, out.n_collectives, out.collectives[i].group < out.n_groups);
	TS_DOOR_ALL(i, out.n_groups, out.groups[i].waits <= out.groups[i].collectives);
	*ret = out;
	return TS_OK;
}
