/* health.h - the messages of grpc.health.v1, for the server loop and the client that asks whether a server is there.
 *
 * As in wire.h, pack appends to a buffer and unpack checks what it reads; the span lies in the arena.
 */
#ifndef TSCOPE_PROTO_HEALTH_H
#define TSCOPE_PROTO_HEALTH_H

#include "base/arena.h"
#include "base/buf.h"

enum ts_health {
	TS_HEALTH_UNKNOWN = 0,
	TS_HEALTH_SERVING = 1,
	TS_HEALTH_NOT_SERVING = 2,
	TS_HEALTH_SERVICE_UNKNOWN = 3, /* Watch only; Check says NOT_FOUND */
};

/* service is "" or "tscope.v1.Tscope". */
enum ts_status ts_wire_pack_health_request(struct ts_span service, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_wire_unpack_health_request(struct ts_span in, struct ts_arena *arena, struct ts_span *ret_service,
					     struct ts_error *err);
enum ts_status ts_wire_pack_health_reply(enum ts_health health, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_wire_unpack_health_reply(struct ts_span in, struct ts_arena *arena, enum ts_health *ret_health,
					   struct ts_error *err);

#endif
