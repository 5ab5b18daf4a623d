#include "analysis/snapshot/marks.h"

#include "base/bisect.h"
#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

struct mark {
	int64_t time_us;
	uint32_t name;
	uint32_t number; /* in the file */
	bool end;
};

struct walk {
	const struct ts_replay *r;
	int64_t *latest; /* of each event: the latest time so far */
	struct mark *marks;
	size_t n;
};

TS_ORDER(compare_marks, struct mark, TS_UP(name); TS_UP(time_us); TS_UP(number))

TS_ORDER(compare_stretches, struct ts_mark_stretch, TS_UP(first); TS_DOWN(end); TS_UP(name))

TS_ORDER(compare_sums, struct ts_mark_sum, TS_DOWN(known); TS_DOWN(kept); TS_UP(name))

/* The first event that is later; not before: or at that time. */
static uint32_t event_at(const struct walk *w, int64_t time_us, bool after)
{
	uint32_t low = 0;

	TS_BISECT(low, w->r->n_events, i, after ? w->latest[i] <= time_us : w->latest[i] < time_us);
	return low;
}

static bool take_marks(struct walk *w, struct ts_arena *arena)
{
	const struct ts_snapshot *s = w->r->snapshot;

	w->marks = ts_arena_array(arena, s->n_marks, sizeof *w->marks);
	w->latest = ts_arena_array(arena, w->r->n_events, sizeof *w->latest);
	if (!w->marks || !w->latest)
		return false;
	for (uint32_t i = 0; i < w->r->n_events; i++) {
		w->latest[i] = w->r->events[i].time_us;
		if (i && w->latest[i - 1] > w->latest[i])
			w->latest[i] = w->latest[i - 1];
	}
	for (size_t i = 0; i < s->n_marks; i++) {
		const struct ts_snapshot_mark *m = &s->marks[i];
		bool end = ts_span_is(ts_snapshot_text(s, m->stage), "END");

		if ((m->device == w->r->device || m->device == UINT16_MAX) && m->name != TS_SNAPSHOT_NONE &&
		    (end || ts_span_is(ts_snapshot_text(s, m->stage), "START")))
			w->marks[w->n++] = (struct mark){m->time_us, m->name, (uint32_t)i, end};
	}
	TS_SORT(w->marks, w->n, compare_marks);
	return true;
}

/* The stretches of one name: its starts wait on a stack for their ends. */
static size_t pair(const struct walk *w, size_t at, size_t *waiting, struct ts_mark_stretches *out)
{
	uint32_t name = w->marks[at].name;
	size_t n = 0;

	for (; at < w->n && w->marks[at].name == name; at++) {
		const struct mark *m = &w->marks[at];
		struct ts_mark_stretch stretch = {.name = name, .ended = true, .end = event_at(w, m->time_us, true)};

		if (!m->end) {
			waiting[n++] = at;
			continue;
		}
		if (n) {
			stretch.began = true;
			stretch.first = event_at(w, w->marks[waiting[--n]].time_us, false);
		}
		out->items[out->n++] = stretch;
	}
	while (n)
		out->items[out->n++] = (struct ts_mark_stretch){.name = name,
								.began = true,
								.first = event_at(w, w->marks[waiting[--n]].time_us, false),
								.end = w->r->n_events};
	return at;
}

/* How many of the stretches before it in order are not over yet when it begins. */
static void find_depths(struct ts_mark_stretches *s, size_t *open)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		while (n && s->items[open[n - 1]].end <= s->items[i].first)
			n--;
		s->items[i].depth = (uint32_t)n;
		open[n++] = i;
	}
}

enum ts_status ts_mark_stretches_of(const struct ts_replay *r, struct ts_arena *arena, struct ts_mark_stretches *ret_stretches,
				    struct ts_error *err)
{
	struct walk w = {.r = r};
	struct ts_mark_stretches out = {0};
	size_t *waiting;

	TS_DOOR(ts_replay_holds(r));
	if (!r->n_events || r->events[0].time_us == INT64_MIN || !r->snapshot->n_marks) {
		*ret_stretches = out;
		return TS_OK;
	}
	if (!take_marks(&w, arena))
		return ts_arena_error(arena, err);
	out.items = ts_arena_array(arena, w.n, sizeof *out.items);
	waiting = ts_arena_array(arena, w.n, sizeof *waiting);
	if (!out.items || !waiting)
		return ts_arena_error(arena, err);
	for (size_t at = 0; at < w.n;)
		at = pair(&w, at, waiting, &out);
	TS_SORT(out.items, out.n, compare_stretches);
	find_depths(&out, waiting);
	*ret_stretches = out;
	return TS_OK;
}

const struct ts_mark_stretch *ts_mark_stretch_at(const struct ts_mark_stretches *stretches, uint32_t event)
{
	const struct ts_mark_stretch *best = NULL;

	for (size_t i = 0; i < stretches->n && stretches->items[i].first <= event; i++)
		if (event < stretches->items[i].end && (!best || stretches->items[i].depth >= best->depth))
			best = &stretches->items[i];
	return best;
}

/* --- sums --- */

TS_ORDER_OF_POINTERS(compare_names, struct ts_mark_stretch, TS_UP(name); TS_BY(a, b))

/* What is requested before each event and behind the last, and a tree of where it is greatest: the leaves are events, n of them from
 * tree[n] on, and a node has the better one of tree[2 k] and tree[2 k + 1]. */
struct levels {
	uint64_t *before;
	uint32_t *tree;
	size_t n;
};

static uint64_t after(const struct levels *l, uint32_t event)
{
	return l->before[(size_t)event + 1];
}

/* The event behind which more is requested; of equal ones the first. */
static uint32_t better(const struct levels *l, uint32_t a, uint32_t b)
{
	if (after(l, a) != after(l, b))
		return after(l, a) > after(l, b) ? a : b;
	return a < b ? a : b;
}

static bool take_levels(struct levels *l, const struct ts_replay *r, struct ts_arena *arena)
{
	uint64_t reserved;

	l->n = r->n_events;
	l->before = ts_arena_array(arena, l->n + 1, sizeof *l->before);
	l->tree = ts_arena_array(arena, 2 * l->n, sizeof *l->tree);
	if (!l->before || !l->tree)
		return false;
	ts_replay_level(r, TS_REPLAY_BEFORE, &l->before[0], &reserved);
	ts_replay_requested(r, l->before + 1);
	for (size_t i = 0; i < l->n; i++)
		l->tree[l->n + i] = (uint32_t)i;
	for (size_t i = l->n; i-- > 1;)
		l->tree[i] = better(l, l->tree[2 * i], l->tree[2 * i + 1]);
	return true;
}

static uint32_t most_within(const struct levels *l, uint32_t first, uint32_t end)
{
	uint32_t best = first;

	for (size_t low = l->n + first, high = l->n + end; low < high; low /= 2, high /= 2) {
		if (low % 2)
			best = better(l, best, l->tree[low++]);
		if (high % 2)
			best = better(l, best, l->tree[--high]);
	}
	return best;
}

static void add(struct ts_mark_sum *sum, const struct ts_mark_stretch *s, const struct levels *l)
{
	bool any = s->end > s->first;
	uint32_t most = any ? most_within(l, s->first, s->end) : s->first - 1;

	sum->n++;
	if (!any && (s->first == 0 || s->first >= l->n))
		return;
	if (!sum->known || after(l, most) > sum->peak) {
		sum->peak_event = most;
		sum->peak = after(l, most);
	}
	sum->known = true;
	if (!any)
		return;
	sum->n_events += s->end - s->first;
	sum->kept = (int64_t)((uint64_t)sum->kept + l->before[s->end] - l->before[s->first]);
}

enum ts_status ts_mark_stretches_sum(const struct ts_replay *r, const struct ts_mark_stretches *stretches, struct ts_arena *arena,
				     struct ts_mark_sums *ret_sums, struct ts_error *err)
{
	const struct ts_mark_stretch **by_name = ts_arena_array(arena, stretches->n, sizeof *by_name);
	struct ts_mark_sums out = {.items = ts_arena_array(arena, stretches->n, sizeof *out.items)};
	struct levels levels;

	TS_DOOR(ts_replay_holds(r));
	if (!by_name || !out.items || !take_levels(&levels, r, arena))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < stretches->n; i++)
		by_name[i] = &stretches->items[i];
	TS_SORT(by_name, stretches->n, compare_names);
	for (size_t i = 0; i < stretches->n; i++) {
		if (!i || by_name[i]->name != by_name[i - 1]->name)
			out.items[out.n++] = (struct ts_mark_sum){.name = by_name[i]->name};
		add(&out.items[out.n - 1], by_name[i], &levels);
	}
	TS_SORT(out.items, out.n, compare_sums);
	*ret_sums = out;
	return TS_OK;
}
