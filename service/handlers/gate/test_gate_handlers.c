/* test_gate_handlers.c - Gate and Baseline on runs whose step time is a fact (config.time, which is no part of the key here): which
 * runs become candidates, baselines, history and pairs, and why the others do not. How runs are reduced, and how they are judged,
 * are other tests'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "run/builder.h"
#include "run/head.h"
#include "service/handlers/core/test_caller.h"
#include "service/handlers/gate/gate_subject.h"

#include <math.h>
#include <stdio.h>

static struct test_store s;
static struct ts_id index_id; /* of the one rank that every run has */
static struct test_caller *acting; /* who calls; NULL: somebody who may do everything */

/* The linker takes this function instead of the one that reads columns. */
enum ts_status ts_reduce_expect(const struct ts_run *run, struct ts_error *err)
{
	(void)run;
	(void)err;
	return TS_OK;
}

enum ts_status ts_reduce_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy,
			     struct ts_arena *arena, struct ts_gate_run *ret_run, struct ts_error *err)
{
	const struct ts_fact *time, *tokens;
	struct ts_facts facts;

	if (ts_gate_subject_facts(f, id, arena, &facts, err) ||
	    ts_workload_of(&facts, policy->ignore, arena, &ret_run->workload, err))
		return err->status;
	time = ts_facts_find(&facts, ts_span_str("config.time"));
	ret_run->reduction.accumulation = 1;
	ret_run->reduction.time_source = ts_span_str("timestamps");
	for (size_t m = 0; m < TS_METRICS; m++)
		ret_run->reduction.metrics[m].reason = ts_span_str("not here");
	ret_run->reduction.metrics[TS_METRIC_STEP_TIME] = (struct ts_reduced){.known = true, .value = time->real};
	tokens = ts_facts_find(&facts, ts_span_str("config.tokens"));
	if (tokens)
		ret_run->reduction.metrics[TS_METRIC_TOKENS_PER_S_DEVICE] =
			(struct ts_reduced){.known = true, .value = tokens->real / time->real};
	return TS_OK;
}

static enum ts_status put(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_sealed sealed = test_seal(&s, object);
	struct ts_put_stats stats;

	(void)ctx, (void)id;
	return s.engine->ops->put_many(s.engine, &sealed, 1, &stats, err);
}

static int setup(void **state)
{
	static const struct ts_facts none;
	struct ts_builder *b;
	uint32_t loss;

	(void)state;
	test_store_open(&s);
	must(ts_builder_create(0, put, NULL, &b, &s.err), &s.err);
	must(ts_builder_column(b, ts_span_str("scalars.loss"), TS_COLUMN_F64, &loss, &s.err), &s.err);
	ts_builder_row(b, TS_TABLE_STEPS, 0);
	ts_builder_f64(b, loss, 1);
	must(ts_builder_row_end(b, &s.err), &s.err);
	must(ts_builder_finish(b, &none, &index_id, &s.err), &s.err);
	ts_builder_destroy(b);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

struct said {
	double time;
	const char *commit, *session, *patch, *ancestors;
	int started;
	double lr;
	double tokens; /* of a step; 0: not recorded */
	const char *model, *dtype;
};

static void add(struct ts_facts *facts, const char *path, struct ts_fact fact)
{
	fact.path = ts_span_str(path);
	fact.source = TS_SOURCE_HOST;
	must(ts_facts_add(facts, &fact, &s.arena, &s.err), &s.err);
}

static void add_text(struct ts_facts *facts, const char *path, const char *text)
{
	if (text)
		add(facts, path, (struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str(text)});
}

/* Pushes a run under "p/NAME", and onto "p/main" if branch. */
static struct ts_id push(const char *name, struct said said, bool branch)
{
	struct ts_rank_ref rank = {0, index_id};
	struct ts_head head = {.ranks = &rank, .n_ranks = 1};
	struct ts_buf object = TS_BUF_INIT(TS_HEAD_MAX);
	struct ts_commit_request request = {.name = ts_span_str(ts_arena_printf(&s.arena, "p/%s", name))};
	struct ts_commit_reply reply;

	add(&head.facts, "config.time", (struct ts_fact){.type = TS_FACT_FLOAT, .real = said.time});
	add(&head.facts, "config.lr", (struct ts_fact){.type = TS_FACT_FLOAT, .real = said.lr != 0 ? said.lr : 0.001});
	if (said.tokens > 0)
		add(&head.facts, "config.tokens", (struct ts_fact){.type = TS_FACT_FLOAT, .real = said.tokens});
	add_text(&head.facts, "config.model", said.model);
	add_text(&head.facts, "work.dtype", said.dtype);
	add_text(&head.facts, "code.commit", said.commit);
	add_text(&head.facts, "code.patch_sha256", said.patch);
	add_text(&head.facts, "code.ancestors", said.ancestors);
	add_text(&head.facts, "session.host", said.session);
	if (said.patch)
		add(&head.facts, "code.dirty", (struct ts_fact){.type = TS_FACT_BOOL, .boolean = true});
	add(&head.facts, "session.started",
	    (struct ts_fact){.type = TS_FACT_INT, .integer = 1700000000 + said.started});
	(void)ts_facts_sort(&head.facts);
	must(ts_head_digest_groups(&head, &s.err), &s.err);
	must(ts_head_encode(&head, &object, &s.err), &s.err);
	ts_digest(ts_buf_view(&object), &request.head);
	must(put(NULL, &request.head, ts_buf_view(&object), &s.err), &s.err);
	ts_buf_finish(&object);
	if (acting)
		test_caller_sends(acting, &request.head);
	if (branch)
		request.branch = ts_span_str("p/main");
	must(test_commit(&s, &request, &reply), &s.err);
	return request.head;
}

/* Pushes n runs m<first>..., each with its own commit and machine, with times within 0.2 % of time. */
static void push_branch(int first, int n, double time, double lr)
{
	for (int i = first; i < first + n; i++)
		push(ts_arena_printf(&s.arena, "m%d", i),
		     (struct said){.time = time * (1 + 0.002 * ((i * 7 % 5) - 2) / 2.0),
				   .commit = ts_arena_printf(&s.arena, "c%d", i),
				   .session = ts_arena_printf(&s.arena, "h%d", i),
				   .started = i,
				   .lr = lr},
		     true);
}

/* The time is not part of the key. */
static struct ts_policy_item items[] = {
	{.code = {(const uint8_t *)"GATE", 4},
	 .threshold = {(const uint8_t *)"ignore", 6},
	 .text = {(const uint8_t *)"config.time", 11}},
};

static enum ts_status ask(const char *method, struct ts_gate_request *request, struct ts_span *ret_reply)
{
	struct ts_buf packed = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	request->policy = (struct ts_policy){items, 1};
	must(ts_wire_pack_gate_request(request, &packed, &s.err), &s.err);
	status = test_call(&s, method, &packed, ret_reply);
	ts_buf_finish(&packed);
	return status;
}

/* Without a candidate (NULL), the method is Baseline. */
static struct ts_gate_input baselines_of(const char *candidate)
{
	struct ts_span specs[] = {ts_span_str("branch:p/main"), ts_span_str(candidate ? candidate : "")}, reply;
	struct ts_gate_request request = {
		.baselines = specs, .n_baselines = 1, .candidates = &specs[1], .n_candidates = candidate != NULL};
	struct ts_gate_input in;

	must(ask("Baseline", &request, &reply), &s.err);
	must(ts_wire_unpack_gate_input(reply, &s.arena, &in, &s.err), &s.err);
	return in;
}

static enum ts_status gate(const char *candidate, const char *pairs[], size_t n_pairs, struct ts_verdict *ret)
{
	struct ts_span specs[] = {ts_span_str("branch:p/main"), ts_span_str(candidate)}, more[16], reply;
	struct ts_gate_request request = {
		.baselines = specs, .n_baselines = 1, .candidates = &specs[1], .n_candidates = 1};

	for (size_t i = 0; i < n_pairs; i++)
		more[i] = ts_span_str(pairs[i]);
	request.pairs = more;
	request.n_pairs = n_pairs;
	if (ask("Gate", &request, &reply))
		return s.err.status;
	must(ts_wire_unpack_gate_reply(reply, &s.arena, ret, &s.err), &s.err);
	return TS_OK;
}

/* Lists the names of the runs of a role, in order, with their group where it is not 0: "p/m3 p/m2/1". */
static const char *roles(const struct ts_gate_input *in, enum ts_gate_role role)
{
	const char *text = "";

	for (size_t i = 0; i < in->n_runs; i++) {
		const struct ts_gate_run *run = &in->runs[i];
		struct ts_span name = run->name;

		if (run->role != role)
			continue;
		assert_true(name.len > 2);
		text = ts_arena_printf(&s.arena, "%s%s%.*s", text, *text ? " " : "", (int)name.len - 2,
				       (const char *)name.data + 2);
		if (run->group)
			text = ts_arena_printf(&s.arena, "%s/%u", text, (unsigned)run->group);
	}
	return text;
}

static const char *why_not(const struct ts_gate_input *in, const char *name)
{
	for (size_t i = 0; i < in->n_passed_over; i++)
		if (ts_span_is(in->passed_over[i].name, name))
			return ts_arena_printf(&s.arena, "%.*s", TS_SPAN_ARG(in->passed_over[i].reason));
	return "";
}

/* The newest 20 runs are baselines; older runs are history of the same level. */
static void the_newest_count(void **state)
{
	struct ts_gate_input in;

	(void)state;
	push_branch(1, 23, 0.1, 0);
	in = baselines_of(NULL);
	assert_string_equal(roles(&in, TS_GATE_BASELINE),
			    "m23 m22 m21 m20 m19 m18 m17 m16 m15 m14 m13 m12 m11 m10 m9 m8 m7 m6 m5 m4");
	assert_string_equal(roles(&in, TS_GATE_HISTORY), "m3/1 m2/1 m1/1");
	assert_string_equal(why_not(&in, "p/m3"), "it is older than the newest 20 baselines");
	assert_true(ts_span_is(in.sentence, "20 runs of main"));
	assert_true(ts_span_is(in.baseline, "main"));
}

static void prune(uint64_t first, uint64_t last)
{
	struct ts_retired gone[64];
	enum ts_retire_outcome outcomes[64];
	struct ts_retire what = {.items = gone, .planned_ns = INT64_MAX, .now_ns = INT64_C(1790000000000000000)};
	struct ts_log_entry *log;
	size_t n;

	must(s.engine->ops->ref_log(s.engine, TS_REF_BRANCH, ts_span_str("p/main"), 0, &s.arena, &log, &n, &s.err), &s.err);
	for (size_t i = 0; i < n; i++)
		if (log[i].seq >= first && log[i].seq <= last)
			gone[what.n++] = (struct ts_retired){TS_REF_BRANCH, ts_span_str("p/main"), log[i].seq, log[i].id};
	must(s.engine->ops->retire(s.engine, &what, outcomes, &s.err), &s.err);
	for (size_t i = 0; i < what.n; i++)
		assert_int_equal(outcomes[i], TS_RETIRED);
}

/* A branch that lost entries to a policy is no young branch. */
static void few_baselines_of_a_pruned_branch_say_so(void **state)
{
	struct ts_gate_input in;

	(void)state;
	push_branch(1, 30, 0.1, 0);
	prune(1, 5);
	in = baselines_of(NULL);
	assert_true(ts_span_is(in.sentence, "20 runs of main"));
	prune(6, 26);
	in = baselines_of(NULL);
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m30 m29 m28 m27");
	assert_string_equal(roles(&in, TS_GATE_HISTORY), "");
	/* date -u -d @1790000000 */
	assert_true(ts_span_is(in.sentence, "4 runs of main; 26 older entries of the branch were pruned, the last on 2026-09-21"));
}

/* ---- who may decide: ci maintains, bob pushes ---- */

static struct ts_grant grants[2];
static struct ts_span protected_names[] = {{(const uint8_t *)"main", 4}};
static struct ts_auth_policy roles_of = {.grants = grants, .n_grants = 2, .uid = 999, .protected = {protected_names, 1}};
static struct test_caller ci, bob;

static void as(const char *who)
{
	must(ts_grant_parse(ts_span_str("user:1 maintain p"), &grants[0], &s.err), &s.err);
	must(ts_grant_parse(ts_span_str("user:2 push p"), &grants[1], &s.err), &s.err);
	test_caller_make(&ci, &s, &roles_of, 1, "ci");
	test_caller_make(&bob, &s, &roles_of, 2, "bob");
	acting = *who == 'c' ? &ci : &bob;
	s.channel = &acting->base;
}

static void ends_with(const char *candidate, unsigned exit_code, const char *lost)
{
	struct ts_verdict v;

	must(gate(candidate, NULL, 0, &v), &s.err);
	if (v.exit_code != exit_code)
		fail_msg("exit %u, not %u: %.*s", v.exit_code, exit_code, TS_SPAN_ARG(v.sentence));
	if (!strstr(ts_arena_printf(&s.arena, "%.*s", TS_SPAN_ARG(v.input.lost)), lost))
		fail_msg("'%.*s' lacks '%s'", TS_SPAN_ARG(v.input.lost), lost);
}

/* A run that is slower by a fifth stays suspect, whatever somebody who only pushes does to the branch. */
static void who_pushes_turns_no_verdict_green(void **state)
{
	struct ts_ref_request remove = {.kind = TS_REF_RUN, .name = ts_span_str("p/new"), .remove = true};
	struct ts_channel *mine = s.channel;
	struct ts_ref_reply removed;
	struct ts_gate_input in;

	(void)state;
	as("ci");
	push_branch(1, 12, 0.1, 0);
	push("new", (struct said){.time = 0.12, .commit = "x", .session = "hx", .started = 50}, false);
	ends_with("p/new", 4, "");
	must(test_note(&s, "p/new", "state", "finished"), &s.err); /* as a push writes it */
	as("bob");
	for (int i = 0; i < 12; i++)
		push(ts_arena_printf(&s.arena, "evil%d", i),
		     (struct said){.time = 0.12, .commit = ts_arena_printf(&s.arena, "e%d", i),
				   .session = ts_arena_printf(&s.arena, "he%d", i), .started = 60 + i},
		     true);
	as("ci");
	ends_with("p/new", 4, "");
	in = baselines_of("p/new");
	assert_string_equal(why_not(&in, "p/evil3"),
			    "it was put on the branch after the candidate came, by bob, who did not maintain the project");
	/* Removed and pushed again, it is not younger. */
	must(test_update(&s, &remove, &removed), &s.err);
	push("new", (struct said){.time = 0.12, .commit = "x", .session = "hx", .started = 50}, false);
	ends_with("p/new", 4, "");
	/* Nor is another run of its commit, by whomever, once it is removed. */
	must(test_update(&s, &remove, &removed), &s.err);
	push("again", (struct said){.time = 0.12, .commit = "x", .session = "hw", .started = 95}, false);
	ends_with("p/again", 4, "");
	/* What was there before the candidate came counts, whoever put it there. */
	push("later", (struct said){.time = 0.12, .commit = "y", .session = "hy", .started = 90}, false);
	in = baselines_of("p/later");
	assert_int_equal(why_not(&in, "p/evil11")[0], 0);
	acting = NULL;
	s.channel = mine;
}

/* Whoever only pushes feeds no baselines to a candidate of his own, neither before it nor after it. */
static void nobody_feeds_baselines_to_a_candidate_of_his_own(void **state)
{
	struct ts_channel *mine = s.channel;
	struct ts_gate_input in;
	struct ts_verdict v;

	(void)state;
	as("ci");
	push_branch(1, 12, 0.1, 0);
	as("bob");
	for (int i = 0; i < 12; i++)
		push(ts_arena_printf(&s.arena, "slow%d", i),
		     (struct said){.time = 0.12, .commit = ts_arena_printf(&s.arena, "e%d", i),
				   .session = ts_arena_printf(&s.arena, "he%d", i), .started = 60 + i},
		     true);
	push("new", (struct said){.time = 0.12, .commit = "x", .session = "hx", .started = 90}, false);
	ends_with("p/new", 4, "");
	in = baselines_of("p/new");
	assert_string_equal(why_not(&in, "p/slow11"),
			    "it was put on the branch by bob, who pushed the candidate, too, and did not maintain the project");
	assert_int_equal(why_not(&in, "p/m12")[0], 0);
	must(gate("p/new", NULL, 0, &v), &s.err);
	assert_non_null(strstr(ts_arena_printf(&s.arena, "%.*s", TS_SPAN_ARG(v.input.sentence)),
			       "; 12 more do not count, because bob, "));
	/* Of a candidate that somebody else pushed they are baselines. */
	as("ci");
	push("other", (struct said){.time = 0.12, .commit = "z", .session = "hz", .started = 95}, false);
	in = baselines_of("p/other");
	assert_int_equal(why_not(&in, "p/slow11")[0], 0);
	acting = NULL;
	s.channel = mine;
}

/* Where one alone feeds a branch, there is nobody else to go by. */
static void whoever_alone_feeds_a_branch_is_its_baseline(void **state)
{
	struct ts_channel *mine = s.channel;
	struct ts_gate_input in;

	(void)state;
	as("bob");
	push_branch(1, 9, 0.1, 0);
	push("new", (struct said){.time = 0.1, .commit = "x", .session = "hx", .started = 50}, false);
	ends_with("p/new", 0, "");
	in = baselines_of("p/new");
	assert_int_equal(why_not(&in, "p/m9")[0], 0);
	acting = NULL;
	s.channel = mine;
}

/* Baselines that are marked when the candidate is there are lost: by a maintainer, unless too few are left. */
static void lost_baselines_are_said(void **state)
{
	struct ts_channel *mine = s.channel;

	(void)state;
	as("ci");
	push_branch(1, 9, 0.1, 0);
	as("bob");
	push_branch(10, 3, 0.1, 0);
	must(test_note(&s, "p/m10", "bad", "before"), &s.err);
	as("ci");
	push("new", (struct said){.time = 0.1, .commit = "x", .session = "hx", .started = 50}, false);
	ends_with("p/new", 0, "");
	as("bob");
	must(test_note(&s, "p/m11", "bad", "late"), &s.err);
	must(test_note(&s, "p/m12", "state", "running"), &s.err);
	as("ci");
	ends_with("p/new", 3, "2 baselines were marked since the candidate came, by bob, who did not maintain the project");
	must(test_note(&s, "p/m11", "bad", "so it is"), &s.err);
	must(test_note(&s, "p/m12", "bad", "this too"), &s.err);
	ends_with("p/new", 0, "");
	for (int i = 1; i < 8; i++)
		must(test_note(&s, ts_arena_printf(&s.arena, "p/m%d", i), "bad", "all"), &s.err);
	ends_with("p/new", 3, "9 baselines were marked since the candidate came, by bob and others, and too few are left");
	acting = NULL;
	s.channel = mine;
}

/* A mark stays with the entries of the branch when the name goes on to another run. */
static void a_mark_stays_with_the_entry(void **state)
{
	struct ts_commit_request force = {.name = ts_span_str("p/m2"), .force = true};
	struct ts_commit_reply reply;
	struct ts_gate_input in;

	(void)state;
	push_branch(1, 5, 0.1, 0);
	must(test_note(&s, "p/m2", "bad", "noisy"), &s.err);
	force.head = push("apart", (struct said){.time = 0.2, .commit = "z"}, false);
	must(test_commit(&s, &force, &reply), &s.err);
	in = baselines_of(NULL);
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m5 m4 m3 m1");
}

/* From the 31st run on, times are 5 % longer: a level of its own. */
static void levels_begin_at_changes(void **state)
{
	struct ts_gate_input in;

	(void)state;
	push_branch(1, 30, 0.1, 0);
	push_branch(31, 8, 0.105, 0);
	in = baselines_of(NULL);
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m38 m37 m36 m35 m34 m33 m32 m31");
	assert_true(ts_span_starts(in.sentence, ts_span_str("8 runs of main since step time rose by ")));
	assert_non_null(strstr(why_not(&in, "p/m30"), "before step time rose by "));
	assert_non_null(strstr(why_not(&in, "p/m30"), " at c31"));
	assert_true(ts_span_starts(ts_span_str(roles(&in, TS_GATE_HISTORY)), ts_span_str("m30/2 m29/2 ")));
	/* An accepted change begins a level too, even where a test of so few runs finds no change. */
	must(test_note(&s, "p/m37", "accepted", "meant"), &s.err);
	in = baselines_of(NULL);
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m38 m37");
	assert_true(ts_span_is(in.sentence, "2 runs of main since the change accepted at c37 (meant)"));
	assert_true(ts_span_starts(ts_span_str(roles(&in, TS_GATE_HISTORY)),
				   ts_span_str("m36/2 m35/2 m34/2 m33/2 m32/2 m31/2 m30/3 ")));
}

/* Other workloads of the branch show how far runs differ where there are too few runs of this workload. */
static void other_workloads_are_history(void **state)
{
	struct ts_gate_input in;

	(void)state;
	push_branch(1, 4, 0.2, 0.01);
	push_branch(5, 3, 0.1, 0);
	in = baselines_of(NULL);
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m7 m6 m5");
	assert_string_equal(roles(&in, TS_GATE_HISTORY), "m1/2 m2/2 m3/2 m4/2");
	assert_string_equal(why_not(&in, "p/m4"), "its config.lr is 0.01, and the newest run's is 0.001");
}

static void ancestors_and_commits(void **state)
{
	struct ts_gate_input in;

	(void)state;
	push_branch(1, 6, 0.1, 0);
	push("early", (struct said){.time = 0.1, .commit = "x", .ancestors = "c4\nc3\nc1"}, false);
	in = baselines_of("p/early");
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m4 m3 m1");
	assert_string_equal(why_not(&in, "p/m2"), "its commit is not an ancestor of the candidate's");
	/* A run of the candidate's own commit is no baseline; uncommitted changes over that commit make other code. */
	push("own", (struct said){.time = 0.1, .commit = "c5", .started = 100}, false);
	in = baselines_of("p/own");
	assert_string_equal(why_not(&in, "p/m5"), "it ran the candidate's own commit");
	push("dirty", (struct said){.time = 0.1, .commit = "c5", .patch = "aa"}, false);
	in = baselines_of("p/dirty");
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m6 m5 m4 m3 m2 m1");
	push("dirty2", (struct said){.time = 0.1, .commit = "c5", .patch = "aa", .started = 1}, true);
	push("dirty3", (struct said){.time = 0.1, .commit = "c5", .patch = "bb"}, true);
	in = baselines_of("p/dirty");
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "dirty3 m6 m5 m4 m3 m2 m1");
	assert_string_equal(why_not(&in, "p/dirty2"), "it ran the candidate's own commit");
}

/* Facts list at most 200 ancestors: a run before one of them counts as an ancestor, a run after none of them does not. */
static void a_list_of_ancestors_that_ends(void **state)
{
	struct ts_gate_input in;
	const char *list = "c4";

	(void)state;
	push_branch(1, 6, 0.1, 0);
	for (int i = 1; i < 200; i++)
		list = ts_arena_printf(&s.arena, "%s\nd%d", list, i);
	push("cut", (struct said){.time = 0.1, .commit = "x", .ancestors = list}, false);
	in = baselines_of("p/cut");
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m4 m3 m2 m1");
	assert_string_equal(why_not(&in, "p/m5"), "its commit is not an ancestor of the candidate's");
	push("lost", (struct said){.time = 0.1, .commit = "y", .ancestors = list + 3}, false);
	/* With one ancestor fewer, the list is not truncated: the branch was rewritten. */
	in = baselines_of("p/lost");
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m6 m5 m4 m3 m2 m1");
	assert_true(memmem(in.sentence.data, in.sentence.len, "the branch was rewritten since", 30) != NULL);
	list = ts_arena_printf(&s.arena, "%s\ne", list + 3);
	push("lost2", (struct said){.time = 0.1, .commit = "z", .ancestors = list}, false);
	in = baselines_of("p/lost2");
	assert_string_equal(roles(&in, TS_GATE_BASELINE), "m6 m5 m4 m3 m2 m1");
	assert_true(ts_span_is(
		in.sentence,
		"6 runs of main; the candidate lists none of them as an ancestor, so the gate cannot tell which are, and uses all"));
}

static void reruns_are_candidates(void **state)
{
	struct ts_verdict v;

	(void)state;
	push_branch(1, 4, 0.1, 0);
	push("a", (struct said){.time = 0.1, .commit = "x", .session = "s1"}, false);
	push("b", (struct said){.time = 0.12, .commit = "x", .session = "s2"}, false);
	push("c", (struct said){.time = 0.1, .commit = "x", .session = "s3"}, false);
	push("d", (struct said){.time = 0.1, .commit = "x", .session = "s4"}, false);
	push("e", (struct said){.time = 0.1, .commit = "x", .session = "s5", .lr = 0.5}, false);
	push("f", (struct said){.time = 0.1, .commit = "x", .session = "s6", .patch = "aa"}, false);
	must(test_note(&s, "p/c", "bad", "fan"), &s.err);
	must(test_note(&s, "p/d", "state", "running"), &s.err);
	must(gate("p/a", NULL, 0, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_CANDIDATE), "a b");
	assert_string_equal(why_not(&v.input, "p/c"), "it ran the candidate's commit, but it is marked bad: fan");
	assert_string_equal(why_not(&v.input, "p/d"), "it ran the candidate's commit, but it is still training");
	assert_int_equal(gate("p/c", NULL, 0, &v), TS_INVALID);
	assert_string_equal(s.err.text, "p/c is marked bad (fan); to gate it, remove the note with 'tscope note RUN bad='");
	assert_int_equal(gate("p/d", NULL, 0, &v), TS_INVALID);
	assert_string_equal(s.err.text, "p/d is still training; run the gate when it has finished");
}

/* A candidate always has another commit with other ancestors, so these do not count; the sixth run has the candidates' time. */
static void a_loss_names_facts_that_may_matter(void **state)
{
	struct ts_verdict v;

	(void)state;
	push_branch(2, 5, 0.1, 0);
	push("a", (struct said){.time = 0.1, .commit = "x", .ancestors = "c6\nc5", .session = "s1"}, false);
	push("b", (struct said){.time = 0.1, .commit = "y", .ancestors = "c6\nc5", .session = "s2", .patch = "aa"}, false);
	must(gate("p/a", NULL, 0, &v), &s.err);
	assert_true(ts_span_is(v.input.loss.sentence,
			       "Both runs computed the same, bit for bit: 1 series of the trajectory agrees over 1 "
			       "step"));
	must(gate("p/b", NULL, 0, &v), &s.err);
	assert_true(ts_span_is(v.input.loss.sentence,
			       "Both runs computed the same, bit for bit: 1 series of the trajectory agrees over 1 "
			       "step; 2 recorded facts differ: code.dirty and 1 more"));
}

/* The verdict says of a run that cannot be read that its workload is unknown. */
static void a_broken_run_beside(void **state)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_ref_update update = {.kind = TS_REF_RUN, .name = ts_span_str("p/broken"), .now_ns = 1};
	struct ts_verdict v;

	(void)state;
	push_branch(1, 4, 0.1, 0);
	push("a", (struct said){.time = 0.1, .commit = "x", .session = "s1"}, false);
	ts_chunk_encode(ts_span_str("no head"), &object);
	ts_digest(ts_buf_view(&object), &update.id);
	must(put(NULL, &update.id, ts_buf_view(&object), &s.err), &s.err);
	must(s.engine->ops->commit(s.engine, &update, 1, &s.arena, NULL, &s.err), &s.err);
	ts_buf_finish(&object);
	must(gate("p/a", NULL, 0, &v), &s.err);
	assert_int_equal(v.state, TS_GATE_PASS);
	assert_string_equal(why_not(&v.input, "p/broken"),
			    "it cannot be read, so it is not known whether it ran the candidate's commit");
}

/* Runs are paired by start within a session, whatever the order of the specs; a run without a partner does not count. */
static void pairs_by_session_and_start(void **state)
{
	static const char *pairs[] = {"p/y2", "p/x1", "p/b1", "p/x2", "p/b2", "p/z", "p/y1", "p/b3"};
	struct ts_verdict v;

	(void)state;
	push_branch(1, 4, 0.1, 0);
	push("a", (struct said){.time = 0.11, .commit = "x", .session = "s0"}, false);
	push("x1", (struct said){.time = 0.11, .commit = "x", .session = "s1", .started = 20}, false);
	push("x2", (struct said){.time = 0.11, .commit = "x", .session = "s1", .started = 40}, false);
	push("b1", (struct said){.time = 0.1, .commit = "c4", .session = "s1", .started = 10}, false);
	push("b2", (struct said){.time = 0.1, .commit = "c4", .session = "s1", .started = 30}, false);
	push("b3", (struct said){.time = 0.1, .commit = "c4", .session = "s1", .started = 50}, false);
	push("y1", (struct said){.time = 0.1, .commit = "c4", .session = "s2", .started = 5}, false);
	push("y2", (struct said){.time = 0.11, .commit = "x", .session = "s2", .started = 1}, false);
	push("z", (struct said){.time = 0.11, .commit = "x", .session = "s3"}, false);
	must(gate("p/a", pairs, 7, &v), &s.err);
	/* The digests decide whether session s2 of y comes before or after that of x: both orders are correct. */
	if (strstr(roles(&v.input, TS_GATE_PAIR_BASE), "y1/1")) {
		assert_string_equal(roles(&v.input, TS_GATE_PAIR_BASE), "y1/1 b1/2 b2/3");
		assert_string_equal(roles(&v.input, TS_GATE_PAIR_CANDIDATE), "y2/1 x1/2 x2/3");
	} else {
		assert_string_equal(roles(&v.input, TS_GATE_PAIR_BASE), "b1/1 b2/2 y1/3");
		assert_string_equal(roles(&v.input, TS_GATE_PAIR_CANDIDATE), "x1/1 x2/2 y2/3");
	}
	assert_string_equal(roles(&v.input, TS_GATE_CANDIDATE), "a");
	assert_string_equal(why_not(&v.input, "p/z"), "it was given for the pairs, but its session has no other run to pair it with");
	/* With one run more on one side, any of them may be the one too many. */
	must(gate("p/a", pairs, 8, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_PAIR_BASE), "y1/1");
	assert_string_equal(
		why_not(&v.input, "p/x1"),
		"it was given for the pairs, but its session has 3 of the base and 2 of the candidate, and their names do not say "
		"which belong together: give as many of both");
	/* Without a commit, it is unknown to which side a run belongs. */
	push("none", (struct said){.time = 0.1}, false);
	assert_int_equal(gate("p/none", pairs, 1, &v), TS_INVALID);
	assert_string_equal(s.err.text,
			    "the candidate records no commit, so it is not known which runs of the pairs are of the candidate");
}

static void nothing_comparable(void **state)
{
	struct ts_verdict v;

	(void)state;
	push_branch(1, 4, 0.1, 0);
	push("other", (struct said){.time = 0.1, .commit = "x", .lr = 0.5}, false);
	must(gate("p/other", NULL, 0, &v), &s.err);
	assert_int_equal(v.state, TS_GATE_INCONCLUSIVE);
	assert_int_equal(v.exit_code, 3);
	assert_true(ts_span_is(v.input.not_comparable,
			       "no baseline has the candidate's workload; the newest run does not match, because its config.lr is "
			       "0.001, and the candidate's is 0.5"));
	assert_int_equal(v.input.n_differences, 1);
	assert_true(ts_span_is(v.input.differences[0].path, "config.lr"));
}

/* Two different bundles each keep the settings with which they were made. */
static void bundles(void **state)
{
	struct ts_span specs[] = {ts_span_str("p/new")}, reply;
	struct ts_gate_request request = {.candidates = specs, .n_candidates = 1, .has_given = true};
	struct ts_verdict v;

	(void)state;
	push_branch(1, 5, 0.1, 0);
	push("new", (struct said){.time = 0.1, .commit = "c3", .started = 50}, false);
	request.given = baselines_of(NULL);
	must(ask("Gate", &request, &reply), &s.err);
	must(ts_wire_unpack_gate_reply(reply, &s.arena, &v, &s.err), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_BASELINE), "m5 m4 m2 m1");
	assert_string_equal(roles(&v.input, TS_GATE_CANDIDATE), "new m3");
	request.given.analysis_version++;
	assert_int_equal(ask("Gate", &request, &reply), TS_INVALID);
	assert_non_null(strstr(s.err.text, "the bundle was made by analysis version "));
	request.given.analysis_version--;
	request.given.policy.reduce.has_warmup = true;
	assert_int_equal(ask("Gate", &request, &reply), TS_INVALID);
	assert_non_null(strstr(s.err.text, "GATE.warmup"));
}

static void wrong_questions(void **state)
{
	struct ts_span specs[] = {ts_span_str("p/m1"), ts_span_str("p/m2"), ts_span_str("branch:p/main")}, reply;
	struct ts_gate_request request = {.candidates = specs, .n_candidates = 1};

	(void)state;
	push_branch(1, 3, 0.1, 0);
	assert_int_equal(ask("Gate", &request, &reply), TS_INVALID);
	assert_string_equal(s.err.text, "the request names no baseline: name a branch, runs, or a bundle");
	request.baselines = &specs[1];
	request.n_baselines = 2;
	assert_int_equal(ask("Gate", &request, &reply), TS_INVALID);
	assert_string_equal(s.err.text, "the branch p/main must be the only baseline: other baselines cannot be added to a branch");
	request.n_candidates = 0;
	assert_int_equal(ask("Gate", &request, &reply), TS_INVALID);
	assert_string_equal(s.err.text, "the request names no candidate");
	request.n_candidates = 2;
	request.n_baselines = 1;
	assert_int_equal(ask("Gate", &request, &reply), TS_INVALID);
	assert_string_equal(s.err.text, "p/m1 and p/m2 ran different commits; gate the runs of one commit at a time");
	assert_int_equal(ask("Baseline", &request, &reply), TS_INVALID);
	assert_string_equal(s.err.text, "the request names more than one run; baselines can be shown for one run at a time");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Pushes n runs of one model and number of tokens onto the branch. */
static void push_work(int first, int n, double time, double tokens, const char *model)
{
	for (int i = first; i < first + n; i++)
		push(ts_arena_printf(&s.arena, "m%d", i),
		     (struct said){.time = time * (1 + 0.002 * ((i * 7 % 5) - 2) / 2.0),
				   .commit = ts_arena_printf(&s.arena, "c%d", i),
				   .session = ts_arena_printf(&s.arena, "h%d", i),
				   .started = i,
				   .tokens = tokens,
				   .model = model,
				   .dtype = "bf16"},
		     true);
}

/* Of two other workloads the one that differs in fewer facts is compared, though the other one is newer. */
static void other_work_on_the_same_devices_stands_in(void **state)
{
	struct said candidate = {.time = 0.2, .commit = "cand", .session = "hc", .started = 50,
				 .tokens = 2000, .model = "a", .dtype = "bf16"};
	struct ts_verdict v;

	(void)state;
	push_work(0, 4, 0.1, 1000, "a");
	push_work(10, 4, 0.1, 1500, "b");
	push("cand", candidate, false);
	must(gate("p/cand", NULL, 0, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_BASELINE), "m3 m2 m1 m0");
	assert_true(v.rows[TS_METRIC_TOKENS_PER_S_DEVICE].gates && v.state == TS_GATE_PASS);
	assert_true(memmem(v.input.other_work.data, v.input.other_work.len, "config.tokens is 2000", 21) != NULL);
	assert_int_equal(v.input.not_comparable.len, 0);
}

static void another_dtype_does_not_stand_in(void **state)
{
	struct said candidate = {.time = 0.2, .commit = "cand", .session = "hc", .started = 50,
				 .tokens = 2000, .model = "a", .dtype = "fp8"};
	struct ts_verdict v;

	(void)state;
	push_work(0, 4, 0.1, 1000, "a");
	push("cand", candidate, false);
	must(gate("p/cand", NULL, 0, &v), &s.err);
	assert_true(v.state == TS_GATE_INCONCLUSIVE && v.input.other_work.len == 0 && v.input.not_comparable.len);
}

/* The base of a pair has the workload of the baselines. */
static void pairs_of_other_work_count(void **state)
{
	struct said candidate = {.time = 0.25, .commit = "cand", .session = "hc", .started = 50,
				 .tokens = 2000, .model = "a", .dtype = "bf16"};
	const char *pairs[] = {"p/b1", "p/x1", "p/b2", "p/x2"};
	struct said base = {.time = 0.1, .commit = "c3", .session = "hp", .started = 60,
				 .tokens = 1000, .model = "a", .dtype = "bf16"};
	struct ts_verdict v;

	(void)state;
	push_work(0, 4, 0.1, 1000, "a");
	push("cand", candidate, false);
	for (int k = 0; k < 2; k++) {
		base.started = k ? 64 : 61; /* the order ABBA */
		push(pairs[(size_t)(2 * k)] + 2, base, false);
		candidate.session = "hp";
		candidate.started = 62 + k;
		push(pairs[(size_t)(2 * k + 1)] + 2, candidate, false);
	}
	must(gate("p/cand", pairs, 4, &v), &s.err);
	assert_true(v.rows[TS_METRIC_TOKENS_PER_S_DEVICE].paired && v.state == TS_GATE_REGRESSION);
}

/* The branch was forced to other commits: none of its runs is an ancestor any more, and they count all the same. With three
 * ancestors or more, they do not. */
static void after_a_force_push_old_runs_count(void **state)
{
	struct said candidate = {.time = 0.1, .commit = "cand", .session = "hc", .started = 50, .ancestors = "n2\nn1\nn0"};
	struct ts_verdict v;

	(void)state;
	push_branch(1, 5, 0.1, 0);
	push("cand", candidate, false);
	must(gate("p/cand", NULL, 0, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_BASELINE), "m5 m4 m3 m2 m1");
	assert_true(memmem(v.input.sentence.data, v.input.sentence.len, "runs count that are no ancestors", 32) != NULL);
	assert_int_equal(v.state, TS_GATE_PASS);
	push("n1", (struct said){.time = 0.1, .commit = "n1", .session = "h11", .started = 11}, true);
	push("n2", (struct said){.time = 0.1, .commit = "n2", .session = "h12", .started = 12}, true);
	push("later", (struct said){.time = 0.1, .commit = "later", .session = "h13", .started = 13}, true);
	must(gate("p/cand", NULL, 0, &v), &s.err);
	/* What came onto the branch after the newest ancestor is no ancestor of a rewritten branch, but of none. */
	assert_string_equal(roles(&v.input, TS_GATE_BASELINE), "n2 n1 m5 m4 m3 m2 m1");
	push("n0", (struct said){.time = 0.1, .commit = "n0", .session = "h10", .started = 14}, true);
	must(gate("p/cand", NULL, 0, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_BASELINE), "n0 n2 n1");
}

/* The candidate is one of the runs of the pairs, and one run of the base is missing: the names still say who belongs together. */
static void pairs_keep_their_partners(void **state)
{
	struct said candidate = {.time = 0.2, .commit = "cand", .session = "hp"}, base = {.time = 0.1, .commit = "c3", .session = "hp"};
	const char *given[] = {"p/pair-x-1-candidate", "p/pair-x-2-base", "p/pair-x-2-candidate", "p/pair-x-3-base",
			       "p/pair-x-3-candidate"};
	struct ts_verdict v;

	(void)state;
	push_branch(1, 4, 0.1, 0);
	for (int i = 0; i < 5; i++) {
		struct said *said = i == 1 || i == 3 ? &base : &candidate;

		said->started = 60 + i;
		push(given[i] + 2, *said, false);
	}
	must(gate("p/pair-x-1-candidate", given, 5, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_PAIR_BASE), "pair-x-2-base/1 pair-x-3-base/2");
	assert_string_equal(roles(&v.input, TS_GATE_PAIR_CANDIDATE), "pair-x-2-candidate/1 pair-x-3-candidate/2");
	assert_string_equal(why_not(&v.input, "p/pair-x-1-candidate"),
			    "it was given for the pairs, but the run that its name belongs to was not, or lies in another session");
	/* With its base, the named candidate is in a pair. */
	base.started = 59;
	push("pair-x-1-base", base, false);
	must(gate("p/pair-x-1-candidate", (const char *[]){"p/pair-x-1-base", given[0], given[1], given[2]}, 4, &v), &s.err);
	assert_string_equal(roles(&v.input, TS_GATE_PAIR_CANDIDATE), "pair-x-1-candidate/1 pair-x-2-candidate/2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(after_a_force_push_old_runs_count, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_keep_their_partners, setup, teardown),
		cmocka_unit_test_setup_teardown(other_work_on_the_same_devices_stands_in, setup, teardown),
		cmocka_unit_test_setup_teardown(another_dtype_does_not_stand_in, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_of_other_work_count, setup, teardown),
		T(the_newest_count),
		T(few_baselines_of_a_pruned_branch_say_so),
		T(who_pushes_turns_no_verdict_green),
		T(nobody_feeds_baselines_to_a_candidate_of_his_own),
		T(whoever_alone_feeds_a_branch_is_its_baseline),
		T(lost_baselines_are_said),
		T(a_mark_stays_with_the_entry),
		T(levels_begin_at_changes),
		T(other_workloads_are_history),
		T(ancestors_and_commits),
		T(a_list_of_ancestors_that_ends),
		T(reruns_are_candidates),
		T(a_loss_names_facts_that_may_matter),
		T(a_broken_run_beside),
		T(pairs_by_session_and_start),
		T(nothing_comparable),
		T(bundles),
		T(wrong_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
