/* Every handler with its n-th allocation failing, for every n: it says so, leaks nothing (the sanitizer looks), and what
 * it had acknowledged stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "service/handlers/core/test_runs.h"

static struct test_store s;
static struct ts_id first, longer, parts[2];

enum { MOST_ALLOCATIONS = 20000 };

static int setup(void **state)
{
	struct test_run run = test_run_plain();

	(void)state;
	test_store_open(&s);
	first = test_run_put(&s, &run);
	run.steps = 20;
	longer = test_run_put(&s, &run);
	run.world = 2;
	parts[0] = test_run_put(&s, &run);
	run.first_rank = 1;
	parts[1] = test_run_put(&s, &run);
	must_commit(&s, "p/a", first);
	run = test_run_plain();
	run.first_step = 5;
	must_commit(&s, "p/later", test_run_put(&s, &run));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

static enum ts_status ignore(void *ctx, struct ts_span message, struct ts_error *err)
{
	(void)ctx;
	(void)message;
	(void)err;
	return TS_OK;
}

static enum ts_status upload(struct ts_span request, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_upload *u;
	struct ts_span reply;

	if (s.channel->ops->upload_open(s.channel, "PutObjects", &u, err))
		return err->status;
	if (s.channel->ops->upload_send(u, request, err)) {
		s.channel->ops->upload_cancel(u);
		return err->status;
	}
	return s.channel->ops->upload_finish(u, arena, &reply, err);
}

/* Makes one call; a streaming method gets one message. */
static enum ts_status call(const char *method, struct ts_span request, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_handler *h = ts_handler_find(ts_span_str(method));
	struct ts_span reply;

	if (h->flags & TS_METHOD_STREAM_UP)
		return upload(request, arena, err);
	if (h->flags & TS_METHOD_STREAM_DOWN)
		return s.channel->ops->download(s.channel, method, request, ignore, NULL, err);
	return s.channel->ops->call(s.channel, method, request, arena, &reply, err);
}

/* Fails the 1st, 2nd, ... allocation until the call needs fewer. A call that failed is repeated: the failure must not
 * have left partial work that prevents it. */
static void fail_each(const char *method, const struct ts_buf *request)
{
	size_t failed = 0;

	for (size_t n = 1; n < MOST_ALLOCATIONS; n++) {
		struct ts_arena arena;
		struct ts_error err = {.status = TS_OK};
		enum ts_status status;
		size_t made;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		status = call(method, ts_buf_view(request), &arena, &err);
		made = ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
		if (made < n) {
			must(status, &err);
			assert_true(failed > 0);
			return;
		}
		/* A call may succeed without optional memory, such as that of a cache; any other call reports no memory. */
		if (status && status != TS_NO_MEMORY)
			fail_msg("%s, allocation %zu: %s: %s", method, n, ts_status_word(status), err.text);
		failed += status == TS_NO_MEMORY;
	}
	fail_msg("%s allocates without end", method);
}

static enum ts_status count_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	++*(size_t *)call->driver;
	return ignore(NULL, message, err);
}

/* A quick answer without enough memory is not given, and nothing was sent. */
static void fail_each_quick(const char *method, const struct ts_buf *request)
{
	for (size_t n = 1; n < MOST_ALLOCATIONS; n++) {
		size_t replies = 0;
		size_t made;
		struct ts_arena arena;
		struct ts_call call = {.engine = s.engine,
				       .arena = &arena,
				       .deadline_ns = INT64_MAX,
				       .reply = count_reply,
				       .driver = &replies};
		bool done;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		done = ts_handler_find(ts_span_str(method))->quick(&call, ts_buf_view(request));
		made = ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
		assert_int_equal(replies, done);
		if (made < n) {
			assert_true(done && n > 1);
			return;
		}
		assert_false(done);
	}
	fail_msg("%s allocates without end", method);
}

#define EACH(method, pack, ...)                                                                                        \
	do {                                                                                                           \
		struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);                                                       \
		must(ts_wire_pack_##pack(__VA_ARGS__, &buf, &s.err), &s.err);                                          \
		fail_each(method, &buf);                                                                               \
		ts_buf_finish(&buf);                                                                                   \
	} while (0)

static void reading(void **state)
{
	struct ts_span columns[] = {ts_span_str("state"), ts_span_str("config.lr"), ts_span_str("started")};
	struct ts_id ids[] = {first, longer};
	struct ts_policy_item series[] = {
		{.code = ts_span_str("GATE"), .threshold = ts_span_str("metrics"), .text = ts_span_str("eval, scalars.loss")}};
	struct ts_buf none = TS_BUF_INIT(1);
	struct ts_ref_reply moved;

	(void)state;
	fail_each("ServerInfo", &none);
	fail_each("Verify", &none);
	EACH("HasObjects", has_request, (&(struct ts_has_request){ids, 2}));
	EACH("ListTokens", revoke_token_request, (&(struct ts_revoke_token_request){.token = ts_span_of(NULL, 0)}));
	EACH("GetObjects", objects_request, (&(struct ts_objects_request){.ids = ids, .n = 2}));
	EACH("RefLog", log_request, (&(struct ts_log_request){ts_span_str("p/a"), 0, true}));
	EACH("GetRun", get_request, (&(struct ts_get_request){.spec = ts_span_str("p/a"), .metrics = true}));
	EACH("ListRuns", list_request,
	     (&(struct ts_list_request){.kind = TS_REF_RUN,
					.columns = columns,
					.n_columns = 3,
					.filter = ts_span_str("config.lr>0 and name~'*a'"),
					.sort = ts_span_str("-steps")}));
	EACH("ListRuns", list_request,
	     (&(struct ts_list_request){.kind = TS_REF_RUN, .columns = columns, .n_columns = 3}));
	EACH("Analyze", analyze_request, (&(struct ts_analyze_request){.spec = ts_span_str("p/a")}));
	must_commit(&s, "p/b", longer);
	EACH("Diff", diff_request, (&(struct ts_diff_request){.a = ts_span_str("p/a"), .b = ts_span_str("p/b")}));
	EACH("CheckResume", resume_request,
	     (&(struct ts_resume_request){.parent = ts_span_str("p/b"), .child = ts_span_str("p/later")}));
	must(test_update(&s,
			 &(struct ts_ref_request){.kind = TS_REF_BRANCH, .name = ts_span_str("p/trunk"), .target = ts_span_str("p/a")},
			 &moved),
	     &s.err);
	EACH("Trend", trend_request,
	     (&(struct ts_trend_request){
		     .branch = ts_span_str("branch:p/trunk"), .metric = ts_span_str("step_time"), .like = ts_span_str("p/b")}));
	EACH("Gate", gate_request,
	     (&(struct ts_gate_request){.candidates = (struct ts_span[]){ts_span_str("p/a")},
					.n_candidates = 1,
					.baselines = (struct ts_span[]){ts_span_str("p/b"), ts_span_str("p/later")},
					.n_baselines = 2}));
	EACH("Gate", gate_request,
	     (&(struct ts_gate_request){.candidates = (struct ts_span[]){ts_span_str("p/a")},
					.n_candidates = 1,
					.baselines = (struct ts_span[]){ts_span_str("p/b"), ts_span_str("p/later")},
					.n_baselines = 2,
					.policy = {series, 1}}));
	EACH("Trend", trend_request,
	     (&(struct ts_trend_request){.branch = ts_span_str("branch:p/trunk"), .metric = ts_span_str("scalars.loss")}));
	EACH("ReduceRuns", reduce_request,
	     (&(struct ts_reduce_request){
		     .analysis_version = TS_ANALYSIS_VERSION, .ids = ids, .n = 2, .metric = ts_span_str("step_time")}));
	EACH("Baseline", gate_request,
	     (&(struct ts_gate_request){.baselines = (struct ts_span[]){ts_span_str("p/b")}, .n_baselines = 1}));
	EACH("Diff", diff_request,
	     (&(struct ts_diff_request){.a = ts_span_str("p/a"),
					.b = ts_span_str("p/b"),
					.repeats = (struct ts_span[]){ts_span_str("p/b"), ts_span_str("p/a")},
					.n_repeats = 2}));
	EACH("Chart", chart_request,
	     (&(struct ts_chart_request){.runs = (struct ts_span[]){ts_span_str("p/a"), ts_span_str("p/b")},
					 .n = 2,
					 .column = ts_span_str("loss"),
					 .columns = 16,
					 .by = ts_span_str("config.lr")}));
	EACH("DiffMatrix", matrix_request,
	     (&(struct ts_matrix_request){
		     .runs = (struct ts_span[]){ts_span_str("p/a"), ts_span_str("p/b"), ts_span_str("p/a")}, .n = 3}));
}

static void answering_quickly(void **state)
{
	struct ts_id ids[] = {first, {{7}}, longer};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);

	(void)state;
	must(ts_wire_pack_has_request(&(struct ts_has_request){ids, 3}, &buf, &s.err), &s.err);
	fail_each_quick("HasObjects", &buf);
	ts_buf_finish(&buf);
}

static void writing(void **state)
{
	struct ts_sealed object;
	struct ts_buf frame = TS_BUF_INIT(100);

	(void)state;
	ts_buf_bytes(&frame, "tsob\7\1\0\0\0\0\0\0\0\0\0\0payload", 23);
	object = test_seal(&s, ts_buf_view(&frame));
	ts_buf_finish(&frame);
	EACH("PutObjects", put_request, (&(struct ts_put_request){&object, 1}));
	EACH("CommitRun", commit_request,
	     (&(struct ts_commit_request){.name = ts_span_str("p/new"),
					  .head = first,
					  .branch = ts_span_str("p/main"),
					  .state = ts_span_str("running")}));
	EACH("CommitRun", commit_request, (&(struct ts_commit_request){.name = ts_span_str("p/a"), .head = longer}));
	EACH("CommitRun", commit_request,
	     (&(struct ts_commit_request){.name = ts_span_str("p/j"), .head = parts[1], .join = true}));
	EACH("CommitRun", commit_request,
	     (&(struct ts_commit_request){.name = ts_span_str("p/j"), .head = parts[0], .join = true}));
	EACH("UpdateRef", ref_request,
	     (&(struct ts_ref_request){.kind = TS_REF_TAG, .name = ts_span_str("p/t"), .target = ts_span_str("p/a")}));
	EACH("SetNote", note_request,
	     (&(struct ts_note_request){ts_span_str("p/a"), ts_span_str("bad"), ts_span_str("yes")}));
	EACH("Retain", retain_request,
	     (&(struct ts_retain_request){.policy = ts_span_str("RETENTION.branch = *: last 1\nRETENTION.runs = *: younger 1d")}));
	EACH("CollectGarbage", gc_request, (&(struct ts_gc_request){.has_lease = true}));
	{
		struct ts_get_reply got;

		must(test_get(&s, "p/a", &got), &s.err);
		assert_true(ts_id_eq(&got.run.id, &longer));
		must(test_get(&s, "p/j", &got), &s.err);
		assert_int_equal(got.run.ranks, 2);
		must(test_get(&s, "tag:p/t", &got), &s.err);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {T(reading), T(answering_quickly), T(writing)};

	return cmocka_run_group_tests_name("handlers_alloc", tests, NULL, NULL);
}
