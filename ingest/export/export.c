/* export.c - a run to a run directory that is read back as the same run.
 *
 * A run of one rank 0 becomes a single directory, any other rank directories. Facts that came from run.json go back to where
 * they stood in it; all others into facts.json by their whole path and with their source. The rows of a run that was
 * restarted are written segment by segment, superseded ones too, so that steps go back where they did. A segment's bytes
 * lie at an offset that a first pass over the rows found.
 */
#include "ingest/export/export.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/export/kept_name.h"
#include "ingest/export/record_write.h"
#include "ingest/facts/facts_json.h"
#include "ingest/facts/facts_write.h"
#include "ingest/facts/run_facts.h"
#include "ingest/facts/run_json.h"
#include "ingest/rundir/side_read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLUSH_AT = 64 << 10 };

/* Where the rows of one segment are written in the file. */
struct lane {
	uint64_t offset;
	uint64_t size;
	struct ts_buf buf;
};

/* A file or directory that was created. It is removed if the export fails. */
struct made {
	struct made *before;
	const char *directory; /* the path below the root; "" = the root */
	const char *name;      /* NULL: the directory itself was created */
};

struct exporter {
	struct ts_view view;
	struct ts_arena arena; /* for one rank */
	struct ts_arena names;
	struct ts_export_names *names_told;
	struct made *made;
	int root; /* the descriptor of the root directory */
	int dir;  /* the descriptor of the current rank's directory */
	const char *dir_name;
	int fd; /* the descriptor of steps.jsonl */
	struct lane *lanes;
	size_t n_lanes;
	bool counting;
	size_t flush_at;
};

/* --- files --- */

static enum ts_status remember(struct exporter *e, const char *directory, const char *name, struct ts_error *err)
{
	struct made *made = ts_arena_alloc(&e->names, sizeof *made);

	if (!made)
		return ts_arena_error(&e->names, err);
	*made = (struct made){.before = e->made, .directory = directory, .name = name};
	e->made = made;
	return TS_OK;
}

static enum ts_status create_file(struct exporter *e, const char *name, int *ret_fd, struct ts_error *err)
{
	char *copy = ts_arena_dup(&e->names, name, strlen(name) + 1);
	int fd;

	if (!copy)
		return ts_arena_error(&e->names, err);
	fd = openat(e->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", name);
	if (remember(e, e->dir_name, copy, err)) {
		(void)close(fd);
		return err->status;
	}
	*ret_fd = fd;
	return TS_OK;
}

static enum ts_status close_file(int fd, enum ts_status status, const char *name, struct ts_error *err)
{
	if (close(fd) < 0 && !status && errno != EINTR)
		return ts_error_errno(err, errno, "%s", name);
	return status;
}

static enum ts_status write_file(struct exporter *e, const char *name, struct ts_buf *buf, struct ts_error *err)
{
	enum ts_status status;
	int fd;

	if (ts_buf_check(buf, err) || create_file(e, name, &fd, err))
		return err->status;
	status = ts_write_full(fd, buf->data, buf->len, err);
	return close_file(fd, status, name, err);
}

static enum ts_status enter_directory(struct exporter *e, const char *name, struct ts_error *err)
{
	char *copy = ts_arena_dup(&e->names, name, strlen(name) + 1);

	if (!copy)
		return ts_arena_error(&e->names, err);
	if (mkdirat(e->root, name, 0777) < 0)
		return ts_error_errno(err, errno, "%s", name);
	if (remember(e, copy, NULL, err))
		return err->status;
	e->dir = openat(e->root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	e->dir_name = copy;
	return e->dir < 0 ? ts_error_errno(err, errno, "%s", name) : TS_OK;
}

static void leave_directory(struct exporter *e)
{
	if (e->dir >= 0 && e->dir != e->root)
		(void)close(e->dir);
	e->dir = e->root;
	e->dir_name = "";
}

/* Removes the newest entry first, so that a directory is empty before it is removed. */
static void remove_made(struct exporter *e, const char *path)
{
	for (struct made *made = e->made; made; made = made->before) {
		char *name = made->name ? ts_arena_printf(&e->names, "%s%s%s", made->directory,
							   *made->directory ? "/" : "", made->name)
					: NULL;

		if (name)
			(void)unlinkat(e->root, name, 0);
		else if (!made->name)
			(void)unlinkat(e->root, made->directory, AT_REMOVEDIR);
	}
	(void)rmdir(path);
}

static bool has_kind(const struct ts_index *index, enum ts_table_kind kind)
{
	for (size_t i = 0; i < index->n_tables; i++)
		if (index->tables[i].kind == kind)
			return true;
	return false;
}

/* Whether there is a file of this name, or a table of the rank is going to be written there. */
static bool is_taken(const struct exporter *e, const struct ts_index *index, const char *name)
{
	struct stat there;

	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		if (has_kind(index, ts_side_files[i].kind) && strcmp(ts_side_files[i].name, name) == 0)
			return true;
	return fstatat(e->dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0;
}

static enum ts_status tell_renamed(struct exporter *e, struct ts_span was, const char *is, struct ts_error *err)
{
	struct ts_renamed *row;

	if (!e->names_told)
		return TS_OK;
	row = ts_arena_alloc(e->names_told->arena, sizeof *row);
	if (row) {
		row->was = ts_span_of(ts_arena_dup(e->names_told->arena, was.data, was.len), was.len);
		row->is = ts_arena_printf(e->names_told->arena, "%s%s%s", e->dir_name, *e->dir_name ? "/" : "", is);
	}
	if (!row || !row->was.data || !row->is)
		return ts_arena_error(e->names_told->arena, err);
	*e->names_told->end = row;
	e->names_told->end = &row->next;
	return TS_OK;
}

static enum ts_status write_kept_file(struct exporter *e, const struct ts_index *index, const struct ts_file *file,
				      struct ts_error *err)
{
	char name[TS_KEPT_NAME_BYTES], first[TS_KEPT_NAME_BYTES];
	bool other = ts_kept_name(file->name, first);
	int fd;

	memcpy(name, first, sizeof name);
	for (unsigned i = 2; is_taken(e, index, name); i++, other = true)
		(void)snprintf(name, sizeof name, "%.*s.kept%u", TS_KEPT_NAME_BYTES - 20, first, i);
	if ((other && tell_renamed(e, file->name, name, err)) || create_file(e, name, &fd, err))
		return err->status;
	return close_file(fd, ts_view_write_file(&e->view, file, fd, err), name, err);
}

/* --- facts --- */

static enum ts_status load_text(struct exporter *e, struct ts_fact *fact, struct ts_error *err)
{
	if (fact->type != TS_FACT_LONG)
		return TS_OK;
	fact->type = TS_FACT_TEXT;
	return ts_view_chunk(&e->view, &fact->text_id, &e->arena, &fact->text, err);
}

/* Collects the facts of run.json by their keys there, sorted. Facts that run.json cannot hold are left for facts.json. */
static enum ts_status collect_run_json(struct exporter *e, struct ts_facts *facts, struct ts_facts *ret_keys,
				       struct ts_error *err)
{
	struct ts_facts all = {.n = 0}, beside;

	for (size_t i = 0; i < facts->n; i++) {
		struct ts_fact fact = facts->items[i];
		bool fits;

		if (fact.source != TS_SOURCE_RUN_JSON)
			continue;
		if (ts_run_json_key(fact.path, &e->arena, &fact.path, err) ||
		    ts_run_json_fits(&facts->items[i], fact.path, &e->arena, &fits, err))
			return err->status;
		if (fits && ts_facts_add(&all, &fact, &e->arena, err))
			return err->status;
	}
	(void)ts_facts_sort(&all);
	return ts_facts_nested(&all, &e->arena, ret_keys, &beside, err);
}

static enum ts_status write_run_json(struct exporter *e, const struct ts_facts *keys, int32_t rank,
				     struct ts_error *err)
{
	struct ts_fact of_rank = {
		.path = ts_span_str("rank"), .type = TS_FACT_INT, .source = TS_SOURCE_RUN_JSON, .integer = rank};
	struct ts_buf buf = TS_BUF_INIT((size_t)TS_JSON_FILE_MAX * 4);
	struct ts_facts own = {.n = 0};
	enum ts_status status;
	bool says_rank = false;

	for (size_t i = 0; i < keys->n; i++) {
		struct ts_span path = keys->items[i].path;

		says_rank |= ts_span_starts(path, of_rank.path) &&
			     (path.len == 4 || path.data[4] == '.' || path.data[4] == '[');
		if (ts_facts_add(&own, &keys->items[i], &e->arena, err))
			return err->status;
	}
	if (own.n == 0)
		return TS_OK;
	if (!says_rank && rank >= 0 && ts_facts_add(&own, &of_rank, &e->arena, err))
		return err->status;
	(void)ts_facts_sort(&own);
	ts_facts_to_json(&own, &buf);
	status = write_file(e, "run.json", &buf, err);
	ts_buf_finish(&buf);
	return status;
}

/* Removes from facts those that run.json holds. */
static enum ts_status leave_others(struct exporter *e, struct ts_facts *facts, const struct ts_facts *keys,
				   struct ts_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->n; i++) {
		struct ts_span key;
		bool fits;

		if (ts_run_json_key(facts->items[i].path, &e->arena, &key, err) ||
		    ts_run_json_fits(&facts->items[i], key, &e->arena, &fits, err))
			return err->status;
		if (facts->items[i].source == TS_SOURCE_RUN_JSON && fits && ts_facts_find(keys, key))
			continue;
		facts->items[kept++] = facts->items[i];
	}
	facts->n = kept;
	return TS_OK;
}

static enum ts_status write_source(struct exporter *e, const struct ts_facts *facts, enum ts_fact_source source,
				   struct ts_json *j, struct ts_error *err)
{
	struct ts_facts own = {.n = 0};

	for (size_t i = 0; i < facts->n; i++)
		if (facts->items[i].source == source && ts_facts_add(&own, &facts->items[i], &e->arena, err))
			return err->status;
	if (!own.n)
		return TS_OK;
	ts_json_object(j);
	ts_json_key(j, "source");
	ts_json_string(j, ts_source_name(source));
	ts_facts_write_paths(&own, j);
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status write_facts_json(struct exporter *e, const struct ts_facts *facts, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT((size_t)TS_JSON_FILE_MAX * 4);
	struct ts_json j = ts_json_of(&buf);
	enum ts_status status = TS_OK;

	if (facts->n == 0)
		return TS_OK;
	j.indent = 2;
	j.python = true;
	ts_json_object(&j);
	ts_json_key(&j, "format");
	ts_json_i64(&j, 1);
	ts_json_key(&j, "sources");
	ts_json_array(&j);
	for (int source = TS_SOURCE_RUN_JSON; source <= TS_SOURCE_PUSHER && !status; source++)
		status = write_source(e, facts, (enum ts_fact_source)source, &j, err);
	ts_json_end(&j);
	ts_json_end(&j);
	ts_buf_char(&buf, '\n');
	if (!status)
		status = write_file(e, "facts.json", &buf, err);
	ts_buf_finish(&buf);
	return status;
}

static enum ts_status write_facts(struct exporter *e, const struct ts_index *index, struct ts_error *err)
{
	struct ts_facts facts, keys;

	if (ts_facts_whole(&e->view.head.facts, &index->facts, &e->arena, &facts, err))
		return err->status;
	for (size_t i = 0; i < facts.n; i++)
		if (load_text(e, &facts.items[i], err))
			return err->status;
	if (collect_run_json(e, &facts, &keys, err) || write_run_json(e, &keys, index->rank, err) ||
	    leave_others(e, &facts, &keys, err))
		return err->status;
	return write_facts_json(e, &facts, err);
}

/* --- steps --- */

static enum ts_status flush(struct exporter *e, struct lane *lane, struct ts_error *err)
{
	size_t done = 0;

	if (ts_buf_check(&lane->buf, err))
		return err->status;
	while (done < lane->buf.len) {
		ssize_t n = pwrite(e->fd, lane->buf.data + done, lane->buf.len - done, (off_t)(lane->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ts_error_errno(err, errno, "steps.jsonl");
		done += (size_t)n;
	}
	lane->offset += lane->buf.len;
	ts_buf_reset(&lane->buf);
	return TS_OK;
}

static enum ts_status put_row(struct exporter *e, const struct ts_rows *rows, struct lane *lane, int64_t step,
			      struct ts_error *err)
{
	struct ts_json j = ts_json_of(&lane->buf);
	size_t before = lane->buf.len;

	j.python = true;
	ts_buf_printf(&lane->buf, "{\"step\":%" PRId64, step);
	j.depth = 1;
	j.close[1] = '}';
	j.any[1] = true;
	ts_record_write(rows, NULL, &j);
	ts_buf_str(&lane->buf, "}\n");
	if (ts_buf_check(&lane->buf, err))
		return err->status;
	if (e->counting) {
		lane->size += lane->buf.len - before;
		ts_buf_reset(&lane->buf);
		return TS_OK;
	}
	return lane->buf.len >= e->flush_at ? flush(e, lane, err) : TS_OK;
}

static enum ts_status lane_of(struct exporter *e, const struct ts_rows *rows, size_t segment, struct lane **ret_lane,
			      struct ts_error *err)
{
	double number = segment == SIZE_MAX || !ts_rows_has(rows, segment) ? 0 : ts_rows_f64(rows, segment);

	if (!(number >= 0) || number >= TS_SEGMENTS_MAX || number != floor(number))
		return ts_error_set(err, TS_DAMAGED, "step %" PRId64 ": no such segment", rows->key);
	if ((size_t)number >= e->n_lanes)
		e->n_lanes = (size_t)number + 1;
	*ret_lane = &e->lanes[(size_t)number];
	return TS_OK;
}

struct walk {
	struct ts_rows rows;
	size_t segment, step, step_text; /* the numbers of these columns */
	bool more;
};

static enum ts_status open_walk(struct exporter *e, struct walk *w, const struct ts_index *index,
				enum ts_table_kind kind, struct ts_error *err)
{
	if (ts_rows_open(&w->rows, &e->view, index, kind, err))
		return err->status;
	w->segment = ts_rows_find(&w->rows, "segment", TS_COLUMN_F64);
	w->step = ts_rows_find(&w->rows, "step", TS_COLUMN_F64);
	w->step_text = ts_rows_find(&w->rows, "step", TS_COLUMN_JSON);
	if (ts_rows_next(&w->rows, &w->more, err)) {
		ts_rows_close(&w->rows);
		return err->status;
	}
	return TS_OK;
}

static enum ts_status step_of(const struct walk *w, enum ts_table_kind kind, int64_t *ret_step, struct ts_error *err)
{
	double step;

	if (kind == TS_TABLE_STEPS) {
		*ret_step = w->rows.key;
		return TS_OK;
	}
	if (w->step_text != SIZE_MAX && ts_rows_has(&w->rows, w->step_text) &&
	    ts_parse_i64(ts_rows_text(&w->rows, w->step_text), ret_step))
		return TS_OK;
	step = w->step == SIZE_MAX || !ts_rows_has(&w->rows, w->step) ? (double)NAN : ts_rows_f64(&w->rows, w->step);
	if (!(fabs(step) < 9.2e18))
		return ts_error_set(err, TS_DAMAGED, "superseded row %" PRId64 " has no step", w->rows.key);
	*ret_step = (int64_t)step;
	return TS_OK;
}

static enum ts_status put_next(struct exporter *e, struct walk *w, int64_t step, struct ts_error *err)
{
	struct lane *lane = NULL;

	if (lane_of(e, &w->rows, w->segment, &lane, err) || put_row(e, &w->rows, lane, step, err))
		return err->status;
	return ts_rows_next(&w->rows, &w->more, err);
}

/* Walks through both kinds of rows together by step, so that each lane gets its rows in order. */
static enum ts_status put_all(struct exporter *e, struct walk *steps, struct walk *superseded, struct ts_error *err)
{
	while (steps->more || superseded->more) {
		int64_t a = INT64_MAX, b = INT64_MAX;

		if ((steps->more && step_of(steps, TS_TABLE_STEPS, &a, err)) ||
		    (superseded->more && step_of(superseded, TS_TABLE_SUPERSEDED, &b, err)))
			return err->status;
		if (superseded->more && (!steps->more || b <= a) ? put_next(e, superseded, b, err)
								  : put_next(e, steps, a, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status pass(struct exporter *e, const struct ts_index *index, bool counting, struct ts_error *err)
{
	struct walk steps, superseded;
	enum ts_status status;

	e->counting = counting;
	if (open_walk(e, &steps, index, TS_TABLE_STEPS, err))
		return err->status;
	if (open_walk(e, &superseded, index, TS_TABLE_SUPERSEDED, err)) {
		ts_rows_close(&steps.rows);
		return err->status;
	}
	status = put_all(e, &steps, &superseded, err);
	ts_rows_close(&steps.rows);
	ts_rows_close(&superseded.rows);
	for (size_t i = 0; i < e->n_lanes && !status && !counting; i++)
		status = flush(e, &e->lanes[i], err);
	return status;
}

/* If the run never went back, one pass suffices, with a single lane from offset 0. */
static bool has_segments(const struct ts_index *index)
{
	return ts_index_column(index, TS_TABLE_STEPS, ts_span_str("segment"), TS_COLUMN_F64, NULL) ||
	       ts_index_column(index, TS_TABLE_SUPERSEDED, ts_span_str("segment"), TS_COLUMN_F64, NULL);
}

/* A line says that a segment begins, so that no reader has to find that out by the steps. */
static bool says_restart(const struct exporter *e, size_t i)
{
	bool before = false;

	for (size_t k = 0; k < i && !before; k++)
		before = e->lanes[k].size > 0;
	return before && e->lanes[i].size > 0;
}

static enum ts_status write_rows(struct exporter *e, const struct ts_index *index, struct ts_error *err)
{
	uint64_t offset = 0;

	e->n_lanes = 0;
	e->flush_at = FLUSH_AT;
	for (size_t i = 0; i < TS_SEGMENTS_MAX; i++) {
		e->lanes[i].offset = e->lanes[i].size = 0;
		e->lanes[i].buf = TS_BUF_INIT(4 * TS_LINE_MAX + FLUSH_AT);
	}
	if (has_segments(index)) {
		if (pass(e, index, true, err))
			return err->status;
		for (size_t i = 0; i < e->n_lanes; i++) {
			if (says_restart(e, i)) {
				ts_buf_str(&e->lanes[i].buf, TS_RANGE_RESTART "\n");
				e->lanes[i].size += e->lanes[i].buf.len;
			}
			e->lanes[i].offset = offset;
			offset += e->lanes[i].size;
		}
		if (e->n_lanes > 256)
			e->flush_at = FLUSH_AT / 16;
	}
	return pass(e, index, false, err);
}

static enum ts_status write_steps(struct exporter *e, const struct ts_index *index, struct ts_error *err)
{
	enum ts_status status;

	if (create_file(e, "steps.jsonl", &e->fd, err))
		return err->status;
	e->lanes = ts_alloc_array(TS_SEGMENTS_MAX, sizeof *e->lanes);
	status = e->lanes ? write_rows(e, index, err) : ts_error_set(err, TS_NO_MEMORY, "out of memory for an export");
	for (size_t i = 0; e->lanes && i < TS_SEGMENTS_MAX; i++)
		ts_buf_finish(&e->lanes[i].buf);
	ts_free(e->lanes);
	e->lanes = NULL;
	return close_file(e->fd, status, "steps.jsonl", err);
}

/* --- events and digests --- */

static enum ts_status put_records(struct ts_rows *rows, struct ts_buf *buf, int fd, struct ts_error *err)
{
	bool more;

	for (;;) {
		struct ts_json j = ts_json_of(buf);

		if (ts_rows_next(rows, &more, err))
			return err->status;
		if (!more || buf->len >= FLUSH_AT) {
			if (ts_buf_check(buf, err) || ts_write_full(fd, buf->data, buf->len, err))
				return err->status;
			ts_buf_reset(buf);
		}
		if (!more)
			return TS_OK;
		j.python = true;
		ts_json_object(&j);
		ts_record_write(rows, NULL, &j);
		ts_json_end(&j);
		ts_buf_char(buf, '\n');
	}
}

static enum ts_status write_side_file(struct exporter *e, const struct ts_index *index, const struct ts_side_file *file,
				      struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(4 * TS_LINE_MAX + FLUSH_AT);
	struct ts_rows rows;
	enum ts_status status;
	int fd;

	if (!has_kind(index, file->kind))
		return TS_OK;
	if (ts_rows_open(&rows, &e->view, index, file->kind, err))
		return err->status;
	status = create_file(e, file->name, &fd, err);
	if (!status)
		status = close_file(fd, put_records(&rows, &buf, fd, err), file->name, err);
	ts_buf_finish(&buf);
	ts_rows_close(&rows);
	return status;
}

/* --- ranks --- */

static enum ts_status write_rank(struct exporter *e, const struct ts_index *index, struct ts_error *err)
{
	bool job = index->rank == TS_RANK_JOB;
	bool alone = e->view.head.n_ranks == 1;
	const struct made *before = e->made;

	for (size_t i = 0; i < index->n_files; i++)
		if (write_kept_file(e, index, &index->files[i], err))
			return err->status;
	if ((!job || alone) && write_facts(e, index, err))
		return err->status;
	for (size_t i = 0; i < TS_SIDE_FILES; i++)
		if (!ts_side_files[i].frames && write_side_file(e, index, &ts_side_files[i], err))
			return err->status;
	if (job)
		return TS_OK;
	/* A rank for which nothing was recorded still gets its directory, and events.jsonl alone makes none. */
	return has_kind(index, TS_TABLE_STEPS) || has_kind(index, TS_TABLE_SUPERSEDED) || has_kind(index, TS_TABLE_EVENTS) ||
			       e->made == before
		       ? write_steps(e, index, err)
		       : TS_OK;
}

static enum ts_status export_rank(struct exporter *e, size_t i, bool single, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_index index;
	char name[32] = ".";

	ts_arena_reset(&e->arena);
	if (ts_view_index(&e->view, i, &e->arena, &index, err))
		return err->status;
	if (!single && index.rank != TS_RANK_JOB) {
		(void)snprintf(name, sizeof name, "rank%d", (int)index.rank);
		status = enter_directory(e, name, err);
	}
	if (!status && write_rank(e, &index, err))
		status = ts_error_prefix(err, "%s", name);
	leave_directory(e);
	return status;
}

static enum ts_status export_ranks(struct exporter *e, struct ts_error *err)
{
	const struct ts_head *head = &e->view.head;
	const struct ts_fact *rank =
		ts_facts_of_source(&head->facts, ts_span_str("parallelism.rank"), TS_SOURCE_RUN_JSON);
	/* A run.json can contradict its directory only if there is such a directory. */
	bool single = head->n_ranks == 1 && head->ranks[0].rank == 0 && !(rank && rank->type == TS_FACT_INT);
	enum ts_status status = TS_OK;

	for (size_t i = 0; i < head->n_ranks && !status; i++)
		status = export_rank(e, i, single, err);
	/* If a job has files but no rank, an empty rank directory shows that the files belong to the job. */
	if (!status && head->n_ranks == 1 && head->ranks[0].rank == TS_RANK_JOB) {
		status = enter_directory(e, "rank0", err);
		leave_directory(e);
	}
	return status;
}

enum ts_status ts_export_run_dir(const struct ts_id *head, ts_object_source *get, void *ctx, const char *path,
				 struct ts_export_names *names, struct ts_error *err)
{
	struct exporter e = {.dir_name = "", .names_told = names};
	enum ts_status status;

	if (names)
		names->end = &names->first;
	if (ts_view_open(&e.view, head, get, ctx, err))
		return err->status;
	ts_arena_init(&e.arena, 0);
	ts_arena_init(&e.names, 0);
	if (mkdir(path, 0777) < 0) {
		status = errno == EEXIST ? ts_error_set(err, TS_INVALID, "%s is there already", path)
					 : ts_error_errno(err, errno, "%s", path);
	} else {
		e.root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		e.dir = e.root;
		status = e.root < 0 ? ts_error_errno(err, errno, "%s", path) : export_ranks(&e, err);
		if (status) {
			(void)ts_error_prefix(err, "%s", path);
			remove_made(&e, path);
		}
		if (e.root >= 0)
			(void)close(e.root);
	}
	ts_arena_finish(&e.names);
	ts_arena_finish(&e.arena);
	ts_view_close(&e.view);
	return status;
}
