#include "analysis/diverge/pattern_factor.h"

#include <math.h>

enum { WHOLE_LEAST = 2, WHOLE_MOST = 1 << 24, POINTS_LEAST = 10 };

/* A quotient of two sums in other orders, or of values of seven digits, is off by about this much. */
static const double slack = 2e-5, least_spread = 0.01, least_other = 1.02;

struct ratio {
	bool known;
	double low, high; /* b / a lies within, at the first step */
	bool throughout;
	double low_all, high_all; /* at every step; if throughout */
};

/* What one value is off by, as it was written and as sums are rounded. */
static double off_of(const struct ts_evidence_series *s, double value)
{
	return (s->gap.known ? s->gap.quantum : 0) + fabs(value) * slack;
}

static struct ratio ratio_of(const struct ts_evidence_series *s)
{
	double off_a = off_of(s, s->a), off_b = off_of(s, s->b), a = fabs(s->a), b = fabs(s->b);
	struct ratio r = {.known = false};

	if (!s->parts || s->first != s->first_common || !isfinite(s->a) || !isfinite(s->b) || s->a * s->b <= 0 || a <= 4 * off_a ||
	    b <= 4 * off_b)
		return r;
	r.known = true;
	r.low = (b - off_b) / (a + off_a);
	r.high = (b + off_b) / (a - off_a);
	r.throughout = s->gap.known && s->gap.points >= POINTS_LEAST && s->gap.differing + s->gap.zeros == s->gap.points &&
		       s->gap.ratio_least <= s->gap.ratio_most * (1 + slack) && s->gap.spread_a >= least_spread;
	r.low_all = s->gap.ratio_least * (1 - slack);
	r.high_all = s->gap.ratio_most * (1 + slack);
	return r;
}

static struct ratio turned(struct ratio r)
{
	return (struct ratio){r.known, 1 / r.high, 1 / r.low, r.throughout, 1 / r.high_all, 1 / r.low_all};
}

/* The whole number that lies within; 0: none, or it cannot be told from its neighbours. */
static double whole_in(double low, double high)
{
	double k = round((low + high) / 2);

	return k >= WHOLE_LEAST && k <= WHOLE_MOST && low <= k && k <= high && high - low < 0.2 ? k : 0;
}

/* The steps that follow need not show the factor. *ret_whole: a whole number. 0: there is none. */
static double factor_of(const struct ratio *x, const struct ratio *y, bool *ret_whole, bool *ret_throughout)
{
	double low = fmax(x->low, y->low), high = fmin(x->high, y->high), k = low <= high ? whole_in(low, high) : 0;
	double low_all = fmax(x->low_all, y->low_all), high_all = fmin(x->high_all, y->high_all);

	*ret_throughout = x->throughout && y->throughout && low_all <= high_all;
	*ret_whole = k > 0;
	if (k > 0) {
		*ret_throughout = *ret_throughout && low_all <= k && k <= high_all;
		return k;
	}
	return *ret_throughout && low_all >= least_other ? (low_all + high_all) / 2 : 0;
}

static const struct ts_evidence_series *series_of(const struct ts_evidence *e, enum ts_series_kind kind, bool *ret_several)
{
	const struct ts_evidence_series *found = NULL;

	*ret_several = false;
	for (size_t i = 0; i < e->n_series; i++) {
		const struct ts_evidence_series *s = &e->series[i];

		if (s->kind != kind || !s->in_a || !s->in_b || !s->common)
			continue;
		*ret_several = *ret_several || (found && !ts_span_eq(found->name, s->name));
		found = found ? found : s;
	}
	return found;
}

static bool number_of(const struct ts_fact *fact, double *ret)
{
	if (!fact || (fact->type != TS_FACT_INT && fact->type != TS_FACT_FLOAT))
		return false;
	*ret = fact->type == TS_FACT_INT ? (double)fact->integer : fact->real;
	return isfinite(*ret) && *ret > 0;
}

/* A setting that divides the batch may do it, and one that counts it: either way round. */
static const struct ts_fact_row *fact_with(const struct ts_evidence *e, double factor)
{
	for (size_t i = 0; i < e->n_facts; i++) {
		double a, b;

		if (e->facts[i].group == TS_GROUP_SESSION || e->facts[i].group == TS_GROUP_COLUMNS ||
		    !number_of(e->facts[i].a, &a) || !number_of(e->facts[i].b, &b))
			continue;
		if (fabs(b / a - factor) <= factor * 1e-9 || fabs(a / b - factor) <= factor * 1e-9)
			return &e->facts[i];
	}
	return NULL;
}

/* The losses of the first step agree, as far as sums in another order let them. */
static bool loss_agrees(const struct ts_evidence_series *loss)
{
	if (!loss || !loss->common)
		return false;
	if (!loss->parts || loss->first > loss->first_common)
		return true;
	return fabs(loss->a - loss->b) <= off_of(loss, loss->a) + off_of(loss, loss->b);
}

static struct ts_pattern_factor found(const struct ts_evidence *e, enum ts_factor_of of, const struct ts_evidence_series *s,
				      const struct ratio *x, const struct ratio *y)
{
	bool second = x->low > 1, whole, throughout;
	struct ratio a = second ? *x : turned(*x), b = second ? *y : turned(*y);
	double factor = factor_of(&a, &b, &whole, &throughout);

	if (!(factor > 0))
		return (struct ts_pattern_factor){.of = TS_FACTOR_NONE};
	return (struct ts_pattern_factor){.of = of,
					  .factor = factor,
					  .whole = whole,
					  .second = second,
					  .throughout = throughout,
					  .points = throughout ? s->gap.points : 0,
					  .step = s->first,
					  .fact = fact_with(e, factor)};
}

struct ts_pattern_factor ts_pattern_factor_find(const struct ts_evidence *e)
{
	const struct ts_pattern_factor none = {.of = TS_FACTOR_NONE};
	bool losses, norms;
	const struct ts_evidence_series *loss = series_of(e, TS_KIND_LOSS, &losses), *norm = series_of(e, TS_KIND_GRAD_NORM, &norms);
	struct ratio of_norm, of_loss;

	if (!loss || !norm || losses || norms)
		return none;
	of_norm = ratio_of(norm);
	of_loss = ratio_of(loss);
	if (!of_norm.known)
		return none;
	if (loss_agrees(loss))
		return found(e, TS_FACTOR_GRADIENT, norm, &of_norm, &of_norm);
	return of_loss.known && (of_loss.low > 1) == (of_norm.low > 1) ? found(e, TS_FACTOR_OBJECTIVE, norm, &of_norm, &of_loss) : none;
}
