/* log_table.h - imports a log that is a table: rows of named cells, which are numbers or texts, and one of which is the step.
 *
 *	enum ts_status read(void *ctx, struct ts_log_table *t, struct ts_error *err):	for each row
 *		ts_log_table_row(t, line)
 *		ts_log_table_number(t, name, value, written)
 *		ts_log_table_text(t, name, text)
 *		ts_log_table_end(t, err)
 *	ts_log_table_import(&source, options, sink, ctx, notices, &bytes_read, arena, &result, err)
 *
 * read is called twice or more and must give the same rows each time; of a log of several ranks, for each of them. The first time the
 * table finds out which cells are the step and the time, and the precision of each series. Then it gives the cells to rows.h, with
 * names from log_names.h.
 *
 *	step	  the first of the names of log_axes.h most of whose values are whole numbers, or fractions of two such
 *		  ("601/2161" is 601), and that is no epoch with several rows each nor a number that begins again in each epoch. If
 *		  there is none, rows are numbered from 0
 *	timestamp the first of timestamp, time, date, ... whose numbers are seconds (or milliseconds) of the years 2001 to 2286,
 *		  or RFC 3339 text; without an offset it counts as UTC, which a notice says. Else the first of wall, elapsed,
 *		  time_elapsed, ... whose numbers only rise: seconds since the training began, which a notice says
 *	text	  column extra.<name>; of the name tags the column tags
 *	group	  where a text named mode, phase, split, stage, subset or _type says that the row is of an evaluation ("val",
 *		  "test_epoch"), its numbers of names that rows of the training have, too, are "val/<name>" and "test/<name>"
 *
 * A file .tscope-map in the log's directory overrides this, with a line SOURCE = COLUMN for each: SOURCE is a name as the log
 * spells it; COLUMN is "step", "timestamp", a column's name or "-" (left out); '#' begins a comment. Mapped values are not
 * multiplied. options->maps has such lines too, which come before those of the file: what the file says of the same name or the same
 * column does not count. A column without a group is a scalar: "loss" is scalars.loss.
 *
 * A row whose step is below the current step is a restart if one of its series already has a value at that step or later; else it
 * belongs to series of other names. The cells of several rows with one step are put together.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_TABLE_H
#define TSCOPE_INGEST_LOGS_LOG_TABLE_H

#include "base/json_writer.h"
#include "ingest/core/reader.h"

#define TS_LOG_MAP ".tscope-map"
#define TS_LOG_TAGS "tags"

struct ts_log_table;

struct ts_log_source {
	const char *format;
	const char *directory; /* where .tscope-map is looked for; NULL: nowhere */
	struct ts_span file;   /* its name in notices */
	int significant;       /* numbers that are measured have so many significant digits; 0: not known (log_digits.h) */
	bool unordered;	       /* steps come in any order, and a lower step is not a restart */
	enum ts_status (*read)(void *ctx, struct ts_log_table *t, struct ts_error *err);
	/* Writes the members of the facts' object except "columns"; may be NULL. */
	enum ts_status (*facts)(void *ctx, struct ts_json *j, struct ts_error *err);
	/* Writes what else is known about a column, by its name in the log, as members of columns.<name>. May be NULL. */
	void (*column)(void *ctx, struct ts_span source, struct ts_json *j);
	bool (*finished)(void *ctx); /* may be NULL */
	size_t n_ranks; /* 0: all rows are rank 0's. Else read gives the rows of the rank that begin_rank began, 0 to n_ranks - 1 */
	enum ts_status (*begin_rank)(void *ctx, size_t i, int32_t *ret_rank, struct ts_error *err); /* ranks ascend */
	void *ctx;
};

void ts_log_table_row(struct ts_log_table *t, uint64_t line);
/* Adds a number to the row. written is its text; if that is not known it is empty, and the value counts as a full double. */
void ts_log_table_number(struct ts_log_table *t, struct ts_span name, double value, struct ts_span written);
/* Adds a text to the row, also for values that mean nothing to tscope. One that looks like a number ("42 %") gives a notice. */
void ts_log_table_text(struct ts_log_table *t, struct ts_span name, struct ts_span text);
enum ts_status ts_log_table_end(struct ts_log_table *t, struct ts_error *err);
/* Reports progress: at is the number of input bytes read up to this row, total that of one reading. */
enum ts_status ts_log_table_at(struct ts_log_table *t, uint64_t at, uint64_t total, struct ts_error *err);
/* Adds a notice about a row or a cell that is left out. */
void ts_log_table_tell(struct ts_log_table *t, const char *code, enum ts_notice_level level, struct ts_span file, uint64_t line,
		       const char *detail);
/* Whether the text is a number as logs write them: as in JSON, or "+1", ".5", "1.", "nan", "-inf", "True". *ret_written is
 * empty if it is not a decimal number. */
bool ts_log_number(struct ts_span text, double *ret_value, struct ts_span *ret_written);

/* Whether the name is well known: that of a step, or one that log_names.h has. Readers use it to recognise a format. */
bool ts_log_table_knows(struct ts_span name);
/* Whether a .tscope-map lies beside this file. */
bool ts_log_table_has_map(const char *file);

enum ts_status ts_log_table_import(const struct ts_log_source *source, const struct ts_ingest_options *options,
				   ts_object_sink *sink, void *sink_ctx, struct ts_notices *notices, uint64_t *bytes_read,
				   struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
