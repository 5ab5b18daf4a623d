/* asker.h - a process of its own that asks what look.h asks, so that a frame never waits for an analysis, nor a key for a server.
 *
 *	ts_asker_start(&a, &cli, err)
 *	ts_asker_ask(&a, TS_ASK_ANALYZE, 0)	if (!a.busy)
 *	ts_asker_take(&a, &live, &arena, &answer, &answered, err)	when a.from can be read; rows go to live
 *	ts_asker_stop(&a)			also in the middle of an answer
 *
 * Where the run lies here it has the lowest priority; it ends with its parent, and talks to a server itself. Where nothing is to be
 * shown meanwhile, ts_answer_make does the same in this process. Threads: one at a time; to be started before any other thread is.
 */
#ifndef TSCOPE_CLI_WATCH_ASKER_H
#define TSCOPE_CLI_WATCH_ASKER_H

#include "cli/watch/live.h"
#include "cli/watch/look.h"

#include <sys/types.h>

enum ts_ask_kind { TS_ASK_SETTLE = 1, TS_ASK_POLL, TS_ASK_ANALYZE, TS_ASK_COMPARE };

struct ts_answer {
	enum ts_ask_kind kind;
	enum ts_status status;
	struct ts_span error; /* if it is not TS_OK */
	double seconds;	      /* of a core that it took */
	struct ts_span path;  /* SETTLE: empty: it is a name */
	uint64_t from;	      /* ANALYZE: steps that were left out */
	struct ts_look_news news;
	struct ts_look_analysis analysis;
	struct ts_look_diff diff;
};

struct ts_asker {
	pid_t pid;
	int to, from;
	struct ts_buf in;
	bool busy;
	uint32_t columns[TS_LIVE_COLUMNS]; /* of live, by the number that the process gave */
	size_t n_columns;
};

enum ts_status ts_asker_start(struct ts_asker *a, const struct ts_cli *cli, struct ts_error *err);
void ts_asker_stop(struct ts_asker *a);
void ts_asker_ask(struct ts_asker *a, enum ts_ask_kind kind, uint64_t from);
/* Does not wait. *ret_answered: the answer is whole; its texts lie in the arena. TS_UNAVAILABLE: the process is gone. */
enum ts_status ts_asker_take(struct ts_asker *a, struct ts_live *live, struct ts_arena *arena, struct ts_answer *ret_answer,
			     bool *ret_answered, struct ts_error *err);

void ts_answer_make(struct ts_look *look, enum ts_ask_kind kind, uint64_t from, struct ts_live *live, struct ts_arena *arena,
		    struct ts_answer *ret_answer);

#endif
