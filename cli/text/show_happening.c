/* show_happening.c - see show_happening.h. */
#include "cli/text/show_happening.h"

#include "base/number.h"
#include "base/text.h"
#include "cli/view/show_value.h"
#include "run/head.h"

enum { TEXT_SHOWN = 400 };

const char *ts_show_happening_name(const struct ts_happening *e, struct ts_arena *arena)
{
	return ts_show_text(ts_utf8_cut(e->name, TEXT_SHOWN), arena);
}

const char *ts_show_happening_step(const struct ts_happening *e, struct ts_arena *arena)
{
	return e->has_step ? ts_arena_printf(arena, "%s%" PRId64, e->after ? "after " : "", e->step) : "-";
}

const char *ts_show_happening_ranks(const struct ts_happening *e, struct ts_arena *arena)
{
	if (e->n_ranks > 1)
		return ts_arena_printf(arena, "%zu ranks", e->n_ranks);
	return !e->n_ranks ? "-" : e->ranks[0] == TS_RANK_JOB ? "job" : ts_show_step(e->ranks[0], arena);
}

const char *ts_show_happening_says(const struct ts_happening *e, struct ts_arena *arena)
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

bool ts_happenings_name_ranks(const struct ts_happenings *h, uint64_t ranks)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].n_ranks && h->items[i].ranks[0] == TS_RANK_JOB)
			return true;
	return ranks > 1;
}
