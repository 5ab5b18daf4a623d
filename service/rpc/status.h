/* status.h - our statuses as gRPC codes, and back.
 *
 * gRPC has fewer codes than we have statuses, so the word of ours travels as trailing metadata "tscope-status". A peer that
 * does not send it (a proxy, C-core itself) is understood by its code.
 */
#ifndef TSCOPE_SERVICE_RPC_STATUS_H
#define TSCOPE_SERVICE_RPC_STATUS_H

#include "base/error.h"
#include "base/span.h"

#include <grpc/status.h>

grpc_status_code ts_status_to_grpc(enum ts_status status);

/* word is empty when there was no metadata; TS_OK exactly for GRPC_STATUS_OK. */
enum ts_status ts_status_from_grpc(grpc_status_code code, struct ts_span word);

#endif
