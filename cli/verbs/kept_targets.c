/* kept_targets.c - see kept_targets.h. */
#include "cli/verbs/kept_targets.h"

#include "base/alloc.h"

#include <stdio.h>

enum { KEPT_MAX = 64 };

void ts_kept_targets_init(struct ts_kept_targets *kept, ts_open_target *open, void *ctx)
{
	*kept = (struct ts_kept_targets){.open = open, .ctx = ctx};
	pthread_mutex_init(&kept->lock, NULL);
}

static void close_target(struct ts_kept_target *t)
{
	ts_target_close(&t->target);
	ts_arena_finish(&t->arena);
	ts_free(t);
}

/* One of those that are kept under this token. */
static struct ts_kept_target *take_kept(struct ts_kept_targets *kept, const char *token)
{
	struct ts_kept_target **at = &kept->first, *t;

	pthread_mutex_lock(&kept->lock);
	while (*at && strcmp((*at)->token, token) != 0)
		at = &(*at)->next;
	t = *at;
	if (t)
		*at = t->next;
	pthread_mutex_unlock(&kept->lock);
	return t;
}

struct ts_kept_target *ts_kept_target_take(struct ts_kept_targets *kept, const char *token, struct ts_error *err)
{
	struct ts_kept_target *t = take_kept(kept, token);

	if (t)
		return t;
	t = ts_alloc(sizeof *t);
	if (!t) {
		ts_error_set(err, TS_NO_MEMORY, "there is no memory for a connection to the store");
		return NULL;
	}
	memset(t, 0, sizeof *t);
	(void)snprintf(t->token, sizeof t->token, "%s", token);
	ts_arena_init(&t->arena, 1 << 20);
	if (!kept->open(kept->ctx, t, err))
		return t;
	close_target(t);
	return NULL;
}

void ts_kept_target_give(struct ts_kept_targets *kept, struct ts_kept_target *t, enum ts_status status)
{
	struct ts_kept_target **at, *oldest = NULL;
	size_t n = 0;

	if (status == TS_UNAVAILABLE || (t->token[0] && status == TS_DENIED) || t->target.absent || t->target.overlay) {
		close_target(t);
		return;
	}
	pthread_mutex_lock(&kept->lock);
	t->next = kept->first;
	kept->first = t;
	for (at = &kept->first; *at && n < KEPT_MAX; at = &(*at)->next)
		n++;
	oldest = *at;
	*at = NULL;
	pthread_mutex_unlock(&kept->lock);
	if (oldest)
		close_target(oldest);
}

void ts_kept_targets_close(struct ts_kept_targets *kept)
{
	while (kept->first) {
		struct ts_kept_target *t = kept->first;

		kept->first = t->next;
		close_target(t);
	}
	pthread_mutex_destroy(&kept->lock);
}
