#include "cli/view/show_copy.h"

#include "base/clock.h"
#include "cli/view/show_value.h"

const char *ts_show_copy(const struct ts_copy *copy, struct ts_arena *arena)
{
	int64_t since_ns = ts_now_real_ns() - copy->held_ns;

	if (!copy->of.len)
		return "";
	if (!copy->held_ns)
		return ts_arena_printf(arena, "%s, of which it does not have all yet", ts_show_text(copy->of, arena));
	return ts_arena_printf(arena, "%s, as it was %s ago", ts_show_text(copy->of, arena),
			       ts_show_seconds(since_ns > 0 ? (double)since_ns / 1e9 : 0, arena));
}
