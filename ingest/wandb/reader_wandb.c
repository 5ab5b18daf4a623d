#include "ingest/wandb/reader_wandb.h"

#include "base/below.h"
#include "base/order.h"
#include "base/path.h"
#include "base/pb.h"
#include "ingest/rows/import.h"
#include "ingest/wandb/wandb_facts.h"
#include "ingest/wandb/wandb_fields.h"
#include "ingest/wandb/wandb_history.h"
#include "ingest/wandb/wandb_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char ts_wandb_loses[] = "images and other media, console output, artifacts, the times of system metrics";

enum { SURE = 60, ABOUT_RECORDS = 64 /* the run's own record is one of the first */ };

/* One log of a run, which has several if it was resumed. */
struct part {
	const char *folder; /* as it was given */
	const char *path;   /* of the log */
	struct ts_span file; /* for notices */
	uint64_t sound;	     /* up to where the search for the axis found every checksum right */
};

struct wandb {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read, told;
	struct part *parts; /* in the order of time */
	size_t n_parts, part; /* part: which one is read */
	uint64_t before;      /* bytes of the parts before it */
	const char *beside; /* the directory of the last log with a '/' at the end; "" for the current directory */
	struct ts_wandb_history history;
	struct ts_fact_tree facts;
	bool any_environment, has_exit;
	int64_t exit_code;
};

/* --- which files --- */

static bool is_log_name(const char *name)
{
	size_t n = strlen(name);

	return n > 6 && strcmp(name + n - 6, ".wandb") == 0;
}

/* Returns whether this is a log: a regular file, no link (which may lead elsewhere), and with more in it than its preamble. */
static bool is_log(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > TS_WANDB_PREAMBLE;
}

/* Finds the log of a directory. TS_INVALID: the directory does not have exactly one. */
static enum ts_status log_in(const char *top, const char *directory, struct ts_arena *arena, const char **ret_path,
			     struct ts_error *err)
{
	const char *found = NULL;
	size_t n, logs = 0;
	char **names;

	if (ts_below_list(top, directory, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *path;

		if (!is_log_name(names[i]))
			continue;
		path = ts_path_join(arena, directory, names[i]);
		if (!path)
			return ts_arena_error(arena, err);
		if (!is_log(path))
			continue;
		logs++;
		found = path;
	}
	if (logs != 1)
		return ts_error_set(err, TS_INVALID, "%s: the directory must have exactly one .wandb file", directory);
	*ret_path = found;
	return TS_OK;
}

int ts_wandb_sniff(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);
	struct ts_arena arena;
	struct ts_error err;
	const char *log;
	int sure = SURE;

	if (kind == TS_FILE_REGULAR) {
		struct stat st;

		return is_log_name(path) && stat(path, &st) == 0 && st.st_size > TS_WANDB_PREAMBLE ? SURE : 0;
	}
	if (kind != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	if (log_in(path, path, &arena, &log, &err))
		sure = err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
	ts_arena_finish(&arena);
	return sure;
}

/* Notes that something of a message was not kept. Only the lack of memory ends the reading. */
static enum ts_status doubt(struct wandb *w, enum ts_status status, struct ts_error *err)
{
	if (status == TS_INVALID || status == TS_TOO_LARGE) {
		ts_wandb_tell(&w->history.s, "bad_message", TS_NOTICE_SKIPPED, err->text);
		return TS_OK;
	}
	return status;
}

/* --- records --- */

static bool asks_to_resume(struct ts_span run)
{
	struct ts_pb pb = ts_pb_of(run);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f))
		if (f.number == RUN_RESUME && f.wire == TS_PB_VARINT)
			return f.value != 0;
	return false;
}

static enum ts_status take_part(struct wandb *w, const struct ts_pb_field *f, struct ts_error *err)
{
	switch (f->number) {
	case RECORD_HISTORY:
		return ts_wandb_history_steps(&w->history, f->bytes, err);
	case RECORD_SUMMARY:
		return ts_wandb_history_summary(&w->history, f->bytes, err);
	case RECORD_CONFIG:
		return doubt(w, ts_wandb_config(&w->facts, f->bytes, err), err);
	case RECORD_STATS:
		ts_wandb_history_system(&w->history, f->bytes);
		return TS_OK;
	case RECORD_TELEMETRY:
		return doubt(w, ts_wandb_telemetry(&w->facts, f->bytes, err), err);
	case RECORD_RUN:
		w->history.resumes |= asks_to_resume(f->bytes);
		return doubt(w, ts_wandb_run(&w->facts, f->bytes, w->part == 0, err), err);
	case RECORD_EXIT:
		w->has_exit = true;
		return doubt(w, ts_wandb_exit(&w->facts, f->bytes, &w->exit_code, err), err);
	case RECORD_HEADER:
		return doubt(w, ts_wandb_header(&w->facts, f->bytes, err), err);
	case RECORD_ENVIRONMENT:
		w->any_environment = true;
		return doubt(w, ts_wandb_environment(&w->facts, f->bytes, err), err);
	default:
		return TS_OK;
	}
}

static enum ts_status take_record(struct wandb *w, struct ts_span record, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(record);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f))
		if (f.wire == TS_PB_BYTES && take_part(w, &f, err))
			return err->status;
	if (pb.broken)
		ts_wandb_tell(&w->history.s, "bad_message", TS_NOTICE_SKIPPED, "a record that does not fit its length");
	return ts_wandb_history_check(&w->history, err);
}

static enum ts_status read_records(struct wandb *w, struct ts_wandb_log *log, struct ts_error *err)
{
	struct ts_span record;
	enum ts_wandb_end end;

	for (;;) {
		if (ts_wandb_log_next(log, &record, &end, err))
			return err->status;
		w->history.s.at = log->told;
		if (end == TS_WANDB_MORE && take_record(w, record, err))
			return err->status;
		if (end == TS_WANDB_LONG)
			ts_wandb_tell(&w->history.s, "long_record", TS_NOTICE_SKIPPED, "a record of more than 16 MiB");
		if (end == TS_WANDB_DAMAGED)
			ts_wandb_tell(&w->history.s, "bad_block", TS_NOTICE_SKIPPED,
				      "a checksum or a length is wrong; the rest of its 32 KiB is not read");
		if (end == TS_WANDB_CUT)
			ts_wandb_tell(&w->history.s, "cut_record", TS_NOTICE_INFO,
				      "the file ends inside a record, like a file that is still being written");
		if (end == TS_WANDB_END || end == TS_WANDB_CUT)
			return ts_wandb_history_end(&w->history, err);
		if (ts_ingest_tell(w->options, &w->told, w->before + log->at, w->before + log->size, err))
			return err->status;
	}
}

/* --- the axis --- */

static enum ts_status scan_record(struct ts_wandb_axes *axes, struct ts_span record, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(record);
	struct ts_pb_field f;
	enum ts_status status = TS_OK;

	while (!status && ts_pb_next(&pb, &f)) {
		if (f.wire == TS_PB_BYTES && f.number == RECORD_METRIC)
			status = ts_wandb_axes_metric(axes, f.bytes, err);
		if (f.wire == TS_PB_BYTES && f.number == RECORD_HISTORY)
			status = ts_wandb_axes_steps(axes, f.bytes, err);
	}
	return status;
}

static enum ts_status scan_log(struct ts_wandb_axes *axes, const char *top, struct part *part, struct ts_error *err)
{
	struct ts_wandb_log log;
	struct ts_span record;
	enum ts_wandb_end end = TS_WANDB_MORE;
	enum ts_status status = ts_wandb_log_open(&log, &ts_wandb_kind, top, part->path, err);

	while (!status && end != TS_WANDB_END && end != TS_WANDB_CUT) {
		status = ts_wandb_log_next(&log, &record, &end, err);
		if (!status && end == TS_WANDB_MORE)
			status = scan_record(axes, record, err);
	}
	part->sound = status ? 0 : ts_wandb_log_sound(&log);
	ts_wandb_log_close(&log);
	return status ? ts_error_prefix(err, "%s", part->path) : TS_OK;
}

/* Reads the log once for its axis: a declaration may come behind the first steps. */
static enum ts_status find_axis(struct wandb *w, struct ts_error *err)
{
	struct ts_wandb_axes axes;
	enum ts_status status = ts_wandb_axes_init(&axes, w->arena, err);
	const struct ts_wandb_axis *axis = &w->history.axis;

	for (size_t i = 0; !status && i < w->n_parts; i++)
		status = scan_log(&axes, ts_top(w->options), &w->parts[i], err);
	if (!status)
		status = ts_wandb_axes_choose(&axes, &w->history.axis, err);
	ts_wandb_axes_finish(&axes);
	if (!status && axis->refused.len)
		ts_notice_add(&w->notices, "axis_not_whole", TS_NOTICE_INFO, w->parts[0].file, 0,
			      ts_arena_printf(w->arena, "%.*s has values that are no whole numbers, so _step is the step",
					      TS_SPAN_ARG(axis->refused)));
	return status;
}

/* --- the run --- */

static enum ts_status feed_part(struct wandb *w, struct ts_error *err)
{
	const struct part *part = &w->parts[w->part];
	struct ts_wandb_log log;
	enum ts_status status = ts_wandb_log_open(&log, &ts_wandb_kind, ts_top(w->options), part->path, err);

	log.trusted = part->sound;
	w->history.s.file = part->file;
	w->any_environment = w->has_exit = false;
	ts_wandb_history_part(&w->history);
	ts_rows_part(w->history.s.rows);
	if (!status)
		status = read_records(w, &log, err);
	w->bytes_read += status ? 0 : log.size;
	w->before += log.size;
	ts_wandb_log_close(&log);
	return status && status != TS_CANCELLED ? ts_error_prefix(err, "%s", part->path) : status;
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct wandb *w = ctx;

	w->told = w->before = 0;
	ts_fact_tree_reset(&w->facts);
	if (ts_wandb_history_begin(&w->history, rows, err))
		return err->status;
	for (w->part = 0; w->part < w->n_parts; w->part++)
		if (feed_part(w, err))
			return err->status;
	return TS_OK;
}

/* Reads a file beside the log, of at most 1 MiB. The file may be missing. */
static enum ts_status take_file(struct wandb *w, const char *name,
				enum ts_status (*take)(struct ts_fact_tree *, struct ts_span, struct ts_error *), struct ts_error *err)
{
	const char *path = ts_arena_printf(w->arena, "%sfiles/%s", w->beside, name);
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error why;
	enum ts_status status;

	if (!path)
		return ts_arena_error(w->arena, err);
	if (!ts_reader_has(ts_top(w->options), path, ts_span_str(path + strlen(w->beside)), &w->notices))
		return TS_OK;
	status = ts_below_read(ts_top(w->options), path, &buf, &why);
	if (!status)
		status = take(&w->facts, ts_buf_view(&buf), &why);
	ts_buf_finish(&buf);
	if (status == TS_NO_MEMORY) {
		*err = why;
		return status;
	}
	if (status)
		ts_notice_add(&w->notices, "bad_side_file", TS_NOTICE_SKIPPED, ts_span_str(path + strlen(w->beside)), 0,
			      why.text);
	return TS_OK;
}

/* What one part says of its own duration is not the run's. */
static enum ts_status count_parts(struct wandb *w, struct ts_error *err)
{
	char n[24];
	uint32_t node;

	if (ts_fact_tree_path(&w->facts, "session.wall_time", &node, err))
		return err->status;
	ts_fact_tree_remove(&w->facts, node);
	(void)snprintf(n, sizeof n, "%zu", w->n_parts);
	return ts_fact_tree_path(&w->facts, "other.wandb.parts", &node, err) ? err->status
									     : ts_fact_tree_set(&w->facts, node, ts_span_str(n), err);
}

static enum ts_status write_facts(void *ctx, struct ts_buf *json, struct ts_error *err)
{
	struct wandb *w = ctx;
	struct ts_json j = ts_json_of(json);

	if (ts_wandb_history_facts(&w->history, err) || (w->n_parts > 1 && count_parts(w, err)) ||
	    (!w->any_environment && take_file(w, "wandb-metadata.json", ts_wandb_metadata, err)) ||
	    take_file(w, "requirements.txt", ts_wandb_requirements, err))
		return err->status;
	ts_fact_tree_write(&w->facts, &j);
	return TS_OK;
}

static bool finished(void *ctx)
{
	const struct wandb *w = ctx;

	return w->has_exit && w->exit_code == 0;
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum ts_status find_part(struct wandb *w, const char *folder, struct part *ret_part, struct ts_error *err)
{
	const char *file;

	*ret_part = (struct part){.folder = folder, .path = folder, .file = ts_span_str("")};
	if (ts_file_kind(folder) != TS_FILE_DIRECTORY)
		return TS_OK;
	if (log_in(ts_top(w->options), folder, w->arena, &ret_part->path, err))
		return err->status;
	file = last_of(ret_part->path);
	if (folder != w->options->path)
		file = ts_arena_printf(w->arena, "../%s/%s", last_of(folder), file);
	if (!file)
		return ts_arena_error(w->arena, err);
	ret_part->file = ts_span_str(file);
	return TS_OK;
}

/* The time in the folder's name: "run-20261121_000004-x", "offline-run-20261121_000004-x". */
static const char *begun(const struct part *part)
{
	const char *name = last_of(part->folder), *run = strstr(name, "run-");

	return run ? run : name;
}

TS_ORDER(by_time, struct part, TS_THEN(strcmp(begun(a), begun(b))))

static enum ts_status find_parts(struct wandb *w, struct ts_error *err)
{
	const struct ts_ingest_options *o = w->options;
	const char *last;

	w->parts = ts_arena_array(w->arena, o->n_more + 1, sizeof *w->parts);
	if (!w->parts)
		return ts_arena_error(w->arena, err);
	for (w->n_parts = 0; w->n_parts <= o->n_more; w->n_parts++)
		if (find_part(w, w->n_parts ? o->more[w->n_parts - 1] : o->path, &w->parts[w->n_parts], err))
			return err->status;
	TS_SORT(w->parts, w->n_parts, by_time);
	last = w->parts[w->n_parts - 1].path;
	w->beside = ts_arena_printf(w->arena, "%.*s", (int)(last_of(last) - last), last);
	return w->beside ? TS_OK : ts_arena_error(w->arena, err);
}

/* --- what the beginning says --- */

static enum ts_status about_record(struct ts_span record, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(record);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f))
		if (f.wire == TS_PB_BYTES && f.number == RECORD_RUN)
			return ts_wandb_run_about(f.bytes, arena, ret_about, err);
	return TS_OK;
}

static bool cannot_go_on(enum ts_status status)
{
	return status == TS_NO_MEMORY || status == TS_TOO_LARGE;
}

enum ts_status ts_wandb_about(const char *path, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err)
{
	struct ts_run_about about = {.own_name = NULL};
	const char *top = path;
	struct ts_wandb_log log;
	struct ts_span record;
	enum ts_wandb_end end = TS_WANDB_MORE;
	enum ts_status status = TS_OK;

	if (ts_file_kind(path) == TS_FILE_DIRECTORY)
		status = log_in(top, path, arena, &path, err);
	if (status)
		return cannot_go_on(status) ? status : TS_OK;
	status = ts_wandb_log_open(&log, &ts_wandb_kind, top, path, err);
	for (int i = 0; !status && !about.key && i < ABOUT_RECORDS && end != TS_WANDB_END && end != TS_WANDB_CUT; i++) {
		status = ts_wandb_log_next(&log, &record, &end, err);
		if (!status && end == TS_WANDB_MORE)
			status = about_record(record, arena, &about, err);
	}
	ts_wandb_log_close(&log);
	if (cannot_go_on(status))
		return status;
	*ret_about = about;
	return TS_OK;
}

enum ts_status ts_wandb_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct wandb w = {.options = options, .arena = arena, .notices = {.arena = arena}};
	struct ts_import import = {.format = "W&B log",
				   .rows = {.feed = feed, .ctx = &w},
				   .facts = write_facts,
				   .ctx = &w,
				   .finished = finished};
	enum ts_status status;

	if (ts_wandb_history_init(&w.history, arena, &w.notices, &w.facts, err) || find_parts(&w, err) || find_axis(&w, err))
		return err->status;
	ts_fact_tree_init(&w.facts);
	status = ts_import_run(&import, options, sink, ctx, &w.notices, &w.bytes_read, arena, ret_result, err);
	ts_wandb_history_finish(&w.history);
	ts_fact_tree_finish(&w.facts);
	return status;
}
