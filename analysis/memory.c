#include "analysis/memory.h"

#include "analysis/stats.h"

static const char GROUP[] = "memory";

static struct ts_series cut(const struct ts_series *s, int64_t first)
{
	struct ts_series out = s ? *s : (struct ts_series){.n = 0};

	while (out.n && out.keys[0] < first) {
		out.keys++;
		out.values++;
		out.n--;
	}
	return out;
}

/* The largest value that is a number; false if there is none. */
static bool peak_of(const struct ts_series *s, double *ret_peak, int64_t *ret_step)
{
	bool any = false;
	double peak = 0.0;

	for (size_t i = 0; i < s->n; i++) {
		if (isnan(s->values[i]) || (any && s->values[i] <= peak))
			continue;
		any = true;
		peak = s->values[i];
		*ret_step = s->keys[i];
	}
	*ret_peak = peak;
	return any;
}

static bool peak_rows(const struct ts_series *peak, const char *name, const struct ts_series *fallback,
		      const char *fallback_name, const char *missing, struct ts_arena *arena, struct ts_measures *m)
{
	const struct ts_series *s = peak->n ? peak : fallback;
	struct ts_span subject = ts_span_str(peak->n || !fallback->n ? name : fallback_name);
	double value = 0.0;
	int64_t step = 0;

	if (peak_of(s, &value, &step))
		return ts_measure_add(m, arena, GROUP, subject, "peak", TS_UNIT_BYTES, value) &&
		       ts_measure_add(m, arena, GROUP, subject, "at", TS_UNIT_STEP, (double)step);
	if (s->n)
		missing = "every value is NaN";
	return ts_measure_unknown(m, arena, GROUP, subject, "peak", TS_UNIT_BYTES, missing) &&
	       ts_measure_unknown(m, arena, GROUP, subject, "at", TS_UNIT_STEP, missing);
}

static bool level_rows(const struct ts_series *s, const char *name, const char *missing, struct ts_arena *arena,
		       struct ts_measures *m)
{
	struct ts_span subject = ts_span_str(name);

	if (s->n)
		return ts_measure_add(m, arena, GROUP, subject, "mean", TS_UNIT_BYTES, ts_mean(s->values, s->n)) &&
		       ts_measure_add(m, arena, GROUP, subject, "last", TS_UNIT_BYTES, s->values[s->n - 1]);
	return ts_measure_unknown(m, arena, GROUP, subject, "mean", TS_UNIT_BYTES, missing) &&
	       ts_measure_unknown(m, arena, GROUP, subject, "last", TS_UNIT_BYTES, missing);
}

enum ts_status ts_memory_summary(const struct ts_series *alloc, const struct ts_series *reserved,
				 const struct ts_series *peak_alloc, const struct ts_series *peak_reserved,
				 int64_t first, struct ts_arena *arena, struct ts_measures *measures,
				 struct ts_error *err)
{
	struct ts_series a = cut(alloc, first), r = cut(reserved, first);
	struct ts_series pa = cut(peak_alloc, first), pr = cut(peak_reserved, first);
	bool ok = peak_rows(&pa, "peak_alloc", &a, "alloc",
			    alloc || peak_alloc ? "no step after warm-up has memory.peak_alloc or memory.alloc"
						: "no column memory.peak_alloc or memory.alloc",
			    arena, measures);

	ok = ok &&
	     peak_rows(&pr, "peak_reserved", &r, "reserved",
		       reserved || peak_reserved ? "no step after warm-up has memory.peak_reserved or memory.reserved"
						 : "no column memory.peak_reserved or memory.reserved",
		       arena, measures);
	ok = ok && level_rows(&a, "alloc", alloc ? "no step after warm-up has it" : "no column memory.alloc", arena,
			      measures);
	ok = ok && level_rows(&r, "reserved", reserved ? "no step after warm-up has it" : "no column memory.reserved",
			      arena, measures);
	return ok ? TS_OK : ts_arena_error(arena, err);
}
