/* shape_reduction.c - the tables of one run of a gate: what work it is, and the few numbers that runs are compared by. A reduction in a
 * cache is the message of such a run, too. */
#include "analysis/gate/gate.h"
#include "base/text.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

enum { METRICS_MAX = 64 };

/* --- workload --- */

#define TYPE struct ts_workload
static void check_workload(struct ts_wire_reader *r, void *in)
{
	struct ts_span session = ((const TYPE *)in)->session;

	for (size_t i = 0; i < session.len && !r->status; i++)
		if (!ts_is_digit(session.data[i]) && (session.data[i] < 'a' || session.data[i] > 'f'))
			ts_wire_fail(r, "session", "is not of hex digits");
}

static const struct ts_shape_field workload_rows[] = {
	{"keys", NULL, FIXED(ID, key)},
	{"commit", "commit", BYTES(commit, TS_PATH_MAX), OR_NULL},
	{"branch", NULL, BYTES(branch, TS_PATH_MAX)},
	{"dirty", "dirty", BOOL(dirty)},
	{"name", "workload", BYTES(name, TS_PATH_MAX), OR_NULL},
	{"session", "session", BYTES(session, TS_ID_HEX), OR_NULL},
	{"started_ns", "started", TIME(started_ns), OR_NULL},
	{"labels", NULL, BYTES(labels, TS_WIRE_TEXT_MAX)},
};
static const struct ts_shape workload_shape = {SHAPE("workload", workload, workload_rows), .check = check_workload};
#undef TYPE

/* --- reduction --- */

#define TYPE struct ts_reduced
/* A known value has no reason, whatever the message says. */
static void check_reduced(struct ts_wire_reader *r, void *in)
{
	TYPE *reduced = in;

	if (reduced->known)
		reduced->reason = ts_span_of(NULL, 0);
	if (reduced->has_error && (!reduced->known || !(reduced->error >= 0) || isinf(reduced->error)))
		ts_wire_fail(r, "error", "is not that of a value");
}

static const struct ts_shape_field reduced_rows[] = {
	{"value", NULL, F64(value), HAS(known)},
	{"reason", NULL, BYTES(reason, TS_WIRE_TEXT_MAX)},
	{"error", NULL, F64(error), HAS(has_error)},
};
static const struct ts_shape reduced_shape = {SHAPE("reduced", reduced, reduced_rows), .check = check_reduced};
#undef TYPE

/* A value that an earlier version did not reduce is unknown. */
static void explain(struct ts_reduced *io)
{
	if (!io->known && io->reason.len == 0)
		io->reason = ts_span_str("it was reduced by a version without this metric");
}

#define TYPE struct ts_reduced_series
static void check_series(struct ts_wire_reader *r, void *in)
{
	TYPE *series = in;

	if (series->name.len == 0)
		ts_wire_fail(r, "name", "is empty");
	explain(&series->value);
}

static const struct ts_shape_field series_rows[] = {
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"column", "column", BYTES(column, TS_PATH_MAX), OR_NULL, ABOUT("null: the usual one, scalars.NAME")},
	{"value", NULL, ONE(value, reduced_shape)},
	{NULL, "value", F64(value.value), HAS(value.known), OR_NULL, ABOUT("the mean of the last tenth of its values")},
	{NULL, "reason", BYTES(value.reason, 0), OR_NULL, ABOUT("why the value is not known")},
	{"last_step", "last_step", I64(last_step)},
};
static const struct ts_shape series_shape = {SHAPE("reduced_series", reduced_series, series_rows), .check = check_series};
#undef TYPE

#define TYPE struct ts_reduced_part
static void check_part(struct ts_wire_reader *r, void *in)
{
	if (!isfinite(((const TYPE *)in)->seconds))
		ts_wire_fail(r, "seconds", "is not finite");
}

static const struct ts_shape_field part_rows[] = {
	{"name", NULL, BYTES(name, TS_PATH_MAX)},
	{"seconds", NULL, F64(seconds)},
};
static const struct ts_shape part_shape = {SHAPE("reduced_part", reduced_part, part_rows), .check = check_part};
#undef TYPE

#define TYPE struct ts_reduction
static bool fill_metrics(const void *in, void *message, struct ts_arena *arena)
{
	Tscope__V1__Reduction *m = message;

	m->metrics = ts_shape_build_list(&reduced_shape, ((const TYPE *)in)->metrics, TS_METRICS, arena);
	m->n_metrics = TS_METRICS;
	return m->metrics != NULL;
}

/* Metrics of a later version are skipped; metrics that an earlier version lacked are unknown. */
static void read_metrics(struct ts_wire_reader *r, const void *message, void *ret)
{
	const Tscope__V1__Reduction *m = message;
	struct ts_reduced *out = ((TYPE *)ret)->metrics;
	size_t n = ts_wire_entries(r, m->n_metrics, METRICS_MAX, "metrics");

	for (size_t i = 0; i < TS_METRICS; i++) {
		if (i >= n) {
			explain(&out[i]);
			continue;
		}
		ts_shape_read_one(&reduced_shape, r, m->metrics[i], "metrics", &out[i]);
		if (out[i].known &&
		    ((i != TS_METRIC_LOSS && !isfinite(out[i].value)) || (ts_metrics[i].log_scale && !(out[i].value > 0))))
			ts_wire_fail(r, "metrics.value", "is none that the metric can have");
	}
}

static const struct ts_shape_own metrics_own = {.fill = fill_metrics, .read = read_metrics};

/* The rows are in the order of ts_metrics; test_shape.c compares the keys with its names and units. */
#define METRIC(metric, key_) {NULL, key_, F64(metrics[TS_METRIC_##metric].value), HAS(metrics[TS_METRIC_##metric].known), OR_NULL}
static const struct ts_shape_field metrics_rows[] = {
	METRIC(STEP_TIME, "step_time_s"),
	METRIC(STEP_TIME_MEAN, "step_time_mean_s"),
	METRIC(STEP_TIME_P95, "step_time_p95_s"),
	METRIC(STALL_SHARE, "stall_share_ratio"),
	METRIC(PEAK_MEMORY, "peak_memory_bytes"),
	METRIC(TOKENS_PER_S, "tokens_per_s_per_s"),
	METRIC(TOKENS_PER_S_DEVICE, "tokens_per_s_device_per_s"),
	METRIC(SAMPLES_PER_S, "samples_per_s_per_s"),
	METRIC(SAMPLES_PER_S_DEVICE, "samples_per_s_device_per_s"),
	METRIC(MFU, "mfu_ratio"),
	METRIC(LOSS, "loss"),
	METRIC(STEP_TIME_P10, "step_time_p10_s"),
	METRIC(STEP_TIME_END, "step_time_end_s"),
	METRIC(STEP_TIME_FLOOR, "step_time_floor_s"),
	METRIC(CPU_TIME, "cpu_time_s"),
};
const struct ts_shape ts_shape_metrics = {
	SHAPE("metrics", reduction, metrics_rows),
	.about = "the values of the run; null where one is not known",
	.own = &metrics_own,
};

static void check_reduction(struct ts_wire_reader *r, void *in)
{
	TYPE *reduction = in;

	explain(&reduction->wall_time);
	explain(&reduction->best_loss);
	for (size_t i = 1; i < reduction->n_ranks; i++)
		if (reduction->ranks[i].rank <= reduction->ranks[i - 1].rank)
			ts_wire_fail(r, "ranks", "are not ascending");
	if (!(reduction->accumulation > 0) || isinf(reduction->accumulation))
		ts_wire_fail(r, "accumulation", "is no number above 0");
}

static const struct ts_shape_field reduction_rows[] = {
	{"records", "record_count", U64(records)},
	{"warmup", "warmup_record_count", U64(warmup)},
	{"excluded", "excluded_record_count", U64(excluded)},
	{"counted", NULL, U64(counted)},
	{"time_source", "time_source", BYTES(time_source, TS_WIRE_TEXT_MAX), OR_NULL},
	{"metrics", "metrics", PART(ts_shape_metrics)},
	{"series", "series", MANY(series, n_series, series_shape, TS_LOGGED_MOST)},
	{"parts", NULL, MANY(parts, n_parts, part_shape, TS_REDUCE_PARTS_MAX)},
	{"ranks", NULL, COLUMN(I32, ranks, struct ts_reduced_rank, rank, n_ranks, TS_REDUCE_RANKS_MAX)},
	{"work", NULL, COLUMN(F64, ranks, struct ts_reduced_rank, work, n_ranks, TS_REDUCE_RANKS_MAX), AS_MANY},
	{"wait", NULL, COLUMN(F64, ranks, struct ts_reduced_rank, wait, n_ranks, TS_REDUCE_RANKS_MAX), AS_MANY},
	{"piece_count", NULL, COLUMN(U64, pieces, struct ts_reduced_piece, n, n_pieces, TS_REDUCE_PIECES)},
	{"piece_time_sd", NULL, COLUMN(F64, pieces, struct ts_reduced_piece, time_sd, n_pieces, TS_REDUCE_PIECES), AS_MANY},
	{"piece_time_most", NULL, COLUMN(F64, pieces, struct ts_reduced_piece, time_most, n_pieces, TS_REDUCE_PIECES), AS_MANY},
	{"piece_mean_sd", NULL, COLUMN(F64, pieces, struct ts_reduced_piece, mean_sd, n_pieces, TS_REDUCE_PIECES), AS_MANY},
	{"piece_mean_most", NULL, COLUMN(F64, pieces, struct ts_reduced_piece, mean_most, n_pieces, TS_REDUCE_PIECES), AS_MANY},
	{"mfu_basis", NULL, BYTES(mfu_basis, TS_WIRE_TEXT_MAX)},
	{"window", NULL, U64(window)},
	{"windows", NULL, U64(windows)},
	{"accumulation", NULL, F64(accumulation)},
	{"wall_time", NULL, ONE(wall_time, reduced_shape), MAYBE},
	{"best_loss", NULL, ONE(best_loss, reduced_shape), MAYBE},
	{"loss_column", "loss_column", BYTES(loss_column, TS_PATH_MAX), OR_NULL},
};
static const struct ts_shape reduction_shape = {SHAPE("reduction", reduction, reduction_rows), .check = check_reduction};
#undef TYPE

/* --- one run --- */

WORD_OF(role_word, enum ts_gate_role, ts_gate_role_word);
static const struct ts_shape_words roles = {TS_GATE_CANDIDATE, TS_GATE_PAIR_CANDIDATE, TS_GATE_CANDIDATE, .word = role_word};

#define TYPE struct ts_gate_run
static const struct ts_shape_field run_rows[] = {
	{"role", "role", ENUM(role, roles)},
	{"group", "group", U32(group), BOUNDS(0, INFINITY),
	 ABOUT("of history: runs of one group have one mean; of pairs: the number of the pair")},
	{"id", "id", ID(id)},
	{"name", "name", TEXT(name, TS_WIRE_SPEC_MAX), OR_NULL},
	{"workload", FLAT, ONE(workload, workload_shape)},
	{"reduction", FLAT, ONE(reduction, reduction_shape)},
};
const struct ts_shape ts_shape_gate_run = {SHAPE("gate_run", gate_run, run_rows)};
#undef TYPE

WIRE_SHAPE(gate_run, ts_gate_run, ts_shape_gate_run);

/* --- many runs, for another server --- */

#define TYPE struct ts_reduce_request
static const struct ts_shape_field request_rows[] = {
	{"from", NULL, U64(from)},
	{"analysis_version", NULL, U32(analysis_version)},
	{"ids", NULL, LIST(ID, ids, n, TS_REDUCE_RUNS_MAX)},
	{"metric", NULL, TEXT(metric, TS_WIRE_SPEC_MAX)},
	{"policy", NULL, MANY(policy.items, policy.n, ts_shape_policy_item, TS_WIRE_POLICY_MAX)},
};
const struct ts_shape ts_shape_reduce_request = {SHAPE("reduce_request", reduce_runs_request, request_rows)};
#undef TYPE

#define TYPE struct ts_reduce_reply
static const struct ts_shape_field reply_rows[] = {
	{"self", NULL, BOOL(self)},
	{"runs", NULL, MANY(runs, n, ts_shape_gate_run, TS_REDUCE_RUNS_MAX)},
};
const struct ts_shape ts_shape_reduce_reply = {SHAPE("reduce_reply", reduce_runs_reply, reply_rows)};
#undef TYPE

WIRE_SHAPE(reduce_request, ts_reduce_request, ts_shape_reduce_request);
WIRE_SHAPE(reduce_reply, ts_reduce_reply, ts_shape_reduce_reply);
