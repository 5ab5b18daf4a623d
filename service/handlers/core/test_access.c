/* Who may do what: every method with every role, the projects of others, names of others, and ids instead of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/limits.h"
#include "run/head.h"
#include "service/handlers/core/test_caller.h"
#include "store/test_lease.h"
#include "store/test_seal.h"

static struct ts_grant grants[8];
static struct ts_span protected_names[] = {{(const uint8_t *)"main", 4}};
static struct ts_auth_policy policy;
static struct test_store s;
static struct ts_channel *mine; /* may do everything */
static struct test_caller ada, bob;
static struct ts_id first, second, other;

static void identify_all(void)
{
	test_caller_make(&ada, &s, &policy, 1001, "ada");
	test_caller_make(&bob, &s, &policy, 1002, "bob");
}

static void give(const char *text)
{
	must(ts_grant_parse(ts_span_str(text), &grants[policy.n_grants++], &s.err), &s.err);
	identify_all();
}

/* p/a and p/b, and q/secret, which nobody may read who may only read p. */
static int setup(void **state)
{
	struct test_run run = test_run_plain();

	(void)state;
	policy = (struct ts_auth_policy){.grants = grants, .uid = 999, .protected = {protected_names, 1}};
	test_store_open(&s);
	mine = s.channel;
	first = test_run_put(&s, &run);
	run.scale = 2;
	second = test_run_put(&s, &run);
	run.scale = 3;
	other = test_run_put(&s, &run);
	must_commit(&s, "p/a", first);
	must_commit(&s, "q/secret", other);
	identify_all();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	s.channel = mine;
	test_store_close(&s);
	return 0;
}

static void expect(enum ts_status status, enum ts_status wanted, const char *text)
{
	if (status != wanted || !strstr(s.err.text, text))
		fail_msg("%s: %s", ts_status_word(status), s.err.text);
}

static void as(struct test_caller *who)
{
	s.channel = &who->base;
}

/* ---- methods and roles ---- */

/* What docs/security.md says; the table of handlers is held to it. */
static const struct {
	const char *method;
	enum ts_auth_role role;
} needs[] = {
	{"ServerInfo", TS_AUTH_READ}, {"HasObjects", TS_AUTH_READ},  {"PutObjects", TS_AUTH_PUSH},   {"CommitRun", TS_AUTH_PUSH},
	{"UpdateRef", TS_AUTH_PUSH},  {"RefLog", TS_AUTH_READ},	     {"SetNote", TS_AUTH_PUSH},	     {"ListRuns", TS_AUTH_READ},
	{"GetRun", TS_AUTH_READ},     {"GetObjects", TS_AUTH_READ},  {"Analyze", TS_AUTH_READ},	     {"Diff", TS_AUTH_READ},
	{"DiffMatrix", TS_AUTH_READ}, {"CheckResume", TS_AUTH_READ}, {"Gate", TS_AUTH_READ},	     {"Baseline", TS_AUTH_READ},
	{"Trend", TS_AUTH_READ},      {"Verify", TS_AUTH_ADMIN},     {"Chart", TS_AUTH_READ},	     {"CollectGarbage", TS_AUTH_ADMIN},
	{"MakeToken", TS_AUTH_ADMIN}, {"ListTokens", TS_AUTH_ADMIN}, {"RevokeToken", TS_AUTH_ADMIN}, {"ListRemoved", TS_AUTH_READ},
	{"RestoreRef", TS_AUTH_PUSH}, {"GetUsage", TS_AUTH_READ},    {"FindNames", TS_AUTH_READ},
	{"RestoreRef", TS_AUTH_PUSH}, {"Retain", TS_AUTH_ADMIN},     {"Follow", TS_AUTH_ADMIN},
	{"ReduceRuns", TS_AUTH_READ},
};

static enum ts_auth_role needed(const char *method)
{
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		if (strcmp(needs[i].method, method) == 0)
			return needs[i].role;
	fail_msg("the method %s needs a row in this test: which role may call it?", method);
	return TS_AUTH_NONE;
}

/* One project is enough for all roles but admin, which is given in all. */
static const char *const lines[] = {[TS_AUTH_NONE] = "user:7 read p", [TS_AUTH_READ] = "user:1001 read p",
				    [TS_AUTH_PUSH] = "user:1001 push p", [TS_AUTH_MAINTAIN] = "user:1001 maintain *",
				    [TS_AUTH_ADMIN] = "user:1001 admin *"};

static void no_method_can_be_called_without_its_role(void **state)
{
	size_t n;
	const struct ts_handler *h = ts_handlers(&n);

	(void)state;
	for (int role = TS_AUTH_NONE; role < TS_AUTH_ROLES; role++) {
		policy.n_grants = 0;
		give(lines[role]);
		for (size_t i = 0; i < n; i++) {
			enum ts_status status = test_caller_drive(&ada, &h[i], ts_span_of(NULL, 0), &s.err);

			assert_int_equal(h[i].needs, needed(h[i].method));
			if ((status == TS_DENIED) != (role < (int)h[i].needs))
				fail_msg("%s as %s: %s", h[i].method, ts_auth_role_word((enum ts_auth_role)role),
					 ts_status_word(status));
		}
	}
}

/* A row that was forgotten is for admins. */
static void a_method_without_a_role_is_refused(void **state)
{
	struct ts_handler h = *ts_handler_find(ts_span_str("ListRuns"));

	(void)state;
	give("user:1001 maintain *");
	h.needs = TS_AUTH_NONE;
	expect(test_caller_drive(&ada, &h, ts_span_of(NULL, 0), &s.err), TS_DENIED, "admin");
}

/* Whatever a handler does, the engine that it sees refuses what is for admins. */
static void the_engine_of_a_call_is_guarded(void **state)
{
	struct ts_call c = {.engine = s.engine, .arena = &s.arena, .peer = &ada.peer, .who = &ada.who, .deadline_ns = INT64_MAX};
	struct ts_verify_report verified;
	struct ts_sweep_report swept;
	struct ts_ref_update u = {.kind = TS_REF_RUN, .name = ts_span_str("q/x"), .id = first, .who = ts_span_str("ada")};

	(void)state;
	give("user:1001 push p");
	c.who = &ada.who;
	must(ts_call_begin(&c, ts_handler_find(ts_span_str("CommitRun")), &s.err), &s.err);
	expect(c.engine->ops->sweep(c.engine, &(struct ts_sweep_options){.now_ns = INT64_MAX}, &swept, &s.err), TS_DENIED, "admin");
	expect(c.engine->ops->verify(c.engine, NULL, &s.arena, &verified, &s.err), TS_DENIED, "admin");
	expect(c.engine->ops->backup(c.engine, "/nowhere", &s.err), TS_DENIED, "admin");
	expect(c.engine->ops->commit(c.engine, &u, 1, &s.arena, NULL, &s.err), TS_DENIED,
	       "this needs the role push in the project q, and ada has none there");
	u.name = ts_span_str("p/x");
	u.id = other;
	expect(c.engine->ops->commit(c.engine, &u, 1, &s.arena, NULL, &s.err), TS_NOT_FOUND, "only in projects that ada may not read");
	u.name = ts_span_str("p/a");
	u.remove = true;
	expect(c.engine->ops->commit(c.engine, &u, 1, &s.arena, NULL, &s.err), TS_DENIED, "removing it needs the role maintain");
}

/* ---- each operation of the engine, with each role ---- */

static enum ts_status try_ref_get(struct ts_engine *e, struct ts_span name)
{
	struct ts_ref ref;

	return e->ops->ref_get(e, TS_REF_RUN, name, &s.arena, &ref, &s.err);
}

static enum ts_status try_ref_log(struct ts_engine *e, struct ts_span name)
{
	struct ts_log_entry *entries;
	size_t n;

	return e->ops->ref_log(e, TS_REF_RUN, name, 0, &s.arena, &entries, &n, &s.err);
}

static enum ts_status try_log_pruned(struct ts_engine *e, struct ts_span name)
{
	struct ts_pruned pruned;

	return e->ops->log_pruned(e, TS_REF_RUN, name, &s.arena, &pruned, &s.err);
}

static enum ts_status try_note_list(struct ts_engine *e, struct ts_span name)
{
	struct ts_note *notes;
	size_t n;

	return e->ops->note_list(e, name, &s.arena, NULL, &notes, &n, &s.err);
}

static enum ts_status try_note_put(struct ts_engine *e, struct ts_span name)
{
	const struct ts_note note = {.key = ts_span_str("note"), .value = ts_span_str("so")};

	return e->ops->note_put(e, name, &note, &s.err);
}

static enum ts_status try_verify(struct ts_engine *e, struct ts_span name)
{
	struct ts_verify_report report;

	(void)name;
	return e->ops->verify(e, NULL, &s.arena, &report, &s.err);
}

static enum ts_status try_sweep(struct ts_engine *e, struct ts_span name)
{
	struct ts_sweep_report report;

	(void)name;
	return e->ops->sweep(e, &(struct ts_sweep_options){.now_ns = 1, .dry_run = true}, &report, &s.err);
}

static enum ts_status try_retire(struct ts_engine *e, struct ts_span name)
{
	enum ts_retire_outcome outcome;

	(void)name;
	return e->ops->retire(e, &(struct ts_retire){.n = 0}, &outcome, &s.err);
}

static enum ts_status try_record_put(struct ts_engine *e, struct ts_span name)
{
	(void)name;
	return e->ops->record_put(e, &(struct ts_record){ts_span_str("token/1"), ts_span_str("t")}, NULL, &s.err);
}

static enum ts_status try_record_get(struct ts_engine *e, struct ts_span name)
{
	struct ts_span value;

	(void)name;
	return e->ops->record_get(e, ts_span_str("token/1"), &s.arena, &value, &s.err);
}

static enum ts_status try_record_list(struct ts_engine *e, struct ts_span name)
{
	struct ts_record *records;
	size_t n;

	(void)name;
	return e->ops->record_list(e, ts_span_str("token/"), &s.arena, &records, &n, &s.err);
}

static enum ts_status try_mirror(struct ts_engine *e, struct ts_span name)
{
	enum ts_status status = e->ops->mirror(e, ts_span_of(NULL, 0), NULL, NULL, &s.err);

	(void)name;
	return status == TS_INVALID ? TS_OK : status; /* nothing was asked */
}

static enum ts_status try_backup(struct ts_engine *e, struct ts_span name)
{
	enum ts_status status;

	(void)name;
	status = e->ops->backup(e, "/nowhere", &s.err);
	return status == TS_UNSUPPORTED ? TS_OK : status; /* the store is in memory */
}

static enum ts_status try_recount(struct ts_engine *e, struct ts_span name)
{
	(void)name;
	return e->ops->recount(e, &s.err);
}

static enum ts_status try_get(struct ts_engine *e, struct ts_span name)
{
	struct ts_sealed sealed;

	(void)name;
	return e->ops->get(e, &first, &s.arena, &sealed, &s.err);
}

/* What each asks for, of the project of a name or of the whole server, and what it says to others. */
static void each_operation_asks_for_its_role(void **state)
{
	static const struct {
		enum ts_status (*try)(struct ts_engine *e, struct ts_span name);
		enum ts_auth_role needs;
		enum ts_status refusal;
	} operations[] = {
		{try_record_put, TS_AUTH_ADMIN, TS_DENIED},  {try_record_get, TS_AUTH_ADMIN, TS_DENIED},
		{try_record_list, TS_AUTH_ADMIN, TS_DENIED}, {try_verify, TS_AUTH_ADMIN, TS_DENIED},
		{try_sweep, TS_AUTH_ADMIN, TS_DENIED},	     {try_retire, TS_AUTH_ADMIN, TS_DENIED},
		{try_backup, TS_AUTH_ADMIN, TS_DENIED},	     {try_recount, TS_AUTH_ADMIN, TS_DENIED},
		{try_mirror, TS_AUTH_ADMIN, TS_DENIED},
		{try_note_put, TS_AUTH_PUSH, TS_DENIED},     {try_note_list, TS_AUTH_READ, TS_NOT_FOUND},
		{try_ref_get, TS_AUTH_READ, TS_NOT_FOUND},   {try_ref_log, TS_AUTH_READ, TS_NOT_FOUND},
		{try_log_pruned, TS_AUTH_READ, TS_NOT_FOUND}, {try_get, TS_AUTH_NONE, TS_OK},
	};
	static const char *const given[] = {"user:1001 read nothing", "user:1001 read p", "user:1001 push p", "user:1001 maintain p",
					    "user:1001 admin *"};
	const struct ts_span names[] = {ts_span_str("p/a"), ts_span_str("q/secret")};

	(void)state;
	must(try_record_put(s.engine, names[0]), &s.err);
	for (int role = TS_AUTH_NONE; role < TS_AUTH_ROLES; role++) {
		struct ts_call c = {.engine = s.engine, .arena = &s.arena, .peer = &ada.peer, .who = &ada.who};

		policy.n_grants = 0;
		give(given[role]);
		(void)ts_call_begin(&c, ts_handler_find(ts_span_str("ListRuns")), &s.err);
		for (size_t i = 0; i < 2 * sizeof operations / sizeof operations[0]; i++) {
			bool in_q = i % 2, may = (int)operations[i / 2].needs <= (role < TS_AUTH_ADMIN && in_q ? 0 : role);

			assert_int_equal(operations[i / 2].try(c.engine, names[in_q]), may ? TS_OK : operations[i / 2].refusal);
		}
	}
}

/* ---- projects ---- */

/* A list that is sorted reads pages of 1,024 names, and what another project has may fill several. */
static void a_list_goes_on_behind_many_names_of_another_project(void **state)
{
	const char *const orders[] = {"", "name", "-name", "steps"};
	struct ts_list_request list = {.page_size = 0};
	struct ts_list_reply rows;
	char name[16];

	(void)state;
	give("user:1001 read p");
	for (int i = 0; i < 2500; i++) {
		(void)snprintf(name, sizeof name, "%s/%d", i % 2 ? "o" : "r", i);
		must_commit(&s, name, first);
	}
	as(&ada);
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		list.sort = ts_span_str(orders[i]);
		must(test_list(&s, &list, &rows), &s.err);
		assert_int_equal(rows.n, 1);
		assert_int_equal(rows.examined, 1);
		assert_int_equal(rows.next_token.len, 0);
		assert_true(ts_span_is(rows.rows[0].name, "p/a"));
	}
}

static void a_reader_of_one_project_sees_nothing_of_another(void **state)
{
	struct ts_list_request list = {.page_size = 0};
	struct ts_list_reply rows;
	struct ts_get_reply got;
	char spec[80] = "id:", hex[TS_ID_HEX + 1];

	(void)state;
	give("user:1001 read p");
	as(&ada);
	must(test_list(&s, &list, &rows), &s.err);
	assert_int_equal(rows.n, 1);
	assert_true(ts_span_is(rows.rows[0].name, "p/a"));
	list.project = ts_span_str("q");
	must(test_list(&s, &list, &rows), &s.err);
	assert_int_equal(rows.n, 0);
	must(test_get(&s, "p/a", &got), &s.err);
	expect(test_get(&s, "q/secret", &got), TS_NOT_FOUND, "ada may not read the project q");
	/* Whether a name exists there makes no difference, except for the name itself. */
	expect(test_get(&s, "q/sacred", &got), TS_NOT_FOUND, "nothing is named q/sacred; ada may not read the project q");
	strcpy(spec + 3, ts_id_hex(&other, hex));
	expect(test_get(&s, spec, &got), TS_NOT_FOUND, "nothing is named");
	spec[3 + 12] = 0;
	expect(test_get(&s, spec, &got), TS_NOT_FOUND, "nothing is named");
	strcpy(spec + 3, ts_id_hex(&first, hex));
	must(test_get(&s, spec, &got), &s.err);
	s.channel = mine;
	strcpy(spec + 3, ts_id_hex(&other, hex));
	must(test_get(&s, spec, &got), &s.err);
}

static struct ts_engine_ops counted_ops;
static const struct ts_engine_ops *real_ops;
static unsigned looks, ref_looks;

static enum ts_status count_heads(struct ts_engine *e, struct ts_span project, struct ts_span hex, size_t limit, struct ts_arena *arena,
				  struct ts_id **ret, size_t *ret_n, struct ts_error *err)
{
	looks++;
	return real_ops->heads_find(e, project, hex, limit, arena, ret, ret_n, err);
}

static enum ts_status count_refs(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena, struct ts_ref **ret,
				 size_t *ret_n, struct ts_span *ret_next, struct ts_error *err)
{
	ref_looks++;
	return real_ops->ref_list(e, query, arena, ret, ret_n, ret_next, err);
}

static enum ts_status count_prefixes(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit, struct ts_arena *arena,
				     struct ts_id **ret, size_t *ret_n, struct ts_error *err)
{
	ref_looks++;
	return real_ops->find_prefix(e, kind, hex, limit, arena, ret, ret_n, err);
}

/* How often the store was asked, and what was answered, for one id. */
static size_t reduced(uint64_t from, uint32_t version, const struct ts_id *ids, size_t n, struct ts_reduce_reply *ret)
{
	struct ts_reduce_request request = {.from = from, .analysis_version = version, .ids = (struct ts_id *)(uintptr_t)ids, .n = n,
					    .metric = ts_span_str("step_time")};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;
	struct ts_span reply;

	must(ts_wire_pack_reduce_request(&request, &buf, &s.err), &s.err);
	status = test_call(&s, "ReduceRuns", &buf, &reply);
	ts_buf_finish(&buf);
	if (status)
		return SIZE_MAX;
	must(ts_wire_unpack_reduce_reply(reply, &s.arena, ret, &s.err), &s.err);
	return ret->n;
}

/* Members ask for runs by their ids alone. What the caller may not read, or is not there, is left out. */
static void only_readable_runs_are_reduced(void **state)
{
	const struct ts_id ids[] = {other, {{7}}, first};
	struct ts_reduce_reply reply;

	(void)state;
	give("user:1001 read p");
	as(&ada);
	assert_int_equal(reduced(1, TS_ANALYSIS_VERSION, ids, 3, &reply), 1);
	assert_memory_equal(&reply.runs[0].id, &first, sizeof first);
	assert_false(reply.self);
	assert_int_equal(reduced(1, TS_ANALYSIS_VERSION + 1, ids, 3, &reply), SIZE_MAX);
	expect(s.err.status, TS_UNSUPPORTED, "analysis version");
}

static void ask_for_id(const struct ts_id *id, unsigned ret[2], char text[TS_ERROR_TEXT])
{
	char spec[80] = "id:", hex[TS_ID_HEX + 1];
	struct ts_get_reply got;

	looks = ref_looks = 0;
	strcpy(spec + 3, ts_id_hex(id, hex));
	assert_int_equal(test_get(&s, spec, &got), TS_NOT_FOUND);
	memset(strstr(s.err.text, hex), 'x', TS_ID_HEX);
	strcpy(text, s.err.text);
	ret[0] = looks;
	ret[1] = ref_looks;
}

/* What is in another project costs what is nowhere: the same questions to the store, none of which is about that project or a walk over
 * names, and the same text. */
static void what_is_hidden_costs_what_is_absent(void **state)
{
	char hidden_text[TS_ERROR_TEXT], absent_text[TS_ERROR_TEXT];
	unsigned hidden[2], absent[2];
	struct ts_id nobodys = other;

	(void)state;
	give("user:1001 read p");
	give("user:1001 push r");
	as(&ada);
	nobodys.bytes[0] ^= 1;
	real_ops = s.engine->ops;
	counted_ops = *real_ops;
	counted_ops.heads_find = count_heads;
	counted_ops.ref_list = count_refs;
	counted_ops.find_prefix = count_prefixes;
	s.engine->ops = &counted_ops;
	ask_for_id(&other, hidden, hidden_text);
	ask_for_id(&nobodys, absent, absent_text);
	s.engine->ops = real_ops;
	assert_string_equal(hidden_text, absent_text);
	assert_int_equal(hidden[0], 2); /* its two projects */
	assert_int_equal(absent[0], 2);
	assert_int_equal(hidden[1], absent[1]);
}

/* A run that is named in two projects shows the names of one, and is found while the log of a readable name has it. */
static void an_id_is_found_through_a_readable_name(void **state)
{
	struct ts_commit_request force = {.name = ts_span_str("p/b"), .head = second, .force = true};
	struct ts_commit_reply reply;
	struct ts_get_reply got;
	char spec[80] = "id:", hex[TS_ID_HEX + 1];

	(void)state;
	give("user:1001 read p");
	must_commit(&s, "p/b", other);
	strcpy(spec + 3, ts_id_hex(&other, hex));
	as(&ada);
	must(test_get(&s, spec, &got), &s.err);
	assert_int_equal(got.n_names, 1);
	assert_true(ts_span_is(got.names[0].name, "p/b"));
	s.channel = mine;
	must(test_commit(&s, &force, &reply), &s.err);
	as(&ada);
	must(test_get(&s, spec, &got), &s.err); /* it is in the log of p/b */
	assert_int_equal(got.n_names, 0);
}

static enum ts_status fetch(struct ts_objects_request request)
{
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span reply;
	enum ts_status status;

	must(ts_wire_pack_objects_request(&request, &buf, &s.err), &s.err);
	status = test_call(&s, "GetObjects", &buf, &reply);
	ts_buf_finish(&buf);
	return status;
}

static struct ts_id index_of(const struct ts_id *head_id)
{
	struct ts_sealed sealed;
	struct ts_span object;
	struct ts_head head;

	must(s.engine->ops->get(s.engine, head_id, &s.arena, &sealed, &s.err), &s.err);
	must(ts_unseal(&sealed, &s.arena, &object, &s.err), &s.err);
	must(ts_head_decode(object, &s.arena, &head, &s.err), &s.err);
	return head.ranks[0].index;
}

/* A head of one rank with this index. */
static struct ts_sealed head_of(const struct ts_id *index)
{
	struct ts_rank_ref rank = {.rank = 0, .index = *index};
	struct ts_head head = {.ranks = &rank, .n_ranks = 1};
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_sealed sealed;
	struct ts_span copy;

	must(ts_head_digest_groups(&head, &s.err), &s.err);
	must(ts_head_encode(&head, &object, &s.err), &s.err);
	copy = ts_arena_span(&s.arena, ts_buf_view(&object));
	ts_buf_finish(&object);
	must(test_seal_bytes(copy, &s.arena, &sealed, &s.err), &s.err);
	return sealed;
}

static enum ts_status send(const struct ts_sealed *objects, size_t n, struct ts_put_stats *ret)
{
	struct ts_put_request request = {(struct ts_sealed *)(uintptr_t)objects, n};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;
	struct ts_span reply;

	must(ts_wire_pack_put_request(&request, &buf, &s.err), &s.err);
	status = test_call(&s, "PutObjects", &buf, &reply);
	ts_buf_finish(&buf);
	return status ? status : ts_wire_unpack_put_reply(reply, &s.arena, ret, &s.err);
}

static void objects_of_others_are_not_sent(void **state)
{
	struct ts_id own = index_of(&first), theirs = index_of(&other), heads[] = {first, other};

	(void)state;
	give("user:1001 read p");
	as(&ada);
	must(fetch((struct ts_objects_request){.ids = &first, .n = 1}), &s.err);
	must(fetch((struct ts_objects_request){.ids = &own, .n = 1, .heads = heads, .n_heads = 1}), &s.err);
	must(fetch((struct ts_objects_request){.ids = &own, .n = 1}), &s.err); /* a name of p reaches it */
	expect(fetch((struct ts_objects_request){.ids = &theirs, .n = 1}), TS_NOT_FOUND, "may not read");
	expect(fetch((struct ts_objects_request){.ids = &other, .n = 1}), TS_NOT_FOUND, "may not read");
	expect(fetch((struct ts_objects_request){.ids = &other, .n = 1, .heads = heads, .n_heads = 2}), TS_NOT_FOUND, "may not read");
	expect(fetch((struct ts_objects_request){.ids = &theirs, .n = 1, .heads = heads, .n_heads = 2}), TS_NOT_FOUND, "may not read");
}

/* To know the id of a run is not to have it: else a push of the id alone would make another project's run readable. */
static void an_id_cannot_be_pushed(void **state)
{
	struct ts_commit_request commit = {.name = ts_span_str("p/stolen"), .head = other};
	struct ts_has_request has = {.ids = &other, .n = 1};
	struct ts_ref_request move = {.kind = TS_REF_RUN, .name = ts_span_str("p/stolen")};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_commit_reply reply;
	struct ts_has_reply missing;
	struct ts_ref_reply moved;
	struct ts_put_stats sent;
	struct ts_sealed sealed;
	struct ts_span bytes;
	char spec[80] = "id:", hex[TS_ID_HEX + 1];

	(void)state;
	give("user:1001 push p");
	as(&ada);
	expect(test_commit(&s, &commit, &reply), TS_NOT_FOUND, "its objects must be sent first");
	strcpy(spec + 3, ts_id_hex(&other, hex));
	move.target = ts_span_str(spec);
	expect(test_update(&s, &move, &moved), TS_NOT_FOUND, "nothing is named");
	must(ts_wire_pack_has_request(&has, &buf, &s.err), &s.err);
	must(test_call(&s, "HasObjects", &buf, &bytes), &s.err);
	must(ts_wire_unpack_has_reply(bytes, &s.arena, &missing, &s.err), &s.err);
	assert_int_equal(missing.n, 1);
	ts_buf_finish(&buf);
	/* To have a head is not to have what it names. */
	must(s.engine->ops->get(s.engine, &other, &s.arena, &sealed, &s.err), &s.err);
	must(send(&sealed, 1, &sent), &s.err);
	assert_int_equal(sent.new_objects, 1); /* as if nobody had it */
	expect(test_commit(&s, &commit, &reply), TS_NOT_FOUND, "it must be sent first");
	/* Whoever has the run can send it. */
	test_caller_sends(&ada, &other);
	must(test_commit(&s, &commit, &reply), &s.err);
}

/* A run of one's own that names blocks of another's: neither a name nor an id makes them readable, before or after it is sent. */
static void blocks_of_others_cannot_be_put_into_a_run(void **state)
{
	struct ts_commit_request commit = {.name = ts_span_str("p/graft")};
	struct ts_id theirs = index_of(&other), fake = theirs;
	struct ts_commit_reply reply;
	struct ts_get_reply got;
	struct ts_put_stats sent;
	char hidden[TS_ERROR_TEXT], spec[80] = "id:", hex[TS_ID_HEX + 1];

	(void)state;
	give("user:1001 push p");
	as(&ada);
	fake.bytes[0] ^= 1;
	for (int absent = 0; absent < 2; absent++) {
		struct ts_sealed head = head_of(absent ? &fake : &theirs);
		struct ts_id *named = absent ? &fake : &theirs;

		must(send(&head, 1, &sent), &s.err);
		commit.head = head.id;
		expect(test_commit(&s, &commit, &reply), TS_NOT_FOUND, "it must be sent first");
		memset(strstr(s.err.text, ts_id_hex(named, hex)), 'x', TS_ID_HEX);
		if (absent)
			assert_string_equal(s.err.text, hidden);
		strcpy(hidden, s.err.text);
		strcpy(spec + 3, ts_id_hex(&head.id, hex));
		expect(test_get(&s, spec, &got), TS_NOT_FOUND, "nothing is named");
		expect(fetch((struct ts_objects_request){.ids = named, .n = 1, .heads = &head.id, .n_heads = 1}), TS_NOT_FOUND,
		       "may not read");
	}
}

static size_t missing(struct ts_id *ids, size_t n)
{
	struct ts_has_request has = {.ids = ids, .n = n};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_has_reply reply;
	struct ts_span bytes;

	must(ts_wire_pack_has_request(&has, &buf, &s.err), &s.err);
	must(test_call(&s, "HasObjects", &buf, &bytes), &s.err);
	must(ts_wire_unpack_has_reply(bytes, &s.arena, &reply, &s.err), &s.err);
	ts_buf_finish(&buf);
	return reply.n;
}

/* What another project has is missing to a push, and its lease is not renewed; what is sent counts as new, whoever else has it. */
static void blocks_of_others_are_missing_until_they_are_sent(void **state)
{
	struct ts_id ids[] = {index_of(&first), index_of(&other)};
	struct ts_sealed sealed;
	struct ts_put_stats sent;
	int64_t others;

	(void)state;
	give("user:1001 push p");
	as(&ada);
	test_age(s.engine, &ids[0], TS_LEASE_SECONDS);
	test_age(s.engine, &ids[1], TS_LEASE_SECONDS);
	others = test_lease(s.engine, &ids[1]);
	assert_int_equal(missing(ids, 2), 1);
	assert_in_range(test_lease(s.engine, &ids[0]), ts_now_real_ns() - 60000000000, ts_now_real_ns());
	assert_int_equal(test_lease(s.engine, &ids[1]), others);
	must(s.engine->ops->get(s.engine, &ids[1], &s.arena, &sealed, &s.err), &s.err);
	must(send(&sealed, 1, &sent), &s.err);
	assert_int_equal(sent.new_objects, 1);
	assert_int_equal(missing(ids, 2), 0);
	must(send(&sealed, 1, &sent), &s.err);
	assert_int_equal(sent.new_objects, 0);
	give("user:1002 push p");
	as(&bob);
	assert_int_equal(missing(ids, 2), 1); /* what ada sent, bob has not */
}

/* Ages both indexes, asks for them as ada, and tells of which the lease was renewed: 1 of p, 2 of q, 3 of both. */
static int renewed(const char *grant, const char *more, size_t n_missing)
{
	struct ts_id ids[] = {index_of(&first), index_of(&other)};
	int ret = 0;

	policy.n_grants = 0;
	give(grant);
	if (more)
		give(more);
	as(&ada);
	for (int i = 0; i < 2; i++)
		test_age(s.engine, &ids[i], TS_LEASE_SECONDS);
	assert_int_equal(missing(ids, 2), n_missing);
	for (int i = 0; i < 2; i++)
		ret |= (test_lease(s.engine, &ids[i]) > ts_now_real_ns() - 60000000000) << i;
	return ret;
}

/* A lease keeps an object from gc, so to renew one is to write. */
static void leases_are_renewed_by_who_may_write_alone(void **state)
{
	(void)state;
	assert_int_equal(renewed("user:1001 read p", NULL, 1), 0);
	assert_int_equal(renewed("user:1001 read *", NULL, 0), 0);
	assert_int_equal(renewed("user:1001 push p", NULL, 1), 1);
	assert_int_equal(renewed("user:1001 push p", "user:1001 read q", 0), 1);
	assert_int_equal(renewed("user:1001 push p", "user:1001 read *", 0), 1);
	assert_int_equal(renewed("user:1001 read p", "user:1001 push q", 0), 2);
	assert_int_equal(renewed("user:1001 push *", NULL, 0), 3);
	assert_int_equal(renewed("user:1001 push r", "user:1001 read *", 0), 0);
}

/* ---- names of others ---- */

static struct ts_ref_request moving(enum ts_ref_kind kind, const char *name, const char *target, bool force)
{
	return (struct ts_ref_request){
		.kind = kind, .name = ts_span_str(name), .target = ts_span_str(target ? target : ""), .force = force,
		.remove = !target};
}

static enum ts_status update(struct ts_ref_request request)
{
	struct ts_ref_reply reply;

	return test_update(&s, &request, &reply);
}

static enum ts_status push(const char *name, struct ts_id id, bool force)
{
	struct ts_commit_request request = {.name = ts_span_str(name), .head = id, .force = force};
	struct ts_commit_reply reply;

	return test_commit(&s, &request, &reply);
}

static void a_name_is_its_makers(void **state)
{
	(void)state;
	give("user:1001 push p");
	give("user:1002 push p");
	must_commit(&s, "p/b", second);
	as(&ada);
	must(push("p/ada", first, false), &s.err);
	as(&bob);
	expect(push("p/ada", second, false), TS_CONFLICT, "use --force");
	expect(push("p/ada", second, true), TS_DENIED,
	       "run p/ada was made by ada; moving it by force needs the role maintain in the project p, and bob has only push");
	expect(update(moving(TS_REF_RUN, "p/ada", "p/b", true)), TS_DENIED, "was made by ada; moving it needs the role maintain");
	expect(update(moving(TS_REF_RUN, "p/ada", NULL, false)), TS_DENIED, "was made by ada; removing it needs the role maintain");
	as(&ada);
	must(push("p/ada", second, true), &s.err);
	must(update(moving(TS_REF_RUN, "p/ada", "p/a", true)), &s.err);
	must(update(moving(TS_REF_RUN, "p/ada", NULL, false)), &s.err);
	/* The name is free: whoever makes it again owns it. */
	as(&bob);
	must(push("p/ada", first, false), &s.err);
	as(&ada);
	expect(push("p/ada", second, true), TS_DENIED, "made by bob");
	give("user:1001 maintain p");
	as(&ada);
	must(push("p/ada", second, true), &s.err);
}

/* Who made a branch stays its owner when a policy took the first entry. */
static void a_pruned_branch_keeps_its_maker(void **state)
{
	struct ts_retired item = {.kind = TS_REF_BRANCH, .name = ts_span_str("p/dev"), .seq = 1, .id = first};
	struct ts_retire what = {.items = &item, .n = 1, .planned_ns = INT64_MAX, .now_ns = 1, .who = ts_span_str("policy")};
	enum ts_retire_outcome outcome;

	(void)state;
	give("user:1001 push p");
	give("user:1002 push p");
	must_commit(&s, "p/b", second);
	as(&ada);
	must(update(moving(TS_REF_BRANCH, "p/dev", "p/a", false)), &s.err);
	as(&bob);
	must(update(moving(TS_REF_BRANCH, "p/dev", "p/b", false)), &s.err);
	must(s.engine->ops->retire(s.engine, &what, &outcome, &s.err), &s.err);
	assert_int_equal(outcome, TS_RETIRED);
	expect(update(moving(TS_REF_BRANCH, "p/dev", NULL, false)), TS_DENIED, "was made by ada");
	as(&ada);
	must(update(moving(TS_REF_BRANCH, "p/dev", NULL, false)), &s.err);
}

static void tags_and_protected_branches_need_a_maintainer(void **state)
{
	struct ts_commit_request request = {.name = ts_span_str("p/ada"), .head = second, .branch = ts_span_str("p/main")};
	struct ts_commit_reply reply;

	(void)state;
	give("user:1001 push p");
	give("user:1002 maintain p");
	must_commit(&s, "p/b", second);
	as(&ada);
	expect(update(moving(TS_REF_TAG, "p/v1", "p/a", false)), TS_DENIED, "needs the role maintain in the project p");
	must(update(moving(TS_REF_BRANCH, "p/main", "p/a", false)), &s.err); /* it is new */
	must(test_commit(&s, &request, &reply), &s.err);		      /* a push appends to it */
	expect(update(moving(TS_REF_BRANCH, "p/main", "p/a", false)), TS_DENIED, "branch p/main is protected and moves by pushes only");
	must(update(moving(TS_REF_BRANCH, "p/topic", "p/a", false)), &s.err);
	must(update(moving(TS_REF_BRANCH, "p/topic", "p/ada", false)), &s.err);
	as(&bob);
	must(update(moving(TS_REF_TAG, "p/v1", "p/a", false)), &s.err);
	must(update(moving(TS_REF_TAG, "p/v1", "p/ada", true)), &s.err);
	must(update(moving(TS_REF_BRANCH, "p/main", "p/a", false)), &s.err);
	as(&ada);
	expect(update(moving(TS_REF_TAG, "p/v1", NULL, false)), TS_DENIED, "needs the role maintain");
	expect(update(moving(TS_REF_TAG, "p/v1", "p/a", true)), TS_DENIED, "needs the role maintain");
	expect(push("q/x", first, false), TS_DENIED, "needs the role push in the project q");
	expect(test_note(&s, "q/secret", "bad", "x"), TS_NOT_FOUND, "");
	must(test_note(&s, "p/ada", "bad", "x"), &s.err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_method_can_be_called_without_its_role, setup, teardown),
		cmocka_unit_test_setup_teardown(a_method_without_a_role_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(the_engine_of_a_call_is_guarded, setup, teardown),
		cmocka_unit_test_setup_teardown(each_operation_asks_for_its_role, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_of_one_project_sees_nothing_of_another, setup, teardown),
		cmocka_unit_test_setup_teardown(a_list_goes_on_behind_many_names_of_another_project, setup, teardown),
		cmocka_unit_test_setup_teardown(only_readable_runs_are_reduced, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_hidden_costs_what_is_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(an_id_is_found_through_a_readable_name, setup, teardown),
		cmocka_unit_test_setup_teardown(objects_of_others_are_not_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(an_id_cannot_be_pushed, setup, teardown),
		cmocka_unit_test_setup_teardown(blocks_of_others_cannot_be_put_into_a_run, setup, teardown),
		cmocka_unit_test_setup_teardown(leases_are_renewed_by_who_may_write_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(blocks_of_others_are_missing_until_they_are_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(a_name_is_its_makers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_pruned_branch_keeps_its_maker, setup, teardown),
		cmocka_unit_test_setup_teardown(tags_and_protected_branches_need_a_maintainer, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
