/* shape_trend.c - the tables of the answer of Trend: one metric of the runs of a branch, and where its level changed. */
#include "analysis/gate/trend.h"
#include "analysis/stats/change_point.h"
#include "base/words.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

/* On the wire, no word says that nobody knows it, as in answers of older servers. */
static const char *wire_better_word(int value)
{
	return value == TS_BETTER_UNKNOWN ? "" : ts_better_word((enum ts_better)value);
}
static const struct ts_shape_words wire_better = {0, TS_BETTERS - 1, TS_BETTER_UNKNOWN, .word = wire_better_word};

static const char *better_word(int value)
{
	return ts_better_word((enum ts_better)value);
}
const struct ts_shape_words ts_words_better = {0, TS_BETTERS - 1, TS_BETTER_UNKNOWN, .word = better_word};

/* The keys of values end in the unit of the metric, one of the units of ts_metrics. */
#define UNITS "(_s|_bytes|_ratio|_per_s)?"

#define TYPE struct ts_trend_request
static const struct ts_shape_field request_rows[] = {
	{"branch", NULL, TEXT(branch, TS_WIRE_SPEC_MAX)},
	{"metric", NULL, TEXT(metric, TS_WIRE_SPEC_MAX)},
	{"limit", NULL, U64(limit), MAX(TS_TREND_RUNS_MAX)},
	{"like", NULL, TEXT(like, TS_WIRE_SPEC_MAX)},
	{"policy", NULL, MANY(policy.items, policy.n, ts_shape_policy_item, TS_WIRE_POLICY_MAX)},
};
const struct ts_shape ts_shape_trend_request = {SHAPE("trend_request", trend_request, request_rows)};
#undef TYPE

#define TYPE struct ts_trend_run
static const struct ts_shape_field run_rows[] = {
	{"id", "id", ID(id)},
	{"commit", "commit", BYTES(commit, TS_PATH_MAX), OR_NULL},
	{"moved_ns", "moved", TIME(moved_ns), OR_NULL},
	{"value", "value", F64(value), HAS(known), IN_UNIT(UNITS)},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX), OR_NULL},
	{"accepted", "accepted", BOOL(accepted)},
	{"accept_reason", "accept_reason", BYTES(accept_reason, TS_WIRE_TEXT_MAX), OR_NULL},
	{"host", "host", BYTES(host, TS_PATH_MAX), OR_NULL},
	{"started_ns", "started", TIME(started_ns), OR_NULL},
	{"another", NULL, BOOL(another)},
};
static const struct ts_shape run_shape = {SHAPE("trend_run", trend_run, run_rows)};
#undef TYPE

static const char *cost_word(int value)
{
	static const char *const words[] = {
		[TS_TREND_ADDED] = "added",	    [TS_TREND_TAKEN_OFF] = "taken_off", [TS_TREND_WENT] = "went_away",
		[TS_TREND_CAME_BACK] = "came_back", [TS_TREND_MOVED] = "moved",		[TS_TREND_UNKNOWN] = "unknown"};

	return (size_t)value < sizeof words / sizeof words[0] ? words[value] : TS_NEWER_WORD;
}
static const struct ts_shape_words cost_words = {TS_TREND_ADDED, TS_TREND_UNKNOWN, TS_TREND_ADDED, .word = cost_word, .newer = true};

static bool another_moved(const void *in)
{
	return ((const struct ts_trend_change *)in)->other.len > 0;
}

#define TYPE struct ts_trend_change
static const struct ts_shape_field change_rows[] = {
	{"at", "at", U64(at)},
	{"last_before", "last_before", U64(last_before)},
	{NULL, "commit_before", BYTES(commit_before, 0), OR_NULL},
	{NULL, "commit_after", BYTES(commit_after, 0), OR_NULL},
	{NULL, "runs_ago", U64(runs_ago)},
	{"before", "before", F64(before), IN_UNIT(UNITS)},
	{"after", "after", F64(after), IN_UNIT(UNITS)},
	{"size", "size_ratio", F64(size)},
	{"p", "p", F64(p)},
	{"worse", "worse", BOOL(worse)},
	{"accepted", "accepted", BOOL(accepted)},
	{"with_host", "with_host", BOOL(with_host),
	 ABOUT("the hosts before and after it cannot be compared: host or change, nobody can tell")},
	{"other", "other_workload", BYTES(other, TS_PATH_MAX), OR_NULL, ABOUT("a workload that moved the other way by as much")},
	{"other_size", "other_size_ratio", F64(other_size), WHEN(another_moved)},
	{"machines", "machines", BYTES(machines, TS_PATH_MAX), OR_NULL,
	 ABOUT("in what the machine of the run behind it differed from that before it: what may explain it, and proves nothing")},
	{NULL, "cost", WORD(cost, cost_words),
	 ABOUT("whether the cost was added, taken off, went away again later, came back to an earlier "
	       "level, or moved from another workload; unknown: nobody knows which way the series is better")},
	{NULL, "host_before", BYTES(host_before, 0), OR_NULL},
	{NULL, "host_after", BYTES(host_after, 0), OR_NULL},
};
static const struct ts_shape change_shape = {SHAPE("trend_change", trend_change, change_rows)};
#undef TYPE

#define TYPE struct ts_trend_drift
static const struct ts_shape_field drift_rows[] = {
	{"from", "from", U64(from)},
	{"to", "to", U64(to)},
	{"size", "size_ratio", F64(size)},
	{"low", "low_ratio", F64(low)},
	{"high", "high_ratio", F64(high)},
	{"worse", "worse", BOOL(worse)},
	{"accepted", "accepted", BOOL(accepted)},
};
static const struct ts_shape drift_shape = {
	SHAPE("trend_drift", trend_drift, drift_rows),
	.about = "a straight line over all runs, with its 99 % interval; from and to are places in runs"};
#undef TYPE

#define TYPE struct ts_trend
static const char *unit_of(const void *in)
{
	return ts_unit_suffix(ts_metrics[((const TYPE *)in)->metric].unit);
}

static bool hosts_differ(const void *in)
{
	return ((const TYPE *)in)->host_spread > 0;
}

static bool weekdays_differ(const void *in)
{
	return ((const TYPE *)in)->weekday_spread > 0;
}

static void check_changes(struct ts_wire_reader *r, const struct ts_trend_change *changes, size_t n, size_t n_runs, const char *field)
{
	for (size_t i = 0; i < n; i++) {
		if (changes[i].at >= n_runs || changes[i].last_before >= changes[i].at)
			ts_wire_fail(r, field, "names no run");
		if (i && changes[i].at <= changes[i - 1].at)
			ts_wire_fail(r, field, "are not ascending");
	}
}

/* Renderers index the runs by these numbers. */
static void check_trend(struct ts_wire_reader *r, void *in)
{
	TYPE *trend = in;

	if (!ts_metric_find(trend->name, &trend->metric))
		trend->metric = TS_METRICS;
	else
		trend->better = ts_metrics[trend->metric].less_is_better ? TS_BETTER_LOWER : TS_BETTER_HIGHER;
	(void)ts_wire_uint(r, trend->left_out, trend->n_runs, "left_out");
	check_changes(r, trend->changes, trend->n_changes, trend->n_runs, "changes.at");
	check_changes(r, trend->moved, trend->n_moved, trend->n_runs, "moved.at");
	if (trend->drift && (trend->drift->to >= trend->n_runs || trend->drift->from >= trend->drift->to))
		ts_wire_fail(r, "drift.to", "names no run");
	if (!r->status)
		ts_trend_place(trend);
}

static void json_worse(struct ts_shape_writer *w, const void *in)
{
	ts_json_bool(w->json, ts_trend_is_worse(in));
}
static const struct ts_shape_own worse_own = {.json = json_worse, .schema = "{\"type\": \"boolean\"}"};
static const struct ts_shape worse_shape = {OWN_JSON("newest_level_is_worse", worse_own)};

static bool was_pruned(const void *in)
{
	return ((const struct ts_trend *)in)->pruned > 0;
}

static const struct ts_shape_field trend_rows[] = {
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX)},
	{"branch", "branch", TEXT(branch, TS_WIRE_SPEC_MAX)},
	{"metric", "metric", TEXT(name, TS_WIRE_SPEC_MAX)},
	{"better", NULL, WORD(better, wire_better)},
	{NULL, "better", ENUM(better, ts_words_better)},
	{"workload", "workload", BYTES(workload, TS_PATH_MAX), OR_NULL},
	{NULL, "newest_level_is_worse", HERE(worse_shape)},
	{"left_out", "left_out", U64(left_out)},
	{"older", "older", U64(older)},
	{"pruned", "pruned_count", U64(pruned), ABOUT("entries that a policy of retention took out of the branch")},
	{"pruned_ns", "pruned", TIME(pruned_ns), WHEN(was_pruned), ABOUT("the last time")},
	{"changes", "changes", MANY(changes, n_changes, change_shape, TS_TREND_RUNS_MAX / TS_CHANGE_LEAST),
	 ABOUT("oldest first; at and last_before are places in runs")},
	{"drift", "drift", PTR(drift, drift_shape)},
	{"moved", "moved", MANY(moved, n_moved, change_shape, TS_TREND_RUNS_MAX / TS_CHANGE_LEAST),
	 ABOUT("places where the level moved and which are not claimed; cost and other_workload are not known of them")},
	{"host_spread", "host_spread_ratio", F64(host_spread), WHEN(hosts_differ),
	 ABOUT("how much hosts differ, which was taken out; null: nothing was")},
	{"weekday_spread", "weekday_spread_ratio", F64(weekday_spread), WHEN(weekdays_differ), ABOUT("the same of weekdays")},
	{"runs", "runs", MANY(runs, n_runs, run_shape, TS_TREND_RUNS_MAX), ABOUT("oldest first")},
};
const struct ts_shape ts_shape_trend = {SHAPE("trend", trend_reply, trend_rows), .check = check_trend, .unit = unit_of};
#undef TYPE

WIRE_SHAPE(trend_request, ts_trend_request, ts_shape_trend_request);
WIRE_SHAPE(trend_reply, ts_trend, ts_shape_trend);
