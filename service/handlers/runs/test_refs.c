/* Names, tags and branches moved by hand; their logs; notes; what GetRun says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/user.h"
#include "service/handlers/core/summary.h"
#include "service/handlers/core/test_runs.h"

static struct test_store s;
static struct ts_id first, second;

static int setup(void **state)
{
	struct test_run run = test_run_plain();

	(void)state;
	test_store_open(&s);
	run.own = "own";
	first = test_run_put(&s, &run);
	run.scale = 2;
	second = test_run_put(&s, &run);
	must_commit(&s, "p/a", first);
	must_commit(&s, "p/b", second);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

static struct ts_ref_request request_of(enum ts_ref_kind kind, const char *name, const char *target)
{
	return (struct ts_ref_request){.kind = kind, .name = ts_span_str(name), .target = ts_span_str(target)};
}

static struct ts_ref_reply must_update(struct ts_ref_request request)
{
	struct ts_ref_reply reply;

	must(test_update(&s, &request, &reply), &s.err);
	return reply;
}

static void expect_error(struct ts_ref_request request, enum ts_status status, const char *text)
{
	struct ts_ref_reply reply;

	assert_int_equal(test_update(&s, &request, &reply), status);
	if (!strstr(s.err.text, text))
		fail_msg("%s", s.err.text);
}

static void tags_stay(void **state)
{
	struct ts_ref_request request = request_of(TS_REF_TAG, "p/v1", "p/a");
	struct ts_ref_reply reply = must_update(request);
	struct ts_summary summary;
	char me[TS_USER_TEXT];

	(void)state;
	assert_false(reply.had_previous);
	assert_int_equal(reply.ref.seq, 1);
	assert_true(ts_id_eq(&reply.ref.id, &first));
	assert_true(ts_span_is(reply.ref.who, ts_user_self(me)));
	assert_true(ts_summary_read(reply.ref.summary, &summary));
	assert_int_equal(summary.steps, 10);
	assert_true(ts_span_is(summary.own_name, "own"));
	reply = must_update(request); /* the same update again changes nothing */
	assert_true(reply.had_previous);
	assert_int_equal(reply.ref.seq, 1);
	request = request_of(TS_REF_TAG, "p/v1", "p/b");
	expect_error(request, TS_CONFLICT, "--force");
	request.force = true;
	reply = must_update(request);
	assert_true(reply.had_previous && ts_id_eq(&reply.previous, &first) && ts_id_eq(&reply.ref.id, &second));
	assert_int_equal(reply.ref.seq, 2);
}

static void names_and_branches_move(void **state)
{
	struct ts_ref_request request = request_of(TS_REF_RUN, "p/c", "tag:p/v");

	(void)state;
	expect_error(request, TS_NOT_FOUND, "p/v");
	must_update(request_of(TS_REF_TAG, "p/v", "p/a"));
	must_update(request);
	request.target = ts_span_str("p/b");
	expect_error(request, TS_CONFLICT, "run p/c exists");
	must_update(request_of(TS_REF_BRANCH, "p/main", "p/a"));
	assert_int_equal(must_update(request_of(TS_REF_BRANCH, "p/main", "p/b")).ref.seq, 2);
	request = request_of(TS_REF_BRANCH, "p/main", "p/a");
	request.expect = TS_EXPECT_ID;
	request.expected = first;
	expect_error(request, TS_CONFLICT, "was expected");
	request.expected = second;
	assert_int_equal(must_update(request).ref.seq, 3);
}

static void removes(void **state)
{
	struct ts_ref_request request = {.kind = TS_REF_RUN, .name = ts_span_str("p/a"), .remove = true};
	struct ts_ref_reply reply;

	(void)state;
	must(test_note(&s, "p/a", "bad", "yes"), &s.err);
	reply = must_update(request);
	assert_true(ts_id_eq(&reply.ref.id, &first)); /* unchanged */
	expect_error(request, TS_NOT_FOUND, "there is no run p/a");
	must_update(request_of(TS_REF_RUN, "p/a", "p/b"));
	{
		struct ts_get_reply got;

		must(test_get(&s, "p/a", &got), &s.err);
		assert_int_equal(got.n_notes, 0); /* the notes of the removed run are gone */
		assert_int_equal(got.n_names, 2);
	}
	request.target = ts_span_str("p/b");
	expect_error(request, TS_INVALID, "both a target and remove");
}

static void refuses(void **state)
{
	(void)state;
	expect_error(request_of(TS_REF_TAG, "v1", "p/a"), TS_INVALID, "project/name");
	expect_error(request_of(TS_REF_TAG, "p/v1", ""), TS_INVALID, "no target");
	expect_error(request_of(TS_REF_STAGE, "p/v1", "p/a"), TS_INVALID, "stage");
	expect_error(request_of(TS_REF_TAG, "p/v1\xef\xb8\x8f", "p/a"), TS_INVALID, "byte 5 of a name begins the character U+FE0F");
	expect_error(request_of(TS_REF_BRANCH, "p/\xe3\x85\xa4", "p/a"), TS_INVALID, "U+3164");
	expect_error((struct ts_ref_request){.kind = TS_REF_TAG, .name = ts_span_str("p/v1\xef\xb8\x8f"), .remove = true}, TS_NOT_FOUND,
		     ""); /* one that an older version let in can be removed */
}

static enum ts_status get_log(const char *spec, uint32_t limit, struct ts_log_reply *ret)
{
	struct ts_log_request request = {ts_span_str(spec), limit, false};
	struct ts_buf buf = TS_BUF_INIT(1000);
	struct ts_span bytes;
	enum ts_status status;

	must(ts_wire_pack_log_request(&request, &buf, &s.err), &s.err);
	status = test_call(&s, "RefLog", &buf, &bytes);
	ts_buf_finish(&buf);
	if (!status)
		must(ts_wire_unpack_log_reply(bytes, &s.arena, ret, &s.err), &s.err);
	return status;
}

static void keeps_a_log(void **state)
{
	struct ts_ref_request request = request_of(TS_REF_BRANCH, "p/main", "p/a");
	struct ts_log_reply log;
	char hex[TS_ID_HEX + 1];

	(void)state;
	request.message = ts_span_str("begin");
	must_update(request);
	request.target = ts_span_str("p/b");
	request.message = ts_span_str("then");
	must_update(request);
	must(get_log("p/main", 0, &log), &s.err);
	assert_int_equal(log.kind, TS_REF_BRANCH);
	assert_true(ts_span_is(log.name, "p/main"));
	assert_int_equal(log.n, 2);
	assert_true(ts_span_is(log.entries[0].message, "then") && ts_id_eq(&log.entries[0].id, &second));
	assert_int_equal(log.entries[0].seq, 2);
	assert_true(ts_span_is(log.entries[1].message, "begin") && ts_id_eq(&log.entries[1].id, &first));
	assert_true(log.entries[0].moved_ns >= log.entries[1].moved_ns && log.entries[1].moved_ns > 0);
	must(get_log("branch:p/main", 1, &log), &s.err);
	assert_int_equal(log.n, 1);
	assert_int_equal(get_log(ts_id_hex(&first, hex), 0, &log), TS_INVALID);
	assert_int_equal(get_log("p/none", 0, &log), TS_NOT_FOUND);
}

static void writes_notes(void **state)
{
	char me[TS_USER_TEXT];
	struct ts_get_reply got;

	(void)state;
	must(test_note(&s, "p/a", "bad", "r\xc3\xa4uber"), &s.err);
	must(test_note(&s, "?p/a", "state", "crashed"), &s.err);
	must(test_get(&s, "p/a", &got), &s.err);
	assert_int_equal(got.n_notes, 2);
	assert_true(ts_span_is(got.notes[0].key, "bad") && ts_span_is(got.notes[0].value, "r\xc3\xa4uber"));
	assert_true(ts_span_is(got.notes[0].who, ts_user_self(me)) && got.notes[0].at_ns > 0);
	must(test_note(&s, "p/a", "bad", ""), &s.err);
	must(test_get(&s, "p/a", &got), &s.err);
	assert_int_equal(got.n_notes, 1);
	assert_int_equal(test_note(&s, "p/a", "state", "asleep"), TS_INVALID);
	assert_int_equal(test_note(&s, "p/a", "", "x"), TS_INVALID);
	assert_int_equal(test_note(&s, "p/a", "Bad", "x"), TS_INVALID);
	assert_int_equal(test_note(&s, "p/a", "a b", "x"), TS_INVALID);
	must_update(request_of(TS_REF_TAG, "p/v", "p/a"));
	assert_int_equal(test_note(&s, "tag:p/v", "bad", "x"), TS_INVALID);
}

static void tells_a_run(void **state)
{
	struct test_run run = test_run_plain();
	struct ts_get_reply got;
	char hex[TS_ID_HEX + 1];
	struct ts_id id;

	(void)state;
	run.ranks = 3;
	run.steps = 25;
	run.world = 5;
	run.own = "mine";
	id = test_run_put(&s, &run);
	must_commit(&s, "p/many", id);
	must_update(request_of(TS_REF_TAG, "p/v", "p/many"));
	must(test_get(&s, "p/many", &got), &s.err);
	assert_true(got.by_ref && ts_span_is(got.ref.name, "p/many"));
	assert_true(ts_id_eq(&got.run.id, &id));
	assert_true(ts_span_is(got.run.own_name, "mine"));
	assert_int_equal(got.run.steps, 25);
	assert_int_equal(got.run.first_step, 0);
	assert_int_equal(got.run.last_step, 24);
	assert_int_equal(got.run.ranks, 3);
	assert_int_equal(got.n_missing, 2);
	assert_int_equal(got.missing_ranks[0], 3);
	assert_int_equal(got.missing_ranks[1], 4);
	assert_int_equal(got.n_columns, 2);
	assert_true(ts_span_is(got.columns[0].name, "scalars.eval"));
	assert_int_equal(got.columns[0].rows, 3); /* steps 0, 10, 20 */
	assert_int_equal(got.columns[0].rows_all, 9);
	assert_int_equal(got.columns[0].ranks, 3);
	assert_int_equal(got.columns[0].last_key, 20);
	assert_int_equal(got.columns[1].rows, 25);
	assert_int_equal(got.columns[1].role, TS_ROLE_TRAJECTORY);
	assert_int_equal(got.n_names, 2);
	must(test_get(&s, ts_id_hex(&id, hex), &got), &s.err);
	assert_false(got.by_ref);
	assert_int_equal(got.n_names, 2);
}

/* -- the name is moved and noted after a reader has resolved it -- */

static const struct ts_engine_ops *real;

static enum ts_status list_after_all(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_ref *ret_ref,
				     struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err)
{
	struct ts_ref_request request = request_of(TS_REF_RUN, "p/a", "p/b");

	e->ops = real;
	request.force = true;
	must_update(request);
	must(test_note(&s, "p/a", "note", "of the second"), &s.err);
	return e->ops->note_list(e, name, arena, ret_ref, ret_notes, ret_n, err);
}

static void tells_one_moment(void **state)
{
	struct ts_engine_ops ops = *s.engine->ops;
	struct ts_get_reply got;

	(void)state;
	real = s.engine->ops;
	ops.note_list = list_after_all;
	s.engine->ops = &ops;
	must(test_get(&s, "p/a", &got), &s.err);
	assert_ptr_equal(s.engine->ops, real);
	assert_int_equal(got.n_notes, 1);
	assert_true(ts_span_is(got.notes[0].value, "of the second"));
	assert_true(ts_id_eq(&got.ref.id, &second) && ts_id_eq(&got.run.id, &second));
	assert_int_equal(got.ref.seq, 2);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(tags_stay),   T(names_and_branches_move), T(removes), T(refuses), T(keeps_a_log), T(writes_notes),
		T(tells_a_run), T(tells_one_moment),
	};

	return cmocka_run_group_tests_name("refs", tests, NULL, NULL);
}
