#include "analysis/answer/rank_rows.h"

#include "base/door.h"

/* Copies a text into the arena; an empty one stays as it is. */
static bool keep(struct ts_arena *arena, struct ts_span *text)
{
	if (text->len)
		*text = ts_arena_span(arena, *text);
	return text->len == 0 || text->data;
}

bool ts_rank_rows_measures(struct ts_rank_rows *rows, struct ts_arena *arena, const struct ts_measures *m, size_t from, size_t to)
{
	TS_DOOR(ts_measures_hold(m));
	for (size_t i = from; i < to; i++) {
		struct ts_measure row = m->items[i];

		if (!keep(arena, &row.subject) || !keep(arena, &row.name) || !keep(arena, &row.text) ||
		    !keep(arena, &row.reason) || !ts_measure_put(&rows->measures, arena, &row))
			return false;
	}
	return true;
}

bool ts_rank_rows_events(struct ts_rank_rows *rows, struct ts_arena *arena, const struct ts_events *events, size_t from, size_t to)
{
	TS_DOOR(ts_events_hold(events));
	for (size_t i = from; i < to; i++) {
		struct ts_event event = events->items[i];

		if (!keep(arena, &event.subject) || !ts_event_add(&rows->events, arena, &event))
			return false;
	}
	return true;
}

bool ts_rank_rows_of_any(enum ts_measure_name what, const struct ts_measures *answer, const struct ts_rank_rows *ranks, size_t n_ranks)
{
	TS_DOOR(ts_measures_hold(answer));
	for (size_t i = 0; i < n_ranks; i++)
		if (ts_measure_find(&ranks[i].measures, what, TS_NO_SUBJECT))
			return false;
	return ts_measure_find(answer, what, TS_NO_SUBJECT) != NULL;
}
