#include "analysis/trace/host/lanes.h"

#include "analysis/trace/device/device_events.h"
#include "base/door.h"
#include "base/order.h"
#include "base/scratch.h"
#include "base/words.h"

TS_WORDS(ts_lane_part_word, enum ts_lane_part, "unknown", [TS_LANE_COMPUTATION] = "computation",
	 [TS_LANE_COMMUNICATION] = "communication", [TS_LANE_COPIES] = "copies and fills", [TS_LANE_OPERATORS] = "operators",
	 [TS_LANE_CALLS] = "calls of the runtime", [TS_LANE_WAITS] = "waits for a device")

/* A span in its lane. */
struct piece {
	uint64_t lane; /* what lanes are ordered by: device and stream, or the kind of the thread and the thread */
	int64_t begin, end;
	uint32_t row;
	uint8_t part;
	bool host;
};

TS_ORDER(by_lane, struct piece, TS_UP(host); TS_UP(lane); TS_UP(begin); TS_UP(row))

static uint32_t ordered(int32_t number)
{
	return (uint32_t)number ^ UINT32_C(0x80000000);
}

static uint8_t part_of_device(uint8_t class)
{
	if (class == TS_PART_COMMUNICATION)
		return TS_LANE_COMMUNICATION;
	return class == TS_PART_MEMORY ? TS_LANE_COPIES : TS_LANE_COMPUTATION;
}

/* Whether it is an operator or a call, and stands in none. above: of each span, whether it is one or stands in one. */
static bool is_outermost(const struct ts_trace *trace, const struct ts_nest *nest, uint32_t row, bool *above)
{
	uint8_t kind = trace->rows.spans.kind[row];
	uint32_t parent = nest->parent[row];
	bool inside = parent != TS_NEST_NONE && above[parent], is = kind == TS_TRACE_OPERATOR || kind == TS_TRACE_RUNTIME;

	above[row] = inside || is;
	return is && !inside;
}

static enum ts_status gather(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			     const bool *waiting, struct ts_arena *arena, struct piece **ret, size_t *ret_n, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w = NULL;
	bool *above = ts_arena_array(arena, s->n, sizeof *above);
	struct piece *out;
	size_t n = 0, at = 0;

	if (ts_device_events(trace, arena, &w, &n, err))
		return err->status;
	out = ts_scratch_array(arena, n + nest->n_order, sizeof *out);
	if (!above || !out)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		out[at++] = (struct piece){.lane = (uint64_t)ordered(s->device[w[i].row]) << 32 | ordered(s->stream[w[i].row]),
					   .begin = w[i].begin,
					   .end = w[i].end,
					   .row = w[i].row,
					   .part = part_of_device(w[i].class)};
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t row = nest->order[k];
		uint8_t part = s->kind[row] == TS_TRACE_OPERATOR ? TS_LANE_OPERATORS : TS_LANE_CALLS;

		if (!is_outermost(trace, nest, row, above))
			continue;
		out[at++] = (struct piece){.host = true,
					   .lane = (uint64_t)names->kinds[s->thread[row]] << 32 | s->thread[row],
					   .begin = s->start_ns[row],
					   .end = s->start_ns[row] + s->duration_ns[row],
					   .row = row,
					   .part = waiting[row] ? TS_LANE_WAITS : part};
	}
	TS_SORT(out, at, by_lane);
	*ret = out;
	*ret_n = at;
	return TS_OK;
}

static struct ts_lane_place place_of(const struct ts_trace *trace, const struct ts_host_names *names, const struct piece *p)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint32_t thread = s->thread[p->row];

	if (!p->host)
		return (struct ts_lane_place){.device = s->device[p->row], .stream = s->stream[p->row], .tid = TS_TRACE_NONE};
	return (struct ts_lane_place){
		.host = true, .tid = trace->threads[thread].tid, .kind = (enum ts_host_thread_kind)names->kinds[thread]};
}

static bool same_lane(const struct piece *a, const struct piece *b)
{
	return a->host == b->host && a->lane == b->lane;
}

static uint64_t shown_ns(const struct ts_lane_span *s)
{
	return (uint64_t)s->end_ns - (uint64_t)s->from_ns;
}

static enum ts_status sum_runs(struct ts_lane *lane, struct ts_arena *arena, struct ts_error *err)
{
	lane->runs = ts_arena_array(arena, (lane->n + TS_LANE_RUN - 1) / TS_LANE_RUN, sizeof *lane->runs);
	if (!lane->runs)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < lane->n; i++) {
		struct ts_lane_run *run = &lane->runs[i / TS_LANE_RUN];
		uint64_t ns = shown_ns(&lane->spans[i]);

		if (i % TS_LANE_RUN == 0 || ns > shown_ns(&lane->spans[run->longest]))
			run->longest = i;
		run->busy_ns += ns;
		lane->busy_ns += ns;
	}
	return TS_OK;
}

/* The n pieces are of one lane, by their begin. */
static enum ts_status fill(const struct ts_trace *trace, const struct piece *pieces, size_t n, struct ts_lane *lane,
			   struct ts_arena *arena, struct ts_error *err)
{
	int64_t until = INT64_MIN;

	lane->spans = ts_scratch_array(arena, n, sizeof *lane->spans);
	if (!lane->spans)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		const struct piece *p = &pieces[i];
		int64_t from = p->begin > until ? p->begin : until;

		if (p->end <= from)
			continue;
		until = p->end;
		lane->spans[lane->n++] = (struct ts_lane_span){.begin_ns = p->begin,
							       .end_ns = p->end,
							       .from_ns = from,
							       .name = trace->rows.spans.name[p->row],
							       .part = p->part};
	}
	return sum_runs(lane, arena, err);
}

enum ts_status ts_lanes(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			const bool *waiting, struct ts_arena *arena, struct ts_lanes *ret, struct ts_error *err)
{
	struct ts_lanes l = {
		.items = ts_arena_array(arena, TS_LANES_MOST, sizeof *l.items), .names = trace->names, .n_names = trace->n_names};
	struct piece *pieces = NULL;
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (!l.items)
		return ts_arena_error(arena, err);
	if (gather(trace, nest, names, waiting, arena, &pieces, &n, err))
		return err->status;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && same_lane(&pieces[i], &pieces[end]); end++) {
			l.begin_ns = !end || pieces[end].begin < l.begin_ns ? pieces[end].begin : l.begin_ns;
			l.end_ns = !end || pieces[end].end > l.end_ns ? pieces[end].end : l.end_ns;
		}
		if (l.n == TS_LANES_MOST) {
			l.left_out++;
			continue;
		}
		l.items[l.n].place = place_of(trace, names, &pieces[i]);
		if (fill(trace, &pieces[i], end - i, &l.items[l.n++], arena, err))
			return err->status;
	}
	*ret = l;
	return TS_OK;
}

/* -- a copy -- */

/* The names that spans have, each once: of each of the old ones its number among them, or UINT32_MAX. */
static uint32_t *used_names(const struct ts_lanes *lanes, struct ts_arena *arena, struct ts_span **ret, size_t *ret_n)
{
	uint32_t *number = ts_arena_array(arena, lanes->n_names, sizeof *number);
	struct ts_span *used = ts_arena_array(arena, lanes->n_names, sizeof *used);
	size_t n = 0;

	if (!number || !used)
		return NULL;
	memset(number, 0xff, lanes->n_names * sizeof *number);
	for (size_t k = 0; k < lanes->n; k++)
		for (size_t i = 0; i < lanes->items[k].n; i++) {
			uint32_t name = lanes->items[k].spans[i].name;

			if (number[name] != UINT32_MAX)
				continue;
			number[name] = (uint32_t)n;
			used[n++] = lanes->names[name];
		}
	*ret = used;
	*ret_n = n;
	return number;
}

static size_t size_of(const struct ts_lanes *lanes, const struct ts_span *names, size_t n_names)
{
	size_t bytes = n_names * sizeof *names;

	for (size_t i = 0; i < n_names; i++)
		bytes += names[i].len + 1;
	for (size_t k = 0; k < lanes->n; k++)
		bytes += lanes->items[k].n * sizeof *lanes->items[k].spans +
			 (lanes->items[k].n / TS_LANE_RUN + 1) * sizeof *lanes->items[k].runs;
	return bytes;
}

static bool copy_lane(const struct ts_lane *lane, const uint32_t *number, struct ts_arena *arena, struct ts_lane *to)
{
	*to = *lane;
	to->spans = ts_arena_dup(arena, lane->spans, lane->n * sizeof *lane->spans);
	to->runs = ts_arena_dup(arena, lane->runs, (lane->n + TS_LANE_RUN - 1) / TS_LANE_RUN * sizeof *lane->runs);
	if (!to->spans || !to->runs)
		return false;
	for (size_t i = 0; i < to->n; i++)
		to->spans[i].name = number[to->spans[i].name];
	return true;
}

static bool copy(const struct ts_lanes *lanes, const struct ts_span *names, size_t n_names, const uint32_t *number,
		 struct ts_arena *arena, struct ts_lanes *to)
{
	struct ts_span *texts = ts_arena_array(arena, n_names, sizeof *texts);

	*to = *lanes;
	to->items = ts_arena_array(arena, lanes->n, sizeof *to->items);
	to->names = texts;
	to->n_names = n_names;
	if (!texts || !to->items)
		return false;
	for (size_t i = 0; i < n_names; i++)
		texts[i] = ts_arena_span(arena, names[i]);
	for (size_t k = 0; k < lanes->n; k++)
		if (!copy_lane(&lanes->items[k], number, arena, &to->items[k]))
			return false;
	return !arena->failed;
}

enum ts_status ts_lanes_copy(const struct ts_lanes *lanes, size_t bytes_most, struct ts_arena *arena, struct ts_lanes *ret,
			     struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_span *names = NULL;
	struct ts_arena scratch;
	size_t n = 0;
	uint32_t *number;

	ts_arena_init(&scratch, 0);
	number = used_names(lanes, &scratch, &names, &n);
	if (!number)
		status = ts_arena_error(&scratch, err);
	else if (size_of(lanes, names, n) > bytes_most)
		status = ts_error_set(err, TS_TOO_LARGE, "the timeline takes more than %zu bytes", bytes_most);
	else if (!copy(lanes, names, n, number, arena, ret))
		status = ts_arena_error(arena, err);
	ts_arena_finish(&scratch);
	return status;
}
