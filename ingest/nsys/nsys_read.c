#include "ingest/nsys/nsys_read.h"

#include "base/buf.h"
#include "ingest/nsys/nsys_seems.h"
#include "ingest/nsys/nsys_tables.h"
#include "ingest/trace/trace_about.h"
#include "ingest/trace/trace_fill.h"

enum {
	STEPS_AT_ONCE = 1 << 16,
	STEPS_A_BYTE = 64, /* a row has some ten bytes a column, and costs some ten steps a column */
	STEPS_LEAST = 10000000,
	TEXT_BYTES_A_STEP = 4, /* what copying and hashing a text costs, beside a step */
	SQL_MAX = 4096,
	ABOUT_BYTES = 1 << 20,
};

struct reading {
	const char *path;
	sqlite3 *db;
	struct ts_trace_fill fill;
	struct ts_trace_file *file;
	struct ts_arena arena;
	sqlite3_stmt *strings; /* NULL: there are none */
	struct ts_nsys_processes processes;
	uint64_t steps_left;
	bool too_many; /* steps */
};

/* --- which file it is --- */

static enum ts_status has_table(sqlite3 *db, const char *path, const char *name, bool *ret, struct ts_error *err)
{
	const char *const names[] = {name, NULL};
	enum ts_status status = ts_sqlite_tables(db, path, "Nsight Systems", names, err);

	*ret = !status;
	return status == TS_INVALID ? TS_OK : status;
}

static enum ts_status has_any(sqlite3 *db, const char *path, bool *ret, struct ts_error *err)
{
	bool ranges, strings;

	for (size_t i = 0; i < ts_nsys_n_tables; i++)
		if (ts_nsys_tables[i].of_devices && (has_table(db, path, ts_nsys_tables[i].name, ret, err) || *ret))
			return *ret ? TS_OK : err->status;
	if (has_table(db, path, "NVTX_EVENTS", &ranges, err) || has_table(db, path, "StringIds", &strings, err))
		return err->status;
	*ret = ranges && strings;
	return TS_OK;
}

bool ts_nsys_is(const char *path)
{
	uint8_t header[TS_SQLITE_HEADER];
	struct ts_arena arena;
	enum ts_status status;
	struct ts_error none;
	uint64_t size;
	sqlite3 *db;
	bool is = false;

	if (!ts_sqlite_header(path, path, header, &size))
		return false;
	ts_arena_init(&arena, 0);
	status = ts_sqlite_open(path, path, &arena, &db, &none);
	if (!status) {
		(void)sqlite3_busy_timeout(db, 0);
		status = has_any(db, path, &is, &none);
		(void)sqlite3_close(db);
	}
	ts_arena_finish(&arena);
	return status ? ts_nsys_seems(path) : is;
}

/* --- queries --- */

/* Whether so many steps are left. */
static bool spend(struct reading *r, uint64_t steps)
{
	r->too_many |= r->steps_left < steps;
	r->steps_left -= r->too_many ? 0 : steps;
	return !r->too_many;
}

/* Stops what takes steps out of proportion, such as a join with a table whose index somebody left out. */
static int count_steps(void *ctx)
{
	return !spend(ctx, STEPS_AT_ONCE);
}

static enum ts_status failed(struct reading *r, struct ts_error *err)
{
	if (err->status == TS_CANCELLED && r->too_many)
		return ts_error_set(err, TS_INVALID, "%s: reading it takes too many steps for its size, so it is no export of nsys",
				    r->path);
	return err->status;
}

static enum ts_status has_column(struct reading *r, const char *table, const char *column, bool *ret, struct ts_error *err)
{
	static const char sql[] = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
	sqlite3_stmt *query = ts_sqlite_prepare(r->db, r->path, sql, table, err);
	enum ts_status status = TS_OK;

	*ret = false;
	if (!query)
		return err->status;
	if (sqlite3_bind_text(query, 2, column, -1, SQLITE_STATIC))
		status = ts_sqlite_error(r->db, r->path, err);
	else
		*ret = ts_sqlite_next(query, r->path, &status, err) && sqlite3_column_int(query, 0) > 0;
	(void)sqlite3_finalize(query);
	return status;
}

/* What the version does not have is NULL. */
static enum ts_status write_query(struct reading *r, const struct ts_nsys_table *table, struct ts_buf *sql, struct ts_error *err)
{
	ts_buf_str(sql, "SELECT ");
	for (size_t i = 0; i < TS_NSYS_COLUMNS && table->columns[i]; i++) {
		const char *column = table->columns[i] + (table->columns[i][0] == '=');
		bool there;

		if (has_column(r, table->name, column, &there, err))
			return err->status;
		ts_buf_str(sql, i ? ", " : "");
		if (!there)
			ts_buf_str(sql, "NULL");
		else
			ts_buf_printf(sql, "t.\"%s\"", column);
	}
	ts_buf_printf(sql, " FROM \"%s\" t", table->name);
	ts_buf_char(sql, '\0');
	return ts_buf_check(sql, err);
}

/* --- rows --- */

static void unset(struct ts_trace_event *e)
{
	*e = (struct ts_trace_event){.phase = 0};
	e->pid.number = e->tid.number = e->id.number = TS_TRACE_NONE;
	e->time_ns = e->duration_ns = e->correlation = e->external = e->bytes = TS_TRACE_NONE;
	e->stream = e->device = e->address = e->allocated = e->reserved = e->device_type = e->device_id = TS_TRACE_NONE;
}

/* What reading the row's event showed. Texts count as steps, because many rows may refer to one that is long. */
static enum ts_status settle(struct reading *r, struct ts_nsys_row *row, uint64_t at, struct ts_error *err)
{
	if (!row->status && !spend(r, row->text_bytes / TEXT_BYTES_A_STEP))
		row->status = ts_error_set(err, TS_CANCELLED, "%s: too many texts", r->path);
	if (row->no_name)
		ts_trace_note(&r->fill, "nsys_name", TS_NOTICE_SKIPPED, at, "a name of more than 4 MiB is left out");
	if (row->no_launch)
		ts_trace_note(&r->fill, "nsys_process", TS_NOTICE_INFO, at,
			      "an event that does not say its process, in a recording of several: what launched it is unknown");
	row->text_bytes = 0;
	row->no_name = row->no_launch = false;
	return row->status;
}

static enum ts_status take_rows(struct reading *r, const struct ts_nsys_table *table, sqlite3_stmt *query, struct ts_error *err)
{
	struct ts_nsys_row row = {
		.query = query, .strings = r->strings, .processes = &r->processes, .path = r->path, .err = err, .status = TS_OK};
	enum ts_status status = TS_OK;
	struct ts_trace_event event;
	uint64_t at = 0;

	while (ts_sqlite_next(query, r->path, &status, err)) {
		bool is;

		unset(&event);
		at++;
		is = table->event(&row, &event);
		if (settle(r, &row, at, err))
			return err->status;
		if (!is)
			continue;
		r->file->events += event.phase == 'X';
		if (ts_trace_fill_event(&r->fill, &event, at, err))
			return ts_error_prefix(err, "%s: row %" PRIu64 " of %s", r->path, at, table->name);
	}
	return status;
}

static enum ts_status read_table(struct reading *r, const struct ts_nsys_table *table, struct ts_error *err)
{
	struct ts_buf sql = TS_BUF_INIT(SQL_MAX);
	enum ts_status status;
	sqlite3_stmt *query;
	bool there;

	if (has_table(r->db, r->path, table->name, &there, err))
		return err->status;
	if (!there)
		return TS_OK;
	status = write_query(r, table, &sql, err);
	query = status ? NULL : ts_sqlite_prepare(r->db, r->path, (const char *)sql.data, NULL, err);
	ts_buf_finish(&sql);
	if (!query)
		return err->status;
	status = take_rows(r, table, query, err);
	(void)sqlite3_finalize(query);
	return status;
}

/* --- what it says of itself --- */

static enum ts_status read_base(struct reading *r, struct ts_error *err)
{
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;
	bool there;

	if (has_table(r->db, r->path, "TARGET_INFO_SESSION_START_TIME", &there, err))
		return err->status;
	if (there && has_column(r, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", &there, err))
		return err->status;
	if (!there)
		return TS_OK;
	query = ts_sqlite_prepare(r->db, r->path, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME", NULL, err);
	if (!query)
		return err->status;
	if (ts_sqlite_next(query, r->path, &status, err) && sqlite3_column_type(query, 0) == SQLITE_INTEGER)
		r->file->about.base_ns = sqlite3_column_int64(query, 0);
	(void)sqlite3_finalize(query);
	return status;
}

static int64_t number(sqlite3_stmt *query, int column)
{
	return sqlite3_column_type(query, column) == SQLITE_INTEGER ? sqlite3_column_int64(query, column) : TS_TRACE_NONE;
}

static enum ts_status read_devices(struct reading *r, struct ts_error *err)
{
	static const struct ts_nsys_table gpus = {.name = "TARGET_INFO_GPU", .columns = {"id", "name", "totalMemory", "smCount"}};
	struct ts_trace_about *about = &r->file->about;
	struct ts_buf sql = TS_BUF_INIT(SQL_MAX);
	enum ts_status status;
	sqlite3_stmt *query;
	bool there;

	if (has_table(r->db, r->path, gpus.name, &there, err))
		return err->status;
	if (!there)
		return TS_OK;
	about->devices = ts_arena_array(&r->file->arena, TS_TRACE_DEVICES_MAX, sizeof *about->devices);
	if (!about->devices)
		return ts_arena_error(&r->file->arena, err);
	status = write_query(r, &gpus, &sql, err);
	query = status ? NULL : ts_sqlite_prepare(r->db, r->path, (const char *)sql.data, NULL, err);
	ts_buf_finish(&sql);
	if (!query)
		return err->status;
	while (about->n_devices < TS_TRACE_DEVICES_MAX && ts_sqlite_next(query, r->path, &status, err)) {
		struct ts_trace_device *device = &about->devices[about->n_devices++];

		*device = (struct ts_trace_device){.id = number(query, 0),
						   .name = ts_arena_span(&r->file->arena, ts_sqlite_text(query, 1)),
						   .memory_bytes = number(query, 2),
						   .multiprocessors = number(query, 3)};
	}
	(void)sqlite3_finalize(query);
	return status ? status : ts_arena_check(&r->file->arena, err);
}

/* --- all of it --- */

static enum ts_status find_strings(struct reading *r, struct ts_error *err)
{
	bool there, has_id, has_value;

	if (has_table(r->db, r->path, "StringIds", &there, err))
		return err->status;
	if (!there)
		return TS_OK;
	if (has_column(r, "StringIds", "id", &has_id, err) || has_column(r, "StringIds", "value", &has_value, err))
		return err->status;
	if (!has_id || !has_value)
		return TS_OK;
	r->strings = ts_sqlite_prepare(r->db, r->path, "SELECT value FROM StringIds WHERE id = ?1", NULL, err);
	return r->strings ? TS_OK : err->status;
}

static enum ts_status read_all(struct reading *r, struct ts_error *err)
{
	if (find_strings(r, err))
		return err->status;
	if (read_base(r, err) || read_devices(r, err))
		return err->status;
	for (size_t i = 0; i < ts_nsys_n_tables; i++)
		if (read_table(r, &ts_nsys_tables[i], err))
			return err->status;
	if (r->file->events == 0)
		return ts_error_set(err, TS_INVALID, "%s: this export of nsys has no kernel, no copy, no call and no range", r->path);
	return ts_trace_fill_end(&r->fill, err);
}

static void note(struct reading *r)
{
	struct ts_error none;
	bool there;

	if (!has_table(r->db, r->path, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &there, &none) && there)
		ts_notice_add(r->fill.notices, "nsys_graphs", TS_NOTICE_INFO, r->fill.file, 0,
			      "CUDA graphs count as one kernel each, because they were recorded so: nsys profile "
			      "--cuda-graph-trace=node records their kernels");
}

static enum ts_status with_database(struct reading *r, struct ts_error *err)
{
	enum ts_status status;

	if (ts_trace_words_init(&r->file->words, err))
		return err->status;
	status = ts_trace_fill_begin(&r->fill, err);
	if (!status) {
		status = read_all(r, err);
		ts_trace_fill_finish(&r->fill);
	}
	if (status)
		ts_trace_words_finish(&r->file->words);
	else
		note(r);
	return status;
}

enum ts_status ts_nsys_load(const char *path, const struct ts_trace_reading *reading, struct ts_trace *ret_trace,
			    struct ts_trace_file *ret_file, struct ts_error *err)
{
	struct ts_trace_gathering gathered = {.most = reading->columns_most};
	struct ts_trace_file file = {.events = 0};
	struct reading r = {.path = path,
			    .file = &file,
			    .processes = {.first = TS_TRACE_NONE},
			    .fill = {.words = &file.words,
				     .take = ts_trace_gather,
				     .ctx = &gathered,
				     .notices = reading->notices,
				     .file = ts_span_str(""),
				     .unit = "row",
				     .processes_apart = true}};
	uint8_t header[TS_SQLITE_HEADER];
	enum ts_status status;

	if (!ts_sqlite_header(path, path, header, &file.bytes))
		return ts_error_set(err, TS_INVALID, "%s: this is not a SQLite database", path);
	r.steps_left = file.bytes > UINT64_MAX / STEPS_A_BYTE - STEPS_LEAST ? UINT64_MAX : file.bytes * STEPS_A_BYTE + STEPS_LEAST;
	ts_arena_init(&file.arena, ABOUT_BYTES);
	ts_arena_init(&r.arena, 0);
	ts_trace_about_init(&file.about);
	status = ts_sqlite_open(path, path, &r.arena, &r.db, err);
	if (!status) {
		(void)sqlite3_exec(r.db, "PRAGMA automatic_index = OFF", NULL, NULL, NULL);
		sqlite3_progress_handler(r.db, STEPS_AT_ONCE, count_steps, &r);
		status = with_database(&r, err);
		if (status)
			(void)failed(&r, err);
		(void)sqlite3_finalize(r.strings);
		(void)sqlite3_close(r.db);
	}
	ts_arena_finish(&r.arena);
	if (status) {
		ts_trace_finish(&gathered.trace);
		ts_arena_finish(&file.arena);
		return err->status;
	}
	*ret_file = file;
	ts_trace_file_columns(ret_file, ret_trace);
	ret_trace->rows = gathered.trace.rows;
	return TS_OK;
}
