#include "service/handlers/gate/logged_series.h"

#include "analysis/analysis.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "base/text.h"
#include "proto/wire.h"
#include "run/lost.h"
#include "run/role.h"
#include "service/handlers/analyze/chart_series.h"

#include <math.h>

enum { KEY_MAX = 2 * TS_PATH_MAX, LISTED = 12 };

/* --- the cache --- */

/* What a series came to depends on the run, on its name and on how it is reduced. */
static void put_key(struct ts_buf *key, const struct ts_id *run, struct ts_span name)
{
	ts_buf_str(key, "series ");
	ts_buf_span(key, ts_id_span(run));
	ts_buf_u64(key, TS_ANALYSIS_VERSION);
	ts_buf_span(key, name);
}

/* An entry is the bytes of a GateRun that has this series and nothing else. */
static bool unpack(struct ts_span bytes, const struct ts_id *id, struct ts_span name, struct ts_arena *arena,
		   struct ts_reduced_series *ret)
{
	struct ts_gate_run run;
	struct ts_error ignored;

	if (ts_wire_unpack_gate_run(bytes, arena, &run, &ignored) || !ts_id_eq(&run.id, id) || run.reduction.n_series != 1 ||
	    !ts_span_eq(run.reduction.series[0].name, name))
		return false;
	*ret = run.reduction.series[0];
	return true;
}

static bool cached(struct ts_engine *engine, const struct ts_id *run, struct ts_span name, struct ts_arena *arena,
		   struct ts_reduced_series *ret)
{
	struct ts_buf key = TS_BUF_INIT(KEY_MAX);
	struct ts_error ignored;
	struct ts_span value;
	bool found;

	put_key(&key, run, name);
	found = !key.failed && !engine->ops->cache_get(engine, ts_buf_view(&key), arena, &value, &ignored) &&
		unpack(value, run, name, arena, ret);
	ts_buf_finish(&key);
	return found;
}

static void keep(struct ts_engine *engine, const struct ts_id *id, struct ts_reduced_series *series)
{
	struct ts_buf key = TS_BUF_INIT(KEY_MAX), value = TS_BUF_INIT(TS_MESSAGE_MAX);
	const struct ts_gate_run run = {
		.role = TS_GATE_CANDIDATE, .id = *id, .reduction = {.series = series, .n_series = 1, .accumulation = 1}};
	struct ts_error ignored;

	put_key(&key, id, series->name);
	if (!ts_wire_pack_gate_run(&run, &value, &ignored) && !key.failed)
		engine->ops->cache_put(engine, ts_buf_view(&key), ts_buf_view(&value));
	ts_buf_finish(&key);
	ts_buf_finish(&value);
}

/* --- a series of a run --- */

/* Reads a block, with NaN for losses of 0 that are none (run/lost.h). */
static enum ts_status read_block(struct ts_fetch *f, const struct ts_chart_series *s, size_t b, struct ts_arena *arena,
				 const double **ret_values, struct ts_error *err)
{
	const struct ts_column *norm = ts_lost_norm(s->table, s->column->name);
	size_t rows = s->table->blocks[b].rows;
	double *values = ts_arena_array(arena, rows, sizeof *values), *norms = ts_arena_array(arena, norm ? rows : 1, sizeof *norms);

	if (!values || !norms)
		return ts_arena_error(arena, err);
	if (ts_fetch_block_words(f, &s->column->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)values, err) ||
	    (norm && ts_fetch_block_words(f, &norm->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)norms, err)))
		return err->status;
	if (norm)
		ts_lost_take(values, norms, rows);
	*ret_values = values;
	return TS_OK;
}

static enum ts_status reduce(struct ts_fetch *f, const struct ts_chart_series *s, struct ts_reduced_series *io, struct ts_error *err)
{
	struct ts_reduce_loss curve = ts_reduce_loss_of((size_t)s->table->rows);
	struct ts_reduce_ends ends = {.has_loss = false};
	enum ts_status status = TS_OK;
	struct ts_arena block;

	ts_arena_init(&block, TS_ANALYSIS_ARENA);
	for (size_t b = 0; !status && b < s->table->n_blocks; b++) {
		const double *values = NULL;

		ts_arena_reset(&block);
		status = read_block(f, s, b, &block, &values, err);
		for (size_t i = 0; !status && i < s->table->blocks[b].rows; i++)
			ts_reduce_loss_add(&curve, values[i]);
	}
	ts_arena_finish(&block);
	if (status)
		return status;
	ts_reduce_loss_finish(&curve, &ends);
	io->value = (struct ts_reduced){.known = true, .value = ends.loss, .has_error = isfinite(ends.loss_error)};
	io->value.error = io->value.has_error ? ends.loss_error : 0;
	io->last_step = s->table->blocks[s->table->n_blocks - 1].last_key;
	return TS_OK;
}

/* Sets *ret to the name of the column, where that is not the one that the policy spells; a dot may be one of a key. */
static enum ts_status other_name(struct ts_span column, struct ts_span name, struct ts_arena *arena, struct ts_span *ret,
				 struct ts_error *err)
{
	struct ts_buf key = TS_BUF_INIT(2 * TS_PATH_MAX);
	struct ts_span said = column;
	enum ts_status status;
	bool same;

	(void)ts_span_skip(&said, "scalars.");
	ts_path_key(&key, name);
	same = ts_span_eq(said, name) || ts_span_eq(column, name) || ts_span_eq(said, ts_buf_view(&key));
	*ret = ts_arena_span(arena, same ? ts_span_of(NULL, 0) : column);
	status = ts_buf_check(&key, err);
	ts_buf_finish(&key);
	return status;
}

static enum ts_status reduce_anew(struct ts_fetch *f, const struct ts_run *run, struct ts_span name, struct ts_arena *arena,
				  struct ts_reduced_series *ret, struct ts_error *err)
{
	struct ts_reduced_series out = {.name = name};
	struct ts_chart_line line = {.rank = 0};
	struct ts_chart_series found;
	const char *reason = "";

	if (ts_chart_find(run, &(struct ts_chart_request){.column = name}, arena, &line, &found, err))
		return err->status;
	if (found.table) {
		if (reduce(f, &found, &out, err))
			return ts_error_prefix(err, "rank %" PRId32 ", %.*s", line.rank, TS_SPAN_ARG(found.column->name));
		if (other_name(found.column->name, name, arena, &out.column, err))
			return err->status;
	} else {
		reason = ts_arena_printf(arena, "it logs no series %.*s", TS_SPAN_ARG(name));
	}
	if (!reason || (found.table && !out.column.data))
		return ts_arena_error(arena, err);
	out.value.reason = ts_span_str(reason);
	keep(f->call->engine, &run->id, &out);
	*ret = out;
	return TS_OK;
}

/* Reduces those series that the cache does not have. The run is opened once, and only if there are some. */
static enum ts_status reduce_all(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy,
				 struct ts_arena *arena, struct ts_reduced_series *series, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena work;
	struct ts_run run;
	bool open = false;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < policy->n_logged; i++) {
		struct ts_span name = ts_span_str(policy->logged[i]);

		if (cached(f->call->engine, id, name, arena, &series[i]))
			continue;
		if (!open)
			status = ts_run_open(f, id, &work, &run, err);
		open = true;
		if (!status)
			status = reduce_anew(f, &run, name, arena, &series[i], err);
	}
	ts_arena_finish(&work);
	return status;
}

enum ts_status ts_logged_reduce(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
				struct ts_gate_run *ret_run, struct ts_error *err)
{
	struct ts_reduced_series *series = ts_arena_array(arena, policy->n_logged, sizeof *series);
	struct ts_gate_run out = *ret_run;

	if (!series)
		return ts_arena_error(arena, err);
	if (ts_reduce_run(f, id, policy, arena, &out, err) || reduce_all(f, id, policy, arena, series, err))
		return err->status;
	out.reduction.series = series;
	out.reduction.n_series = policy->n_logged;
	*ret_run = out;
	return TS_OK;
}

/* --- a name that no run has --- */

/* Names of series as users type them. */
struct names {
	const char *typed;
	struct ts_arena *arena;
	size_t bound;
	const char *near;
	struct ts_buf list;
	size_t listed, all;
	bool full;
};

/* What a step took and held is measured, not logged. */
static bool is_logged(const struct ts_table *table, const struct ts_column *column)
{
	static const char *const measured[] = {"timestamp", "tokens", "samples", "cpu_time"};

	if (table->kind != TS_TABLE_STEPS || column->type != TS_COLUMN_F64 || ts_span_starts(column->name, ts_span_str("phases.")) ||
	    ts_span_starts(column->name, ts_span_str("memory.")))
		return false;
	for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
		if (ts_span_is(column->name, measured[i]))
			return false;
	return true;
}

static void take_names(struct names *names, const struct ts_index *index, bool list)
{
	for (size_t t = 0; t < index->n_tables; t++)
		for (size_t c = 0; c < index->tables[t].n_columns; c++) {
			const struct ts_column *column = &index->tables[t].columns[c];
			const char *name;

			if (!is_logged(&index->tables[t], column))
				continue;
			name = ts_arena_printf(names->arena, "%.*s", TS_SPAN_ARG(ts_column_said(column->name)));
			names->full = names->full || !name;
			names->near = name ? ts_suggest(names->typed, name, names->near, &names->bound) : names->near;
			if (!list || !name)
				continue;
			if (names->all++ < LISTED)
				ts_buf_printf(&names->list, "%s%s", names->listed++ ? ", " : "", ts_show(ts_span_str(name)).text);
		}
}

static enum ts_status say_missing(const struct names *names, struct ts_error *err)
{
	if (names->near)
		return ts_error_set(err, TS_INVALID,
				    "there is no metric '%s', and none of the runs logs a series of that name; did you mean %s?",
				    names->typed, names->near);
	if (!names->listed)
		return ts_error_set(
			err, TS_INVALID,
			"there is no metric '%s', and none of the runs logs a series of that name; one of them logs none at all",
			names->typed);
	return ts_error_set(err, TS_INVALID,
			    "there is no metric '%s', and none of the runs logs a series of that name; one of them logs %.*s%s",
			    names->typed, TS_SPAN_ARG(ts_buf_view(&names->list)), names->all > names->listed ? ", ..." : "");
}

enum ts_status ts_logged_missing(struct ts_fetch *f, const struct ts_id *run, const char *series, struct ts_error *err)
{
	struct ts_shown typed = ts_show(ts_span_str(series));
	struct names names = {.typed = typed.text, .bound = ts_suggest_bound(typed.text), .list = TS_BUF_INIT(TS_ERROR_TEXT)};
	enum ts_status status = TS_OK;
	struct ts_arena work;
	struct ts_run opened;
	bool listed = false;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	names.arena = &work;
	if (run)
		status = ts_run_open(f, run, &work, &opened, err);
	for (size_t i = 0; run && !status && i < opened.head.n_ranks; i++) {
		take_names(&names, &opened.indexes[i], !listed);
		listed = names.listed > 0;
	}
	for (size_t m = 0; m < TS_METRICS; m++)
		names.near = ts_suggest(typed.text, ts_metrics[m].name, names.near, &names.bound);
	if (!status)
		status = names.full ? ts_arena_error(&work, err) : say_missing(&names, err);
	ts_buf_finish(&names.list);
	ts_arena_finish(&work);
	return status;
}

enum ts_status ts_logged_check(struct ts_fetch *f, const struct ts_gate_policy *policy, const struct ts_gate_run *runs, size_t n,
			       const struct ts_id *here, struct ts_error *err)
{
	for (size_t m = TS_METRICS; n && m < ts_gate_policy_metrics(policy); m++) {
		bool some = false;

		for (size_t i = 0; i < n && !some; i++)
			some = ts_gate_reduced(policy, &runs[i].reduction, (enum ts_metric)m)->known;
		if (!some)
			return ts_logged_missing(f, here, policy->logged[m - TS_METRICS], err);
	}
	return TS_OK;
}
