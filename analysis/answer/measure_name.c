/* measure_name.c - the table of measures, and the words that it is made of. */
#include "analysis/answer/measure_name.h"

#include "base/number.h"
#include "base/words.h"

#include <assert.h>

const struct ts_measure_spec ts_measure_specs[TS_MEASURE_NAMES] = {
#define M(symbol, group, subject, name, unit) [TS_M_##symbol] = {TS_ANSWER_##group, subject, name, TS_UNIT_##unit},
#include "analysis/answer/measures.inc"
};

const char *const ts_memory_columns[TS_MEMORY_COLUMNS] = {"alloc", "reserved", "peak_alloc", "peak_reserved"};

const char *const ts_budget_lines[TS_BUDGET_LINES] = {
	"useful_compute", "compute_overhead", "data_stall", "communication", "wait", "other", "unclassified", "unattributed"};

const char *const ts_job_lines[TS_JOB_LINES] = {"useful_compute job", "own_rest job", "communication job", "wait job",
						"unattributed job"};

const char *const ts_trace_times[TS_TRACE_TIMES] = {
	"span",	       "busy",		 "computation",	   "communication",    "exposed_communication",
	"copies",      "exposed_copies", "idle",	   "idle_host",	       "idle_launch",
	"idle_behind", "idle_queued",	 "idle_unknown",   "idle_after_waits", "fills",
	"elementwise", "idle_loading",	 "math_attention", "convolutions",     "float32_products",
	"generated",   "idle_first_launch", "idle_host_longest", "idle_launch_longest",
	"idle_loading_longest", "idle_after_waits_longest", "exposed_waiting"};

struct ts_span ts_answer_group_name(enum ts_answer_group group)
{
	static const char *const words[TS_ANSWER_GROUPS] = {
		[TS_ANSWER_TIMING] = "timing",	       [TS_ANSWER_MEMORY] = "memory",	  [TS_ANSWER_CONVERGENCE] = "convergence",
		[TS_ANSWER_CROSS] = "cross",	       [TS_ANSWER_RANKS] = "ranks",	  [TS_ANSWER_BUDGET] = "budget",
		[TS_ANSWER_EFFICIENCY] = "efficiency", [TS_ANSWER_PIPELINE] = "pipeline", [TS_ANSWER_DIVERGENCE] = "divergence",
		[TS_ANSWER_RESUME] = "resume",	       [TS_ANSWER_TRACE] = "trace",	  [TS_ANSWER_SNAPSHOT] = "snapshot",
		[TS_ANSWER_SETUP] = "setup",	       [TS_ANSWER_MACHINE] = "machine",
	};

	return ts_span_str(words[group]);
}

TS_WORDS(ts_unit_suffix, enum ts_unit, "", [TS_UNIT_NONE] = "", [TS_UNIT_SECONDS] = "_s", [TS_UNIT_BYTES] = "_bytes",
	 [TS_UNIT_RATIO] = "_ratio", [TS_UNIT_PER_SECOND] = "_per_s", [TS_UNIT_STEP] = "_step", [TS_UNIT_COUNT] = "_count",
	 [TS_UNIT_BYTES_PER_STEP] = "_bytes_per_step", [TS_UNIT_FLOPS] = "_flops", [TS_UNIT_FLOPS_PER_S] = "_flops_per_s",
	 [TS_UNIT_TEXT] = "")

/* Splits a pattern into what stands before and after <>. Returns false for a text without <>. */
static bool split(const char *pattern, struct ts_span *ret_before, struct ts_span *ret_after)
{
	const char *open = strchr(pattern, '<'), *close = open ? strchr(open, '>') : NULL;

	if (!close)
		return false;
	*ret_before = ts_span_of(pattern, (size_t)(open - pattern));
	*ret_after = ts_span_str(close + 1);
	return true;
}

bool ts_measure_is_kind(enum ts_measure_name what)
{
	return strchr(ts_measure_specs[what].subject, '<') != NULL;
}

/* Finds the part of a text that stands in the place of <>. */
static bool filled(const char *pattern, struct ts_span text, struct ts_span *ret_part)
{
	struct ts_span before, after;

	if (!split(pattern, &before, &after) || text.len < before.len + after.len || !ts_span_starts(text, before))
		return false;
	*ret_part = text;
	if (text.len == 0)
		return true;
	if (!ts_span_eq(ts_span_of(text.data + (text.len - after.len), after.len), after))
		return false;
	*ret_part = ts_span_of(text.data + before.len, text.len - before.len - after.len);
	return true;
}

bool ts_measure_fits(const char *pattern, struct ts_span text)
{
	struct ts_span part;

	return strchr(pattern, '<') ? filled(pattern, text, &part) : ts_span_is(text, pattern);
}

char *ts_measure_subject(enum ts_measure_name what, int64_t k, struct ts_arena *arena)
{
	struct ts_span before, after;
	bool kind = split(ts_measure_specs[what].subject, &before, &after);

	assert(kind);
	(void)kind;
	return ts_arena_printf(arena, "%.*s%" PRId64 "%.*s", TS_SPAN_ARG(before), k, TS_SPAN_ARG(after));
}

bool ts_measure_part(enum ts_measure_name what, struct ts_span subject, struct ts_span *ret_part)
{
	return filled(ts_measure_specs[what].subject, subject, ret_part);
}

bool ts_measure_number(enum ts_measure_name what, struct ts_span subject, int64_t *ret_k)
{
	struct ts_span part;

	return ts_measure_part(what, subject, &part) && ts_parse_i64(part, ret_k);
}
