/* changes.h - sees that runs of a project were pushed again, moved or ended, and tells the pages that show them.
 *
 * A topic is "PROJECT\n" of a page of runs, and "PROJECT\nNAME" of a page of one run. Where users sign in, a tab and the session whose
 * page it is stand behind PROJECT. Once a second the newest TS_CHANGES_RUNS names of each project that somebody looks at are asked for,
 * once for all pages, or for those of a session. A page hears "changed"; "lost" once nobody answers, and "changed" when somebody does
 * again.
 * Threads: a thread of its own.
 */
#ifndef TSCOPE_WEB_CHANGES_H
#define TSCOPE_WEB_CHANGES_H

#include "web/http_server.h"
#include "web/web.h"

enum { TS_CHANGES_RUNS = 200 };

struct ts_changes;

enum ts_status ts_changes_start(struct ts_http *http, ts_web_ask_fn *ask, void *ctx, struct ts_changes **ret_live,
				struct ts_error *err);
/* Stops the thread and waits for it. */
void ts_changes_stop(struct ts_changes *live);

/* For each line of `now`, CSV of id, state and name, that is not in `before`, and for each name that is gone, calls changed with the
 * name; with an empty one if any line differs. Pure. */
void ts_changes_compare(struct ts_span before, struct ts_span now, void (*changed)(void *ctx, struct ts_span name), void *ctx);

#endif
