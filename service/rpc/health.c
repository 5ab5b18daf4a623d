/* grpc.health.v1.Health: a request is { string service = 1 }, a reply { enum status = 1 }. So small that it is read and
 * written by hand: no generated code for two bytes. */
#include "service/rpc/server_call.h"

#include "base/cursor.h"

static bool varint(struct ts_cursor *in, uint64_t *ret)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 63; shift += 7) {
		uint8_t b = ts_cursor_u8(in);

		v |= (uint64_t)(b & 127) << shift;
		if (b < 128) {
			*ret = v;
			return !in->failed;
		}
	}
	return false;
}

/* The last field 1 wins, unknown fields are skipped, as protobuf has it. */
static bool parse(struct ts_span request, struct ts_span *ret_service)
{
	struct ts_cursor in = ts_cursor_of(request);
	struct ts_span service = {NULL, 0};
	uint64_t tag, v;

	while (ts_cursor_left(&in) > 0) {
		struct ts_span bytes;

		if (!varint(&in, &tag))
			return false;
		switch (tag & 7) {
		case 0:
			if (!varint(&in, &v))
				return false;
			break;
		case 1:
			ts_cursor_bytes(&in, 8);
			break;
		case 2:
			if (!varint(&in, &v) || v > ts_cursor_left(&in))
				return false;
			bytes = ts_cursor_bytes(&in, (size_t)v);
			if (tag >> 3 == 1)
				service = bytes;
			break;
		case 5:
			ts_cursor_bytes(&in, 4);
			break;
		default:
			return false;
		}
	}
	*ret_service = service;
	return !in.failed;
}

enum ts_status ts_health_service(struct ts_span request, struct ts_error *err)
{
	struct ts_span service;

	if (!parse(request, &service))
		return ts_error_set(err, TS_INVALID, "not a HealthCheckRequest");
	if (service.len == 0 || ts_span_is(service, "tscope.v1.Tscope"))
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "no such service here");
}

struct ts_span ts_health_reply(enum ts_health health)
{
	static const uint8_t replies[][2] = {{8, 0}, {8, 1}, {8, 2}, {8, 3}};

	return ts_span_of(replies[health], 2);
}

static enum ts_status check(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	(void)state;
	if (ts_health_service(request, err))
		return err->status;
	return call->reply(call, ts_health_reply(TS_HEALTH_SERVING), err);
}

const struct ts_handler ts_health_check = {.method = "Check", .flags = TS_METHOD_CHEAP, .message = check};
