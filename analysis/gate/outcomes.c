#include "analysis/gate/outcomes.h"

#include "analysis/stats/student.h"

/* Which two values must be of one kind to be compared. */
enum need { NEED_NOTHING, NEED_TIMES, NEED_MFU };

enum { STEPS_PER_S = TS_METRICS, BEST_LOSS, STEPS, WALL_TIME };

static const struct row {
	int what; /* a metric, or one of the above */
	const char *name, *title;
	enum ts_unit unit;
	enum need need;
} rows[] = {
	{TS_METRIC_LOSS, "loss", "loss, last tenth", TS_UNIT_NONE, NEED_NOTHING},
	{BEST_LOSS, "best_loss", "loss, best", TS_UNIT_NONE, NEED_NOTHING},
	{TS_METRIC_STEP_TIME_MEAN, "step_time_mean", "step time, mean", TS_UNIT_SECONDS, NEED_TIMES},
	{TS_METRIC_STEP_TIME, "step_time", "step time, median", TS_UNIT_SECONDS, NEED_TIMES},
	{STEPS_PER_S, "steps_per_s", "steps per second", TS_UNIT_PER_SECOND, NEED_TIMES},
	{TS_METRIC_TOKENS_PER_S, "tokens_per_s", "tokens per second", TS_UNIT_PER_SECOND, NEED_TIMES},
	{TS_METRIC_SAMPLES_PER_S, "samples_per_s", "samples per second", TS_UNIT_PER_SECOND, NEED_TIMES},
	{TS_METRIC_PEAK_MEMORY, "peak_memory", "peak memory", TS_UNIT_BYTES, NEED_NOTHING},
	{TS_METRIC_MFU, "mfu", "MFU", TS_UNIT_RATIO, NEED_MFU},
	{STEPS, "steps", "steps", TS_UNIT_COUNT, NEED_NOTHING},
	{WALL_TIME, "wall_time", "wall time", TS_UNIT_SECONDS, NEED_TIMES},
};

static struct ts_reduced rate_of(const struct ts_reduced *time)
{
	struct ts_reduced rate = *time;

	if (time->known) {
		rate.value = 1 / time->value;
		rate.error = time->error / time->value * rate.value;
	}
	return rate;
}

static struct ts_reduced value_of(const struct ts_outcome_of *run, int what)
{
	const struct ts_reduction *r = run->reduction;

	switch (what) {
	case STEPS_PER_S:
		return rate_of(&r->metrics[TS_METRIC_STEP_TIME_MEAN]);
	case BEST_LOSS:
		return r->best_loss;
	case WALL_TIME:
		return r->wall_time;
	case STEPS:
		return (struct ts_reduced){.known = true, .value = (double)run->steps};
	default:
		return r->metrics[what];
	}
}

static struct ts_outcome_side side_of(const struct ts_reduced *r)
{
	return (struct ts_outcome_side){.known = r->known, .value = r->known ? r->value : 0, .reason = r->reason};
}

/* Returns why two values are not compared, or NULL. */
static char *apart(const struct ts_reduction *a, const struct ts_reduction *b, enum need need, struct ts_arena *arena)
{
	if (need != NEED_NOTHING && !ts_span_eq(a->time_source, b->time_source))
		return ts_arena_printf(arena, "the steps of a are timed by %.*s, those of b by %.*s", TS_SPAN_ARG(a->time_source),
				       TS_SPAN_ARG(b->time_source));
	if (need == NEED_MFU && !ts_span_eq(a->mfu_basis, b->mfu_basis))
		return ts_arena_printf(arena, "the MFU of a is of %.*s, that of b of %.*s", TS_SPAN_ARG(a->mfu_basis),
				       TS_SPAN_ARG(b->mfu_basis));
	return NULL;
}

static double square(double x)
{
	return x * x;
}

/* Welch, 1947: the degrees of freedom of a difference of two means. */
static double noise_of(double a, double b)
{
	double all = square(a) + square(b), df = square(all) / (square(square(a)) + square(square(b))) * TS_BATCH_DF;

	return all > 0 ? ts_student_quantile(0.975, df) * sqrt(all) : 0;
}

void ts_outcome_compare(const struct ts_reduced *a, const struct ts_reduced *b, struct ts_outcome *io)
{
	io->change = b->value - a->value;
	io->compared = isfinite(io->change);
	if (!io->compared) {
		io->reason = ts_span_str("one of the two is not finite");
		return;
	}
	io->has_noise = a->has_error && b->has_error;
	if (io->has_noise)
		io->noise = noise_of(a->error, b->error);
}

enum ts_status ts_outcomes_of(const struct ts_outcome_of *a, const struct ts_outcome_of *b, struct ts_arena *arena,
			      struct ts_outcome **ret_items, size_t *ret_n, struct ts_error *err)
{
	struct ts_outcome *items = ts_arena_array(arena, sizeof rows / sizeof *rows, sizeof *items);
	size_t n = 0;

	for (size_t i = 0; items && i < sizeof rows / sizeof *rows; i++) {
		struct ts_reduced x = value_of(a, rows[i].what), y = value_of(b, rows[i].what);
		struct ts_outcome *out = &items[n];
		const char *why = x.known && y.known ? apart(a->reduction, b->reduction, rows[i].need, arena) : NULL;

		if (!x.known && !y.known)
			continue;
		*out = (struct ts_outcome){
			.name = ts_span_str(rows[i].name),
			.title = ts_span_str(rows[i].title),
			.unit = rows[i].unit,
			.a = side_of(&x),
			.b = side_of(&y),
			.reason = why ? ts_span_str(why) : ts_span_of(NULL, 0),
		};
		if (x.known && y.known && !why)
			ts_outcome_compare(&x, &y, out);
		n++;
	}
	*ret_items = items;
	*ret_n = n;
	return ts_arena_check(arena, err);
}
