#include "ingest/trackers/reader_trackio.h"

#include "base/json_reader.h"
#include "base/limits.h"
#include "base/text.h"
#include "ingest/formats/sqlite_file.h"
#include "ingest/logs/log_json.h"

const char ts_trackio_loses[] = "media, traces, alerts, artifacts and system metrics";

enum { SURE = 60, PART_MAX = TS_NAME_MAX / 2 };

struct trackio {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	struct ts_buf scratch;
	sqlite3 *db;
	const char *id; /* the column that tells runs apart: run_id, or run_name */
	const char *part;
	struct ts_span name, created;
	uint64_t bytes_read, rows, rows_total;
};

static const char *const tables[] = {"metrics", "configs", NULL};

/* --- which runs --- */

/* Early versions had no column run_id. */
static const char *id_column(sqlite3 *db)
{
	sqlite3_stmt *query = NULL;
	int code = sqlite3_prepare_v2(db, "SELECT run_id FROM metrics LIMIT 0", -1, &query, NULL);

	(void)sqlite3_finalize(query);
	return code ? "run_name" : "run_id";
}

static enum ts_status open_base(const char *top, const char *path, struct ts_arena *arena, sqlite3 **ret_db, struct ts_error *err)
{
	sqlite3_stmt *query;

	if (ts_sqlite_open(top, path, arena, ret_db, err) || ts_sqlite_tables(*ret_db, path, "trackio", tables, err))
		return err->status;
	query = ts_sqlite_prepare(*ret_db, path, "SELECT run_name, step, timestamp, metrics FROM metrics LIMIT 0", NULL, err);
	(void)sqlite3_finalize(query);
	return query ? TS_OK : err->status;
}

int ts_trackio_sniff(const char *path)
{
	uint8_t header[TS_SQLITE_HEADER];
	uint64_t size;
	struct ts_error err = {.status = TS_OK};
	struct ts_arena arena;
	sqlite3 *db = NULL;
	bool is;

	if (!ts_sqlite_header(path, path, header, &size))
		return 0;
	ts_arena_init(&arena, 0);
	is = !open_base(path, path, &arena, &db, &err);
	(void)sqlite3_close(db);
	ts_arena_finish(&arena);
	return is ? SURE : err.status == TS_NO_MEMORY ? TS_SNIFF_NO_MEMORY : 0;
}

static enum ts_status add_part(struct ts_span id, struct ts_span name, struct ts_arena *arena, struct ts_reader_part **parts, size_t *n,
			       size_t *cap, struct ts_error *err)
{
	if (!id.len || id.len > PART_MAX || !ts_utf8_valid(id))
		return ts_error_set(err, TS_INVALID, "a run in the table metrics has no id of 1 to %d bytes", PART_MAX);
	return ts_reader_add_part(id, ts_utf8_valid(name) ? name : ts_span_of(NULL, 0), arena, parts, n, cap, err);
}

static enum ts_status list_parts(sqlite3 *db, const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts,
				 size_t *ret_n, struct ts_error *err)
{
	const char *id = id_column(db);
	const char *sql = ts_arena_printf(arena, "SELECT %s, max(run_name) FROM metrics GROUP BY %s ORDER BY min(id)", id, id);
	sqlite3_stmt *query = sql ? ts_sqlite_prepare(db, path, sql, NULL, err) : NULL;
	enum ts_status status = TS_OK;
	size_t cap = 0;

	if (!sql)
		return ts_arena_error(arena, err);
	if (!query)
		return err->status;
	*ret_parts = NULL;
	*ret_n = 0;
	while (ts_sqlite_next(query, path, &status, err))
		if (add_part(ts_sqlite_text(query, 0), ts_sqlite_text(query, 1), arena, ret_parts, ret_n, &cap, err))
			status = ts_error_prefix(err, "%s", path);
	(void)sqlite3_finalize(query);
	return status;
}

enum ts_status ts_trackio_parts(const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts, size_t *ret_n,
			       size_t *ret_deleted, struct ts_error *err)
{
	sqlite3 *db = NULL;
	enum ts_status status = open_base(path, path, arena, &db, err);

	if (!status)
		status = list_parts(db, path, arena, ret_parts, ret_n, err);
	(void)sqlite3_close(db);
	if (!status && *ret_n == 0)
		return ts_error_set(err, TS_INVALID, "%s: this database of trackio has no run", path);
	if (!status)
		*ret_deleted = 0;
	return status;
}

static enum ts_status choose_part(struct trackio *x, struct ts_error *err)
{
	const char *path = x->options->path;
	struct ts_reader_part *parts;
	size_t n;

	x->part = x->options->part;
	if (x->part)
		return TS_OK;
	if (list_parts(x->db, path, x->arena, &parts, &n, err))
		return err->status;
	if (n != 1)
		return ts_error_set(err, TS_INVALID, "%s: there are %zu runs; give one of them as %s#RUN_ID", path, n, path);
	x->part = parts[0].id;
	return TS_OK;
}

/* --- rows --- */

/* Prepares a query about the run; the %s of sql is the column that tells runs apart. */
static sqlite3_stmt *ask(struct trackio *x, const char *before, const char *after, struct ts_error *err)
{
	const char *sql = ts_arena_printf(x->arena, "%s WHERE %s = ?1 %s", before, x->id, after);

	if (sql)
		return ts_sqlite_prepare(x->db, x->options->path, sql, x->part, err);
	(void)ts_arena_error(x->arena, err);
	return NULL;
}

static void tell(struct trackio *x, const char *code, const char *detail)
{
	ts_notice_add(&x->notices, code, TS_NOTICE_SKIPPED, ts_span_str("metrics"), x->rows, detail);
}

/* Takes the JSON of one record. *ret_good: it is an object; else the row is left out. */
static enum ts_status take_json(struct trackio *x, struct ts_log_table *t, struct ts_span json, bool *ret_good, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error bad;

	*ret_good = false;
	ts_json_reader_init(&r, json, &x->scratch);
	if (!ts_json_next(&r, &token, &bad)) {
		*ret_good = token.type == TS_JSON_OBJECT;
		if (!*ret_good)
			tell(x, "not_object", "a record that is not an object");
		if (!*ret_good || !ts_log_json_cells(&r, t, ts_span_str("metrics"), x->rows, &bad))
			return TS_OK;
		*ret_good = false;
	}
	if (bad.status == TS_NO_MEMORY)
		return ts_error_set(err, bad.status, "%s", bad.text);
	tell(x, "bad_json", bad.text);
	return TS_OK;
}

static enum ts_status take_row(struct trackio *x, struct ts_log_table *t, sqlite3_stmt *query, struct ts_error *err)
{
	struct ts_span json = ts_sqlite_text(query, 2);
	bool good;

	x->rows++;
	x->bytes_read += json.len;
	if (sqlite3_column_type(query, 0) != SQLITE_INTEGER) {
		tell(x, "bad_step", "a step that is not a whole number of 64 bits");
		return TS_OK;
	}
	ts_log_table_row(t, x->rows);
	if (take_json(x, t, json, &good, err))
		return err->status;
	if (!good)
		return TS_OK;
	ts_log_table_text(t, ts_span_str("timestamp"), ts_sqlite_text(query, 1));
	ts_log_table_number(t, ts_span_str("step"), sqlite3_column_double(query, 0), ts_sqlite_text(query, 0));
	if (ts_log_table_end(t, err))
		return err->status;
	return ts_log_table_at(t, x->rows * 64, x->rows_total * 64, err);
}

static enum ts_status read_rows(void *ctx, struct ts_log_table *t, struct ts_error *err)
{
	struct trackio *x = ctx;
	sqlite3_stmt *query = ask(x, "SELECT step, timestamp, metrics FROM metrics", "ORDER BY id", err);
	enum ts_status status = TS_OK;

	if (!query)
		return err->status;
	x->rows = 0;
	while (ts_sqlite_next(query, x->options->path, &status, err))
		status = take_row(x, t, query, err);
	(void)sqlite3_finalize(query);
	return status;
}

static enum ts_status read_name(struct trackio *x, struct ts_error *err)
{
	sqlite3_stmt *query = ask(x, "SELECT max(run_name), min(timestamp), count(*) FROM metrics", "", err);
	enum ts_status status = TS_OK;

	if (!query)
		return err->status;
	if (ts_sqlite_next(query, x->options->path, &status, err)) {
		x->name = ts_arena_span(x->arena, ts_sqlite_text(query, 0));
		x->created = ts_arena_span(x->arena, ts_sqlite_text(query, 1));
		x->rows_total = (uint64_t)sqlite3_column_int64(query, 2);
	}
	(void)sqlite3_finalize(query);
	if (!status && (!x->name.data || !x->created.data))
		return ts_arena_error(x->arena, err);
	if (!status && x->rows_total == 0)
		return ts_error_set(err, TS_NOT_FOUND, "%s: there is no run %s", x->options->path, x->part);
	return status;
}

/* --- facts --- */

/* Writes the members of the configuration whose names begin with '_' (trackio's own), or those of the others. */
static enum ts_status write_members(struct trackio *x, struct ts_span json, bool own, struct ts_json *j, struct ts_error *err)
{
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_span value;

	ts_json_reader_init(&r, json, &x->scratch);
	if (ts_json_next(&r, &token, err) || token.type != TS_JSON_OBJECT)
		return err->status;
	for (;;) {
		bool wanted;

		if (ts_json_next(&r, &token, err))
			return err->status;
		if (token.type != TS_JSON_KEY)
			return TS_OK;
		wanted = own == (token.text.len && token.text.data[0] == '_');
		if (wanted)
			ts_json_key_span(j, own ? ts_span_from(token.text, 1) : token.text);
		if (ts_json_skip(&r, &value, err))
			return err->status;
		if (wanted)
			ts_json_raw(j, value);
	}
}

static enum ts_status write_config(struct trackio *x, struct ts_span json, struct ts_json *j, struct ts_error *err)
{
	struct ts_span whole;
	struct ts_json_reader r;
	struct ts_error why = {.status = TS_OK};

	ts_json_reader_init(&r, json, &x->scratch);
	if (ts_json_skip(&r, &whole, &why) || !whole.len || whole.data[0] != '{') {
		ts_notice_add(&x->notices, "bad_config", TS_NOTICE_SKIPPED, ts_span_str("configs"), 0,
			      "a config that is not a JSON object");
		return why.status == TS_NO_MEMORY ? ts_error_set(err, why.status, "%s", why.text) : TS_OK;
	}
	ts_json_key(j, "config");
	ts_json_object(j);
	if (write_members(x, json, false, j, err))
		return err->status;
	ts_json_end(j);
	ts_json_key(j, "other");
	ts_json_object(j);
	ts_json_key(j, "trackio");
	ts_json_object(j);
	if (write_members(x, json, true, j, err))
		return err->status;
	ts_json_end(j);
	ts_json_end(j);
	return TS_OK;
}

static enum ts_status write_facts(void *ctx, struct ts_json *j, struct ts_error *err)
{
	struct trackio *x = ctx;
	sqlite3_stmt *query = ask(x, "SELECT config FROM configs", "LIMIT 1", err);
	enum ts_status status = TS_OK;

	if (!query)
		return err->status;
	ts_json_key(j, "session");
	ts_json_object(j);
	ts_json_key(j, "name");
	ts_json_span(j, x->name);
	ts_json_key(j, "started");
	ts_json_span(j, x->created);
	ts_json_end(j);
	if (ts_sqlite_next(query, x->options->path, &status, err))
		status = write_config(x, ts_sqlite_text(query, 0), j, err);
	(void)sqlite3_finalize(query);
	return status;
}

enum ts_status ts_trackio_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct trackio x = {
		.options = options, .arena = arena, .notices = {.arena = arena}, .scratch = TS_BUF_INIT(2 * TS_LINE_MAX)};
	struct ts_log_source source = {
		.format = "trackio database", .file = ts_span_str("metrics"), .read = read_rows, .facts = write_facts, .ctx = &x};
	enum ts_status status = open_base(ts_top(options), options->path, arena, &x.db, err);

	if (!status) {
		x.id = id_column(x.db);
		status = choose_part(&x, err);
	}
	if (!status)
		status = read_name(&x, err);
	if (!status)
		status = ts_log_table_import(&source, options, sink, ctx, &x.notices, &x.bytes_read, arena, ret_result, err);
	(void)sqlite3_close(x.db);
	ts_buf_finish(&x.scratch);
	return status;
}
