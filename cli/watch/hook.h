/* hook.h - runs a command when something happened, with the event as JSON on its standard input, or posts that JSON to a URL.
 *
 * The command runs by sh -c in a process group of its own, and nobody waits for it. An event is written at once, since it is smaller
 * than a pipe; a command that does not read it loses it. A URL gets its event by curl, which is started in the same way: it knows TLS,
 * proxies and certificates, and is no library of ours. It has ten seconds, follows no redirect, and speaks http and https alone.
 * Threads: one at a time.
 */
#ifndef TSCOPE_CLI_WATCH_HOOK_H
#define TSCOPE_CLI_WATCH_HOOK_H

#include "base/buf.h"

#include <stdint.h>

enum ts_watch_event_kind { TS_EVENT_FINDING, TS_EVENT_DIVERGENCE, TS_EVENT_HANG, TS_EVENT_DEATH, TS_EVENT_END, TS_EVENT_KINDS };

struct ts_watch_event {
	enum ts_watch_event_kind kind;
	const char *run;			      /* as it was typed */
	struct ts_span code, severity, title, detail; /* empty: it has none */
	bool has_step;
	int64_t step; /* that the run had come to */
	int64_t real_ns;
	double seconds; /* since the last step; NaN: not known */
};

const char *ts_watch_event_word(enum ts_watch_event_kind kind); /* "finding", "divergence", "hang", "death", "end" */
/* Whether a word of --until means this event: its kind, or a glob of its code. */
bool ts_watch_event_is(const struct ts_watch_event *event, const char *word);
/* One line of JSON. */
void ts_watch_event_json(const struct ts_watch_event *event, struct ts_buf *out);
/* quiet: what the command prints goes nowhere, since the terminal is in use. */
enum ts_status ts_hook_run(const char *command, const struct ts_watch_event *event, bool quiet, struct ts_error *err);
/* Whether the URL is one of http or https, and curl is there. TS_INVALID: it is not, or not. */
enum ts_status ts_hook_check(const char *url, struct ts_error *err);
enum ts_status ts_hook_post(const char *url, const struct ts_watch_event *event, struct ts_error *err);
/* Takes the ends of commands that are over. True: an event was not posted, for which *ret_why is what curl ended with. */
bool ts_hook_reap(int *ret_why);

#endif
