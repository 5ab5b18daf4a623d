#include "analysis/trace/host/lanes.h"

#include "analysis/trace/device/device_events.h"
#include "base/door.h"
#include "base/order.h"
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
	out = ts_arena_array(arena, n + nest->n_order, sizeof *out);
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

/* Adds what a piece covers from `from` on to the cells there. The edge of the last cell may be more than 64 bits hold. */
static void cover(const struct ts_lanes *l, struct ts_lane *lane, const struct piece *p, int64_t from)
{
	uint64_t at = (uint64_t)from - (uint64_t)l->begin_ns, end = (uint64_t)p->end - (uint64_t)l->begin_ns;

	lane->busy_ns += end - at;
	while (at < end) {
		size_t i = (size_t)(at / l->cell_ns);
		uint64_t left = l->cell_ns - at % l->cell_ns, ns = left < end - at ? left : end - at;
		struct ts_lane_cell *cell = &lane->cells[i];

		cell->busy_ns += ns;
		if (ns > cell->longest_ns) {
			cell->longest_ns = ns;
			cell->longest = p->row;
			cell->part = p->part;
		}
		at += ns;
	}
}

static enum ts_status fill(const struct ts_trace *trace, const struct piece *pieces, size_t n, struct ts_lanes *l,
			   const struct ts_host_names *names, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	int64_t until = 0;

	for (size_t i = 0; i < n; i++) {
		const struct piece *p = &pieces[i];
		struct ts_lane *lane;
		int64_t from = p->begin;

		if (!i || p->host != pieces[i - 1].host || p->lane != pieces[i - 1].lane) {
			if (l->n == TS_LANES_MOST) {
				l->left_out++;
				continue;
			}
			lane = &l->items[l->n++];
			*lane = (struct ts_lane){.host = p->host,
						 .device = s->device[p->row],
						 .stream = s->stream[p->row],
						 .thread = s->thread[p->row],
						 .cells = ts_arena_array(arena, l->n_cells, sizeof *lane->cells)};
			if (!lane->cells)
				return ts_arena_error(arena, err);
			if (lane->host)
				lane->kind = (enum ts_host_thread_kind)names->kinds[lane->thread];
			until = INT64_MIN;
		}
		if (l->left_out)
			continue;
		from = from > until ? from : until;
		if (p->end <= from)
			continue;
		cover(l, &l->items[l->n - 1], p, from);
		until = p->end;
	}
	return TS_OK;
}

enum ts_status ts_lanes(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			const bool *waiting, size_t cells, struct ts_arena *arena, struct ts_lanes *ret, struct ts_error *err)
{
	struct ts_lanes l = {.items = ts_arena_array(arena, TS_LANES_MOST, sizeof *l.items)};
	struct piece *pieces = NULL;
	int64_t end = INT64_MIN;
	size_t n = 0;

	TS_DOOR(cells >= 1 && cells <= TS_LANES_CELLS_MOST);
	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (!l.items)
		return ts_arena_error(arena, err);
	if (gather(trace, nest, names, waiting, arena, &pieces, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		l.begin_ns = !i || pieces[i].begin < l.begin_ns ? pieces[i].begin : l.begin_ns;
		end = pieces[i].end > end ? pieces[i].end : end;
	}
	if (n && end > l.begin_ns) {
		uint64_t whole = (uint64_t)end - (uint64_t)l.begin_ns;

		l.cell_ns = (whole - 1) / cells + 1;
		l.n_cells = (size_t)((whole - 1) / l.cell_ns + 1);
		if (fill(trace, pieces, n, &l, names, arena, err))
			return err->status;
	}
	*ret = l;
	return TS_OK;
}
