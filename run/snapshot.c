#include "run/snapshot.h"

const char *const ts_snapshot_actions[TS_ACTIONS] = {
	[TS_ACTION_ALLOC] = "alloc",
	[TS_ACTION_FREE_REQUESTED] = "free_requested",
	[TS_ACTION_FREE_COMPLETED] = "free_completed",
	[TS_ACTION_SEGMENT_ALLOC] = "segment_alloc",
	[TS_ACTION_SEGMENT_FREE] = "segment_free",
	[TS_ACTION_SEGMENT_MAP] = "segment_map",
	[TS_ACTION_SEGMENT_UNMAP] = "segment_unmap",
	[TS_ACTION_SNAPSHOT] = "snapshot",
	[TS_ACTION_OOM] = "oom",
};

static bool is_in(uint32_t index, size_t n)
{
	return index < n || index == TS_SNAPSHOT_NONE;
}

static bool stacks_hold(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < s->n_frames; i++)
		if (!is_in(s->frames[i].file, s->n_texts) || !is_in(s->frames[i].function, s->n_texts))
			return false;
	for (size_t i = 0; i < s->n_stacks; i++)
		if (s->stacks[i].n == 0 || s->stacks[i].first > s->n_stack_frames ||
		    s->stacks[i].n > s->n_stack_frames - s->stacks[i].first)
			return false;
	for (size_t i = 0; i < s->n_stack_frames; i++)
		if (s->stack_frames[i] >= s->n_frames)
			return false;
	return true;
}

static bool memory_holds(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < s->n_segments; i++) {
		const struct ts_snapshot_segment *g = &s->segments[i];

		if (!is_in(g->stack, s->n_stacks) || g->device >= s->n_devices || g->first_block > s->n_blocks ||
		    g->n_blocks > s->n_blocks - g->first_block)
			return false;
	}
	for (size_t i = 0; i < s->n_blocks; i++)
		if (!is_in(s->blocks[i].stack, s->n_stacks) || s->blocks[i].state > TS_BLOCK_OTHER)
			return false;
	return true;
}

static bool events_hold(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < s->n_events; i++) {
		const struct ts_snapshot_event *e = &s->events[i];

		if (!is_in(e->stack, s->n_stacks) || !is_in(e->context, s->n_texts) || !is_in(e->metadata, s->n_texts) ||
		    e->action >= TS_ACTIONS)
			return false;
	}
	for (size_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].first_event > s->n_events || s->devices[i].n_events > s->n_events - s->devices[i].first_event)
			return false;
	return true;
}

bool ts_snapshot_holds(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < s->n_marks; i++)
		if (!is_in(s->marks[i].name, s->n_texts) || !is_in(s->marks[i].stage, s->n_texts))
			return false;
	for (size_t i = 0; i < s->n_unknown; i++)
		if (!is_in(s->unknown[i].key, s->n_texts))
			return false;
	return stacks_hold(s) && memory_holds(s) && events_hold(s);
}
