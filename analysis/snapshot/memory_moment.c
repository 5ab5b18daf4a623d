#include "analysis/snapshot/memory_moment.h"

#include "analysis/snapshot/marks.h"
#include "base/door.h"

struct look {
	const struct ts_memory *memory;
	const struct ts_replay *r;
	struct ts_heap heap;
	struct ts_moment *to;
	struct ts_arena *arena;
	struct ts_error *err;
};

/* --- the event --- */

static struct ts_span call(const struct look *k, uint32_t frame)
{
	const struct ts_snapshot *s = k->r->snapshot;
	struct ts_span file = s->texts[s->frames[frame].file], function = s->texts[s->frames[frame].function];
	const char *text = s->frames[frame].line > 0 ? ts_arena_printf(k->arena, "%.*s (%.*s:%d)", TS_SPAN_ARG(function),
								       TS_SPAN_ARG(file), s->frames[frame].line)
						     : ts_arena_printf(k->arena, "%.*s", TS_SPAN_ARG(function));

	return ts_span_str(text ? text : "");
}

static enum ts_status take_calls(const struct look *k)
{
	const struct ts_snapshot *s = k->r->snapshot;
	struct ts_moment *to = k->to;
	size_t n = to->row->stack == TS_SNAPSHOT_NONE ? 0 : s->stacks[to->row->stack].n;

	to->n_calls = n < TS_MOMENT_CALLS ? n : TS_MOMENT_CALLS;
	to->more_calls = n - to->n_calls;
	to->calls = ts_arena_array(k->arena, to->n_calls, sizeof *to->calls);
	to->python = ts_arena_array(k->arena, to->n_calls, sizeof *to->python);
	for (size_t i = 0; to->calls && to->python && i < to->n_calls; i++) {
		uint32_t frame = s->stack_frames[s->stacks[to->row->stack].first + i];

		to->calls[i] = call(k, frame);
		to->python[i] = ts_is_python(s->texts[s->frames[frame].file]);
	}
	return ts_arena_check(k->arena, k->err);
}

/* Whether the event began or ended this life. */
static bool is_about(const struct look *k, const struct ts_life *life)
{
	return k->to->row && (life->born == k->to->event || life->let_go == k->to->event || life->died == k->to->event);
}

static struct ts_memory_who who_of(const struct look *k, const struct ts_life *life)
{
	struct ts_memory_who who = ts_memory_who_of(k->memory, life->stack, k->arena);

	who.bytes = who.largest = life->requested;
	who.count = 1;
	who.kind = (enum ts_memory_kind)k->memory->kinds[life - k->r->lives];
	return who;
}

static void take_life(const struct look *k)
{
	struct ts_moment *to = k->to;

	for (const struct ts_life *life = k->r->lives; life < k->r->lives + k->r->n_lives; life++) {
		if (!is_about(k, life) || life->address != to->row->address)
			continue;
		to->has_life = true;
		to->life = who_of(k, life);
		to->born_recorded = life->born != TS_REPLAY_BEFORE;
		to->died_recorded = life->died != TS_REPLAY_NEVER;
		to->life_born = to->born_recorded ? life->born : 0;
		to->life_died = to->died_recorded ? life->died : 0;
		return;
	}
}

static enum ts_status take_event(const struct look *k)
{
	struct ts_moment *to = k->to;
	struct ts_mark_stretches stretches;
	const struct ts_mark_stretch *within;

	if (to->event == TS_REPLAY_BEFORE)
		return TS_OK;
	to->row = &k->r->events[to->event];
	to->action = (enum ts_snapshot_action)to->row->action;
	if (to->row->stack != TS_SNAPSHOT_NONE)
		to->phase = (enum ts_memory_phase)k->memory->origins[to->row->stack].phase;
	if (to->row->action == TS_ACTION_ALLOC || to->row->action == TS_ACTION_FREE_REQUESTED ||
	    to->row->action == TS_ACTION_FREE_COMPLETED)
		take_life(k);
	if (take_calls(k) || ts_mark_stretches_of(k->r, k->arena, &stretches, k->err))
		return k->err->status;
	within = ts_mark_stretch_at(&stretches, to->event);
	to->annotation = within ? ts_snapshot_text(k->r->snapshot, within->name) : ts_span_of(NULL, 0);
	return TS_OK;
}

/* --- what is in use --- */

static enum ts_status take_lives(const struct look *k)
{
	struct ts_moment *to = k->to;
	uint64_t levelled;

	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		to->kinds[i].kind = (enum ts_memory_kind)i;
	for (uint32_t i = 0; i < k->r->n_lives; i++) {
		if (!ts_life_at(&k->r->lives[i], to->event))
			continue;
		to->kinds[k->memory->kinds[i]].bytes += k->r->lives[i].requested;
		to->kinds[k->memory->kinds[i]].count++;
		to->requested += k->r->lives[i].requested;
		to->count++;
	}
	ts_replay_level(k->r, to->event, &levelled, &to->reserved);
	if (ts_memory_held_at(k->memory, to->event, TS_BY_FUNCTION, k->arena, &to->by_function, k->err))
		return k->err->status;
	return ts_memory_held_at(k->memory, to->event, TS_BY_STACK, k->arena, &to->by_stack, k->err);
}

/* --- the segments --- */

static const struct ts_heap_range *range_of_event(const struct look *k)
{
	const struct ts_heap_range *best = NULL;

	if (!k->to->row)
		return NULL;
	if (k->to->action != TS_ACTION_OOM)
		return k->to->action == TS_ACTION_SNAPSHOT ? NULL : ts_heap_find(&k->heap, k->to->row->address);
	for (uint32_t i = 0; i < k->heap.n; i++)
		if (ts_heap_serves(&k->heap.ranges[i], k->to->row) && (!best || k->heap.ranges[i].largest > best->largest))
			best = &k->heap.ranges[i];
	return best;
}

/* Adds the bytes from begin to end, offsets in the range, to the cells that they lie in. */
static void add_cells(double *cells, uint64_t begin, uint64_t end, uint64_t size)
{
	double each = (double)size / TS_MOMENT_CELLS;

	for (int i = (int)((double)begin / each); i < TS_MOMENT_CELLS && (double)i * each < (double)end; i++) {
		double low = (double)i * each, high = low + each;

		low = low > (double)begin ? low : (double)begin;
		high = high < (double)end ? high : (double)end;
		cells[i] += high > low ? (high - low) / each : 0;
	}
}

static void show_range(const struct look *k, const struct ts_heap_range *g, bool here)
{
	struct ts_moment_range *shown = &k->to->ranges[k->to->n_shown++];
	double cells[TS_MOMENT_CELLS] = {0};

	*shown = (struct ts_moment_range){.range = *g, .here = here};
	for (size_t i = g->first; i < g->first + g->n_used; i++) {
		uint64_t end = ts_heap_end_of(k->heap.lives[i]);

		add_cells(cells, k->heap.lives[i]->address - g->begin, (end < g->end ? end : g->end) - g->begin, g->end - g->begin);
	}
	for (int i = 0; i < TS_MOMENT_CELLS; i++)
		shown->used_percent[i] = cells[i] <= 0 ? 0 : cells[i] > 0.999 ? 100 : (uint8_t)(1 + 98 * cells[i]);
}

/* The next largest range behind `last`, of equal ones by address; NULL at the end. */
static const struct ts_heap_range *next_range(const struct look *k, const struct ts_heap_range *last)
{
	const struct ts_heap_range *best = NULL;

	for (const struct ts_heap_range *g = k->heap.ranges; g < k->heap.ranges + k->heap.n; g++) {
		uint64_t size = g->end - g->begin;

		if (last && (size > last->end - last->begin || (size == last->end - last->begin && g <= last)))
			continue;
		if (!best || size > best->end - best->begin)
			best = g;
	}
	return best;
}

static struct ts_moment_piece used_piece(const struct look *k, const struct ts_heap_range *g, const struct ts_life *life)
{
	uint64_t end = ts_heap_end_of(life) < g->end ? ts_heap_end_of(life) : g->end;

	return (struct ts_moment_piece){.offset = life->address - g->begin,
					.bytes = end - life->address,
					.used = true,
					.here = is_about(k, life),
					.who = who_of(k, life),
					.born = life->born == TS_REPLAY_BEFORE ? 0 : life->born,
					.recorded = life->born != TS_REPLAY_BEFORE};
}

/* What pieces are shown: those from number `from` on; `place` is the address that the event is about. */
struct window {
	uint64_t from, n, place;
};

static void add_piece(const struct look *k, struct window *w, const struct ts_heap_range *g, const struct ts_life *life, uint64_t begin,
		      uint64_t end)
{
	uint64_t at = w->n++;

	if (at < w->from) {
		k->to->before++;
	} else if (k->to->n_pieces == TS_MOMENT_PIECES) {
		k->to->after++;
	} else if (life) {
		k->to->pieces[k->to->n_pieces++] = used_piece(k, g, life);
	} else {
		k->to->pieces[k->to->n_pieces++] = (struct ts_moment_piece){
			.offset = begin - g->begin, .bytes = end - begin, .here = w->place >= begin && w->place < end};
	}
}

/* Goes through blocks and gaps by address; without lives to show it only counts. Returns the number of the piece of an address. */
static uint64_t walk_pieces(const struct look *k, const struct ts_heap_range *g, struct window *w, uint64_t address)
{
	uint64_t from = g->begin, found = 0, n = 0;

	for (size_t i = g->first; i <= g->first + g->n_used; i++) {
		const struct ts_life *life = i < g->first + g->n_used ? k->heap.lives[i] : NULL;
		uint64_t next = life ? life->address : g->end, end = life ? ts_heap_end_of(life) : g->end;

		if (next > from) {
			found = address >= from && address < next ? n : found;
			n++;
			if (w)
				add_piece(k, w, g, NULL, from, next);
		}
		if (!life)
			break;
		found = address >= life->address && address < end ? n : found;
		n++;
		if (w)
			add_piece(k, w, g, life, life->address, end);
		end = end < g->end ? end : g->end;
		from = end > from ? end : from;
	}
	return found;
}

/* Where the event is: of a request that was refused, the largest gap. */
static uint64_t place_of(const struct look *k, const struct ts_heap_range *g)
{
	uint64_t from = g->begin;

	if (k->to->action != TS_ACTION_OOM)
		return k->to->row->address;
	for (size_t i = g->first; i < g->first + g->n_used; i++) {
		if (k->heap.lives[i]->address >= from && k->heap.lives[i]->address - from == g->largest)
			return from;
		from = ts_heap_end_of(k->heap.lives[i]) > from ? ts_heap_end_of(k->heap.lives[i]) : from;
	}
	return from;
}

static void take_heap(const struct look *k)
{
	const struct ts_heap_range *here = range_of_event(k), *at = NULL;
	struct ts_moment *to = k->to;
	struct window w = {.n = 0};

	to->known = k->heap.known;
	to->n_ranges = k->heap.n;
	for (uint32_t i = 0; i < k->heap.n; i++) {
		to->free += k->heap.ranges[i].free;
		to->largest = k->heap.ranges[i].largest > to->largest ? k->heap.ranges[i].largest : to->largest;
	}
	if (here)
		show_range(k, here, true);
	while (to->n_shown < TS_MOMENT_RANGES && (at = next_range(k, at)) != NULL)
		if (at != here)
			show_range(k, at, false);
	if (!here)
		return;
	w.place = place_of(k, here);
	w.from = walk_pieces(k, here, NULL, w.place);
	w.from = w.from > TS_MOMENT_PIECES / 2 ? w.from - TS_MOMENT_PIECES / 2 : 0;
	(void)walk_pieces(k, here, &w, w.place);
}

enum ts_status ts_moment_of(const struct ts_memory *m, uint32_t event, struct ts_arena *arena, struct ts_moment *ret_moment,
			    struct ts_error *err)
{
	struct ts_moment moment = {.device = m->replay->device, .event = event};
	struct look k = {.memory = m, .r = m->replay, .to = &moment, .arena = arena, .err = err};

	TS_DOOR(ts_memory_holds(m));
	moment.ranges = ts_arena_array(arena, TS_MOMENT_RANGES, sizeof *moment.ranges);
	moment.pieces = ts_arena_array(arena, TS_MOMENT_PIECES, sizeof *moment.pieces);
	if (!moment.ranges || !moment.pieces)
		return ts_arena_error(arena, err);
	if (take_event(&k) || take_lives(&k) || ts_heap_after(k.r, event, arena, &k.heap, err))
		return err->status;
	take_heap(&k);
	if (ts_arena_check(arena, err))
		return err->status;
	*ret_moment = moment;
	return TS_OK;
}
