/* Any bytes as calls, one behind the other: a byte for the method, two for the length, the request. A method from FORGE on commits a
 * run whose index names another object in the place of one of its own, by two bytes of the request. They run on a store of memory
 * over one with a few runs. Whatever they ask, no handler says that it is itself to blame, a store that was written to is whole, and
 * its runs fit their objects. */
#include "base/cursor.h"
#include "base/limits.h"
#include "service/handlers/core/handler.h"
#include "service/handlers/core/test_must.h"
#include "service/handlers/core/test_runs.h"
#include "tests/fuzz/fuzz_hold.h"

enum { FORGE = 0xF0 };

static struct ts_id forged_from; /* a run of `below` */
static struct test_store below; /* not written to after the first input */

static void commit(const char *name, const char *branch, struct test_run run)
{
	struct ts_commit_request request = {.name = ts_span_str(name), .branch = ts_span_str(branch), .state = ts_span_str("finished")};
	struct ts_commit_reply reply;

	request.head = test_run_put(&below, &run);
	must(test_commit(&below, &request, &reply), &below.err);
	forged_from = request.head;
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

/* Commits a run of which one object is another one than its index was made for. The store either refuses it, or it fits. */
static void forge(struct ts_engine *engine, struct ts_channel *ch, struct ts_span request)
{
	struct test_store s = {.engine = engine, .channel = ch};
	struct ts_commit_request commit = {.name = ts_span_str("p/forged"), .force = true};
	struct ts_commit_reply reply;
	struct ts_id other;
	uint32_t n;

	if (request.len < 2)
		return;
	ts_arena_init(&s.arena, 0);
	other = test_run_ref(&s, forged_from, request.data[1], &n);
	commit.head = test_run_forge(&s, forged_from, request.data[0] % n, other);
	hold(test_commit(&s, &commit, &reply) == TS_OK || s.err.status == TS_INVALID);
	ts_arena_finish(&s.arena);
}

static enum ts_status take_report(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct ts_verify_event event;
	struct ts_arena arena;
	enum ts_status status;

	(void)ctx;
	ts_arena_init(&arena, 0);
	status = ts_wire_unpack_verify_event(message, &arena, &event, err);
	hold(status == TS_OK && event.misfits == 0);
	ts_arena_finish(&arena);
	return status;
}

/* No run that a call committed has objects of another kind than it says. */
static void check_runs(struct ts_channel *ch)
{
	struct ts_error err;

	hold(ch->ops->download(ch, "Verify", ts_span_of(NULL, 0), take_report, NULL, &err) == TS_OK);
}

static void check_store(struct ts_engine *engine)
{
	struct ts_verify_report report;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	hold(engine->ops->verify(engine, NULL, &arena, &report, &err) == TS_OK && !report.damaged && !report.missing);
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
		uint8_t method = ts_cursor_u8(&c);
		size_t len = ts_cursor_u16(&c);
		struct ts_span request = ts_cursor_bytes(&c, len < ts_cursor_left(&c) ? len : ts_cursor_left(&c));

		if (method >= FORGE)
			forge(engine, ch, request);
		else
			call(ch, &handlers[method % n], request);
	}
	check_store(engine);
	check_runs(ch);
	ch->ops->destroy(ch);
	ts_engine_destroy(engine);
	return 0;
}
