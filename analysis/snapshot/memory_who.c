#include "analysis/snapshot/memory_who.h"

#include "base/door.h"
#include "base/text.h"

static void put_frame(const struct ts_memory *m, uint32_t frame, struct ts_arena *arena, struct ts_memory_who *who)
{
	const struct ts_snapshot *s = m->replay->snapshot;

	if (frame == TS_SNAPSHOT_NONE)
		return;
	who->file = s->texts[s->frames[frame].file];
	who->function = s->texts[s->frames[frame].function];
	who->line = s->frames[frame].line;
	who->module = ts_module_of(who->file, arena);
}

struct ts_memory_who ts_memory_who_of(const struct ts_memory *m, uint32_t stack, struct ts_arena *arena)
{
	struct ts_memory_who who = {.line = 0};

	TS_DOOR(ts_memory_holds(m));
	put_frame(m, stack == TS_SNAPSHOT_NONE ? stack : m->origins[stack].frame, arena, &who);
	return who;
}

struct ts_span ts_memory_short_function(struct ts_span function)
{
	size_t begin = 0, last = 0, end = 0;

	while (end < function.len && function.data[end] != '(' && function.data[end] != '<') {
		if (function.data[end] == ' ')
			begin = last = end + 1;
		if (end && function.data[end] == ':' && function.data[end - 1] == ':') {
			begin = last;
			last = end + 1;
		}
		end++;
	}
	return last && last < end ? ts_span_part(function, begin, end - begin) : function;
}

void ts_memory_put_name(struct ts_buf *out, struct ts_span name, size_t most)
{
	struct ts_span head = ts_utf8_cut(name, most / 2);
	size_t tail = most / 2;

	if (name.len <= most) {
		ts_buf_span(out, name);
		return;
	}
	while (tail && (name.data[name.len - tail] & 0xC0) == 0x80)
		tail--;
	ts_buf_span(out, head);
	ts_buf_str(out, "...");
	ts_buf_span(out, ts_span_from(name, name.len - tail));
}

void ts_memory_who_say(struct ts_buf *out, const struct ts_memory_who *who)
{
	if (!who->file.len && !who->function.len) {
		ts_buf_str(out, "code that no stack names");
		return;
	}
	ts_memory_put_name(out, ts_memory_short_function(who->function), TS_MEMORY_NAME_SAID);
	if (who->line > 0) {
		ts_buf_str(out, " (");
		ts_memory_put_name(out, who->file, TS_MEMORY_NAME_SAID);
		ts_buf_printf(out, ":%" PRId64 ")", who->line);
	}
}

struct ts_span ts_memory_calls(const struct ts_memory *m, uint32_t stack, struct ts_arena *arena)
{
	const struct ts_snapshot *s = m->replay->snapshot;
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_span text;
	int n = 0;

	TS_DOOR(ts_memory_holds(m));
	if (stack == TS_SNAPSHOT_NONE)
		return ts_span_of(NULL, 0);
	for (uint32_t i = 0; i < s->stacks[stack].n && n <= TS_MEMORY_CALLS; i++) {
		const struct ts_snapshot_frame *f = &s->frames[s->stack_frames[s->stacks[stack].first + i]];
		struct ts_span file = s->texts[f->file], function = s->texts[f->function];

		if (!ts_is_python(file))
			continue;
		ts_buf_str(&out, n ? " < " : "");
		if (n++ == TS_MEMORY_CALLS) {
			ts_buf_str(&out, "...");
			break;
		}
		ts_memory_put_name(&out, function, TS_MEMORY_NAME_MOST);
		ts_buf_str(&out, " (");
		ts_memory_put_name(&out, file, TS_MEMORY_NAME_MOST);
		ts_buf_printf(&out, ":%d)", f->line);
	}
	text = ts_arena_span(arena, ts_buf_view(&out));
	if (out.failed)
		arena->failed = true;
	ts_buf_finish(&out);
	return text;
}

enum ts_status ts_memory_whos_of(const struct ts_memory *m, const struct ts_holders *h, enum ts_holder_by by, struct ts_arena *arena,
				 struct ts_memory_whos *ret_whos, struct ts_error *err)
{
	struct ts_memory_whos whos = {.n = h->n < TS_MEMORY_HOLDERS ? h->n : TS_MEMORY_HOLDERS};

	TS_DOOR(ts_memory_holds(m));
	whos.more = h->n - whos.n;
	whos.items = ts_arena_array(arena, whos.n, sizeof *whos.items);
	if (!whos.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < whos.n; i++) {
		const struct ts_holder *from = &h->items[i];

		whos.items[i] = (struct ts_memory_who){.kind = (enum ts_memory_kind)from->kind,
						       .bytes = from->bytes,
						       .largest = from->largest,
						       .count = from->n,
						       .size = by == TS_BY_SIZE ? from->key : 0};
		put_frame(m, from->frame, arena, &whos.items[i]);
		if (by == TS_BY_STACK)
			whos.items[i].calls = ts_memory_calls(m, from->stack, arena);
		if (by == TS_BY_FILE) {
			whos.items[i].function = ts_span_of(NULL, 0);
			whos.items[i].line = 0;
		}
	}
	*ret_whos = whos;
	return ts_arena_check(arena, err);
}

enum ts_status ts_memory_held_at(const struct ts_memory *m, uint32_t event, enum ts_holder_by by, struct ts_arena *arena,
				 struct ts_memory_whos *ret_whos, struct ts_error *err)
{
	struct ts_holders h;

	TS_DOOR(ts_memory_holds(m));
	if (ts_holders_at(m, event, by, arena, &h, err))
		return err->status;
	return ts_memory_whos_of(m, &h, by, arena, ret_whos, err);
}
