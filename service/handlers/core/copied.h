/* copied.h - of which store the one of this call is a read-only copy: it follows a server, or is a mirror. */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_COPIED_H
#define TSCOPE_SERVICE_HANDLERS_CORE_COPIED_H

#include "proto/wire.h"
#include "service/handlers/core/handler.h"

/* The text lies in the arena of the call. Costs nothing where the store is no copy. */
enum ts_status ts_call_copied(const struct ts_call *call, struct ts_copy *ret_copy, struct ts_error *err);
/* The sentence of TS_DENIED for whoever wants to write to a copy. */
enum ts_status ts_copy_refuse(const struct ts_copy *copy, struct ts_error *err);

#endif
