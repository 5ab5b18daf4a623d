/* job_clock.c - by how much the clocks of the ranks of a job differ, by their collectives (job.h has the rules). */
#include "analysis/trace/ranks/job_parts.h"
#include "base/order.h"

#include "analysis/stats/slope.h"
#include "base/door.h"

#include <math.h>
#include <stdlib.h>

/* A drift of more is no clock's. */
#define DRIFT_MAX_PPB 10000000
#define DRIFT_P 0.01

#define NO_HOST UINT32_MAX

struct host {
	struct ts_span name;
	uint32_t side;
};

/* The side of a host with which others of that host are compared, in the group that was gone through last. */
struct hub {
	const struct ts_job_party *group;
	size_t at;
};

struct work {
	const struct ts_job_side *sides;
	size_t n_sides;
	struct ts_job_matches *m;
	struct ts_job_clock *clocks, *first_clocks;
	struct ts_arena *arena;
	bool *known;	   /* [n_sides]: the clock of the side is found */
	uint32_t *host;	   /* [n_sides]: a number, or NO_HOST */
	struct hub *hubs;  /* [host] */
	bool *asked;	   /* [n_groups]: the group has been gone through */
	uint32_t *queue;   /* sides whose groups are still to be gone through */
	uint32_t *of_side; /* groups side by side; those of side i begin at first[i] */
	size_t *first;
	int64_t *differences, *times; /* scratch, for the matches of a group */
	double *values;
	bool doubted; /* clocks that seemed to be one led to a contradiction: each is found by the ends of collectives */
};

/* --- correction --- */

/* Both lie within 2 * TS_JOB_TIME_MAX, and so does the sum that is returned: differences of two of them do not overflow, however many
 * ranks stand between two. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum = a + b;

	if (sum > 2 * TS_JOB_TIME_MAX)
		return 2 * TS_JOB_TIME_MAX;
	return sum < -2 * TS_JOB_TIME_MAX ? -2 * TS_JOB_TIME_MAX : sum;
}

static int64_t into(int64_t v, int64_t low, int64_t high)
{
	if (low > high)
		return v;
	return v < low ? low : v > high ? high : v;
}

static int64_t within(int64_t v)
{
	return into(v, -2 * TS_JOB_TIME_MAX, 2 * TS_JOB_TIME_MAX);
}

static int64_t correct(const struct ts_job_clock *c, int64_t t)
{
	if (c->drift_ppb)
		t = plus(t, (int64_t)llround((double)t * (double)c->drift_ppb / 1e9));
	return plus(t, c->offset_ns);
}

/* --- two ranks --- */

/* What the collectives of a group say of the clock of a side against that of another, whose clock is known. */
struct pair {
	int64_t low, high; /* the bounds of what is to be added to the side's times */
	size_t n, n_even;  /* collectives; those that end on all ranks at once */
	int64_t median;	   /* of the differences of their ends */
};

static int64_t median_of(int64_t *x, size_t n)
{
	TS_SORT(x, n, ts_by_i64);
	if (n % 2)
		return x[n / 2];
	return x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2;
}

/* `at` and `hub` are places among the sides of the group; clock is tried for the side. Leaves the differences of ends in
 * differences, and their times in times. */
static struct pair compare(struct work *w, const struct ts_job_party *p, size_t at, size_t hub, const struct ts_job_clock *clock)
{
	const struct ts_job_clock *known = &w->clocks[p->sides[hub]];
	struct pair r = {.low = INT64_MIN, .high = INT64_MAX};

	for (size_t i = p->matches; i < p->matches + p->n_matches; i++) {
		const struct ts_job_match *m = &w->m->items[i];
		const struct ts_job_member *side = &w->m->members[m->first + at], *other = &w->m->members[m->first + hub];
		int64_t begin = correct(clock, side->begin), end = correct(clock, side->end);
		int64_t other_begin = correct(known, other->begin), other_end = correct(known, other->end);

		if (!ts_job_waits(m->collective))
			continue;
		r.low = other_begin - end > r.low ? other_begin - end : r.low;
		r.high = other_end - begin < r.high ? other_end - begin : r.high;
		r.n++;
		if (!ts_job_even(m->collective))
			continue;
		w->times[r.n_even] = end;
		w->differences[r.n_even++] = other_end - end;
	}
	return r;
}

struct point {
	int64_t time, difference;
};

TS_ORDER(compare_points, struct point, TS_UP(time))

/* The drift that n differences show, in ppb; 0: none. */
static enum ts_status drift_of(struct work *w, size_t n, int64_t *ret_ppb, struct ts_error *err)
{
	struct ts_arena scratch;
	struct ts_slope slope = {0};
	struct point *points;
	size_t kept = 0;

	*ret_ppb = 0;
	if (n < TS_SLOPE_LEAST)
		return TS_OK;
	ts_arena_init(&scratch, 0);
	points = ts_arena_array(&scratch, n, sizeof *points);
	for (size_t i = 0; points && i < n; i++)
		points[i] = (struct point){w->times[i], w->differences[i]};
	if (points)
		TS_SORT(points, n, compare_points);
	for (size_t i = 0; points && i < n; i++) {
		if (kept && points[i].time == w->times[kept - 1])
			continue;
		w->times[kept] = points[i].time;
		w->values[kept++] = (double)points[i].difference - (double)points[0].difference;
	}
	if (!points || ts_slope_fit(&(struct ts_series){.keys = w->times, .values = w->values, .n = kept}, TS_SLOPE_BLOCKS, &scratch,
				    &slope, err)) {
		ts_arena_finish(&scratch);
		return points ? err->status : ts_arena_error(w->arena, err);
	}
	ts_arena_finish(&scratch);
	if (slope.known && slope.has_p && slope.p_value < DRIFT_P && fabs(slope.slope) * 1e9 < DRIFT_MAX_PPB &&
	    fabs(slope.slope) * ts_key_distance(w->times[0], w->times[kept - 1]) > TS_JOB_CLOCK_SHOWS_NS)
		*ret_ppb = (int64_t)llround(slope.slope * 1e9);
	return TS_OK;
}

static bool one_host(const struct work *w, uint32_t a, uint32_t b)
{
	return w->host[a] != NO_HOST && w->host[a] == w->host[b];
}

/* Whether ends that differ by this median are those of one clock: it is small, or no more than three of the usual distances from it.
 * Overwrites the differences. */
static bool is_one_clock(struct work *w, size_t n, int64_t median, bool one)
{
	int64_t most = one ? TS_JOB_HOST_SHOWS_NS : TS_JOB_CLOCK_SHOWS_NS, far = llabs(median);

	for (size_t i = 0; i < n; i++)
		w->differences[i] = llabs(w->differences[i] - median);
	return !n || far <= most || far / 3 <= median_of(w->differences, n);
}

/* Bounds and what is left, once the clock of the side is chosen. */
static void settle(struct work *w, const struct ts_job_party *p, size_t at, size_t hub, struct ts_job_clock *c)
{
	const struct ts_job_clock *known = &w->clocks[p->sides[hub]];
	struct pair r = compare(w, p, at, hub, c);

	c->connected = known->connected;
	c->bounded = known->bounded && r.low <= r.high + 2 * TS_JOB_TOLERANCE_NS;
	c->low_ns = plus(known->low_ns, within(r.low < 0 ? r.low : 0));
	c->high_ns = plus(known->high_ns, within(r.high > 0 ? r.high : 0));
	for (size_t i = 0; i < r.n_even; i++)
		w->differences[i] = w->differences[i] < 0 ? -w->differences[i] : w->differences[i];
	c->residual_ns = r.n_even ? (uint64_t)median_of(w->differences, r.n_even) : 0;
}

/* Finds the clock of one side by that of another of the group. */
static enum ts_status find_clock(struct work *w, const struct ts_job_party *p, size_t at, size_t hub, struct ts_error *err)
{
	const struct ts_job_clock *known = &w->clocks[p->sides[hub]];
	struct ts_job_clock c = {
		.corrected = known->corrected, .drifts = known->drifts, .offset_ns = known->offset_ns, .drift_ppb = known->drift_ppb};
	struct pair r = compare(w, p, at, hub, &c);
	bool holds = r.low <= TS_JOB_TOLERANCE_NS && r.high >= -TS_JOB_TOLERANCE_NS && !w->doubted;
	bool one = one_host(w, p->sides[at], p->sides[hub]);
	int64_t drift = 0, delta;

	if (!(holds && one) && drift_of(w, r.n_even, &drift, err))
		return err->status;
	c.drift_ppb = llabs(c.drift_ppb + drift) < DRIFT_MAX_PPB ? c.drift_ppb + drift : c.drift_ppb;
	r = compare(w, p, at, hub, &c);
	delta = r.n_even ? median_of(w->differences, r.n_even) : r.low / 2 + r.high / 2;
	if (holds && !drift && is_one_clock(w, r.n_even, delta, one))
		delta = 0;
	else
		delta = into(delta, r.low, r.high);
	c.offset_ns = plus(c.offset_ns, within(delta));
	c.drifts |= drift != 0;
	c.corrected |= c.drifts || delta;
	settle(w, p, at, hub, &c);
	w->clocks[p->sides[at]] = c;
	w->known[p->sides[at]] = true;
	return TS_OK;
}

/* --- all ranks --- */

static bool has_waits(const struct work *w, const struct ts_job_party *p)
{
	for (size_t i = p->matches; i < p->matches + p->n_matches; i++)
		if (!w->m->items[i].dropped && ts_job_waits(w->m->items[i].collective))
			return true;
	return false;
}

TS_ORDER(compare_hosts, struct host, TS_TEXT(name))

/* Numbers the hosts that sides name; the others have none. */
static enum ts_status number_hosts(struct work *w, struct ts_error *err)
{
	struct host *hosts = ts_arena_array(w->arena, w->n_sides, sizeof *hosts);
	uint32_t n = 0;

	w->host = ts_arena_array(w->arena, w->n_sides, sizeof *w->host);
	w->hubs = ts_arena_array(w->arena, w->n_sides, sizeof *w->hubs);
	if (!hosts || !w->host || !w->hubs)
		return ts_arena_error(w->arena, err);
	for (uint32_t i = 0; i < w->n_sides; i++)
		hosts[i] = (struct host){w->sides[i].trace->host, i};
	TS_SORT(hosts, w->n_sides, compare_hosts);
	for (size_t i = 0; i < w->n_sides; i++) {
		n += i && !ts_span_eq(hosts[i - 1].name, hosts[i].name);
		w->host[hosts[i].side] = hosts[i].name.len ? n : NO_HOST;
	}
	return TS_OK;
}

/* Remembers the first side of the group on each host whose clock is known. */
static void know(struct work *w, const struct ts_job_party *p, size_t at)
{
	uint32_t host = w->host[p->sides[at]];

	if (host != NO_HOST && w->hubs[host].group != p) {
		w->hubs[host].group = p;
		w->hubs[host].at = at;
	}
}

/* A side is compared with one of its own host, if the group has one whose clock is known, else with the first that is known. */
static size_t hub_of(const struct work *w, const struct ts_job_party *p, size_t at, size_t first)
{
	uint32_t host = w->host[p->sides[at]];

	return host != NO_HOST && w->hubs[host].group == p ? w->hubs[host].at : first;
}

/* Finds the clocks of a group of which at least one is known. */
static enum ts_status go_through(struct work *w, const struct ts_job_party *p, size_t *n, struct ts_error *err)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < p->n_sides; i++) {
		if (!w->known[p->sides[i]])
			continue;
		first = first == SIZE_MAX ? i : first;
		know(w, p, i);
	}
	for (size_t i = 0; i < p->n_sides; i++) {
		if (w->known[p->sides[i]])
			continue;
		if (find_clock(w, p, i, hub_of(w, p, i, first), err))
			return err->status;
		know(w, p, i);
		w->queue[(*n)++] = p->sides[i];
	}
	return TS_OK;
}

static enum ts_status go_from(struct work *w, uint32_t root, struct ts_error *err)
{
	size_t n = 1;

	w->queue[0] = root;
	w->known[root] = true;
	w->clocks[root] = (struct ts_job_clock){.connected = root == 0, .bounded = true};
	for (size_t next = 0; next < n; next++)
		for (size_t k = w->first[w->queue[next]]; k < w->first[w->queue[next] + 1]; k++) {
			if (w->asked[w->of_side[k]])
				continue;
			w->asked[w->of_side[k]] = true;
			if (go_through(w, &w->m->parties[w->of_side[k]], &n, err))
				return err->status;
		}
	return TS_OK;
}

static enum ts_status find_all(struct work *w, struct ts_error *err)
{
	memset(w->known, 0, w->n_sides * sizeof *w->known);
	memset(w->hubs, 0, w->n_sides * sizeof *w->hubs);
	for (size_t g = 0; g < w->m->n_groups; g++)
		w->asked[g] = !has_waits(w, &w->m->parties[g]);
	for (uint32_t i = 0; i < w->n_sides; i++)
		if (!w->known[i] && go_from(w, i, err))
			return err->status;
	return TS_OK;
}

/* How many collectives of the group end on a rank before they begin on another. */
static size_t violations(const struct work *w, const struct ts_job_party *p)
{
	size_t n = 0;

	for (size_t i = p->matches; i < p->matches + p->n_matches; i++) {
		const struct ts_job_member *m = &w->m->members[w->m->items[i].first];
		int64_t last = INT64_MIN, first = INT64_MAX;

		if (w->m->items[i].dropped || !ts_job_waits(w->m->items[i].collective))
			continue;
		for (size_t k = 0; k < p->n_sides; k++) {
			const struct ts_job_clock *c = &w->clocks[p->sides[k]];
			int64_t begin = correct(c, m[k].begin), end = correct(c, m[k].end);

			last = begin > last ? begin : last;
			first = end < first ? end : first;
		}
		n += last - first > TS_JOB_TOLERANCE_NS;
	}
	return n;
}

static size_t all_violations(const struct work *w)
{
	size_t n = 0;

	for (size_t g = 0; g < w->m->n_groups; g++)
		n += violations(w, &w->m->parties[g]);
	return n;
}

/* Finds clocks; if they contradict collectives, looks whether they do so less where no two are taken for one. */
static enum ts_status find_best(struct work *w, struct ts_error *err)
{
	size_t bad;

	w->doubted = false;
	if (find_all(w, err))
		return err->status;
	bad = all_violations(w);
	if (!bad)
		return TS_OK;
	memcpy(w->first_clocks, w->clocks, w->n_sides * sizeof *w->clocks);
	w->doubted = true;
	if (find_all(w, err))
		return err->status;
	if (all_violations(w) >= bad)
		memcpy(w->clocks, w->first_clocks, w->n_sides * sizeof *w->clocks);
	return TS_OK;
}

/* Drops the unnamed groups that are contradicted; returns whether there are any. */
static bool drop_contradicted(struct work *w)
{
	bool any = false;

	for (size_t g = 0; g < w->m->n_groups; g++) {
		struct ts_job_party *p = &w->m->parties[g];
		struct ts_job_group *row = &w->m->groups[g];

		if (row->is.ordinal < 0 || !p->n_matches || w->m->items[p->matches].dropped || !violations(w, p))
			continue;
		for (size_t i = p->matches; i < p->matches + p->n_matches; i++)
			w->m->items[i].dropped = true;
		row->unmatched[TS_JOB_CONTRADICTED] += p->n_matches * p->n_sides;
		any = true;
	}
	return any;
}

static enum ts_status room(struct work *w, struct ts_error *err)
{
	size_t groups = w->m->n_groups, n = 0, most = 0;

	for (size_t g = 0; g < groups; g++) {
		n += w->m->parties[g].n_sides;
		most = w->m->parties[g].n_matches > most ? w->m->parties[g].n_matches : most;
	}
	w->first_clocks = ts_arena_array(w->arena, w->n_sides, sizeof *w->first_clocks);
	w->known = ts_arena_array(w->arena, w->n_sides, sizeof *w->known);
	w->asked = ts_arena_array(w->arena, groups, sizeof *w->asked);
	w->queue = ts_arena_array(w->arena, w->n_sides, sizeof *w->queue);
	w->first = ts_arena_array(w->arena, w->n_sides + 2, sizeof *w->first);
	w->of_side = ts_arena_array(w->arena, n, sizeof *w->of_side);
	w->differences = ts_arena_array(w->arena, most, sizeof *w->differences);
	w->times = ts_arena_array(w->arena, most, sizeof *w->times);
	w->values = ts_arena_array(w->arena, most, sizeof *w->values);
	if (!w->first_clocks || !w->known || !w->asked || !w->queue || !w->first || !w->of_side || !w->differences || !w->times ||
	    !w->values)
		return ts_arena_error(w->arena, err);
	for (size_t g = 0; g < groups; g++)
		for (size_t i = 0; i < w->m->parties[g].n_sides; i++)
			w->first[w->m->parties[g].sides[i] + 2]++;
	for (size_t i = 2; i < w->n_sides + 2; i++)
		w->first[i] += w->first[i - 1];
	for (size_t g = 0; g < groups; g++)
		for (size_t i = 0; i < w->m->parties[g].n_sides; i++)
			w->of_side[w->first[w->m->parties[g].sides[i] + 1]++] = (uint32_t)g;
	return TS_OK;
}

enum ts_status ts_job_clocks(const struct ts_job_side *sides, size_t n_sides, struct ts_job_matches *matches,
			     struct ts_job_clock *clocks, struct ts_arena *arena, struct ts_error *err)
{
	struct work w = {.sides = sides, .n_sides = n_sides, .m = matches, .clocks = clocks, .arena = arena};

	TS_DOOR_ALL(i, matches->n_members, matches->members[i].side < n_sides);
	if (room(&w, err) || number_hosts(&w, err))
		return err->status;
	do {
		if (find_best(&w, err))
			return err->status;
	} while (drop_contradicted(&w));
	for (size_t i = 0; i < matches->n_members; i++) {
		struct ts_job_member *m = &matches->members[i];

		m->begin = correct(&clocks[m->side], m->begin);
		m->end = correct(&clocks[m->side], m->end);
	}
	return TS_OK;
}
