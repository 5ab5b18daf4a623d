/* quality_one_sided.c - how often a series of two runs is said to move in one of them alone. */
#include "quality_parts.h"

#include "analysis/diverge/one_sided.h"

#include <math.h>
#include <stdio.h>

enum { STEPS_MOST = 1000, TRIALS = 3000 };

struct pair {
	size_t steps;
	double rho, sd; /* of the noise, in shares of the level */
	double grows;	/* of the second run, over all its steps */
};

static struct ts_sided make(const struct pair *p, double grows, struct ts_random *r)
{
	static double values[STEPS_MOST];
	double state = (double)NAN;

	for (size_t t = 0; t < p->steps; t++)
		values[t] = 1 + grows * (double)t / (double)p->steps + quality_ar1(r, p->rho, p->sd, &state);
	return ts_sided_of(values, p->steps);
}

void quality_one_sided(struct quality *q)
{
	static const struct pair cases[] = {
		{30, 0, 0.1, 0},      {30, 0, 0.3, 0},	{30, 0.8, 0.1, 0}, {30, 0.8, 0.3, 0},  {300, 0.8, 0.3, 0},
		{1000, 0.95, 0.3, 0}, {30, 0, 0.05, 2}, {300, 0, 0.1, 1},  {300, 0.8, 0.1, 2},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		const struct pair *p = &cases[k];
		struct quality_case c;
		char name[96];

		const char *what = p->grows > 1 ? "one of two triples" : p->grows > 0 ? "one of two doubles" : "both stand";

		(void)snprintf(name, sizeof name, "one-sided: %s, S %zu, AR(1) %.2f of %.0f %%", what, p->steps, p->rho, 100 * p->sd);
		c = p->grows > 0 ? quality_at_least(name, 0.9) : quality_at_most(name, 0.01);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
			struct ts_random r;
			struct ts_sided a, b;

			quality_random(&c, i, &r);
			a = make(p, 0, &r);
			b = make(p, p->grows, &r);
			quality_count(&c, ts_is_one_sided(&a, &b));
		}
		if (quality_wants(q, &c))
			quality_report(q, &c);
	}
}
