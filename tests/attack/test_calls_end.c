/* test_calls_end [STEPS [MOMENTS]] - calls that read whole runs end when nobody waits for them, and do not begin what cannot fit.
 *
 * Each method is asked once to its end. Then it is asked again and again, and cancelled just after it looked whether somebody waits for
 * it: after the looks that were followed by the longest way to the next one, and after some that a seed chooses. From then on it may
 * read no more than the objects that its helpers were reading, must fail, and may use a part of the CPU of the whole call.
 * The table is printed: with 1000000 steps on a release build it is that of docs/security.md. */
#include "base/budget.h"
#include "base/limits.h"
#include "service/handlers/core/test_runs.h"
#include "tests/bench/bench_store.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 4, READ_AFTER = 2, LOOKS_MAX = 1 << 16 };

static int64_t steps = 50000;
static int moments = 8;
static struct test_store s;
static struct ts_id first_run, *blocks; /* of the first run */
static uint32_t n_blocks;
static const struct ts_engine_ops *real;
static struct ts_engine_ops counting;

/* The call that is under way. */
static struct {
	struct ts_budget budget;
	atomic_size_t looks, stop_at; /* stop_at 0: never */
	atomic_bool gone;
	atomic_size_t read, read_after;
	int64_t gone_ns;
	int64_t looked_ns[LOOKS_MAX];
} now;

/* Of the process, helpers included. */
static int64_t cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool look(const struct ts_call *call)
{
	bool gone = atomic_load(&now.gone);
	size_t at = atomic_fetch_add(&now.looks, 1);

	(void)call;
	if (at < LOOKS_MAX)
		now.looked_ns[at] = cpu_ns();
	if (at + 1 == atomic_load(&now.stop_at)) {
		now.gone_ns = cpu_ns();
		ts_budget_revoke(&now.budget);
		atomic_store(&now.gone, true);
	}
	return gone;
}

static void count_read(void)
{
	atomic_fetch_add(atomic_load(&now.gone) ? &now.read_after : &now.read, 1);
}

static enum ts_status counted_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena, struct ts_sealed *ret,
				  struct ts_error *err)
{
	count_read();
	return real->get(e, id, arena, ret, err);
}

static enum ts_status forget(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret, struct ts_error *err)
{
	(void)e, (void)key, (void)arena, (void)ret;
	return ts_error_set(err, TS_NOT_FOUND, "this cache forgets");
}

static enum ts_status no_extract(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id, struct ts_arena *arena,
				 struct ts_span *ret, struct ts_error *err)
{
	(void)e, (void)key, (void)id, (void)arena, (void)ret;
	return ts_error_set(err, TS_NOT_FOUND, "this store has no extracts");
}

static int setup(void **state)
{
	static const struct bench_column columns[] = {{"phases.forward", 0.1}, {"phases.backward", 0.2}, {"timestamp", 0},
						      {"scalars.loss", 2},     {"memory.alloc", 9},	 {"scalars.grad_norm", 1}};

	(void)state;
	test_store_open(&s);
	for (uint64_t i = 0; i < RUNS; i++) {
		struct ts_id id = bench_run_of(s.engine, bench_rank(s.engine, 0, i + 1, columns, 6, steps));
		struct ts_commit_request commit = {.head = id, .branch = ts_span_str("p/main"), .state = ts_span_str("finished")};
		struct ts_commit_reply reply;
		char name[16];

		(void)snprintf(name, sizeof name, "p/r%d", (int)i);
		commit.name = ts_span_str(name);
		must(test_commit(&s, &commit, &reply), &s.err);
		first_run = i ? first_run : id;
	}
	(void)test_run_ref(&s, first_run, 0, &n_blocks);
	blocks = ts_arena_array(&s.arena, n_blocks, sizeof *blocks);
	assert_non_null(blocks);
	for (uint32_t i = 0; i < n_blocks; i++)
		blocks[i] = test_run_ref(&s, first_run, i, &n_blocks);
	real = s.engine->ops;
	counting = *real;
	counting.get = counted_get;
	counting.cache_get = forget;
	counting.extract_get = no_extract;
	s.engine->ops = &counting;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	s.engine->ops = real;
	test_store_close(&s);
	return 0;
}

/* ---- one call ---- */

static enum ts_status take_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	(void)message, (void)err;
	++*(size_t *)call->driver;
	return TS_OK;
}

static enum ts_status ask(const char *method, struct ts_span request, size_t limit, size_t stop_at, struct ts_error *err)
{
	static const struct ts_server_facts facts = {.version = "test", .store = "memory"};
	const struct ts_handler *h = ts_handler_find(ts_span_str(method));
	struct ts_budget *before;
	struct ts_arena arena;
	size_t replies = 0;
	struct ts_call call = {.engine = s.engine,
			       .server = &facts,
			       .arena = &arena,
			       .deadline_ns = INT64_MAX,
			       .cancelled = look,
			       .reply = take_reply,
			       .driver = &replies};
	void *state = NULL;
	enum ts_status status;

	atomic_store(&now.looks, 0);
	atomic_store(&now.stop_at, stop_at);
	atomic_store(&now.gone, false);
	atomic_store(&now.read, 0);
	atomic_store(&now.read_after, 0);
	ts_budget_init(&now.budget, NULL, "this call", limit, 0);
	before = ts_budget_enter(&now.budget);
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_call_begin(&call, h, err);
	if (!status && h->open)
		status = h->open(&call, &state, err);
	if (!status)
		status = h->message(&call, state, request, err);
	if (!status && h->close)
		status = h->close(&call, state, err);
	if (h->drop)
		h->drop(state);
	ts_arena_finish(&arena);
	(void)ts_budget_enter(before);
	assert_true(status || replies > 0);
	return status;
}

/* ---- the questions ---- */

typedef void question(const char *method, struct ts_span request);

#define ASK(ask_it, method, pack, ...)                                                                               \
	do {                                                                                                           \
		struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);                                                       \
		must(ts_wire_pack_##pack(__VA_ARGS__, &buf, &s.err), &s.err);                                          \
		ask_it(method, ts_buf_view(&buf));                                                                   \
		ts_buf_finish(&buf);                                                                                   \
	} while (0)

/* Those that hold whole columns. */
static void ask_columns(question *ask_it)
{
	ASK(ask_it, "Analyze", analyze_request, (&(struct ts_analyze_request){.spec = ts_span_str("p/r0"), .fresh = true}));
	ASK(ask_it, "Diff", diff_request,
	    (&(struct ts_diff_request){.a = ts_span_str("p/r0"), .b = ts_span_str("p/r1"), .outcomes = true}));
	ASK(ask_it, "Gate", gate_request,
	    (&(struct ts_gate_request){.candidates = (struct ts_span[]){ts_span_str("p/r0")},
				       .n_candidates = 1,
				       .baselines = (struct ts_span[]){ts_span_str("p/r1"), ts_span_str("p/r2")},
				       .n_baselines = 2}));
	ASK(ask_it, "Baseline", gate_request,
	    (&(struct ts_gate_request){.baselines = (struct ts_span[]){ts_span_str("p/r1")}, .n_baselines = 1}));
	ASK(ask_it, "Trend", trend_request,
	    (&(struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .metric = ts_span_str("step_time")}));
	ASK(ask_it, "Chart", chart_request,
	    (&(struct ts_chart_request){.runs = (struct ts_span[]){ts_span_str("p/r0"), ts_span_str("p/r1"), ts_span_str("p/r2")},
					.n = 3,
					.column = ts_span_str("loss"),
					.columns = 100}));
}

/* Those that go through them block by block. */
static void ask_blocks(question *ask_it)
{
	ASK(ask_it, "CheckResume", resume_request,
	    (&(struct ts_resume_request){.parent = ts_span_str("p/r0"), .child = ts_span_str("p/r1")}));
	ASK(ask_it, "DiffMatrix", matrix_request,
	    (&(struct ts_matrix_request){
		    .runs = (struct ts_span[]){ts_span_str("p/r0"), ts_span_str("p/r1"), ts_span_str("p/r2")}, .n = 3}));
	ASK(ask_it, "GetRun", get_request, (&(struct ts_get_request){.spec = ts_span_str("p/r0"), .metrics = true}));
	ASK(ask_it, "ListRuns", list_request,
	    (&(struct ts_list_request){.kind = TS_REF_RUN, .filter = ts_span_str("config.lr!=3"), .sort = ts_span_str("-config.lr")}));
	ASK(ask_it, "Verify", revoke_token_request, (&(struct ts_revoke_token_request){.token = ts_span_of(NULL, 0)}));
	ASK(ask_it, "CollectGarbage", gc_request, (&(struct ts_gc_request){.has_lease = true, .lease_s = 86400}));
}

static void ask_objects(question *ask_it)
{
	struct ts_put_request put = {.n = 0};
	size_t bytes = 0;

	put.objects = ts_arena_array(&s.arena, n_blocks, sizeof *put.objects);
	assert_non_null(put.objects);
	for (put.n = 0; put.n < n_blocks && bytes < TS_BATCH_BYTES; bytes += put.objects[put.n++].bytes.len)
		must(real->get(s.engine, &blocks[put.n], &s.arena, &put.objects[put.n], &s.err), &s.err);
	ASK(ask_it, "PutObjects", put_request, &put);
	ASK(ask_it, "GetObjects", objects_request, (&(struct ts_objects_request){.ids = blocks, .n = n_blocks}));
	ASK(ask_it, "CommitRun", commit_request,
	    (&(struct ts_commit_request){.name = ts_span_str("p/again"), .head = first_run, .state = ts_span_str("finished")}));
}

/* ---- cancelled ---- */

static uint64_t seed = 88172645463325252u;

struct way {
	size_t look;
	int64_t ns; /* of CPU, to the next look */
};

static int by_length(const void *x, const void *y)
{
	const struct way *a = x, *b = y;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

/* Half of the moments are the beginnings of the longest ways of the call that has ended, in which `gone` was never set. */
static void choose_moments(size_t *out, int64_t end_ns)
{
	size_t n = atomic_load(&now.looks) < LOOKS_MAX ? atomic_load(&now.looks) : LOOKS_MAX;
	struct way *ways = calloc(n, sizeof *ways);

	assert_non_null(ways);
	for (size_t i = 0; i < n; i++)
		ways[i] = (struct way){i + 1, (i + 1 < n ? now.looked_ns[i + 1] : end_ns) - now.looked_ns[i]};
	qsort(ways, n, sizeof *ways, by_length);
	for (size_t i = 0; i < (size_t)moments; i++)
		out[i] = i < (size_t)moments / 2 && i < n ? ways[i].look : 1 + (size_t)(bench_noise(&seed) * (double)n);
	free(ways);
}

static void cancel_often(const char *method, struct ts_span request)
{
	struct ts_error err = {.status = TS_OK};
	int64_t began = cpu_ns(), whole, worst = 0;
	size_t looks, read, read_after = 0, *at = calloc((size_t)moments, sizeof *at);

	assert_non_null(at);
	must(ask(method, request, 0, 0, &err), &err);
	whole = cpu_ns() - began;
	looks = atomic_load(&now.looks);
	read = atomic_load(&now.read);
	assert_true(looks > 0);
	choose_moments(at, began + whole);
	for (int i = 0; i < moments; i++) {
		enum ts_status status = ask(method, request, 0, at[i], &err);
		int64_t after = cpu_ns() - now.gone_ns;

		/* Helpers share the looks, so a moment near the end may come after it. */
		if (!atomic_load(&now.gone))
			continue;
		if (!status && atomic_load(&now.read_after))
			fail_msg("%s was cancelled and answered", method);
		read_after = atomic_load(&now.read_after) > read_after ? atomic_load(&now.read_after) : read_after;
		worst = after > worst ? after : worst;
	}
	print_message("%-16s %8zu looks %8zu objects %10.1f ms of CPU; once cancelled, at most %zu objects and %.1f ms\n", method,
		      looks, read, (double)whole / 1e6, read_after, (double)worst / 1e6);
	free(at);
	assert_in_range(read_after, 0, READ_AFTER);
	assert_in_range(worst, 0, whole / 4 + 20000000);
}

static void what_nobody_waits_for_ends(void **state)
{
	(void)state;
	ask_columns(cancel_often);
	ask_blocks(cancel_often);
	ask_objects(cancel_often);
}

/* ---- too large ---- */

/* A column of one of these runs takes 8 * steps bytes, and what opens a run a part of that. */
static void refuse_early(const char *method, struct ts_span request)
{
	struct ts_error err = {.status = TS_OK};
	char least[64];

	if (ask(method, request, (size_t)steps * 14, 0, &err) != TS_NO_MEMORY)
		fail_msg("%s: %s: %s", method, ts_status_word(err.status), err.text);
	(void)snprintf(least, sizeof least, " %" PRId64 " rows takes at least %" PRId64 " bytes: out of memory: this call", steps,
		       steps * (strcmp(method, "Chart") == 0 ? 24 : 16));
	if (!strstr(err.text, least))
		fail_msg("%s does not say \"%s\" but \"%s\"", method, least, err.text);
	/* Heads and indexes of four runs at most, and the first block of steps of each for what tells how long they are. */
	assert_in_range(atomic_load(&now.read), 1, 3 * RUNS);
}

static void what_cannot_fit_is_refused_before_it_is_read(void **state)
{
	(void)state;
	ask_columns(refuse_early);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_waits_for_ends),
		cmocka_unit_test(what_cannot_fit_is_refused_before_it_is_read),
	};

	if (argc > 1)
		steps = strtoll(argv[1], NULL, 10);
	if (argc > 2)
		moments = atoi(argv[2]);
	return cmocka_run_group_tests(tests, setup, teardown);
}
