#include "analysis/snapshot/scaling.h"

#include "base/words.h"

#include <math.h>
#include <stdlib.h>

#define SIZE_MOST 1e15 /* sizes are looked for up to here */
#define LOSS_GROWS 0.2 /* of the requested bytes; see scaling.h */

TS_WORDS(ts_scaling_part_word, enum ts_scaling_part, "unknown", [TS_PART_PASSES] = "forward and backward",
	 [TS_PART_OPTIMIZER] = "optimizer", [TS_PART_OTHER] = "other")

static enum ts_scaling_part part_of(uint8_t phase)
{
	switch ((enum ts_memory_phase)phase) {
	case TS_PHASE_FORWARD:
	case TS_PHASE_BACKWARD:
	case TS_PHASE_RECOMPUTE:
		return TS_PART_PASSES;
	case TS_PHASE_OPTIMIZER:
		return TS_PART_OPTIMIZER;
	case TS_PHASE_SETUP:
	case TS_PHASE_UNSAID:
	default:
		return TS_PART_OTHER;
	}
}

/* What is requested after an event, and needed with it; *io_level is what was requested before. */
static uint64_t need_after(const struct ts_snapshot_event *e, uint64_t *io_level)
{
	if (e->action == TS_ACTION_ALLOC)
		*io_level += e->size;
	else if (e->action == TS_ACTION_FREE_COMPLETED)
		*io_level -= e->size < *io_level ? e->size : *io_level;
	return e->action == TS_ACTION_OOM && e->size <= UINT64_MAX - *io_level ? *io_level + e->size : *io_level;
}

/* What is requested after each event counts for the part of that event; what was refused would have been needed, too. */
static void take_needs(struct ts_scaling_point *p)
{
	const struct ts_replay *r = p->device->replay;
	uint64_t level, need, reserved;

	ts_replay_level(r, TS_REPLAY_BEFORE, &level, &reserved);
	for (uint32_t i = 0; i < r->n_events; i++) {
		const struct ts_snapshot_event *e = &r->events[i];
		enum ts_scaling_part part =
			part_of(e->stack == TS_SNAPSHOT_NONE ? TS_PHASE_UNSAID : p->device->memory.origins[e->stack].phase);

		need = need_after(e, &level);
		if (!p->has[part] || need > p->needs[part]) {
			p->has[part] = true;
			p->needs[part] = need;
			p->at[part] = i;
		}
	}
}

/* --- pieces of forward and backward --- */

enum side { SIDE_NONE, SIDE_FORWARD, SIDE_BACKWARD, SIDE_OTHER };

/* Stretches of each side: those that are whole, and those that the history cuts off. */
struct sides {
	uint64_t most[2][TS_SCALING_MOMENTS]; /* [1]: of whole ones */
	uint32_t at[2][TS_SCALING_MOMENTS];
	bool any_whole[2];
};

static enum side side_of(const struct ts_memory_device *d, uint32_t stack)
{
	if (stack == TS_SNAPSHOT_NONE)
		return SIDE_NONE;
	switch ((enum ts_memory_phase)d->memory.origins[stack].phase) {
	case TS_PHASE_FORWARD:
		return SIDE_FORWARD;
	case TS_PHASE_BACKWARD:
	case TS_PHASE_RECOMPUTE:
		return SIDE_BACKWARD;
	case TS_PHASE_OPTIMIZER:
	case TS_PHASE_SETUP:
		return SIDE_OTHER;
	case TS_PHASE_UNSAID:
	default:
		return SIDE_NONE;
	}
}

/* What the program does: how often the allocator asks the device says nothing of how far a stretch is. */
static bool is_step(const struct ts_snapshot_event *e)
{
	return e->action == TS_ACTION_ALLOC || e->action == TS_ACTION_FREE_COMPLETED;
}

static void take_stretch(struct sides *to, const struct ts_replay *r, uint32_t first, uint32_t end, enum side side, uint64_t level)
{
	bool whole = first && end < r->n_events;
	size_t from = side == SIDE_BACKWARD ? TS_SCALING_PIECES : 0;
	uint64_t n = 0, at = 0;

	if (side != SIDE_FORWARD && side != SIDE_BACKWARD)
		return;
	to->any_whole[side == SIDE_BACKWARD] |= whole;
	for (uint32_t i = first; i < end; i++)
		n += is_step(&r->events[i]);
	for (uint32_t i = first; i < end && n; i++) {
		uint64_t need = need_after(&r->events[i], &level);
		size_t piece = from + (size_t)(at * TS_SCALING_PIECES / n);

		if (need > to->most[whole][piece]) {
			to->most[whole][piece] = need;
			to->at[whole][piece] = i;
		}
		at += is_step(&r->events[i]) && at + 1 < n;
	}
}

static void take_moments(struct ts_scaling_point *p)
{
	const struct ts_replay *r = p->device->replay;
	struct sides sides = {0};
	enum side now = SIDE_NONE;
	uint64_t level, begun, reserved;
	uint32_t first = 0;

	ts_replay_level(r, TS_REPLAY_BEFORE, &level, &reserved);
	begun = level;
	for (uint32_t i = 0; i < r->n_events; i++) {
		enum side side = side_of(p->device, r->events[i].stack);

		if (side != SIDE_NONE && side != now) {
			take_stretch(&sides, r, first, i, now, begun);
			begun = level;
			first = i;
			now = side;
		}
		(void)need_after(&r->events[i], &level);
	}
	take_stretch(&sides, r, first, r->n_events, now, begun);
	for (size_t i = 0; i < TS_SCALING_MOMENTS; i++) {
		bool whole = sides.any_whole[i / TS_SCALING_PIECES];

		p->moments[i] = sides.most[whole][i];
		p->moments_at[i] = sides.at[whole][i];
	}
}

enum ts_status ts_scaling_add(struct ts_scaling *s, double size, const struct ts_memory_device *d, struct ts_error *err)
{
	struct ts_scaling_point point = {.size = size, .device = d, .peak = d->replay->peak, .reserved = d->replay->reserved_peak};
	size_t at = s->n;

	if (!(size > 0) || !isfinite(size))
		return ts_error_set(err, TS_INVALID, "a size must be above 0");
	if (s->n == TS_SCALING_MOST)
		return ts_error_set(err, TS_INVALID, "at most %d snapshots are compared", TS_SCALING_MOST);
	if (!d->traced)
		return ts_error_set(err, TS_INVALID, "the peak of size %g is not known: %s", size, d->no_history);
	take_needs(&point);
	take_moments(&point);
	for (; at && s->points[at - 1].size > size; at--)
		s->points[at] = s->points[at - 1];
	s->points[at] = point;
	s->n++;
	return TS_OK;
}

/* --- lines --- */

static double at_line(const struct ts_scaling_line *l, double size)
{
	return l->fixed + l->per_unit * size + l->per_square * size * size;
}

/* Solves three equations for the coefficients that `with` has; the others are 0. False: they do not decide. */
static bool solve(double a[3][4], const bool with[3], double ret[3])
{
	bool done[3] = {false};
	int row_of[3] = {-1, -1, -1};

	for (int k = 0; k < 3; k++) {
		int best = -1;

		if (!with[k])
			continue;
		for (int row = 0; row < 3; row++)
			if (with[row] && !done[row] && (best < 0 || fabs(a[row][k]) > fabs(a[best][k])))
				best = row;
		if (best < 0 || !(fabs(a[best][k]) > 1e-12))
			return false;
		done[best] = true;
		row_of[k] = best;
		for (int row = 0; row < 3; row++) {
			double by = a[row][k] / a[best][k];

			for (int i = 0; with[row] && row != best && i < 4; i++)
				a[row][i] -= by * a[best][i];
		}
	}
	for (int k = 0; k < 3; k++)
		ret[k] = with[k] ? a[row_of[k]][3] / a[row_of[k]][k] : 0;
	return true;
}

/* Least squares with these coefficients, sizes and values being scaled to about 1. The sum of squares; infinite: it has none. */
static double fit_with(const double *x, const double *y, size_t n, const bool with[3], double ret[3])
{
	double a[3][4] = {{0}}, sum = 0;

	for (size_t i = 0; i < n; i++)
		for (int r = 0; r < 3; r++) {
			for (int c = 0; c < 3; c++)
				a[r][c] += pow(x[i], r) * pow(x[i], c);
			a[r][3] += pow(x[i], r) * y[i];
		}
	if (!solve(a, with, ret))
		return HUGE_VAL;
	for (size_t i = 0; i < n; i++) {
		double off = ret[0] + ret[1] * x[i] + ret[2] * x[i] * x[i] - y[i];

		sum += off * off;
	}
	for (int k = 0; k < 3; k++)
		sum = ret[k] < -1e-9 ? HUGE_VAL : sum;
	return sum;
}

/* The best line without coefficients below 0: of all choices of coefficients that have none. */
static struct ts_scaling_line fit_line(const double *sizes, const double *values, size_t n, bool squares)
{
	struct ts_scaling_line line = {.known = true, .any = true};
	double x[TS_SCALING_MOST], y[TS_SCALING_MOST], best = HUGE_VAL, scale = 0;
	size_t coefficients = 0;

	for (size_t i = 0; i < n; i++)
		scale = fmax(scale, values[i]);
	if (!(scale > 0))
		return line;
	for (size_t i = 0; i < n; i++) {
		x[i] = sizes[i] / sizes[n - 1];
		y[i] = values[i] / scale;
	}
	for (int choice = 1; choice < (squares ? 8 : 4); choice++) {
		bool with[3] = {choice & 1, choice & 2, choice & 4};
		double found[3], sum = fit_with(x, y, n, with, found);

		if (sum < best - 1e-12) { /* of equally good ones that with fewer coefficients */
			best = sum;
			line.fixed = found[0] * scale;
			line.per_unit = found[1] * scale / sizes[n - 1];
			line.per_square = found[2] * scale / sizes[n - 1] / sizes[n - 1];
			coefficients = (size_t)with[0] + with[1] + with[2];
		}
	}
	for (size_t i = 0; i < n; i++)
		line.off = fmax(line.off, fabs(at_line(&line, sizes[i]) - values[i]));
	line.own_error = n > coefficients;
	return line;
}

static bool fit_lines(struct ts_scaling *s)
{
	double sizes[TS_SCALING_MOST], values[TS_SCALING_MOST];
	bool squares = s->lengths && s->n > 2, any = false;

	for (size_t i = 0; i < s->n; i++)
		sizes[i] = s->points[i].size;
	for (int p = 0; p < TS_SCALING_PARTS; p++) {
		bool all = true, some = false;

		for (size_t i = 0; i < s->n; i++) {
			all &= s->points[i].has[p];
			some |= s->points[i].has[p];
			values[i] = (double)s->points[i].needs[p];
		}
		if (all)
			s->lines[p] = fit_line(sizes, values, s->n, squares);
		s->lines[p].any = some;
		any |= all;
	}
	for (int m = 0; m < TS_SCALING_MOMENTS; m++) {
		bool all = true;

		for (size_t i = 0; i < s->n; i++) {
			all &= s->points[i].moments[m] > 0;
			values[i] = (double)s->points[i].moments[m];
		}
		if (all)
			s->moments[m] = fit_line(sizes, values, s->n, squares);
	}
	return any;
}

/* --- kinds --- */

static void take_kinds(struct ts_scaling_point *p, uint32_t event)
{
	const struct ts_replay *r = p->device->replay;

	for (int k = 0; k < TS_MEMORY_KINDS; k++)
		p->kinds[k] = 0;
	for (uint32_t i = 0; p->has[TS_PART_PASSES] && i < r->n_lives; i++)
		if (ts_life_at(&r->lives[i], event))
			p->kinds[p->device->memory.kinds[i]] += r->lives[i].requested;
}

/* The piece that decides, else that in which the largest snapshot needs most; TS_SCALING_MOMENTS: none that all snapshots have. */
static uint32_t moment_of_kinds(const struct ts_scaling *s)
{
	const uint64_t *moments = s->points[s->n - 1].moments;
	uint32_t best = TS_SCALING_MOMENTS;

	for (uint32_t m = 0; m < TS_SCALING_MOMENTS && !s->moves; m++)
		if (s->moments[m].known && (best == TS_SCALING_MOMENTS || moments[m] > moments[best]))
			best = m;
	return s->moves ? s->decides : best;
}

/* At one moment of a step in all snapshots: elsewhere other kinds hold other shares. */
static void fit_kinds(struct ts_scaling *s)
{
	uint32_t moment = moment_of_kinds(s);
	double sizes[TS_SCALING_MOST], values[TS_SCALING_MOST];

	for (size_t i = 0; i < s->n; i++) {
		struct ts_scaling_point *p = &s->points[i];

		sizes[i] = p->size;
		take_kinds(p, moment < TS_SCALING_MOMENTS ? p->moments_at[moment] : p->at[TS_PART_PASSES]);
	}
	for (int k = 0; k < TS_MEMORY_KINDS; k++) {
		for (size_t i = 0; i < s->n; i++)
			values[i] = (double)s->points[i].kinds[k];
		s->kinds[k] = fit_line(sizes, values, s->n, s->lengths && s->n > 2);
	}
}

/* --- sizes that fit --- */

static double most_of(const struct ts_scaling_line *lines, size_t n, double size, double above)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (lines[i].known)
			most = fmax(most, at_line(&lines[i], size) + above * lines[i].off);
	return most;
}

/* Of the parts; forward and backward are none where their pieces say all. */
static double most_of_parts(const struct ts_scaling *s, double size, double above)
{
	double most = 0;

	for (int p = 0; p < TS_SCALING_PARTS; p++)
		if (p != TS_PART_PASSES || !s->by_pieces)
			most = fmax(most, most_of(&s->lines[p], 1, size, above));
	return most;
}

static double need(const struct ts_scaling *s, double size, double above)
{
	return fmax(most_of_parts(s, size, above), most_of(s->moments, TS_SCALING_MOMENTS, size, above));
}

/* Whether forward and backward need, in every snapshot, what a piece that all of them have needs there. Where most is needed moves from
 * piece to piece as lengths grow, so that a square through the most of each snapshot is steeper than any piece's line. */
static bool pieces_say_all(const struct ts_scaling *s)
{
	for (size_t i = 0; i < s->n; i++) {
		uint64_t most = 0;

		for (int m = 0; m < TS_SCALING_MOMENTS; m++)
			if (s->moments[m].known && s->points[i].moments[m] > most)
				most = s->points[i].moments[m];
		if (most < s->points[i].needs[TS_PART_PASSES])
			return false;
	}
	return s->lengths && s->n > 2;
}

/* If all that grows from the smallest to the largest snapshot grew with the square. */
static double of_squares(const struct ts_scaling_line *lines, const uint64_t *lows, const uint64_t *highs, size_t n, double share)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double low = (double)lows[i], high = (double)highs[i];

		if (lines[i].known)
			most = fmax(most, high > low ? low + (high - low) * share : fmax(low, high));
	}
	return most;
}

static double need_of_squares(const struct ts_scaling *s, double size)
{
	const struct ts_scaling_point *a = &s->points[0], *b = &s->points[s->n - 1];
	double share = (size * size - a->size * a->size) / (b->size * b->size - a->size * a->size);

	return fmax(of_squares(s->lines, a->needs, b->needs, TS_SCALING_PARTS, share),
		    of_squares(s->moments, a->moments, b->moments, TS_SCALING_MOMENTS, share));
}

struct guess {
	const struct ts_scaling *s;
	double above;	    /* of the lines' errors */
	double ratio, more; /* of reserved to requested bytes, and in bytes */
	double grows;	    /* by how much the ratio grows, far from the snapshots */
	bool squares;
};

static double reserved_at(const struct guess *g, double size)
{
	double requested = g->squares ? fmax(need(g->s, size, g->above), need_of_squares(g->s, size)) : need(g->s, size, g->above);

	double last = g->s->points[g->s->n - 1].size, far = size > last ? 1 - last / size : 0;

	return requested * (g->ratio + g->grows * far) + g->more;
}

/* The largest whole size that fits: the need never falls as the size grows. */
static double largest(const struct guess *g)
{
	double low = 0, high = 1;

	if (reserved_at(g, 1) > g->s->capacity)
		return 0;
	while (high < SIZE_MOST && reserved_at(g, high) <= g->s->capacity) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		double middle = floor(low + (high - low) / 2);

		if (reserved_at(g, middle) <= g->s->capacity)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void find_sizes(struct ts_scaling *s)
{
	const struct ts_scaling_point *last = &s->points[s->n - 1];
	double most, ratio = 1, more = last->reserved > last->peak ? (double)(last->reserved - last->peak) : 0;

	for (int p = 0; p < TS_SCALING_PARTS; p++)
		s->grows |= s->lines[p].known && (s->lines[p].per_unit > 0 || s->lines[p].per_square > 0);
	for (int m = 0; m < TS_SCALING_MOMENTS; m++)
		s->grows |= s->moments[m].known && (s->moments[m].per_unit > 0 || s->moments[m].per_square > 0);
	if (!s->has_capacity || !s->grows)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].peak)
			ratio = fmax(ratio, (double)s->points[i].reserved / (double)s->points[i].peak);
	s->most = largest(&(struct guess){.s = s, .above = -1, .ratio = 1});
	s->likely = largest(&(struct guess){.s = s, .ratio = 1, .more = more, .grows = LOSS_GROWS / 2});
	s->least =
		largest(&(struct guess){.s = s, .above = 1, .ratio = ratio, .grows = LOSS_GROWS, .squares = s->lengths && s->n == 2});
	s->least = fmin(s->least, s->likely);
	s->most = fmax(s->most, s->likely);
	most = most_of_parts(s, s->likely, 0);
	for (uint32_t m = 0; m < TS_SCALING_MOMENTS; m++) {
		double by_moment = s->moments[m].known ? at_line(&s->moments[m], s->likely) : 0;

		if (by_moment > most * (1 + 1e-9)) {
			most = by_moment;
			s->moves = true;
			s->decides = m;
			s->deciding = s->moments[m];
		}
	}
}

/* Parameters and optimizer state at the end do not grow with a batch: if they differ, it is another model, or of other steps. */
static void compare_state(struct ts_scaling *s)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct ts_memory_kind_sum *kinds = s->points[i].device->kinds;
		uint64_t state = kinds[TS_MEMORY_PARAMETERS].at_end + kinds[TS_MEMORY_OPTIMIZER].at_end;

		low = state < low ? state : low;
		high = state > high ? state : high;
	}
	s->state_off = high ? (double)(high - low) / (double)high : 0;
}

enum ts_status ts_scaling_fit(struct ts_scaling *s, uint64_t capacity, struct ts_error *err)
{
	for (size_t i = 1; i < s->n; i++)
		if (!(s->points[i].size > s->points[i - 1].size))
			return ts_error_set(err, TS_INVALID, "two snapshots have the size %g", s->points[i].size);
	if (s->n < 2)
		return ts_error_set(err, TS_INVALID, "what would fit needs snapshots of at least two sizes");
	s->has_capacity = capacity > 0;
	s->capacity = (double)capacity;
	if (!fit_lines(s))
		return ts_error_set(err, TS_INVALID, "the snapshots have no part of a step in common");
	compare_state(s);
	s->by_pieces = pieces_say_all(s);
	find_sizes(s);
	fit_kinds(s);
	return TS_OK;
}
