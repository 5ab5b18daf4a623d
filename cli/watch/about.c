#include "cli/watch/about.h"

#include "base/text.h"

/* As trainers call it, the more certain first. "steps" in a configuration may be those of an epoch, so it stands last. */
static const char *const totals[] = {
	"work.max_steps",   "config.max_steps", "config.total_steps",	 "config.num_train_steps", "config.train_iters",
	"config.max_iters", "config.num_steps", "config.num_iterations", "config.training_steps",  "config.steps",
};

int64_t ts_about_total(const struct ts_facts *facts)
{
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
		const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(totals[i]));

		if (fact && fact->type == TS_FACT_INT && fact->integer > 0) /* -1 is "no limit" in many */
			return fact->integer;
	}
	return 0;
}

double ts_about_capacity(const struct ts_facts *facts)
{
	double least = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];

		if (fact->type == TS_FACT_INT && fact->integer > 0 && ts_glob(ts_span_str("hardware.gpus[*].memory"), fact->path) &&
		    (least == 0 || (double)fact->integer < least))
			least = (double)fact->integer;
	}
	return least;
}
