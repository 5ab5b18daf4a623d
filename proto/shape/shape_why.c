/* shape_why.c - the tables of the causes that experiments found (analysis/answer/why.h), JSON alone. */
#include "analysis/answer/why.h"
#include "proto/shape/shape_rows.h"

#define TYPE struct ts_why_fact
static const struct ts_shape_field fact_rows[] = {
	{NULL, "path", BYTES(path, 0)},
	{NULL, "a", BYTES(a, 0), OR_NULL},
	{NULL, "b", BYTES(b, 0), OR_NULL},
	{NULL, "needed", BOOL(needed), ABOUT("without it, a run did not give the second run's result")},
};
static const struct ts_shape fact_shape = {JSON_SHAPE("why_fact", fact_rows)};
#undef TYPE

#define TYPE struct ts_why_cause
static const struct ts_shape_field cause_rows[] = {
	{NULL, "found", BYTES(found, 0),
	 ABOUT("facts, here, one_off, gone, not_again, patch, nondeterminism, elsewhere or undecided (docs/why.md)")},
	{NULL, "undecided", BYTES(undecided, 0), OR_NULL, ABOUT("budget, untestable, scatter or contradicts")},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "facts", MANY(facts, n_facts, fact_shape, 0), ABOUT("the smallest set that was found, or what remains")},
	{NULL, "step", I64(step), ABOUT("from which on it acts, as far as was seen")},
	{NULL, "commit", BYTES(commit, 0), OR_NULL, ABOUT("the first one whose result is not the first run's")},
	{NULL, "commit_subject", BYTES(commit_subject, 0), OR_NULL},
	{NULL, "commit_last", BYTES(commit_last, 0), OR_NULL, ABOUT("where commits cannot be parted: the last of them")},
	{NULL, "commit_whole", BYTES(commit_whole, 0), OR_NULL, ABOUT("from this one on the result is the second run's")},
	{NULL, "put_back", BOOL(put_back), ABOUT("the second run with it put back gave the first run's result")},
	{NULL, "to_the_end", BOOL(to_end), ABOUT("the first run with it gave the second run's result to the end")},
	{NULL, "alone", BOOL(alone), ABOUT("it is enough without the causes before it")},
	{NULL, "repeats_without", U64(repeats), ABOUT("reruns in which the result did not come back")},
	{NULL, "operation", BYTES(operation, 0), OR_NULL,
	 ABOUT("the first operation that differs where it acts, with its line of code")},
	{NULL, "gone", LIST(BYTES, gone, n_gone, 0), ABOUT("where it did not come back: what of the record is not as it was")},
};
static const struct ts_shape cause_shape = {JSON_SHAPE("why_cause", cause_rows)};
#undef TYPE

#define TYPE struct ts_why_trial
static const struct ts_shape_field trial_rows[] = {
	{NULL, "number", U64(number)},
	{NULL, "reason", BYTES(why, 0)},
	{NULL, "what", BYTES(what, 0)},
	{NULL, "from_b", LIST(BYTES, from_b, n_from_b, 0),
	 ABOUT("facts that it has from the second run; all others are the first run's")},
	{NULL, "commit", BYTES(commit, 0), OR_NULL},
	{NULL, "deterministic", BOOL(deterministic)},
	{NULL, "stop", I64(stop), ABOUT("the step before which it stops")},
	{NULL, "repeat", U64(repeat)},
	{NULL, "run_step_count", U64(steps)},
	{NULL, "result", BYTES(result, 0), ABOUT("a, b, other, untestable, or planned where it was not run")},
	{NULL, "problem", BYTES(problem, 0), OR_NULL},
	{NULL, "folder", BYTES(folder, 0), OR_NULL},
	{NULL, "took_s", F64(seconds)},
};
static const struct ts_shape trial_shape = {JSON_SHAPE("why_trial", trial_rows)};
#undef TYPE

#define TYPE struct ts_why
static const struct ts_shape_field why_rows[] = {
	{NULL, "a", ONE(a, ts_shape_run)},
	{NULL, "b", ONE(b, ts_shape_run)},
	{NULL, "sentence", BYTES(sentence, 0)},
	{NULL, "decided", BOOL(decided)},
	{NULL, "proved", BOOL(proved), ABOUT("each cause is a set of facts that is needed, checked both ways and to the end")},
	{NULL, "deterministic", BOOL(deterministic), ABOUT("found among runs with deterministic kernels")},
	{NULL, "by_scatter", BOOL(placed), ABOUT("runs do not repeat, and were placed among repeats")},
	{NULL, "only_here", BOOL(only_here), ABOUT("neither recorded run could be made again; of the difference between reruns")},
	{NULL, "causes", MANY(causes, n_causes, cause_shape, 0)},
	{NULL, "trials", MANY(trials, n_trials, trial_shape, 0)},
	{NULL, "not_tried", LIST(BYTES, fixed, n_fixed, 0), ABOUT("what differs and the command cannot set, with the reason")},
	{NULL, "run_count", U64(runs)},
	{NULL, "run_step_count", U64(steps)},
	{NULL, "took_s", F64(seconds), ABOUT("of the runs")},
	{NULL, "search_s", F64(search_s), ABOUT("of comparing them")},
};
const struct ts_shape ts_shape_why = {JSON_SHAPE("why", why_rows)};
#undef TYPE
