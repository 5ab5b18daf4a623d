#include "service/handlers/analyze/reduce_cache.h"

#include "base/limits.h"

enum { KEY_MAX = 1 << 20 };

static void put_text(struct ts_buf *key, struct ts_span text)
{
	ts_buf_u64(key, text.len);
	ts_buf_span(key, text);
}

/* The key has everything that a reduction and the key of its workload depend on. */
static void put_key(struct ts_buf *key, const struct ts_id *run, const struct ts_gate_policy *policy)
{
	const struct ts_reduce_options *o = &policy->reduce;

	ts_buf_str(key, "reduce ");
	ts_buf_span(key, ts_id_span(run));
	ts_buf_u64(key, TS_ANALYSIS_VERSION);
	ts_buf_u64(key, o->has_warmup);
	ts_buf_u64(key, o->has_warmup ? o->warmup : 0);
	ts_buf_u64(key, o->n_excludes);
	for (size_t i = 0; i < o->n_excludes; i++) {
		ts_buf_u64(key, o->excludes[i].kind);
		ts_buf_u64(key, o->excludes[i].kind == TS_EXCLUDE_EVERY ? o->excludes[i].every : 0);
		put_text(key, o->excludes[i].name);
	}
	for (size_t i = 0; i < policy->ignore.n; i++)
		put_text(key, policy->ignore.globs[i]);
}

bool ts_reduce_cached(struct ts_engine *engine, const struct ts_id *run, const struct ts_gate_policy *policy, struct ts_arena *arena,
		      struct ts_gate_run *ret_run)
{
	struct ts_buf key = TS_BUF_INIT(KEY_MAX);
	struct ts_error ignored;
	struct ts_gate_run out;
	struct ts_span value;
	bool found;

	put_key(&key, run, policy);
	found = !key.failed && !engine->ops->cache_get(engine, ts_buf_view(&key), arena, &value, &ignored) &&
		!ts_wire_unpack_gate_run(value, arena, &out, &ignored) && ts_id_eq(&out.id, run);
	ts_buf_finish(&key);
	if (found)
		*ret_run = out;
	return found;
}

enum ts_status ts_reduce_keep(struct ts_engine *engine, const struct ts_gate_run *run, const struct ts_gate_policy *policy,
			      struct ts_arena *arena, struct ts_gate_run *ret_run, struct ts_error *err)
{
	struct ts_buf key = TS_BUF_INIT(KEY_MAX), value = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_gate_run(run, &value, err);

	put_key(&key, &run->id, policy);
	if (!status) {
		struct ts_span bytes = ts_arena_span(arena, ts_buf_view(&value));

		status = bytes.data ? ts_wire_unpack_gate_run(bytes, arena, ret_run, err) : ts_arena_error(arena, err);
	}
	if (!status && !key.failed)
		engine->ops->cache_put(engine, ts_buf_view(&key), ts_buf_view(&value));
	ts_buf_finish(&key);
	ts_buf_finish(&value);
	return status;
}
