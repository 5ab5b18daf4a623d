#include "service/handlers/store/keep_to.h"

#include "analysis/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/store/retention.h"

static enum ts_status let_all_go(struct ts_retention_work *work, struct ts_kept_to *ret, struct ts_error *err)
{
	struct ts_retention_done done;
	struct ts_retired *items;
	const char **why;
	enum ts_status status;
	uint64_t more;
	size_t n;

	if (ts_retention_items(work, SIZE_MAX, &items, &n, &more, err))
		return err->status;
	why = ts_arena_array(&work->arena, n, sizeof(const char *));
	if (!why)
		return ts_arena_error(&work->arena, err);
	status = ts_retention_let_go(work, items, n, ts_now_real_ns(), why, &done, err);
	*ret = (struct ts_kept_to){done.names, done.entries};
	return status;
}

enum ts_status ts_keep_to(struct ts_engine *engine, struct ts_span text, const char *name, struct ts_kept_to *ret,
			  struct ts_error *err)
{
	const struct ts_call call = {.engine = engine, .caller = ts_span_str("tscoped"), .deadline_ns = INT64_MAX};
	struct ts_retention_work work;
	enum ts_status status;

	*ret = (struct ts_kept_to){0};
	if (ts_retention_open(&work, &call, text, name, ts_now_real_ns(), err))
		return err->status;
	status = let_all_go(&work, ret, err);
	ts_retention_close(&work);
	return status;
}

enum ts_status ts_keep_to_check(struct ts_span text, const char *name, struct ts_error *err)
{
	struct ts_retention_policy policy;
	struct ts_policy items;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_policy_parse(text, name, &arena, &items, err);
	if (!status && ts_policy_of_retention(&items, &arena, &policy, err))
		status = ts_error_prefix(err, "%s", name);
	ts_arena_finish(&arena);
	return status;
}
