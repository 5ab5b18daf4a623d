#include "ingest/rundir/run_dir.h"

#include "base/below.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/path.h"
#include "ingest/facts/run_facts.h"
#include "ingest/kept/kept.h"
#include "ingest/rows/run_close.h"
#include "ingest/rundir/attempt_files.h"
#include "ingest/rundir/launched.h"
#include "ingest/rundir/layout.h"
#include "ingest/rundir/side_read.h"
#include "ingest/rundir/steps.h"
#include "ingest/rundir/unread.h"
#include "record/frame.h"
#include "run/head.h"
#include "run/trace.h"

#include <stdio.h>
#include <unistd.h>

struct reading {
	const struct ts_ingest_options *options;
	struct ts_run_layout layout;
	struct ts_arena *arena;
	struct ts_sink_count sink;
	struct ts_read_progress progress;
	struct ts_facts given;	/* the facts of the pusher and the host */
	struct ts_facts root;	/* the facts of run.json and facts.json beside the rank directories */
	struct ts_attempts *attempts; /* of each rank of the layout; their recordings are open from the first look to the last */
	size_t n_recorded, n_ended;
	struct ts_kept_set kept;
	struct ts_head head;
	size_t ranks_cap;
	struct ts_ingest_result result;
};

/* Whoever logs with another tool may have traces in rank directories beside the log. */
enum { SURE = 100, SURE_OF_RANKS = 6 };

int ts_run_dir_sniff(const char *path)
{
	bool steps = ts_layout_has_steps(path), ranks = false;
	struct ts_error err;

	if (!steps && ts_layout_has_ranks(path, &ranks, &steps, &err))
		return TS_SNIFF_NO_MEMORY;
	return steps ? SURE : ranks ? SURE_OF_RANKS : 0;
}

static struct ts_span file_name(struct reading *r, struct ts_span prefix, const char *name)
{
	char *text = ts_arena_printf(r->arena, "%.*s%s", TS_SPAN_ARG(prefix), name);

	return ts_span_str(text ? text : name);
}

static bool below(struct ts_span path, const char *prefix)
{
	struct ts_span p = ts_span_str(prefix);

	return ts_span_starts(path, p) &&
	       (path.len == p.len || path.data[p.len] == '.' || path.data[p.len] == '[');
}

/* Returns the rank that run.json declares, or INT64_MIN if it declares none that is possible. */
static int64_t declared_rank(const struct ts_facts *facts)
{
	const struct ts_fact *fact =
		ts_facts_of_source(facts, ts_span_str("parallelism.rank"), TS_SOURCE_RUN_JSON);

	if (!fact || fact->type != TS_FACT_INT || fact->integer < 0 || fact->integer > INT32_MAX)
		return INT64_MIN;
	return fact->integer;
}

static void drop_fact(struct ts_facts *facts, const char *path, enum ts_fact_source source)
{
	const struct ts_fact *fact = ts_facts_of_source(facts, ts_span_str(path), source);
	size_t i;

	if (!fact)
		return;
	i = (size_t)(fact - facts->items);
	memmove(&facts->items[i], &facts->items[i + 1], (facts->n - i - 1) * sizeof *fact);
	facts->n--;
}

/* The index has the rank of the directory. If run.json declares another rank, that is kept as a fact. */
static void settle_rank(struct reading *r, const struct ts_rank_dir *dir, struct ts_facts *facts,
			struct ts_notices *notices)
{
	char detail[120];

	if (declared_rank(facts) == dir->rank) {
		drop_fact(facts, "parallelism.rank", TS_SOURCE_RUN_JSON);
		return;
	}
	if (!notices || !ts_facts_of_source(facts, ts_span_str("parallelism.rank"), TS_SOURCE_RUN_JSON))
		return;
	(void)snprintf(detail, sizeof detail, "run.json gives a rank other than %d", (int)dir->rank);
	ts_notice_add(notices, "rank_mismatch", TS_NOTICE_INFO, file_name(r, dir->name, "run.json"), 0, detail);
}

/* --- recordings --- */

static void tell_rank_of_recording(struct reading *r, const struct ts_rank_dir *dir, const struct ts_attempt *attempt)
{
	int32_t rank = ts_recording_rank(attempt->recording);
	char detail[120];

	if (rank < 0 || rank == dir->rank)
		return;
	(void)snprintf(detail, sizeof detail, "the recording is of rank %d, and is read as rank %d", (int)rank, (int)dir->rank);
	ts_notice_add(&r->result.notices, "rank_mismatch", TS_NOTICE_INFO, attempt->source.name, 0, detail);
}

/* Opens the recordings of a rank at the first call; it has none if there are no attempts. */
static enum ts_status attempts_of(struct reading *r, const struct ts_rank_dir *dir, struct ts_attempts **ret, struct ts_error *err)
{
	struct ts_attempts *attempts = &r->attempts[dir - r->layout.ranks];
	bool looked = attempts->looked;

	*ret = attempts;
	if (ts_attempts_open(attempts, dir, &r->progress, &r->result.notices, r->arena, err))
		return err->status;
	for (size_t i = 0; !looked && i < attempts->n; i++) {
		r->result.bytes_read += attempts->items[i].source.size;
		tell_rank_of_recording(r, dir, &attempts->items[i]);
	}
	return TS_OK;
}

/* Adds what the recordings of a rank say, and the files of further attempts, to what its files say. */
static enum ts_status add_recorded_facts(struct reading *r, const struct ts_rank_dir *dir, struct ts_notices *notices,
					 struct ts_arena *arena, struct ts_facts *facts, struct ts_error *err)
{
	struct ts_attempts *attempts;
	struct ts_facts all;

	if (attempts_of(r, dir, &attempts, err))
		return err->status;
	if (!attempts->n)
		return TS_OK;
	if (ts_attempts_facts(attempts, dir, facts, notices, arena, &all, err))
		return err->status;
	*facts = all;
	return TS_OK;
}

/* Collects everything that is said about a rank, ready to be stored; recorded: also what its recording says. */
static enum ts_status rank_facts(struct reading *r, const struct ts_rank_dir *dir, bool recorded, struct ts_notices *notices,
				 struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_facts own, with_root, facts;

	if (ts_facts_read_dir(dir->top, dir->path, dir->name, notices, arena, &own, err) ||
	    (recorded && add_recorded_facts(r, dir, notices, arena, &own, err)))
		return err->status;
	if (ts_launched_settle(dir->top, dir->path, arena, &own, err))
		return err->status;
	settle_rank(r, dir, &own, notices);
	if (ts_facts_merge(&own, &r->root, arena, &with_root, err) ||
	    ts_facts_merge(&r->given, &with_root, arena, &facts, err) ||
	    ts_facts_prepare(&facts, file_name(r, dir->name, "run.json"), notices, arena, err))
		return err->status;
	*ret_facts = facts;
	return TS_OK;
}

/* --- layout --- */

/* Whether there is a part of the run in the directory, or a trace or a snapshot in a folder of it. */
static enum ts_status is_part(struct reading *r, const struct ts_rank_dir *dir, bool *ret, struct ts_error *err)
{
	struct ts_notices later = {.arena = r->arena}; /* what is noticed here is when the files are read */
	struct ts_kept_set kept = {.arena = r->arena, .notices = &later};

	if (ts_layout_looks_like_run(dir->path, ret, err) ||
	    (!*ret && ts_kept_find(&kept, dir->top, dir->path, dir->name, dir->rank, err)))
		return err->status;
	*ret |= kept.n > 0;
	return TS_OK;
}

static enum ts_status drop_empty_ranks(struct reading *r, struct ts_error *err)
{
	struct ts_run_layout *layout = &r->layout;
	size_t kept = 0;
	bool full;

	for (size_t i = 0; i < layout->n; i++) {
		if (is_part(r, &layout->ranks[i], &full, err))
			return err->status;
		if (full)
			layout->ranks[kept++] = layout->ranks[i];
		else
			ts_notice_add(&r->result.notices, "empty_rank", TS_NOTICE_INFO, layout->ranks[i].name, 0,
				      "a rank directory that holds no files of a run");
	}
	layout->n = kept;
	return TS_OK;
}

/* A single directory has the rank that its run.json declares. A directory beside it is not part of the run if it
 * declares another rank. */
static enum ts_status settle_layout(struct reading *r, struct ts_error *err)
{
	struct ts_run_layout *layout = &r->layout;
	size_t kept = 0;
	char detail[96];

	for (size_t i = 0; i < layout->n && !layout->multi; i++) {
		struct ts_rank_dir *dir = &layout->ranks[i];
		struct ts_facts facts;
		int64_t rank;

		if (ts_facts_read_dir(dir->top, dir->path, dir->name, NULL, r->arena, &facts, err))
			return err->status;
		rank = declared_rank(&facts);
		if (i == 0 && rank >= 0)
			dir->rank = (int32_t)rank;
		if (i > 0 && ((rank >= 0 && rank != dir->rank) || layout->ranks[0].rank != 0))
			continue;
		layout->ranks[kept++] = *dir;
	}
	if (layout->multi)
		return drop_empty_ranks(r, err);
	layout->n = kept;
	if (kept < 2)
		return TS_OK;
	(void)snprintf(detail, sizeof detail,
		       kept == 2 ? "%zu directory beside it is a rank of this run" : "%zu directories beside it are ranks of this run",
		       kept - 1);
	ts_notice_add(&r->result.notices, "legacy_ranks", TS_NOTICE_INFO, ts_span_str(""), 0, detail);
	r->result.beside = ts_arena_array(r->arena, kept - 1, sizeof *r->result.beside);
	if (!r->result.beside)
		return ts_arena_error(r->arena, err);
	for (size_t i = 1; i < kept; i++)
		r->result.beside[r->result.n_beside++] = layout->ranks[i].rank;
	return TS_OK;
}

/* Files beside the rank directories belong to the job, unless they are those of rank 0. */
static bool has_job(const struct reading *r)
{
	return r->layout.multi && !r->layout.rank_at_root;
}

static uint64_t size_of(struct reading *r, const char *top, const char *directory, const char *name)
{
	char *path = ts_path_join(r->arena, directory, name);
	struct ts_error ignored;
	uint64_t size = 0;
	int fd;

	if (!path || ts_below_kind(top, path) != TS_FILE_REGULAR || ts_below_open(top, path, &fd, &size, &ignored))
		return 0;
	(void)close(fd);
	return size;
}

/* Counts the bytes of all files that may belong to the job or to a rank. */
static void count_bytes_of(struct reading *r, const char *top, const char *directory)
{
	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		r->progress.total += size_of(r, top, directory, ts_side_files[i].name);
}

static void count_bytes(struct reading *r)
{
	for (size_t i = 0; i < r->layout.n; i++) {
		r->progress.total += size_of(r, r->layout.ranks[i].top, r->layout.ranks[i].path, "steps.jsonl");
		r->progress.total += ts_attempts_size(&r->layout.ranks[i], r->arena);
		count_bytes_of(r, r->layout.ranks[i].top, r->layout.ranks[i].path);
	}
	if (has_job(r))
		count_bytes_of(r, ts_top(r->options), r->layout.path);
	for (size_t i = 0; i < r->kept.n; i++)
		r->progress.total += r->kept.items[i].size;
}

static enum ts_status read_root(struct reading *r, struct ts_error *err)
{
	if (!has_job(r))
		return TS_OK;
	if (ts_facts_read_dir(ts_top(r->options), r->layout.path, ts_span_str(""), &r->result.notices, r->arena, &r->root, err))
		return err->status;
	if (ts_launched_settle(ts_top(r->options), r->layout.path, r->arena, &r->root, err))
		return err->status;
	drop_fact(&r->root, "parallelism.rank", TS_SOURCE_RUN_JSON); /* it is not known which rank this was about */
	return TS_OK;
}

/* --- head --- */

/* The facts of the head are those of the first rank for which run.json says anything, or else of the first rank. Only
 * what an index also gives back is used here, so that an exported run picks the same rank. A recording says nothing of run.json's. */
static enum ts_status find_head_rank(struct reading *r, size_t *ret, struct ts_error *err)
{
	struct ts_arena scratch;
	size_t chosen = 0;
	bool found = false;

	ts_arena_init(&scratch, r->arena->ceiling);
	for (size_t i = 0; i < r->layout.n && !found; i++) {
		struct ts_facts facts;

		ts_arena_reset(&scratch);
		if (rank_facts(r, &r->layout.ranks[i], false, NULL, &scratch, &facts, err)) {
			ts_arena_finish(&scratch);
			return err->status;
		}
		found = ts_facts_have_source(&facts, TS_SOURCE_RUN_JSON);
		if (found)
			chosen = i;
	}
	ts_arena_finish(&scratch);
	*ret = chosen;
	return TS_OK;
}

/* recorded: also what the recording of its rank says. */
static enum ts_status find_head_facts(struct reading *r, bool recorded, struct ts_error *err)
{
	size_t chosen = 0;

	if (r->layout.n == 0) {
		if (ts_facts_merge(&r->given, &r->root, r->arena, &r->head.facts, err))
			return err->status;
		return ts_facts_prepare(&r->head.facts, ts_span_str("run.json"), &r->result.notices, r->arena, err);
	}
	return find_head_rank(r, &chosen, err)
		       ? err->status
		       : rank_facts(r, &r->layout.ranks[chosen], recorded, NULL, r->arena, &r->head.facts, err);
}

static bool has_job_file(const struct reading *r, const char *name)
{
	char *path = ts_path_join(r->arena, r->layout.path, name);

	return path && ts_below_kind(ts_top(r->options), path) == TS_FILE_REGULAR;
}

static bool has_job_files(const struct reading *r)
{
	for (size_t i = 0; has_job(r) && i < TS_SIDE_FILES; i++)
		if (has_job_file(r, ts_side_files[i].name))
			return true;
	return ts_kept_of(&r->kept, TS_RANK_JOB);
}

/* --- kept files --- */

static const struct ts_rank_dir *dir_of(const struct ts_run_layout *layout, int64_t rank)
{
	for (size_t i = 0; i < layout->n; i++)
		if (layout->ranks[i].rank == rank)
			return &layout->ranks[i];
	return NULL;
}

static bool has_launched(const struct ts_kept_set *kept)
{
	for (size_t i = 0; i < kept->n; i++)
		if (kept->items[i].kind == TS_KEPT_OUTPUT || kept->items[i].kind == TS_KEPT_MACHINE)
			return true;
	return false;
}

/* A file of such a name is kept only where tscope run wrote it: that of another program is nobody's to publish. */
static enum ts_status leave_unless_launched(struct reading *r, struct ts_error *err)
{
	bool launched = ts_launched_says(&r->root);
	struct ts_facts facts;

	for (size_t i = 0; !launched && i < r->layout.n; i++) {
		if (ts_facts_read_dir(r->layout.ranks[i].top, r->layout.ranks[i].path, r->layout.ranks[i].name, NULL, r->arena, &facts,
				      err))
			return err->status;
		launched = ts_launched_says(&facts);
	}
	if (!launched)
		for (int kind = TS_KEPT_OUTPUT; kind <= TS_KEPT_MACHINE; kind++)
			ts_kept_leave(&r->kept, (enum ts_kept_kind)kind);
	return TS_OK;
}

static enum ts_status find_kept(struct reading *r, struct ts_error *err)
{
	r->kept = (struct ts_kept_set){.arena = r->arena,
				       .notices = &r->result.notices,
				       .sink = ts_count_sink,
				       .ctx = &r->sink,
				       .progress = &r->progress,
				       .summarize = r->options->summarize,
				       .outputs = !r->options->no_output,
				       .machine = true};
	if (has_job(r) && ts_kept_find(&r->kept, ts_top(r->options), r->layout.path, ts_span_str(""), TS_RANK_JOB, err))
		return err->status;
	for (size_t i = 0; i < r->layout.n; i++)
		if (ts_kept_find(&r->kept, r->layout.ranks[i].top, r->layout.ranks[i].path, r->layout.ranks[i].name,
				 r->layout.ranks[i].rank, err))
			return err->status;
	return has_launched(&r->kept) ? leave_unless_launched(r, err) : TS_OK;
}

static enum ts_status tell_unread(struct reading *r, struct ts_error *err)
{
	if (has_job(r) && ts_unread_tell(&r->kept, ts_top(r->options), r->layout.path, ts_span_str(""), err))
		return err->status;
	for (size_t i = 0; i < r->layout.n; i++)
		if (ts_unread_tell(&r->kept, r->layout.ranks[i].top, r->layout.ranks[i].path, r->layout.ranks[i].name, err))
			return err->status;
	return TS_OK;
}

/* A file in a rank's own folder is that rank's. Of others what they say, or their name, tells whose they are: a rank of the run's, or
 * the job's. */
static enum ts_status settle_kept(struct reading *r, struct ts_error *err)
{
	if (ts_kept_columns(&r->kept, err))
		return err->status;
	for (size_t i = 0; i < r->kept.n; i++) {
		const struct ts_rank_dir *here = dir_of(&r->layout, r->kept.items[i].rank);
		int64_t rank = here && here->named ? TS_TRACE_NONE : ts_kept_whose(&r->kept, i);

		if (rank != TS_TRACE_NONE && rank != r->kept.items[i].rank)
			ts_kept_move(&r->kept, i, dir_of(&r->layout, rank) ? (int32_t)rank : TS_RANK_JOB);
	}
	return TS_OK;
}

/* This is checked before any steps are read, because a directory with too many ranks has many of them. */
static enum ts_status check_room(struct reading *r, struct ts_error *err)
{
	if (ts_head_check_room(&r->head.facts, r->layout.n + has_job_files(r), err))
		return ts_error_prefix(err, "%s", r->layout.path);
	return TS_OK;
}

static enum ts_status add_rank(struct reading *r, int32_t rank, const struct ts_id *index, struct ts_error *err)
{
	if (!TS_GROW_IN(r->arena, r->head.ranks, r->ranks_cap, r->head.n_ranks + 1, 8))
		return ts_arena_error(r->arena, err);
	r->head.ranks[r->head.n_ranks++] = (struct ts_rank_ref){.rank = rank, .index = *index};
	return TS_OK;
}

/* --- one rank --- */

/* "steps_rank3.jsonl" beside steps.jsonl is not a rank: a rank is a directory. */
static enum ts_status tell_unread_steps(struct reading *r, const struct ts_rank_dir *dir, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_below_list(dir->top, dir->path, r->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], "steps", 5) == 0 && ts_file_ends(names[i], ".jsonl") && strcmp(names[i], "steps.jsonl") != 0)
			ts_notice_add(&r->result.notices, "unread_steps", TS_NOTICE_SKIPPED, file_name(r, dir->name, names[i]), 0,
				      "only steps.jsonl is read; the steps of rank 3 are rank3/steps.jsonl");
	return TS_OK;
}

static enum ts_status read_recordings(struct reading *r, const struct ts_rank_dir *dir, struct ts_attempts *attempts,
				      const struct ts_facts *facts, struct ts_builder **ret_builder, struct ts_error *err)
{
	struct ts_recording **recordings = ts_arena_array(r->arena, attempts->n, sizeof(struct ts_recording *));
	const struct ts_attempt *last = &attempts->items[attempts->n - 1];
	struct ts_recording_into into = {.rank = dir->rank, .facts = facts, .notices = &r->result.notices, .sink = &r->sink};
	uint64_t segments;

	if (!recordings)
		return ts_arena_error(r->arena, err);
	for (size_t i = 0; i < attempts->n; i++)
		recordings[i] = attempts->items[i].recording;
	if (ts_recording_read(recordings, attempts->n, &into, ret_builder, &segments, err))
		return err->status;
	r->n_recorded++;
	r->n_ended += ts_recording_ended(last->recording);
	if (segments == 0)
		ts_notice_add(&r->result.notices, "no_steps", TS_NOTICE_INFO, last->source.name, 0, "the recording has no step");
	if (segments > r->result.segments)
		r->result.segments = segments;
	ts_attempts_close(attempts);
	return TS_OK;
}

static enum ts_status read_steps(struct reading *r, const struct ts_rank_dir *dir, const struct ts_facts *facts,
				 struct ts_builder **ret_builder, struct ts_error *err)
{
	char *path = ts_path_join(r->arena, dir->path, "steps.jsonl");
	struct ts_steps_input input = {.rank = dir->rank,
				       .facts = facts,
				       .notices = &r->result.notices,
				       .sink = &r->sink,
				       .source = {.fd = -1, .progress = &r->progress}};
	struct ts_attempts *attempts;
	uint64_t segments;
	enum ts_status status;

	if (!path)
		return ts_arena_error(r->arena, err);
	if (tell_unread_steps(r, dir, err) || attempts_of(r, dir, &attempts, err))
		return err->status;
	if (attempts->n)
		return read_recordings(r, dir, attempts, facts, ret_builder, err);
	input.source.name = file_name(r, dir->name, "steps.jsonl");
	input.source.path = ts_span_str(path);
	if (ts_below_kind(dir->top, path) != TS_FILE_NONE && ts_below_open(dir->top, path, &input.source.fd, &input.source.size, err))
		return err->status;
	r->result.bytes_read += input.source.size;
	status = ts_steps_read(&input, ret_builder, &segments, err);
	if (input.source.fd >= 0)
		(void)close(input.source.fd);
	if (status)
		return status;
	if (segments == 0)
		ts_notice_add(&r->result.notices, "no_steps", TS_NOTICE_INFO, input.source.name, 0,
			      input.source.fd < 0 ? "there is no such file" : "the file has no record");
	if (segments > r->result.segments)
		r->result.segments = segments;
	return TS_OK;
}

static enum ts_status read_side_file(struct reading *r, const struct ts_side_file *file, const struct ts_rank_dir *dir,
				     const struct ts_facts *facts, struct ts_builder *b, struct ts_error *err)
{
	char *path = ts_path_join(r->arena, dir->path, file->name);
	struct ts_side_input input = {.file = file,
				      .facts = facts,
				      .notices = &r->result.notices,
				      .source = {.fd = -1, .progress = &r->progress}};
	enum ts_status status;

	if (!path)
		return ts_arena_error(r->arena, err);
	if (ts_below_kind(dir->top, path) == TS_FILE_NONE)
		return TS_OK;
	input.source.name = file_name(r, dir->name, file->name);
	input.source.path = ts_span_str(path);
	if (ts_below_open(dir->top, path, &input.source.fd, &input.source.size, err))
		return err->status;
	r->result.bytes_read += input.source.size;
	status = ts_side_read(&input, b, err);
	(void)close(input.source.fd);
	return status;
}

/* Reads the events of a pipeline and the digests of operations, if there are such files. facts may be NULL. */
static enum ts_status read_side_files(struct reading *r, const struct ts_rank_dir *dir, const struct ts_facts *facts,
				      struct ts_builder *b, struct ts_error *err)
{
	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		if (read_side_file(r, &ts_side_files[i], dir, facts, b, err))
			return err->status;
	return TS_OK;
}

static enum ts_status finish_rank(struct reading *r, int32_t rank, struct ts_builder *b, const struct ts_facts *facts,
				  struct ts_error *err)
{
	struct ts_id index;

	if (ts_facts_sink_long(facts, ts_count_sink, &r->sink, err) || ts_builder_finish(b, facts, &index, err))
		return err->status;
	return add_rank(r, rank, &index, err);
}

static enum ts_status read_rank(struct reading *r, const struct ts_rank_dir *dir, struct ts_arena *scratch,
				struct ts_error *err)
{
	struct ts_builder *b = NULL;
	struct ts_facts facts, differences;
	enum ts_status status;
	size_t files = 0;

	if (rank_facts(r, dir, true, &r->result.notices, scratch, &facts, err) ||
	    ts_facts_differences(&r->head.facts, &facts, scratch, &differences, err) ||
	    read_steps(r, dir, &facts, &b, err))
		return err->status;
	status = read_side_files(r, dir, &facts, b, err);
	if (!status)
		status = ts_kept_put(&r->kept, dir->rank, b, &files, err);
	if (!status)
		ts_result_count(&r->result, b, files);
	if (!status)
		status = finish_rank(r, dir->rank, b, &differences, err);
	ts_builder_destroy(b);
	return status;
}

/* Reads the files beside the rank directories, which belong to the job; and traces of ranks that the run does not have. */
static enum ts_status read_job(struct reading *r, struct ts_error *err)
{
	const struct ts_rank_dir job = {
		.rank = TS_RANK_JOB, .top = ts_top(r->options), .path = r->layout.path, .name = ts_span_str("")};
	struct ts_facts none = {.n = 0};
	struct ts_builder_stats stats;
	struct ts_builder *b;
	enum ts_status status;
	size_t files = 0;

	if (!has_job(r) && !ts_kept_of(&r->kept, TS_RANK_JOB))
		return TS_OK;
	if (ts_builder_create(TS_RANK_JOB, ts_count_sink, &r->sink, &b, err))
		return err->status;
	status = has_job(r) ? read_side_files(r, &job, NULL, b, err) : TS_OK;
	if (!status)
		status = ts_kept_put(&r->kept, TS_RANK_JOB, b, &files, err);
	ts_builder_stats(b, &stats);
	r->result.events += stats.events;
	r->result.digests += stats.digests;
	r->result.timed += stats.timed;
	r->result.sketches += stats.sketches;
	if (!status && (files || stats.events || stats.digests || stats.timed || stats.sketches))
		status = finish_rank(r, TS_RANK_JOB, b, &none, err);
	ts_builder_destroy(b);
	return status;
}

static enum ts_status read_ranks(struct reading *r, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status = read_job(r, err);

	ts_arena_init(&scratch, r->arena->ceiling);
	for (size_t i = 0; i < r->layout.n && !status; i++) {
		const struct ts_rank_dir *dir = &r->layout.ranks[i];

		ts_arena_reset(&scratch);
		status = read_rank(r, dir, &scratch, err);
		if (!status)
			status = ts_refuse_skipped(r->options, &r->result.notices, err);
	}
	ts_arena_finish(&scratch);
	if (!status && r->head.n_ranks == 0)
		return ts_error_set(err, TS_INVALID, "%s is not a run directory: its rank directories are empty",
				    r->layout.path);
	return status;
}

/* --- the whole --- */

/* Returns whether run.json says that the run has ended, because it is written at the end. */
static bool says_end(const struct ts_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		if (facts->items[i].source == TS_SOURCE_RUN_JSON && below(facts->items[i].path, "session.wall_time"))
			return true;
	return false;
}

static enum ts_status read_run(struct reading *r, struct ts_error *err)
{
	const struct ts_ingest_options *options = r->options;

	if (ts_layout_find(ts_top(options), options->path, options->listed, &r->result.notices, r->arena, &r->layout, err) ||
	    ts_given_facts(options, r->arena, &r->given, err) || settle_layout(r, err) || read_root(r, err))
		return err->status;
	if (find_kept(r, err))
		return err->status;
	count_bytes(r);
	r->attempts = ts_arena_array(r->arena, r->layout.n + 1, sizeof *r->attempts);
	if (!r->attempts)
		return ts_arena_error(r->arena, err);
	if (find_head_facts(r, true, err) || settle_kept(r, err) || tell_unread(r, err) || check_room(r, err) || read_ranks(r, err) ||
	    ts_refuse_skipped(options, &r->result.notices, err) || ts_run_close(&r->head, &r->sink, r->arena, &r->result, err))
		return err->status;
	r->result.bytes_read += r->kept.bytes_read;
	r->result.format = r->n_recorded ? "tscope recording" : "pytscope run directory";
	r->result.finished = says_end(&r->result.facts) || (r->n_recorded && r->n_ended == r->n_recorded);
	return TS_OK;
}

enum ts_status ts_run_dir_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			       struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct reading r = {.options = options,
			    .arena = arena,
			    .sink = {.sink = sink, .ctx = ctx},
			    .progress = {.tell = options->progress, .ctx = options->progress_ctx}};
	enum ts_status status;

	r.result.notices.arena = arena;
	status = read_run(&r, err);
	for (size_t i = 0; r.attempts && i < r.layout.n; i++)
		ts_attempts_close(&r.attempts[i]);
	if (status)
		return status;
	*ret_result = r.result;
	return TS_OK;
}

/* The rank that the folder is of, in a run with rank directories; NULL: it lies beside them. */
static const struct ts_rank_dir *rank_around(const struct ts_run_layout *layout, const char *folder)
{
	for (size_t i = layout->n; i-- > 0;) { /* rank 0 may lie around the others */
		size_t len = strlen(layout->ranks[i].path);

		if (strncmp(folder, layout->ranks[i].path, len) == 0 && (folder[len] == '/' || !folder[len]))
			return &layout->ranks[i];
	}
	return NULL;
}

enum ts_status ts_run_dir_facts(const char *path, const char *folder, struct ts_arena *arena, struct ts_facts *ret_facts,
				struct ts_error *err)
{
	const struct ts_ingest_options options = {.path = path};
	struct reading r = {.options = &options, .arena = arena};
	const struct ts_rank_dir *dir;

	r.result.notices.arena = arena;
	if (ts_layout_find(path, path, NULL, &r.result.notices, arena, &r.layout, err) || settle_layout(&r, err) || read_root(&r, err))
		return err->status;
	dir = r.layout.multi || !r.layout.n ? rank_around(&r.layout, folder) : &r.layout.ranks[0];
	if (dir)
		return rank_facts(&r, dir, false, NULL, arena, ret_facts, err);
	if (find_head_facts(&r, false, err))
		return err->status;
	*ret_facts = r.head.facts;
	return TS_OK;
}
