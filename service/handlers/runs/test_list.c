/* Pages of 3,000 names in every order, filtered, against what was put there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/helper.h"
#include "service/handlers/core/test_runs.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 3000, HEADS = 10 };

/* Run i of project p (or q, every third) has head i % HEADS, which has 10 * (head + 1) steps and, if head is odd,
 * config.lr = head / 1000. It was pushed at second i. */
static struct test_store store;
static struct ts_id heads[HEADS];

static const char *name_of(int i, char out[32])
{
	(void)snprintf(out, 32, "%s/run-%04d", i % 3 ? "p" : "q", i);
	return out;
}

/* One run for each head is pushed through the handler, for its summary; the others through the engine, at times chosen here. */
static int setup(void **state)
{
	struct ts_ref refs[HEADS];

	(void)state;
	test_store_open(&store);
	for (int h = 0; h < HEADS; h++) {
		struct test_run run = test_run_plain();
		char name[32];

		run.steps = 10 * (h + 1);
		run.lr = h % 2 ? h / 1000.0 : 0;
		run.own = h == 4 ? "four" : NULL;
		run.started = h == 7 ? 1795174020.5 : 0;
		heads[h] = test_run_put(&store, &run);
		(void)snprintf(name, sizeof name, "z/%d", h);
		must_commit(&store, name, heads[h]);
		must(store.engine->ops->ref_get(store.engine, TS_REF_RUN, ts_span_str(name), &store.arena, &refs[h],
						&store.err),
		     &store.err);
		must(test_update(
			     &store,
			     &(struct ts_ref_request){.kind = TS_REF_RUN, .name = ts_span_str(name), .remove = true},
			     &(struct ts_ref_reply){.had_previous = 0}),
		     &store.err);
	}
	for (int i = 0; i < RUNS; i++) {
		char name[32];
		struct ts_ref_update u = {.kind = TS_REF_RUN,
					  .name = ts_span_str(name_of(i, name)),
					  .id = heads[i % HEADS],
					  .now_ns = (int64_t)i * 1000000000,
					  .who = ts_span_str("me"),
					  .summary = refs[i % HEADS].summary};

		must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&store);
	return 0;
}

/* Walks all pages; the rows must be those of expected[i], in order. */
static void expect(const char *project, const char *filter, const char *sort, uint32_t page_size, const int *expected,
		   size_t n)
{
	struct ts_list_request request = {.project = ts_span_str(project),
					  .kind = TS_REF_RUN,
					  .filter = ts_span_str(filter),
					  .sort = ts_span_str(sort),
					  .page_size = page_size};
	size_t at = 0;

	do {
		struct ts_list_reply reply;
		char name[32];

		must(test_list(&store, &request, &reply), &store.err);
		assert_true(reply.n <= (page_size ? page_size : 50));
		for (size_t i = 0; i < reply.n; i++, at++) {
			if (at >= n)
				fail_msg("more than %zu rows: %.*s", n, TS_SPAN_ARG(reply.rows[i].name));
			if (!ts_span_is(reply.rows[i].name, name_of(expected[at], name)))
				fail_msg("row %zu is %.*s, not %s", at, TS_SPAN_ARG(reply.rows[i].name), name);
			assert_true(ts_id_eq(&reply.rows[i].id, &heads[expected[at] % HEADS]));
			assert_true(reply.rows[i].pushed_ns == (int64_t)expected[at] * 1000000000);
		}
		request.page_token = reply.next_token;
	} while (request.page_token.len);
	assert_int_equal(at, n);
}

/* -- expected rows, by a plain loop over run numbers -- */

static bool of_q(int i)
{
	return i % 3 == 0;
}

static double lr(int i)
{
	return i % HEADS % 2 ? i % HEADS / 1000.0 : -1; /* -1: the run has no such fact */
}

static int by_name(const void *a, const void *b)
{
	char x[32], y[32];

	return strcmp(name_of(*(const int *)a, x), name_of(*(const int *)b, y));
}

static int by_steps_down(const void *a, const void *b)
{
	int x = *(const int *)a % HEADS, y = *(const int *)b % HEADS;

	return x != y ? y - x : by_name(a, b);
}

/* Runs without the fact come last. */
static int by_lr(const void *a, const void *b)
{
	double x = lr(*(const int *)a), y = lr(*(const int *)b);

	if ((x < 0) != (y < 0))
		return x < 0 ? 1 : -1;
	return x != y ? (x > y) - (x < y) : by_name(a, b);
}

static int by_lr_down(const void *a, const void *b)
{
	double x = lr(*(const int *)a), y = lr(*(const int *)b);

	if ((x < 0) != (y < 0))
		return x < 0 ? 1 : -1;
	return x != y ? (y > x) - (y < x) : by_name(a, b);
}

static int newest(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

static size_t choose(bool (*want)(int), int (*order)(const void *, const void *), int out[RUNS])
{
	size_t n = 0;

	for (int i = 0; i < RUNS; i++)
		if (!want || want(i))
			out[n++] = i;
	qsort(out, n, sizeof *out, order);
	return n;
}

static void pages_of_any_size(void **state)
{
	static const uint32_t sizes[] = {0, 1000, 999, 7};
	int want[RUNS];
	size_t n = choose(NULL, newest, want);

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		expect("", "", "", sizes[i], want, n);
	expect("", "", "-pushed", 100, want, n);
	n = choose(of_q, newest, want);
	expect("q", "", "", 100, want, n);
	assert_int_equal(n, 1000);
}

static void sorts(void **state)
{
	int want[RUNS];
	size_t n = choose(NULL, by_name, want);

	(void)state;
	expect("", "", "name", 100, want, n);
	n = choose(NULL, by_steps_down, want);
	expect("", "", "-steps", 130, want, n);
	n = choose(NULL, by_lr, want);
	expect("", "", "config.lr", 1000, want, n);
	n = choose(NULL, by_lr_down, want);
	expect("", "", "-config.lr", 999, want, n);
}

static bool rare(int i)
{
	return i % HEADS == 3 && i >= 100 && i < 1000;
}

static bool fast(int i)
{
	return lr(i) > 0.004;
}

static bool not_fast(int i)
{
	return lr(i) >= 0 && !fast(i);
}

static bool named_one(int i)
{
	return i == 1234;
}

static void filters(void **state)
{
	int want[RUNS];
	size_t n = choose(rare, newest, want);

	(void)state;
	/* The times are seconds 100 to 999 since 1970. */
	expect("", "steps=40 and pushed>=1970-01-01T00:01:40Z and pushed<1970-01-01T00:16:40Z", "", 7, want, n);
	n = choose(fast, newest, want);
	expect("", "config.lr>0.004", "", 50, want, n);
	expect("", "config.lr>0.004", "", 1000, want, n);
	n = choose(not_fast, by_lr, want);
	expect("", "not config.lr>0.004", "config.lr", 50, want, n); /* without the runs that lack the fact */
	n = choose(named_one, newest, want);
	expect("", "name=run-1234", "", 50, want, n);
	expect("", "name~*34 and name~run-12*", "", 50, want, n);
	expect("", "project=nobody", "", 50, want, 0);
}

/* When rows are removed between two pages, the others stay in their places. */
static void pages_hold_still(void **state)
{
	struct ts_list_request request = {.kind = TS_REF_RUN, .sort = ts_span_str("-steps"), .page_size = 10};
	struct ts_list_reply first, second;
	struct ts_ref_update u;
	char name[32];

	(void)state;
	must(test_list(&store, &request, &first), &store.err);
	u = (struct ts_ref_update){.kind = TS_REF_RUN, .name = first.rows[2].name, .remove = true};
	must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
	request.page_token = first.next_token;
	must(test_list(&store, &request, &second), &store.err);
	/* Runs 9, 19, 29, ... have the most steps; by name, those of p come first: 19, 29, 49, 59, ... */
	assert_true(ts_span_is(first.rows[0].name, name_of(19, name)));
	assert_true(ts_span_is(first.rows[9].name, name_of(149, name)));
	assert_true(ts_span_is(second.rows[0].name, name_of(169, name)));
	u = (struct ts_ref_update){.kind = TS_REF_RUN,
				   .name = first.rows[2].name,
				   .id = first.rows[2].id,
				   .now_ns = first.rows[2].pushed_ns};
	must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
}

static const struct ts_list_cell *cell(const struct ts_list_reply *reply, size_t row, size_t column)
{
	return &reply->rows[row].cells[column];
}

static void shows_columns(void **state)
{
	struct ts_span columns[] = {ts_span_str("steps"),     ts_span_str("started"),    ts_span_str("config.lr"),
				    ts_span_str("own_name"),  ts_span_str("state"),      ts_span_str("pushed"),
				    ts_span_str("last_step"), ts_span_str("ranks"),      ts_span_str("project"),
				    ts_span_str("note.bad"),  ts_span_str("world_size"), ts_span_str("who")};
	struct ts_list_request request = {.kind = TS_REF_RUN,
					  .filter = ts_span_str("name=run-1007 or name=run-1004"),
					  .columns = columns,
					  .n_columns = 12};
	struct ts_list_reply reply;

	(void)state;
	must(test_note(&store, "p/run-1007", "state", "crashed"), &store.err);
	must(test_note(&store, "p/run-1007", "bad", "gpu 3"), &store.err);
	must(test_list(&store, &request, &reply), &store.err);
	assert_int_equal(reply.n, 2);
	assert_true(reply.rows[0].n_cells == 12 && reply.rows[1].n_cells == 12);
	assert_int_equal(reply.examined, RUNS);
	assert_int_equal(cell(&reply, 0, 0)->value.integer, 80);
	assert_true(ts_span_is(cell(&reply, 0, 1)->value.text, "2026-11-20T11:27:00.500Z"));
	assert_true(cell(&reply, 0, 2)->value.real == 0.007);
	assert_false(cell(&reply, 0, 3)->known);
	assert_true(ts_span_is(cell(&reply, 0, 4)->value.text, "crashed"));
	assert_true(ts_span_is(cell(&reply, 0, 5)->value.text, "1970-01-01T00:16:47Z"));
	assert_int_equal(cell(&reply, 0, 6)->value.integer, 79);
	assert_int_equal(cell(&reply, 0, 7)->value.integer, 1);
	assert_true(ts_span_is(cell(&reply, 0, 8)->value.text, "p"));
	assert_true(ts_span_is(cell(&reply, 0, 9)->value.text, "gpu 3"));
	assert_false(cell(&reply, 0, 10)->known);
	assert_true(ts_span_is(cell(&reply, 0, 11)->value.text, "me"));
	assert_false(cell(&reply, 1, 1)->known);
	assert_false(cell(&reply, 1, 2)->known);
	assert_true(ts_span_is(cell(&reply, 1, 3)->value.text, "four"));
	assert_false(cell(&reply, 1, 4)->known);
}

/* The loss of a run of n steps falls as 1, 1/2, ... 1/n: its last and best value is 1/n, at step n - 1. */
static bool of_80_steps(int i)
{
	return i % HEADS == 7;
}

static bool of_many_steps(int i)
{
	return i % HEADS >= 7;
}

static void knows_metrics(void **state)
{
	struct ts_span columns[] = {ts_span_str("loss.last"), ts_span_str("loss.best"),		ts_span_str("loss.best_step"),
				    ts_span_str("loss.max"),  ts_span_str("scalars.loss.count"), ts_span_str("eval.mean"),
				    ts_span_str("eval.last_step"), ts_span_str("nope.last"),	ts_span_str("config.lr")};
	struct ts_list_request request = {
		.kind = TS_REF_RUN, .filter = ts_span_str("name=run-1007"), .columns = columns, .n_columns = 9};
	struct ts_list_reply reply;
	int want[RUNS];
	size_t n;

	(void)state;
	must(test_list(&store, &request, &reply), &store.err);
	assert_int_equal(reply.n, 1);
	assert_true(cell(&reply, 0, 0)->value.real == 1.0 / 80 && cell(&reply, 0, 1)->value.real == 1.0 / 80);
	assert_int_equal(cell(&reply, 0, 2)->value.integer, 79);
	assert_true(cell(&reply, 0, 3)->value.real == 1);
	assert_int_equal(cell(&reply, 0, 4)->value.integer, 80);
	assert_true(cell(&reply, 0, 5)->value.real == 35); /* of 0, 10, ... 70 */
	assert_int_equal(cell(&reply, 0, 6)->value.integer, 70);
	assert_false(cell(&reply, 0, 7)->known);
	assert_true(cell(&reply, 0, 8)->value.real == 0.007);
	assert_int_equal(reply.n_unrecorded, 1);
	assert_true(ts_span_is(reply.unrecorded[0], "nope.last"));
	assert_int_equal(reply.unscored, 0);
	n = choose(NULL, by_steps_down, want);
	expect("", "", "loss.last", 1000, want, n);
	expect("", "", "loss.best", 130, want, n);
	expect("", "", "-loss.count", 999, want, n);
	n = choose(of_80_steps, newest, want);
	expect("", "loss.best_step=79", "", 50, want, n);
	n = choose(of_many_steps, newest, want);
	expect("", "scalars.loss.last<0.0126", "", 7, want, n);
	expect("", "nope.last>0 or not nope.last>0", "", 50, want, 0); /* unknown is not 0 */
}

/* The mean of eval is 5 h for a run of head h. */
static void a_helper_changes_nothing(void **state)
{
	int want[RUNS];
	size_t n = choose(of_many_steps, by_steps_down, want);

	(void)state;
	for (int most = 0; most < 3; most++) {
		ts_helpers_allow(most);
		expect("", "eval.mean>=35", "-loss.count", 500, want, n);
		expect("", "eval.mean>=35 and steps>=80", "loss.best", 1000, want, n);
	}
	ts_helpers_allow(-1);
}

/* GetRun says the same of all columns. */
static void get_knows_metrics(void **state)
{
	struct ts_get_reply reply;
	const struct ts_column_metric *eval, *loss;

	(void)state;
	must(test_get(&store, "p/run-1007", &reply), &store.err);
	assert_int_equal(reply.n_columns, 2);
	assert_true(ts_span_is(reply.columns[0].name, "scalars.eval") && reply.columns[0].has_metric);
	assert_true(ts_span_is(reply.columns[1].name, "scalars.loss") && reply.columns[1].has_metric);
	eval = &reply.columns[0].metric;
	loss = &reply.columns[1].metric;
	assert_true(eval->has_values && eval->count == 8 && eval->last == 70 && eval->last_step == 70);
	assert_true(eval->has_mean && eval->mean == 35);
	assert_false(eval->has_best);
	assert_true(loss->has_best && loss->best == 1.0 / 80 && loss->best_step == 79 && loss->max == 1 && loss->max_step == 0);
}

/* A run that goes on and is asked for by its id was heard of when the last of its names moved, whichever of them that is. */
static void get_hears_of_the_name_that_moved_last(void **state)
{
	static const struct {
		const char *name;
		int64_t minutes;
	} names[] = {{"heard/a", 60}, {"heard/b", 10}, {"heard/c", 120}};
	struct test_run run = test_run_plain();
	char hex[TS_ID_HEX + 1];
	struct ts_get_reply reply;
	struct ts_id id;

	(void)state;
	run.push_every = 10;
	id = test_run_put(&store, &run);
	ts_id_hex(&id, hex);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ts_ref_update u = {.kind = TS_REF_RUN,
					  .name = ts_span_str(names[i].name),
					  .id = id,
					  .now_ns = ts_now_real_ns() - names[i].minutes * 60 * 1000000000,
					  .who = ts_span_str("me")};

		must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
	}
	must(test_get(&store, hex, &reply), &store.err);
	assert_false(reply.by_ref);
	assert_int_equal(reply.ending.state, TS_END_LOST);
	assert_true(ts_span_starts(reply.ending.sentence, ts_span_str("Nothing was heard of the run for 10 minutes")));
	must(test_get(&store, "heard/c", &reply), &store.err);
	assert_true(ts_span_starts(reply.ending.sentence, ts_span_str("Nothing was heard of the run for 2 hours")));
	must_commit(&store, "heard/d", id);
	must(test_get(&store, hex, &reply), &store.err);
	assert_int_equal(reply.ending.state, TS_END_RUNNING);
	for (size_t i = 0; i <= sizeof names / sizeof *names; i++)
		must(test_update(&store,
				 &(struct ts_ref_request){.kind = TS_REF_RUN,
							  .name = ts_span_str(i < 3 ? names[i].name : "heard/d"),
							  .remove = true},
				 &(struct ts_ref_reply){.had_previous = 0}),
		     &store.err);
}

/* Rank r begins with a loss of 1 / (1 + r): the metrics are those of the lowest rank, whatever its number. */
static void takes_the_lowest_rank(void **state)
{
	struct ts_span column = ts_span_str("loss.max");
	struct ts_list_request request = {.kind = TS_REF_RUN, .columns = &column, .n_columns = 1, .page_size = 1};

	(void)state;
	for (int32_t first = 0; first < 2; first++) {
		struct test_run run = test_run_plain();
		struct ts_list_reply reply;
		char name[32];

		run.first_rank = first;
		run.ranks = 2;
		(void)snprintf(name, sizeof name, "ranks%d/run", first);
		must_commit(&store, name, test_run_put(&store, &run));
		request.project = ts_span_of(name, 6);
		must(test_list(&store, &request, &reply), &store.err);
		assert_int_equal(reply.n, 1);
		assert_true(cell(&reply, 0, 0)->value.real == 1.0 / (1 + first));
		must(test_update(&store,
				 &(struct ts_ref_request){.kind = TS_REF_RUN, .name = ts_span_str(name), .remove = true},
				 &(struct ts_ref_reply){.had_previous = 0}),
		     &store.err);
	}
}

/* A run of which an older version stored no metrics: they are unknown and counted, until gc makes them. */
static void tells_what_was_never_scored(void **state)
{
	struct test_run run = test_run_plain();
	struct ts_ref_update u = {.kind = TS_REF_RUN, .name = ts_span_str("older/run")};
	struct ts_span column = ts_span_str("loss.last");
	struct ts_list_request request = {.project = ts_span_str("older"), .kind = TS_REF_RUN, .columns = &column, .n_columns = 1};
	struct ts_buf buf = TS_BUF_INIT(100);
	struct ts_gc_request gc = {.dry_run = true};
	struct ts_gc_reply collected;
	struct ts_list_reply reply;
	struct ts_span bytes;

	(void)state;
	run.scale = 3;
	u.id = test_run_put(&store, &run);
	must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
	for (int i = 0; i < 3; i++) { /* as it is; after a dry run; after gc */
		must(test_list(&store, &request, &reply), &store.err);
		assert_int_equal(reply.n, 1);
		assert_int_equal(cell(&reply, 0, 0)->known, i == 2);
		assert_int_equal(reply.unscored, i < 2);
		assert_int_equal(reply.n_unrecorded, 0); /* it may record them */
		request.sort = i ? ts_span_str("loss.last") : ts_span_str("steps"); /* counted once in any order */
		gc.dry_run = i == 0;
		ts_buf_reset(&buf);
		must(ts_wire_pack_gc_request(&gc, &buf, &store.err), &store.err);
		must(test_call(&store, "CollectGarbage", &buf, &bytes), &store.err);
		must(ts_wire_unpack_gc_reply(bytes, &store.arena, &collected, &store.err), &store.err);
		assert_int_equal(collected.scored, i == 1);
	}
	assert_true(cell(&reply, 0, 0)->value.real == 0.3);
	u.remove = true;
	must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
	ts_buf_finish(&buf);
}

/* For a name without a current summary, the head is read. */
static void does_without_a_summary(void **state)
{
	struct ts_span columns[] = {ts_span_str("steps"), ts_span_str("own_name")};
	struct ts_list_request request = {.kind = TS_REF_TAG, .columns = columns, .n_columns = 2};
	struct ts_list_reply reply;
	struct ts_ref_update u = {.kind = TS_REF_TAG, .name = ts_span_str("p/t"), .id = heads[4]};

	(void)state;
	must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
	must(test_list(&store, &request, &reply), &store.err);
	assert_int_equal(reply.n, 1);
	assert_int_equal(cell(&reply, 0, 0)->value.integer, 50);
	assert_true(ts_span_is(cell(&reply, 0, 1)->value.text, "four"));
}

static void stops_when_nobody_waits(void **state)
{
	struct ts_list_reply reply;
	atomic_bool stop = true;

	(void)state;
	store.channel->stop = &stop;
	assert_int_equal(test_list(&store, &(struct ts_list_request){.project = ts_span_str("p")}, &reply), TS_CANCELLED);
	stop = false;
	assert_int_equal(test_list(&store, &(struct ts_list_request){.project = ts_span_str("p")}, &reply), TS_OK);
	store.channel->stop = NULL;
}

static void refuse(struct ts_list_request request, const char *why)
{
	struct ts_list_reply reply;

	assert_int_equal(test_list(&store, &request, &reply), TS_INVALID);
	if (!strstr(store.err.text, why))
		fail_msg("%s", store.err.text);
}

static void refuses(void **state)
{
	struct ts_span bad = ts_span_str("colour"), best = ts_span_str("eval.best");
	struct ts_list_request request = {.kind = TS_REF_RUN, .sort = ts_span_str("name")};
	struct ts_list_reply reply;

	(void)state;
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .columns = &bad, .n_columns = 1}, "columns: \"colour\"");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .sort = ts_span_str("-colour")}, "sort: \"colour\"");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .filter = ts_span_str("steps>")}, "filter, at its end");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .filter = ts_span_str("config.lr>>1")}, "at byte 11 (config.lr>^>1)");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .filter = ts_span_str("eval.best>1")},
	       "at byte 1 (^eval.best>1): whether a low or a high eval is better is not known from its name, so it has no best value; "
	       "eval.min and eval.max");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .filter = ts_span_str("loss.last=low")},
	       "at byte 11 (loss.last=^low): a number");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .sort = ts_span_str("-eval.best_step")}, "sort: whether");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .columns = &best, .n_columns = 1}, "columns: whether");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .project = ts_span_str("a/b")}, "project");
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .page_token = ts_span_str("x")}, "token");
	must(test_list(&store, &request, &reply), &store.err);
	refuse((struct ts_list_request){.kind = TS_REF_RUN, .page_token = reply.next_token}, "token");
	refuse((struct ts_list_request){.kind = TS_REF_RUN,
					.sort = ts_span_str("steps"),
					.page_token = reply.next_token},
	       "token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_any_size), cmocka_unit_test(sorts),
		cmocka_unit_test(filters),           cmocka_unit_test(pages_hold_still),
		cmocka_unit_test(shows_columns),     cmocka_unit_test(knows_metrics),
		cmocka_unit_test(a_helper_changes_nothing),
		cmocka_unit_test(get_knows_metrics), cmocka_unit_test(takes_the_lowest_rank),
		cmocka_unit_test(get_hears_of_the_name_that_moved_last),
		cmocka_unit_test(tells_what_was_never_scored), cmocka_unit_test(does_without_a_summary),
		cmocka_unit_test(stops_when_nobody_waits),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests_name("list", tests, setup, teardown);
}
