/* Any bytes as calls, one behind the other: a byte for the method, two for the length, the request. They run on a store of memory
 * over one with a few runs. Whatever they ask, no handler says that it is itself to blame, and a store that was written to is whole. */
#include "base/cursor.h"
#include "base/limits.h"
#include "service/handlers/core/handler.h"
#include "service/handlers/core/test_must.h"
#include "service/handlers/core/test_runs.h"
#include "tests/fuzz/fuzz_hold.h"

static struct test_store below; /* not written to after the first input */

static void commit(const char *name, const char *branch, struct test_run run)
{
	struct ts_commit_request request = {.name = ts_span_str(name), .branch = ts_span_str(branch), .state = ts_span_str("finished")};
	struct ts_commit_reply reply;

	request.head = test_run_put(&below, &run);
	must(test_commit(&below, &request, &reply), &below.err);
}

static void fill(void)
{
	struct ts_ref_request tag = {.kind = TS_REF_TAG, .name = ts_span_str("p/good"), .target = ts_span_str("run:p/a")};
	struct test_run run = test_run_plain();
	struct ts_ref_reply reply;

	test_store_open(&below);
	run.world = 2;
	run.ranks = 2;
	run.started = 1795167217.5;
	commit("p/a", "p/main", run);
	run.part_at = 5;
	run.own = "b";
	commit("p/b", "p/main", run);
	run.steps = 40;
	run.lr = 0.002;
	commit("q/c", "", run);
	must(test_update(&below, &tag, &reply), &below.err);
	must(test_note(&below, "p/a", "k", "v"), &below.err);
}

static enum ts_status take(void *ctx, struct ts_span message, struct ts_error *err)
{
	(void)ctx;
	(void)message;
	(void)err;
	return TS_OK;
}

static enum ts_status put(struct ts_channel *ch, const char *method, struct ts_span request, struct ts_arena *arena,
			  struct ts_error *err)
{
	struct ts_upload *upload;
	struct ts_span reply;

	if (ch->ops->upload_open(ch, method, &upload, err))
		return err->status;
	(void)ch->ops->upload_send(upload, request, err); /* upload_finish reports the same error */
	return ch->ops->upload_finish(upload, arena, &reply, err);
}

static void call(struct ts_channel *ch, const struct ts_handler *h, struct ts_span request)
{
	struct ts_error err = {.status = TS_OK};
	struct ts_arena arena;
	struct ts_span reply;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	if (h->flags & TS_METHOD_STREAM_UP)
		status = put(ch, h->method, request, &arena, &err);
	else if (h->flags & TS_METHOD_STREAM_DOWN)
		status = ch->ops->download(ch, h->method, request, take, NULL, &err);
	else
		status = ch->ops->call(ch, h->method, request, &arena, &reply, &err);
	hold(status != TS_INTERNAL && (status == TS_OK || err.status == status));
	ts_arena_finish(&arena);
}

static void check_store(struct ts_engine *engine)
{
	struct ts_verify_report report;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	hold(engine->ops->verify(engine, NULL, NULL, &arena, &report, &err) == TS_OK && !report.damaged && !report.missing);
	ts_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_cursor c = ts_cursor_of(ts_span_of(data, size));
	const struct ts_handler *handlers;
	struct ts_engine *engine;
	struct ts_channel *ch;
	struct ts_error err;
	size_t n;

	if (!below.engine)
		fill();
	handlers = ts_handlers(&n);
	hold(ts_memory_open(below.engine, &engine, &err) == TS_OK && ts_channel_local(engine, "memory", &ch, &err) == TS_OK);
	for (int calls = 0; calls < 8 && ts_cursor_left(&c) >= 3; calls++) {
		const struct ts_handler *h = &handlers[ts_cursor_u8(&c) % n];
		size_t len = ts_cursor_u16(&c);

		call(ch, h, ts_cursor_bytes(&c, len < ts_cursor_left(&c) ? len : ts_cursor_left(&c)));
	}
	check_store(engine);
	ch->ops->destroy(ch);
	ts_engine_destroy(engine);
	return 0;
}
