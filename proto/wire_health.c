/* wire_health.c - packs and unpacks the messages of grpc.health.v1 (health.h). */
#include "proto/health.h"
#include "proto/wire_message.h"

#include <grpc/health/v1/health.pb-c.h>

enum ts_status ts_wire_pack_health_request(struct ts_span service, struct ts_buf *out, struct ts_error *err)
{
	Grpc__Health__V1__HealthCheckRequest m = GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;

	m.service = ts_wire_span(service);
	return ts_wire_write(&m.base, out, err);
}

enum ts_status ts_wire_unpack_health_request(struct ts_span in, struct ts_arena *arena, struct ts_span *ret_service,
					     struct ts_error *err)
{
	struct ts_wire_reader r = {.arena = arena, .err = err};
	const Grpc__Health__V1__HealthCheckRequest *m =
		ts_wire_parse(&r, in, &grpc__health__v1__health_check_request__descriptor);
	struct ts_span service = {NULL, 0};

	if (m)
		service = ts_wire_text(&r, m->service, TS_WIRE_SPEC_MAX, "service");
	if (r.status)
		return r.status;
	*ret_service = service;
	return TS_OK;
}

enum ts_status ts_wire_pack_health_reply(enum ts_health health, struct ts_buf *out, struct ts_error *err)
{
	Grpc__Health__V1__HealthCheckResponse m = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;

	m.status = (Grpc__Health__V1__HealthCheckResponse__ServingStatus)health;
	return ts_wire_write(&m.base, out, err);
}

enum ts_status ts_wire_unpack_health_reply(struct ts_span in, struct ts_arena *arena, enum ts_health *ret_health,
					   struct ts_error *err)
{
	struct ts_wire_reader r = {.arena = arena, .err = err};
	const Grpc__Health__V1__HealthCheckResponse *m =
		ts_wire_parse(&r, in, &grpc__health__v1__health_check_response__descriptor);
	enum ts_health health = TS_HEALTH_UNKNOWN;

	if (m)
		health = (enum ts_health)ts_wire_enum(&r, m->status, 0, TS_HEALTH_SERVICE_UNKNOWN, "status");
	if (r.status)
		return r.status;
	*ret_health = health;
	return TS_OK;
}
