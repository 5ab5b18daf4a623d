/* mlflow_run.h - the part that the readers of both MLflow stores (files and database) share: it turns the record, params and
 * tags of a run into facts, and its metrics into cells.
 *
 *	ts_mlflow_init(&run, arena, notices)
 *	ts_mlflow_param, ts_mlflow_tag; the caller sets the members of the record itself
 *	ts_mlflow_metric(&run, key, size, err)		once per key, in any order
 *	ts_mlflow_begin(&run, rows, err)		once per feed: makes the columns, in the order of names
 *	ts_mlflow_nth(&run, i) ... ts_mlflow_value	metrics in the order of nth, their values in the order of the store
 *
 * Every metric has its own steps. The steps of metrics below "system" are only numbers of the sampler. Such a sample gets the
 * training step during which it was taken. The times of the longest other metric, if there is one, tell it: its first step that
 * was logged at the time of the sample or later.
 */
#ifndef TSCOPE_INGEST_MLFLOW_MLFLOW_RUN_H
#define TSCOPE_INGEST_MLFLOW_MLFLOW_RUN_H

#include "base/json_writer.h"
#include "ingest/rows/import.h"
#include "ingest/rows/log_names.h"

enum { TS_MLFLOW_METRICS_MAX = 65536, TS_MLFLOW_CLOCK = 65536 };

/* The numbers are those of meta.yaml. */
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
	struct ts_span file; /* the caller's: where it reads the history */
	uint64_t size; /* size of its history, in any unit */
	uint32_t column;
	double factor;
	bool system;
};

/* A step, and the time at which it was logged. */
struct ts_mlflow_tick {
	int64_t time_ms, step;
};

struct ts_mlflow_run {
	struct ts_arena *arena;
	struct ts_notices *notices;
	/* The record. Spans lie in the arena; times are in milliseconds since 1970, 0 = not known. */
	struct ts_span id, name, user, source, experiment, experiment_id, commit, remote, branch, nested_in;
	enum ts_mlflow_status status;
	int64_t started_ms, ended_ms;
	struct ts_buf config, tags; /* JSON objects */
	struct ts_json config_json, tags_json;
	/* The metrics, sorted by key after ts_mlflow_begin. */
	struct ts_mlflow_metric *metrics;
	size_t n_metrics, cap_metrics, clock_metric; /* clock_metric == n_metrics: there is none */
	/* The state of a feed. */
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

/* Reads a status, "3" or "FINISHED". */
enum ts_mlflow_status ts_mlflow_status_of(struct ts_span text);
void ts_mlflow_param(struct ts_mlflow_run *run, struct ts_span key, struct ts_span value);
/* Takes a tag: a known one fills its member of the record if that is empty; others become other.mlflow.tags. */
enum ts_status ts_mlflow_tag(struct ts_mlflow_run *run, struct ts_span key, struct ts_span value, struct ts_error *err);
/* file: kept for the caller; of no data, the key. */
enum ts_status ts_mlflow_metric(struct ts_mlflow_run *run, struct ts_span key, struct ts_span file, uint64_t size,
				struct ts_error *err);

enum ts_status ts_mlflow_begin(struct ts_mlflow_run *run, struct ts_rows *rows, struct ts_error *err);
/* The i-th metric to read: first the one whose times tell the steps of samples, last those below "system". */
struct ts_mlflow_metric *ts_mlflow_nth(struct ts_mlflow_run *run, size_t i);
/* time_ms <= 0: not known. */
enum ts_status ts_mlflow_value(struct ts_mlflow_run *run, const struct ts_mlflow_metric *metric, int64_t time_ms, int64_t step,
			       double value, struct ts_error *err);

/* Functions for struct ts_import, whose ctx is the ts_mlflow_run. */
enum ts_status ts_mlflow_facts(void *ctx, struct ts_buf *json, struct ts_error *err);
bool ts_mlflow_finished(void *ctx);

#endif
