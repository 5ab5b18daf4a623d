#include "ingest/snapshot/test_snapshot_dump.h"

/* FNV-1a of the frames as text: a name for a stack that does not depend on how it is kept. */
static void put_stack(const struct ts_snapshot *s, uint32_t stack, struct ts_buf *out)
{
	struct ts_buf text = TS_BUF_INIT(64 << 20);
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	if (stack == TS_SNAPSHOT_NONE) {
		ts_buf_char(out, '-');
		return;
	}
	for (uint32_t i = 0; i < s->stacks[stack].n; i++) {
		const struct ts_snapshot_frame *f = &s->frames[s->stack_frames[s->stacks[stack].first + i]];

		ts_buf_printf(&text, "%.*s\t%d\t%.*s\n", TS_SPAN_ARG(s->texts[f->file]), f->line, TS_SPAN_ARG(s->texts[f->function]));
	}
	for (size_t i = 0; i < text.len; i++)
		h = (h ^ text.data[i]) * UINT64_C(0x100000001b3);
	ts_buf_printf(out, "%u:%016" PRIx64, s->stacks[stack].n, h);
	ts_buf_finish(&text);
}

static void put_segment(const struct ts_snapshot *s, const struct ts_snapshot_segment *g, struct ts_buf *out)
{
	static const char *const states[] = {"inactive", "active", "pending", "other"};

	ts_buf_printf(out,
		      "segment %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ",%" PRIu64
		      " %s %s ",
		      g->device, g->address, g->total, g->allocated, g->active, g->requested, g->stream, g->pool[0], g->pool[1],
		      g->small ? "small" : "large", g->expandable ? "expandable" : "fixed");
	put_stack(s, g->stack, out);
	ts_buf_printf(out, " %u\n", g->n_blocks);
	for (const struct ts_snapshot_block *b = s->blocks + g->first_block; b < s->blocks + g->first_block + g->n_blocks; b++) {
		ts_buf_printf(out, "block %" PRIu64 " %" PRIu64 " %" PRIu64 " %s ", b->address, b->size, b->requested,
			      states[b->state]);
		put_stack(s, b->stack, out);
		ts_buf_char(out, '\n');
	}
}

static void put_text(const struct ts_snapshot *s, uint32_t text, struct ts_buf *out)
{
	ts_buf_str(out, "[");
	ts_buf_span(out, text == TS_SNAPSHOT_NONE ? ts_span_str("-") : s->texts[text]);
	ts_buf_str(out, "] ");
}

static void put_event(const struct ts_snapshot *s, const struct ts_snapshot_event *e, struct ts_buf *out)
{
	ts_buf_printf(out, "event %u %" PRIu64 " %" PRIu64 " %" PRIu64 " ", e->action, e->address, e->size, e->stream);
	if (e->time_us == INT64_MIN)
		ts_buf_str(out, "- ");
	else
		ts_buf_printf(out, "%" PRId64 " ", e->time_us);
	put_text(s, e->context, out);
	put_text(s, e->metadata, out);
	put_stack(s, e->stack, out);
	if (e->pool[0] != TS_SNAPSHOT_NO_POOL || e->pool[1] != TS_SNAPSHOT_NO_POOL)
		ts_buf_printf(out, " %" PRIu64 ",%" PRIu64, e->pool[0], e->pool[1]);
	ts_buf_char(out, '\n');
}

void test_snapshot_dump(const struct ts_snapshot *s, struct ts_buf *out)
{
	for (size_t i = 0; i < s->n_segments; i++)
		put_segment(s, &s->segments[i], out);
	for (size_t d = 0; s->traced && d < s->n_devices; d++) {
		ts_buf_printf(out, "device %zu %zu\n", d, s->devices[d].n_events);
		for (size_t i = 0; i < s->devices[d].n_events; i++)
			put_event(s, &s->events[s->devices[d].first_event + i], out);
	}
	for (size_t i = 0; i < s->n_settings; i++)
		ts_buf_printf(out, "setting %.*s=%.*s\n", TS_SPAN_ARG(s->settings[i].name), TS_SPAN_ARG(s->settings[i].value));
	for (const struct ts_snapshot_mark *m = s->marks; m < s->marks + s->n_marks; m++)
		ts_buf_printf(out, "mark %u %" PRId64 " %.*s %.*s\n", m->device, m->time_us, TS_SPAN_ARG(ts_snapshot_text(s, m->stage)),
			      TS_SPAN_ARG(ts_snapshot_text(s, m->name)));
}
