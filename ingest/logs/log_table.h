/* log_table.h - a log that is a table: rows of named cells, numbers and text, one of them the step.
 *
 *	enum ts_status read(void *ctx, struct ts_log_table *t, struct ts_error *err):	for each row
 *		ts_log_table_row(t, line)
 *		ts_log_table_number(t, name, value, written)
 *		ts_log_table_text(t, name, text)
 *		ts_log_table_end(t, err)
 *	ts_log_table_import(&source, options, sink, ctx, notices, &bytes_read, arena, &result, err)
 *
 * read is called twice or more, and gives the same each time: first the table looks which cells are the step and the time and how
 * finely each series is written, then it hands them to rows.h, with names from log_names.h.
 *
 *	step	  the first of step, global_step, iteration, iter, epoch (log_table.c has all) of whose values most are whole
 *		  numbers. If there is none, rows are numbered from 0
 *	timestamp the first of timestamp, time, date, ... whose numbers are seconds (or milliseconds) of the years 2001 to 2286,
 *		  or RFC 3339 text
 *	text	  column extra.<name>
 *
 * A file .tscope-map in the log's directory says it otherwise, a line each: SOURCE = COLUMN, as the log spells SOURCE; COLUMN is
 * "step", "timestamp", a column's name or "-" (left out); '#' begins a comment. Mapped values are not multiplied.
 *
 * A row whose step lies before the one in hand is a restart if one of its cells has been given at that step or later already,
 * else a second series of other names. Of several rows of one step the cells are put together.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_TABLE_H
#define TSCOPE_INGEST_LOGS_LOG_TABLE_H

#include "base/json_writer.h"
#include "ingest/core/reader.h"

#define TS_LOG_MAP ".tscope-map"

struct ts_log_table;

struct ts_log_source {
	const char *format;
	const char *directory; /* where .tscope-map is looked for; NULL: nowhere */
	struct ts_span file;   /* for notices */
	bool unordered;	       /* steps come in any order: none is a restart */
	enum ts_status (*read)(void *ctx, struct ts_log_table *t, struct ts_error *err);
	/* Writes the members of the facts' object except "columns"; may be NULL. */
	enum ts_status (*facts)(void *ctx, struct ts_json *j, struct ts_error *err);
	/* Writes what else is known of a column, by its name in the log: members of columns.<name>. May be NULL. */
	void (*column)(void *ctx, struct ts_span source, struct ts_json *j);
	bool (*finished)(void *ctx); /* may be NULL */
	void *ctx;
};

void ts_log_table_row(struct ts_log_table *t, uint64_t line);
/* written: its text, or empty if it is not known; then it is a double. */
void ts_log_table_number(struct ts_log_table *t, struct ts_span name, double value, struct ts_span written);
/* Also of values that have no meaning here. */
void ts_log_table_text(struct ts_log_table *t, struct ts_span name, struct ts_span text);
enum ts_status ts_log_table_end(struct ts_log_table *t, struct ts_error *err);
/* Bytes of the input behind this row, for progress; total: of one reading. */
enum ts_status ts_log_table_at(struct ts_log_table *t, uint64_t at, uint64_t total, struct ts_error *err);
/* For rows that are left out, and cells that are. */
void ts_log_table_tell(struct ts_log_table *t, const char *code, enum ts_notice_level level, struct ts_span file, uint64_t line,
		       const char *detail);
/* The text is a number as logs write them: as JSON, or "+1", ".5", "1.", "nan", "-inf", "True"; *ret_written is empty where
 * it is no decimal one. */
bool ts_log_number(struct ts_span text, double *ret_value, struct ts_span *ret_written);

/* The name says what a column is: a step's, or one that log_names.h knows. For sniffing. */
bool ts_log_table_knows(struct ts_span name);
/* A .tscope-map of its own lies beside this file. */
bool ts_log_table_has_map(const char *file);

enum ts_status ts_log_table_import(const struct ts_log_source *source, const struct ts_ingest_options *options,
				   ts_object_sink *sink, void *sink_ctx, struct ts_notices *notices, uint64_t *bytes_read,
				   struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
