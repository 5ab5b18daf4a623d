#include "analysis/gate/trend_effects.h"

#include "analysis/stats/stats.h"
#include "analysis/stats/wander.h"
#include "base/order.h"

#include <math.h>

enum { HOST, WEEKDAY, FACTORS };
enum { STEPS = 32, ROUNDS = 20, DAYS = 7, BLOCKS_LEAST = 2, RUNS_LEAST = 4, DF_LEAST = 4 };

#define DAY_NS INT64_C(86400000000000)
/* The reduction of squares, in variances of the noise, from which a step is one: chance gives as much in 1 of 1,000 series of
 * 10,000 runs. */
#define STEP_GAIN 30.0
#define SURE 3.09 /* of a normal variable: p 0.001 */

struct factor {
	size_t *group; /* of each run; below n_groups */
	size_t *block; /* of each run: ascending */
	size_t n_groups, n_blocks;
	double *effect; /* of each group */
	bool *counts;	/* each group: it has an effect of its own */
	bool used;
};

struct fit {
	size_t n;
	double *x;	 /* the values, odd ones replaced */
	size_t *order;	 /* the runs by host, and of a host by age */
	double *rest;	 /* x without levels and effects */
	double *level;	 /* of each run */
	size_t steps[STEPS + 2];
	size_t n_steps; /* the levels begin at 0 and at these */
	struct factor factors[FACTORS];
	double *sum; /* scratch, as count: twice as much room as there are runs or weekdays */
	double *count;
	double noise;
	struct ts_arena *arena;
};

/* --- groups and blocks --- */

struct by_host {
	struct ts_span host;
	size_t at;
};

TS_ORDER(compare_hosts, struct by_host, TS_TEXT(host); TS_UP(at))

static enum ts_status group_hosts(struct fit *f, const struct ts_trend_label *labels, struct ts_error *err)
{
	struct by_host *sorted = ts_arena_array(f->arena, f->n, sizeof *sorted);
	struct factor *hosts = &f->factors[HOST];

	if (!sorted)
		return ts_arena_error(f->arena, err);
	for (size_t i = 0; i < f->n; i++)
		sorted[i] = (struct by_host){labels[i].host, i};
	TS_SORT(sorted, f->n, compare_hosts);
	for (size_t i = 0; i < f->n; i++) {
		hosts->n_groups += i == 0 || !ts_span_eq(sorted[i].host, sorted[i - 1].host);
		hosts->group[sorted[i].at] = hosts->n_groups - 1;
		f->order[i] = sorted[i].at;
	}
	for (size_t i = 0; i < f->n; i++) {
		hosts->n_blocks += i == 0 || hosts->group[i] != hosts->group[i - 1];
		hosts->block[i] = hosts->n_blocks - 1;
	}
	return TS_OK;
}

/* Weekdays are those of UTC. They are one group each, and runs without a time are another. */
static void group_weekdays(struct fit *f, const struct ts_trend_label *labels)
{
	struct factor *days = &f->factors[WEEKDAY];

	days->n_groups = DAYS + 1;
	for (size_t i = 0; i < f->n; i++) {
		int64_t day = labels[i].started_ns / DAY_NS;

		days->group[i] = labels[i].started_ns > 0 ? (size_t)(day % DAYS) : DAYS;
		days->n_blocks += i == 0 || day != labels[i - 1].started_ns / DAY_NS || days->group[i] != days->group[i - 1];
		days->block[i] = days->n_blocks - 1;
	}
}

/* A group counts if it came in several blocks and has some runs; runs without a label have no effect. */
static void choose_groups(struct fit *f, struct factor *factor, size_t unlabelled)
{
	for (size_t g = 0; g < factor->n_groups; g++)
		f->sum[g] = f->count[g] = 0;
	for (size_t i = 0; i < f->n; i++) {
		f->count[factor->group[i]]++;
		f->sum[factor->group[i]] += i == 0 || factor->block[i] != factor->block[i - 1];
	}
	for (size_t g = 0; g < factor->n_groups; g++)
		factor->counts[g] = g != unlabelled && f->sum[g] >= BLOCKS_LEAST && f->count[g] >= RUNS_LEAST;
}

static enum ts_status group(struct fit *f, const struct ts_trend_label *labels, struct ts_error *err)
{
	size_t unlabelled = SIZE_MAX;

	for (size_t k = 0; k < FACTORS; k++) {
		struct factor *factor = &f->factors[k];
		size_t most = f->n > DAYS ? f->n : DAYS + 1;

		factor->group = ts_arena_array(f->arena, f->n, sizeof *factor->group);
		factor->block = ts_arena_array(f->arena, f->n, sizeof *factor->block);
		factor->effect = ts_arena_array(f->arena, most, sizeof *factor->effect);
		factor->counts = ts_arena_array(f->arena, most, sizeof *factor->counts);
		if (!factor->group || !factor->block || !factor->effect || !factor->counts)
			return ts_arena_error(f->arena, err);
	}
	if (group_hosts(f, labels, err))
		return err->status;
	group_weekdays(f, labels);
	for (size_t i = 0; i < f->n; i++)
		if (labels[i].host.len == 0)
			unlabelled = f->factors[HOST].group[i];
	choose_groups(f, &f->factors[HOST], unlabelled);
	choose_groups(f, &f->factors[WEEKDAY], DAYS);
	return TS_OK;
}

/* Whether a value is odd is asked among runs of its own host: one run on another host is none. */
static enum ts_status tame(struct fit *f, const double *values, struct ts_error *err)
{
	for (size_t i = 0; i < f->n; i++)
		f->sum[i] = values[f->order[i]];
	if (ts_wander_tame(f->sum, f->n, f->arena, f->count, err))
		return err->status;
	for (size_t i = 0; i < f->n; i++)
		f->x[f->order[i]] = f->count[i];
	return TS_OK;
}

/* --- the fit --- */

static void forget(struct fit *f)
{
	for (size_t k = 0; k < FACTORS; k++)
		for (size_t g = 0; g < f->factors[k].n_groups; g++)
			f->factors[k].effect[g] = 0;
	for (size_t i = 0; i < f->n; i++) {
		f->level[i] = 0;
		f->rest[i] = f->x[i];
	}
}

static void fit_effects(struct fit *f, struct factor *factor)
{
	for (size_t g = 0; g < factor->n_groups; g++)
		f->sum[g] = f->count[g] = 0;
	for (size_t i = 0; i < f->n; i++) {
		f->sum[factor->group[i]] += f->rest[i];
		f->count[factor->group[i]]++;
	}
	for (size_t g = 0; g < factor->n_groups; g++) {
		f->sum[g] = factor->counts[g] ? f->sum[g] / f->count[g] : 0;
		factor->effect[g] += f->sum[g];
	}
	for (size_t i = 0; i < f->n; i++)
		f->rest[i] -= f->sum[factor->group[i]];
}

static void fit_levels(struct fit *f)
{
	for (size_t s = 0; s <= f->n_steps; s++) {
		size_t from = s ? f->steps[s - 1] : 0, to = s < f->n_steps ? f->steps[s] : f->n;
		double mean = ts_mean(f->rest + from, to - from);

		for (size_t i = from; i < to; i++) {
			f->level[i] += mean;
			f->rest[i] -= mean;
		}
	}
}

static void fit_all(struct fit *f)
{
	for (int round = 0; round < ROUNDS; round++) {
		fit_levels(f);
		for (size_t k = 0; k < FACTORS; k++)
			if (f->factors[k].used)
				fit_effects(f, &f->factors[k]);
	}
	fit_levels(f);
}

/* The best place for a step between two others: that with the greatest reduction of squares among runs of one host. Runs of hosts
 * that do not count are compared with each other. */
static double best_step(struct fit *f, size_t from, size_t to, size_t *ret_at)
{
	const struct factor *hosts = &f->factors[HOST];
	size_t groups = hosts->n_groups;
	double *all = f->sum, *n_all = f->count, *n_later = n_all + groups + 1;
	double sum = 0, room = 0, best = 0;

	for (size_t g = 0; g <= groups; g++)
		all[g] = n_all[g] = n_later[g] = 0;
	for (size_t i = from; i < to; i++) {
		size_t g = hosts->used && hosts->counts[hosts->group[i]] ? hosts->group[i] : groups;

		all[g] += f->rest[i];
		n_all[g]++;
	}
	for (size_t i = to; i-- > from + 1;) {
		size_t g = hosts->used && hosts->counts[hosts->group[i]] ? hosts->group[i] : groups;
		double k = n_later[g], n = n_all[g];

		/* sum: of later runs, less what the means of their hosts give; room: its variance, in that of the noise */
		sum += f->rest[i] - all[g] / n;
		room += (k + 1) * (n - k - 1) / n - k * (n - k) / n;
		n_later[g]++;
		if (i - from >= 3 && to - i >= 3 && room > 0.5 && sum * sum / room > best) {
			best = sum * sum / room;
			*ret_at = i;
		}
	}
	return best;
}

static bool add_step(struct fit *f)
{
	double best = 0;
	size_t where = 0, at = 0, k;

	for (size_t s = 0; s <= f->n_steps; s++) {
		size_t from = s ? f->steps[s - 1] : 0, to = s < f->n_steps ? f->steps[s] : f->n;
		double gain = best_step(f, from, to, &at);

		if (gain > best) {
			best = gain;
			where = at;
		}
	}
	if (!(best > STEP_GAIN * f->noise * f->noise))
		return false;
	for (k = f->n_steps++; k > 0 && f->steps[k - 1] > where; k--)
		f->steps[k] = f->steps[k - 1];
	f->steps[k] = where;
	return true;
}

/* The deviation of the noise, from differences of neighbouring runs, most of which are of one host and day. */
static double noise_of(struct fit *f)
{
	size_t n = 0;

	for (size_t i = 1; i < f->n; i++)
		f->sum[n++] = fabs(f->x[i] - f->x[i - 1]);
	return n ? TS_MAD_TO_SD * ts_median(f->sum, n, f->sum) / sqrt(2) : 0;
}

static void fit_model(struct fit *f)
{
	f->n_steps = 0;
	forget(f);
	fit_all(f);
	while (f->n_steps < STEPS && add_step(f))
		fit_all(f);
}

/* --- the test --- */

/* Paulson's normal approximation to F: above SURE with probability 0.001 or less. */
static bool is_sure(double ratio, double df1, double df2)
{
	double a = 2 / (9 * df1), b = 2 / (9 * df2), root = cbrt(ratio);

	return ((1 - b) * root - (1 - a)) / sqrt(b * root * root + a) > SURE;
}

/* Do the means of the factor's blocks differ more between groups than within them? */
static bool explains(struct fit *f, const struct factor *factor)
{
	double *mean = f->sum, *blocks = f->count, all = 0, n = 0, groups = 0, within = 0, between = 0;
	size_t i = 0;

	for (size_t g = 0; g < factor->n_groups; g++)
		mean[g] = blocks[g] = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (i = 0; i < f->n;) {
			size_t end = i, g = factor->group[i];
			double sum = 0;

			for (; end < f->n && factor->block[end] == factor->block[i]; end++)
				sum += f->rest[end] + factor->effect[g];
			sum /= (double)(end - i);
			i = end;
			if (!factor->counts[g])
				continue;
			if (pass == 0) {
				mean[g] += sum;
				blocks[g]++;
				all += sum;
				n++;
			} else {
				within += (sum - mean[g] / blocks[g]) * (sum - mean[g] / blocks[g]);
			}
		}
	}
	for (size_t g = 0; g < factor->n_groups; g++) {
		double far = blocks[g] ? mean[g] / blocks[g] - all / n : 0;

		groups += blocks[g] > 0;
		between += blocks[g] * far * far;
	}
	if (groups < 2 || n - groups < DF_LEAST)
		return false;
	return between > 0 && is_sure(between / (groups - 1) / (within / (n - groups)), groups - 1, n - groups);
}

/* --- what is taken out --- */

/* Numbers the parts of the series between which no host that counts stands on both sides. */
static void find_parts(const struct fit *f, size_t *ret_part)
{
	const struct factor *hosts = &f->factors[HOST];
	size_t *last = hosts->block; /* it is not needed any more */
	size_t part = 0, reach = 0;

	for (size_t i = 0; i < f->n; i++)
		last[hosts->group[i]] = i;
	for (size_t i = 0; i < f->n; i++) {
		size_t g = hosts->group[i];

		if (!hosts->counts[g]) {
			ret_part[i] = part;
			continue;
		}
		part += reach > 0 && i > reach;
		reach = last[g] > reach ? last[g] : reach;
		ret_part[i] = part;
	}
}

/* Takes the mean of each part from the hosts' effects in it, and says which runs can be compared. */
static void settle_hosts(struct fit *f, struct ts_trend_effects *ret)
{
	const struct factor *hosts = &f->factors[HOST];
	double *sum = f->sum, *n = f->count, low = INFINITY, high = -INFINITY;

	if (!hosts->used) {
		for (size_t i = 0; i < f->n; i++)
			ret->alike[i] = hosts->group[i];
		return;
	}
	find_parts(f, ret->alike);
	for (size_t i = 0; i < f->n; i++)
		sum[i] = n[i] = 0;
	for (size_t i = 0; i < f->n; i++)
		if (hosts->counts[hosts->group[i]]) {
			sum[ret->alike[i]] += hosts->effect[hosts->group[i]];
			n[ret->alike[i]]++;
		}
	for (size_t i = 0; i < f->n; i++) {
		size_t g = hosts->group[i], part = ret->alike[i];

		if (!hosts->counts[g]) {
			ret->alike[i] = f->n + g;
			continue;
		}
		ret->effect[i] += hosts->effect[g] - sum[part] / n[part];
		low = fmin(low, hosts->effect[g] - sum[part] / n[part]);
		high = fmax(high, hosts->effect[g] - sum[part] / n[part]);
	}
	ret->host_spread = high - low;
}

static void settle_weekdays(const struct fit *f, struct ts_trend_effects *ret)
{
	const struct factor *days = &f->factors[WEEKDAY];
	double mean = 0, n = 0, low = INFINITY, high = -INFINITY;

	if (!days->used)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (days->counts[days->group[i]]) {
			mean += days->effect[days->group[i]];
			n++;
		}
	for (size_t i = 0; i < f->n; i++)
		if (days->counts[days->group[i]]) {
			double effect = days->effect[days->group[i]] - mean / n;

			ret->effect[i] += effect;
			low = fmin(low, effect);
			high = fmax(high, effect);
		}
	ret->weekday_spread = high - low;
}

enum ts_status ts_trend_effects_fit(const double *values, const struct ts_trend_label *labels, size_t n, struct ts_arena *arena,
				    struct ts_trend_effects *ret, struct ts_error *err)
{
	struct fit f = {.n = n, .arena = arena};
	size_t room = 2 * (n + DAYS + 2);
	bool dropped = false;

	*ret = (struct ts_trend_effects){.effect = ts_arena_array(arena, n, sizeof *ret->effect),
					 .alike = ts_arena_array(arena, n, sizeof *ret->alike)};
	f.x = ts_arena_array(arena, n, sizeof *f.x);
	f.order = ts_arena_array(arena, n, sizeof *f.order);
	f.rest = ts_arena_array(arena, n, sizeof *f.rest);
	f.level = ts_arena_array(arena, n, sizeof *f.level);
	f.sum = ts_arena_array(arena, room, sizeof *f.sum);
	f.count = ts_arena_array(arena, room, sizeof *f.count);
	if (!f.x || !f.order || !ret->effect || !ret->alike || !f.rest || !f.level || !f.sum || !f.count)
		return ts_arena_error(arena, err);
	if (group(&f, labels, err) || tame(&f, values, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		ret->effect[i] = 0;
	f.noise = noise_of(&f);
	f.factors[HOST].used = f.factors[HOST].n_groups > 1;
	f.factors[WEEKDAY].used = true;
	if (n)
		fit_model(&f);
	for (size_t k = 0; n && k < FACTORS; k++) {
		/* A level with so many steps wanders, and what is left of it would be taken for effects. */
		bool keep = f.n_steps < STEPS && f.factors[k].used && explains(&f, &f.factors[k]);

		dropped |= !keep;
		f.factors[k].used = keep;
	}
	if (dropped && (f.factors[HOST].used || f.factors[WEEKDAY].used))
		fit_model(&f);
	settle_hosts(&f, ret);
	settle_weekdays(&f, ret);
	return TS_OK;
}
