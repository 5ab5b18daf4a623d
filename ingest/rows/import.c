#include "ingest/rows/import.h"

#include "base/below.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/path.h"
#include "ingest/facts/facts_json.h"
#include "ingest/facts/run_facts.h"
#include "ingest/kept/kept.h"
#include "ingest/rows/run_close.h"
#include "run/builder.h"

#include <stdio.h>

enum { FACTS_TEXT_MAX = 64 << 20 };

struct importing {
	const struct ts_import *import;
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_sink_count sink;
	struct ts_rows *rows; /* of the rank that is read */
	int32_t rank;
	struct ts_rows_stats stats; /* of all ranks */
	struct ts_facts own;	    /* what the log says, and of its columns */
	struct ts_head head;
	struct ts_notices *notices;
	uint64_t *bytes_read;
	struct ts_notice *before; /* the notices that existed before the rank */
	size_t n_before;
	uint64_t bytes_before;
	struct ts_kept_set kept;
	struct ts_ingest_result result;
};

/* Writes {"columns": {"scalars.loss": {"source": "train/loss", "precision": "f32"}}}. */
static void write_columns(const struct ts_rows *rows, struct ts_json *j)
{
	struct ts_rows_column c;

	ts_json_object(j);
	ts_json_key(j, "columns");
	ts_json_object(j);
	for (size_t i = 0; ts_rows_column_at(rows, i, &c); i++) {
		if (c.source.len == 0 && c.precision == TS_PRECISION_F64)
			continue;
		ts_json_key_span(j, c.name);
		ts_json_object(j);
		if (c.source.len) {
			ts_json_key(j, "source");
			ts_json_span(j, c.source);
		}
		if (c.precision != TS_PRECISION_F64)
			ts_json_key(j, "precision");
		if (c.precision == TS_PRECISION_F32)
			ts_json_string(j, "f32");
		else if (c.precision == TS_PRECISION_DECIMALS)
			ts_json_u64(j, c.digits);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_end(j);
}

static enum ts_status facts_of(struct ts_buf *json, struct importing *m, struct ts_facts *facts, struct ts_error *err)
{
	struct ts_span text = {NULL, 0};

	if (ts_buf_check(json, err))
		return err->status;
	text = ts_arena_span(m->arena, ts_buf_view(json));
	if (!text.data)
		return ts_arena_error(m->arena, err);
	ts_buf_reset(json);
	return ts_facts_from_json(text, TS_SOURCE_RUN_JSON, m->arena, facts, NULL, err);
}

/* Facts of columns that another rank has, too, come again; those of the first rank are given last, and stay. */
static enum ts_status gather_facts(struct importing *m, struct ts_error *err)
{
	struct ts_buf json = TS_BUF_INIT(FACTS_TEXT_MAX);
	struct ts_json j = ts_json_of(&json);
	struct ts_facts first = m->own;
	enum ts_status status = TS_OK;

	m->own = (struct ts_facts){.n = 0};
	if (m->import->facts && !first.n) {
		status = m->import->facts(m->import->ctx, &json, err);
		if (!status)
			status = facts_of(&json, m, &m->own, err);
	}
	if (!status && m->rows) {
		write_columns(m->rows, &j);
		status = facts_of(&json, m, &m->own, err);
	}
	ts_buf_finish(&json);
	for (size_t i = 0; !status && i < first.n; i++)
		status = ts_facts_add(&m->own, &first.items[i], m->arena, err);
	(void)ts_facts_sort(&m->own);
	return status ? ts_error_prefix(err, "%s", m->options->path) : TS_OK;
}

/* Facts of the pusher and the host take precedence over the log's. */
static enum ts_status settle_facts(struct importing *m, struct ts_error *err)
{
	struct ts_facts given;

	if (ts_given_facts(m->options, m->arena, &given, err) || ts_facts_merge(&given, &m->own, m->arena, &m->head.facts, err))
		return err->status;
	return ts_facts_prepare(&m->head.facts, ts_span_str(""), m->notices, m->arena, err);
}

static void count_rows(struct importing *m)
{
	struct ts_rows_stats stats;

	ts_rows_stats(m->rows, &stats);
	if (stats.segments > m->stats.segments)
		m->stats.segments = stats.segments;
	m->stats.repeated += stats.repeated;
	m->stats.dropped += stats.dropped;
}

static void tell_rows(struct importing *m)
{
	const struct ts_rows_stats stats = m->stats;
	char detail[160];

	m->result.segments = stats.segments;
	if (stats.segments == 0)
		ts_notice_add(m->notices, "no_steps", TS_NOTICE_INFO, ts_span_str(""), 0, "there is no record of a step");
	if (stats.segments > 1) {
		(void)snprintf(detail, sizeof detail, "training was restarted %" PRIu64 " time%s", stats.segments - 1,
			       stats.segments > 2 ? "s" : "");
		ts_notice_add(m->notices, "restart", TS_NOTICE_INFO, ts_span_str(""), 0, detail);
	}
	if (stats.repeated) {
		(void)snprintf(detail, sizeof detail,
			       "%" PRIu64 " value%s came again for the same step, other than before; the last counts", stats.repeated,
			       stats.repeated == 1 ? "" : "s");
		ts_notice_add(m->notices, "repeated_value", TS_NOTICE_SKIPPED, ts_span_str(""), 0, detail);
	}
	if (stats.dropped) {
		(void)snprintf(detail, sizeof detail, "%" PRIu64 " values were left out, because a rank has at most %d",
			       stats.dropped, TS_INGEST_COLUMNS_MAX);
		ts_notice_add(m->notices, "too_many_columns", TS_NOTICE_SKIPPED, ts_span_str(""), 0, detail);
	}
}

/* A second feed meets the same problems, and the look at a rank did, so they are counted only once. */
static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct importing *m = ctx;

	*m->bytes_read = m->bytes_before;
	m->notices->n = m->n_before;
	if (m->n_before)
		memcpy(m->notices->items, m->before, m->n_before * sizeof *m->before);
	return m->import->rows.feed(m->import->rows.ctx, rows, err);
}

static enum ts_status keep_notices(struct importing *m, struct ts_error *err)
{
	m->bytes_before = *m->bytes_read;
	m->n_before = m->notices->n;
	m->before = ts_arena_dup(m->arena, m->notices->items, m->n_before * sizeof *m->before);
	return m->before ? TS_OK : ts_arena_error(m->arena, err);
}

/* Reads the rows of the i-th rank. */
static enum ts_status read_rows(struct importing *m, size_t i, struct ts_error *err)
{
	struct ts_rows_source source = m->import->rows;

	if (keep_notices(m, err) || (m->import->n_ranks && m->import->begin_rank(m->import->ctx, i, &m->rank, err)))
		return err->status;
	source.feed = feed;
	source.ctx = m;
	source.rank = m->rank;
	if (ts_rows_read(&source, &m->sink, &m->rows, err))
		return err->status;
	if (i)
		*m->bytes_read = m->bytes_before; /* the same bytes, once more */
	count_rows(m);
	return gather_facts(m, err);
}

/* --- kept files --- */

static enum ts_status find_in(struct importing *m, const char *folder, struct ts_span prefix, struct ts_error *err)
{
	if (ts_below_kind(ts_top(m->options), folder) != TS_FILE_DIRECTORY)
		return TS_OK;
	return ts_kept_find(&m->kept, ts_top(m->options), folder, prefix, 0, err);
}

/* The traces and snapshots in the folder of the log and in those of its further parts. */
static enum ts_status find_kept(struct importing *m, struct ts_error *err)
{
	const struct ts_ingest_options *options = m->options;
	const struct ts_around *around = options->around;

	m->kept = (struct ts_kept_set){.arena = m->arena,
				       .notices = m->notices,
				       .sink = ts_count_sink,
				       .ctx = &m->sink,
				       .around = around,
				       .summarize = options->summarize,
				       .deep = TS_KEPT_BELOW_LOG};
	if (options->part)
		return TS_OK;
	if (find_in(m, around && around->folder ? around->folder : options->path, ts_span_str(""), err))
		return err->status;
	for (size_t i = 0; i < options->n_more; i++) {
		const char *prefix = ts_arena_printf(m->arena, "%s/", ts_path_last(options->more[i]));

		if (!prefix)
			return ts_arena_error(m->arena, err);
		if (find_in(m, options->more[i], ts_span_str(prefix), err))
			return err->status;
	}
	for (size_t i = 0; i < m->import->n_files; i++)
		if (ts_kept_add_artifact(&m->kept, ts_top(options), m->import->files[i].path, m->import->files[i].name, 0, err))
			return err->status;
	if (ts_kept_columns(&m->kept, err))
		return err->status;
	ts_kept_settle_one(&m->kept);
	return TS_OK;
}

/* --- ranks --- */

static enum ts_status finish_rank(struct importing *m, int32_t rank, struct ts_builder *b, struct ts_error *err)
{
	struct ts_facts none = {.n = 0};
	struct ts_rank_ref *ref = &m->head.ranks[m->head.n_ranks];
	size_t files = 0;

	if (ts_kept_put(&m->kept, rank, b, &files, err))
		return err->status;
	if (rank != TS_RANK_JOB)
		ts_result_count(&m->result, b, files);
	ref->rank = rank;
	if (ts_builder_finish(b, &none, &ref->index, err))
		return err->status;
	m->head.n_ranks++;
	return TS_OK;
}

/* A rank that has kept files alone. */
static enum ts_status finish_kept(struct importing *m, int32_t rank, struct ts_error *err)
{
	struct ts_builder *b;
	enum ts_status status;

	if (!ts_kept_of(&m->kept, rank))
		return TS_OK;
	if (ts_builder_create(rank, ts_count_sink, &m->sink, &b, err))
		return err->status;
	status = finish_rank(m, rank, b, err);
	ts_builder_destroy(b);
	return status;
}

/* Reads and finishes one rank after the other, the first of which was read already. */
static enum ts_status finish_ranks(struct importing *m, struct ts_error *err)
{
	size_t n = m->import->n_ranks ? m->import->n_ranks : 1;

	m->head.ranks = ts_arena_array(m->arena, n + 1, sizeof *m->head.ranks);
	if (!m->head.ranks)
		return ts_arena_error(m->arena, err);
	if (finish_kept(m, TS_RANK_JOB, err))
		return err->status;
	if (!m->rows)
		return finish_kept(m, 0, err);
	for (size_t i = 0; i < n; i++) {
		if ((i && read_rows(m, i, err)) || finish_rank(m, m->rank, ts_rows_builder(m->rows), err))
			return err->status;
		ts_rows_finish(m->rows);
		m->rows = NULL;
	}
	return TS_OK;
}

static enum ts_status import_run(struct importing *m, struct ts_error *err)
{
	bool many = m->import->n_ranks > 1;

	if (m->import->rows.feed ? read_rows(m, 0, err) : gather_facts(m, err))
		return err->status;
	if (!many && m->import->rows.feed)
		tell_rows(m);
	if (find_kept(m, err) || (many && finish_ranks(m, err)))
		return err->status;
	if (many)
		tell_rows(m);
	if (settle_facts(m, err) || ts_refuse_skipped(m->options, m->notices, err) || (!many && finish_ranks(m, err)) ||
	    ts_run_close(&m->head, &m->sink, m->arena, &m->result, err))
		return err->status;
	m->result.format = m->import->format;
	m->result.finished = m->import->finished && m->import->finished(m->import->ctx);
	m->result.bytes_read = *m->bytes_read + m->kept.bytes_read;
	m->result.notices = *m->notices;
	return TS_OK;
}

enum ts_status ts_import_run(const struct ts_import *import, const struct ts_ingest_options *options, ts_object_sink *sink,
			     void *sink_ctx, struct ts_notices *notices, uint64_t *bytes_read, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct importing m = {.import = import,
			      .options = options,
			      .arena = arena,
			      .sink = {.sink = sink, .ctx = sink_ctx},
			      .notices = notices,
			      .bytes_read = bytes_read};
	enum ts_status status = import_run(&m, err);

	ts_rows_finish(m.rows);
	if (!status)
		*ret_result = m.result;
	return status;
}
