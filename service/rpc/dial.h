/* dial.h - a connected socket to an address, or a clear reason why there is none. No gRPC. */
#ifndef TSCOPE_SERVICE_RPC_DIAL_H
#define TSCOPE_SERVICE_RPC_DIAL_H

#include "service/rpc/address.h"

#include <stdint.h>

/* UNIX and TCP only. Tries every address that a host name has until the monotonic time is over. The descriptor is
 * non-blocking and close-on-exec. TS_UNAVAILABLE with the system's reason. */
enum ts_status ts_dial(const struct ts_address *address, int64_t until_ns, int *ret_fd, struct ts_error *err);

#endif
