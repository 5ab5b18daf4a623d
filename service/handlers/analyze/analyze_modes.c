#include "service/handlers/analyze/analyze_modes.h"

#include "base/limits.h"
#include "service/handlers/core/describe.h"

enum { CLASSES_MOST = 160 }; /* bytes of their names that are said */

static const struct {
	const char *path;
	enum ts_measure_name what;
	bool only_if; /* a step of what may never have been so */
} rows[] = {
	{"work.modes.observed", TS_M_MODES_OBSERVED, false},
	{"work.modes.whole", TS_M_MODES_WHOLE, false},
	{"work.modes.first_whole", TS_M_MODES_WHOLE_AT, true},
	{"work.modes.part", TS_M_MODES_PART, false},
	{"work.modes.first_part", TS_M_MODES_PART_AT, true},
	{"work.modes.modules", TS_M_MODES_MODULES, false},
	{"work.modes.modules_in_eval", TS_M_MODES_IN_EVAL, false},
	{"work.modes.norms_in_eval", TS_M_MODES_NORMS, false},
	{"work.modes.dropouts_in_eval", TS_M_MODES_DROPOUTS, false},
	{"work.modes.parameters", TS_M_MODES_PARAMETERS, false},
	{"work.modes.updated", TS_M_MODES_UPDATED, false},
};

/* What this rank alone says comes first. */
static bool number_of(const struct ts_rank_analysis *a, const char *path, int64_t *ret)
{
	return ts_fact_int(&a->index->facts, path, ret) || ts_fact_int(&a->run->head.facts, path, ret);
}

enum ts_status ts_analyze_modes(struct ts_rank_analysis *a, struct ts_error *err)
{
	static const char classes[] = "work.modes.classes_in_eval";
	struct ts_measures *m = &a->out->measures;
	int64_t numbers[sizeof rows / sizeof rows[0]];
	bool known[sizeof rows / sizeof rows[0]];
	struct ts_span text;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		known[i] = number_of(a, rows[i].path, &numbers[i]) && (rows[i].only_if || numbers[i] >= 0);
		if (!known[i] && !rows[i].only_if)
			return TS_OK;
	}
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (known[i] && !ts_measure_add(m, a->arena, rows[i].what, TS_NO_SUBJECT, (double)numbers[i]))
			return ts_arena_error(a->arena, err);
	text = ts_fact_text(&a->index->facts, classes);
	text = text.len ? text : ts_fact_text(&a->run->head.facts, classes);
	if (text.len > CLASSES_MOST || !text.len)
		return TS_OK;
	return ts_measure_text(m, a->arena, TS_M_MODES_CLASSES, TS_NO_SUBJECT, text) ? TS_OK : ts_arena_error(a->arena, err);
}
