#include "analysis/answer/event.h"

#include "base/grow.h"
#include "base/order.h"
#include "base/words.h"

#include <stdlib.h>

enum { EVENTS_FIRST = 16 };

bool ts_events_hold(const struct ts_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct ts_event *e = &events->items[i];

		if (e->kind < TS_EVENT_SPIKE || e->kind > TS_EVENT_ONSET || e->group.len == 0 || e->subject.len == 0 ||
		    e->first_step > e->last_step)
			return false;
	}
	return events->n <= events->cap || !events->cap;
}

bool ts_event_add(struct ts_events *events, struct ts_arena *arena, const struct ts_event *event)
{
	if (!TS_GROW_IN(arena, events->items, events->cap, events->n + 1, EVENTS_FIRST))
		return false;
	events->items[events->n++] = *event;
	return true;
}

TS_ORDER(by_step, struct ts_event, TS_UP(first_step); TS_UP(last_step))

/* Sorts the strongest event first, and the earlier one among equals. A score that is not a number comes last. */
TS_ORDER(by_score, struct ts_event, TS_THEN((a->score != a->score) - (b->score != b->score)); TS_DOWN(score);
	 TS_THEN(by_step(a, b)))

void ts_events_trim(struct ts_events *events, size_t from)
{
	size_t n = events->n - from;

	if (n == 0)
		return;
	if (n > TS_EVENTS_MAX) {
		TS_SORT(events->items + from, n, by_score);
		n = TS_EVENTS_MAX;
	}
	TS_SORT(events->items + from, n, by_step);
	events->n = from + n;
}

TS_WORDS(ts_event_word, enum ts_event_kind, "", [TS_EVENT_SPIKE] = "spike", [TS_EVENT_DIP] = "dip", [TS_EVENT_SHIFT] = "level_shift",
	 [TS_EVENT_NONFINITE] = "nonfinite", [TS_EVENT_BLOW_UP] = "blow_up", [TS_EVENT_COINCIDENCE] = "coincidence",
	 [TS_EVENT_ONSET] = "onset")
