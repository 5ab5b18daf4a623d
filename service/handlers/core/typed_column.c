#include "service/handlers/core/typed_column.h"

#include "base/buf.h"
#include "run/fact.h"
#include "service/handlers/core/train_prefix.h"

static const char *const groups[] = {"", "scalars.", "phases.", "memory.", "extra."};

enum { GROUPS = sizeof groups / sizeof groups[0], AS_TYPED = GROUPS + TS_TRAIN_PREFIXES - 1 };

/* Takes a group off that was typed before the name. Returns it; "" where there is none. */
static const char *group_of(struct ts_span *name)
{
	for (size_t i = 1; i < GROUPS; i++)
		if (ts_span_skip(name, groups[i]))
			return groups[i];
	return "";
}

/* The name, after a group, as one key. */
static enum ts_status as_key(const char *group, struct ts_span name, struct ts_arena *arena, const char **ret_name,
			     struct ts_error *err)
{
	struct ts_buf key = TS_BUF_INIT(UINT32_MAX);
	enum ts_status status;

	ts_path_key(&key, name);
	status = ts_buf_check(&key, err);
	if (!status) {
		*ret_name = ts_arena_printf(arena, "%s%.*s", group, TS_SPAN_ARG(ts_buf_view(&key)));
		status = *ret_name ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&key);
	return status;
}

enum ts_status ts_typed_column(struct ts_span typed, size_t i, struct ts_arena *arena, const char **ret_name, struct ts_error *err)
{
	struct ts_span rest = typed;
	const char *group;

	if (i < GROUPS)
		*ret_name = ts_arena_printf(arena, "%s%.*s", groups[i], TS_SPAN_ARG(typed));
	else if (i < AS_TYPED)
		*ret_name = ts_arena_printf(arena, "scalars.%s%.*s", ts_train_prefixes[i - GROUPS + 1], TS_SPAN_ARG(typed));
	else if (i == AS_TYPED) {
		group = group_of(&rest);
		return as_key(group, rest, arena, ret_name, err);
	} else if (i < AS_TYPED + GROUPS)
		return as_key(groups[i - AS_TYPED], typed, arena, ret_name, err);
	else {
		*ret_name = NULL;
		return TS_OK;
	}
	return *ret_name ? TS_OK : ts_arena_error(arena, err);
}
