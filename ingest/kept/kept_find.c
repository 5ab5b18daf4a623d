/* kept_find.c - which files of a folder are kept. */
#include "base/below.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/core/inflow.h"
#include "ingest/core/reader.h"
#include "ingest/kept/kept.h"
#include "ingest/snapshot/snapshot_read.h"
#include "ingest/trace/trace_sniff.h"
#include "record/frame.h"
#include "run/file_path.h"
#include "run/head.h"
#include "run/kernel_summary.h"
#include "run/rank_name.h"
#include "run/trace.h"

#include <stdio.h>
#include <unistd.h>

/* JSON that is no trace by its name may be one by its content: whoever exports a trace may name it as he likes. */
static bool may_be(const char *name)
{
	static const char *const others[] = {"run.json", "facts.json", "launch.json"};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	return ts_file_ends(name, ".json") || ts_file_ends(name, ".json.gz");
}

enum { BEGIN = 4096 };

/* The first bytes of the file, as far as they can be read: whoever reads it says why it cannot be. */
static enum ts_status read_begin(const char *top, const char *path, uint8_t begin[BEGIN], size_t *ret_n, struct ts_error *err)
{
	struct ts_source source = {.path = ts_span_str(path), .name = ts_span_str(path)};
	struct ts_inflow *in = NULL;
	struct ts_error cannot;
	size_t n = 0, got = 1;
	enum ts_status status;

	*ret_n = 0;
	if (ts_below_open(top, path, &source.fd, &source.size, &cannot))
		return TS_OK;
	status = ts_inflow_open(&source, &in, &cannot);
	while (!status && got && n < BEGIN) {
		status = ts_inflow_read(in, begin + n, BEGIN - n, &got, &cannot);
		n += status ? 0 : got;
	}
	ts_inflow_close(in);
	(void)close(source.fd);
	if (status == TS_NO_MEMORY) {
		*err = cannot;
		return status;
	}
	*ret_n = n;
	return TS_OK;
}

/* Whether the file has, where it begins, a key that a snapshot has there: other programs write pickles of other things. */
static enum ts_status begins_as_snapshot(const char *top, const char *path, bool *ret, struct ts_error *err)
{
	static const char *const keys[] = {"segments", "device_traces", "total_size"};
	uint8_t begin[BEGIN];
	size_t n = 0;

	*ret = false;
	if (read_begin(top, path, begin, &n, err))
		return err->status;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		*ret |= ts_span_contains(ts_span_of(begin, n), keys[i]);
	return TS_OK;
}

static enum ts_status is_snapshot(const char *top, const char *path, bool *ret, struct ts_error *err)
{
	*ret = ts_snapshot_named(path) && ts_snapshot_sniff(path);
	return *ret && !strstr(ts_path_last(path), "snapshot") ? begins_as_snapshot(top, path, ret, err) : TS_OK;
}

static enum ts_status is_summary(const char *top, const char *path, bool *ret, struct ts_error *err)
{
	uint8_t begin[BEGIN];
	size_t n = 0;

	*ret = false;
	if (!ts_summary_named(ts_span_str(ts_path_last(path))) || ts_below_kind(top, path) != TS_FILE_REGULAR)
		return TS_OK;
	if (read_begin(top, path, begin, &n, err))
		return err->status;
	*ret = ts_summary_begins(ts_span_of(begin, n));
	return TS_OK;
}

enum ts_status ts_kept_is(const char *top, const char *path, enum ts_kept_kind *ret, struct ts_error *err)
{
	bool trace = ts_trace_named(path), snapshot = false, summary = false;

	if (!trace && is_summary(top, path, &summary, err))
		return err->status;
	if (summary) {
		*ret = TS_KEPT_SUMMARY;
		return TS_OK;
	}
	if (!trace && ts_below_kind(top, path) == TS_FILE_REGULAR) {
		if (may_be(ts_path_last(path)) && ts_trace_sniff(path, &trace, err))
			return err->status;
		if (!trace && is_snapshot(top, path, &snapshot, err))
			return err->status;
	}
	*ret = trace ? TS_KEPT_TRACE : snapshot ? TS_KEPT_SNAPSHOT : TS_KEPT_NOT;
	return TS_OK;
}

/* Raises *io to what the file is, if that makes a run of its folder: the name alone does for a trace, as only profilers give it. */
static enum ts_status raise(const char *top, const char *path, enum ts_kept_kind *io, struct ts_error *err)
{
	enum ts_kept_kind is;
	bool begins = false;

	if (ts_below_kind(top, path) != TS_FILE_REGULAR)
		return TS_OK;
	if (ts_kept_is(top, path, &is, err) || (is == TS_KEPT_SNAPSHOT && begins_as_snapshot(top, path, &begins, err)))
		return err->status;
	if (is == TS_KEPT_SUMMARY)
		is = TS_KEPT_TRACE;
	if (is == TS_KEPT_TRACE || (begins && *io == TS_KEPT_NOT))
		*io = is;
	return TS_OK;
}

enum ts_status ts_kept_here(const char *top, const char *directory, enum ts_kept_kind *ret, struct ts_error *err)
{
	enum ts_kept_kind found = TS_KEPT_NOT;
	struct ts_arena arena;
	enum ts_status status;
	char **names;
	size_t n = 0;

	if (ts_below_any(top, directory, ts_trace_named)) {
		*ret = TS_KEPT_TRACE;
		return TS_OK;
	}
	ts_arena_init(&arena, 0);
	status = ts_below_list(top, directory, &arena, &names, &n, err);
	for (size_t i = 0; !status && i < n && found != TS_KEPT_TRACE; i++) {
		const char *path = ts_path_join(&arena, directory, names[i]);

		status = path ? raise(top, path, &found, err) : ts_arena_error(&arena, err);
	}
	ts_arena_finish(&arena);
	if (status == TS_NO_MEMORY)
		return status;
	*ret = found;
	return TS_OK;
}

/* --- what was printed --- */

bool ts_kept_output(const char *name, int32_t *ret_rank)
{
	static const char begin[] = "output.rank", end[] = ".txt";
	size_t n = strlen(name), digits;
	int64_t rank;

	if (strcmp(name, "output.txt") == 0) {
		*ret_rank = -1;
		return true;
	}
	if (strncmp(name, begin, sizeof begin - 1) != 0 || !ts_file_ends(name, end) || n < sizeof begin - 1 + sizeof end)
		return false;
	digits = n - (sizeof begin - 1) - (sizeof end - 1);
	for (size_t i = 0; i < digits; i++)
		if (!ts_is_digit((uint8_t)name[sizeof begin - 1 + i]))
			return false;
	if (digits > 9 || !ts_parse_i64(ts_span_of(name + sizeof begin - 1, digits), &rank))
		return false;
	*ret_rank = (int32_t)rank;
	return true;
}

/* Where the part begins that is kept. It is a whole chunk's, so that a file that grows has the chunks before its last one still. */
static uint64_t begin_of_output(uint64_t size)
{
	uint64_t more = size > TS_KEPT_OUTPUT_MAX ? size - TS_KEPT_OUTPUT_MAX : 0;

	return (more + TS_CHUNK_BYTES - 1) / TS_CHUNK_BYTES * TS_CHUNK_BYTES;
}

void ts_kept_leave(struct ts_kept_set *kept, enum ts_kept_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < kept->n; i++)
		if (kept->items[i].kind != kind)
			kept->items[n++] = kept->items[i];
	kept->n = n;
}

/* --- ranks --- */

int64_t ts_kept_whose(struct ts_kept_set *kept, size_t i)
{
	const struct ts_kept_file *file = &kept->items[i];
	char detail[200];

	if (file->said_rank != TS_TRACE_NONE || file->name_rank == TS_TRACE_NONE)
		return file->said_rank;
	if (file->kind == TS_KEPT_ARTIFACT) /* a name that a program gave to something of its own */
		return TS_TRACE_NONE;
	if (file->kind == TS_KEPT_OUTPUT) /* who kept it says so by the name */
		return file->name_rank;
	(void)snprintf(detail, sizeof detail, "%s does not say its rank; by its name it is of rank %" PRId64, ts_show(file->shown).text,
		       file->name_rank);
	ts_notice_add(kept->notices, "rank_from_name", TS_NOTICE_INFO, ts_span_str(""), 0, detail);
	return file->name_rank;
}

void ts_kept_settle_one(struct ts_kept_set *kept)
{
	for (size_t i = 0; i < kept->n; i++) {
		int64_t rank = ts_kept_whose(kept, i);

		if (rank != TS_TRACE_NONE && rank != 0)
			ts_kept_move(kept, i, TS_RANK_JOB);
	}
}

/* --- the set --- */

bool ts_kept_taken(const struct ts_kept_set *kept, struct ts_span name, int32_t rank)
{
	for (size_t i = 0; i < kept->n; i++)
		if (kept->items[i].rank == rank && ts_span_eq(kept->items[i].name, name))
			return true;
	return false;
}

void ts_kept_move(struct ts_kept_set *kept, size_t i, int32_t rank)
{
	if (!ts_kept_taken(kept, kept->items[i].name, rank))
		kept->items[i].rank = rank;
}

static enum ts_status add(struct ts_kept_set *kept, const struct ts_kept_file *file, struct ts_error *err)
{
	if (kept->n == TS_KEPT_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s: more than %d traces in one run", file->path, TS_KEPT_MAX);
	if (!TS_GROW_IN(kept->arena, kept->items, kept->cap, kept->n + 1, 8))
		return ts_arena_error(kept->arena, err);
	kept->items[kept->n++] = *file;
	return TS_OK;
}

/* A folder in that of the run. */
struct within {
	const char *name; /* "" for that of the run itself; else "late.", "plugins.profile." for names that are taken */
	int deep;	  /* 0 for that of the run */
	int64_t rank;	  /* in its name, or that of a folder above; TS_TRACE_NONE: none */
};

/* Adds the file, under a name with its folders' before it where the name alone is taken. */
static enum ts_status add_file(struct ts_kept_set *kept, const struct ts_kept_file *file, const struct within *in, struct ts_error *err)
{
	struct ts_kept_file mine = *file;
	struct ts_error cannot;
	int fd;

	if (ts_below_open(mine.top, mine.path, &fd, &mine.size, &cannot) == TS_OK)
		(void)close(fd); /* else keeping it says why */
	mine.from = mine.kind == TS_KEPT_OUTPUT ? begin_of_output(mine.size) : 0;
	if (mine.kind == TS_KEPT_MACHINE && mine.size > TS_MACHINE_FILE_MAX)
		return TS_OK; /* it is none that tscope run wrote */
	mine.name_rank = ts_rank_in_name(mine.name);
	if (mine.name_rank == TS_TRACE_NONE)
		mine.name_rank = in->rank;
	if (*in->name && ts_kept_taken(kept, mine.name, mine.rank)) {
		char *name = ts_arena_printf(kept->arena, "%s%.*s", in->name, TS_SPAN_ARG(mine.name));

		if (!name)
			return ts_arena_error(kept->arena, err);
		mine.name = ts_span_str(name);
	}
	if (ts_file_name_valid(mine.name) && !ts_kept_taken(kept, mine.name, mine.rank))
		return add(kept, &mine, err);
	ts_notice_add(kept->notices, "same_name", TS_NOTICE_SKIPPED, mine.shown, 0, "another kept file of this rank has its name");
	return TS_OK;
}

static const struct within itself = {.name = "", .rank = TS_TRACE_NONE};

enum ts_status ts_kept_add(struct ts_kept_set *kept, const char *top, const char *path, const char *name, int32_t rank,
			   struct ts_error *err)
{
	struct ts_kept_file file = {.top = top,
				    .path = path,
				    .name = ts_span_str(name),
				    .shown = ts_span_str(""),
				    .rank = rank,
				    .said_rank = TS_TRACE_NONE,
				    .said_world = TS_TRACE_NONE};

	if (ts_kept_is(top, path, &file.kind, err))
		return err->status;
	if (file.kind == TS_KEPT_NOT)
		file.kind = TS_KEPT_TRACE; /* reading it says why it is none */
	return add_file(kept, &file, &itself, err);
}

enum ts_status ts_kept_add_artifact(struct ts_kept_set *kept, const char *top, const char *path, const char *name, int32_t rank,
				    struct ts_error *err)
{
	const struct ts_kept_file file = {.kind = TS_KEPT_ARTIFACT,
					  .top = top,
					  .path = path,
					  .name = ts_span_str(name),
					  .shown = ts_file_path(ts_span_str(name), kept->arena),
					  .rank = rank,
					  .said_rank = TS_TRACE_NONE,
					  .said_world = TS_TRACE_NONE};

	for (size_t i = 0; i < kept->n; i++)
		if (strcmp(kept->items[i].path, path) == 0)
			return TS_OK;
	return file.shown.data ? add_file(kept, &file, &itself, err) : ts_arena_error(kept->arena, err);
}

static enum ts_status take(struct ts_kept_set *kept, const struct ts_kept_file *file, const struct within *in, struct ts_error *err)
{
	struct ts_kept_file mine = *file;
	int32_t rank;

	if (kept->outputs && !in->deep && ts_kept_output(ts_path_last(file->path), &rank))
		mine.kind = TS_KEPT_OUTPUT;
	else if (kept->machine && !in->deep && strcmp(ts_path_last(file->path), TS_MACHINE_FILE) == 0)
		mine.kind = TS_KEPT_MACHINE;
	else if (!kept->deep && !in->deep && ts_is_artifact(file->name)) /* as export writes them */
		mine.kind = TS_KEPT_ARTIFACT;
	else if (ts_kept_is(file->top, file->path, &mine.kind, err))
		return err->status;
	if (mine.kind == TS_KEPT_NOT || !ts_reader_has(file->top, file->path, file->shown, kept->notices))
		return TS_OK;
	return add_file(kept, &mine, in, err);
}

bool ts_kept_is_rank(const char *name)
{
	if (strncmp(name, "rank", 4) != 0 || !name[4])
		return false;
	for (const char *at = name + 4; *at; at++)
		if (!ts_is_digit((uint8_t)*at))
			return false;
	return true;
}

bool ts_kept_is_other(const struct ts_kept_set *kept, const char *path)
{
	for (size_t i = 0; kept->around && i < kept->around->n_others; i++)
		if (strcmp(kept->around->others[i], path) == 0)
			return true;
	return false;
}

/* A folder that is a run of its own keeps its files. */
static bool is_run(const struct ts_kept_set *kept, const char *top, const char *directory)
{
	static const char *const names[] = {"steps.jsonl", TS_FRAME_FILE, "run.json"};

	if (ts_kept_is_other(kept, directory))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *path = ts_path_join(kept->arena, directory, names[i]);

		if (path && ts_below_kind(top, path) != TS_FILE_NONE)
			return true;
	}
	return false;
}

static enum ts_status find(struct ts_kept_set *kept, const struct ts_kept_file *where, const struct within *in, struct ts_error *err);

/* The files of a folder below that of the run, unless it is another run or may not be read. */
static enum ts_status find_below(struct ts_kept_set *kept, const struct ts_kept_file *where, const struct within *in, const char *name,
				 struct ts_error *err)
{
	struct within here = {.deep = in->deep + 1, .rank = ts_rank_in_name(ts_span_str(name))};
	struct ts_kept_file below = *where;
	char *prefix = ts_arena_printf(kept->arena, "%.*s/", TS_SPAN_ARG(where->shown));
	struct ts_error cannot;
	enum ts_status status;

	here.name = ts_arena_printf(kept->arena, "%s%s.", in->name, name);
	if (here.rank == TS_TRACE_NONE)
		here.rank = in->rank;
	if (!prefix || !here.name)
		return ts_arena_error(kept->arena, err);
	if (name[0] == '.' || (!kept->deep && ts_kept_is_rank(name)) || is_run(kept, where->top, where->path))
		return TS_OK;
	below.shown = ts_span_str(prefix);
	status = find(kept, &below, &here, &cannot);
	if (status != TS_NO_MEMORY && status != TS_TOO_LARGE)
		return TS_OK;
	*err = cannot;
	return status;
}

/* where: the folder, with what stands before the names of its files. Its own files come before those of the folders in it. */
static enum ts_status find(struct ts_kept_set *kept, const struct ts_kept_file *where, const struct within *in, struct ts_error *err)
{
	bool deeper = in->deep < (kept->deep ? kept->deep : TS_KEPT_BELOW_RUN);
	char **names;
	size_t n;

	if (ts_below_list(where->top, where->path, kept->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < (deeper ? 2 * n : n); i++) {
		const char *name = names[i % n];
		struct ts_kept_file entry = *where;
		char *path = ts_path_join(kept->arena, where->path, name);
		char *shown = ts_arena_printf(kept->arena, "%.*s%s", TS_SPAN_ARG(where->shown), name);
		bool below;

		if (!path || !shown)
			return ts_arena_error(kept->arena, err);
		entry.path = path;
		entry.name = ts_span_str(name);
		entry.shown = ts_span_str(shown);
		below = ts_below_kind(where->top, path) == TS_FILE_DIRECTORY;
		if (i < n && !below && take(kept, &entry, in, err))
			return err->status;
		if (i >= n && below && find_below(kept, &entry, in, name, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_kept_find(struct ts_kept_set *kept, const char *top, const char *directory, struct ts_span prefix, int32_t rank,
			    struct ts_error *err)
{
	const struct ts_kept_file where = {
		.top = top, .path = directory, .shown = prefix, .rank = rank, .said_rank = TS_TRACE_NONE, .said_world = TS_TRACE_NONE};

	return find(kept, &where, &itself, err);
}
