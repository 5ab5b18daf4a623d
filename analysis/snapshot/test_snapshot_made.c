#include "analysis/snapshot/test_snapshot_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 4096 };

static struct ts_snapshot made;
static struct ts_span texts[MOST];
static struct ts_snapshot_frame frames[MOST];
static struct ts_snapshot_stack stacks[MOST];
static uint32_t stack_frames[MOST];
static struct ts_snapshot_segment segments[MOST];
static struct ts_snapshot_block blocks[MOST];
static struct ts_snapshot_event events[MOST];
static struct ts_snapshot_mark marks[MOST];
static struct ts_snapshot_device devices[1];

void made_begin(void)
{
	made = (struct ts_snapshot){0};
}

static uint32_t text_of(struct ts_span text)
{
	for (size_t i = 0; i < made.n_texts; i++)
		if (ts_span_eq(texts[i], text))
			return (uint32_t)i;
	assert_true(made.n_texts < MOST);
	texts[made.n_texts] = text;
	return (uint32_t)made.n_texts++;
}

/* As a reader has them, each once. */
static uint32_t frame_of(uint32_t file, uint32_t function)
{
	for (size_t i = 0; i < made.n_frames; i++)
		if (frames[i].file == file && frames[i].function == function)
			return (uint32_t)i;
	frames[made.n_frames] = (struct ts_snapshot_frame){.file = file, .function = function};
	return (uint32_t)made.n_frames++;
}

uint32_t made_stack(const char *of)
{
	struct ts_snapshot_stack *s = &stacks[made.n_stacks];

	if (!of)
		return TS_SNAPSHOT_NONE;
	s->first = made.n_stack_frames;
	s->n = 0;
	for (const char *end; of; of = *end ? end + 3 : NULL) {
		const char *next = strstr(of, " < "), *colon = strchr(of, ':');

		end = next ? next : of + strlen(of);
		stack_frames[made.n_stack_frames++] = frame_of(text_of(ts_span_of(of, (size_t)(colon - of))),
							       text_of(ts_span_of(colon + 1, (size_t)(end - colon - 1))));
		s->n++;
	}
	return (uint32_t)made.n_stacks++;
}

uint32_t made_event(enum ts_snapshot_action action, uint64_t address, uint64_t size, const char *of)
{
	assert_true(made.n_events < MOST);
	events[made.n_events] = (struct ts_snapshot_event){.address = address,
							   .size = size,
							   .pool = {TS_SNAPSHOT_NO_POOL, TS_SNAPSHOT_NO_POOL},
							   .time_us = 10 * (int64_t)made.n_events,
							   .stack = made_stack(of),
							   .context = TS_SNAPSHOT_NONE,
							   .metadata = TS_SNAPSHOT_NONE,
							   .action = (uint8_t)action};
	return (uint32_t)made.n_events++;
}

void made_same_stack(uint32_t event, uint32_t as)
{
	events[event].stack = events[as].stack;
}

void made_pool(uint32_t event, uint64_t pool)
{
	events[event].pool[0] = 0;
	events[event].pool[1] = pool;
}

void made_free(uint64_t address, uint64_t size, const char *of)
{
	made_event(TS_ACTION_FREE_REQUESTED, address, size, of);
	made_event(TS_ACTION_FREE_COMPLETED, address, size, of);
}

void made_mark(const char *stage, const char *name)
{
	marks[made.n_marks++] = (struct ts_snapshot_mark){.time_us = 10 * (int64_t)made.n_events - 5,
							  .name = text_of(ts_span_str(name)),
							  .stage = text_of(ts_span_str(stage))};
}

struct ts_snapshot_segment *made_segment(uint64_t address, uint64_t total)
{
	segments[made.n_segments] = (struct ts_snapshot_segment){
		.address = address, .total = total, .first_block = made.n_blocks, .stack = TS_SNAPSHOT_NONE};
	return &segments[made.n_segments++];
}

void made_block(uint64_t size, uint64_t requested, enum ts_block_state state, const char *of)
{
	struct ts_snapshot_segment *g = &segments[made.n_segments - 1];
	uint64_t at = g->address;

	for (uint32_t i = 0; i < g->n_blocks; i++)
		at += blocks[g->first_block + i].size;
	blocks[made.n_blocks++] = (struct ts_snapshot_block){
		.address = at, .size = size, .requested = requested, .stack = made_stack(of), .state = (uint8_t)state};
	g->n_blocks++;
	g->allocated += state == TS_BLOCK_ACTIVE ? size : 0;
}

const struct ts_snapshot *made_end(void)
{
	devices[0] = (struct ts_snapshot_device){0, made.n_events};
	made.texts = texts;
	made.frames = frames;
	made.stacks = stacks;
	made.stack_frames = stack_frames;
	made.segments = segments;
	made.blocks = blocks;
	made.events = events;
	made.marks = marks;
	made.devices = devices;
	made.n_devices = 1;
	made.traced = made.n_events > 0;
	return &made;
}
