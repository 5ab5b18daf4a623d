/* kept_targets.h - connections to the store or the server, kept for those who ask many questions: a page, a program.
 *
 *	struct ts_kept_targets kept;
 *	ts_kept_targets_init(&kept, open, ctx);
 *	t = ts_kept_target_take(&kept, "", err);	one of the kept ones, or a new one
 *	ts_answer(... &t->target ...);
 *	ts_kept_target_give(&kept, t, answer.status);
 *	ts_kept_targets_close(&kept);
 *
 * Threads: any number at once may take and give; who took one has it alone.
 */
#ifndef TSCOPE_CLI_VERBS_KEPT_TARGETS_H
#define TSCOPE_CLI_VERBS_KEPT_TARGETS_H

#include "cli/core/target.h"

#include <pthread.h>

enum { TS_TOKEN_TEXT = 128 };

struct ts_kept_target {
	struct ts_kept_target *next;
	struct ts_target target;
	char token[TS_TOKEN_TEXT]; /* under which it asks; empty: as this command */
	struct ts_arena arena;
};

/* Opens t->target, in t->arena, for t->token. */
typedef enum ts_status ts_open_target(void *ctx, struct ts_kept_target *t, struct ts_error *err);

struct ts_kept_targets {
	pthread_mutex_t lock;
	struct ts_kept_target *first; /* the one that was used last first */
	ts_open_target *open;
	void *ctx;
};

void ts_kept_targets_init(struct ts_kept_targets *kept, ts_open_target *open, void *ctx);
/* Nobody has one any more. */
void ts_kept_targets_close(struct ts_kept_targets *kept);

/* token: empty for what this command itself may. NULL with an error where it cannot be opened. */
struct ts_kept_target *ts_kept_target_take(struct ts_kept_targets *kept, const char *token, struct ts_error *err);
/* status: of the answer. One that is no longer good, that found no store, or over which runs of paths lie, is closed: so what is there
 * later is found, and memory is given back. */
void ts_kept_target_give(struct ts_kept_targets *kept, struct ts_kept_target *t, enum ts_status status);

#endif
