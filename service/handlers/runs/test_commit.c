/* How names move: created, the same, extended, refused, forced; ranks joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/limits.h"
#include "run/head.h"
#include "service/handlers/core/test_runs.h"

#include <pthread.h>

static struct ts_verify_event verified; /* the last report */

static int open_store(void **state)
{
	static struct test_store s;

	test_store_open(&s);
	*state = &s;
	return 0;
}

static int close_store(void **state)
{
	test_store_close(*state);
	return 0;
}

static struct ts_commit_request request_of(const char *name, struct ts_id id)
{
	return (struct ts_commit_request){.name = ts_span_str(name), .head = id};
}

static uint64_t log_length(struct test_store *s, enum ts_ref_kind kind, const char *name)
{
	struct ts_log_entry *entries;
	size_t n;

	must(s->engine->ops->ref_log(s->engine, kind, ts_span_str(name), 0, &s->arena, &entries, &n, &s->err), &s->err);
	return n;
}

static bool has_ref(struct test_store *s, enum ts_ref_kind kind, const char *name, struct ts_id *ret_id)
{
	struct ts_ref ref;
	enum ts_status status = s->engine->ops->ref_get(s->engine, kind, ts_span_str(name), &s->arena, &ref, &s->err);

	if (!status)
		*ret_id = ref.id;
	return !status;
}

static void creates_and_repeats(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_id id = test_run_put(s, &run);
	struct ts_commit_reply reply = must_commit(s, "default/a", id);

	assert_int_equal(reply.outcome, TS_COMMIT_CREATED);
	assert_true(ts_id_eq(&reply.id, &id));
	assert_false(reply.had_previous);
	assert_int_equal(reply.seq, 1);
	reply = must_commit(s, "default/a", id);
	assert_int_equal(reply.outcome, TS_COMMIT_UNCHANGED);
	assert_true(reply.had_previous);
	assert_int_equal(reply.seq, 1);
	assert_int_equal(log_length(s, TS_REF_RUN, "default/a"), 1);
}

/* The new run has more steps, so that the last block of the old run is part of a longer one, a second block, and facts
 * that come late. */
static void extends(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_reply reply;

	run.lr = 0;
	must_commit(s, "default/a", test_run_put(s, &run));
	run.steps = 25;
	run.own = "exp";
	run.lr = 0.5;
	reply = must_commit(s, "default/a", test_run_put(s, &run));
	assert_int_equal(reply.outcome, TS_COMMIT_EXTENDED);
	assert_int_equal(reply.seq, 2);
	run.steps = 40000;
	reply = must_commit(s, "default/a", test_run_put(s, &run));
	assert_int_equal(reply.outcome, TS_COMMIT_EXTENDED);
	run.steps = 40001;
	reply = must_commit(s, "default/a", test_run_put(s, &run));
	assert_int_equal(reply.outcome, TS_COMMIT_EXTENDED);
	assert_int_equal(log_length(s, TS_REF_RUN, "default/a"), 4);
}

static void assert_refused(struct test_store *s, struct ts_id id, const char *why)
{
	struct ts_commit_request request = request_of("default/a", id);
	struct ts_commit_reply reply;
	struct ts_id now;

	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	if (!strstr(s->err.text, why) || !strstr(s->err.text, "--force"))
		fail_msg("%s", s->err.text);
	request.force = true;
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(reply.outcome, TS_COMMIT_FORCED);
	assert_true(has_ref(s, TS_REF_RUN, "default/a", &now) && ts_id_eq(&now, &id));
}

static void refuses_another_run(void **state)
{
	struct test_store *s = *state;
	struct test_run base = test_run_plain(), run;

	base.steps = 20000;
	must_commit(s, "default/a", test_run_put(s, &base));
	run = base;
	run.steps = 30000;
	run.part_at = 19999; /* the last row of the old run */
	assert_refused(s, test_run_put(s, &run), "rank 0 column scalars.loss differs at step 19999");
	must(test_commit(s,
			 &(struct ts_commit_request){
				 .name = ts_span_str("default/a"), .force = true, .head = test_run_put(s, &base)},
			 &(struct ts_commit_reply){0}),
	     &s->err);
	run = base;
	run.steps = 19999; /* one row fewer */
	assert_refused(s, test_run_put(s, &run), "has only 19999 of its 20000 rows");
	run.steps = 30000;
	run.lr = 0.002;
	assert_refused(s, test_run_put(s, &run), "rank 0 fact config.lr has changed");
	run.lr = 0;
	assert_refused(s, test_run_put(s, &run), "rank 0 fact config.lr is missing");
	run.first_rank = 3;
	assert_refused(s, test_run_put(s, &run), "it does not have rank 0");
}

/* The new run has a step in the middle that the old run lacks: rows are aligned by key. */
static void refuses_a_shifted_run(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();

	run.first_step = 1;
	must_commit(s, "default/a", test_run_put(s, &run));
	run.first_step = 0;
	run.steps = 20;
	assert_refused(s, test_run_put(s, &run), "differs at step");
	/* The values are the same, at other steps. */
	run = (struct test_run){.ranks = 1, .first_step = 1, .steps = 9};
	must(test_commit(s,
			 &(struct ts_commit_request){
				 .name = ts_span_str("default/a"), .force = true, .head = test_run_put(s, &run)},
			 &(struct ts_commit_reply){0}),
	     &s->err);
	run.first_step = 0;
	assert_refused(s, test_run_put(s, &run), "differs at step 1");
}

static void holds_expectations(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_id first = test_run_put(s, &run), second;
	struct ts_commit_request request = request_of("default/a", first);
	struct ts_commit_reply reply;

	run.steps = 20;
	second = test_run_put(s, &run);
	request.expect = TS_EXPECT_ID;
	request.expected = second;
	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	request.expect = TS_EXPECT_ABSENT;
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	request = request_of("default/a", second);
	request.expect = TS_EXPECT_ID;
	request.expected = second;
	request.force = true; /* force overrides the rule, not what the caller expects */
	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	request.expected = first;
	must(test_commit(s, &request, &reply), &s->err);
}

static void moves_a_branch_and_notes_the_state(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_request request = request_of("default/a", test_run_put(s, &run));
	struct ts_commit_reply reply;
	struct ts_note *notes;
	struct ts_id at;
	size_t n;

	request.branch = ts_span_str("default/main");
	request.state = ts_span_str("running");
	must(test_commit(s, &request, &reply), &s->err);
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(log_length(s, TS_REF_BRANCH, "default/main"), 1);
	run.scale = 7; /* a branch takes any run */
	request.name = ts_span_str("default/b");
	request.head = test_run_put(s, &run);
	must(test_commit(s, &request, &reply), &s->err);
	assert_true(has_ref(s, TS_REF_BRANCH, "default/main", &at) && ts_id_eq(&at, &request.head));
	assert_int_equal(log_length(s, TS_REF_BRANCH, "default/main"), 2);
	must(s->engine->ops->note_list(s->engine, ts_span_str("default/a"), &s->arena, NULL, &notes, &n, &s->err), &s->err);
	assert_int_equal(n, 1);
	assert_true(ts_span_is(notes[0].key, "state") && ts_span_is(notes[0].value, "running"));
}

static struct ts_note state_of(struct test_store *s, const char *name)
{
	struct ts_note *notes;
	size_t n;

	must(s->engine->ops->note_list(s->engine, ts_span_str(name), &s->arena, NULL, &notes, &n, &s->err), &s->err);
	assert_int_equal(n, 1);
	assert_true(ts_span_is(notes[0].key, "state"));
	return notes[0];
}

static void writes_a_state_only_when_something_changed(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_request request = request_of("default/a", test_run_put(s, &run));
	struct ts_commit_reply reply;
	struct ts_note first;

	request.state = ts_span_str("running");
	must(test_commit(s, &request, &reply), &s->err);
	first = state_of(s, "default/a");
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(reply.outcome, TS_COMMIT_UNCHANGED);
	assert_true(state_of(s, "default/a").at_ns == first.at_ns);
	request.state = ts_span_str("finished");
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(reply.outcome, TS_COMMIT_UNCHANGED);
	assert_true(ts_span_is(state_of(s, "default/a").value, "finished"));
	assert_true(state_of(s, "default/a").at_ns > first.at_ns);
}

static void assert_invalid(struct test_store *s, struct ts_commit_request request)
{
	struct ts_commit_reply reply;
	struct ts_id id;

	assert_int_equal(test_commit(s, &request, &reply), TS_INVALID);
	assert_false(has_ref(s, TS_REF_RUN, "default/a", &id));
}

static void refuses_bad_requests(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_id id = test_run_put(s, &run), unknown = {{1}};
	struct ts_commit_request request = request_of("default/a", unknown);
	struct ts_commit_reply reply;
	const char *names[] = {"a", "", "/a", "default/", "default//a", "default/.a", "default/a b", "de\xc2\xa0/a"};

	assert_int_equal(test_commit(s, &request, &reply), TS_NOT_FOUND);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_invalid(s, request_of(names[i], id));
	request = request_of("default/a", id);
	request.state = ts_span_str("done");
	assert_invalid(s, request);
	request = request_of("default/a", id);
	request.expose = true;
	assert_invalid(s, request);
	request = request_of("default/a", id);
	request.branch = ts_span_str("main");
	assert_invalid(s, request);
}

/* The objects of these heads are wrong: an index of another rank, a block in place of an index, bytes after the end. */
static void refuses_bad_heads(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_id id = test_run_put(s, &run);
	struct ts_get_reply got;
	struct ts_head head;
	struct ts_buf object = TS_BUF_INIT(1 << 20);
	struct ts_sealed sealed;
	struct ts_put_stats stats;

	must_commit(s, "default/good", id);
	must(test_get(s, "default/good", &got), &s->err);
	must(ts_head_decode(got.head, &s->arena, &head, &s->err), &s->err);
	head.ranks[0].rank = 5;
	must(ts_head_encode(&head, &object, &s->err), &s->err);
	sealed = test_seal(s, ts_buf_view(&object));
	must(s->engine->ops->put_many(s->engine, &sealed, 1, &stats, &s->err), &s->err);
	assert_invalid(s, request_of("default/a", sealed.id));
	ts_buf_reset(&object);
	head.ranks[0] = (struct ts_rank_ref){0, id};
	must(ts_head_encode(&head, &object, &s->err), &s->err);
	sealed = test_seal(s, ts_buf_view(&object));
	must(s->engine->ops->put_many(s->engine, &sealed, 1, &stats, &s->err), &s->err);
	assert_invalid(s, request_of("default/a", sealed.id));
	ts_buf_reset(&object);
	ts_buf_span(&object, got.head);
	ts_buf_u8(&object, 0);
	sealed = test_seal(s, ts_buf_view(&object));
	must(s->engine->ops->put_many(s->engine, &sealed, 1, &stats, &s->err), &s->err);
	assert_invalid(s, request_of("default/a", sealed.id));
	ts_buf_finish(&object);
}

static struct ts_id put_ranks(struct test_store *s, struct test_run run, int32_t first, int32_t n)
{
	run.first_rank = first;
	run.ranks = n;
	return test_run_put(s, &run);
}

static struct ts_commit_reply must_join(struct test_store *s, struct ts_id id)
{
	struct ts_commit_request request = request_of("default/a", id);
	struct ts_commit_reply reply;

	request.join = true;
	must(test_commit(s, &request, &reply), &s->err);
	return reply;
}

/* Whatever the order and the groups, the joined run equals the run that a single directory would have given. */
static void joins_to_the_whole(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	static const struct {
		int32_t first, n;
	} parts[4][4] = {{{0, 2}, {2, 2}}, {{2, 2}, {0, 2}}, {{3, 1}, {1, 1}, {2, 1}, {0, 1}}, {{1, 3}, {0, 1}}};

	run.world = 4;
	for (size_t order = 0; order < 4; order++) {
		struct ts_id whole = put_ranks(s, run, 0, 4), now;
		struct ts_commit_reply reply = {.outcome = TS_COMMIT_STAGED};
		uint32_t there = 0;

		for (size_t i = 0; i < 4 && parts[order][i].n; i++) {
			assert_int_equal(reply.outcome, TS_COMMIT_STAGED);
			reply = must_join(s, put_ranks(s, run, parts[order][i].first, parts[order][i].n));
			assert_int_equal(has_ref(s, TS_REF_RUN, "default/a", &now), reply.outcome != TS_COMMIT_STAGED);
			there += (uint32_t)parts[order][i].n;
			assert_int_equal(reply.run.ranks, there);
			assert_true(ts_id_eq(&reply.run.id, &reply.id));
		}
		assert_int_equal(reply.outcome, TS_COMMIT_CREATED);
		assert_int_equal(reply.n_missing, 0);
		assert_memory_equal(reply.id.bytes, whole.bytes, TS_ID_BYTES);
		assert_false(has_ref(s, TS_REF_STAGE, "default/a", &now));
		must(test_update(s,
				 &(struct ts_ref_request){
					 .kind = TS_REF_RUN, .name = ts_span_str("default/a"), .remove = true},
				 &(struct ts_ref_reply){.had_previous = 0}),
		     &s->err);
	}
}

static void tells_what_is_missing(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_reply reply, again;

	run.world = 100;
	reply = must_join(s, put_ranks(s, run, 1, 1));
	assert_int_equal(reply.outcome, TS_COMMIT_STAGED);
	assert_int_equal(reply.n_missing, 99);
	assert_int_equal(reply.missing_ranks[0], 0);
	assert_int_equal(reply.missing_ranks[1], 2);
	assert_int_equal(reply.missing_ranks[63], 64);
	again = must_join(s, put_ranks(s, run, 1, 1));
	assert_true(ts_id_eq(&again.id, &reply.id));
	assert_int_equal(log_length(s, TS_REF_STAGE, "default/a"), 1);
}

static void exposes_what_is_there(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_request request;
	struct ts_commit_reply reply;
	struct ts_id now;

	run.world = 3;
	must_join(s, put_ranks(s, run, 2, 1));
	request = request_of("default/a", put_ranks(s, run, 0, 1));
	request.join = request.expose = true;
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(reply.outcome, TS_COMMIT_CREATED);
	assert_int_equal(reply.n_missing, 1);
	assert_int_equal(reply.missing_ranks[0], 1);
	assert_false(has_ref(s, TS_REF_STAGE, "default/a", &now));
	/* A rank that comes late is joined with the visible run. */
	reply = must_join(s, put_ranks(s, run, 1, 1));
	assert_int_equal(reply.outcome, TS_COMMIT_EXTENDED);
	now = put_ranks(s, run, 0, 3);
	assert_true(ts_id_eq(&reply.id, &now));
}

/* A rank that trains on replaces its older version, and nothing else. */
static void joins_a_longer_rank(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_reply reply;
	struct ts_commit_request request;

	run.world = 2;
	must_join(s, put_ranks(s, run, 0, 2));
	run.steps = 12;
	reply = must_join(s, put_ranks(s, run, 1, 1));
	assert_int_equal(reply.outcome, TS_COMMIT_EXTENDED);
	run.steps = 8;
	request = request_of("default/a", put_ranks(s, run, 1, 1));
	request.join = true;
	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	run.world = 4; /* a world of another size */
	run.steps = 12;
	request.head = put_ranks(s, run, 3, 1);
	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	assert_non_null(strstr(s->err.text, "world size of 4"));
	run.world = 0;
	request.name = ts_span_str("default/b");
	request.head = put_ranks(s, run, 3, 1);
	assert_int_equal(test_commit(s, &request, &reply), TS_INVALID);
	assert_non_null(strstr(s->err.text, "--expose"));
}

/* -- concurrent writers -- */

enum { WRITERS = 8 };

struct writer {
	struct test_store *s;
	pthread_t thread;
	struct ts_commit_request request;
	struct ts_commit_reply reply;
	enum ts_status status;
	struct ts_error err;
};

/* Each thread has its own channel, because a channel serves one command at a time. */
static void *commit_once(void *ctx)
{
	struct writer *w = ctx;
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_channel *channel;
	struct ts_arena arena;
	struct ts_span bytes;

	ts_arena_init(&arena, 0);
	w->status = ts_channel_local(w->s->engine, "memory", &channel, &w->err);
	if (!w->status) {
		w->status = ts_wire_pack_commit_request(&w->request, &buf, &w->err);
		if (!w->status)
			w->status =
				channel->ops->call(channel, "CommitRun", ts_buf_view(&buf), &arena, &bytes, &w->err);
		if (!w->status)
			w->status = ts_wire_unpack_commit_reply(bytes, &arena, &w->reply, &w->err);
		channel->ops->destroy(channel);
	}
	ts_buf_finish(&buf);
	ts_arena_finish(&arena);
	return NULL;
}

static void run_writers(struct writer *w)
{
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&w[i].thread, NULL, commit_once, &w[i]), 0);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(w[i].thread, NULL), 0);
}

/* Every rank is committed from its own host, all at once: none is lost. */
static void joins_all_at_once(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct writer w[WRITERS] = {{.s = NULL}};
	struct ts_id whole, now;
	int created = 0;

	run.world = WRITERS;
	for (int32_t i = 0; i < WRITERS; i++) {
		w[i].s = s;
		w[i].request = request_of("default/a", put_ranks(s, run, i, 1));
		w[i].request.join = true;
	}
	run_writers(w);
	for (int i = 0; i < WRITERS; i++) {
		must(w[i].status, &w[i].err);
		created += w[i].reply.outcome == TS_COMMIT_CREATED;
	}
	assert_int_equal(created, 1);
	whole = put_ranks(s, run, 0, WRITERS);
	assert_true(has_ref(s, TS_REF_RUN, "default/a", &now) && ts_id_eq(&now, &whole));
	assert_false(has_ref(s, TS_REF_STAGE, "default/a", &now));
}

/* Eight lengths of one run are committed at once: whatever the order, a name never moves back to a shorter one. */
static void never_moves_back(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct writer w[WRITERS] = {{.s = NULL}};
	struct ts_id now;

	for (int i = 0; i < WRITERS; i++) {
		run.steps = 10 + i;
		w[i].s = s;
		w[i].request = request_of("default/a", test_run_put(s, &run));
	}
	run_writers(w);
	for (int i = 0; i < WRITERS; i++)
		assert_true(w[i].status == TS_OK || w[i].status == TS_CONFLICT);
	assert_int_equal(w[WRITERS - 1].status, TS_OK); /* the longest run extends any other */
	assert_true(has_ref(s, TS_REF_RUN, "default/a", &now));
	assert_true(ts_id_eq(&now, &w[WRITERS - 1].request.head));
}

/* -- a second writer moves the name after the first has read it -- */

static struct {
	struct test_store *s;
	const struct ts_engine_ops *real;
	struct ts_engine_ops ops;
	struct ts_commit_request first;
} overtaking;

static enum ts_status commit_second(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
				    struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_commit_reply reply;

	e->ops = overtaking.real;
	must(test_commit(overtaking.s, &overtaking.first, &reply), &overtaking.s->err);
	return e->ops->commit(e, updates, n, arena, ret_ref, err);
}

/* Makes the next commit of the engine happen after the given one. */
static void overtake(struct test_store *s, struct ts_commit_request first)
{
	overtaking.s = s;
	overtaking.real = s->engine->ops;
	overtaking.ops = *s->engine->ops;
	overtaking.ops.commit = commit_second;
	overtaking.first = first;
	s->engine->ops = &overtaking.ops;
}

static void decides_again_when_overtaken(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_id ten = test_run_put(s, &run), twenty, thirty;
	struct ts_commit_request request = request_of("default/a", ten);
	struct ts_commit_reply reply;

	run.steps = 20;
	twenty = test_run_put(s, &run);
	run.steps = 30;
	thirty = test_run_put(s, &run);
	overtake(s, request);
	request.head = twenty;
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(reply.outcome, TS_COMMIT_EXTENDED);
	assert_true(ts_id_eq(&reply.previous, &ten));
	overtake(s, request_of("default/b", thirty));
	request.name = ts_span_str("default/b");
	assert_int_equal(test_commit(s, &request, &reply), TS_CONFLICT);
	assert_non_null(strstr(s->err.text, "scalars.eval has only 2 of its 3 rows"));
}

static void joins_again_when_overtaken(void **state)
{
	struct test_store *s = *state;
	struct test_run run = test_run_plain();
	struct ts_commit_request request, first;
	struct ts_commit_reply reply;
	struct ts_id whole;

	run.world = 3;
	first = request_of("default/a", put_ranks(s, run, 2, 1));
	request = request_of("default/a", put_ranks(s, run, 0, 1));
	first.join = request.join = true;
	overtake(s, first);
	must(test_commit(s, &request, &reply), &s->err);
	assert_int_equal(reply.outcome, TS_COMMIT_STAGED);
	assert_int_equal(reply.n_missing, 1);
	/* While the last rank is placed, another writer sends its rank once more. */
	request.head = put_ranks(s, run, 1, 1);
	overtake(s, first);
	must(test_commit(s, &request, &reply), &s->err);
	whole = put_ranks(s, run, 0, 3);
	assert_true(ts_id_eq(&reply.id, &whole));
}

/* --- objects of another kind than the index says --- */

static enum ts_status take_verify(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct test_store *s = ctx;
	static struct ts_verify_event event;

	if (ts_wire_unpack_verify_event(message, &s->arena, &event, err))
		return err->status;
	if (event.final)
		verified = event;
	return TS_OK;
}

/* Puts the name at the run as a store of an older version may have it. */
static void place_unchecked(struct test_store *s, const char *name, struct ts_id id, int64_t now_ns)
{
	struct ts_ref_update u = {.kind = TS_REF_RUN, .name = ts_span_str(name), .id = id, .now_ns = now_ns, .who = ts_span_str("x")};

	must(s->engine->ops->commit(s->engine, &u, 1, &s->arena, NULL, &s->err), &s->err);
}

static uint64_t misfits(struct test_store *s, bool only_new)
{
	struct ts_buf in = TS_BUF_INIT(100);

	verified = (struct ts_verify_event){0};
	must(ts_wire_pack_verify_request(&(struct ts_verify_request){.only_new = only_new}, &in, &s->err), &s->err);
	must(s->channel->ops->download(s->channel, "Verify", ts_buf_view(&in), take_verify, s, &s->err), &s->err);
	ts_buf_finish(&in);
	assert_int_equal(verified.report.damaged + verified.report.missing, 0);
	return verified.misfits;
}

static enum ts_status analyze(struct test_store *s, const char *spec)
{
	struct ts_analyze_request request = {.spec = ts_span_str(spec)};
	struct ts_buf in = TS_BUF_INIT(1 << 20);
	struct ts_span reply;
	enum ts_status status;

	must(ts_wire_pack_analyze_request(&request, &in, &s->err), &s->err);
	status = test_call(s, "Analyze", &in, &reply);
	ts_buf_finish(&in);
	return status;
}

static enum ts_status diff(struct test_store *s, const char *a, const char *b)
{
	struct ts_diff_request request = {.a = ts_span_str(a), .b = ts_span_str(b)};
	struct ts_buf in = TS_BUF_INIT(1 << 20);
	struct ts_span reply;
	enum ts_status status;

	must(ts_wire_pack_diff_request(&request, &in, &s->err), &s->err);
	status = test_call(s, "Diff", &in, &reply);
	ts_buf_finish(&in);
	return status;
}

/* Asks about two runs, of which the second may be damaged, by the methods that take several. */
static void ask_about_both(struct test_store *s, const char *good, const char *other)
{
	struct ts_span specs[] = {ts_span_str(good), ts_span_str(other)};
	struct ts_matrix_request matrix = {.runs = specs, .n = 2};
	struct ts_gate_request gate = {.baselines = specs, .n_baselines = 1, .candidates = &specs[1], .n_candidates = 1};
	const char *const methods[] = {"DiffMatrix", "Gate"};

	for (size_t i = 0; i < 2; i++) {
		struct ts_buf in = TS_BUF_INIT(1 << 20);
		struct ts_span reply;

		if (i == 0)
			must(ts_wire_pack_matrix_request(&matrix, &in, &s->err), &s->err);
		else
			must(ts_wire_pack_gate_request(&gate, &in, &s->err), &s->err);
		if (test_call(s, methods[i], &in, &reply) && !strstr(s->err.text, "default/old: rank 0, steps, "))
			fail_msg("%s: %s", methods[i], s->err.text);
		ts_buf_finish(&in);
	}
}

/* A push sends again what is not there; what is wrong it would send again in vain. */
static void tells_what_is_not_there_from_what_is_wrong(void **state)
{
	struct test_store *s = *state;
	struct test_run plain = test_run_plain();
	struct ts_id good = test_run_put(s, &plain), absent = {{1}};
	struct ts_commit_reply reply;
	struct ts_commit_request request = request_of("default/bad", good);
	uint32_t n;

	(void)test_run_ref(s, good, 0, &n);
	for (uint32_t i = 0; i < n; i++) {
		request.head = test_run_forge(s, good, i, absent);
		assert_int_equal(test_commit(s, &request, &reply), TS_NOT_FOUND);
		assert_non_null(strstr(s->err.text, "missing from the store"));
	}
}

/* A run that cannot be read whole is no sound store to go by later; where all was sound, only names that moved since are looked at. */
static void verifies_what_is_new(void **state)
{
	struct test_store *s = *state;
	struct test_run plain = test_run_plain();
	struct ts_id good, forged, later;
	uint32_t n;

	good = test_run_put(s, &plain);
	plain.first_step = 100;
	later = test_run_put(s, &plain);
	forged = test_run_forge(s, good, 0, test_run_ref(s, later, 0, &n));
	place_unchecked(s, "default/old", forged, 1);
	assert_int_equal(misfits(s, false), 1);
	assert_int_equal(misfits(s, true), 1);
	assert_true(verified.report.unread == 0 && verified.report.sound_ns == 0);
	place_unchecked(s, "default/old", good, 1);
	assert_int_equal(misfits(s, true), 0);
	assert_int_equal(misfits(s, true), 0);
	assert_true(verified.report.unread > 0 && verified.report.objects == 0 && verified.report.sound_ns > 0);
	place_unchecked(s, "default/old", forged, ts_now_real_ns());
	assert_int_equal(misfits(s, true), 1);
}

/* Each reference of an index of 40,000 steps is replaced by one of another kind, of other rows, of other keys. */
static void refuses_objects_that_do_not_fit(void **state)
{
	struct test_store *s = *state;
	struct test_run plain = test_run_plain();
	struct ts_commit_reply reply;
	struct ts_span loss = ts_span_str("loss.last");
	struct ts_list_request metrics = {.kind = TS_REF_RUN, .columns = &loss, .n_columns = 1};
	struct ts_list_reply list;
	struct ts_id good, forged, later;
	uint32_t n, refused = 0, told = 0;

	plain.steps = 40000;
	good = test_run_put(s, &plain);
	plain.first_step = 100;
	later = test_run_put(s, &plain);
	must_commit(s, "default/good", good);
	(void)test_run_ref(s, good, 0, &n);
	assert_in_range(n, 4, 64);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < 2 * n; k++) {
			struct ts_id at = test_run_ref(s, good, i, &n), other = test_run_ref(s, k < n ? good : later, k % n, &n);
			struct ts_commit_request request = request_of("default/bad", good);

			if (ts_id_eq(&at, &other))
				continue;
			forged = test_run_forge(s, good, i, other);
			request.head = forged;
			request.force = true;
			place_unchecked(s, "default/old", good, 1);
			if (test_commit(s, &request, &reply) == TS_OK) { /* of the same kind and rows: it is what the index says */
				assert_int_equal(misfits(s, false), 0);
				must(analyze(s, "run:default/bad"), &s->err);
				continue;
			}
			assert_int_equal(s->err.status, TS_INVALID);
			if (!strstr(s->err.text, "rank 0, steps, ") || !strstr(s->err.text, "block ") ||
			    !strstr(s->err.text, "object "))
				fail_msg("%s", s->err.text);
			refused++;
			place_unchecked(s, "default/old", forged, 1);
			assert_int_equal(misfits(s, false), 1);
			told += analyze(s, "run:default/old") != TS_OK;
			if (analyze(s, "run:default/old"))
				assert_non_null(strstr(s->err.text, "default/old: rank 0, steps, "));
			ask_about_both(s, "run:default/good", "run:default/old");
			if (diff(s, "run:default/good", "run:default/old"))
				assert_non_null(strstr(s->err.text, "default/old: rank 0, steps, "));
			if (!strstr((const char *)ts_arena_span(&s->arena, verified.misfit[0]).data,
				    "run default/old: rank 0, steps, "))
				fail_msg("%.*s", TS_SPAN_ARG(verified.misfit[0]));
		}
	assert_true(refused > n && told > n);
	/* What fits is committed, and others go on: a list with a metric, a comparison. */
	must_commit(s, "default/later", later);
	must(diff(s, "run:default/good", "run:default/later"), &s->err);
	must(test_list(s, &metrics, &list), &s->err);
	assert_int_equal(list.n, 4);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_store, close_store)
	const struct CMUnitTest tests[] = {
		T(creates_and_repeats),
		T(extends),
		T(refuses_another_run),
		T(refuses_a_shifted_run),
		T(holds_expectations),
		T(moves_a_branch_and_notes_the_state),
		T(writes_a_state_only_when_something_changed),
		T(refuses_bad_requests),
		T(refuses_bad_heads),
		T(joins_to_the_whole),
		T(tells_what_is_missing),
		T(tells_what_is_not_there_from_what_is_wrong),
		T(exposes_what_is_there),
		T(joins_a_longer_rank),
		T(joins_all_at_once),
		T(never_moves_back),
		T(decides_again_when_overtaken),
		T(joins_again_when_overtaken),
		T(verifies_what_is_new),
		T(refuses_objects_that_do_not_fit),
	};

	return cmocka_run_group_tests_name("commit", tests, NULL, NULL);
}
