/* The table of docs/security.md, cell by cell: each act as each role, on what is the caller's own and on another's, with the role in
 * the project of the name and in another one. What must come out is the table's word, which the page says for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/auth/rights.h"
#include "service/handlers/core/test_caller.h"

#include <stdio.h>

enum { ADA = 1001, CAT = 1002, MIA = 1003, PAGE_MAX = 1 << 17, RUNS = 4 };

static struct ts_grant grants[4];
static struct ts_span protected_names[] = {{(const uint8_t *)"main", 4}}, closed_names[] = {{(const uint8_t *)"gated", 5}};
static struct ts_auth_policy policy;
static struct test_store s;
static struct ts_channel *all; /* may do everything */
static struct test_caller ada, cat, mia;
static struct ts_id runs[RUNS], longer, ranks[3]; /* longer extends runs[0]; ranks 0, another 0, 1 */

static void grant(const char *role, const char *project)
{
	static char lines[4][64];
	struct ts_error err;

	policy = (struct ts_auth_policy){.grants = grants, .uid = 999, .protected = {protected_names, 1},
					 .closed = {closed_names, 1}, .n_grants = 3};
	(void)snprintf(lines[0], sizeof lines[0], "user:%d %s %s", role ? ADA : 7, role ? role : "read", project);
	(void)snprintf(lines[1], sizeof lines[1], "user:%d maintain *", CAT);
	(void)snprintf(lines[2], sizeof lines[2], "user:%d maintain *", MIA);
	for (size_t i = 0; i < policy.n_grants; i++)
		must(ts_grant_parse(ts_span_str(lines[i]), &grants[i], &err), &err);
	test_caller_make(&ada, &s, &policy, ADA, "ada");
	test_caller_make(&cat, &s, &policy, CAT, "cat");
	test_caller_make(&mia, &s, &policy, MIA, "mia");
}

/* Everybody has sent everything, so that no act fails because its run is not known to be the caller's. */
static void has_sent(const struct test_caller *who)
{
	for (size_t i = 0; i < RUNS; i++)
		test_caller_sends(who, &runs[i]);
	for (size_t i = 0; i < 3; i++)
		test_caller_sends(who, &ranks[i]);
	test_caller_sends(who, &longer);
}

static void as(const struct test_caller *who)
{
	s.channel = (struct ts_channel *)(uintptr_t)&who->base;
	has_sent(who);
}

static void open_store(void)
{
	struct test_run run = test_run_plain();

	test_store_open(&s);
	all = s.channel;
	for (size_t i = 0; i < RUNS; i++) {
		run.scale = 1 + (double)i;
		runs[i] = test_run_put(&s, &run);
	}
	run.scale = 1;
	run.steps = 20;
	longer = test_run_put(&s, &run);
	run = test_run_plain();
	run.world = 3;
	ranks[0] = test_run_put(&s, &run);
	run.scale = 7;
	ranks[1] = test_run_put(&s, &run);
	run.first_rank = 1;
	ranks[2] = test_run_put(&s, &run);
}

static void close_store(void)
{
	s.channel = all;
	test_store_close(&s);
}

/* ---- calls ---- */

static enum ts_status commit(const char *name, struct ts_id id, const char *branch, bool force, bool join)
{
	struct ts_commit_request request = {
		.name = ts_span_str(name), .head = id, .branch = ts_span_str(branch), .force = force, .join = join};
	struct ts_commit_reply reply;

	return test_commit(&s, &request, &reply);
}

static enum ts_status update(enum ts_ref_kind kind, const char *name, const char *target)
{
	struct ts_ref_request request = {.kind = kind, .name = ts_span_str(name), .target = ts_span_str(target), .force = target[0],
					 .remove = !target[0]};
	struct ts_ref_reply reply;

	return test_update(&s, &request, &reply);
}

static enum ts_status restore(enum ts_ref_kind kind, const char *name)
{
	struct ts_restore_request request = {.kind = kind, .name = ts_span_str(name)};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;
	struct ts_span reply;

	must(ts_wire_pack_restore_request(&request, &buf, &s.err), &s.err);
	status = test_call(&s, "RestoreRef", &buf, &reply);
	ts_buf_finish(&buf);
	return status;
}

static enum ts_status ask_log(const char *spec, bool notes, struct ts_log_reply *ret)
{
	struct ts_log_request request = {.spec = ts_span_str(spec), .notes = notes};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;
	struct ts_span reply;

	must(ts_wire_pack_log_request(&request, &buf, &s.err), &s.err);
	status = test_call(&s, "RefLog", &buf, &reply);
	ts_buf_finish(&buf);
	return status ? status : ts_wire_unpack_log_reply(reply, &s.arena, ret, &s.err);
}

/* ---- acts: what is there before, by its owner, and what is tried ---- */

static void a_run(void)
{
	must(commit("p/x", runs[0], "", false, false), &s.err);
}

static void a_marked_run(void)
{
	a_run();
	as(&mia);
	must(test_note(&s, "p/x", "bad", "by a maintainer"), &s.err);
}

static void a_removed_run(void)
{
	a_run();
	must(update(TS_REF_RUN, "p/x", ""), &s.err);
}

static void a_tag(void)
{
	a_run();
	must(update(TS_REF_TAG, "p/v1", "run:p/x"), &s.err);
}

static void a_removed_tag(void)
{
	a_tag();
	must(update(TS_REF_TAG, "p/v1", ""), &s.err);
}

static void a_branch(const char *name)
{
	must(commit("p/x", runs[0], name, false, false), &s.err);
	must(commit("p/y", runs[1], name, false, false), &s.err);
}

static void a_topic(void)
{
	a_branch("p/topic");
}

static void a_removed_topic(void)
{
	a_topic();
	must(update(TS_REF_BRANCH, "p/topic", ""), &s.err);
}

static void a_main(void)
{
	a_branch("p/main");
}

static void a_removed_main(void)
{
	a_main();
	must(update(TS_REF_BRANCH, "p/main", ""), &s.err);
}

static void a_closed(void)
{
	a_branch("p/gated");
}

static void a_rank(void)
{
	must(commit("p/j", ranks[0], "", false, true), &s.err);
}

static enum ts_status see_run(void)
{
	struct ts_get_reply got;

	return test_get(&s, "run:p/x", &got);
}

static enum ts_status see_log(void)
{
	struct ts_log_reply log;

	return ask_log("run:p/x", false, &log);
}

static enum ts_status see_notes(void)
{
	struct ts_log_reply log;
	enum ts_status status = ask_log("run:p/x", true, &log);

	if (!status)
		assert_int_equal(log.n_notes, 1);
	return status;
}

static enum ts_status create_run(void)
{
	return commit("p/new", runs[2], "", false, false);
}

static enum ts_status extend_run(void)
{
	return commit("p/x", longer, "", false, false);
}

static enum ts_status force_run(void)
{
	return commit("p/x", runs[2], "", true, false);
}

static enum ts_status remove_run(void)
{
	return update(TS_REF_RUN, "p/x", "");
}

static enum ts_status restore_run(void)
{
	return restore(TS_REF_RUN, "p/x");
}

static enum ts_status make_tag(void)
{
	return update(TS_REF_TAG, "p/v2", "run:p/x");
}

static enum ts_status move_tag(void)
{
	s.channel = all;
	must(commit("p/z", runs[3], "", false, false), &s.err);
	as(&ada);
	return update(TS_REF_TAG, "p/v1", "run:p/z");
}

static enum ts_status remove_tag(void)
{
	return update(TS_REF_TAG, "p/v1", "");
}

static enum ts_status restore_tag(void)
{
	return restore(TS_REF_TAG, "p/v1");
}

static enum ts_status make_topic(void)
{
	return update(TS_REF_BRANCH, "p/topic", "run:p/x");
}

static enum ts_status move_topic(void)
{
	return update(TS_REF_BRANCH, "p/topic", "run:p/x");
}

static enum ts_status remove_topic(void)
{
	return update(TS_REF_BRANCH, "p/topic", "");
}

static enum ts_status restore_topic(void)
{
	return restore(TS_REF_BRANCH, "p/topic");
}

static enum ts_status make_main(void)
{
	return commit("p/new", runs[2], "p/main", false, false);
}

/* A push of one's own that is repeated succeeds and moves nothing, which is no append. */
static enum ts_status append_old(void)
{
	enum ts_status status = commit("p/again", runs[0], "p/main", false, false);
	struct ts_ref now;

	if (!status)
		must(s.engine->ops->ref_get(s.engine, TS_REF_BRANCH, ts_span_str("p/main"), &s.arena, &now, &s.err), &s.err);
	return status || ts_id_eq(&now.id, &runs[0]) ? status : TS_DENIED;
}

static enum ts_status move_main(void)
{
	return update(TS_REF_BRANCH, "p/main", "run:p/x");
}

static enum ts_status remove_main(void)
{
	return update(TS_REF_BRANCH, "p/main", "");
}

static enum ts_status restore_main(void)
{
	return restore(TS_REF_BRANCH, "p/main");
}

static enum ts_status append_closed(void)
{
	return commit("p/new", runs[2], "p/gated", false, false);
}

static enum ts_status add_rank(void)
{
	return commit("p/j", ranks[2], "", false, true);
}

static enum ts_status replace_rank(void)
{
	return commit("p/j", ranks[1], "", false, true);
}

static enum ts_status remove_stage(void)
{
	return update(TS_REF_STAGE, "p/j", "");
}

static enum ts_status remark(void)
{
	return test_note(&s, "p/x", "why", "warmer room");
}

static enum ts_status mark(void)
{
	return test_note(&s, "p/x", "bad", "yes") ? s.err.status : test_note(&s, "p/x", "state", "running");
}

static enum ts_status mark_again(void)
{
	return test_note(&s, "p/x", "bad", "");
}

static enum ts_status accept(void)
{
	return test_note(&s, "p/x", "accepted", "yes");
}

/* What the methods Retain, MakeToken and RevokeToken do, by the engine that every handler sees. */
static enum ts_status change_rules(void)
{
	struct ts_call call = {.engine = s.engine, .arena = &s.arena, .peer = &ada.peer, .who = &ada.who, .deadline_ns = INT64_MAX};
	enum ts_retire_outcome outcome;
	struct ts_engine *e;

	if (ts_call_begin(&call, ts_handler_find(ts_span_str("ListRuns")), &s.err))
		return s.err.status;
	e = call.engine;
	if (e->ops->retire(e, &(struct ts_retire){.n = 0}, &outcome, &s.err))
		return s.err.status;
	return e->ops->record_put(e, &(struct ts_record){ts_span_str("token/1"), ts_span_str("t")}, NULL, &s.err);
}

static const struct {
	enum ts_act act;
	void (*before)(void); /* done by the owner */
	enum ts_status (*try)(void);
} acts[] = {
	{TS_ACT_SEE_RUN, a_run, see_run},
	{TS_ACT_SEE_LOG, a_run, see_log},
	{TS_ACT_SEE_NOTES, a_marked_run, see_notes},
	{TS_ACT_CREATE_RUN, a_run, create_run},
	{TS_ACT_EXTEND_RUN, a_run, extend_run},
	{TS_ACT_FORCE_RUN, a_run, force_run},
	{TS_ACT_REMOVE_RUN, a_run, remove_run},
	{TS_ACT_RESTORE_RUN, a_removed_run, restore_run},
	{TS_ACT_FORCE_MARKED, a_marked_run, force_run},
	{TS_ACT_REMOVE_MARKED, a_marked_run, remove_run},
	{TS_ACT_CREATE_TAG, a_run, make_tag},
	{TS_ACT_MOVE_TAG, a_tag, move_tag},
	{TS_ACT_REMOVE_TAG, a_tag, remove_tag},
	{TS_ACT_RESTORE_TAG, a_removed_tag, restore_tag},
	{TS_ACT_CREATE_BRANCH, a_run, make_topic},
	{TS_ACT_MOVE_BRANCH, a_topic, move_topic},
	{TS_ACT_REMOVE_BRANCH, a_topic, remove_topic},
	{TS_ACT_RESTORE_BRANCH, a_removed_topic, restore_topic},
	{TS_ACT_CREATE_PROTECTED, a_run, make_main},
	{TS_ACT_APPEND_PROTECTED, a_main, make_main},
	{TS_ACT_REPEAT_PROTECTED, a_main, append_old},
	{TS_ACT_MOVE_PROTECTED, a_main, move_main},
	{TS_ACT_REMOVE_PROTECTED, a_main, remove_main},
	{TS_ACT_RESTORE_PROTECTED, a_removed_main, restore_main},
	{TS_ACT_CREATE_CLOSED, a_run, append_closed},
	{TS_ACT_APPEND_CLOSED, a_closed, append_closed},
	{TS_ACT_ADD_RANK, a_rank, add_rank},
	{TS_ACT_REPLACE_RANK, a_rank, replace_rank},
	{TS_ACT_REMOVE_STAGE, a_rank, remove_stage},
	{TS_ACT_NOTE, a_run, remark},
	{TS_ACT_MARK, a_run, mark},
	{TS_ACT_MARK_AGAIN, a_marked_run, mark_again},
	{TS_ACT_ACCEPT, a_run, accept},
	{TS_ACT_RULE, a_run, change_rules},
};

/* ---- the page ---- */

static const char *const words[TS_ACTS][2] = {
#define WORDS(act, verb, object, own, anothers) [TS_ACT_##act] = {verb, object},
	TS_RIGHTS(WORDS)
#undef WORDS
};

struct row {
	char verb[64], object[64], own[16], anothers[16];
};

static size_t read_table(struct row *rows, size_t most)
{
	static char page[PAGE_MAX];
	FILE *file = fopen(TS_SECURITY_PAGE, "rb");
	char *line;
	size_t n = 0;

	assert_non_null(file);
	page[fread(page, 1, sizeof page - 1, file)] = 0;
	(void)fclose(file);
	line = strstr(page, "| act | on | one's own | another's |\n");
	assert_non_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (; n < most && sscanf(line, "| %63[^|]| %63[^|]| %15[a-z] | %15[a-z] |", rows[n].verb, rows[n].object, rows[n].own,
				  rows[n].anothers) == 4;
	     n++, line = strchr(line, '\n') + 1) {
		rows[n].verb[strlen(rows[n].verb) - 1] = 0;
		rows[n].object[strlen(rows[n].object) - 1] = 0;
	}
	return n;
}

static enum ts_auth_role role_of(const char *word)
{
	enum ts_auth_role role = TS_AUTH_NONE;

	assert_true(ts_auth_role_of_word(ts_span_str(word), &role));
	return role;
}

/* ---- cells ---- */

static void try_cell(const struct row *row, size_t at, enum ts_auth_role role, bool own, bool here)
{
	enum ts_auth_role needs = role_of(own ? row->own : row->anothers);
	bool may = role >= needs && (here || role == TS_AUTH_ADMIN);
	enum ts_status status;

	open_store();
	grant("maintain", "*");
	as(own ? &ada : &cat);
	acts[at].before();
	grant(role ? ts_auth_role_word(role) : NULL, role == TS_AUTH_ADMIN ? "*" : here ? "p" : "q");
	as(&ada);
	status = acts[at].try();
	if (may ? status != TS_OK : status != TS_DENIED && status != TS_NOT_FOUND)
		fail_msg("%s %s, %s, as %s in %s: %s (%s)", row->verb, row->object, own ? "one's own" : "another's",
			 ts_auth_role_word(role), here ? "its project" : "another project", ts_status_word(status), s.err.text);
	close_store();
}

static void each_act_asks_for_the_role_that_the_page_says(void **state)
{
	struct row rows[TS_ACTS + 1];
	size_t n = read_table(rows, TS_ACTS + 1), cells = 0;

	(void)state;
	assert_int_equal(n, TS_ACTS);
	assert_int_equal(sizeof acts / sizeof acts[0], TS_ACTS);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(acts[i].act, i);
		assert_string_equal(rows[i].verb, words[i][0]);
		assert_string_equal(rows[i].object, words[i][1]);
		assert_int_equal(role_of(rows[i].own), ts_right(acts[i].act, true));
		assert_int_equal(role_of(rows[i].anothers), ts_right(acts[i].act, false));
		for (int role = TS_AUTH_NONE; role < TS_AUTH_ROLES; role++)
			for (int k = 0; k < 4; k++, cells++)
				try_cell(&rows[i], i, (enum ts_auth_role)role, k % 2, k / 2);
	}
	print_message("%zu cells\n", cells);
	assert_true(cells > 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_act_asks_for_the_role_that_the_page_says)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
