#include "analysis/rank/memory.h"

#include "analysis/rank/creep.h"
#include "analysis/rank/floor.h"
#include "analysis/rank/rise.h"
#include "analysis/rank/stairs.h"
#include "analysis/stats/slope.h"
#include "analysis/stats/stats.h"
#include "base/bisect.h"
#include "base/door.h"

enum { RANK_BLOCKS = 128, FLOOR_POINTS = 12 };

static const char *const columns[TS_MEMORY_COLUMNS] = {"memory.alloc", "memory.reserved", "memory.peak_alloc",
						       "memory.peak_reserved"};

/* Whether and how fast memory grows. */
struct growth {
	struct ts_slope slope; /* of the whole series, or of its floor from `since` on */
	bool late;	       /* the floor grows from `since` on, though the series as a whole shows no trend */
	size_t rises;	       /* late: it does so in so many stairs, and the slope is that from rise to rise; else 0 */
	double risen;	       /* by the stairs */
	bool settles;	       /* it slows down: the slope is that of the last third */
	int64_t since, until;  /* the steps of the growth */
	enum ts_memory_column of; /* the column whose growth is computed */
	const char *unknown;	  /* the reason why growth is not known; NULL if it is */
};

struct memory {
	struct ts_series raw[TS_MEMORY_COLUMNS]; /* steps >= first; n = 0 if the run has no such column */
	struct ts_series s[TS_MEMORY_COLUMNS];	 /* the values of raw that are valid numbers of bytes */
	bool present[TS_MEMORY_COLUMNS];
	int64_t steady_first;
	double capacity;
	struct growth growth;
	struct ts_arena *arena;
	struct ts_measures *m;
};

/* --- columns --- */

static struct ts_series cut(const struct ts_series *s, int64_t first)
{
	struct ts_series out = s ? *s : (struct ts_series){.n = 0};
	size_t lo = 0;

	TS_BISECT(lo, out.n, i, out.keys[i] < first);
	if (lo) {
		out.keys += lo;
		out.values += lo;
		out.n -= lo;
	}
	return out;
}

static bool is_bytes(double v)
{
	return v >= 0 && isfinite(v);
}

/* Returns the values that are valid numbers of bytes; usually these are all values, and they are not copied. */
static enum ts_status usable(const struct ts_series *s, struct ts_arena *arena, struct ts_series *ret, struct ts_error *err)
{
	size_t n = 0;
	int64_t *keys;
	double *values;

	for (size_t i = 0; i < s->n; i++)
		n += is_bytes(s->values[i]);
	*ret = *s;
	if (n == s->n)
		return TS_OK;
	keys = ts_arena_array(arena, n, sizeof *keys);
	values = ts_arena_array(arena, n, sizeof *values);
	if (!keys || !values)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (is_bytes(s->values[i])) {
			keys[n] = s->keys[i];
			values[n++] = s->values[i];
		}
	ret->keys = keys;
	ret->values = values;
	ret->n = n;
	return TS_OK;
}

/* --- peaks and levels --- */

/* Requires n > 0. */
static double peak_of(const struct ts_series *s, int64_t *ret_step)
{
	size_t at = 0;

	for (size_t i = 1; i < s->n; i++)
		if (s->values[i] > s->values[at])
			at = i;
	if (ret_step)
		*ret_step = s->keys[at];
	return s->values[at];
}

static bool known(struct memory *m, enum ts_measure_name what, double value)
{
	return ts_measure_add(m->m, m->arena, what, TS_NO_SUBJECT, value);
}

static bool unknown(struct memory *m, enum ts_measure_name what, const char *reason)
{
	return ts_measure_unknown(m->m, m->arena, what, TS_NO_SUBJECT, reason);
}

static bool words(struct memory *m, enum ts_measure_name what, const char *text)
{
	return ts_measure_text(m->m, m->arena, what, TS_NO_SUBJECT, ts_span_str(text));
}

/* Adds the same row for one column. */
static bool known_of(struct memory *m, enum ts_measure_name what, enum ts_memory_column c, double value)
{
	return ts_measure_add(m->m, m->arena, what, ts_span_str(ts_memory_columns[c]), value);
}

static bool unknown_of(struct memory *m, enum ts_measure_name what, enum ts_memory_column c, const char *reason)
{
	return ts_measure_unknown(m->m, m->arena, what, ts_span_str(ts_memory_columns[c]), reason);
}

static bool peak_rows(struct memory *m, enum ts_memory_column peak, enum ts_memory_column fallback)
{
	static const char *const missing[TS_MEMORY_COLUMNS] = {
		[TS_MEMORY_PEAK_ALLOC] = "the run has no column memory.peak_alloc or memory.alloc",
		[TS_MEMORY_PEAK_RESERVED] = "the run has no column memory.peak_reserved or memory.reserved",
	};
	static const char *const cut_away[TS_MEMORY_COLUMNS] = {
		[TS_MEMORY_PEAK_ALLOC] = "no step after warm-up has memory.peak_alloc or memory.alloc",
		[TS_MEMORY_PEAK_RESERVED] = "no step after warm-up has memory.peak_reserved or memory.reserved",
	};
	enum ts_memory_column of = m->s[peak].n || !m->s[fallback].n ? peak : fallback;
	const char *reason = "none of its values is a number of bytes";
	int64_t step = 0;

	if (m->s[of].n) {
		double value = peak_of(&m->s[of], &step);

		return known_of(m, TS_M_MEMORY_PEAK, of, value) && known_of(m, TS_M_MEMORY_PEAK_AT, of, (double)step);
	}
	if (!m->raw[peak].n && !m->raw[fallback].n)
		reason = m->present[peak] || m->present[fallback] ? cut_away[peak] : missing[peak];
	return unknown_of(m, TS_M_MEMORY_PEAK, of, reason) && unknown_of(m, TS_M_MEMORY_PEAK_AT, of, reason);
}

static bool level_rows(struct memory *m, enum ts_memory_column c)
{
	static const char *const missing[TS_MEMORY_COLUMNS] = {[TS_MEMORY_ALLOC] = "the run has no column memory.alloc",
							       [TS_MEMORY_RESERVED] =
								       "the run has no column memory.reserved"};
	const struct ts_series *s = &m->s[c];
	const char *reason = "none of its values is a number of bytes";

	if (s->n)
		return known_of(m, TS_M_MEMORY_MEAN, c, ts_mean(s->values, s->n)) &&
		       known_of(m, TS_M_MEMORY_LAST, c, s->values[s->n - 1]);
	if (!m->raw[c].n)
		reason = m->present[c] ? "no step after warm-up has a value" : missing[c];
	return unknown_of(m, TS_M_MEMORY_MEAN, c, reason) && unknown_of(m, TS_M_MEMORY_LAST, c, reason);
}

static bool invalid_rows(struct memory *m)
{
	for (size_t c = 0; c < TS_MEMORY_COLUMNS; c++)
		if (m->s[c].n < m->raw[c].n && !known_of(m, TS_M_MEMORY_INVALID, c, (double)(m->raw[c].n - m->s[c].n)))
			return false;
	return true;
}

/* --- growth --- */

static bool never_falls(const struct ts_series *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->values[i] < s->values[i - 1])
			return false;
	return s->n > 0 && s->values[0] < s->values[s->n - 1];
}

static bool is_significant(const struct ts_slope *s)
{
	return s->has_p && s->p_value < TS_MEMORY_ALPHA;
}

static bool holds_zero(const struct ts_slope *s)
{
	return s->has_interval && s->low <= 0;
}

/* Lowest values of a series, where they stand. */
struct points {
	int64_t keys[FLOOR_POINTS];
	double values[FLOOR_POINTS];
	struct ts_series s;
};

/* Takes the lowest of each of at most FLOOR_POINTS equal groups of the points of a floor, from `from` on. */
static void lowest_of(const struct ts_series *s, const struct ts_floor *f, size_t from, struct points *ret)
{
	size_t n = f->n - from, groups = n < FLOOR_POINTS ? n : FLOOR_POINTS;

	for (size_t g = 0; g < groups; g++) {
		size_t least = from + ts_block_start(n, groups, g), to = from + ts_block_start(n, groups, g + 1);

		for (size_t i = least; i < to; i++)
			least = f->y[i] < f->y[least] ? i : least;
		ret->keys[g] = s->keys[f->at[least]];
		ret->values[g] = f->y[least];
	}
	ret->s = (struct ts_series){s->name, ret->keys, ret->values, groups};
}

/* Returns the floor under a series from value `from` on: that of its cycles, or of equal blocks. */
static enum ts_status floor_of(const struct ts_series *s, size_t from, bool cycles, struct ts_arena *arena, struct points *ret,
			       struct ts_error *err)
{
	struct ts_series tail = {s->name, s->keys + from, s->values + from, s->n - from};
	double *scratch = cycles ? ts_arena_array(arena, s->n / TS_FLOOR_SAMPLED + 1, sizeof *scratch) : NULL;
	struct ts_floor f;
	size_t first = 0;

	if (cycles && !scratch)
		return ts_arena_error(arena, err);
	if (!cycles || !ts_floor_cycles(s->values, s->n, scratch, &f)) {
		ts_floor_blocks(tail.values, tail.n, tail.n < FLOOR_POINTS ? tail.n : FLOOR_POINTS, &f);
		lowest_of(&tail, &f, 0, ret);
		return TS_OK;
	}
	while (first + 1 < f.n && f.at[first] < from)
		first++;
	lowest_of(s, &f, first, ret);
	return TS_OK;
}

/* Takes growth that the test for a trend does not show, from value `from` on. The p-value stays that of the whole series. */
static void take_late(const struct ts_series *s, size_t from, const struct ts_slope *slope, struct growth *g)
{
	struct ts_slope out = *slope;

	out.has_p = g->slope.has_p;
	out.p_value = g->slope.p_value;
	out.n = s->n - from;
	g->slope = out;
	g->late = true;
	g->settles = false;
	g->since = s->keys[from];
}

/* Looks for growth that begins within the run, or that cycles hide. */
static enum ts_status floor_growth(const struct ts_series *s, size_t blocks, struct ts_arena *arena, struct growth *g,
				   struct ts_error *err)
{
	struct ts_growth found;
	struct points under;
	struct ts_slope slope;

	if (ts_growth_find(s->values, s->n, arena, &found, err))
		return err->status;
	if (!found.found)
		return TS_OK;
	if (floor_of(s, found.from, found.cycles, arena, &under, err) || ts_slope_fit(&under.s, blocks, arena, &slope, err))
		return err->status;
	if (slope.known && slope.slope > 0 && !holds_zero(&slope))
		take_late(s, found.from, &slope, g);
	return TS_OK;
}

/* Looks for growth in stairs. Its slope is that between rises, each at half its height: of what lies before the first and behind
 * the last nobody knows how long it would have stayed. */
static enum ts_status stairs_growth(const struct ts_series *s, size_t blocks, struct ts_arena *arena, struct growth *g,
				    struct ts_error *err)
{
	int64_t keys[TS_STAIRS_MOST];
	double values[TS_STAIRS_MOST];
	struct ts_series rises = {s->name, keys, values, 0};
	struct ts_stairs stairs;
	struct ts_slope slope;

	if (ts_stairs_find(s->values, s->n, arena, &stairs, err))
		return err->status;
	for (; rises.n < stairs.n; rises.n++) {
		keys[rises.n] = s->keys[stairs.at[rises.n]];
		values[rises.n] = stairs.level[rises.n] / 2 + stairs.level[rises.n + 1] / 2;
	}
	if (!stairs.n)
		return TS_OK;
	if (ts_slope_fit(&rises, blocks, arena, &slope, err))
		return err->status;
	if (!slope.known || !(slope.slope > 0) || holds_zero(&slope))
		return TS_OK;
	take_late(s, stairs.at[0], &slope, g);
	g->rises = stairs.n;
	g->risen = stairs.level[stairs.n] - stairs.level[0];
	return TS_OK;
}

static enum ts_status late_growth(const struct ts_series *s, size_t blocks, struct ts_arena *arena, struct growth *g,
				  struct ts_error *err)
{
	if (stairs_growth(s, blocks, arena, g, err))
		return err->status;
	return g->late ? TS_OK : floor_growth(s, blocks, arena, g, err);
}

/* Memory that rises throughout but ever more slowly, as caches fill, grows only as fast as at the end: if the last third has less than
 * a sixth of the rise, it is what counts. */
static enum ts_status settling(const struct ts_series *s, size_t blocks, struct ts_arena *arena, struct growth *g,
			       struct ts_error *err)
{
	struct ts_series last = *s;
	struct points under;
	struct ts_slope slope;
	size_t skip = s->n - s->n / 3;

	last.keys += skip;
	last.values += skip;
	last.n -= skip;
	if (ts_slope_fit(&last, blocks, arena, &slope, err))
		return err->status;
	if (floor_of(s, 0, false, arena, &under, err))
		return err->status;
	if (!slope.known ||
	    slope.slope * (double)((uint64_t)g->until - (uint64_t)last.keys[0]) >= (under.values[under.s.n - 1] - under.values[0]) / 6)
		return TS_OK;
	g->slope = slope;
	g->since = last.keys[0];
	g->settles = true;
	return TS_OK;
}

/* Looks at what the test for a trend does not show. A flat beginning may leave its interval at 0 though every third rises: then it
 * matters where memory begins to grow. */
static enum ts_status look_closer(const struct ts_series *s, size_t blocks, struct ts_arena *arena, struct growth *g,
				  struct ts_error *err)
{
	if (!is_significant(&g->slope))
		return late_growth(s, blocks, arena, g, err);
	if (!(g->slope.slope > 0))
		return TS_OK;
	if (settling(s, blocks, arena, g, err))
		return err->status;
	if (g->settles)
		return is_significant(&g->slope) ? TS_OK : stairs_growth(s, blocks, arena, g, err);
	return holds_zero(&g->slope) ? late_growth(s, blocks, arena, g, err) : TS_OK;
}

/* Both series have valid values only. */
static enum ts_status growth_of(const struct ts_series *alloc, const struct ts_series *peak, int64_t steady_first, size_t blocks,
				struct ts_arena *arena, struct growth *ret, struct ts_error *err)
{
	struct ts_series a = cut(alloc, steady_first), p = cut(peak, steady_first);
	const struct ts_series *of = a.n ? &a : &p;
	struct growth g = {.slope.n = of->n, .of = a.n ? TS_MEMORY_ALLOC : TS_MEMORY_PEAK_ALLOC};

	if (!of->n)
		g.unknown = alloc->n || peak->n
				    ? "no step after warm-up has memory.alloc or memory.peak_alloc"
				    : "the run has no column memory.alloc or memory.peak_alloc with numbers of bytes";
	else if (!a.n && never_falls(&p))
		g.unknown = "the run has no column memory.alloc, and memory.peak_alloc never falls, so it may be the "
			    "maximum since the start";
	else if (ts_slope_fit(of, blocks, arena, &g.slope, err))
		return err->status;
	else if (!g.slope.known)
		g.unknown = of->n < 3 ? "fewer than 3 steps have a memory value"
				      : "its values or steps are too far apart for floating-point numbers";
	else {
		g.since = of->keys[0];
		g.until = of->keys[of->n - 1];
		if (look_closer(of, blocks, arena, &g, err))
			return err->status;
	}
	*ret = g;
	return TS_OK;
}

/* Adds how growth was computed and from what: the number of steps, and of the points they were reduced to. */
static bool method_rows(struct memory *m)
{
	if (m->growth.rises && !known(m, TS_M_GROWTH_RISES, (double)m->growth.rises))
		return false;
	return words(m, TS_M_GROWTH_METHOD,
		     m->growth.rises	 ? "Theil-Sen, rises"
		     : m->growth.late	 ? "Theil-Sen, lowest values"
		     : m->growth.settles ? "Theil-Sen, Mann-Kendall, last third"
					 : "Theil-Sen, Mann-Kendall") &&
	       words(m, TS_M_GROWTH_COLUMN, columns[m->growth.of]) && known(m, TS_M_GROWTH_STEPS, (double)m->growth.slope.n) &&
	       known(m, TS_M_GROWTH_POINTS, (double)m->growth.slope.points);
}

static bool no_growth_rows(struct memory *m)
{
	static const enum ts_measure_name rows[] = {TS_M_GROWTH_SLOPE, TS_M_GROWTH_SLOPE_LOW, TS_M_GROWTH_SLOPE_HIGH,
						    TS_M_GROWTH_TOTAL, TS_M_GROWTH_P_VALUE,   TS_M_GROWTH_METHOD};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!unknown(m, rows[i], m->growth.unknown))
			return false;
	return true;
}

/* Returns why there is no 95 % interval, where there is none. */
static const char *no_interval_of(const struct growth *g)
{
	if (g->rises)
		return "a 95 % confidence interval takes 6 rises";
	return g->late ? "there are too few lowest values for a 95 % confidence interval"
		       : "there are too few steps for a 95 % confidence interval";
}

static bool growth_rows(struct memory *m)
{
	const char *few = no_interval_of(&m->growth);
	const struct ts_slope *g = &m->growth.slope;
	double steps = (double)((uint64_t)m->growth.until - (uint64_t)m->growth.since);
	bool ok;

	if (m->growth.unknown)
		return no_growth_rows(m);
	ok = known(m, TS_M_GROWTH_SLOPE, g->slope);
	if (g->has_interval)
		ok = ok && known(m, TS_M_GROWTH_SLOPE_LOW, g->low) && known(m, TS_M_GROWTH_SLOPE_HIGH, g->high);
	else
		ok = ok && unknown(m, TS_M_GROWTH_SLOPE_LOW, few) && unknown(m, TS_M_GROWTH_SLOPE_HIGH, few);
	ok = ok && known(m, TS_M_GROWTH_TOTAL, m->growth.rises ? m->growth.risen : g->slope * steps);
	if (g->has_p)
		ok = ok && known(m, TS_M_GROWTH_P_VALUE, g->p_value);
	else
		ok = ok &&
		     unknown(m, TS_M_GROWTH_P_VALUE, "fewer than 18 steps are too few to tell growth from chance");
	if (m->growth.late)
		ok = ok && known(m, TS_M_GROWTH_SINCE, (double)m->growth.since);
	if (g->has_jump && !m->growth.late)
		ok = ok && known(m, TS_M_GROWTH_JUMP, g->jump) && known(m, TS_M_GROWTH_JUMP_AT, (double)g->jump_key);
	return ok && method_rows(m);
}

/* --- capacity --- */

static bool changes(const struct ts_series *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->values[i] < s->values[0] || s->values[i] > s->values[0])
			return true;
	return false;
}

static struct ts_series last_twelfth(const struct ts_series *s)
{
	struct ts_series out = *s;
	size_t keep = s->n / 12 + 1;

	if (keep < s->n) {
		out.keys += s->n - keep;
		out.values += s->n - keep;
		out.n = keep;
	}
	return out;
}

/* Returns what a step needs now. A peak that does not change while memory grows is an old one. Growth is known here,
 * so there is a value. */
static double level_now(const struct memory *m)
{
	struct ts_series peak = last_twelfth(&m->s[TS_MEMORY_PEAK_ALLOC]), of = last_twelfth(&m->s[m->growth.of]);

	return peak_of(changes(&peak) ? &peak : &of, NULL);
}

static bool left_row(struct memory *m, enum ts_measure_name what, double slope)
{
	double left = (m->capacity - level_now(m)) / slope;

	return known(m, what, left > 0 ? ceil(left) : 0);
}

static bool left_rows(struct memory *m)
{
	const struct ts_slope *g = &m->growth.slope;
	const char *reason = NULL, *no_interval = NULL;

	if (m->capacity <= 0)
		reason = "the memory of the device is not known";
	else if (m->growth.unknown)
		reason = m->growth.unknown;
	else if (!m->growth.late && !g->has_p)
		reason = "there are too few steps to tell growth from chance";
	else if (!m->growth.late && !is_significant(g))
		reason = "memory does not grow significantly";
	else if (g->slope <= 0)
		reason = "memory does not grow, it falls";
	else if (!g->has_interval)
		no_interval = no_interval_of(&m->growth);
	else if (holds_zero(g))
		no_interval = "the confidence interval of the growth includes 0";
	if (!m->growth.late && !reason)
		reason = no_interval;
	if (reason || no_interval)
		return (reason ? unknown(m, TS_M_CAPACITY_STEPS_LEFT, reason)
			       : left_row(m, TS_M_CAPACITY_STEPS_LEFT, g->slope)) &&
		       unknown(m, TS_M_CAPACITY_STEPS_LEFT_LOW, reason ? reason : no_interval) &&
		       unknown(m, TS_M_CAPACITY_STEPS_LEFT_HIGH, reason ? reason : no_interval);
	return left_row(m, TS_M_CAPACITY_STEPS_LEFT, g->slope) && left_row(m, TS_M_CAPACITY_STEPS_LEFT_LOW, g->high) &&
	       left_row(m, TS_M_CAPACITY_STEPS_LEFT_HIGH, g->low);
}

static bool capacity_rows(struct memory *m)
{
	static const enum ts_memory_column by_worth[] = {TS_MEMORY_PEAK_RESERVED, TS_MEMORY_RESERVED,
							 TS_MEMORY_PEAK_ALLOC, TS_MEMORY_ALLOC};
	static const char none[] = "the memory of the device is not known";
	const struct ts_series *peak = NULL;
	bool ok;

	for (size_t i = TS_MEMORY_COLUMNS; i-- > 0;)
		if (m->s[by_worth[i]].n)
			peak = &m->s[by_worth[i]];
	if (m->capacity <= 0)
		ok = unknown(m, TS_M_CAPACITY_DEVICE, none) && unknown(m, TS_M_CAPACITY_PRESSURE, none);
	else
		ok = known(m, TS_M_CAPACITY_DEVICE, m->capacity) &&
		     (peak ? known(m, TS_M_CAPACITY_PRESSURE, peak_of(peak, NULL) / m->capacity)
			   : unknown(m, TS_M_CAPACITY_PRESSURE, "the run has no memory column with numbers of bytes"));
	return ok && left_rows(m);
}

/* --- fragmentation, creep --- */

static bool fragmentation_rows(struct memory *m)
{
	const struct ts_series *alloc = &m->s[TS_MEMORY_PEAK_ALLOC], *reserved = &m->s[TS_MEMORY_PEAK_RESERVED];
	double a = alloc->n ? peak_of(alloc, NULL) : 0, r = reserved->n ? peak_of(reserved, NULL) : 0;
	const char *reason = NULL;

	if (!alloc->n || !reserved->n)
		reason = "fragmentation needs memory.peak_alloc and memory.peak_reserved, because memory is low "
			 "between steps";
	else if (a > r)
		reason = "memory.peak_alloc is above memory.peak_reserved";
	else if (r <= 0)
		reason = "no memory was reserved";
	if (reason)
		return unknown(m, TS_M_FRAGMENTATION, reason) && unknown(m, TS_M_FRAGMENTATION_UNUSED, reason);
	return known(m, TS_M_FRAGMENTATION, (r - a) / r) && known(m, TS_M_FRAGMENTATION_UNUSED, r - a);
}

static bool creep_rows(struct memory *m)
{
	static const char none[] = "the run has no column memory.peak_alloc or memory.alloc";
	const char *few = "fewer than 50 steps have a memory value";
	struct ts_creep best = {.kind = TS_CREEP_NONE}, found;
	size_t of = TS_MEMORY_COLUMNS;

	for (size_t c = TS_MEMORY_PEAK_ALLOC; c < TS_MEMORY_COLUMNS; c++) {
		size_t take = m->s[c].n ? c : c - TS_MEMORY_PEAK_ALLOC;

		if (!ts_creep_find(m->s[take].values, m->s[take].n, &found))
			continue;
		if (of == TS_MEMORY_COLUMNS || found.kind > best.kind ||
		    (found.kind == best.kind && found.score > best.score)) {
			best = found;
			of = take;
		}
	}
	if (!m->present[TS_MEMORY_ALLOC] && !m->present[TS_MEMORY_RESERVED] && !m->present[TS_MEMORY_PEAK_ALLOC] &&
	    !m->present[TS_MEMORY_PEAK_RESERVED])
		few = none;
	if (of == TS_MEMORY_COLUMNS)
		return unknown(m, TS_M_CREEP_KIND, few) && unknown(m, TS_M_CREEP_DELTA, few) &&
		       unknown(m, TS_M_CREEP_SCORE, few) && unknown(m, TS_M_CREEP_METRIC, few);
	return words(m, TS_M_CREEP_KIND, ts_creep_word(best.kind)) && known(m, TS_M_CREEP_DELTA, best.delta) &&
	       known(m, TS_M_CREEP_SCORE, best.score) && words(m, TS_M_CREEP_METRIC, columns[of]);
}

/* --- the whole --- */

static enum ts_status plots_of(const struct memory *m, struct ts_plots *plots, struct ts_error *err)
{
	for (size_t c = 0; c < TS_MEMORY_PEAK_ALLOC; c++) {
		size_t of = m->raw[c].n ? c : c + TS_MEMORY_PEAK_ALLOC;

		if (ts_plot_series(plots, TS_ANSWER_MEMORY, ts_span_str(ts_memory_columns[of]), "value", TS_UNIT_BYTES,
				   &m->raw[of], m->arena, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_memory_summary(const struct ts_series *alloc, const struct ts_series *reserved,
				 const struct ts_series *peak_alloc, const struct ts_series *peak_reserved, int64_t first,
				 int64_t steady_first, double capacity_bytes, struct ts_arena *arena,
				 struct ts_measures *measures, struct ts_plots *plots, struct ts_error *err)
{
	const struct ts_series *given[TS_MEMORY_COLUMNS] = {alloc, reserved, peak_alloc, peak_reserved};
	struct memory m = {
		.steady_first = steady_first,
		.capacity = is_bytes(capacity_bytes) ? capacity_bytes : 0,
		.arena = arena,
		.m = measures,
	};
	bool ok;

	TS_DOOR(!plots || ts_plots_hold(plots));
	TS_DOOR(ts_measures_hold(measures));
	TS_DOOR_ALL(i, TS_MEMORY_COLUMNS, !given[i] || ts_series_holds(given[i]));
	for (size_t c = 0; c < TS_MEMORY_COLUMNS; c++) {
		m.present[c] = given[c] != NULL;
		m.raw[c] = cut(given[c], first);
		if (usable(&m.raw[c], arena, &m.s[c], err))
			return err->status;
	}
	if (growth_of(&m.s[TS_MEMORY_ALLOC], &m.s[TS_MEMORY_PEAK_ALLOC], steady_first, TS_SLOPE_BLOCKS, arena, &m.growth, err))
		return err->status;
	ok = peak_rows(&m, TS_MEMORY_PEAK_ALLOC, TS_MEMORY_ALLOC) &&
	     peak_rows(&m, TS_MEMORY_PEAK_RESERVED, TS_MEMORY_RESERVED) && level_rows(&m, TS_MEMORY_ALLOC) &&
	     level_rows(&m, TS_MEMORY_RESERVED) && invalid_rows(&m) && growth_rows(&m) && capacity_rows(&m) &&
	     fragmentation_rows(&m) && creep_rows(&m);
	return ok ? plots_of(&m, plots, err) : ts_arena_error(arena, err);
}

enum ts_status ts_memory_rank(const struct ts_series *alloc, const struct ts_series *peak_alloc, int64_t first,
			      int64_t steady_first, struct ts_arena *scratch, struct ts_rank_memory *ret_rank,
			      struct ts_error *err)
{
	struct ts_rank_memory out = {.p_value = (double)NAN};
	struct ts_series raw_alloc = cut(alloc, first), raw_peak = cut(peak_alloc, first), a, p;
	struct growth g;

	TS_DOOR((!alloc || ts_series_holds(alloc)) && (!peak_alloc || ts_series_holds(peak_alloc)));
	if (usable(&raw_alloc, scratch, &a, err) || usable(&raw_peak, scratch, &p, err) ||
	    growth_of(&a, &p, steady_first, RANK_BLOCKS, scratch, &g, err))
		return err->status;
	out.has_peak = p.n || a.n;
	if (out.has_peak)
		out.peak = peak_of(p.n ? &p : &a, NULL);
	else
		out.no_peak = "the run has no column memory.alloc or memory.peak_alloc with numbers of bytes";
	out.no_growth = g.unknown;
	out.has_growth = !out.no_growth;
	if (out.has_growth)
		out.growth = g.slope.slope;
	if (g.slope.has_p)
		out.p_value = g.slope.p_value;
	out.late = g.late;
	out.since = g.since;
	*ret_rank = out;
	return TS_OK;
}
