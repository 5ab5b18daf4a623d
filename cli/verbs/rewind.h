/* rewind.h - brings the names of a project, and what is noted of its runs, back to a moment, by the logs that they have. */
#ifndef TSCOPE_CLI_VERBS_REWIND_H
#define TSCOPE_CLI_VERBS_REWIND_H

#include "cli/core/context.h"

/* Does what tscope restore --at says (docs/schemas/restore.schema.json). Logs only grow: a name is moved, removed or brought back as
 * anybody might, so that another moment brings back what this one took away. What cannot be brought back is named, and sets the exit
 * code to TS_EXIT_NO. */
enum ts_status ts_rewind(struct ts_cli *cli, const char *at, struct ts_error *err);

#endif
