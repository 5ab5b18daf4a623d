/* log_names.h - maps the names that other tools give to a loss, a gradient norm, a learning rate to our columns, by one versioned
 * table.
 *
 * A name that is not in the table becomes scalars.<name>, where the name is one key ("eval/acc" is scalars.eval/acc), unless it is
 * that of the memory of a device with its unit (log_memory.h). A name in the table becomes its column, with a factor if the unit
 * differs (milliseconds to seconds, GiB to bytes, percent to ratio). If two names of one log map to one column, the first that is asked
 * for gets it, and the other keeps its own name (names.taken). A value that was multiplied no longer has the precision of the log; it
 * is TS_PRECISION_F64.
 *
 * A name that no column can have keeps its beginning, with '~' and the first digits of its SHA-256 behind it: one that is not UTF-8 or
 * has a NUL, and one whose path would have more than TS_PATH_MAX bytes. Such a name is counted in the notices, as renamed_key.
 */
#ifndef TSCOPE_INGEST_ROWS_LOG_NAMES_H
#define TSCOPE_INGEST_ROWS_LOG_NAMES_H

#include "base/arena.h"
#include "ingest/core/notice.h"
#include "ingest/rows/rows.h"

enum { TS_LOG_NAMES_VERSION = 3 };

struct ts_log_name {
	struct ts_span column; /* escaped path: "scalars.loss", "phases.data", "memory.peak_reserved"; in the arena or static */
	double factor;	       /* factor for the values; 1 for most names */
	bool known;	       /* the table has this name */
};

/* The names seen so far in one log. */
struct ts_log_names {
	struct ts_arena *arena;
	struct ts_notices *notices; /* NULL: renamed names are not counted */
	struct ts_span file;	    /* the file that the notices name */
	struct ts_span *taken;	    /* pairs: a column of the table that is in use, and the name that got it */
	size_t n, cap;
};

/* Whether the name is itself what its column is called: "loss", not "train_loss". Such a name has the first claim. */
bool ts_log_name_is_column(struct ts_span name);
/* Whether it is a name of the table that its column has not: "train_loss", not "loss". */
bool ts_log_name_is_special(struct ts_span name);
enum ts_status ts_log_name(struct ts_log_names *names, struct ts_span name, struct ts_log_name *ret_name, struct ts_error *err);
/* The same for a name of this column, which the table need not have. */
enum ts_status ts_log_name_as(struct ts_log_names *names, struct ts_span name, const char *column, double factor,
			      struct ts_log_name *ret_name, struct ts_error *err);
/* Whether a name has a word of what trainings alone measure: "train/CrossEntropyLoss", "val_acc", "lr", "ep_rew_mean". */
bool ts_log_name_measures(struct ts_span name);
/* Whether the name is of what a training minimizes where steps are counted by a name that tells so (ts_log_axis_tells), and else of
 * money or a link: "cost", "recon". Solvers of equations count their steps, too, and print an objective. */
bool ts_log_name_is_minimized(struct ts_span name);
/* Whether it has a word of what episodes of reinforcement learning are measured by, which other texts have, too: "Average Score". */
bool ts_log_name_scores(struct ts_span name);
/* Writes the table in docs/importers.md. */
void ts_log_names_markdown(struct ts_buf *out);

#endif
