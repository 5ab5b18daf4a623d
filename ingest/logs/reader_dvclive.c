#include "ingest/logs/reader_dvclive.h"

#include "base/below.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "ingest/formats/log_lines.h"
#include "ingest/logs/log_csv.h"
#include "ingest/logs/log_hparams.h"
#include "ingest/logs/log_table.h"

#include <sys/stat.h>

const char ts_dvclive_loses[] = "images and other plots";

#define METRICS "plots/metrics"

enum { SURE = 50, DEPTH = 8, SERIES_MAX = 65536, SUMMARY_MAX = 64 << 10 };

/* What the folders differ in. */
struct kind {
	const char *ending;
	char delimiter;
	int depth; /* of the directories below metrics that are searched */
};

static const struct kind dvclive_kind = {".tsv", '\t', DEPTH}, deepspeed_kind = {".csv", ',', 1};

struct dvclive {
	const struct kind *kind;
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	uint64_t bytes_read, bytes_total;
	const char *path;
	const char *metrics; /* where the files lie: path/plots/metrics, or path */
	const char **series; /* the paths below metrics without the ending: "train/loss" */
	size_t n_series, cap_series;
	struct ts_log_lines lines;
	struct ts_log_csv line;
	struct ts_span file; /* the file that notices name */
	uint64_t before;     /* the bytes of the files that were read before this one */
};

int ts_dvclive_sniff(const char *path)
{
	struct ts_arena arena;
	char *metrics;
	int sure = 0;

	if (ts_file_kind(path) != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	metrics = ts_path_join(&arena, path, METRICS);
	if (!metrics)
		sure = TS_SNIFF_NO_MEMORY;
	else if (ts_below_kind(path, metrics) == TS_FILE_DIRECTORY)
		sure = SURE;
	ts_arena_finish(&arena);
	return sure;
}

/* --- which series --- */

static enum ts_status add_series(struct dvclive *d, const char *name, struct ts_error *err)
{
	size_t n = strlen(name) - strlen(d->kind->ending);

	if (d->n_series == SERIES_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d series", SERIES_MAX);
	if (!TS_GROW_IN(d->arena, d->series, d->cap_series, d->n_series + 1, 32))
		return ts_arena_error(d->arena, err);
	d->series[d->n_series] = ts_arena_printf(d->arena, "%.*s", (int)n, name);
	return d->series[d->n_series++] ? TS_OK : ts_arena_error(d->arena, err);
}

static enum ts_status walk(struct dvclive *d, const char *directory, const char *below, int depth, struct ts_error *err)
{
	char **names;
	size_t n;

	if (ts_below_list(ts_top(d->options), directory, d->arena, &names, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		char *path = ts_path_join(d->arena, directory, names[i]);
		const char *name = *below ? ts_arena_printf(d->arena, "%s/%s", below, names[i]) : names[i];
		struct stat st;

		if (!path || !name)
			return ts_arena_error(d->arena, err);
		if (lstat(path, &st))
			continue;
		if (S_ISREG(st.st_mode) && ts_file_ends(names[i], d->kind->ending)) {
			d->bytes_total += (uint64_t)st.st_size;
			if (add_series(d, name, err))
				return err->status;
		} else if (S_ISDIR(st.st_mode) && depth < d->kind->depth && walk(d, path, name, depth + 1, err)) {
			return err->status;
		} else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
			(void)ts_reader_has(ts_top(d->options), path, ts_span_str(name), &d->notices);
		}
	}
	return TS_OK;
}

/* --- a series --- */

static void tell(struct dvclive *d, const char *code, enum ts_notice_level level, const char *detail)
{
	ts_notice_add(&d->notices, code, level, d->file, d->lines.number, detail);
}

enum role { ROLE_NONE, ROLE_STEP, ROLE_TIME, ROLE_VALUE };

/* Finds the columns: step, timestamp, and the series, whose column has the last part of its name. */
static size_t roles_of(const struct ts_log_csv *header, enum role roles[4])
{
	size_t n = header->n < 4 ? header->n : 4;

	for (size_t i = 0; i < n; i++)
		roles[i] = ts_span_is(header->fields[i], "step")	? ROLE_STEP
			   : ts_span_is(header->fields[i], "timestamp") ? ROLE_TIME
									: ROLE_VALUE;
	return n;
}

static void take_field(struct dvclive *d, struct ts_log_table *t, enum role role, struct ts_span name, struct ts_span field)
{
	struct ts_span written;
	double value;

	if (!field.len)
		return;
	if (!ts_log_number(field, &value, &written)) {
		tell(d, "not_scalar", TS_NOTICE_SKIPPED, "a value that is not a number");
		return;
	}
	ts_log_table_number(t,
			    role == ROLE_STEP	? ts_span_str("step")
			    : role == ROLE_TIME ? ts_span_str("timestamp")
						: name,
			    value, written);
}

static enum ts_status read_rows(struct dvclive *d, struct ts_log_table *t, struct ts_span name, struct ts_error *err)
{
	enum role roles[4];
	size_t n = 0;

	for (bool header = true;; header = false) {
		struct ts_span line;
		enum ts_log_line_end end;

		if (ts_log_lines_next(&d->lines, &line, &end, err))
			return err->status;
		if (end == TS_LOG_LINES_END)
			return TS_OK;
		if (end != TS_LOG_LINE) {
			tell(d, "long_line", TS_NOTICE_SKIPPED, "a line of more than 4 MiB");
			continue;
		}
		if (ts_log_csv_split(&d->line, line, d->kind->delimiter, err))
			return err->status;
		if (header || (d->line.n && ts_span_is(d->line.fields[0], "step"))) {
			n = roles_of(&d->line, roles);
			continue;
		}
		if (d->lines.cut && d->line.n < n) {
			tell(d, "cut_line", TS_NOTICE_SKIPPED, "the file ends inside a row");
			continue;
		}
		if (d->lines.cut)
			tell(d, "cut_line", TS_NOTICE_SKIPPED, "the file ends without a line end, so its last number may lack digits");
		ts_log_table_row(t, d->lines.number);
		for (size_t i = 0; i < n && i < d->line.n - d->lines.cut; i++)
			take_field(d, t, roles[i], name, d->line.fields[i]);
		if (ts_log_table_end(t, err) || ts_log_table_at(t, d->before + ts_log_lines_at(&d->lines), d->bytes_total, err))
			return err->status;
	}
}

static enum ts_status read_series(struct dvclive *d, struct ts_log_table *t, const char *name, struct ts_error *err)
{
	const char *path = ts_arena_printf(d->arena, "%s/%s%s", d->metrics, name, d->kind->ending);
	enum ts_status status;

	d->file = path ? ts_span_str(path + strlen(d->path) + 1) : ts_span_str("");
	if (!path)
		return ts_arena_error(d->arena, err);
	status = ts_log_lines_open(&d->lines, ts_top(d->options), path, '\0', err);
	if (!status)
		status = read_rows(d, t, ts_span_str(name), err);
	d->before += d->lines.size;
	ts_log_lines_close(&d->lines);
	return status;
}

static enum ts_status read_all(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct dvclive *d = ctx;

	d->before = 0;
	for (size_t i = 0; i < d->n_series; i++)
		if (read_series(d, t, d->series[i], err))
			return err->status;
	d->bytes_read += d->before;
	return TS_OK;
}

/* --- facts --- */

/* Writes the summary into the session, because it changes while the run goes on. */
static void put_summary(struct ts_json *j, struct ts_span raw)
{
	ts_json_key(j, "session");
	ts_json_object(j);
	ts_json_key(j, "dvclive");
	ts_json_object(j);
	ts_json_key(j, "summary");
	ts_json_raw(j, raw);
	ts_json_end(j);
	ts_json_end(j);
}

static enum ts_status read_summary(const char *top, const char *path, struct ts_buf *text, struct ts_span *ret_raw,
				   struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(SUMMARY_MAX);
	struct ts_json_reader r;
	enum ts_status status = ts_below_read(top, path, text, err);

	ts_json_reader_init(&r, ts_buf_view(text), &scratch);
	if (!status)
		status = ts_json_skip(&r, ret_raw, err);
	ts_buf_finish(&scratch);
	if (!status && (!ret_raw->len || ret_raw->data[0] != '{'))
		return ts_error_set(err, TS_INVALID, "no JSON object");
	return status;
}

/* Reads metrics.json: the last values, and values that were logged without a plot. */
static enum ts_status write_summary(struct dvclive *d, struct ts_json *j, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(SUMMARY_MAX);
	char *path = ts_path_join(d->arena, d->path, "metrics.json");
	struct ts_span raw = {NULL, 0};
	struct ts_error why;
	enum ts_status status;

	if (!path)
		return ts_arena_error(d->arena, err);
	if (!ts_reader_has(ts_top(d->options), path, ts_span_str("metrics.json"), &d->notices))
		return TS_OK;
	status = read_summary(ts_top(d->options), path, &text, &raw, &why);
	if (status == TS_NO_MEMORY)
		*err = why;
	else if (status)
		ts_notice_add(&d->notices, "bad_config", TS_NOTICE_SKIPPED, ts_span_str("metrics.json"), 0, why.text);
	else
		put_summary(j, raw);
	ts_buf_finish(&text);
	return status == TS_NO_MEMORY ? status : TS_OK;
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct dvclive *d = ctx;
	char *params = ts_path_join(d->arena, d->path, "params.yaml");

	if (!params)
		return ts_arena_error(d->arena, err);
	if (write_summary(d, j, err))
		return err->status;
	return ts_log_hparams(d->options, params, ts_span_str("params.yaml"), j, &d->notices, err);
}

enum ts_status ts_dvclive_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct dvclive d = {
		.kind = &dvclive_kind, .options = options, .arena = arena, .notices = {.arena = arena}, .path = options->path};
	struct ts_log_source source = {
		.format = "dvclive folder", .directory = options->path, .read = read_all, .facts = write_facts, .ctx = &d};
	enum ts_status status;

	d.metrics = ts_path_join(arena, d.path, METRICS);
	if (!d.metrics)
		return ts_arena_error(arena, err);
	status = walk(&d, d.metrics, "", 1, err);
	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &d.notices, &d.bytes_read, arena, ret_result, err);
	ts_log_csv_finish(&d.line);
	return status;
}

/* --- DeepSpeed --- */

/* Whether the file's columns are the step and the last part of its name, with '_' for spaces. */
static bool is_series(const char *folder, const char *path, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_span stem = ts_span_str(ts_path_last(path)), header;
	struct ts_log_lines lines;
	struct ts_log_csv csv = {.n = 0};
	enum ts_log_line_end end;
	bool is = false;

	stem.len -= strlen(deepspeed_kind.ending);
	if (!ts_log_lines_open(&lines, folder, path, '\0', err) && !ts_log_lines_next(&lines, &header, &end, err) &&
	    end == TS_LOG_LINE && !ts_log_csv_split(&csv, header, deepspeed_kind.delimiter, err) && csv.n == 2 &&
	    ts_span_is(csv.fields[0], "step")) {
		char *last = ts_arena_printf(arena, "_%.*s", TS_SPAN_ARG(csv.fields[1]));

		for (char *c = last; c && *c; c++)
			*c = *c == ' ' ? '_' : *c;
		is = last && last[1] && (ts_span_is(stem, last + 1) || ts_span_ends(stem, last));
	}
	ts_log_csv_finish(&csv);
	ts_log_lines_close(&lines);
	return is;
}

/* Each table of the folder is a series, and there are two at least, or one that DeepSpeed names. */
static bool has_series(const char *path, struct ts_arena *arena, struct ts_error *err)
{
	bool named = false;
	size_t found = 0, n;
	char **names;

	if (ts_below_list(path, path, arena, &names, &n, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		char *file = ts_file_ends(names[i], deepspeed_kind.ending) ? ts_path_join(arena, path, names[i]) : NULL;

		if (!file)
			continue;
		if (ts_below_kind(path, file) != TS_FILE_REGULAR || !is_series(path, file, arena, err))
			return false;
		named |= ts_span_starts(ts_span_str(names[i]), ts_span_str("Train_Samples_"));
		found++;
	}
	return found > 1 || named;
}

int ts_deepspeed_sniff(const char *path)
{
	struct ts_error err = {.status = TS_OK};
	struct ts_arena arena;
	bool has, lacks;

	if (ts_file_kind(path) != TS_FILE_DIRECTORY)
		return 0;
	ts_arena_init(&arena, 0);
	has = has_series(path, &arena, &err);
	lacks = arena.failed || err.status == TS_NO_MEMORY;
	ts_arena_finish(&arena);
	return lacks ? TS_SNIFF_NO_MEMORY : has ? SURE : 0;
}

enum ts_status ts_deepspeed_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				 struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct dvclive d = {.kind = &deepspeed_kind,
			    .options = options,
			    .arena = arena,
			    .notices = {.arena = arena},
			    .path = options->path,
			    .metrics = options->path};
	struct ts_log_source source = {
		.format = "folder of a table each metric", .directory = options->path, .unordered = true, .read = read_all, .ctx = &d};
	enum ts_status status = walk(&d, d.metrics, "", 1, err);

	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &d.notices, &d.bytes_read, arena, ret_result, err);
	ts_log_csv_finish(&d.line);
	return status;
}
