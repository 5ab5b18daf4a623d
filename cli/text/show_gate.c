/* show_gate.c - see show_gate.h. */
#include "cli/text/show_gate.h"

#include "base/text.h"
#include "cli/view/show_value.h"

enum { REASON_MOST = 500, NAME_MOST = 200 };

const char *ts_show_brief(struct ts_span text, size_t most, struct ts_arena *arena)
{
	struct ts_span head = ts_utf8_cut(text, most);
	const char *shown;

	if (head.len == text.len)
		return ts_show_text(text, arena);
	shown = ts_show_text(head, arena);
	return shown ? ts_arena_printf(arena, "%s...", shown) : NULL;
}

/* Shows two significant digits above 0.1 %, and no exponent below a million percent. */
static const char *percent(double ratio, const char *sign, struct ts_arena *arena)
{
	double x = fabs(ratio) * 100;
	int places = x >= 9.95 ? 0 : x >= 0.995 ? 1 : x >= 0.0995 ? 2 : 3;

	if (isnan(ratio))
		return "not known";
	if (isinf(ratio))
		return ts_arena_printf(arena, "%sinfinite", sign);
	if (x < 0.0005)
		return "0.0 %";
	if (x >= 1e6)
		return ts_arena_printf(arena, "%s%.2g %%", sign, x);
	return ts_arena_printf(arena, "%s%.*f %%", sign, places, x);
}

const char *ts_show_size(double ratio, struct ts_arena *arena)
{
	return percent(ratio, "", arena);
}

const char *ts_show_change(double ratio, struct ts_arena *arena)
{
	return percent(ratio, ratio < 0 ? "-" : "+", arena);
}

const char *ts_show_metric(enum ts_metric metric, double value, struct ts_arena *arena)
{
	struct ts_measure measure = {.unit = ts_metrics[metric].unit, .known = true, .value = value};

	return isnan(value) ? "not known" : ts_show_measure_close(&measure, arena);
}

#define FACTOR_MOST 10.0

/* The factor from relative changes of a share to points of a percent; NaN: the metric is no share. */
static double points_of(const struct ts_gate_row *row)
{
	const struct ts_metric_row *metric = &ts_metrics[row->metric];

	if (metric->unit != TS_UNIT_RATIO || metric->log_scale || isnan(row->base))
		return (double)NAN;
	return 100 * (row->size != 0 && isfinite(row->size) ? (row->candidate - row->base) / row->size : row->base);
}

static const char *points(double x, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%+.1f", x == 0 ? 0.0 : x);
}

const char *ts_show_row_change(const struct ts_gate_row *row, struct ts_arena *arena)
{
	double scale = points_of(row);
	const char *text = isnan(scale * row->size) ? NULL : points(scale * row->size, arena);

	return text ? ts_arena_printf(arena, "%s points", text) : ts_show_change(row->size, arena);
}

const char *ts_show_row_interval(const struct ts_gate_row *row, struct ts_arena *arena)
{
	double scale = points_of(row);
	const char *a, *b;

	if (isnan(row->low) || isnan(row->high))
		return "not known";
	if (ts_metrics[row->metric].log_scale && 1 + row->high > FACTOR_MOST * (1 + row->low))
		return "wider than a factor of 10";
	a = isnan(scale) ? ts_show_change(row->low, arena) : points(scale * row->low, arena);
	b = isnan(scale) ? ts_show_change(row->high, arena) : points(scale * row->high, arena);
	return a && b ? ts_arena_printf(arena, "%s to %s", a, b) : NULL;
}

const char *ts_show_row_missed(const struct ts_gate_row *row, struct ts_arena *arena)
{
	double scale = points_of(row);

	if (isfinite(scale * row->could_miss))
		return ts_arena_printf(arena, "%.1f points", fabs(scale * row->could_miss));
	return row->could_miss > FACTOR_MOST - 1 ? "a factor of 10" : ts_show_size(row->could_miss, arena);
}

const char *ts_show_row_candidate(const struct ts_verdict *v, const struct ts_gate_row *row, const char *unknown,
				  struct ts_arena *arena)
{
	for (size_t i = 0; isnan(row->candidate) && i < v->input.n_runs; i++) {
		const struct ts_gate_run *run = &v->input.runs[i];
		const struct ts_reduced *r = ts_gate_reduced(&v->input.policy, &run->reduction, row->metric);

		if (run->role == TS_GATE_CANDIDATE && r->known && !isfinite(r->value))
			return isnan(r->value) ? "NaN" : "infinite";
	}
	return isnan(row->candidate) ? unknown : ts_show_metric(row->metric, row->candidate, arena);
}

static const char *draws(const struct ts_gate_row *row, struct ts_arena *arena)
{
	const char *base = ts_show_plural(row->base_draws, "baseline", arena);

	if (row->paired)
		return ts_show_plural(row->pairs, "pair", arena);
	if (row->candidate_draws <= 1 || !base)
		return base;
	return ts_arena_printf(arena, "%s and %" PRIu64 " sessions of the candidate", base, row->candidate_draws);
}

const char *ts_show_row(const struct ts_gate_row *row, struct ts_arena *arena)
{
	const char *base = ts_show_metric(row->metric, row->base, arena), *size = ts_show_row_change(row, arena);
	const char *candidate = ts_show_metric(row->metric, row->candidate, arena), *n = draws(row, arena);
	const char *interval = ts_show_row_interval(row, arena), *reason = ts_show_brief(row->reason, REASON_MOST, arena);

	if (!base || !candidate || !size || !interval || !reason || !n)
		return NULL;
	if (isnan(row->base) && isnan(row->candidate))
		return *reason ? reason : "not known";
	if (isnan(row->size))
		return ts_arena_printf(arena, "%s, baseline %s%s%s", candidate, base, *reason ? "; " : "", reason);
	if (isnan(row->low) || isnan(row->high))
		return ts_arena_printf(arena, "%s, baseline %s: %s (%s)%s%s", candidate, base, size, n, *reason ? "; " : "", reason);
	return ts_arena_printf(arena, "%s, baseline %s: %s (99 %% confidence interval %s; %s)%s%s", candidate, base, size, interval, n,
			       *reason ? "; " : "", reason);
}

/* Says "phase forward", "work of ranks 8-15" or "mean wait of all ranks". */
static const char *part(const struct ts_gate_why *why, struct ts_arena *arena)
{
	enum ts_gate_part of = ts_gate_part_of(why->kind);
	const char *kind = ts_show_brief(why->kind, NAME_MOST, arena), *name = ts_show_brief(why->name, NAME_MOST, arena);

	if (!kind || !name)
		return NULL;
	if (of == TS_GATE_PART_RANK)
		return ts_arena_printf(arena, "work of %s", name);
	if (of == TS_GATE_PART_WORK || of == TS_GATE_PART_WAIT)
		return ts_arena_printf(arena, "mean %s of %s", kind, name);
	return ts_arena_printf(arena, "%s %s", kind, name);
}

const char *ts_show_why(const struct ts_gate_why *why, struct ts_arena *arena)
{
	enum ts_gate_part of = ts_gate_part_of(why->kind);
	bool trace = of == TS_GATE_PART_TRACE, memory = of == TS_GATE_PART_MEMORY, machine = of == TS_GATE_PART_MACHINE;
	const char *what = trace || memory || machine ? ts_show_text(why->name, arena) : part(why, arena);
	const char *base = ts_show_metric(TS_METRIC_STEP_TIME, why->base, arena);
	const char *candidate = ts_show_metric(TS_METRIC_STEP_TIME, why->candidate, arena);
	const char *share = ts_show_size(why->share, arena);

	if (!what || !base || !candidate || !share)
		return NULL;
	if (machine)
		return ts_arena_printf(arena, "of their machines, which may explain it and proves nothing: %s", what);
	if (memory)
		return ts_arena_printf(arena, "by their memory snapshots: %s", what);
	if (trace)
		return ts_arena_printf(arena, "by their traces (A: the baseline): %s", what);
	if (isnan(why->share))
		return ts_arena_printf(arena, "%s: %s, baseline %s", what, candidate, base);
	return ts_arena_printf(arena, "%s: %s, baseline %s; %s%s of the difference", what, candidate, base, why->share < 0 ? "-" : "",
			       share);

}

const struct ts_gate_run *ts_gate_first(const struct ts_gate_input *input, enum ts_gate_role role, size_t *ret_n)
{
	const struct ts_gate_run *first = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < input->n_runs; i++) {
		if (input->runs[i].role != role)
			continue;
		if (!first)
			first = &input->runs[i];
		++*ret_n;
	}
	return first;
}

const char *ts_show_gate_run(const struct ts_gate_run *run, struct ts_arena *arena)
{
	return run->name.len ? ts_show_brief(run->name, NAME_MOST, arena) : ts_show_id(&run->id, arena);
}

static const char *escape_name(struct ts_span name, struct ts_arena *arena)
{
	enum { MOST = 100 };
	char *out = ts_arena_alloc(arena, 3 * MOST + 1);
	static const char hex[] = "0123456789ABCDEF";
	size_t n = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < name.len && i < MOST; i++) {
		uint8_t c = name.data[i];
		bool dash = c == '-' && i > 0 && n > 0 && out[n - 1] != '-' && i + 1 < name.len;

		if (ts_is_alpha(c) || ts_is_digit(c) || c == '.' || c == '_' || c == '/' || dash) {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '%';
		out[n++] = hex[c >> 4];
		out[n++] = hex[c & 15];
	}
	out[n] = '\0';
	return out;
}

const char *ts_show_row_name(const struct ts_gate_row *row, struct ts_arena *arena)
{
	return row->metric < TS_METRICS ? ts_metrics[row->metric].name : ts_show_brief(row->name, NAME_MOST, arena);
}

const char *ts_show_row_title(const struct ts_gate_row *row, struct ts_arena *arena)
{
	return row->metric < TS_METRICS ? ts_metrics[row->metric].title : ts_show_row_name(row, arena);
}

const char *ts_show_row_label(const struct ts_gate_row *row, struct ts_arena *arena)
{
	return row->metric < TS_METRICS ? ts_metrics[row->metric].name : escape_name(row->name, arena);
}

const char *ts_show_workload(const struct ts_gate_input *input, struct ts_arena *arena)
{
	static const struct ts_id none;
	size_t n;
	const struct ts_gate_run *run = ts_gate_first(input, TS_GATE_CANDIDATE, &n);
	const struct ts_id *key;

	if (!run)
		run = ts_gate_first(input, TS_GATE_BASELINE, &n);
	if (!run)
		return "unknown";
	if (run->workload.name.len)
		return escape_name(run->workload.name, arena);
	key = &run->workload.key[TS_WORKLOAD_CONFIG];
	return ts_id_eq(key, &none) ? "unknown" : ts_show_id(key, arena);
}

bool ts_show_gate_row(const struct ts_gate_row *row)
{
	return row->counts || !isnan(row->base) || !isnan(row->candidate);
}
