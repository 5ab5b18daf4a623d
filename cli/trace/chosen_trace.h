/* chosen_trace.h - the trace that a word names: a file that stands alone, or one that was pushed with a run.
 *
 *	ts_choose_trace(cli, &(struct ts_trace_choice){.word = word}, &chosen, err)
 *	... chosen.trace ...
 *	ts_chosen_trace_finish(&chosen)
 */
#ifndef TSCOPE_CLI_TRACE_CHOSEN_TRACE_H
#define TSCOPE_CLI_TRACE_CHOSEN_TRACE_H

#include "cli/core/context.h"
#include "ingest/trace/trace_read.h"
#include "run/trace_list.h"

struct ts_trace_choice {
	const char *word; /* a path, or a run */
	const char *name; /* of one of the run's traces; NULL: it has one only, or one only of the rank */
	bool has_rank; /* that of a run alone: a file with a rank is TS_INVALID */
	int32_t rank;
};

struct ts_chosen_trace {
	struct ts_trace trace;
	struct ts_trace_file file; /* of a file */
	bool is_file;
};

/* One that was found, and not read yet. */
struct ts_found_trace {
	const char *path;		   /* of a file */
	const struct ts_run_trace *stored; /* of a run; NULL: it is a file */
};

/* TS_NOT_FOUND: the run has none, or not this one. TS_AMBIGUOUS: it has several. */
enum ts_status ts_find_trace(struct ts_cli *cli, const struct ts_trace_choice *choice, struct ts_found_trace *ret_found,
			     struct ts_error *err);
/* Texts of a run's trace lie in the command's arena. */
enum ts_status ts_load_found(struct ts_cli *cli, const struct ts_found_trace *found, struct ts_chosen_trace *ret_chosen,
			     struct ts_error *err);
/* Both, one after the other. */
enum ts_status ts_choose_trace(struct ts_cli *cli, const struct ts_trace_choice *choice, struct ts_chosen_trace *ret_chosen,
			       struct ts_error *err);
void ts_chosen_trace_finish(struct ts_chosen_trace *chosen);

#endif
