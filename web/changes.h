/* changes.h - sees that runs of a project were pushed again, moved or ended, and tells the pages that show them.
 *
 * A topic is "PROJECT\n" of a page of runs, and "PROJECT\nNAME" of a page of one run. Where users sign in, a tab and the session whose
 * page it is stand behind PROJECT. What a topic shows has a mark, which is made of it alone: a page carries the one that was true
 * before it was made, so that it hears of what came since, whichever process serves its stream. Once a second the newest
 * TS_CHANGES_RUNS names of each project that somebody looks at are asked for, once for all pages, or for those of a session. A page
 * hears "changed" when the mark is another one than it has seen; "lost" once nobody answers, and "changed" when somebody does again.
 * Threads: a thread of its own; ts_changes_now is any thread's.
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

/* Asks for the mark of a topic. Where there is no answer it is one that no later look has. */
uint64_t ts_changes_now(ts_web_ask_fn *ask, void *ctx, const char *topic);

/* The mark of lines, CSV of id, state and name; with a name, "PROJECT/NAME", that of its lines alone. Pure. */
uint64_t ts_changes_mark(struct ts_span lines, struct ts_span name);

#endif
