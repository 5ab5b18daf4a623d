/* folder.h - the files of a folder of traces: which are there, and what the ranks of a job need of each
 * (analysis/trace/ranks/job_trace.h).
 *
 * Files lie in the folder itself or in a folder in it, no deeper. Symbolic links are not followed. Each trace is read, cut down to
 * what is needed, and freed before the next.
 */
#ifndef TSCOPE_CLI_TRACE_FOLDER_H
#define TSCOPE_CLI_TRACE_FOLDER_H

#include "analysis/answer/measure.h"
#include "analysis/trace/ranks/job.h"
#include "cli/core/context.h"

struct ts_trace_folder {
	struct ts_job_file *files; /* by name; a file that is no trace, too */
	size_t n_files;
	struct ts_job_trace *traces; /* those that could be read, in the order of files */
	struct ts_measures *rows;    /* of each of them, for the rules on traces */
	size_t *file_of;	     /* the file of each of them */
	size_t n_traces;
};

/* Whether the word is the path of a folder that has traces, and that no reader of runs takes for more than a folder with such files. */
enum ts_status ts_is_trace_folder(struct ts_cli *cli, const char *word, bool *ret, struct ts_error *err);
/* What the job needs of a trace, which need not live on, after what --warmup leaves out of it; of one that does not say its rank
 * nothing is left out. name: its file, which says the host where the trace does not. */
enum ts_status ts_trace_of_job(const struct ts_cli *cli, struct ts_trace *trace, const char *name, struct ts_arena *arena,
			       struct ts_job_trace *ret, struct ts_measures *ret_rows, struct ts_error *err);
/* Reads every trace. A file that cannot be read is said in its row; only a lack of memory is an error. Everything lies in the arena. */
enum ts_status ts_trace_folder_read(struct ts_cli *cli, const char *path, struct ts_arena *arena, struct ts_trace_folder *ret,
				    struct ts_error *err);
/* Shows what the job did, as text, JSON or a page, and sets the exit code. of_run: path is the word that named a run. *ret_answered: a
 * page is on stdout. */
enum ts_status ts_answer_trace_job(struct ts_cli *cli, const char *path, bool of_run, struct ts_trace_folder *io_folder,
				   struct ts_arena *arena, bool *ret_answered, struct ts_error *err);

#endif
