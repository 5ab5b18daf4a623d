/* unread.h - says what lies in a run's folder and is not read, so that nobody thinks it was pushed. Threads: one at a time. */
#ifndef TSCOPE_INGEST_RUNDIR_UNREAD_H
#define TSCOPE_INGEST_RUNDIR_UNREAD_H

#include "ingest/kept/kept.h"

/* Adds the notice `unread` with the number of files and folders of this folder that no reader of run directories takes, and the first
 * names. prefix: the folder in notices, "" or "rank3/". Names that begin with a dot are passed over. Of a folder of which a file is
 * kept it tells what else lies in it ("trace/notes.txt"). A folder that cannot be listed has none. */
enum ts_status ts_unread_tell(const struct ts_kept_set *kept, const char *top, const char *directory, struct ts_span prefix,
			      struct ts_error *err);

#endif
