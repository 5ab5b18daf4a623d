#include "service/rpc/status.h"

static const struct {
	enum ts_status ours;
	grpc_status_code theirs;
} codes[] = {
	/* A code without a status word is read as the first row with that code. */
	{TS_OK, GRPC_STATUS_OK},
	{TS_INVALID, GRPC_STATUS_INVALID_ARGUMENT},
	{TS_DAMAGED, GRPC_STATUS_DATA_LOSS},
	{TS_NOT_FOUND, GRPC_STATUS_NOT_FOUND},
	{TS_AMBIGUOUS, GRPC_STATUS_FAILED_PRECONDITION},
	{TS_CONFLICT, GRPC_STATUS_ABORTED},
	{TS_TOO_LARGE, GRPC_STATUS_RESOURCE_EXHAUSTED},
	{TS_NO_MEMORY, GRPC_STATUS_RESOURCE_EXHAUSTED},
	{TS_FULL, GRPC_STATUS_RESOURCE_EXHAUSTED},
	{TS_INTERNAL, GRPC_STATUS_INTERNAL},
	{TS_IO, GRPC_STATUS_INTERNAL},
	{TS_UNAVAILABLE, GRPC_STATUS_UNAVAILABLE},
	{TS_DEADLINE, GRPC_STATUS_DEADLINE_EXCEEDED},
	{TS_CANCELLED, GRPC_STATUS_CANCELLED},
	{TS_DENIED, GRPC_STATUS_PERMISSION_DENIED},
	{TS_UNSUPPORTED, GRPC_STATUS_UNIMPLEMENTED},
	{TS_CONFLICT, GRPC_STATUS_ALREADY_EXISTS},
	{TS_INVALID, GRPC_STATUS_OUT_OF_RANGE},
	{TS_DENIED, GRPC_STATUS_UNAUTHENTICATED},
};

enum { CODES = sizeof codes / sizeof codes[0] };

grpc_status_code ts_status_to_grpc(enum ts_status status)
{
	for (int i = 0; i < CODES; i++) {
		if (codes[i].ours == status)
			return codes[i].theirs;
	}
	return GRPC_STATUS_UNKNOWN;
}

enum ts_status ts_status_from_grpc(grpc_status_code code, struct ts_span word)
{
	if (code == GRPC_STATUS_OK)
		return TS_OK;
	for (int s = TS_INVALID; s <= TS_INTERNAL && word.len > 0; s++) {
		if (ts_span_is(word, ts_status_word((enum ts_status)s)))
			return (enum ts_status)s;
	}
	for (int i = 0; i < CODES; i++) {
		if (codes[i].theirs == code)
			return codes[i].ours;
	}
	return TS_INTERNAL;
}
