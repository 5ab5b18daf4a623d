/* moments.c - to which event each moment of a time belongs, so that the parts of a time add up to it. */
#include "analysis/trace/diff/trace_diff_parts.h"

#include "base/door.h"

struct list {
	struct ts_layered *items;
	size_t n;
};

static void push(struct list *l, struct ts_layered s)
{
	if (s.end > s.begin)
		l->items[l->n++] = s;
}

/* The events of a layer, each without what those that began before it cover. own has room for all. */
static void own_moments(const struct ts_layered *events, size_t n, uint8_t layer, struct list *own)
{
	int64_t until = INT64_MIN;

	own->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct ts_layered s = events[i];

		if (s.layer != layer || s.end <= until)
			continue;
		s.begin = s.begin > until ? s.begin : until;
		until = s.end;
		push(own, s);
	}
}

/* Lays own under what lies already: out gets both, by time. It has room for twice the own ones and once the others: each of the
 * others splits at most one of the own. */
static void lay_under(const struct list *lies, const struct list *own, struct list *out)
{
	size_t k = 0;

	out->n = 0;
	for (size_t i = 0; i < own->n; i++) {
		struct ts_layered s = own->items[i];

		while (k < lies->n && lies->items[k].end <= s.begin)
			push(out, lies->items[k++]);
		while (k < lies->n && lies->items[k].begin < s.end) {
			struct ts_layered before = s;

			before.end = lies->items[k].begin;
			push(out, before);
			s.begin = s.begin > lies->items[k].end ? s.begin : lies->items[k].end;
			if (lies->items[k].end > s.end)
				break;
			push(out, lies->items[k++]);
		}
		push(out, s);
	}
	while (k < lies->n)
		push(out, lies->items[k++]);
}

enum ts_status ts_moments(const struct ts_layered *events, size_t n, struct ts_arena *arena, struct ts_layered **ret, size_t *ret_n,
			  struct ts_error *err)
{
	struct list lies = {0}, own = {.items = ts_arena_array(arena, n, sizeof *own.items)};

	TS_DOOR_SORTED(i, n, events[i - 1].begin <= events[i].begin);
	TS_DOOR_ALL(i, n, events[i].layer < TS_LAYERS);
	if (!own.items)
		return ts_arena_error(arena, err);
	for (uint8_t layer = 0; layer < TS_LAYERS; layer++) {
		struct list out = {0};

		own_moments(events, n, layer, &own);
		out.items = ts_arena_array(arena, own.n * 2 + lies.n * 2, sizeof *out.items);
		if (!out.items)
			return ts_arena_error(arena, err);
		lay_under(&lies, &own, &out);
		lies = out;
	}
	TS_DOOR_SORTED(i, lies.n, lies.items[i - 1].end <= lies.items[i].begin);
	TS_DOOR_ALL(i, lies.n, lies.items[i].begin < lies.items[i].end);
	*ret = lies.items;
	*ret_n = lies.n;
	return TS_OK;
}
