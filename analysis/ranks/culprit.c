#include "analysis/ranks/culprit.h"

#include "analysis/stats/stats.h"

#include <math.h>

static bool eligible(const struct ts_culprit_rank *r, bool fsdp)
{
	return !isnan(r->input) && r->step > 0 && r->backward > 0 && (!fsdp || r->forward > 0);
}

static double visible(const struct ts_culprit_rank *r, bool fsdp)
{
	return fsdp ? r->forward + r->backward : r->backward;
}

/* Returns the k-th eligible rank, sorted by visible cost, then by rank. */
static const struct ts_culprit_rank *kth(const struct ts_culprit_rank *ranks, size_t n, bool fsdp, size_t k, double *scratch)
{
	size_t n_costs = 0, below = 0;
	double cost;

	for (size_t i = 0; i < n; i++)
		if (eligible(&ranks[i], fsdp))
			scratch[n_costs++] = visible(&ranks[i], fsdp);
	cost = ts_nth(scratch, n_costs, k);
	for (size_t i = 0; i < n_costs; i++)
		below += scratch[i] < cost;
	for (size_t i = 0; i < n; i++)
		if (eligible(&ranks[i], fsdp) && visible(&ranks[i], fsdp) >= cost && visible(&ranks[i], fsdp) <= cost &&
		    below++ == k)
			return &ranks[i];
	return NULL;
}

static double excess(double culprit, double victim)
{
	double d = culprit - victim;

	return d > 0 ? d : 0; /* NaN stands for a time that is not measured on both ranks; it counts as no difference */
}

static void attribute(const struct ts_culprit_rank *c, const struct ts_culprit_rank *v, bool fsdp, struct ts_culprit *ret)
{
	static const char *const components[] = {"input", "h2d", "compute"};
	static const enum ts_culprit_kind kinds[] = {TS_CULPRIT_INPUT, TS_CULPRIT_H2D, TS_CULPRIT_COMPUTE};
	double excesses[] = {excess(c->input, v->input), excess(c->h2d, v->h2d), fsdp ? 0 : excess(c->forward, v->forward)};
	double most = 0;

	ret->component = "sync_or_unattributed";
	ret->kind = TS_CULPRIT_STRAGGLER;
	for (size_t i = 0; i < 3; i++) {
		double covered = ret->cost > 0 ? excesses[i] / ret->cost : 0;

		covered = covered < 1 ? covered : 1;
		if (!(covered > most))
			continue;
		most = covered;
		if (covered >= TS_CULPRIT_COVERED) {
			ret->component = components[i];
			ret->kind = kinds[i];
		}
	}
	if (ret->score < TS_CULPRIT_SCORE)
		ret->kind = TS_CULPRIT_NONE;
}

bool ts_culprit_find(const struct ts_culprit_rank *ranks, size_t n, bool fsdp, double *scratch, struct ts_culprit *ret)
{
	const struct ts_culprit_rank *culprit, *victim;
	size_t n_eligible = 0;

	for (size_t i = 0; i < n; i++)
		n_eligible += eligible(&ranks[i], fsdp);
	if (n_eligible < 2)
		return false;
	culprit = kth(ranks, n, fsdp, 0, scratch);
	victim = kth(ranks, n, fsdp, n_eligible / 2, scratch);
	if (!culprit || !victim)
		return false;
	*ret = (struct ts_culprit){
		.culprit = culprit->rank,
		.victim = victim->rank,
		.visible = fsdp ? "forward+backward" : "backward",
		.cost = excess(visible(victim, fsdp), visible(culprit, fsdp)),
	};
	ret->score = ret->cost / victim->step;
	attribute(culprit, victim, fsdp, ret);
	return true;
}

bool ts_rank_spread(const double *values, const int32_t *ranks, size_t n, double *scratch, struct ts_rank_spread *ret)
{
	static const double q[] = {50.0};
	struct ts_rank_spread s = {.n = 0};

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		scratch[s.n++] = values[i];
		if (s.n == 1 || values[i] > s.worst_value) {
			s.worst_value = values[i];
			s.worst_rank = ranks[i];
		}
	}
	if (s.n == 0)
		return false;
	ts_percentiles(scratch, s.n, q, 1, &s.median);
	s.median_value = (double)NAN;
	for (size_t i = 0; i < n; i++) {
		double d = fabs(values[i] - s.median), best = fabs(s.median_value - s.median);

		if (isnan(values[i]) || d > best || (d >= best && values[i] >= s.median_value))
			continue;
		s.median_value = values[i];
		s.median_rank = ranks[i];
	}
	if (s.n == 1 || (s.median <= 0 && s.worst_value > s.median))
		s.skew = (double)NAN;
	else
		s.skew = s.worst_value > s.median ? (s.worst_value - s.median) / s.median : 0;
	*ret = s;
	return true;
}
