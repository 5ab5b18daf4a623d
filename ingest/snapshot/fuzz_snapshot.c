/* Any bytes as a snapshot: no crash, no leak, no memory beyond what its size explains; and what is read can be analyzed, with sums that
 * add up. */
#include "analysis/rules/rule.h"
#include "analysis/snapshot/course.h"
#include "analysis/snapshot/memory_moment.h"
#include "analysis/snapshot/memory_rows.h"
#include "analysis/snapshot/scaling.h"
#include "ingest/snapshot/snapshot_read.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every index of the tables is one of theirs. */
static void walk(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < s->n_stacks; i++)
		hold(s->stacks[i].n && s->stacks[i].n <= s->n_stack_frames - s->stacks[i].first);
	for (size_t i = 0; i < s->n_stack_frames; i++)
		hold(s->stack_frames[i] < s->n_frames);
	for (size_t i = 0; i < s->n_frames; i++)
		hold(s->frames[i].file < s->n_texts && s->frames[i].function < s->n_texts);
	for (size_t i = 0; i < s->n_segments; i++)
		hold(s->segments[i].device < s->n_devices && s->segments[i].n_blocks <= s->n_blocks - s->segments[i].first_block);
	for (size_t i = 0; i < s->n_blocks; i++)
		hold(s->blocks[i].stack == TS_SNAPSHOT_NONE || s->blocks[i].stack < s->n_stacks);
	for (size_t i = 0; i < s->n_devices; i++)
		hold(s->devices[i].n_events <= s->n_events - s->devices[i].first_event);
	for (size_t i = 0; i < s->n_events; i++)
		hold((s->events[i].stack == TS_SNAPSHOT_NONE || s->events[i].stack < s->n_stacks) && s->events[i].action < TS_ACTIONS);
}

static uint64_t sum(const uint64_t kinds[TS_MEMORY_KINDS])
{
	uint64_t all = 0;

	for (int k = 0; k < TS_MEMORY_KINDS; k++)
		all += kinds[k];
	return all;
}

/* What is asked of a device beyond the answer: a picture, moments, findings, and what would fit. */
static void ask(const struct ts_memory_device *d, struct ts_arena *arena)
{
	uint32_t n = d->replay->n_events, at[] = {TS_REPLAY_BEFORE, 0, n / 2, n - 1, d->replay->peak_event};
	struct ts_scaling_point points[TS_SCALING_MOST];
	struct ts_scaling scaling = {.points = points, .lengths = n % 2};
	struct ts_measures rows = {0};
	struct ts_findings findings;
	struct ts_moment moment;
	struct ts_course course;
	struct ts_error err;

	if (ts_course_of(&d->memory, arena, &course, &err) == TS_OK)
		for (size_t i = 0; i < course.n; i++)
			hold(sum(course.states[i].kinds) == course.states[i].total);
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		uint64_t all = 0;

		if (at[i] != TS_REPLAY_BEFORE && at[i] >= n)
			continue;
		if (ts_moment_of(&d->memory, at[i], arena, &moment, &err))
			continue;
		for (int k = 0; k < TS_MEMORY_KINDS; k++)
			all += moment.kinds[k].bytes;
		hold(all == moment.requested && moment.n_pieces <= TS_MOMENT_PIECES && moment.n_shown <= TS_MOMENT_RANGES);
	}
	if (ts_memory_rows(d, arena, &rows, &err) == TS_OK)
		(void)ts_findings_of_snapshot(&rows, NULL, arena, &findings, &err);
	if (ts_scaling_add(&scaling, 8, d, &err) == TS_OK && ts_scaling_add(&scaling, 16, d, &err) == TS_OK)
		(void)ts_scaling_fit(&scaling, UINT64_C(1) << 40, &err);
}

static void analyze(const struct ts_snapshot *s, struct ts_arena *arena)
{
	struct ts_memory_answer answer;
	struct ts_error err;

	if (ts_memory_of(s, UINT64_C(1) << 30, arena, &answer, &err))
		return;
	for (size_t i = 0; i < answer.n; i++) {
		const struct ts_memory_device *d = &answer.devices[i];
		uint64_t of_kinds = 0, of_lives = 0;

		for (int k = 0; k < TS_MEMORY_KINDS; k++)
			of_kinds += d->kinds[k].churned;
		for (uint32_t k = 0; k < d->replay->n_lives; k++)
			of_lives += d->replay->lives[k].born == TS_REPLAY_BEFORE ? 0 : d->replay->lives[k].requested;
		hold(of_kinds == of_lives);
		hold(d->fragments.cached + d->fragments.pages + d->fragments.stuck == d->fragments.free);
		ask(d, arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];
	struct ts_source source = {
		.fd = -1, .memory = ts_span_of(size ? data : nothing, size), .size = size, .path = ts_span_str("s.pickle")};
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 256 << 20);
	if (ts_snapshot_read(&source, &arena, &s, &err) == TS_OK) {
		walk(&s);
		analyze(&s, &arena);
	}
	ts_arena_finish(&arena);
	return 0;
}
