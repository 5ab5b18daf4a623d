#include "ingest/logs/reader_csv.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_csv.h"
#include "ingest/logs/log_hparams.h"
#include "ingest/logs/log_table.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"

#include <stdio.h>

const char ts_csv_loses[] = "";

#define METRICS "metrics.csv"
#define HPARAMS "hparams.yaml"

enum { SURE = 40 };

struct csv {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read;
	const char *path;    /* the path of the file */
	struct ts_span file; /* named in notices: the path below the directory, or empty */
	const char *hparams; /* the hparams file of Lightning beside it, or NULL */
	struct ts_log_lines lines;
	struct ts_log_csv line;
	struct ts_span *names; /* the name of each column; empty with data NULL if it has no column */
	size_t n_names;
	char delimiter;
};

static bool is_table(const char *name)
{
	return ts_file_ends(name, ".csv") || ts_file_ends(name, ".tsv");
}

static char delimiter_of(const char *path, struct ts_span header)
{
	return ts_file_ends(path, ".tsv") ? '\t' : ts_log_csv_delimiter(header);
}

/* Finds the header: the first line that is neither empty nor a comment. */
static enum ts_status next_header(struct ts_log_lines *lines, struct ts_span *ret_line, enum ts_log_line_end *ret_end,
				  struct ts_error *err)
{
	do {
		if (ts_log_lines_next(lines, ret_line, ret_end, err))
			return err->status;
	} while (*ret_end == TS_LOG_LINE && (!ret_line->len || ret_line->data[0] == '#'));
	return TS_OK;
}

/* --- sniff --- */

/* Whether names that say little alone say together that the table is of a training: each is of what one measures; or the first counts
 * (episodes, rounds, generations), and another is of that, or the best of a generation. */
static bool knows_together(const struct ts_log_csv *csv)
{
	struct ts_span first = ts_trim(csv->fields[0]);
	size_t rank = ts_log_axis_rank(first), measured = 0;
	bool best = false, minimized = false;

	for (size_t i = 0; i < csv->n; i++) {
		struct ts_span name = ts_trim(csv->fields[i]);

		measured += ts_log_name_measures(name);
		minimized |= ts_log_name_is_minimized(name);
		best |= ts_span_is(name, "best") || ts_span_starts(name, ts_span_str("best_"));
	}
	if (rank == TS_LOG_AXIS_NONE)
		return csv->n > 1 && measured == csv->n;
	return measured > 0 || (minimized && ts_log_axis_tells(first)) || (best && rank == ts_log_axis_rank(ts_span_str("generation")));
}

/* The file is a table with a name that we know, or with a map beside it. */
static int sniff_file(const char *path)
{
	struct ts_log_lines lines;
	struct ts_log_csv csv = {.n = 0};
	struct ts_span header;
	enum ts_log_line_end end;
	struct ts_error err = {.status = TS_OK};
	bool knows = ts_log_table_has_map(path);

	if (!ts_log_lines_open(&lines, path, path, '\0', &err) && !next_header(&lines, &header, &end, &err) && end == TS_LOG_LINE &&
	    !ts_log_csv_split(&csv, header, delimiter_of(path, header), &err)) {
		for (size_t i = 0; i < csv.n && !knows; i++)
			knows = ts_log_table_knows(ts_trim(csv.fields[i]));
		knows |= csv.n && knows_together(&csv);
	}
	ts_log_csv_finish(&csv);
	ts_log_lines_close(&lines);
	return knows ? SURE : err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
}

static bool has_file(const char *directory, const char *name)
{
	char path[4096];

	return (size_t)snprintf(path, sizeof path, "%s/%s", directory, name) < sizeof path &&
	       ts_below_kind(directory, path) == TS_FILE_REGULAR;
}

int ts_csv_sniff(const char *path)
{
	enum ts_file_kind kind = ts_file_kind(path);

	if (kind == TS_FILE_REGULAR)
		return is_table(ts_path_last(path)) ? sniff_file(path) : 0;
	return kind == TS_FILE_DIRECTORY && has_file(path, METRICS) && has_file(path, HPARAMS) ? SURE : 0;
}

/* --- the header --- */

static bool is_taken(const struct csv *c, size_t n, struct ts_span name)
{
	for (size_t i = 0; i < n; i++)
		if (c->names[i].data && ts_span_eq(c->names[i], name))
			return true;
	return false;
}

/* If a name comes again, the second column gets a number, as in pandas. */
static enum ts_status name_column(struct csv *c, size_t i, struct ts_span name, struct ts_error *err)
{
	const char *numbered;

	c->names[i] = ts_span_of(NULL, 0);
	if (!ts_utf8_valid(name)) {
		ts_notice_add(&c->notices, "bad_utf8", TS_NOTICE_SKIPPED, c->file, c->lines.number,
			      "a column whose name is not UTF-8");
		return TS_OK;
	}
	if (!name.len)
		name = ts_span_str("unnamed");
	if (is_taken(c, i, name)) {
		ts_notice_add(&c->notices, "duplicate_column", TS_NOTICE_INFO, c->file, c->lines.number,
			      "a name that two columns share");
		numbered = ts_arena_printf(c->arena, "%.*s.%zu", TS_SPAN_ARG(name), i + 1);
		if (!numbered)
			return ts_arena_error(c->arena, err);
		name = ts_span_str(numbered);
	}
	c->names[i] = ts_arena_span(c->arena, name);
	return c->names[i].data ? TS_OK : ts_arena_error(c->arena, err);
}

static bool all_numbers(const struct ts_log_csv *line)
{
	double value;
	struct ts_span written;

	for (size_t i = 0; i < line->n; i++)
		if (!ts_log_number(ts_trim(line->fields[i]), &value, &written))
			return false;
	return true;
}

/* *ret_is_row: the line is not a header. Columns are then numbered, and the line is a row. */
static enum ts_status take_header(struct csv *c, bool *ret_is_row, struct ts_error *err)
{
	*ret_is_row = all_numbers(&c->line);
	c->n_names = c->line.n;
	c->names = ts_arena_array(c->arena, c->n_names, sizeof *c->names);
	if (!c->names)
		return ts_arena_error(c->arena, err);
	for (size_t i = 0; i < c->n_names; i++) {
		char *number = *ret_is_row ? ts_arena_printf(c->arena, "column %zu", i + 1) : NULL;

		if (*ret_is_row && !number)
			return ts_arena_error(c->arena, err);
		if (name_column(c, i, number ? ts_span_str(number) : ts_trim(c->line.fields[i]), err))
			return err->status;
	}
	return TS_OK;
}

/* --- rows --- */

static void tell(struct csv *c, const char *code, enum ts_notice_level level, const char *detail)
{
	ts_notice_add(&c->notices, code, level, c->file, c->lines.number, detail);
}

static bool is_missing(struct ts_span cell)
{
	static const char *const words[] = {"None", "none", "null", "NULL", "NA", "N/A", "-"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_is(cell, words[i]))
			return true;
	return cell.len == 0;
}

/* Which of ',' and '.' stands before the fraction of a number that has a comma; '\0' if it may be either: "1,234" is a decimal number
 * only in a table whose fields are separated by ';', as in countries with decimal commas. */
static char decimal_of(struct ts_span text, char delimiter)
{
	const uint8_t *end = text.data + text.len;
	const uint8_t *comma = memchr(text.data, ',', text.len), *point = memchr(text.data, '.', text.len);
	const uint8_t *digits = text.data + (text.data[0] == '-' || text.data[0] == '+');
	bool thousands = comma > digits && comma - digits <= 3 && *digits != '0' && end - comma == 4;

	if (point && point > comma)
		return '.';
	if (memchr(comma + 1, ',', (size_t)(end - comma - 1)))
		return point ? '\0' : '.';
	return point || delimiter == ';' || !thousands ? ',' : '\0';
}

/* Reads a number with a decimal comma or with separators between thousands: "0,5", "1.234,5", "1,234.5", "1,234,567". Writes it as
 * others do. */
static bool local_number(struct ts_span text, char delimiter, char out[TS_DOUBLE_TEXT], size_t *ret_len)
{
	bool has_comma = memchr(text.data, ',', text.len) != NULL;
	char decimal = has_comma ? decimal_of(text, delimiter) : '\0';
	size_t since = SIZE_MAX, n = 0; /* since: characters behind the last separator */

	if (!decimal || text.len >= TS_DOUBLE_TEXT)
		return false;
	for (size_t i = 0; i <= text.len; i++) {
		char c = i < text.len ? (char)text.data[i] : decimal;
		bool separator = (c == ',' || c == '.') && c != decimal;

		if ((separator || c == decimal) && since != SIZE_MAX && since != 3)
			return false;
		if (!separator && i < text.len)
			out[n++] = c == decimal ? '.' : c;
		since = separator ? 0 : c == decimal ? SIZE_MAX : since == SIZE_MAX ? since : since + 1;
	}
	*ret_len = n;
	return true;
}

/* plain has room for a number that is written otherwise, and *ret_written may lie in it. */
static bool cell_number(const struct csv *c, struct ts_span cell, char plain[TS_DOUBLE_TEXT], double *ret_value,
			struct ts_span *ret_written)
{
	size_t n;

	return ts_log_number(cell, ret_value, ret_written) ||
	       (cell.len && local_number(cell, c->delimiter, plain, &n) &&
		ts_log_number(ts_span_of(plain, n), ret_value, ret_written));
}

static void take_cell(struct csv *c, struct ts_log_table *t, struct ts_span name, struct ts_span cell)
{
	struct ts_span written;
	char plain[TS_DOUBLE_TEXT];
	double value;

	cell = ts_trim(cell);
	if (is_missing(cell) || !name.data)
		return;
	if (cell_number(c, cell, plain, &value, &written))
		ts_log_table_number(t, name, value, written);
	else if (ts_utf8_valid(cell))
		ts_log_table_text(t, name, cell);
	else
		tell(c, "bad_utf8", TS_NOTICE_SKIPPED, "a text that is not UTF-8");
}

/* Where the file does not end in a line end, its last number may lack digits. A quote shows its end. */
static bool may_be_cut(const struct csv *c, struct ts_span line)
{
	struct ts_span last = ts_trim(c->line.fields[c->line.n - 1]), written;
	char plain[TS_DOUBLE_TEXT];
	double value;

	return c->lines.cut && line.data[line.len - 1] != '"' && cell_number(c, last, plain, &value, &written);
}

static enum ts_status take_row(struct csv *c, struct ts_log_table *t, struct ts_span line, struct ts_error *err)
{
	bool cut = may_be_cut(c, line);

	if (c->lines.cut && c->line.n < c->n_names) {
		tell(c, "cut_line", TS_NOTICE_SKIPPED, "the file ends inside a row");
		return TS_OK;
	}
	if (c->line.n != c->n_names)
		tell(c, "ragged_row", TS_NOTICE_SKIPPED,
		     c->line.n < c->n_names ? "a row with fewer values than there are columns"
					    : "a row with more values than there are columns");
	if (cut)
		tell(c, "cut_line", TS_NOTICE_SKIPPED, "the file ends without a line end, so its last number may lack digits");
	ts_log_table_row(t, c->lines.number);
	for (size_t i = 0; i < c->line.n - cut && i < c->n_names; i++)
		take_cell(c, t, c->names[i], c->line.fields[i]);
	return ts_log_table_end(t, err);
}

static enum ts_status take_line(struct csv *c, struct ts_log_table *t, struct ts_span line, struct ts_error *err)
{
	if (!line.len)
		return TS_OK;
	if (memchr(line.data, '\0', line.len)) {
		tell(c, "nul_bytes", TS_NOTICE_SKIPPED, "a line with zero bytes");
		return TS_OK;
	}
	if (ts_log_csv_split(&c->line, line, c->delimiter, err))
		return err->status;
	return take_row(c, t, line, err);
}

static enum ts_status read_lines(struct csv *c, struct ts_log_table *t, struct ts_error *err)
{
	for (;;) {
		struct ts_span line;
		enum ts_log_line_end end;

		if (ts_log_lines_next(&c->lines, &line, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return TS_OK;
		if (end == TS_LOG_LINE_LONG)
			tell(c, "long_line", TS_NOTICE_SKIPPED,
			     "a line of more than 4 MiB, or a quote that does not end within 4 MiB");
		if (end == TS_LOG_LINE_QUOTE)
			tell(c, "open_quote", TS_NOTICE_SKIPPED, "a quote that does not end before the end of the file");
		if ((end == TS_LOG_LINE && take_line(c, t, line, err)) ||
		    ts_log_table_at(t, ts_log_lines_at(&c->lines), c->lines.size, err))
			return err->status;
	}
}

static enum ts_status read_table(struct csv *c, struct ts_log_table *t, struct ts_error *err)
{
	struct ts_span header;
	enum ts_log_line_end end;
	bool is_row;

	if (next_header(&c->lines, &header, &end, err))
		return err->status;
	if (end == TS_LOG_LINES_END)
		return TS_OK;
	if (end != TS_LOG_LINE)
		return ts_error_set(err, TS_INVALID,
				    "line %" PRIu64 ": a header of more than 4 MiB, or with an open quote",
				    c->lines.number);
	c->delimiter = c->lines.delimiter = delimiter_of(c->path, header);
	if (c->lines.bom)
		ts_notice_add(&c->notices, "bom", TS_NOTICE_INFO, c->file, 1, "a byte order mark");
	if (ts_log_csv_split(&c->line, header, c->delimiter, err) || take_header(c, &is_row, err) ||
	    (is_row && take_row(c, t, header, err)))
		return err->status;
	return read_lines(c, t, err);
}

static enum ts_status read_file(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct csv *c = ctx;
	enum ts_status status = ts_log_lines_open(&c->lines, ts_top(c->options), c->path, ',', err);

	if (!status)
		status = read_table(c, t, err);
	c->bytes_read += c->lines.size;
	ts_log_lines_close(&c->lines);
	return status;
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct csv *c = ctx;

	return c->hparams ? ts_log_hparams(c->options, c->hparams, ts_span_str(HPARAMS), j, &c->notices, err) : TS_OK;
}

static enum ts_status find_file(struct csv *c, const char *path, const char **ret_directory, struct ts_error *err)
{
	const char *name = ts_path_last(path);

	c->path = path;
	c->hparams = NULL;
	*ret_directory = name == path ? "." : ts_arena_printf(c->arena, "%.*s", (int)(name - path), path);
	if (ts_file_kind(path) == TS_FILE_DIRECTORY) {
		*ret_directory = path;
		c->path = ts_path_join(c->arena, path, METRICS);
		c->hparams = ts_path_join(c->arena, path, HPARAMS);
		c->file = ts_span_str(METRICS);
	}
	return *ret_directory && c->path ? TS_OK : ts_arena_error(c->arena, err);
}

enum ts_status ts_csv_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			   struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct csv c = {.options = options, .arena = arena, .notices = {.arena = arena}};
	struct ts_log_source source = {.read = read_file, .facts = write_facts, .ctx = &c};
	enum ts_status status = find_file(&c, options->path, &source.directory, err);

	source.format = c.hparams ? "Lightning CSV log" : "CSV table";
	source.file = c.file;
	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &c.notices, &c.bytes_read, arena, ret_result, err);
	ts_log_csv_finish(&c.line);
	return status;
}
