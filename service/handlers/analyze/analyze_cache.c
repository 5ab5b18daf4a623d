#include "service/handlers/analyze/analyze_cache.h"

#include "base/limits.h"

/* The key has everything that the reductions depend on. */
static void put_key(struct ts_buf *key, const struct ts_id *run, const struct ts_analyze_request *r)
{
	const double numbers[] = {r->has_flops_per_step ? r->flops_per_step : 0,
				  r->has_peak_flops_per_s ? r->peak_flops_per_s : 0,
				  r->has_device_bytes ? r->device_bytes : 0};
	const uint64_t words[] = {TS_ANALYSIS_VERSION,
				  r->has_warmup,
				  r->has_warmup ? r->warmup : 0,
				  r->has_rank,
				  r->has_rank ? (uint64_t)r->rank : 0,
				  r->has_microbatches ? r->microbatches : 0};

	ts_buf_str(key, "analyze ");
	ts_buf_span(key, ts_id_span(run));
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		ts_buf_u64(key, words[i]);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		uint64_t word;

		memcpy(&word, &numbers[i], sizeof word);
		ts_buf_u64(key, word);
	}
	ts_buf_span(key, r->dtype);
}

bool ts_analyze_cached(struct ts_engine *engine, const struct ts_id *run, const struct ts_analyze_request *request,
		       struct ts_arena *arena, struct ts_analysis *ret_analysis)
{
	struct ts_buf key = TS_BUF_INIT(4096);
	struct ts_error ignored;
	struct ts_span value;
	bool found;

	put_key(&key, run, request);
	found = !key.failed && !engine->ops->cache_get(engine, ts_buf_view(&key), arena, &value, &ignored) &&
		!ts_wire_unpack_analyze_reply(value, arena, ret_analysis, &ignored);
	ts_buf_finish(&key);
	return found;
}

void ts_analyze_keep(struct ts_engine *engine, const struct ts_id *run, const struct ts_analyze_request *request,
		     const struct ts_analysis *analysis)
{
	struct ts_buf key = TS_BUF_INIT(4096), value = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_error ignored;

	put_key(&key, run, request);
	if (!key.failed && !ts_wire_pack_analyze_reply(analysis, &value, &ignored))
		engine->ops->cache_put(engine, ts_buf_view(&key), ts_buf_view(&value));
	ts_buf_finish(&key);
	ts_buf_finish(&value);
}
