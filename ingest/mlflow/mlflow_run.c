#include "ingest/mlflow/mlflow_run.h"

#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/order.h"
#include "base/text.h"

#include <stdlib.h>

enum { FACTS_MAX = 32 << 20 };

static const char *const status_words[] = {"unknown", "running", "scheduled", "finished", "failed", "killed"};

void ts_mlflow_init(struct ts_mlflow_run *run, struct ts_arena *arena, struct ts_notices *notices)
{
	*run = (struct ts_mlflow_run){.arena = arena,
				      .notices = notices,
				      .names = {.arena = arena},
				      .config = TS_BUF_INIT(FACTS_MAX),
				      .tags = TS_BUF_INIT(FACTS_MAX)};
	run->config_json = ts_json_of(&run->config);
	run->tags_json = ts_json_of(&run->tags);
	ts_json_object(&run->config_json);
	ts_json_object(&run->tags_json);
}

void ts_mlflow_finish(struct ts_mlflow_run *run)
{
	ts_buf_finish(&run->config);
	ts_buf_finish(&run->tags);
}

enum ts_mlflow_status ts_mlflow_status_of(struct ts_span text)
{
	if (text.len == 1 && text.data[0] >= '1' && text.data[0] <= '5')
		return (enum ts_mlflow_status)(text.data[0] - '0');
	for (int i = TS_MLFLOW_RUNNING; i <= TS_MLFLOW_KILLED; i++) {
		size_t n = strlen(status_words[i]);
		bool same = text.len == n;

		for (size_t k = 0; same && k < n; k++)
			same = (text.data[k] | 32) == status_words[i][k];
		if (same)
			return (enum ts_mlflow_status)i;
	}
	return TS_MLFLOW_UNKNOWN;
}

/* --- params and tags --- */

/* MLflow keeps Python's str() of every param. A text is taken as a number or a truth value if str() of that value gives
 * the same text. */
static void write_typed(struct ts_json *j, struct ts_span text)
{
	char printed[TS_DOUBLE_TEXT];
	int64_t integer;
	double real;

	if (ts_span_is(text, "True") || ts_span_is(text, "False"))
		ts_json_bool(j, text.data[0] == 'T');
	else if (ts_parse_i64(text, &integer) && !ts_span_is(text, "-0") && (text.len == 1 || text.data[text.data[0] == '-'] != '0'))
		ts_json_raw(j, text);
	else if (ts_parse_double(text, &real) && real - real == 0 &&
		 ts_span_eq(text, ts_span_of(printed, ts_print_double(real, printed))))
		ts_json_raw(j, text);
	else
		ts_json_span(j, text);
}

void ts_mlflow_param(struct ts_mlflow_run *run, struct ts_span key, struct ts_span value)
{
	ts_json_key_span(&run->config_json, key);
	write_typed(&run->config_json, value);
}

enum ts_status ts_mlflow_tag(struct ts_mlflow_run *run, struct ts_span key, struct ts_span value, struct ts_error *err)
{
	const struct {
		const char *key;
		struct ts_span *to;
	} known[] = {
		{"mlflow.runName", &run->name},	       {"mlflow.user", &run->user},
		{"mlflow.source.name", &run->source},  {"mlflow.source.git.commit", &run->commit},
		{"mlflow.parentRunId", &run->nested_in}, {"mlflow.source.git.repoURL", &run->remote},
		{"mlflow.source.git.branch", &run->branch},
	};

	if (ts_span_is(key, "tscope.name")) /* what tscope web calls the run, which is its name and no fact of it */
		return TS_OK;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (!ts_span_is(key, known[i].key))
			continue;
		if (known[i].to->len)
			return TS_OK;
		*known[i].to = ts_arena_span(run->arena, value);
		return known[i].to->data ? TS_OK : ts_arena_error(run->arena, err);
	}
	ts_json_key_span(&run->tags_json, key);
	ts_json_span(&run->tags_json, value);
	return TS_OK;
}

/* --- metrics --- */

enum ts_status ts_mlflow_metric(struct ts_mlflow_run *run, struct ts_span key, struct ts_span file, uint64_t size, struct ts_error *err)
{
	struct ts_mlflow_metric metric = {.size = size, .system = ts_span_starts(key, ts_span_str("system/"))};

	if (run->n_metrics == TS_MLFLOW_METRICS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d metrics", TS_MLFLOW_METRICS_MAX);
	if (!TS_GROW_IN(run->arena, run->metrics, run->cap_metrics, run->n_metrics + 1, 32))
		return ts_arena_error(run->arena, err);
	metric.key = ts_arena_span(run->arena, key);
	metric.file = file.data ? ts_arena_span(run->arena, file) : metric.key;
	if (!metric.key.data || !metric.file.data)
		return ts_arena_error(run->arena, err);
	run->metrics[run->n_metrics++] = metric;
	return TS_OK;
}

TS_ORDER(by_key, struct ts_mlflow_metric, TS_UP(system); TS_TEXT(key))

static enum ts_status make_column(struct ts_mlflow_run *run, struct ts_mlflow_metric *metric, struct ts_error *err)
{
	struct ts_rows_column column = {.source = metric->key, .type = TS_COLUMN_F64, .quiet = metric->system};
	struct ts_log_name ours;

	if (ts_log_name(&run->names, metric->key, &ours, err))
		return err->status;
	column.name = ours.column;
	metric->factor = ours.factor;
	return ts_rows_column(run->rows, &column, &metric->column, err);
}

static bool any_system(const struct ts_mlflow_run *run)
{
	return run->n_metrics && run->metrics[run->n_metrics - 1].system;
}

enum ts_status ts_mlflow_begin(struct ts_mlflow_run *run, struct ts_rows *rows, struct ts_error *err)
{
	run->rows = rows;
	run->names.n = 0;
	run->names.notices = run->notices;
	run->names.file = ts_span_str("metrics");
	run->timestamp = 0;
	run->n_clock = 0;
	run->ticks = 0;
	run->stride = 1;
	TS_SORT(run->metrics, run->n_metrics, by_key);
	if (any_system(run) && !run->clock) {
		run->clock = ts_arena_array(run->arena, TS_MLFLOW_CLOCK, sizeof *run->clock);
		if (!run->clock)
			return ts_arena_error(run->arena, err);
	}
	run->clock_metric = run->n_metrics;
	for (size_t i = 0; i < run->n_metrics; i++) {
		const struct ts_mlflow_metric *m = &run->metrics[i];

		if (!m->system && (run->clock_metric == run->n_metrics || m->size > run->metrics[run->clock_metric].size))
			run->clock_metric = i;
		if (make_column(run, &run->metrics[i], err))
			return err->status;
	}
	return TS_OK;
}

struct ts_mlflow_metric *ts_mlflow_nth(struct ts_mlflow_run *run, size_t i)
{
	if (run->clock_metric == run->n_metrics)
		return &run->metrics[i];
	return &run->metrics[i == 0 ? run->clock_metric : i <= run->clock_metric ? i - 1 : i];
}

/* If there are too many ticks, every second one is dropped, and from then on only every 2nd, 4th, ... tick is taken. */
static void tick(struct ts_mlflow_run *run, int64_t time_ms, int64_t step)
{
	struct ts_mlflow_tick t = {time_ms, step};

	if (time_ms <= 0 || (run->ticks && time_ms < run->last_tick.time_ms))
		return;
	run->last_tick = t;
	if (run->ticks++ % run->stride)
		return;
	if (run->n_clock == TS_MLFLOW_CLOCK) {
		for (size_t i = 0; i < TS_MLFLOW_CLOCK / 2; i++)
			run->clock[i] = run->clock[2 * i];
		run->n_clock = TS_MLFLOW_CLOCK / 2;
		run->stride *= 2;
		/* ticks - 1 is a multiple of the new stride, because TS_MLFLOW_CLOCK is even. */
	}
	run->clock[run->n_clock++] = t;
}

static int64_t step_at(const struct ts_mlflow_run *run, int64_t time_ms, int64_t step)
{
	size_t at = 0;

	if (!run->ticks || time_ms <= 0)
		return step;
	TS_BISECT(at, run->n_clock, i, run->clock[i].time_ms < time_ms);
	return at < run->n_clock ? run->clock[at].step : run->last_tick.step;
}

static enum ts_status put_time(struct ts_mlflow_run *run, int64_t time_ms, struct ts_error *err)
{
	struct ts_rows_column column = {.name = ts_span_str("timestamp"), .type = TS_COLUMN_F64, .quiet = true};

	if (!run->timestamp) {
		if (ts_rows_column(run->rows, &column, &run->timestamp, err))
			return err->status;
		run->timestamp++;
	}
	return ts_rows_f64(run->rows, run->timestamp - 1, (double)time_ms / 1e3, err);
}

enum ts_status ts_mlflow_value(struct ts_mlflow_run *run, const struct ts_mlflow_metric *metric, int64_t time_ms, int64_t step,
			       double value, struct ts_error *err)
{
	if (run->clock && metric == &run->metrics[run->clock_metric])
		tick(run, time_ms, step);
	if (metric->system)
		step = step_at(run, time_ms, step);
	if (ts_rows_step(run->rows, step, err))
		return err->status;
	if (time_ms > 0 && (!metric->system || run->clock_metric == run->n_metrics) && put_time(run, time_ms, err))
		return err->status;
	return ts_rows_f64(run->rows, metric->column, value * metric->factor, err);
}

/* --- facts --- */

static void write_text(struct ts_json *j, const char *key, struct ts_span text)
{
	if (!text.len)
		return;
	ts_json_key(j, key);
	ts_json_span(j, text);
}

static void write_session(const struct ts_mlflow_run *run, struct ts_json *j)
{
	ts_json_key(j, "session");
	ts_json_object(j);
	write_text(j, "name", run->name);
	write_text(j, "user", run->user);
	if (run->started_ms > 0) {
		ts_json_key(j, "started");
		ts_json_double(j, (double)run->started_ms / 1e3);
	}
	if (run->started_ms > 0 && run->ended_ms >= run->started_ms) {
		ts_json_key(j, "wall_time");
		ts_json_double(j, (double)(run->ended_ms - run->started_ms) / 1e3);
	}
	ts_json_end(j);
}

static void write_other(const struct ts_mlflow_run *run, struct ts_json *j)
{
	ts_json_key(j, "other");
	ts_json_object(j);
	ts_json_key(j, "mlflow");
	ts_json_object(j);
	write_text(j, "run_id", run->id);
	write_text(j, "experiment", run->experiment);
	write_text(j, "experiment_id", run->experiment_id);
	write_text(j, "source", run->source);
	if (run->status != TS_MLFLOW_UNKNOWN)
		write_text(j, "status", ts_span_str(status_words[run->status]));
	if (run->tags_json.any[1]) {
		ts_json_key(j, "tags");
		ts_json_raw(j, ts_buf_view(&run->tags));
	}
	ts_json_end(j);
	ts_json_end(j);
}

/* Metrics of the machine are not part of the computation, whatever their names are. */
static void write_roles(const struct ts_mlflow_run *run, struct ts_json *j)
{
	struct ts_rows_column c;

	if (!any_system(run))
		return;
	ts_json_key(j, "columns");
	ts_json_object(j);
	for (size_t i = 0; ts_rows_column_at(run->rows, i, &c); i++) {
		if (!ts_span_starts(c.source, ts_span_str("system/")))
			continue;
		ts_json_key_span(j, c.name);
		ts_json_object(j);
		ts_json_key(j, "role");
		ts_json_string(j, "observation");
		ts_json_end(j);
	}
	ts_json_end(j);
}

enum ts_status ts_mlflow_facts(void *ctx, struct ts_buf *json, struct ts_error *err)
{
	struct ts_mlflow_run *run = ctx;
	struct ts_json j = ts_json_of(json);
	bool any_config = run->config_json.any[1];

	ts_json_end(&run->config_json);
	ts_json_end(&run->tags_json);
	if (ts_buf_check(&run->config, err) || ts_buf_check(&run->tags, err))
		return err->status;
	ts_json_object(&j);
	if (any_config) {
		ts_json_key(&j, "config");
		ts_json_raw(&j, ts_buf_view(&run->config));
	}
	if (run->commit.len || run->remote.len || run->branch.len) {
		ts_json_key(&j, "code");
		ts_json_object(&j);
		write_text(&j, "commit", run->commit);
		write_text(&j, "remote", run->remote);
		write_text(&j, "branch", run->branch);
		ts_json_end(&j);
	}
	if (run->nested_in.len) {
		ts_json_key(&j, "lineage");
		ts_json_object(&j);
		write_text(&j, "nested_in", run->nested_in);
		ts_json_end(&j);
	}
	write_session(run, &j);
	write_other(run, &j);
	write_roles(run, &j);
	ts_json_end(&j);
	return TS_OK;
}

bool ts_mlflow_finished(void *ctx)
{
	const struct ts_mlflow_run *run = ctx;

	return run->status == TS_MLFLOW_FINISHED;
}
