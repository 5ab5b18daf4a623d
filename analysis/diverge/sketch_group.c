#include "analysis/diverge/sketch_group.h"

#include "analysis/answer/say.h"

#include <math.h>

/* What is left beside a factor, of its distance from 1; and how far rounding may go in a tensor that tells of it. */
#define LEFT 0.05
#define TELLS 0.01
/* Of the gradients of two steps: what both explain but for this share, and one alone does not. */
#define EXPLAINED 1e-3
#define UNEXPLAINED 0.05
/* Equal inputs leave this much of an update to rounding, where other updates are equal to the bit. */
#define EQUAL_INPUTS 1e-3

enum { LEAST = 2 };

struct group {
	struct ts_sketch_tensor *const *tensors;
	const struct ts_sketch_row *rows;
	size_t n;
	const char *kind;
};

static bool is_in(const struct group *g, size_t i)
{
	return ts_span_is(g->tensors[i]->kind, g->kind);
}

static const struct tscope_sketch *side(const struct group *g, size_t i, enum ts_sketch_side of)
{
	return g->tensors[i]->of[of].sketch;
}

/* Whether both runs have numbers in it that can be held against each other. */
static bool is_sound(const struct group *g, size_t i)
{
	enum ts_sketch_state state = g->rows[i].state;

	return is_in(g, i) && state != TS_SKETCH_NOISE && state != TS_SKETCH_SIZES && state != TS_SKETCH_NOT_FINITE &&
	       side(g, i, TS_SKETCH_A)->squares > 0 && side(g, i, TS_SKETCH_B)->squares > 0;
}

static double product(const double *x, const double *y)
{
	double sum = 0;

	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++)
		sum += x[i] * y[i];
	return sum;
}

/* |b - f a| / |b| */
static double left_by(const struct tscope_sketch *a, const struct tscope_sketch *b, double f)
{
	double left = 0, all = product(b->sums, b->sums);

	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++) {
		double d = b->sums[i] - f * a->sums[i];

		left += d * d;
	}
	return all > 0 ? sqrt(left / all) : HUGE_VAL;
}

/* The one factor of a kind, into ret->factor; false: there is none. */
static bool is_scaled(const struct group *g, struct ts_sketch_found *ret)
{
	double ab = 0, aa = 0, off;

	*ret = (struct ts_sketch_found){.first = g->n};
	for (size_t i = 0; i < g->n; i++) {
		ret->of += is_in(g, i);
		if (is_sound(g, i)) {
			ab += product(side(g, i, TS_SKETCH_A)->sums, side(g, i, TS_SKETCH_B)->sums);
			aa += product(side(g, i, TS_SKETCH_A)->sums, side(g, i, TS_SKETCH_A)->sums);
		}
	}
	ret->factor = aa > 0 ? ab / aa : (double)NAN;
	off = fabs(ret->factor - 1);
	if (!(ret->factor > 0) || !isfinite(ret->factor))
		return false;
	for (size_t i = 0; i < g->n; i++) {
		if (!is_sound(g, i) || !(g->tensors[i]->measured < TELLS * off))
			continue;
		if (left_by(side(g, i, TS_SKETCH_A), side(g, i, TS_SKETCH_B), ret->factor) > LEFT * off)
			return false;
		ret->first = ret->first == g->n ? i : ret->first;
		ret->n++;
	}
	return ret->n >= LEAST && 2 * ret->n >= ret->of;
}

/* |b - f a| is least with this f. */
static double factor_of(const struct group *g, size_t i)
{
	const struct tscope_sketch *a = side(g, i, TS_SKETCH_A), *b = side(g, i, TS_SKETCH_B);

	return product(a->sums, b->sums) / product(a->sums, a->sums);
}

/* The factor of more than half of a kind, if there is one: what is left when each is struck out with one that is another. */
static double usual_factor(const struct group *g)
{
	double usual = (double)NAN;
	size_t left = 0;

	for (size_t i = 0; i < g->n; i++) {
		double f = is_sound(g, i) ? factor_of(g, i) : (double)NAN;

		if (!isfinite(f))
			continue;
		if (left == 0)
			usual = f;
		left = left == 0 || fabs(f - usual) <= LEFT * fabs(usual - 1) ? left + 1 : left - 1;
	}
	return usual;
}

/* Most of a kind are scaled by one factor, and the others, of which ret->first is the first, are above rounding and something else:
 * they are too few to move the factor of the rest, however large they are. */
static bool has_outliers(const struct group *g, struct ts_sketch_found *ret)
{
	double off;

	*ret = (struct ts_sketch_found){.group = TS_SKETCH_OUTLIERS, .first = g->n, .factor = usual_factor(g)};
	off = fabs(ret->factor - 1);
	if (!(ret->factor > 0))
		return false;
	for (size_t i = 0; i < g->n; i++) {
		ret->of += is_in(g, i);
		if (!is_sound(g, i) || !(g->tensors[i]->measured < TELLS * off))
			continue;
		if (left_by(side(g, i, TS_SKETCH_A), side(g, i, TS_SKETCH_B), ret->factor) <= LEFT * off)
			ret->n++;
		else if (g->rows[i].state != TS_SKETCH_ABOVE)
			return false;
		else if (ret->first == g->n)
			ret->first = i;
	}
	return ret->first < g->n && ret->n >= LEAST && 2 * ret->n > ret->of;
}

static double norm_of(const struct group *g, enum ts_sketch_side of)
{
	double squares = 0;

	for (size_t i = 0; i < g->n; i++)
		if (is_in(g, i))
			squares += side(g, i, of)->squares;
	return sqrt(squares);
}

/* --- the gradients of the step before --- */

/* Sums of products over a group of tensors: y is to be x and z together. */
struct products {
	double xx, xz, zz, xy, zy, yy;
};

static void add_products(struct products *p, const double *x, const double *z, const double *y)
{
	p->xx += product(x, x);
	p->xz += product(x, z);
	p->zz += product(z, z);
	p->xy += product(x, y);
	p->zy += product(z, y);
	p->yy += product(y, y);
}

/* Whether y is alpha x + beta z, both above a tenth, and not x alone times something. */
static bool is_sum(const struct products *p)
{
	double det = p->xx * p->zz - p->xz * p->xz, alpha, beta, left, alone;

	if (!(det > 1e-6 * p->xx * p->zz) || !(p->yy > 0))
		return false;
	alpha = (p->xy * p->zz - p->zy * p->xz) / det;
	beta = (p->zy * p->xx - p->xy * p->xz) / det;
	left = p->yy - alpha * p->xy - beta * p->zy;
	alone = p->yy - p->xy * p->xy / p->xx;
	return alpha > 0.1 && beta > 0.1 && left < EXPLAINED * EXPLAINED * p->yy && alone > UNEXPLAINED * UNEXPLAINED * p->yy;
}

static bool is_accumulated(const struct group *g, const struct ts_sketch_before *before, struct ts_sketch_found *ret)
{
	struct products of_a = {0}, of_b = {0};
	size_t at = 0;

	*ret = (struct ts_sketch_found){.group = TS_SKETCH_ACCUMULATED, .first = g->n, .factor = (double)NAN};
	for (size_t i = 0; i < g->n; i++) {
		ret->of += is_in(g, i);
		if (!is_in(g, i) || at >= before->n || !ts_span_eq(before->names[at], g->tensors[i]->name))
			continue;
		if (is_sound(g, i)) {
			add_products(&of_b, side(g, i, TS_SKETCH_A)->sums, before->b[at].sums, side(g, i, TS_SKETCH_B)->sums);
			add_products(&of_a, side(g, i, TS_SKETCH_B)->sums, before->a[at].sums, side(g, i, TS_SKETCH_A)->sums);
			if (g->rows[i].state != TS_SKETCH_EQUAL && ret->first == g->n && !isnan(g->tensors[i]->measured))
				ret->first = i;
			ret->n++;
		}
		at++;
	}
	ret->in_first = is_sum(&of_a);
	return ret->n >= LEAST && 2 * ret->n >= ret->of && ret->first < g->n && (ret->in_first || is_sum(&of_b));
}

/* --- settings of the optimizer --- */

/* Of equal gradients most updates are equal to the bit: what is not is no rounding of another kernel, which all of them had. */
static bool is_set_otherwise(const struct group *g, struct ts_sketch_found *ret)
{
	uint64_t equal = 0;

	*ret = (struct ts_sketch_found){.group = TS_SKETCH_SETTINGS, .first = g->n, .factor = (double)NAN, .rounding = EQUAL_INPUTS};
	for (size_t i = 0; i < g->n; i++) {
		enum ts_sketch_state state = g->rows[i].state;

		if (!is_in(g, i)) {
			if (ts_span_is(g->tensors[i]->kind, "param_grad") && state != TS_SKETCH_EQUAL)
				return false;
			continue;
		}
		ret->of++;
		equal += state == TS_SKETCH_EQUAL;
		if (state != TS_SKETCH_EQUAL && is_sound(g, i) && g->rows[i].distance > EQUAL_INPUTS) {
			ret->first = ret->first == g->n ? i : ret->first;
			ret->n++;
		}
	}
	return ret->n > 0 && equal >= ret->n && ret->n + equal == ret->of;
}

void ts_sketch_group_find(struct ts_sketch_tensor *const *tensors, const struct ts_sketch_row *rows, size_t n, size_t first,
			  const struct ts_sketch_before *before, struct ts_sketch_found *ret)
{
	struct group outputs = {tensors, rows, n, "grad"}, parameters = {tensors, rows, n, "param_grad"};
	struct group updates = {tensors, rows, n, "update"};
	struct ts_sketch_found of_outputs, found;

	*ret = (struct ts_sketch_found){.first = n};
	if (first < n && rows[first].part == TS_SKETCH_FORWARD)
		return;
	if (is_scaled(&outputs, &of_outputs)) {
		*ret = of_outputs;
		ret->group = TS_SKETCH_GRADIENTS;
		return;
	}
	if (first < n && rows[first].part == TS_SKETCH_BACKWARD)
		return;
	if (is_scaled(&parameters, &found)) {
		*ret = found;
		ret->group = of_outputs.of ? TS_SKETCH_CLIPPED : TS_SKETCH_GRADIENTS;
	} else if (is_accumulated(&parameters, before, &found)) {
		*ret = found;
	} else if (of_outputs.of && has_outliers(&parameters, &found)) {
		*ret = found;
	} else if (first < n && ts_span_is(rows[first].kind, "param_grad")) {
		return;
	} else if (is_set_otherwise(&updates, &found)) {
		*ret = found;
	} else if (is_scaled(&updates, &found)) {
		*ret = found;
		ret->group = TS_SKETCH_UPDATES;
	}
	ret->norm_a = norm_of(&parameters, TS_SKETCH_A);
	ret->norm_b = norm_of(&parameters, TS_SKETCH_B);
}

/* --- words --- */

static const char *which(const struct ts_sketch_found *found)
{
	return found->in_first ? "first" : "second";
}

const char *ts_sketch_group_claims(const struct ts_sketch_found *found, const struct ts_sketch_row *row, struct ts_arena *arena)
{
	const char *times = ts_arena_printf(arena, "%.6g", found->factor);

	if (!times)
		return NULL;
	switch (found->group) {
	case TS_SKETCH_GRADIENTS:
		return ts_arena_printf(arena, "all gradients of the second run are %s times those of the first, at step %" PRId64,
				       times, row->step);
	case TS_SKETCH_CLIPPED:
		return ts_arena_printf(
			arena,
			"the gradients of all parameters of the second run are %s times those of the first at step %" PRId64
			", where the gradients of outputs agree",
			times, row->step);
	case TS_SKETCH_ACCUMULATED:
		return ts_arena_printf(arena,
				       "the gradients of the %s run's parameters hold those of the step before, at step %" PRId64,
				       which(found), row->step);
	case TS_SKETCH_UPDATES:
		return ts_arena_printf(arena,
				       "all updates of the second run are %s times those of the first at step %" PRId64
				       ", where the gradients agree",
				       times, row->step);
	case TS_SKETCH_SETTINGS:
		return ts_arena_printf(arena,
				       "%s of %" PRIu64 ", the first of them that of %.*s, %s at step %" PRId64
				       " from equal gradients, while the others are equal",
				       ts_say_plural((double)found->n, "update").text, found->of, TS_SPAN_ARG(row->name),
				       found->n == 1 ? "differs" : "differ", row->step);
	case TS_SKETCH_OUTLIERS:
		return ts_arena_printf(arena,
				       "the gradient of the parameter %.*s of the second run is something else at step %" PRId64
				       ", while those of %" PRIu64 " of %" PRIu64
				       " are %s times those of the first, where the gradients of outputs agree",
				       TS_SPAN_ARG(row->name), row->step, found->n, found->of, times);
	case TS_SKETCH_ALONE:
		break;
	}
	return "";
}

const char *ts_sketch_group_why(const struct ts_sketch_found *found, struct ts_arena *arena)
{
	switch (found->group) {
	case TS_SKETCH_GRADIENTS:
		return "the loss is scaled, as by a sum in place of a mean, by a division by the number of micro-batches that is left "
		       "out, or by a loss scale";
	case TS_SKETCH_CLIPPED:
		return ts_arena_printf(
			arena,
			"one run scales them between its backward pass and its optimizer's step, as clipping does that is "
			"left out in the other (their norm is %s in the first run and %s in the second)",
			ts_say_number(found->norm_a).text, ts_say_number(found->norm_b).text);
	case TS_SKETCH_ACCUMULATED:
		return ts_arena_printf(arena, "zero_grad is left out in the %s run, or the step of its optimizer", which(found));
	case TS_SKETCH_UPDATES:
		return "the learning rate differs";
	case TS_SKETCH_SETTINGS:
		return "the optimizer is set otherwise for these parameters, as by the weight decay or the learning rate of their "
		       "group";
	case TS_SKETCH_OUTLIERS:
		return "one run changes this gradient in its backward pass or behind it, and clipping by the norm of all scales the "
		       "others with it";
	case TS_SKETCH_ALONE:
		break;
	}
	return "";
}
