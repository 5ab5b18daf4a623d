#include "ingest/export/reader_export.h"

#include "base/below.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/facts/run_facts.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_csv.h"
#include "ingest/rows/run_close.h"
#include "ingest/rows/spill.h"
#include "ingest/rundir/steps.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

const char ts_export_loses[] = "";

enum { SURE = 45, FLUSH_AT = 256 << 10, RANKS_MAX = 65536 };

/* A column of the table: the keys of its name. */
struct column {
	struct ts_span *keys;
	size_t n; /* 0: the column is left out */
};

struct exported {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_sink_count sink;
	struct ts_read_progress progress;
	struct ts_head head;
	size_t cap_ranks;
	struct ts_ingest_result result;
	struct ts_log_lines lines;
	bool table; /* CSV, not JSON Lines */
	struct ts_log_csv csv;
	struct column *columns;
	size_t n_columns;
	struct ts_buf out, scratch, value;
	int fd; /* of the records of the current rank */
	uint64_t size;
	bool any;
	int32_t rank;
};

/* --- sniff --- */

static bool has_group(struct ts_span path)
{
	for (size_t i = 0; i + 1 < path.len; i++) {
		if (path.data[i] == '.')
			return i > 0;
		i += path.data[i] == '\\';
	}
	return false;
}

static bool is_header(struct ts_span line, struct ts_log_csv *csv, struct ts_error *err)
{
	bool group = false;

	if (ts_log_csv_split(csv, line, ',', err) || csv->n < 3 || !ts_span_is(csv->fields[0], "rank") ||
	    !ts_span_is(csv->fields[1], "step"))
		return false;
	for (size_t i = 2; i < csv->n; i++) {
		if (!ts_path_valid(csv->fields[i]))
			return false;
		group |= has_group(csv->fields[i]);
	}
	return group;
}

/* The record begins with rank and step, and has an object. */
static bool is_record(struct ts_span line, struct ts_buf *scratch, struct ts_error *err)
{
	static const char *const first[] = {"rank", "step"};
	struct ts_json_reader r;
	struct ts_json_token token;

	if (!ts_span_starts(line, ts_span_str("{\"rank\":")))
		return false;
	ts_json_reader_init(&r, line, scratch);
	if (ts_json_next(&r, &token, err))
		return false;
	for (size_t i = 0; !ts_json_next(&r, &token, err) && token.type == TS_JSON_KEY; i++) {
		if (i < 2 && !ts_span_is(token.text, first[i]))
			return false;
		if (ts_json_next(&r, &token, err))
			return false;
		if (token.type == TS_JSON_OBJECT)
			return i > 1;
		if (i < 2 ? token.type != TS_JSON_NUMBER : token.type == TS_JSON_ARRAY && ts_json_skip(&r, NULL, err))
			return false;
	}
	return false;
}

/* Whether the file begins as CSV; a record begins with '{'. */
static bool is_table(const char *path)
{
	struct ts_error ignored;
	uint64_t size;
	size_t n = 0;
	char first = '{';
	int fd;

	if (ts_below_open(path, path, &fd, &size, &ignored))
		return false;
	if (ts_pread_full(fd, &first, 1, 0, &n, &ignored))
		n = 0;
	(void)close(fd);
	return n == 1 && first != '{';
}

int ts_export_sniff(const char *path)
{
	struct ts_log_lines lines;
	struct ts_log_csv csv = {.n = 0};
	struct ts_buf scratch = TS_BUF_INIT(TS_LINE_MAX);
	struct ts_span line;
	enum ts_log_line_end end;
	struct ts_error err = {.status = TS_OK};
	bool is_ours = false, table;

	if ((!ts_file_ends(path, ".csv") && !ts_file_ends(path, ".jsonl")) || strcmp(ts_path_last(path), "steps.jsonl") == 0 ||
	    ts_file_kind(path) != TS_FILE_REGULAR)
		return 0;
	table = is_table(path);
	if (!ts_log_lines_open(&lines, path, path, table ? ',' : '\0', &err) && !ts_log_lines_next(&lines, &line, &end, &err) &&
	    end == TS_LOG_LINE)
		is_ours = table ? is_header(line, &csv, &err) : is_record(line, &scratch, &err);
	ts_log_lines_close(&lines);
	ts_log_csv_finish(&csv);
	ts_buf_finish(&scratch);
	return is_ours ? SURE : err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
}

/* --- the records of a rank --- */

static enum ts_status flush(struct exported *x, size_t at_least, struct ts_error *err)
{
	if (ts_buf_check(&x->out, err))
		return err->status;
	if (x->out.len < at_least)
		return TS_OK;
	if (x->fd < 0 && ts_spill_file(&x->fd, err))
		return err->status;
	if (ts_write_full(x->fd, x->out.data, x->out.len, err))
		return err->status;
	x->size += x->out.len;
	ts_buf_reset(&x->out);
	return TS_OK;
}

static enum ts_status add_rank(struct exported *x, const struct ts_id *index, struct ts_error *err)
{
	if (!TS_GROW_IN(x->arena, x->head.ranks, x->cap_ranks, x->head.n_ranks + 1, 8))
		return ts_arena_error(x->arena, err);
	x->head.ranks[x->head.n_ranks++] = (struct ts_rank_ref){.rank = x->rank, .index = *index};
	return TS_OK;
}

static enum ts_status read_records(struct exported *x, struct ts_builder **ret_builder, struct ts_error *err)
{
	char *name = ts_arena_printf(x->arena, "rank %d", (int)x->rank);
	struct ts_steps_input input = {.rank = x->rank,
				       .facts = &x->head.facts,
				       .notices = &x->result.notices,
				       .sink = &x->sink,
				       .source = {.fd = x->fd, .size = x->size, .progress = &x->progress}};
	uint64_t segments;

	if (!name)
		return ts_arena_error(x->arena, err);
	input.source.name = input.source.path = ts_span_str(name);
	if (ts_steps_read(&input, ret_builder, &segments, err))
		return err->status;
	if (segments > x->result.segments)
		x->result.segments = segments;
	return TS_OK;
}

/* Reads what was written of the current rank, and begins anew. */
static enum ts_status end_rank(struct exported *x, struct ts_error *err)
{
	static const struct ts_facts none;
	struct ts_builder *b = NULL;
	struct ts_id index;
	enum ts_status status;

	if (!x->any)
		return TS_OK;
	if (flush(x, 1, err) || read_records(x, &b, err))
		return err->status;
	ts_result_count(&x->result, b, 0);
	status = ts_builder_finish(b, &none, &index, err);
	ts_builder_destroy(b);
	if (status || add_rank(x, &index, err))
		return err->status;
	x->size = 0;
	x->any = false;
	if (x->fd >= 0 && (ftruncate(x->fd, 0) || lseek(x->fd, 0, SEEK_SET) < 0))
		return ts_error_errno(err, errno, "a temporary file");
	return TS_OK;
}

/* An export has the rows of one rank after those of another, ascending. */
static enum ts_status begin_rank(struct exported *x, int64_t rank, struct ts_error *err)
{
	if (x->any && rank == x->rank)
		return TS_OK;
	if (rank < 0 || rank > INT32_MAX || (x->head.n_ranks + x->any > 0 && rank <= x->rank))
		return ts_error_set(err, TS_INVALID,
				    "line %" PRIu64 ": rank %" PRId64 " is not above the rank before it, as in an export",
				    x->lines.number, rank);
	if (x->head.n_ranks + 1 == RANKS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d ranks", RANKS_MAX);
	if (end_rank(x, err))
		return err->status;
	x->any = true;
	x->rank = (int32_t)rank;
	return TS_OK;
}

static void tell(struct exported *x, const char *code, const char *detail)
{
	ts_notice_add(&x->result.notices, code, TS_NOTICE_SKIPPED, ts_span_str(""), x->lines.number, detail);
}

/* --- JSON Lines --- */

/* The word that stands for a number which JSON has not, at a quote; NULL: there is none. */
static const char *number_word(struct ts_span text)
{
	static const char *const words[] = {"\"NaN\"", "\"Infinity\"", "\"-Infinity\""};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_starts(text, ts_span_str(words[i])))
			return words[i];
	return NULL;
}

/* Copies a value. Words that an export writes for numbers are numbers again, as values of members, but not in lists. */
static void copy_value(struct ts_buf *out, struct ts_span raw)
{
	size_t lists = 0;
	bool in_string = false, value = true;

	for (size_t i = 0; i < raw.len; i++) {
		uint8_t c = raw.data[i];
		const char *word = !in_string && value && !lists && c == '"' ? number_word(ts_span_part(raw, i, raw.len - i)) : NULL;

		if (word) {
			ts_buf_bytes(out, word + 1, strlen(word) - 2);
			i += strlen(word) - 1;
			continue;
		}
		ts_buf_u8(out, c);
		if (in_string && c == '\\' && i + 1 < raw.len)
			ts_buf_u8(out, raw.data[++i]);
		else if (c == '"')
			in_string = !in_string;
		lists += !in_string && c == '[';
		lists -= !in_string && c == ']';
		value = !in_string && (c == ':' || (value && ts_is_space(c)));
	}
}

/* Writes the record without its rank. TS_INVALID: it is no such record. */
static enum ts_status copy_record(struct exported *x, struct ts_span line, int64_t *ret_rank, struct ts_error *err)
{
	struct ts_json j = ts_json_of(&x->out);
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_span raw;
	bool any_rank = false;

	ts_json_reader_init(&r, line, &x->scratch);
	if (ts_json_next(&r, &token, err))
		return err->status;
	if (token.type != TS_JSON_OBJECT)
		return ts_error_set(err, TS_INVALID, "a line that is no object");
	ts_json_object(&j);
	for (;;) {
		bool is_rank;

		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			break;
		is_rank = ts_span_is(token.text, "rank");
		if (!is_rank)
			ts_json_key_span(&j, ts_span_is(token.text, "record.rank") ? ts_span_str("rank") : token.text);
		if (ts_json_skip(&r, &raw, err))
			return err->status;
		ts_buf_reset(&x->value);
		copy_value(&x->value, raw);
		if (!is_rank)
			ts_json_raw(&j, ts_buf_view(&x->value));
		else if (!ts_parse_i64(raw, ret_rank))
			return ts_error_set(err, TS_INVALID, "a rank that is no whole number");
		any_rank |= is_rank;
	}
	ts_json_end(&j);
	ts_buf_char(&x->out, '\n');
	if (ts_buf_check(&x->value, err))
		return err->status;
	return any_rank ? TS_OK : ts_error_set(err, TS_INVALID, "a record without a rank");
}

/* The record is written at the end of what is there. Where another rank begins, it stays for that. */
static enum ts_status take_record(struct exported *x, struct ts_span line, struct ts_error *err)
{
	size_t before = x->out.len;
	struct ts_error why;
	struct ts_buf record = TS_BUF_INIT(4 * (size_t)TS_LINE_MAX);
	enum ts_status status;
	int64_t rank = 0;

	if (copy_record(x, line, &rank, &why)) {
		x->out.len = before;
		if (why.status == TS_NO_MEMORY)
			return ts_error_set(err, TS_NO_MEMORY, "%s", why.text);
		tell(x, x->lines.cut ? "cut_line" : "bad_json", why.text);
		return TS_OK;
	}
	if (x->any && rank == x->rank)
		return TS_OK;
	if (ts_buf_check(&x->out, err))
		return err->status;
	ts_buf_bytes(&record, x->out.data + before, x->out.len - before);
	x->out.len = before;
	status = begin_rank(x, rank, err);
	if (!status)
		ts_buf_span(&x->out, ts_buf_view(&record));
	if (!status)
		status = ts_buf_check(&record, err);
	ts_buf_finish(&record);
	return status;
}

/* --- CSV --- */

/* Cuts "scalars.a\.b" into its keys. "segment[0]" is a record's own key; a plain segment is one that tscope had made. */
static enum ts_status name_column(struct exported *x, struct ts_span name, struct column *column, struct ts_error *err)
{
	struct ts_span keys[TS_JSON_DEPTH], key;
	size_t at = 0, index;
	bool is_index;

	if (ts_span_is(name, "segment"))
		return TS_OK;
	if (ts_span_is(name, "segment[0]") || ts_span_is(name, "record.rank"))
		keys[column->n++] = ts_span_str(name.data[0] == 's' ? "segment" : "rank");
	while (column->n < TS_JSON_DEPTH && at < name.len && name.len && !(column->n && at == 0) &&
	       ts_path_next(name, &at, x->arena, &key, &is_index, &index)) {
		if (is_index)
			return ts_error_set(err, TS_INVALID, "'%.*s' is no column of an export", TS_SPAN_ARG(name));
		keys[column->n++] = key;
	}
	column->keys = ts_arena_dup(x->arena, keys, column->n * sizeof *keys);
	return column->keys ? ts_arena_check(x->arena, err) : ts_arena_error(x->arena, err);
}

static enum ts_status take_header(struct exported *x, struct ts_span line, struct ts_error *err)
{
	if (ts_log_csv_split(&x->csv, line, ',', err))
		return err->status;
	x->n_columns = x->csv.n;
	x->columns = ts_arena_array(x->arena, x->n_columns, sizeof *x->columns);
	if (!x->columns)
		return ts_arena_error(x->arena, err);
	for (size_t i = 1; i < x->n_columns; i++) {
		struct ts_span name = ts_arena_span(x->arena, x->csv.fields[i]);

		if (!name.data)
			return ts_arena_error(x->arena, err);
		if (name_column(x, name, &x->columns[i], err))
			return err->status;
	}
	return TS_OK;
}

static bool is_json(struct exported *x, struct ts_span text)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error why;

	ts_json_reader_init(&r, text, &x->scratch);
	return !ts_json_skip(&r, NULL, &why) && !ts_json_next(&r, &token, &why) && token.type == TS_JSON_EOF;
}

/* A text is in quotes, and so is a list, for its commas. Digests are 16 hex digits, which may look like a number. */
static void put_cell(struct exported *x, struct ts_json *j, const struct column *column, struct ts_span cell, bool quoted)
{
	uint64_t digest;
	bool list = cell.len && (cell.data[0] == '[' || cell.data[0] == '{');

	if (ts_span_is(column->keys[0], "digests") && ts_parse_hex64(cell, &digest))
		ts_json_span(j, cell);
	else if ((list || (cell.len && !quoted)) && is_json(x, cell))
		ts_json_raw(j, cell);
	else
		ts_json_span(j, cell);
}

static size_t shared_keys(const struct column *a, const struct column *b, size_t open)
{
	size_t n = 0;

	while (n < open && n + 1 < b->n && ts_span_eq(a->keys[n], b->keys[n]))
		n++;
	return n;
}

static void put_row(struct exported *x)
{
	struct ts_json j = ts_json_of(&x->out);
	const struct column *before = NULL;
	size_t open = 0;

	ts_json_object(&j);
	for (size_t i = 1; i < x->csv.n; i++) {
		const struct column *c = &x->columns[i];
		size_t shared;

		if (!c->n || (!x->csv.fields[i].len && !x->csv.quoted[i]))
			continue;
		shared = before ? shared_keys(before, c, open) : 0;
		for (; open > shared; open--)
			ts_json_end(&j);
		for (; open + 1 < c->n; open++) {
			ts_json_key_span(&j, c->keys[open]);
			ts_json_object(&j);
		}
		ts_json_key_span(&j, c->keys[c->n - 1]);
		put_cell(x, &j, c, x->csv.fields[i], x->csv.quoted[i]);
		before = c;
	}
	for (; open > 0; open--)
		ts_json_end(&j);
	ts_json_end(&j);
	ts_buf_char(&x->out, '\n');
}

static enum ts_status take_row(struct exported *x, struct ts_span line, struct ts_error *err)
{
	int64_t rank;

	if (!line.len)
		return TS_OK;
	if (ts_log_csv_split(&x->csv, line, ',', err))
		return err->status;
	if (x->csv.n != x->n_columns || x->lines.cut) {
		tell(x, x->lines.cut ? "cut_line" : "ragged_row", "a row that is not whole");
		return TS_OK;
	}
	if (!ts_utf8_valid(line) || !ts_parse_i64(x->csv.fields[0], &rank)) {
		tell(x, "bad_line", "a row whose rank is no whole number, or that is not UTF-8");
		return TS_OK;
	}
	if (begin_rank(x, rank, err))
		return err->status;
	put_row(x);
	return TS_OK;
}

/* --- the whole --- */

static enum ts_status read_lines(struct exported *x, struct ts_error *err)
{
	bool header = x->table;
	uint64_t told = 0;

	for (;;) {
		struct ts_span line;
		enum ts_log_line_end end;
		enum ts_status status = TS_OK;

		if (ts_log_lines_next(&x->lines, &line, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return end_rank(x, err);
		if (end != TS_LOG_LINE)
			tell(x, "long_line", "a line of more than 4 MiB, or a quote that does not end");
		else
			status = header ? take_header(x, line, err) : x->table ? take_row(x, line, err) : take_record(x, line, err);
		header = false;
		if (status || flush(x, FLUSH_AT, err) ||
		    ts_ingest_tell(x->options, &told, ts_log_lines_at(&x->lines), x->lines.size, err))
			return err->status;
	}
}

static enum ts_status read_export(struct exported *x, struct ts_error *err)
{
	if (ts_given_facts(x->options, x->arena, &x->head.facts, err) ||
	    ts_facts_prepare(&x->head.facts, ts_span_str(""), &x->result.notices, x->arena, err) ||
	    ts_log_lines_open(&x->lines, ts_top(x->options), x->options->path, x->table ? ',' : '\0', err) || read_lines(x, err))
		return err->status;
	if (x->head.n_ranks == 0)
		return ts_error_set(err, TS_INVALID, "there is no row");
	if (ts_refuse_skipped(x->options, &x->result.notices, err) || ts_run_close(&x->head, &x->sink, x->arena, &x->result, err))
		return err->status;
	x->result.format = "tscope export";
	x->result.bytes_read = x->lines.size;
	return TS_OK;
}

enum ts_status ts_export_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct exported x = {.options = options,
			     .arena = arena,
			     .sink = {.sink = sink, .ctx = ctx},
			     .lines = {.fd = -1},
			     .table = is_table(options->path),
			     .out = TS_BUF_INIT(FLUSH_AT + 8 * (size_t)TS_LINE_MAX),
			     .scratch = TS_BUF_INIT(2 * (size_t)TS_LINE_MAX),
			     .value = TS_BUF_INIT(2 * (size_t)TS_LINE_MAX),
			     .fd = -1};
	enum ts_status status;

	x.result.notices.arena = arena;
	status = read_export(&x, err);
	ts_log_lines_close(&x.lines);
	ts_log_csv_finish(&x.csv);
	ts_buf_finish(&x.out);
	ts_buf_finish(&x.scratch);
	ts_buf_finish(&x.value);
	if (x.fd >= 0)
		(void)close(x.fd);
	if (status)
		return status == TS_CANCELLED ? status : ts_error_prefix(err, "%s", options->path);
	*ret_result = x.result;
	return TS_OK;
}
