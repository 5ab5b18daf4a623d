#include "analysis/convergence.h"

static const char GROUP[] = "convergence";

struct loss {
	uint64_t count, finite, nonfinite;
	double first, last, best;
	int64_t best_step, nonfinite_step;
};

static struct loss scan(const struct ts_series *s, int64_t from)
{
	struct loss l = {.count = 0};

	for (size_t i = 0; i < s->n; i++) {
		double v = s->values[i];

		if (s->keys[i] < from)
			continue;
		l.count++;
		if (!isfinite(v)) {
			if (l.nonfinite++ == 0)
				l.nonfinite_step = s->keys[i];
			continue;
		}
		if (l.finite == 0)
			l.first = v;
		if (l.finite++ == 0 || v < l.best) {
			l.best = v;
			l.best_step = s->keys[i];
		}
		l.last = v;
	}
	return l;
}

static bool value_row(struct ts_measures *m, struct ts_arena *arena, struct ts_span subject, const char *name,
		      enum ts_unit unit, double value, const char *reason)
{
	if (reason)
		return ts_measure_unknown(m, arena, GROUP, subject, name, unit, reason);
	return ts_measure_add(m, arena, GROUP, subject, name, unit, value);
}

enum ts_status ts_convergence_summary(const struct ts_series *series, int64_t first, struct ts_arena *arena,
				      struct ts_measures *measures, struct ts_error *err)
{
	struct ts_span prefix = ts_span_str("scalars."), subject = series->name;
	struct loss l = scan(series, first);
	const char *reason = l.finite ? NULL : "no value is finite";
	bool ok;

	if (ts_span_starts(subject, prefix))
		subject = ts_span_of(subject.data + prefix.len, subject.len - prefix.len);
	if (l.count == 0)
		reason = series->n ? "no step after warm-up has it" : "it has no rows";
	ok = ts_measure_add(measures, arena, GROUP, subject, "count", TS_UNIT_NONE, (double)l.count) &&
	     value_row(measures, arena, subject, "first", TS_UNIT_NONE, l.first, reason) &&
	     value_row(measures, arena, subject, "last", TS_UNIT_NONE, l.last, reason) &&
	     value_row(measures, arena, subject, "best", TS_UNIT_NONE, l.best, reason) &&
	     value_row(measures, arena, subject, "best", TS_UNIT_STEP, (double)l.best_step, reason);
	if (ok && l.nonfinite)
		ok = ts_measure_add(measures, arena, GROUP, subject, "nonfinite", TS_UNIT_COUNT, (double)l.nonfinite) &&
		     ts_measure_add(measures, arena, GROUP, subject, "first_nonfinite", TS_UNIT_STEP,
				    (double)l.nonfinite_step);
	return ok ? TS_OK : ts_arena_error(arena, err);
}
