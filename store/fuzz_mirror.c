/* Feeds bytes to a store as what one asks that follows it, and as what it is answered. Whatever came, the store can be read, and
 * follows a sound one again. */
#include "store/engine.h"

#include "base/digest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold(bool condition)
{
	if (!condition)
		abort();
}

static enum ts_status count(void *ctx, struct ts_span chunk, struct ts_error *err)
{
	(void)err;
	*(size_t *)ctx += chunk.len;
	return TS_OK;
}

static enum ts_status pass_on(void *ctx, struct ts_span chunk, struct ts_error *err)
{
	return ts_mirror_take(ctx, chunk, err);
}

static struct ts_engine *open_one(uint8_t first)
{
	struct ts_sealed head = {.kind = 1};
	struct ts_ref_update update = {.kind = TS_REF_RUN, .name = ts_span_str("p/a"), .now_ns = 1};
	struct ts_arena arena;
	struct ts_engine *e;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	head.id.bytes[0] = first;
	update.id = head.id;
	hold(ts_memory_open(NULL, &e, &err) == TS_OK && e->ops->put_many(e, &head, 1, NULL, &err) == TS_OK &&
	     e->ops->commit(e, &update, 1, &arena, NULL, &err) == TS_OK);
	ts_arena_finish(&arena);
	return e;
}

static void follow(struct ts_engine *follower, struct ts_engine *leader)
{
	static const uint8_t none[TS_MOMENT];
	struct ts_buf asked = TS_BUF_INIT(1 << 20);
	struct ts_ref one, other;
	struct ts_mirror mirror;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	ts_mirror_begin(&mirror, follower);
	hold(ts_mirror_ask(follower, none, &asked, &err) == TS_OK);
	hold(leader->ops->mirror(leader, ts_buf_view(&asked), pass_on, &mirror, &err) == TS_OK && mirror.ended);
	hold(leader->ops->ref_get(leader, TS_REF_RUN, ts_span_str("p/a"), &arena, &one, &err) == TS_OK);
	hold(follower->ops->ref_get(follower, TS_REF_RUN, ts_span_str("p/a"), &arena, &other, &err) == TS_OK);
	hold(ts_id_eq(&one.id, &other.id));
	ts_mirror_finish(&mirror);
	ts_buf_finish(&asked);
	ts_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_engine *leader = open_one(1), *follower = open_one(2);
	struct ts_mirror mirror;
	struct ts_error err;
	size_t sent = 0;

	(void)leader->ops->mirror(leader, ts_span_of(data, size), count, &sent, &err);
	ts_mirror_begin(&mirror, follower);
	if (ts_mirror_take(&mirror, ts_span_of(data, size / 2), &err) == TS_OK)
		(void)ts_mirror_take(&mirror, ts_span_of(data + size / 2, size - size / 2), &err);
	ts_mirror_finish(&mirror);
	follow(follower, leader);
	ts_engine_destroy(follower);
	ts_engine_destroy(leader);
	return 0;
}
