/* analyze_cache.h - caches what an analysis computed from the columns of a run, under the run's id, the version of the
 * analysis, and its options.
 *
 * The cache keeps measures, events, plots and notes, as the bytes of an AnalyzeReply. Each call derives the bound and the
 * findings from them, so that a policy needs no entry of its own. A cache may lose entries, and its content is not trusted: an
 * entry that does not parse counts as absent.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_CACHE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_CACHE_H

#include "proto/wire.h"

/* Looks up an analysis. False: it is not in the cache. Spans of the result lie in the arena. */
bool ts_analyze_cached(struct ts_engine *engine, const struct ts_id *run, const struct ts_analyze_request *request,
		       struct ts_arena *arena, struct ts_analysis *ret_analysis);
void ts_analyze_keep(struct ts_engine *engine, const struct ts_id *run, const struct ts_analyze_request *request,
		     const struct ts_analysis *analysis);

#endif
