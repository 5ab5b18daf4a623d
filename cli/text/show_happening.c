/* show_happening.c - see show_happening.h. */
#include "cli/text/show_happening.h"

#include "base/number.h"
#include "base/text.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { TEXT_SHOWN = 400 };

static const char *name_of(const struct ts_happening *e, struct ts_arena *arena)
{
	return ts_show_text(ts_utf8_cut(e->name, TEXT_SHOWN), arena);
}

static const char *step_of(const struct ts_happening *e, struct ts_arena *arena)
{
	return e->has_step ? ts_arena_printf(arena, "%s%" PRId64, e->after ? "after " : "", e->step) : "-";
}

static const char *ranks_of(const struct ts_happening *e, struct ts_arena *arena)
{
	if (e->n_ranks > 1)
		return ts_arena_printf(arena, "%zu ranks", e->n_ranks);
	return !e->n_ranks ? "-" : e->ranks[0] == TS_RANK_JOB ? "job" : ts_show_step(e->ranks[0], arena);
}

static const char *says_of(const struct ts_happening *e, struct ts_arena *arena)
{
	struct ts_span cut = ts_utf8_cut(e->text, TEXT_SHOWN);
	const char *text = e->text.len ? ts_show_text(cut, arena) : "";
	char digits[TS_DOUBLE_TEXT];

	if (text && cut.len < e->text.len)
		text = ts_arena_printf(arena, "%s…", text);
	if (!e->has_value || !text)
		return text;
	return ts_arena_printf(arena, "%.*s%s%s", (int)ts_print_double(e->value, digits), digits, *text ? " " : "", text);
}

const char *ts_show_happenings(const struct ts_happenings *h, struct ts_arena *arena)
{
	const char *text = ts_show_plural(h->all, "recorded event", arena);
	const char *regions = h->regions ? ts_show_plural(h->regions, "region", arena) : "";

	if (!text || !regions || !h->regions)
		return text && regions ? text : NULL;
	return ts_arena_printf(arena, "%s; %s %s not listed", text, regions, h->regions == 1 ? "is" : "are");
}

static bool name_ranks(const struct ts_happenings *h, uint64_t ranks)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].n_ranks && h->items[i].ranks[0] == TS_RANK_JOB)
			return true;
	return ranks > 1;
}

void ts_view_happenings(struct ts_view *view, const struct ts_happenings *h, uint64_t ranks, struct ts_arena *arena)
{
	static const struct ts_view_column made[] = {TS_LEFT("event", 10), TS_RIGHT("step"), TS_RIGHT("time"), TS_RIGHT("rank"),
						     TS_LEFT("says", 16)};
	bool named = name_ranks(h, ranks);

	ts_view_with(view, NULL, named ? "event step time rank says" : "event step time says", TS_VIEW_COLUMNS(made), arena);
	for (size_t i = 0; i < h->n; i++) {
		const struct ts_happening *e = &h->items[i];

		ts_view_row(view, NULL);
		ts_view_set(view, "event", e->kind <= TS_HAPPENING_SIGNAL ? TS_STYLE_MARK : TS_STYLE_BOLD, name_of(e, arena));
		ts_view_set(view, "step", TS_STYLE_PLAIN, step_of(e, arena));
		ts_view_set(view, "time", TS_STYLE_PLAIN, e->has_time ? ts_show_seconds(e->time_s, arena) : "-");
		if (named)
			ts_view_set(view, "rank", TS_STYLE_PLAIN, ranks_of(e, arena));
		ts_view_set(view, "says", TS_STYLE_PLAIN, says_of(e, arena));
	}
}
