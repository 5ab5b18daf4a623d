#include "analysis/worlds/worlds.h"

#include "analysis/stats/student.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

static const double SAME = 0.02; /* batches that differ by less are the same: the last batch of an epoch may be shorter */

const char *const ts_world_line_words[TS_WORLD_LINES] = {"computation", "communication", "imbalance", "input", "other"};

const char *ts_worlds_kind_word(enum ts_worlds_kind kind)
{
	static const char *const words[] = {"none", "strong", "weak", "mixed"};

	return words[kind];
}

/* --- what one run says --- */

static double share_of(const struct ts_measures *m, enum ts_measure_name what, const char *line)
{
	double share;

	return ts_measure_value(m, what, ts_span_str(line), &share) && share > 0 ? share : 0;
}

/* Communication and waiting are told apart by all ranks together; of one rank alone its own budget says what there is. */
static bool split(const struct ts_measures *m, double shares[TS_WORLD_LINES])
{
	double unused, rest = 1;
	bool job = ts_measure_value(m, TS_M_JOB_SHARE, ts_span_str(ts_job_lines[TS_JOB_USEFUL]), &unused);
	enum ts_measure_name what = job ? TS_M_JOB_SHARE : TS_M_BUDGET_SHARE;

	if (!job && !ts_measure_value(m, TS_M_BUDGET_SHARE, ts_span_str(ts_budget_lines[TS_LINE_USEFUL]), &unused))
		return false;
	shares[TS_WORLD_COMPUTE] = share_of(m, what, job ? ts_job_lines[TS_JOB_USEFUL] : ts_budget_lines[TS_LINE_USEFUL]);
	shares[TS_WORLD_COMMUNICATION] = share_of(m, what, job ? ts_job_lines[TS_JOB_COMM] : ts_budget_lines[TS_LINE_COMM]);
	shares[TS_WORLD_IMBALANCE] = share_of(m, what, job ? ts_job_lines[TS_JOB_WAIT] : ts_budget_lines[TS_LINE_WAIT]);
	shares[TS_WORLD_INPUT] = share_of(m, TS_M_BUDGET_SHARE, ts_budget_lines[TS_LINE_DATA]);
	for (int i = 0; i < TS_WORLD_OTHER; i++) {
		shares[i] = shares[i] < rest ? shares[i] : rest;
		rest -= shares[i];
	}
	shares[TS_WORLD_OTHER] = rest;
	return true;
}

bool ts_world_seen(const struct ts_measures *m, uint32_t ranks, struct ts_world_seen *ret_seen, const char **ret_why)
{
	struct ts_world_seen seen = {.ranks = ranks};
	double world, cv, count;

	if (ts_measure_value(m, TS_M_RANKS_WORLD_SIZE, TS_NO_SUBJECT, &world) && world >= 1 && world <= UINT32_MAX)
		seen.ranks = (uint32_t)world;
	seen.tokens = ts_measure_value(m, TS_M_THROUGHPUT_TOKENS, TS_NO_SUBJECT, &seen.rate) && seen.rate > 0;
	if (!seen.tokens && !(ts_measure_value(m, TS_M_THROUGHPUT_SAMPLES, TS_NO_SUBJECT, &seen.rate) && seen.rate > 0)) {
		*ret_why = "records neither samples nor tokens of its steps";
		return false;
	}
	if (!ts_measure_value(m, TS_M_STEP_MEAN, TS_NO_SUBJECT, &seen.step_s) || !(seen.step_s > 0) || !isfinite(seen.rate)) {
		*ret_why = "records no step times";
		return false;
	}
	if (ts_measure_value(m, TS_M_STEP_CV, TS_NO_SUBJECT, &cv) && ts_measure_value(m, TS_M_STEP_COUNT, TS_NO_SUBJECT, &count) &&
	    count > 1 && cv >= 0)
		seen.error = cv / sqrt(count);
	seen.split = split(m, seen.shares);
	*ret_seen = seen;
	return true;
}

/* --- all runs --- */

TS_ORDER(by_ranks, struct ts_world, TS_UP(seen.ranks))

static bool same(double a, double b)
{
	return fabs(a - b) <= SAME * fmax(a, b);
}

/* The mean of the runs of the smallest world; error: of their mean rate. */
static struct ts_world_seen base_of(const struct ts_worlds *w, double *ret_batch)
{
	struct ts_world_seen base = {.ranks = w->rows[0].seen.ranks, .split = true};
	double n = 0, batch = 0;

	for (size_t i = 0; i < w->n && w->rows[i].seen.ranks == base.ranks; i++, n++) {
		const struct ts_world_seen *seen = &w->rows[i].seen;

		base.rate += seen->rate;
		batch += w->rows[i].batch;
		base.error += seen->error * seen->error;
		base.split &= seen->split;
		for (int k = 0; k < TS_WORLD_LINES; k++)
			base.shares[k] += seen->shares[k];
	}
	base.rate /= n;
	base.error = sqrt(base.error) / n;
	for (int k = 0; k < TS_WORLD_LINES; k++)
		base.shares[k] /= n;
	*ret_batch = batch / n;
	return base;
}

static void compare(struct ts_world *row, const struct ts_world_seen *base, double base_batch)
{
	const struct ts_world_seen *seen = &row->seen;
	double r = (double)seen->ranks / base->ranks, cost = seen->ranks / seen->rate, base_cost = base->ranks / base->rate;

	row->speedup = seen->rate / base->rate;
	row->efficiency = row->speedup / r;
	row->speedup_half = 1.96 * row->speedup * sqrt(seen->error * seen->error + base->error * base->error);
	row->split = seen->split && base->split;
	for (int k = 0; k < TS_WORLD_LINES && row->split; k++)
		row->lost[k] = (cost * seen->shares[k] - base_cost * base->shares[k]) / cost;
	row->smaller_batch = row->batch / seen->ranks < (1 - SAME) * base_batch / base->ranks;
	row->slower = seen->ranks > base->ranks && row->speedup + row->speedup_half < 1;
}

static enum ts_worlds_kind kind_of(const struct ts_worlds *w, const struct ts_world_seen *base, double base_batch)
{
	bool strong = true, weak = true, any = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct ts_world *row = &w->rows[i];

		if (row->seen.ranks == base->ranks)
			continue;
		any = true;
		strong &= same(row->batch, base_batch);
		weak &= same(row->batch / row->seen.ranks, base_batch / base->ranks);
	}
	return !any ? TS_WORLDS_NONE : strong ? TS_WORLDS_STRONG : weak ? TS_WORLDS_WEAK : TS_WORLDS_MIXED;
}

/* Both laws are lines through zero in s: y = s x. */
static void line_of(enum ts_worlds_kind kind, const struct ts_world *row, double r, double *ret_x, double *ret_y, double *ret_noise)
{
	bool strong = kind == TS_WORLDS_STRONG;

	*ret_x = strong ? 1 - 1 / r : r - 1;
	*ret_y = strong ? 1 / row->speedup - 1 / r : r - row->speedup;
	*ret_noise = strong ? row->speedup_half / (row->speedup * row->speedup) : row->speedup_half;
}

static struct ts_worlds_fit fit_of(const struct ts_worlds *w)
{
	struct ts_worlds_fit fit = {.known = false};
	double xx = 0, xy = 0, noise = 0, off = 0, x, y, half;
	size_t n = 0;

	if (w->kind != TS_WORLDS_STRONG && w->kind != TS_WORLDS_WEAK)
		return fit;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < w->n; i++) {
			if (w->rows[i].seen.ranks == w->base_ranks)
				continue;
			line_of(w->kind, &w->rows[i], (double)w->rows[i].seen.ranks / w->base_ranks, &x, &y, &half);
			if (pass) {
				off += (y - fit.serial * x) * (y - fit.serial * x);
				continue;
			}
			xx += x * x;
			xy += x * y;
			noise += x * x * half * half;
			n++;
			fit.serial = xy / xx;
		}
	fit.known = true;
	fit.half = sqrt(noise) / xx;
	if (n > 1) {
		double spread = ts_student_quantile(0.975, (double)(n - 1)) * sqrt(off / (double)(n - 1) / xx);

		fit.half = spread > fit.half ? spread : fit.half;
	}
	if (w->kind == TS_WORLDS_STRONG && fit.serial - fit.half > 0 && fit.serial < 1)
		fit.most = 1 / fit.serial;
	return fit;
}

static enum ts_status check(const struct ts_worlds *w, struct ts_error *err)
{
	for (size_t i = 1; i < w->n; i++) {
		const struct ts_world *a = &w->rows[i - 1], *b = &w->rows[i];

		if (a->seen.tokens != b->seen.tokens)
			return ts_error_set(err, TS_INVALID,
					    "these runs cannot be compared: the one with %u ranks counts %s, that with %u ranks %s",
					    a->seen.ranks, a->seen.tokens ? "tokens" : "samples", b->seen.ranks,
					    b->seen.tokens ? "tokens" : "samples");
		if (a->seen.ranks == b->seen.ranks && !same(a->batch, b->batch))
			return ts_error_set(
				err, TS_INVALID,
				"these runs did not do the same work: of two with %u ranks one has a batch of %.6g %s, and one of %.6g",
				a->seen.ranks, a->batch, a->seen.tokens ? "tokens" : "samples", b->batch);
	}
	return TS_OK;
}

enum ts_status ts_worlds_judge(const struct ts_world_seen *seen, size_t n, struct ts_arena *arena, struct ts_worlds *ret_worlds,
			       struct ts_error *err)
{
	struct ts_worlds w = {.rows = ts_arena_array(arena, n, sizeof *w.rows), .n = n};
	struct ts_world_seen base;
	double base_batch;

	if (!w.rows)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		w.rows[i] = (struct ts_world){.seen = seen[i], .batch = seen[i].rate * seen[i].step_s};
	TS_SORT(w.rows, n, by_ranks);
	if (check(&w, err))
		return err->status;
	base = base_of(&w, &base_batch);
	w.base_ranks = base.ranks;
	for (size_t i = 0; i < n; i++)
		compare(&w.rows[i], &base, base_batch);
	w.kind = kind_of(&w, &base, base_batch);
	w.fit = fit_of(&w);
	if (ts_worlds_say(&w, arena, err))
		return err->status;
	*ret_worlds = w;
	return TS_OK;
}
