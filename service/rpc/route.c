#include "service/rpc/route.h"

#include "base/door.h"
#include "base/pb.h"
#include "service/handlers/core/handler.h"

#include <string.h>

/* The field of a request that names its (first) run. What is not here is about many runs, or about none. */
static const struct {
	const char *method;
	uint32_t field;
} named[] = {
	{"Analyze", 1}, {"Chart", 1}, {"CheckResume", 2}, {"Diff", 1},	{"DiffMatrix", 1},
	{"Gate", 1},	{"GetRun", 1}, {"Trend", 1},
	{"GetObjects", 2}, /* ids side by side */
};

static uint32_t field_of(const char *method)
{
	for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
		if (strcmp(named[i].method, method) == 0)
			return named[i].field;
	}
	return 0;
}

bool ts_route_may_repeat(const char *method)
{
	const struct ts_handler *handler = ts_handler_find(ts_span_str(method));

	return handler && !(handler->flags & TS_METHOD_WRITES);
}

/* What people would write: of ids side by side the first one, as text in hex, which has room for it. */
static struct ts_span as_written(const char *method, struct ts_span value, char *hex)
{
	struct ts_id id;

	if (strcmp(method, "GetObjects") != 0)
		return value;
	if (value.len < TS_ID_BYTES)
		return ts_span_of(NULL, 0);
	memcpy(id.bytes, value.data, TS_ID_BYTES);
	return ts_span_of(ts_id_hex(&id, hex), TS_ID_HEX);
}

/* As a value of the first field that names a run; empty: an empty key. */
static struct ts_route_key key_of(struct ts_span value)
{
	struct ts_route_key key = {""};
	char hex[TS_ID_HEX + 1];
	struct ts_id id;

	if (!value.len)
		return key;
	ts_digest(value, &id);
	(void)ts_id_hex(&id, hex);
	memcpy(key.hex, hex, TS_ROUTE_HEX);
	return key;
}

struct ts_route_key ts_route_key_of(const struct ts_id *run)
{
	char hex[TS_ID_HEX + 1];

	return key_of(ts_span_of(ts_id_hex(run, hex), TS_ID_HEX));
}

struct ts_route_key ts_route_key(const char *method, struct ts_span request)
{
	struct ts_span value = {NULL, 0};
	struct ts_pb pb = ts_pb_of(request);
	uint32_t field = field_of(method);
	char hex[TS_ID_HEX + 1];
	struct ts_pb_field f;

	while (field && !value.len && ts_pb_next(&pb, &f)) {
		if (f.number == field && f.wire == TS_PB_BYTES)
			value = as_written(method, f.bytes, hex);
	}
	return key_of(value);
}

static uint64_t weight(const char *address, const struct ts_route_key *key)
{
	uint8_t text[512];
	size_t n = strnlen(address, sizeof text - TS_ROUTE_HEX), keyed = strlen(key->hex);
	struct ts_id id;

	memcpy(text, key->hex, keyed);
	memcpy(text + keyed, address, n);
	ts_digest(ts_span_of(text, keyed + n), &id);
	return ts_load_le(id.bytes, 8);
}

void ts_route_order(const char *const *addresses, size_t n, const struct ts_route_key *key, size_t *ret_order)
{
	uint64_t weights[TS_ROUTE_SERVERS];

	TS_DOOR(n <= TS_ROUTE_SERVERS);
	/* Each is put before those that are lighter: there are few. */
	for (size_t i = 0; i < n; i++) {
		uint64_t own = weight(addresses[i], key);
		size_t at = i;

		for (; at > 0 && weights[at - 1] < own; at--) {
			weights[at] = weights[at - 1];
			ret_order[at] = ret_order[at - 1];
		}
		weights[at] = own;
		ret_order[at] = i;
	}
}
