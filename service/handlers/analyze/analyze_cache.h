/* analyze_cache.h - keeps what an analysis computed from the columns of a run, under the run's id, the version of
 * the analysis, and its options.
 *
 * Kept are measures, events, plots and notes, as the bytes of an AnalyzeReply; the bound and the findings follow from them at each
 * call, so that a policy needs no cache of its own. A cache may forget, and may hold anything: what does not parse is not there.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_CACHE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_CACHE_H

#include "proto/wire.h"

/* False: it is not there. Spans of the result lie in the arena. */
bool ts_analyze_cached(struct ts_engine *engine, const struct ts_id *run, const struct ts_analyze_request *request,
		       struct ts_arena *arena, struct ts_analysis *ret_analysis);
void ts_analyze_keep(struct ts_engine *engine, const struct ts_id *run, const struct ts_analyze_request *request,
		     const struct ts_analysis *analysis);

#endif
