#include "ingest/logs/reader_jsonl.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_json.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"

#include <stdio.h>

const char ts_jsonl_loses[] = "lists";

enum { SURE = 40, SNIFF_LINES = 8, NAME_BYTES = 256, WORD_BYTES = 40 };

struct jsonl {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const char *path;
	struct ts_span file; /* named in notices if a single file was given */
	struct ts_log_lines lines;
	struct ts_buf scratch;
};

/* Our own files are read together with the directory in which they lie. */
static bool is_ours(const char *name)
{
	return strcmp(name, "steps.jsonl") == 0 || strcmp(name, "pipeline.jsonl") == 0 || strcmp(name, "digests.jsonl") == 0 ||
	       strcmp(name, "sketches.jsonl") == 0;
}

/* --- sniff --- */

/* What the members of an object at its top level show. */
struct shown {
	bool known;   /* a name that we know */
	bool step;    /* a whole number, or a fraction of two, under the name of a step */
	bool measure; /* a number under a name that trainings alone have */
	bool other;   /* anything else than numbers */
};

static void show_member(struct shown *s, struct ts_span name, const struct ts_json_token *value)
{
	bool number = value->type == TS_JSON_NUMBER;
	int64_t step;

	s->step |= ts_log_axis_rank(name) != TS_LOG_AXIS_NONE &&
		   ((number && ts_parse_i64(value->raw, &step)) || (value->type == TS_JSON_STRING && ts_log_fraction(value->text)));
	s->measure |= number && ts_log_name_measures(name);
	s->other |= !number;
}

/* The line without a word before its object: "json_stats: {" of pycls, ":::MLLOG {". */
static struct ts_span without_word(struct ts_span line)
{
	size_t n = 0;

	while (n < line.len && n < WORD_BYTES && line.data[n] != '{' && line.data[n] != '[' && line.data[n] != '"')
		n++;
	return n < line.len && line.data[n] == '{' && n > 1 && line.data[n - 1] == ' ' ? ts_span_from(line, n) : line;
}

/* Returns false if the line does not begin with a whole object. */
static bool show_line(struct ts_span line, struct ts_buf *scratch, struct shown *s, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	uint8_t name[NAME_BYTES];
	size_t n;

	ts_json_reader_init(&r, without_word(line), scratch);
	if (ts_json_next(&r, &token, err) || token.type != TS_JSON_OBJECT)
		return false;
	while (!ts_json_next(&r, &token, err)) {
		if (token.type != TS_JSON_KEY)
			return true;
		s->known |= ts_log_table_knows(token.text);
		n = token.text.len < NAME_BYTES ? token.text.len : 0;
		if (n)
			memcpy(name, token.text.data, n);
		if (ts_json_next(&r, &token, err))
			return false;
		show_member(s, ts_span_of(name, n), &token);
		if ((token.type == TS_JSON_OBJECT || token.type == TS_JSON_ARRAY) && ts_json_skip(&r, NULL, err))
			return false;
	}
	return false;
}

/* A file with the ending of JSON Lines needs a name that we know, or a map beside it. Any other needs lines that are objects and
 * nothing else, with a step and what trainings measure; a single one, with nothing but numbers. */
static int judge(const struct shown *s, int objects, bool others, bool named, bool map)
{
	if (named)
		return s->known || map ? SURE : 0;
	return !others && s->step && s->measure && (objects > 1 || (objects == 1 && !s->other)) ? SURE : 0;
}

static int sniff_file(const char *path, bool named)
{
	struct ts_log_lines lines;
	struct ts_buf scratch = TS_BUF_INIT(TS_LINE_MAX);
	struct ts_span line;
	enum ts_log_line_end end;
	struct ts_error err = {.status = TS_OK};
	struct shown shown = {.known = false};
	bool lacks = false, others = false;
	int objects = 0;

	if (!ts_log_lines_open(&lines, path, path, '\0', &err))
		for (int i = 0; i < SNIFF_LINES && !lacks && !(others && !named) && !ts_log_lines_next(&lines, &line, &end, &err) &&
				end == TS_LOG_LINE;
		     i++) {
			bool object = show_line(line, &scratch, &shown, &err);

			objects += object;
			others |= !object && ts_trim(line).len && !lines.cut;
			lacks = err.status == TS_NO_MEMORY;
		}
	ts_log_lines_close(&lines);
	ts_buf_finish(&scratch);
	return lacks || err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY
						   : judge(&shown, objects, others, named, ts_log_table_has_map(path));
}

static const char *directory_of(const char *path, struct ts_arena *arena)
{
	const char *name = ts_path_last(path);

	return name == path ? "." : ts_arena_printf(arena, "%.*s", (int)(name - path), path);
}

int ts_jsonl_sniff(const char *path)
{
	const char *name = ts_path_last(path);

	if (is_ours(name) || ts_file_kind(path) != TS_FILE_REGULAR)
		return 0;
	return sniff_file(path, ts_file_ends(name, ".jsonl") || ts_file_ends(name, ".ndjson"));
}

/* --- lines --- */

static void tell(struct jsonl *f, const char *code, enum ts_notice_level level, const char *detail)
{
	ts_notice_add(&f->notices, code, level, f->file, f->lines.number, detail);
}

/* Takes one object of a line. *ret_more: there was one. TS_INVALID: the text is not JSON. */
static enum ts_status take_object(struct jsonl *f, struct ts_log_table *t, struct ts_json_reader *r, bool *ret_more,
				  struct ts_error *err)
{
	struct ts_json_token token;
	struct ts_error bad;

	if (ts_json_next(r, &token, &bad)) {
		*err = bad;
		return err->status;
	}
	*ret_more = token.type != TS_JSON_EOF;
	if (!*ret_more)
		return TS_OK;
	if (token.type != TS_JSON_OBJECT) {
		tell(f, "not_object", TS_NOTICE_SKIPPED, "a line that is not an object");
		return token.type == TS_JSON_ARRAY ? ts_json_skip(r, NULL, err) : TS_OK;
	}
	ts_log_table_row(t, f->lines.number);
	return ts_log_json_cells(r, t, f->file, f->lines.number, err);
}

static enum ts_status take_line(struct jsonl *f, struct ts_log_table *t, struct ts_span line, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_error bad;
	bool more = true;

	ts_json_reader_init(&r, without_word(line), &f->scratch);
	for (int n = 0; more; n++) {
		if (take_object(f, t, &r, &more, &bad)) {
			if (bad.status == TS_NO_MEMORY) {
				*err = bad;
				return err->status;
			}
			tell(f, f->lines.cut ? "cut_line" : "bad_json", TS_NOTICE_SKIPPED, bad.text);
			return TS_OK;
		}
		if (n == 1 && more)
			tell(f, "glued_records", TS_NOTICE_INFO, "several objects on one line");
		if (more && ts_log_table_end(t, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status read_lines(struct jsonl *f, struct ts_log_table *t, struct ts_error *err)
{
	for (;;) {
		struct ts_span line;
		enum ts_log_line_end end;

		if (ts_log_lines_next(&f->lines, &line, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return TS_OK;
		if (f->lines.bom && f->lines.number == 1)
			tell(f, "bom", TS_NOTICE_INFO, "a byte order mark");
		if (end == TS_LOG_LINE_LONG)
			tell(f, "long_line", TS_NOTICE_SKIPPED, "a line of more than 4 MiB");
		else if (take_line(f, t, line, err))
			return err->status;
		if (ts_log_table_at(t, ts_log_lines_at(&f->lines), f->lines.size, err))
			return err->status;
	}
}

static enum ts_status read_file(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct jsonl *f = ctx;
	enum ts_status status = ts_log_lines_open(&f->lines, ts_top(f->options), f->path, '\0', err);

	if (!status)
		status = read_lines(f, t, err);
	f->bytes_read += f->lines.size;
	ts_log_lines_close(&f->lines);
	return status;
}

enum ts_status ts_jsonl_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct jsonl f = {.options = options,
			  .arena = arena,
			  .notices = {.arena = arena},
			  .path = options->path,
			  .scratch = TS_BUF_INIT(2 * TS_LINE_MAX)};
	struct ts_log_source source = {
		.format = "JSON Lines", .directory = directory_of(options->path, arena), .read = read_file, .ctx = &f};
	enum ts_status status = source.directory ? TS_OK : ts_arena_error(arena, err);

	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &f.notices, &f.bytes_read, arena, ret_result, err);
	ts_buf_finish(&f.scratch);
	return status;
}
