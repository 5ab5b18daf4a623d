/* run_files.h - the directory of a recording and the small files in it: run.json and facts.json, always whole (written anew by rename).
 *
 * The directory is held open, so that a program may change its working directory. Threads: one at a time for a directory.
 */
#ifndef TSCOPE_RECORD_RUN_FILES_H
#define TSCOPE_RECORD_RUN_FILES_H

#include "record/tscope.h"

#include <stdarg.h>
#include <stdbool.h>

struct ts_run_files {
	const char *name; /* NULL: none */
	const char *config;
	int32_t rank, world_size;
	bool resume;
	int64_t began_unix;

	/* set by ts_run_files_make */
	int directory, file;
	char *path; /* of the file, for messages */
	uint32_t attempt;
};

enum tscope_status ts_record_fail(struct tscope_error *err, enum tscope_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Makes the directory of this rank and the recording in it, which must not be there: sets run->directory, file and path. */
enum tscope_status ts_run_files_make(struct ts_run_files *run, const char *directory, struct tscope_error *err);
/* Takes the recording away again, after a failure. */
void ts_run_files_unmake(struct ts_run_files *run);
/* wall_ns < 0: the run has not ended, and nobody knows how many steps it will have. */
enum tscope_status ts_run_files_write(struct ts_run_files *run, int64_t wall_ns, uint64_t steps, struct tscope_error *err);
/* Lays `json` over facts.json. */
enum tscope_status ts_run_files_facts(struct ts_run_files *run, const char *json, struct tscope_error *err);
/* Returns TSCOPE_INVALID unless the text is a JSON object; `what` says which. NULL is none, and good. */
enum tscope_status ts_run_files_check(const char *json, const char *what, struct tscope_error *err);

#endif
