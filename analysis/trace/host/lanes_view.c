#include "analysis/trace/host/lanes_view.h"

#include "base/bisect.h"
#include "base/door.h"

/* The view that is made, and the number of each name in it. */
struct making {
	const struct ts_lanes *lanes;
	struct ts_lanes_view *view;
	uint32_t *number; /* of each name of the lanes: 1 + its place in the view; 0: none yet */
};

static uint64_t since(const struct making *m, int64_t ns)
{
	return (uint64_t)ns - (uint64_t)m->lanes->begin_ns;
}

static uint64_t cell_of(const struct making *m, uint64_t ns)
{
	return (ns - m->view->from_ns) / m->view->cell_ns;
}

/* Adds time to a cell, of which the span covers `most` alone. */
static void add(const struct making *m, struct ts_lane_cell *cell, uint64_t busy, uint64_t most, const struct ts_lane_span *span)
{
	cell->busy_ns += busy;
	if (most <= cell->longest_ns)
		return;
	cell->longest_ns = most;
	cell->begin_ns = since(m, span->begin_ns);
	cell->duration_ns = (uint64_t)span->end_ns - (uint64_t)span->begin_ns;
	cell->name = span->name;
	cell->part = span->part;
}

/* Adds what a span covers of the stretch to the cells there. */
static void cover(const struct making *m, struct ts_lane_cell *cells, const struct ts_lane_span *span)
{
	uint64_t at = since(m, span->from_ns), end = since(m, span->end_ns);

	at = at > m->view->from_ns ? at : m->view->from_ns;
	end = end < m->view->to_ns ? end : m->view->to_ns;
	while (at < end) {
		uint64_t left = m->view->cell_ns - (at - m->view->from_ns) % m->view->cell_ns, ns = left < end - at ? left : end - at;

		add(m, &cells[cell_of(m, at)], ns, ns, span);
		at += ns;
	}
}

/* Whether the run of spans that begins at i lies within one cell. */
static bool in_one_cell(const struct making *m, const struct ts_lane *lane, size_t i)
{
	uint64_t from, end;

	if (i % TS_LANE_RUN || i + TS_LANE_RUN > lane->n)
		return false;
	from = since(m, lane->spans[i].from_ns);
	end = since(m, lane->spans[i + TS_LANE_RUN - 1].end_ns);
	return from >= m->view->from_ns && end <= m->view->to_ns && cell_of(m, from) == cell_of(m, end - 1);
}

static void fill(const struct making *m, const struct ts_lane *lane, struct ts_lane_view *to)
{
	size_t i = 0;

	TS_BISECT(i, lane->n, k, since(m, lane->spans[k].end_ns) <= m->view->from_ns);
	while (i < lane->n && since(m, lane->spans[i].from_ns) < m->view->to_ns) {
		if (in_one_cell(m, lane, i)) {
			const struct ts_lane_run *run = &lane->runs[i / TS_LANE_RUN];
			const struct ts_lane_span *most = &lane->spans[run->longest];

			add(m, &to->cells[cell_of(m, since(m, most->from_ns))], run->busy_ns,
			    (uint64_t)most->end_ns - (uint64_t)most->from_ns, most);
			i += TS_LANE_RUN;
		} else {
			cover(m, to->cells, &lane->spans[i++]);
		}
	}
	for (size_t c = 0; c < to->n_cells; c++)
		to->busy_ns += to->cells[c].busy_ns;
}

/* Numbers the names of the cells anew, and copies them. */
static void renumber(const struct making *m, struct ts_lane_view *lane, struct ts_arena *arena)
{
	for (size_t c = 0; c < lane->n_cells; c++) {
		struct ts_lane_cell *cell = &lane->cells[c];

		if (!cell->longest_ns)
			continue;
		if (!m->number[cell->name]) {
			m->view->names[m->view->n_names++] = ts_arena_span(arena, m->lanes->names[cell->name]);
			m->number[cell->name] = (uint32_t)m->view->n_names;
		}
		cell->name = (uint64_t)m->number[cell->name] - 1;
	}
}

/* Marks the time that is asked about; without a stretch, that around it is meant. */
static struct ts_stretch settle(const struct ts_lanes *lanes, struct ts_stretch stretch, struct ts_lanes_view *view)
{
	uint64_t half = view->length_ns / TS_STRETCH_PART / 2 + 1, left;

	view->has_mark = stretch.has_at && stretch.at_ns >= lanes->begin_ns && stretch.at_ns <= lanes->end_ns;
	if (view->has_mark)
		view->mark_ns = (uint64_t)stretch.at_ns - (uint64_t)lanes->begin_ns;
	if (stretch.given)
		return stretch;
	if (!view->has_mark)
		return (struct ts_stretch){.to_ns = view->length_ns};
	left = view->length_ns - view->mark_ns;
	return (struct ts_stretch){.from_ns = view->mark_ns > half ? view->mark_ns - half : 0,
				   .to_ns = view->mark_ns + (left < half ? left : half)};
}

/* What of the stretch lies within the lanes, in cells of the least length. The edge of the last one may be at 2^64 and more. */
static void cut(struct ts_lanes_view *view, struct ts_stretch stretch, size_t cells)
{
	uint64_t end = stretch.to_ns < view->length_ns ? stretch.to_ns : view->length_ns, whole, last;

	if (stretch.from_ns >= end) {
		stretch.from_ns = 0;
		end = view->length_ns;
	}
	whole = end - stretch.from_ns;
	view->from_ns = stretch.from_ns;
	view->cell_ns = (whole - 1) / cells + 1;
	view->n_cells = (size_t)((whole - 1) / view->cell_ns + 1);
	last = view->from_ns + (view->n_cells - 1) * view->cell_ns;
	view->to_ns = view->cell_ns < view->length_ns - last ? last + view->cell_ns : view->length_ns;
}

static enum ts_status make(struct making *m, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_lanes_view *view = m->view;

	m->number = ts_arena_array(arena, m->lanes->n_names, sizeof *m->number);
	view->names = ts_arena_array(arena, m->lanes->n * view->n_cells, sizeof *view->names);
	view->lanes = ts_arena_array(arena, m->lanes->n, sizeof *view->lanes);
	if (!m->number || !view->names || !view->lanes)
		return ts_arena_error(arena, err);
	for (view->n = 0; view->n < m->lanes->n; view->n++) {
		struct ts_lane_view *lane = &view->lanes[view->n];

		*lane = (struct ts_lane_view){.place = m->lanes->items[view->n].place,
					      .n_cells = view->n_cells,
					      .cells = ts_arena_array(arena, view->n_cells, sizeof *lane->cells)};
		if (!lane->cells)
			return ts_arena_error(arena, err);
		fill(m, &m->lanes->items[view->n], lane);
		renumber(m, lane, arena);
	}
	return ts_arena_check(arena, err);
}

enum ts_status ts_lanes_view(const struct ts_lanes *lanes, struct ts_stretch stretch, size_t cells, struct ts_arena *arena,
			     struct ts_lanes_view *ret, struct ts_error *err)
{
	struct ts_lanes_view view = {.length_ns = (uint64_t)lanes->end_ns - (uint64_t)lanes->begin_ns, .left_out = lanes->left_out};
	struct making m = {.lanes = lanes, .view = &view};

	TS_DOOR(cells >= 1 && cells <= TS_LANES_CELLS_MOST);
	for (size_t i = 0; i < TS_LANE_PARTS; i++)
		view.parts[i] = ts_span_str(ts_lane_part_word((enum ts_lane_part)i));
	if (view.length_ns) {
		cut(&view, settle(lanes, stretch, &view), cells);
		if (make(&m, arena, err))
			return err->status;
	}
	*ret = view;
	return TS_OK;
}
