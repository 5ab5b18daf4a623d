/* status.h - converts our statuses to gRPC codes and back.
 *
 * gRPC has fewer codes than tscope has statuses, so the word of our status is sent as the trailing metadata "tscope-status". If
 * a peer does not send it (a proxy, or C-core itself), its code decides.
 */
#ifndef TSCOPE_SERVICE_RPC_STATUS_H
#define TSCOPE_SERVICE_RPC_STATUS_H

#include "base/error.h"
#include "base/span.h"

#include <grpc/status.h>

grpc_status_code ts_status_to_grpc(enum ts_status status);

/* word is empty if there was no metadata. Returns TS_OK exactly for GRPC_STATUS_OK. */
enum ts_status ts_status_from_grpc(grpc_status_code code, struct ts_span word);

#endif
