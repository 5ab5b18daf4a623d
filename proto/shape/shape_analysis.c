/* shape_analysis.c - the tables of the answer of Analyze: what one run measured, and what follows from it. */
#include "analysis/analysis.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_analyze_request
static void above_zero(struct ts_wire_reader *r, bool there, double value, const char *field)
{
	if (there && (!(value > 0) || isinf(value)))
		ts_wire_fail(r, field, "is no number above 0");
}

static void check_request(struct ts_wire_reader *r, void *in)
{
	const TYPE *request = in;

	above_zero(r, request->has_flops_per_step, request->flops_per_step, "flops_per_step");
	above_zero(r, request->has_peak_flops_per_s, request->peak_flops_per_s, "peak_flops_per_s");
	above_zero(r, request->has_device_bytes, request->device_bytes, "device_bytes");
	if (request->has_microbatches && request->microbatches == 0)
		ts_wire_fail(r, "microbatches", "is 0");
}

static const struct ts_shape_field request_rows[] = {
	{"spec", NULL, TEXT(spec, TS_WIRE_SPEC_MAX)},
	{"warmup", NULL, U64(warmup), HAS(has_warmup)},
	{"rank", NULL, I32(rank), HAS(has_rank)},
	{"flops_per_step", NULL, F64(flops_per_step), HAS(has_flops_per_step)},
	{"peak_flops_per_s", NULL, F64(peak_flops_per_s), HAS(has_peak_flops_per_s)},
	{"microbatches", NULL, U32(microbatches), HAS(has_microbatches)},
	{"dtype", NULL, TEXT(dtype, TS_PATH_MAX)},
	{"policy", NULL, MANY(policy.items, policy.n, ts_shape_policy_item, TS_WIRE_POLICY_MAX)},
	{"fresh", NULL, BOOL(fresh)},
	{"device_bytes", NULL, F64(device_bytes), HAS(has_device_bytes)},
};
const struct ts_shape ts_shape_analyze_request = {SHAPE("analyze_request", analyze_request, request_rows), .check = check_request};
#undef TYPE

/* --- events --- */

WORD_OF(event_word, enum ts_event_kind, ts_event_word);
static const struct ts_shape_words event_kinds = {TS_EVENT_SPIKE, TS_EVENT_ONSET, TS_EVENT_SPIKE, .word = event_word, .newer = true};

#define TYPE struct ts_event
static void check_event(struct ts_wire_reader *r, void *in)
{
	const TYPE *event = in;

	if (event->last_step < event->first_step)
		ts_wire_fail(r, "last_step", "is before the first");
}

static const struct ts_shape_field event_rows[] = {
	{"kind", "kind", ENUM(kind, event_kinds)},
	{"group", "group", BYTES(group, TS_PATH_MAX)},
	{"subject", "subject", BYTES(subject, TS_WIRE_TEXT_MAX)},
	{"first_step", "first_step", I64(first_step)},
	{"last_step", "last_step", I64(last_step)},
	{"value", "value", F64(value)},
	{"expected", "expected", F64(expected)},
	{"score", "score", F64(score)},
};
static const struct ts_shape event_shape = {SHAPE("event", event, event_rows), .check = check_event};
#undef TYPE

WORD_OF(happening_word, enum ts_happening_kind, ts_happening_word);
static const struct ts_shape_words happening_kinds = {TS_HAPPENING_OUT_OF_MEMORY, TS_HAPPENING_OTHER, TS_HAPPENING_OUT_OF_MEMORY,
						      .word = happening_word, .newer = true};

#define TYPE struct ts_happening
static const struct ts_shape_field happening_rows[] = {
	{"kind", "kind", ENUM(kind, happening_kinds)},
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"text", "text", BYTES(text, TS_TEXT_MAX), OR_NULL},
	{"value", "value", F64(value), HAS(has_value), OR_NULL},
	{"step", "step", I64(step), HAS(has_step), OR_NULL, ABOUT("during which it happened")},
	{"after", "after_step", BOOL(after), ABOUT("the step is the last that had ended when it happened")},
	{"time_s", "time_s", F64(time_s), HAS(has_time), OR_NULL, ABOUT("since the start of the run")},
	{"ranks", "ranks", LIST(I32, ranks, n_ranks, TS_RANKS_MAX), ABOUT("that recorded it alike; -1: of the whole job")},
};
static const struct ts_shape happening_shape = {SHAPE("recorded_event", happening, happening_rows)};
#undef TYPE

#define TYPE struct ts_happenings
static const struct ts_shape_field happenings_rows[] = {
	{"items", "rows", MANY(items, n, happening_shape, TS_HAPPENINGS_MAX), ROOM(cap),
	 ABOUT("what ends runs first, then the newest")},
	{"all", "all_count", U64(all), ABOUT("one that several ranks recorded is counted for each")},
	{"more", "more_count", U64(more), ABOUT("of them not among the rows")},
	{"regions", "region_count", U64(regions), ABOUT("named parts of the program that took a time; they are not among the events")},
};
const struct ts_shape ts_shape_happenings = {SHAPE("recorded_events", happenings, happenings_rows)};
#undef TYPE

/* --- findings --- */

WORD_OF(severity_word, enum ts_severity, ts_severity_word);
static const struct ts_shape_words severities = {TS_SEVERITY_LOW, TS_SEVERITY_HIGH, TS_SEVERITY_LOW, .word = severity_word};

#define TYPE struct ts_finding
static bool has_steps(const void *in)
{
	return ((const TYPE *)in)->has_steps;
}

static const struct ts_shape_field steps_rows[] = {
	{"first", "first_step", I64(first_step), WHEN(has_steps)},
	{"last", "last_step", I64(last_step), WHEN(has_steps)},
};
static const struct ts_shape steps_shape = {SHAPE("finding_steps", step_range, steps_rows)};

static const struct ts_shape_field finding_rows[] = {
	{"code", "code", BYTES(code, TS_PATH_MAX)},
	{"severity", "severity", ENUM(severity, severities)},
	{"title", "title", BYTES(title, TS_WIRE_TEXT_MAX)},
	{"detail", "detail", BYTES(detail, TS_WIRE_TEXT_MAX)},
	{"advice", "advice", BYTES(advice, TS_WIRE_TEXT_MAX)},
	{"steps", FLAT, HERE(steps_shape), HAS(has_steps)},
	{"ranks", "ranks", LIST(I32, ranks, n_ranks, TS_RANKS_MAX), ABOUT("those it is about; none for the job, or the rank in view")},
	{"rank", "evidence_rank", I32(rank), HAS(has_rank), ABOUT("of the ranks, the one whose numbers these are")},
	{"evidence", "evidence", MANY(evidence, n_evidence, ts_shape_measure, ENTRIES(2))},
};
const struct ts_shape ts_shape_finding = {SHAPE("finding", finding, finding_rows)};
#undef TYPE

#define TYPE struct ts_unchecked
static const struct ts_shape_field unchecked_rows[] = {
	{"code", "code", BYTES(code, TS_PATH_MAX)},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX)},
	{"ranks", "ranks", LIST(I32, ranks, n_ranks, TS_RANKS_MAX), ABOUT("on these alone; none: on all")},
};
const struct ts_shape ts_shape_unchecked = {SHAPE("unchecked", unchecked, unchecked_rows)};
#undef TYPE

#define TYPE struct ts_rank_rows
static const struct ts_shape_field rank_rows_rows[] = {
	{"rank", NULL, I32(rank)},
	{"measures", NULL, VECTOR(measures, ts_shape_measure, ENTRIES(2))},
	{"events", NULL, VECTOR(events, event_shape, ENTRIES(4))},
};
static const struct ts_shape rank_rows_shape = {SHAPE("rank_rows", rank_rows, rank_rows_rows)};
#undef TYPE

/* --- the answer --- */

#define TYPE struct ts_analysis
static const struct ts_shape_field analysis_rows[] = {
	{"run", "run", ONE(run, ts_shape_run)},
	{"ending", "ending", ONE(ending, ts_shape_ending), HAS(ending.told)},
	{"happenings", "recorded_events", ONE(happenings, ts_shape_happenings),
	 ABOUT("what the run recorded when it happened, on all ranks: exceptions, restarts, checkpoints, what the program says")},
	{"rank", "rank", I32(rank)},
	{"warmup_cut", "warmup_cut_count", U64(warmup_cut)},
	{"bound", "bound", ONE(bound, ts_shape_bound)},
	{"findings", "findings", VECTOR(findings, ts_shape_finding, ENTRIES(4)), /* the least entry has a severity */
	 ABOUT("most severe first; docs/findings.md has the rules")},
	{"unchecked", "unchecked", MANY(findings.unchecked, findings.n_unchecked, ts_shape_unchecked, ENTRIES(2)),
	 ROOM(findings.cap_unchecked), ABOUT("rules that could not be checked")},
	{"measures", NULL, VECTOR(measures, ts_shape_measure, ENTRIES(2))},
	{NULL, "measures", ONE(measures, ts_shape_measures)},
	{NULL, "unknown", ONE(measures, ts_shape_unknown)},
	{"events", "events", VECTOR(events, event_shape, ENTRIES(4)), /* the least entry has a kind */
	 ABOUT("the strongest 256 of a kind and subject, by step; score in robust standard deviations, of a coincidence -log10 of its"
	       " chance")},
	{"plots", "plots", VECTOR(plots, ts_shape_plot, ENTRIES(4)), /* the least entry has a width */
	 ABOUT("a series as at most 480 cells: cell i begins at step first_step + i * cell_step_count; NaN where it has no number")},
	{"notes", "notes", LIST(BYTES, notes, n_notes, ENTRIES(2)), MAX(TS_WIRE_TEXT_MAX)},
	{"ranks", NULL, MANY(ranks, n_ranks, rank_rows_shape, TS_RANKS_MAX)},
};
const struct ts_shape ts_shape_analysis = {SHAPE("analysis", analyze_reply, analysis_rows)};
#undef TYPE

WIRE_SHAPE(analyze_request, ts_analyze_request, ts_shape_analyze_request);
WIRE_SHAPE(analyze_reply, ts_analysis, ts_shape_analysis);
