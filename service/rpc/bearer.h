/* bearer.h - the token that a call brings: the header "authorization: Bearer tscope_...", on a line that nobody else can read. */
#ifndef TSCOPE_SERVICE_RPC_BEARER_H
#define TSCOPE_SERVICE_RPC_BEARER_H

#include "service/auth/identity.h"

#include <grpc/grpc.h>

#define TS_BEARER_KEY "authorization"
#define TS_BEARER_WORD "Bearer "

/* Looks for a token in the headers of a call. If there is one, *ret_token is what the store keeps of it and *ret_shown is true.
 * TS_DENIED: it is not good, is shown twice, or came over a line that others can read; no text repeats a part of it. Costs one look
 * into the store. */
enum ts_status ts_bearer_take(struct ts_engine *engine, const grpc_metadata_array *headers, const struct ts_peer *peer,
			      struct ts_token *ret_token, bool *ret_shown, struct ts_error *err);

#endif
