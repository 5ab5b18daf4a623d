/* export_file.h - one file of a run, as it was pushed. */
#ifndef TSCOPE_CLI_VERBS_EXPORT_FILE_H
#define TSCOPE_CLI_VERBS_EXPORT_FILE_H

#include "cli/core/context.h"
#include "proto/wire.h"

enum { TS_EXPORT_SERVED_MAX = 64 << 20 }; /* bytes of a file that a page gives */

/* Finds the file that --file names, by its path or by its name in the run, and of the rank of --rank if that is given; else the job's
 * comes before those of ranks. TS_NOT_FOUND: there is none. TS_AMBIGUOUS: several ranks have it. */
enum ts_status ts_export_find_file(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_file_info **ret,
				   struct ts_error *err);
/* Writes its bytes to fd; below 0: to the answer. */
enum ts_status ts_export_file(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_file_info *file, int fd,
			      struct ts_error *err);

#endif
