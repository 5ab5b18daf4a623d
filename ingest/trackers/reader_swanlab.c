#include "ingest/trackers/reader_swanlab.h"

#include "base/below.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "base/pb.h"
#include "ingest/logs/log_table.h"
#include "ingest/wandb/wandb_log.h"

#include <stdio.h>

const char ts_swanlab_loses[] = "the configuration, media, columns and console output";

enum { SURE = 60 };

/* Numbers of fields, and of states. */
enum { RECORD_START = 10, RECORD_FINISH = 11, RECORD_SCALAR = 13, RECORD_MEDIA = 14 };
enum { START_PROJECT = 1, START_WORKSPACE = 2, START_NAME = 4, START_ID = 10, START_TIME = 12 };
enum { FINISH_STATE = 1, FINISH_TIME = 3, STATE_FINISHED = 1 };
enum { SCALAR_KEY = 1, SCALAR_STEP = 2, SCALAR_TIME = 4, SCALAR_VALUE = 5, VALUE_NUMBER = 1 };

static const struct ts_wandb_kind kind = {"a SwanLab log of version 2", {':', 'S', 'W', 'L', 0xd6, 0xe1, 2}};

struct swanlab {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const char *file;
	struct ts_wandb_log log;
	uint64_t number; /* of the record */
	struct ts_span name, project, workspace, id;
	double started, ended;
	bool finished;
};

/* Finds the one .swanlab file of a folder. */
static enum ts_status find_file(const char *top, const char *path, struct ts_arena *arena, const char **ret_file, struct ts_error *err)
{
	char **names;
	size_t n;

	*ret_file = NULL;
	if (ts_file_kind(path) != TS_FILE_DIRECTORY) {
		*ret_file = ts_file_ends(path, ".swanlab") ? path : NULL;
		return TS_OK;
	}
	if (ts_below_list(top, path, arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		if (!ts_file_ends(names[i], ".swanlab"))
			continue;
		if (*ret_file)
			return ts_error_set(err, TS_INVALID, "%s: the directory must have exactly one .swanlab file", path);
		*ret_file = ts_path_join(arena, path, names[i]);
		if (!*ret_file)
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}

int ts_swanlab_sniff(const char *path)
{
	struct ts_error err = {.status = TS_OK};
	struct ts_arena arena;
	const char *file;
	bool is;

	ts_arena_init(&arena, 0);
	is = !find_file(path, path, &arena, &file, &err) && file && ts_below_kind(path, file) == TS_FILE_REGULAR;
	ts_arena_finish(&arena);
	return err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : is ? SURE : 0;
}

/* --- records --- */

static void tell(struct swanlab *s, const char *code, const char *detail)
{
	ts_notice_add(&s->notices, code, TS_NOTICE_SKIPPED, ts_span_str(""), s->number, detail);
}

static double time_of(struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	double seconds = 0;

	while (ts_pb_next(&pb, &f))
		if (f.wire == TS_PB_VARINT && f.number == TS_PB_SECONDS)
			seconds += (double)(int64_t)f.value;
		else if (f.wire == TS_PB_VARINT && f.number == TS_PB_NANOS)
			seconds += (double)f.value / 1e9;
	return seconds;
}

/* A double that is 0 is not written. */
static double number_of(struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	double number = 0;

	while (ts_pb_next(&pb, &f))
		if (f.number == VALUE_NUMBER && f.wire == TS_PB_FIXED64)
			number = ts_bits_double(f.value);
	return number;
}

static enum ts_status take_scalar(struct swanlab *s, struct ts_log_table *t, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	struct ts_span key = {NULL, 0};
	double value = 0, time = 0;
	bool has_value = false;
	char step[32] = "0";
	int64_t at = 0;
	int n = 1;

	while (ts_pb_next(&pb, &f)) {
		if (f.number == SCALAR_KEY && f.wire == TS_PB_BYTES) {
			key = f.bytes;
		} else if (f.number == SCALAR_STEP && f.wire == TS_PB_VARINT) {
			at = (int64_t)f.value;
			n = snprintf(step, sizeof step, "%" PRId64, at);
		} else if (f.number == SCALAR_TIME && f.wire == TS_PB_BYTES) {
			time = time_of(f.bytes);
		} else if (f.number == SCALAR_VALUE && f.wire == TS_PB_BYTES) {
			has_value = true;
			value = number_of(f.bytes);
		}
	}
	if (pb.broken || !key.len || !has_value) {
		tell(s, "bad_message", "a scalar without a name or a value");
		return TS_OK;
	}
	ts_log_table_row(t, s->number);
	ts_log_table_number(t, key, value, ts_span_str(""));
	ts_log_table_number(t, ts_span_str("step"), (double)at, ts_span_of(step, (size_t)n));
	if (time > 0)
		ts_log_table_number(t, ts_span_str("timestamp"), time, ts_span_str(""));
	return ts_log_table_end(t, err);
}

static enum ts_status keep(struct swanlab *s, struct ts_span text, struct ts_span *ret_kept, struct ts_error *err)
{
	*ret_kept = ts_arena_span(s->arena, ts_utf8_valid(text) ? text : ts_span_str(""));
	return ret_kept->data ? TS_OK : ts_arena_error(s->arena, err);
}

static enum ts_status take_start(struct swanlab *s, struct ts_span message, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		struct ts_span *text = f.number == START_NAME	     ? &s->name
				       : f.number == START_PROJECT   ? &s->project
				       : f.number == START_WORKSPACE ? &s->workspace
				       : f.number == START_ID	     ? &s->id
								     : NULL;

		if (f.wire != TS_PB_BYTES)
			continue;
		if (text && keep(s, f.bytes, text, err))
			return err->status;
		if (f.number == START_TIME)
			s->started = time_of(f.bytes);
	}
	return TS_OK;
}

static void take_finish(struct swanlab *s, struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		if (f.number == FINISH_STATE && f.wire == TS_PB_VARINT)
			s->finished = f.value == STATE_FINISHED;
		if (f.number == FINISH_TIME && f.wire == TS_PB_BYTES)
			s->ended = time_of(f.bytes);
	}
}

static enum ts_status take_record(struct swanlab *s, struct ts_log_table *t, struct ts_span record, struct ts_error *err)
{
	struct ts_pb pb = ts_pb_of(record);
	struct ts_pb_field f;

	while (ts_pb_next(&pb, &f)) {
		if (f.wire != TS_PB_BYTES)
			continue;
		if (f.number == RECORD_SCALAR && take_scalar(s, t, f.bytes, err))
			return err->status;
		if (f.number == RECORD_START && take_start(s, f.bytes, err))
			return err->status;
		if (f.number == RECORD_FINISH)
			take_finish(s, f.bytes);
		if (f.number == RECORD_MEDIA)
			tell(s, "not_scalar", "an image, a sound, a text or another medium");
	}
	if (pb.broken)
		tell(s, "bad_message", "a record that is no message");
	return TS_OK;
}

static enum ts_status read_records(struct swanlab *s, struct ts_log_table *t, struct ts_error *err)
{
	for (s->number = 1;; s->number++) {
		struct ts_span record;
		enum ts_wandb_end end;

		if (ts_wandb_log_next(&s->log, &record, &end, err))
			return err->status;
		if (end == TS_WANDB_CUT)
			ts_notice_add(&s->notices, "cut_record", TS_NOTICE_INFO, ts_span_str(""), s->number,
				      "the file ends inside a record");
		if (end >= TS_WANDB_END)
			return TS_OK;
		if (end == TS_WANDB_LONG)
			tell(s, "long_record", "a record of more than 16 MiB");
		else if (end == TS_WANDB_DAMAGED)
			tell(s, "bad_block", "a checksum or a length is wrong; the rest of the block is not read");
		else if (take_record(s, t, record, err) || ts_log_table_at(t, s->log.at, s->log.size, err))
			return err->status;
	}
}

static enum ts_status read_file(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct swanlab *s = ctx;
	enum ts_status status = ts_wandb_log_open(&s->log, &kind, ts_top(s->options), s->file, err);

	s->finished = false;
	if (!status)
		status = read_records(s, t, err);
	s->bytes_read += s->log.size;
	ts_wandb_log_close(&s->log);
	return status;
}

/* --- facts --- */

static void write_text(struct ts_json *j, const char *key, struct ts_span text)
{
	if (!text.len)
		return;
	ts_json_key(j, key);
	ts_json_span(j, text);
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct swanlab *s = ctx;
	char text[TS_TIME_TEXT];
	bool started = s->started > 0 && s->started < 9e9;

	(void)err;
	ts_json_key(j, "session");
	ts_json_object(j);
	write_text(j, "name", s->name);
	if (started)
		write_text(j, "started", ts_span_str(ts_time_text((int64_t)(s->started * 1e6) * 1000, text)));
	if (started && s->ended >= s->started) {
		ts_json_key(j, "wall_time");
		ts_json_double(j, s->ended - s->started);
	}
	ts_json_end(j);
	ts_json_key(j, "other");
	ts_json_object(j);
	ts_json_key(j, "swanlab");
	ts_json_object(j);
	write_text(j, "project", s->project);
	write_text(j, "workspace", s->workspace);
	write_text(j, "id", s->id);
	ts_json_end(j);
	ts_json_end(j);
	return TS_OK;
}

/* What SwanLab measures of the machine. */
static void write_column(void *ctx, struct ts_span source, struct ts_json *j)
{
	(void)ctx;
	if (!ts_span_starts(source, ts_span_str("__swanlab__.")))
		return;
	ts_json_key(j, "role");
	ts_json_string(j, "observation");
}

static bool finished(void *ctx)
{
	const struct swanlab *s = ctx;

	return s->finished;
}

enum ts_status ts_swanlab_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct swanlab s = {.options = options, .arena = arena, .notices = {.arena = arena}};
	struct ts_log_source source = {.format = "SwanLab log",
				       .read = read_file,
				       .facts = write_facts,
				       .column = write_column,
				       .finished = finished,
				       .ctx = &s};

	if (find_file(ts_top(options), options->path, arena, &s.file, err))
		return err->status;
	if (!s.file)
		return ts_error_set(err, TS_INVALID, "%s: there is no .swanlab file", options->path);
	return ts_log_table_import(&source, options, sink, ctx, &s.notices, &s.bytes_read, arena, ret_result, err);
}
