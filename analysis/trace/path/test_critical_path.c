/* critical_path.h, what_if.c: paths that were found on paper, and what a program takes when a part of it takes no time, as a simulation
 * of the program has it, which knows nothing of graphs (test_path_made.h). */
#include "analysis/trace/path/critical_path.h"

#include "analysis/trace/path/test_path_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CASES = 2000 };

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 12) % below;
}

static void add(struct program *p, enum program_verb verb, uint32_t word, int stream, int event, int64_t ns)
{
	assert_true(p->n < PROGRAM_MOST);
	p->actions[p->n++] = (struct action){.verb = verb, .word = word, .stream = stream, .event = event, .ns = ns};
}

static void add_random(struct program *p)
{
	uint32_t word = WORD_GEMM + draw(3);
	int stream = (int)draw(PROGRAM_STREAMS), event = (int)draw(PROGRAM_EVENTS);

	switch (draw(12)) {
	case 0:
		add(p, DO_OPERATE, 0, 0, 0, 1 + draw(60));
		break;
	case 1:
		add(p, DO_NOTHING, 0, 0, 0, 1 + draw(40));
		break;
	case 2:
		add(p, DO_RECORD, 0, stream, event, 0);
		break;
	case 3:
		add(p, DO_AWAIT, 0, stream, event, 0);
		break;
	case 4:
		add(p, draw(2) ? DO_SYNC_STREAM : DO_SYNC_EVENT, 0, stream, event, 0);
		break;
	case 5:
		if (draw(4) == 0)
			add(p, DO_SYNC_DEVICE, 0, 0, 0, 0);
		break;
	default:
		add(p, DO_LAUNCH, word, stream, 0, draw(10) ? draw(200) : 0);
	}
}

/* What shows each constant of the machine once: a launch onto an idle stream, work that was queued, each wait with nothing to wait for
 * and one with. */
static void add_samples(struct program *p)
{
	add(p, DO_LAUNCH, WORD_GEMM, 0, 0, 1000);
	add(p, DO_LAUNCH, WORD_GEMM, 0, 0, 10);
	add(p, DO_RECORD, 0, 0, 0, 0);
	add(p, DO_SYNC_STREAM, 0, 0, 0, 0);
	add(p, DO_OPERATE, 0, 0, 0, 100);
	add(p, DO_SYNC_STREAM, 0, 0, 0, 0);
	add(p, DO_SYNC_EVENT, 0, 0, 0, 0);
	add(p, DO_SYNC_DEVICE, 0, 0, 0, 0);
}

static void make_program(struct program *p, uint32_t of)
{
	seed = of * 2654435761u + 1;
	*p = (struct program){.call = 1 + draw(12), .launch = 4 + draw(10), .start = 1 + draw(9), .join = 1 + draw(9)};
	p->order = draw((uint32_t)p->launch);
	p->back = 1 + draw(5);
	p->sync = p->back + draw(6);
	add_samples(p);
	for (uint32_t i = 0, n = 4 + draw(40); i < n; i++)
		add_random(p);
	if (draw(2)) {
		size_t at = p->n;

		add(p, DO_BACKWARD, 0, 0, 0, 0);
		add(p, DO_OPERATE, WORD_BACKWARD, 0, 0, 5 + draw(30));
		for (uint32_t i = 0, n = draw(20); i < n; i++)
			add_random(p);
		add(p, DO_OPERATE, WORD_BACKWARD, 0, 0, 5 + draw(30));
		p->actions[at].ns = (int64_t)(p->n - at - 1);
		add(p, DO_OPERATE, 0, 0, 0, 1 + draw(60));
	}
	for (uint32_t i = 0, n = draw(10); i < n; i++)
		add_random(p);
	if (draw(2))
		add(p, DO_SYNC_DEVICE, 0, 0, 0, 0);
}

struct asked {
	struct program program;
	struct ts_trace trace;
	struct ts_arena arena;
	struct ts_critical_path path;
	int64_t took;
};

static void adds_up(const struct ts_critical_path *path)
{
	uint64_t rows = 0, pieces = 0, windows = 0, groups = 0;

	for (size_t i = 0; i < path->n_rows; i++)
		rows += path->rows[i].ns;
	for (size_t i = 0; i < path->n_windows; i++)
		windows += path->windows[i].ns;
	for (size_t i = 0; i < TS_PATH_GROUPS; i++)
		groups += path->groups[i];
	for (size_t i = 0; i < path->n_pieces; i++) {
		if (i)
			assert_int_equal((uint64_t)path->pieces[i].begin_ns,
					 (uint64_t)path->pieces[i - 1].begin_ns + path->pieces[i - 1].ns);
		pieces += path->pieces[i].ns;
	}
	assert_int_equal(rows, path->ns);
	assert_int_equal(pieces, path->ns);
	assert_int_equal(windows, path->ns);
	assert_int_equal(groups, path->ns);
}

static void path_of(const struct ts_trace *trace, const struct ts_path_asked *asked, struct ts_arena *arena,
		    struct ts_critical_path *ret)
{
	struct ts_error err;
	struct ts_nest nest;

	if (ts_nest(trace, arena, &nest, &err) || ts_critical_path(trace, &nest, asked, arena, ret, &err))
		fail_msg("%s", err.text);
	assert_int_equal(ret->error_ns, 0);
	adds_up(ret);
}

static void ask(struct asked *a, const struct ts_path_asked *asked)
{
	ts_arena_init(&a->arena, 0);
	a->took = program_run(&a->program, &a->trace, NULL);
	path_of(&a->trace, asked, &a->arena, &a->path);
}

static void finish(struct asked *a)
{
	program_finish(&a->trace);
	ts_arena_finish(&a->arena);
}

static const struct ts_what_if *find_if(const struct asked *a, enum ts_ideal ideal, uint32_t what, enum ts_path_group group)
{
	for (size_t i = 0; i < a->path.n_ifs; i++)
		if (a->path.ifs[i].ideal == ideal && (ideal == TS_IDEAL_SHORTER || a->path.ifs[i].group == group) &&
		    (ideal != TS_IDEAL_WHAT || a->path.ifs[i].what == what))
			return &a->path.ifs[i];
	return NULL;
}

static const struct ts_path_asked everything;

/* --- on paper --- */

static void is_piece(const struct ts_path_piece *p, uint32_t what, int64_t begin, int64_t end)
{
	assert_string_equal(ts_path_what_word(p->what), ts_path_what_word(what));
	assert_int_equal(p->begin_ns, begin);
	assert_int_equal(p->ns, end - begin);
}

/* A product [30, 130), an all-reduce that waits for it on another stream [132, 182), and the host that waits for both until 185. */
static void make_overlap(struct program *p)
{
	*p = (struct program){.call = 5, .sync = 4, .launch = 10, .order = 2, .back = 3};
	add(p, DO_OPERATE, 0, 0, 0, 20);
	add(p, DO_LAUNCH, WORD_GEMM, 0, 0, 100);
	add(p, DO_RECORD, 0, 0, 0, 0);
	add(p, DO_AWAIT, 0, 1, 0, 0);
	add(p, DO_LAUNCH, WORD_ALL_REDUCE, 1, 0, 50);
	add(p, DO_SYNC_DEVICE, 0, 0, 0, 0);
	add(p, DO_OPERATE, 0, 0, 0, 15);
}

static void path_on_paper(void **state)
{
	struct asked a;

	(void)state;
	make_overlap(&a.program);
	ask(&a, &everything);
	assert_int_equal(a.path.n_windows, 1);
	assert_false(a.path.windows[0].is_step);
	assert_int_equal(a.path.ns, 200);
	assert_int_equal(a.path.n_pieces, 7);
	is_piece(&a.path.pieces[0], TS_PATH_OPERATOR, 0, 20);
	is_piece(&a.path.pieces[1], TS_PATH_LAUNCH, 20, 30);
	is_piece(&a.path.pieces[2], TS_KERNEL_GEMM, 30, 130);
	is_piece(&a.path.pieces[3], TS_PATH_STREAM_WAIT, 130, 132);
	is_piece(&a.path.pieces[4], TS_PATH_COLLECTIVES + TS_COLLECTIVE_ALL_REDUCE, 132, 182);
	is_piece(&a.path.pieces[5], TS_PATH_RETURN, 182, 185);
	is_piece(&a.path.pieces[6], TS_PATH_OPERATOR, 185, 200);
	assert_int_equal(a.path.bound, TS_PATH_OF_COMPUTATION);
	assert_int_equal(a.path.rows[0].what, TS_KERNEL_GEMM);
	assert_int_equal(a.path.rows[2].what, TS_PATH_OPERATOR);
	assert_int_equal(a.path.rows[2].ns, 35);
	assert_int_equal(a.path.rows[2].count, 2);
	assert_int_equal(a.path.rows[2].longest_ns, 20);
	/* Without the product the all-reduce begins at 45; without the all-reduce the host returns at 135. */
	assert_int_equal(find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_COMPUTATION)->ns, 113);
	assert_int_equal(find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_COMMUNICATION)->ns, 150);
	assert_int_equal(a.path.longest[0].piece.ns, 100);
	assert_true(ts_span_is(a.path.longest[0].name, "volta_sgemm_128x64_nt"));
	finish(&a);
}

/* Without the table syncs the all-reduce began 2 ns after the product ended, although it was launched long before: that is inferred. */
static void what_times_tell(void **state)
{
	struct ts_critical_path path;
	struct asked a;

	(void)state;
	make_overlap(&a.program);
	ask(&a, &everything);
	a.trace.rows.syncs.n = 0;
	path_of(&a.trace, &everything, &a.arena, &path);
	assert_int_equal(path.inferred, 1);
	is_piece(&path.pieces[3], TS_PATH_STREAM_WAIT, 130, 132);
	assert_int_equal(a.path.inferred, 0);
	/* If it had begun later than a launch takes after the product's end, that would explain nothing. */
	for (size_t i = 0; i < a.trace.rows.spans.n; i++)
		if (a.trace.rows.spans.name[i] == WORD_ALL_REDUCE)
			a.trace.rows.spans.start_ns[i] += 9;
	path_of(&a.trace, &everything, &a.arena, &path);
	assert_int_equal(path.inferred, 0);
	finish(&a);
}

/* Without a launch to measure with, what begins at the nanosecond when work of another stream ends began because of it. */
static void what_times_tell_without_launches(void **state)
{
	struct ts_trace_spans *s;
	struct asked a;

	(void)state;
	make_overlap(&a.program);
	a.program.order = 0;
	ask(&a, &everything);
	s = &a.trace.rows.spans;
	a.trace.rows.syncs.n = 0;
	for (size_t i = 0; i < s->n; i++)
		s->correlation[i] = TS_TRACE_NONE;
	path_of(&a.trace, &everything, &a.arena, &a.path);
	assert_int_equal(a.path.inferred, 1);
	for (size_t i = 0; i < s->n; i++)
		s->start_ns[i] += s->name[i] == WORD_ALL_REDUCE;
	path_of(&a.trace, &everything, &a.arena, &a.path);
	assert_int_equal(a.path.inferred, 0);
	finish(&a);
}

/* A wait for an event of which the trace does not say where it was recorded, and a kernel of which it does not say who launched it. */
static void what_is_not_known(void **state)
{
	struct asked a;

	(void)state;
	a.program = (struct program){.call = 5, .sync = 4, .launch = 10, .back = 3};
	add(&a.program, DO_LAUNCH, WORD_GEMM, 0, 0, 100);
	add(&a.program, DO_RECORD, 0, 0, 0, 0);
	add(&a.program, DO_SYNC_EVENT, 0, 0, 0, 0);
	ask(&a, &everything);
	assert_int_equal(a.path.groups[TS_PATH_OF_WAIT], 0);
	assert_int_equal(a.path.groups[TS_PATH_OF_COMPUTATION], 100);
	a.trace.rows.syncs.n = 0;
	path_of(&a.trace, &everything, &a.arena, &a.path);
	assert_int_equal(a.path.ns, 113);
	assert_int_equal(a.path.groups[TS_PATH_OF_WAIT], 103);
	assert_int_equal(a.path.groups[TS_PATH_OF_COMPUTATION], 0);
	for (size_t i = 0; i < a.trace.rows.spans.n; i++) {
		a.trace.rows.spans.correlation[i] = TS_TRACE_NONE;
		a.trace.rows.spans.duration_ns[i] += a.trace.rows.spans.name[i] == WORD_GEMM ? 10 : 0;
	}
	path_of(&a.trace, &everything, &a.arena, &a.path);
	assert_int_equal(a.path.n_pieces, 2);
	is_piece(&a.path.pieces[0], TS_PATH_UNKNOWN, 0, 10);
	is_piece(&a.path.pieces[1], TS_KERNEL_GEMM, 10, 120);
	finish(&a);
}

/* --- steps --- */

static void make_steps(struct program *p, uint32_t of)
{
	seed = of * 2654435761u + 99;
	*p = (struct program){.call = 1 + draw(12), .launch = 4 + draw(10), .order = draw(4), .back = 2, .sync = 5};
	add_random(p);
	for (uint32_t step = WORD_STEP_1; step <= WORD_STEP_4; step++) {
		size_t at = p->n;

		add(p, DO_STEP, step, 0, 0, 0);
		for (uint32_t i = 0, n = 1 + draw(12); i < n; i++)
			add_random(p);
		add(p, DO_OPERATE, 0, 0, 0, 5);
		p->actions[at].ns = (int64_t)(p->n - at - 1);
	}
}

static void steps_end_to_end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		struct ts_critical_path third;
		int64_t done[4];
		struct asked a;

		make_steps(&a.program, i);
		(void)program_run(&a.program, NULL, done);
		ask(&a, &everything);
		assert_int_equal(a.path.n_windows, 3);
		for (size_t k = 0; k < 3; k++) {
			assert_true(a.path.windows[k].is_step);
			assert_int_equal(a.path.windows[k].step, k + 2);
			assert_int_equal(a.path.windows[k].begin_ns, done[k]);
			assert_int_equal(a.path.windows[k].ns, done[k + 1] - done[k]);
		}
		path_of(&a.trace, &(struct ts_path_asked){.has_step = true, .step = 3}, &a.arena, &third);
		assert_int_equal(third.n_windows, 1);
		assert_memory_equal(&third.windows[0], &a.path.windows[1], sizeof third.windows[0]);
		finish(&a);
	}
}

static void a_step_that_is_not_there(void **state)
{
	struct ts_critical_path path;
	struct ts_error err;
	struct ts_nest nest;
	struct asked a;

	(void)state;
	make_steps(&a.program, 1);
	ask(&a, &everything);
	assert_int_equal(ts_nest(&a.trace, &a.arena, &nest, &err), TS_OK);
	assert_int_equal(ts_critical_path(&a.trace, &nest, &(struct ts_path_asked){.has_step = true, .step = 9}, &a.arena, &path, &err),
			 TS_NOT_FOUND);
	assert_string_equal(err.text, "the trace has no step 9; it has 4");
	finish(&a);
}

/* --- traces that make no sense --- */

static void any_columns_add_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		struct ts_trace_spans *s;
		struct asked a;

		make_program(&a.program, i);
		ask(&a, &everything);
		s = &a.trace.rows.spans;
		for (size_t k = 0; k < s->n; k++) {
			if (draw(4) == 0)
				s->start_ns[k] = draw(3)   ? (int64_t)draw(3000) - 1000
						 : draw(2) ? INT64_MAX - (int64_t)draw(9)
							   : INT64_MIN + 5;
			if (draw(4) == 0)
				s->duration_ns[k] = draw(3) ? draw(400) : draw(2) ? INT64_MAX : 0;
			if (s->start_ns[k] > 0 && s->duration_ns[k] > INT64_MAX - s->start_ns[k])
				s->duration_ns[k] = INT64_MAX - s->start_ns[k];
			if (draw(6) == 0)
				s->correlation[k] = draw(20);
			if (draw(6) == 0)
				s->kind[k] = (uint8_t)draw(TS_TRACE_KINDS);
			if (draw(8) == 0)
				s->name[k] = draw(PROGRAM_WORDS);
			if (draw(8) == 0)
				s->stream[k] = draw(2) ? -1 : TS_TRACE_NO_DEVICE;
			if (draw(8) == 0)
				s->thread[k] = draw(5);
		}
		path_of(&a.trace, &everything, &a.arena, &a.path);
		finish(&a);
	}
}

static void empty_trace(void **state)
{
	struct ts_trace trace = {0};
	struct ts_critical_path path;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 0);
	path_of(&trace, &everything, &arena, &path);
	assert_int_equal(path.n_windows, 0);
	assert_int_equal(path.ns, 0);
	ts_arena_finish(&arena);
}

/* --- what if --- */

static void no_kernels_of(struct program *p, uint32_t word)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->actions[i].verb == DO_LAUNCH && p->actions[i].word == word)
			p->actions[i].ns = 0;
}

static void no_host(struct program *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->actions[i].verb == DO_OPERATE || p->actions[i].verb == DO_NOTHING)
			p->actions[i].ns = 0;
	p->call = p->sync = p->back = p->start = p->join = 0;
}

/* Compares, if the answer has it: what is not on the path saves nothing. */
static void compare(const struct asked *a, const struct program *ideal, const struct ts_what_if *got, uint32_t of, const char *what)
{
	int64_t wanted = program_run(ideal, NULL, NULL);

	if (!got)
		assert_int_equal(wanted, a->took);
	else if (got->ns != (uint64_t)wanted || got->saved_ns != (uint64_t)(a->took - wanted))
		fail_msg("program %u without %s: %" PRIu64 " ns and not %" PRId64 ", of %" PRId64, of, what, got->ns, wanted, a->took);
}

static void what_if_is_what_the_program_takes(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		struct program ideal;
		struct asked a;

		make_program(&a.program, i);
		ask(&a, &everything);
		assert_int_equal(a.path.ns, a.took);
		assert_int_equal(a.path.groups[TS_PATH_OF_WAIT] + a.path.groups[TS_PATH_OF_UNKNOWN], 0);
		ideal = a.program;
		no_kernels_of(&ideal, WORD_ALL_REDUCE);
		compare(&a, &ideal, find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_COMMUNICATION), i, "communication");
		ideal = a.program;
		no_kernels_of(&ideal, WORD_GEMM);
		no_kernels_of(&ideal, WORD_ELEMENTWISE);
		compare(&a, &ideal, find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_COMPUTATION), i, "computation");
		ideal = a.program;
		no_kernels_of(&ideal, WORD_GEMM);
		if (find_if(&a, TS_IDEAL_WHAT, TS_KERNEL_GEMM, TS_PATH_OF_COMPUTATION))
			compare(&a, &ideal, find_if(&a, TS_IDEAL_WHAT, TS_KERNEL_GEMM, TS_PATH_OF_COMPUTATION), i, "gemm");
		ideal = a.program;
		ideal.launch = 0;
		compare(&a, &ideal, find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_LAUNCH), i, "launches");
		ideal = a.program;
		ideal.order = 0;
		compare(&a, &ideal, find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_QUEUE), i, "gaps of queued work");
		ideal = a.program;
		no_host(&ideal);
		compare(&a, &ideal, find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_HOST), i, "the host");
		finish(&a);
	}
}

/* A step that its kernel [40, 140) ends is not shorter than what the host does in it, until 85, if that kernel takes no time. */
static void a_step_waits_for_its_host_too(void **state)
{
	struct asked a;

	(void)state;
	a.program = (struct program){.call = 5, .sync = 4, .launch = 10, .back = 3};
	for (uint32_t step = WORD_STEP_1; step <= WORD_STEP_2; step++) {
		add(&a.program, DO_STEP, step, 0, 0, 1);
		add(&a.program, DO_OPERATE, 0, 0, 0, 10);
	}
	add(&a.program, DO_STEP, WORD_STEP_3, 0, 0, 3);
	add(&a.program, DO_OPERATE, 0, 0, 0, 20);
	add(&a.program, DO_LAUNCH, WORD_GEMM, 0, 0, 100);
	add(&a.program, DO_OPERATE, 0, 0, 0, 50);
	ask(&a, &everything);
	assert_int_equal(a.path.n_windows, 2);
	assert_int_equal(a.path.ns, 10 + 130);
	assert_int_equal(find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_COMPUTATION)->ns, 10 + 20 + 5 + 50);
	finish(&a);
}

/* The trace of the program from which the kernels are gone altogether has the length that was said: where a call takes as long as a
 * launch and the return from a wait, and queued work follows at once, no time of a kernel that took none remains. */
static void what_if_is_the_trace_without_the_events(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		const struct ts_what_if *got;
		struct asked a, without;

		make_program(&a.program, i);
		a.program.order = 0;
		a.program.call = a.program.launch + a.program.back;
		without.program = a.program;
		for (size_t k = 0; k < a.program.n; k++)
			if (a.program.actions[k].verb == DO_LAUNCH && a.program.actions[k].word == WORD_ALL_REDUCE)
				without.program.actions[k] = (struct action){.verb = DO_OPERATE, .ns = a.program.call};
		ask(&a, &everything);
		ask(&without, &everything);
		got = find_if(&a, TS_IDEAL_GROUP, 0, TS_PATH_OF_COMMUNICATION);
		assert_int_equal(without.path.ns, without.took);
		assert_int_equal(got ? got->ns : a.path.ns, without.path.ns);
		finish(&a);
		finish(&without);
	}
}

/* The waits of one rank in collectives, as another part of tscope finds them. */
static void shorter_collectives(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < CASES; i++) {
		uint32_t spans[PROGRAM_MOST];
		uint64_t by_ns[PROGRAM_MOST];
		struct ts_path_asked asked = {.shorter = spans, .by_ns = by_ns};
		struct program ideal;
		struct ts_trace trace;
		struct asked a;

		make_program(&a.program, i);
		ideal = a.program;
		(void)program_run(&a.program, &trace, NULL);
		for (size_t k = 0, launch = 0; k < trace.rows.spans.n; k++) {
			if (trace.rows.spans.kind[k] != TS_TRACE_KERNEL)
				continue;
			while (ideal.actions[launch].verb != DO_LAUNCH)
				launch++;
			if (ideal.actions[launch].word == WORD_ALL_REDUCE) {
				spans[asked.n_shorter] = (uint32_t)k;
				by_ns[asked.n_shorter] = (uint64_t)ideal.actions[launch].ns / 3;
				ideal.actions[launch].ns -= (int64_t)by_ns[asked.n_shorter++];
			}
			launch++;
		}
		program_finish(&trace);
		ask(&a, &asked);
		compare(&a, &ideal, find_if(&a, TS_IDEAL_SHORTER, 0, 0), i, "waits");
		finish(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_on_paper),
		cmocka_unit_test(what_times_tell),
		cmocka_unit_test(what_times_tell_without_launches),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(steps_end_to_end),
		cmocka_unit_test(a_step_that_is_not_there),
		cmocka_unit_test(any_columns_add_up),
		cmocka_unit_test(empty_trace),
		cmocka_unit_test(what_if_is_what_the_program_takes),
		cmocka_unit_test(a_step_waits_for_its_host_too),
		cmocka_unit_test(what_if_is_the_trace_without_the_events),
		cmocka_unit_test(shorter_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
