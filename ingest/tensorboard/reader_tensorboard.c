#include "ingest/tensorboard/reader_tensorboard.h"

#include "base/below.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/facts/keys.h"
#include "ingest/rows/import.h"
#include "ingest/rows/log_names.h"
#include "ingest/tensorboard/hparams_session.h"
#include "ingest/tensorboard/summary_event.h"
#include "ingest/tensorboard/tfrecord.h"

#include <stdio.h>
#include <unistd.h>

const char ts_tensorboard_loses[] = "images, histograms, audio, text, graphs";

enum {
	TAGS_MAX = 65536,
	SURE = 60,
	HEADER_ONLY = 128, /* bytes; a file of this size has only its version and its writer, as many jobs leave behind */
};

struct tag {
	bool known;
	enum ts_precision precision;
	uint32_t column;
	double factor;
};

/* A run is all event files of a directory. */
struct board {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read, bytes_total, told;
	char **files; /* the names of the files, in order */
	size_t n_files;
	const char *directory; /* NULL if a single file was named */
	/* used while feeding */
	struct ts_rows *rows;
	struct ts_keys keys; /* the number of each tag */
	struct tag *tags;    /* one for each key */
	struct ts_log_names names;
	struct ts_span file; /* the file that notices name */
	uint32_t timestamp;  /* the column's number + 1 */
	bool any_step;
	int64_t step;
	/* what else was found */
	struct ts_buf hparams; /* JSON object; empty: none */
	struct ts_hparams_session session;
	struct ts_span host;
	int64_t started; /* seconds since 1970; 0 = not known */
};

static bool says_something(const char *top, const char *path)
{
	struct ts_error ignored;
	uint64_t size = 0;
	int fd;

	if (ts_below_open(top, path, &fd, &size, &ignored))
		return true; /* reading it later reports why it cannot be read */
	(void)close(fd);
	return size > HEADER_ONLY;
}

/* Looks for an event file among the names. A link or a FIFO counts only if there is nothing else: reading it reports what it is. */
static int sniff_names(const char *path, char **names, size_t n, struct ts_arena *arena)
{
	bool other = false, file = false;

	for (size_t i = 0; i < n; i++) {
		const char *one = ts_event_file_name(names[i]) ? ts_path_join(arena, path, names[i]) : "";

		if (!one)
			return TS_SNIFF_NO_MEMORY;
		if (!*one || ts_file_kind(one) == TS_FILE_DIRECTORY)
			continue;
		if (ts_below_kind(path, one) != TS_FILE_REGULAR)
			other = true;
		else if (says_something(path, one))
			return SURE;
		else
			file = true;
	}
	return other && !file ? SURE : 0;
}

int ts_tensorboard_sniff(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);
	struct ts_arena arena;
	struct ts_error err;
	char **names;
	size_t n = 0;
	int sure;

	if (kind == TS_FILE_REGULAR)
		return ts_event_file_name(ts_path_last(path)) && says_something(path, path) ? SURE : 0;
	if (kind != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	if (ts_below_list(path, path, &arena, &names, &n, &err))
		sure = err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
	else
		sure = sniff_names(path, names, n, &arena);
	ts_arena_finish(&arena);
	return sure;
}

enum ts_status ts_tensorboard_passes_over(const char *directory, const char *entry, bool *ret_passes_over, struct ts_error *err)
{
	struct ts_hparams_session session = {.name = NULL};
	struct ts_arena arena;
	enum ts_status status = TS_OK;
	int sure = ts_hparams_session_name(entry) ? ts_tensorboard_sniff(directory) : 0;

	ts_arena_init(&arena, 0);
	if (sure > 0)
		status = ts_hparams_session(directory, directory, &arena, &session, err);
	else if (sure == TS_SNIFF_NO_MEMORY)
		status = ts_error_set(err, TS_NO_MEMORY, "%s: out of memory", directory);
	*ret_passes_over = session.name && strcmp(session.name, entry) == 0;
	ts_arena_finish(&arena);
	return status;
}

static void tell(struct board *b, const char *code, enum ts_notice_level level, uint64_t at, const char *what)
{
	char detail[200];

	(void)snprintf(detail, sizeof detail, "byte %" PRIu64 ": %s", at, what);
	ts_notice_add(&b->notices, code, level, b->file, 0, detail);
}

/* --- tags and values --- */

static enum ts_status make_column(struct board *b, struct tag *tag, struct ts_span name, enum ts_precision precision,
				  struct ts_error *err)
{
	struct ts_log_name ours;
	struct ts_rows_column column = {.source = name, .type = TS_COLUMN_F64};

	if (ts_log_name(&b->names, name, &ours, err))
		return err->status;
	column.name = ours.column;
	column.precision = ours.factor == 1 ? precision : TS_PRECISION_F64;
	tag->factor = ours.factor;
	tag->precision = precision;
	tag->known = true;
	return ts_rows_column(b->rows, &column, &tag->column, err);
}

static enum ts_status put_value(struct board *b, struct ts_span name, double value, enum ts_precision precision, struct ts_error *err)
{
	uint32_t key = ts_keys_get(&b->keys, TS_KEY_ROOT, name);
	struct tag *tag;

	if (key == TS_KEY_NONE && b->keys.no_memory)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for tags");
	if (key == TS_KEY_NONE) {
		ts_notice_add(&b->notices, "too_many_columns", TS_NOTICE_SKIPPED, b->file, 0, "more than 65535 tags");
		return TS_OK;
	}
	tag = &b->tags[key];
	if ((!tag->known || tag->precision > precision) && make_column(b, tag, name, precision, err))
		return err->status;
	return ts_rows_f64(b->rows, tag->column, value * tag->factor, err);
}

/* The row of a step has the time of the step's first event. */
static enum ts_status begin_step(struct board *b, const struct ts_event *e, struct ts_error *err)
{
	struct ts_rows_column column = {.name = ts_span_str("timestamp"), .type = TS_COLUMN_F64, .quiet = true};

	if (b->any_step && b->step == e->step)
		return TS_OK;
	if (ts_rows_step(b->rows, e->step, err))
		return err->status;
	b->any_step = true;
	b->step = e->step;
	if (!(e->wall_time > 0))
		return TS_OK;
	if (!b->timestamp) {
		if (ts_rows_column(b->rows, &column, &b->timestamp, err))
			return err->status;
		b->timestamp++;
	}
	return ts_rows_f64(b->rows, b->timestamp - 1, e->wall_time, err);
}

/* --- events --- */

static enum ts_status take_value(struct board *b, const struct ts_event *e, struct ts_span message, uint64_t at, struct ts_error *err)
{
	struct ts_event_value v;
	struct ts_tensor tensor;
	enum ts_tensor_kind kind;

	if (!ts_event_value_parts(message, &v)) {
		tell(b, "bad_message", TS_NOTICE_SKIPPED, at, "a summary's value that does not fit its length");
		return TS_OK;
	}
	if (ts_event_hparams(&v, &b->hparams))
		return TS_OK;
	kind = ts_event_number(&v, &tensor);
	if (kind == TS_TENSOR_BROKEN)
		tell(b, "bad_message", TS_NOTICE_SKIPPED, at, "a tensor that does not fit its type");
	else if (kind == TS_TENSOR_OTHER)
		tell(b, "not_scalar", TS_NOTICE_SKIPPED, at, v.other ? v.other : "a tensor that is not a single number");
	if (kind != TS_TENSOR_NUMBER)
		return TS_OK;
	if (begin_step(b, e, err))
		return err->status;
	return put_value(b, v.tag, tensor.value, tensor.precision, err);
}

static enum ts_status take_summary(struct board *b, const struct ts_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(e->summary);
	struct ts_span value;

	while (ts_event_next(&pb, &value))
		if (take_value(b, e, value, at, err))
			return err->status;
	if (pb.broken)
		tell(b, "bad_message", TS_NOTICE_SKIPPED, at, "a summary that does not fit its length");
	return TS_OK;
}

static enum ts_status take_event(struct board *b, struct ts_span record, uint64_t at, struct ts_error *err)
{
	struct ts_event e;

	if (!ts_event_parts(record, &e)) {
		tell(b, "bad_message", TS_NOTICE_SKIPPED, at, "an event that does not fit its length");
		return TS_OK;
	}
	if (ts_event_starts(&e)) {
		b->any_step = false;
		if (ts_rows_restart(b->rows, e.step, err))
			return err->status;
	}
	return e.has_summary ? take_summary(b, &e, at, err) : TS_OK;
}

/* --- files --- */

static enum ts_status read_records(struct board *b, struct ts_tfrecord *t, struct ts_error *err)
{
	struct ts_span record;
	enum ts_tfrecord_end end;

	for (;;) {
		uint64_t at = t->at;

		if (ts_tfrecord_next(t, &record, &end, err))
			return err->status;
		if (end == TS_TFRECORD_MORE && take_event(b, record, at, err))
			return err->status;
		if (end == TS_TFRECORD_LONG)
			tell(b, "long_record", TS_NOTICE_SKIPPED, at, "an event of more than 16 MiB");
		if (end == TS_TFRECORD_CUT)
			tell(b, "cut_record", TS_NOTICE_INFO, at, "the file ends inside an event; it may still be being written");
		if (end == TS_TFRECORD_DAMAGED)
			tell(b, "bad_crc", TS_NOTICE_SKIPPED, at, "a checksum is wrong; what lies behind it in this file is not read");
		if (end > TS_TFRECORD_LONG)
			return TS_OK;
		if (ts_ingest_tell(b->options, &b->told, b->bytes_read + t->at, b->bytes_total, err))
			return err->status;
	}
}

static const char *path_of(struct board *b, const char *name)
{
	return b->directory ? ts_path_join(b->arena, b->directory, name) : b->options->path;
}

static enum ts_status read_file(struct board *b, const char *name, struct ts_error *err)
{
	const char *path = path_of(b, name);
	struct ts_tfrecord t;
	enum ts_status status;

	if (!path)
		return ts_arena_error(b->arena, err);
	b->file = b->directory ? ts_span_str(name) : ts_span_str("");
	b->names.file = b->file;
	b->any_step = false;
	ts_rows_part(b->rows);
	status = ts_tfrecord_open(&t, ts_top(b->options), path, err);
	if (!status)
		status = read_records(b, &t, err);
	b->bytes_read += status ? 0 : t.size;
	ts_tfrecord_close(&t);
	return status && status != TS_CANCELLED ? ts_error_prefix(err, "%s", path) : status;
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct board *b = ctx;

	b->rows = rows;
	b->any_step = false;
	b->timestamp = 0;
	b->told = 0;
	b->names.n = 0;
	b->names.notices = &b->notices;
	memset(b->tags, 0, TAGS_MAX * sizeof *b->tags);
	for (size_t i = 0; i < b->n_files; i++)
		if (read_file(b, b->files[i], err))
			return err->status;
	return TS_OK;
}

/* --- facts --- */

/* Reads events.out.tfevents.<seconds>.<host>.<pid>... The name of the host may contain dots; digits follow it. */
static void name_parts(struct board *b, const char *name)
{
	struct ts_span rest = ts_span_str(strstr(name, ".tfevents.") + strlen(".tfevents."));
	size_t digits = 0, end;

	while (digits < rest.len && rest.data[digits] >= '0' && rest.data[digits] <= '9')
		digits++;
	if (digits == 0 || digits == rest.len || rest.data[digits] != '.' || !ts_parse_i64(ts_span_of(rest.data, digits), &b->started))
		return;
	rest = ts_span_of(rest.data + digits + 1, rest.len - digits - 1);
	for (end = 0; end < rest.len; end++)
		if (rest.data[end] == '.' && end + 1 < rest.len && rest.data[end + 1] >= '0' && rest.data[end + 1] <= '9')
			break;
	b->host = ts_span_of(rest.data, end);
}

static enum ts_status write_facts(void *ctx, struct ts_buf *json, struct ts_error *err)
{
	struct board *b = ctx;
	struct ts_json j = ts_json_of(json);

	if (ts_buf_check(&b->hparams, err))
		return err->status;
	ts_json_object(&j);
	if (b->hparams.len || b->session.name) {
		ts_json_key(&j, "config");
		ts_json_raw(&j, b->hparams.len ? ts_buf_view(&b->hparams) : b->session.config);
	}
	if (b->session.name && b->session.metrics.len) {
		ts_json_key(&j, "other");
		ts_json_object(&j);
		ts_json_key(&j, "tensorboard");
		ts_json_object(&j);
		ts_json_key(&j, "final");
		ts_json_raw(&j, b->session.metrics);
		ts_json_end(&j);
		ts_json_end(&j);
	}
	ts_json_key(&j, "session");
	ts_json_object(&j);
	if (b->host.len) {
		ts_json_key(&j, "host");
		ts_json_span(&j, b->host);
	}
	if (b->started > 0) {
		ts_json_key(&j, "started");
		ts_json_i64(&j, b->started);
	}
	ts_json_end(&j);
	ts_json_end(&j);
	return TS_OK;
}

static enum ts_status find_files(struct board *b, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_file_kind(b->options->path) == TS_FILE_REGULAR) {
		b->files = ts_arena_array(b->arena, 1, sizeof *b->files);
		if (!b->files)
			return ts_arena_error(b->arena, err);
		b->files[b->n_files++] = ts_arena_printf(b->arena, "%s", ts_path_last(b->options->path));
		return b->files[0] ? TS_OK : ts_arena_error(b->arena, err);
	}
	b->directory = b->options->path;
	if (ts_below_list(ts_top(b->options), b->directory, b->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *path = ts_event_file_name(names[i]) ? path_of(b, names[i]) : "";

		if (!path)
			return ts_arena_error(b->arena, err);
		if (ts_below_kind(ts_top(b->options), path) == TS_FILE_REGULAR)
			names[b->n_files++] = names[i];
		else if (*path)
			ts_notice_add(&b->notices, "not_file", TS_NOTICE_SKIPPED, ts_span_str(names[i]), 0,
				      "an event file that is a link, or no file, is not read");
	}
	b->files = names;
	if (b->n_files == 0)
		return ts_error_set(err, TS_INVALID, "%s: its event files are links, or no files, and are not read", b->directory);
	return ts_hparams_session(ts_top(b->options), b->directory, b->arena, &b->session, err);
}

static void count_bytes(struct board *b)
{
	for (size_t i = 0; i < b->n_files; i++) {
		const char *path = path_of(b, b->files[i]);
		struct ts_tfrecord t;
		struct ts_error ignored;

		if (!path)
			return;
		if (!ts_tfrecord_open(&t, ts_top(b->options), path, &ignored))
			b->bytes_total += t.size;
		ts_tfrecord_close(&t);
	}
}

enum ts_status ts_tensorboard_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				   struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct board b = {.options = options,
			  .arena = arena,
			  .notices = {.arena = arena},
			  .names = {.arena = arena},
			  .hparams = TS_BUF_INIT(TS_TFRECORD_MAX)};
	struct ts_import import = {
		.format = "TensorBoard event files", .rows = {.feed = feed, .ctx = &b}, .facts = write_facts, .ctx = &b};
	enum ts_status status;

	if (find_files(&b, err))
		return err->status;
	count_bytes(&b);
	if (b.n_files && ts_event_file_name(b.files[0]))
		name_parts(&b, b.files[0]);
	b.tags = ts_arena_array(arena, TAGS_MAX, sizeof *b.tags);
	if (!b.tags)
		return ts_arena_error(arena, err);
	ts_keys_init(&b.keys, TAGS_MAX - 1);
	status = ts_import_run(&import, options, sink, ctx, &b.notices, &b.bytes_read, arena, ret_result, err);
	ts_keys_finish(&b.keys);
	ts_buf_finish(&b.hparams);
	return status;
}
