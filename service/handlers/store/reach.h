/* reach.h - which objects a caller who may not read every project may fetch by id: the heads that it sees, and what these reach. */
#ifndef TSCOPE_SERVICE_HANDLERS_STORE_REACH_H
#define TSCOPE_SERVICE_HANDLERS_STORE_REACH_H

#include "proto/wire.h"
#include "service/handlers/core/handler.h"

/* TS_OK: every object of the request may be sent. TS_NOT_FOUND names the first that the caller may not read; it may be there or not. */
enum ts_status ts_reach_check(struct ts_call *call, const struct ts_objects_request *request, struct ts_error *err);

#endif
