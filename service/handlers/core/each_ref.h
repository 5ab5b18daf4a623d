/* each_ref.h - goes through the refs of a kind, a page at a time, so that memory does not grow with the store.
 *
 * Threads: as the engine.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_EACH_REF_H
#define TSCOPE_SERVICE_HANDLERS_CORE_EACH_REF_H

#include "service/handlers/core/handler.h"

/* What ref holds is valid until it returns. *ret_enough ends the walk; it is false before. */
typedef enum ts_status ts_ref_visit(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err);

/* Visits the refs of this kind whose names begin with prefix (empty: all), in this order, until it was enough. Stops at the first
 * failure; between two pages it asks whether the call should go on. engine is that of the call, or the one beneath it. */
enum ts_status ts_each_ref(const struct ts_call *call, struct ts_engine *engine, enum ts_ref_kind kind, struct ts_span prefix,
			   enum ts_ref_order order, ts_ref_visit *visit, void *ctx, struct ts_error *err);

#endif
