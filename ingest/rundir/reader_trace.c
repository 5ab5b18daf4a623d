#include "ingest/rundir/reader_trace.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/path.h"
#include "ingest/facts/run_facts.h"
#include "ingest/kept/kept.h"
#include "ingest/rows/run_close.h"
#include "ingest/rundir/unread.h"
#include "run/head.h"
#include "run/trace.h"

struct reading {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_sink_count sink;
	struct ts_read_progress progress;
	struct ts_kept_set kept;
	struct ts_head head;
	struct ts_ingest_result result;
};

/* Less sure than any other reader of a folder is: such files lie beside much else. */
enum { SURE_OF_FILE = 90, SURE_OF_FOLDER = 5 };

static int sniff(const char *path, enum ts_kept_kind kind)
{
	enum ts_file_kind file = ts_below_kind(path, path);
	enum ts_kept_kind is = TS_KEPT_NOT;
	struct ts_error err;

	if (file != TS_FILE_DIRECTORY && file != TS_FILE_REGULAR)
		return 0;
	if (file == TS_FILE_DIRECTORY ? ts_kept_here(path, path, &is, &err) : ts_kept_is(path, path, &is, &err))
		return TS_SNIFF_NO_MEMORY;
	if (is == TS_KEPT_SUMMARY)
		is = TS_KEPT_TRACE;
	return is != kind ? 0 : file == TS_FILE_DIRECTORY ? SURE_OF_FOLDER : SURE_OF_FILE;
}

int ts_trace_reader_sniff(const char *path)
{
	return sniff(path, TS_KEPT_TRACE);
}

int ts_snapshot_reader_sniff(const char *path)
{
	return sniff(path, TS_KEPT_SNAPSHOT);
}

/* --- ranks --- */

static bool is_rank(int64_t rank)
{
	return rank >= 0 && rank <= INT32_MAX;
}

static void settle_ranks(struct reading *r)
{
	bool said = false;

	for (size_t i = 0; i < r->kept.n; i++)
		said |= is_rank(r->kept.items[i].said_rank) || is_rank(r->kept.items[i].name_rank);
	for (size_t i = 0; i < r->kept.n; i++) {
		int64_t rank = ts_kept_whose(&r->kept, i);

		ts_kept_move(&r->kept, i, is_rank(rank) ? (int32_t)rank : said ? TS_RANK_JOB : 0);
	}
}

/* The ranks that have files, each once. */
static enum ts_status list_ranks(struct reading *r, int32_t **ret_ranks, size_t *ret_n, struct ts_error *err)
{
	int32_t *ranks = ts_arena_array(r->arena, r->kept.n, sizeof *ranks);
	size_t n = 0;

	if (!ranks)
		return ts_arena_error(r->arena, err);
	for (size_t i = 0; i < r->kept.n; i++)
		ranks[i] = r->kept.items[i].rank;
	TS_SORT(ranks, r->kept.n, ts_by_i32);
	for (size_t i = 0; i < r->kept.n; i++)
		if (!n || ranks[n - 1] != ranks[i])
			ranks[n++] = ranks[i];
	*ret_ranks = ranks;
	*ret_n = n;
	return TS_OK;
}

static enum ts_status write_rank(struct reading *r, int32_t rank, struct ts_error *err)
{
	struct ts_facts none = {.n = 0};
	struct ts_builder *b;
	enum ts_status status;
	struct ts_id index;
	size_t files = 0;

	if (ts_builder_create(rank, ts_count_sink, &r->sink, &b, err))
		return err->status;
	status = ts_kept_put(&r->kept, rank, b, &files, err);
	if (!status)
		status = ts_builder_finish(b, &none, &index, err);
	if (!status) {
		r->head.ranks[r->head.n_ranks++] = (struct ts_rank_ref){.rank = rank, .index = index};
		r->result.n_ranks += rank != TS_RANK_JOB;
	}
	ts_builder_destroy(b);
	return status;
}

/* --- facts --- */

/* The size of the job, where the traces agree on it. */
static int64_t world_of(const struct ts_kept_set *kept)
{
	int64_t world = TS_TRACE_NONE;

	for (size_t i = 0; i < kept->n; i++) {
		int64_t said = kept->items[i].said_world;

		if (said == TS_TRACE_NONE)
			continue;
		if (said < 1 || said > TS_WORLD_MAX || (world != TS_TRACE_NONE && world != said))
			return TS_TRACE_NONE;
		world = said;
	}
	return world;
}

static enum ts_status make_facts(struct reading *r, struct ts_error *err)
{
	struct ts_fact world = {.path = ts_span_str("parallelism.world_size"),
				.type = TS_FACT_INT,
				.source = TS_SOURCE_RUN_JSON,
				.integer = world_of(&r->kept)};
	struct ts_facts given, own = {.n = 0};

	if (ts_given_facts(r->options, r->arena, &given, err) ||
	    (world.integer != TS_TRACE_NONE && ts_facts_add(&own, &world, r->arena, err)) ||
	    ts_facts_merge(&given, &own, r->arena, &r->head.facts, err))
		return err->status;
	return ts_facts_prepare(&r->head.facts, ts_span_str(""), &r->result.notices, r->arena, err);
}

/* --- the whole --- */

static enum ts_status find(struct reading *r, struct ts_error *err)
{
	const char *path = r->options->path, *top = ts_top(r->options);

	if (ts_below_kind(top, path) == TS_FILE_DIRECTORY)
		return ts_kept_find(&r->kept, top, path, ts_span_str(""), 0, err);
	return ts_kept_add(&r->kept, top, path, ts_path_last(path), 0, err);
}

static bool has_kind(const struct ts_kept_set *kept, enum ts_kept_kind kind)
{
	for (size_t i = 0; i < kept->n; i++)
		if (kept->items[i].kind == kind)
			return true;
	return false;
}

/* A file that somebody named and that is no trace is no run; in a folder it is kept all the same. */
static enum ts_status need_one(const struct reading *r, struct ts_error *err)
{
	bool folder = ts_below_kind(ts_top(r->options), r->options->path) == TS_FILE_DIRECTORY;

	for (size_t i = 0; i < r->kept.n; i++)
		if (folder || r->kept.items[i].has_columns || r->kept.items[i].kind == TS_KEPT_SUMMARY)
			return TS_OK;
	for (size_t i = 0; i < r->result.notices.n; i++)
		if (strcmp(r->result.notices.items[i].code, "trace_not_read") == 0 ||
		    strcmp(r->result.notices.items[i].code, "snapshot_not_read") == 0)
			return ts_error_set(err, TS_INVALID, "%s: %.*s", r->options->path,
					    TS_SPAN_ARG(r->result.notices.items[i].detail));
	return ts_error_set(err, TS_INVALID, "%s: no trace and no snapshot of memory in it", r->options->path);
}

static enum ts_status write_ranks(struct reading *r, struct ts_error *err)
{
	int32_t *ranks = NULL;
	size_t n = 0;

	if (list_ranks(r, &ranks, &n, err) || ts_head_check_room(&r->head.facts, n, err))
		return err->status;
	r->head.ranks = ts_arena_array(r->arena, n, sizeof *r->head.ranks);
	if (!r->head.ranks)
		return ts_arena_error(r->arena, err);
	for (size_t i = 0; i < n; i++)
		if (write_rank(r, ranks[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status read_all(struct reading *r, struct ts_error *err)
{
	if (find(r, err))
		return err->status;
	for (size_t i = 0; i < r->kept.n; i++)
		r->progress.total += r->kept.items[i].size;
	if (ts_kept_columns(&r->kept, err) || need_one(r, err) || ts_refuse_skipped(r->options, &r->result.notices, err))
		return err->status;
	if (ts_below_kind(ts_top(r->options), r->options->path) == TS_FILE_DIRECTORY &&
	    ts_unread_tell(&r->kept, ts_top(r->options), r->options->path, ts_span_str(""), err))
		return err->status;
	settle_ranks(r);
	if (make_facts(r, err) || write_ranks(r, err) || ts_run_close(&r->head, &r->sink, r->arena, &r->result, err))
		return err->status;
	r->result.bytes_read = r->kept.bytes_read;
	r->result.format = has_kind(&r->kept, TS_KEPT_TRACE) || has_kind(&r->kept, TS_KEPT_SUMMARY) ? "PyTorch profiler trace"
												    : "PyTorch memory snapshot";
	return TS_OK;
}

enum ts_status ts_trace_reader_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				    struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct reading r = {.options = options,
			    .arena = arena,
			    .sink = {.sink = sink, .ctx = ctx},
			    .progress = {.tell = options->progress, .ctx = options->progress_ctx}};

	r.result.notices.arena = arena;
	r.kept = (struct ts_kept_set){
		.arena = arena, .notices = &r.result.notices, .sink = ts_count_sink, .ctx = &r.sink, .progress = &r.progress,
		.around = options->around, .summarize = options->summarize};
	if (read_all(&r, err))
		return err->status;
	*ret_result = r.result;
	return TS_OK;
}
