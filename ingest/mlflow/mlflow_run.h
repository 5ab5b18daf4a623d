/* mlflow_run.h - what both of MLflow's stores, files and database, have of a run: its record, params and tags to facts, metrics
 * to cells.
 *
 *	ts_mlflow_init(&run, arena, notices)
 *	ts_mlflow_param, ts_mlflow_tag, and the record's own members
 *	ts_mlflow_metric(&run, key, size, err)		once a key, in any order
 *	ts_mlflow_begin(&run, rows, err)		in a feed, once: columns, in the order of names
 *	ts_mlflow_nth(&run, i) ... ts_mlflow_value	metrics in the order given by nth, values in the store's
 *
 * Every metric has steps of its own. Those below system are numbered by the sampler: their step is the one in training during
 * which the sample was taken, by the times of the longest other metric (its first step logged at that time or later), if there
 * is one.
 */
#ifndef TSCOPE_INGEST_MLFLOW_MLFLOW_RUN_H
#define TSCOPE_INGEST_MLFLOW_MLFLOW_RUN_H

#include "base/json_writer.h"
#include "ingest/rows/import.h"
#include "ingest/rows/log_names.h"

enum { TS_MLFLOW_METRICS_MAX = 65536, TS_MLFLOW_CLOCK = 65536 };

/* Numbered as in meta.yaml. */
enum ts_mlflow_status {
	TS_MLFLOW_UNKNOWN,
	TS_MLFLOW_RUNNING,
	TS_MLFLOW_SCHEDULED,
	TS_MLFLOW_FINISHED,
	TS_MLFLOW_FAILED,
	TS_MLFLOW_KILLED,
};

struct ts_mlflow_metric {
	struct ts_span key;
	uint64_t size; /* of its history, in any unit */
	uint32_t column;
	double factor;
	bool system, no_column;
};

/* A step, and when it was logged. */
struct ts_mlflow_tick {
	int64_t time_ms, step;
};

struct ts_mlflow_run {
	struct ts_arena *arena;
	struct ts_notices *notices;
	/* the record; spans in the arena, times in milliseconds since 1970, 0 = not known */
	struct ts_span id, name, user, source, experiment, experiment_id, commit, remote, branch, nested_in;
	enum ts_mlflow_status status;
	int64_t started_ms, ended_ms;
	struct ts_buf config, tags; /* JSON objects */
	struct ts_json config_json, tags_json;
	/* metrics, by key after ts_mlflow_begin */
	struct ts_mlflow_metric *metrics;
	size_t n_metrics, cap_metrics, clock_metric; /* n_metrics: none */
	/* of a feed */
	struct ts_rows *rows;
	struct ts_log_names names;
	uint32_t timestamp; /* column + 1 */
	struct ts_mlflow_tick *clock;
	size_t n_clock;
	uint64_t stride, ticks;
	struct ts_mlflow_tick last_tick;
};

void ts_mlflow_init(struct ts_mlflow_run *run, struct ts_arena *arena, struct ts_notices *notices);
void ts_mlflow_finish(struct ts_mlflow_run *run);

/* "3" or "FINISHED". */
enum ts_mlflow_status ts_mlflow_status_of(struct ts_span text);
void ts_mlflow_param(struct ts_mlflow_run *run, struct ts_span key, struct ts_span value);
/* Known ones go to the record (where it does not have them), others to other.mlflow.tags. */
enum ts_status ts_mlflow_tag(struct ts_mlflow_run *run, struct ts_span key, struct ts_span value, struct ts_error *err);
enum ts_status ts_mlflow_metric(struct ts_mlflow_run *run, struct ts_span key, uint64_t size, struct ts_error *err);

enum ts_status ts_mlflow_begin(struct ts_mlflow_run *run, struct ts_rows *rows, struct ts_error *err);
/* The clock's metric first, those below system last. */
struct ts_mlflow_metric *ts_mlflow_nth(struct ts_mlflow_run *run, size_t i);
/* time_ms <= 0: not known. */
enum ts_status ts_mlflow_value(struct ts_mlflow_run *run, const struct ts_mlflow_metric *metric, int64_t time_ms, int64_t step,
			       double value, struct ts_error *err);

/* For struct ts_import. ctx: the run. */
enum ts_status ts_mlflow_facts(void *ctx, struct ts_buf *json, struct ts_error *err);
bool ts_mlflow_finished(void *ctx);

#endif
