/* dial.h - connects a socket to an address, without gRPC, or gives a clear reason why it cannot. */
#ifndef TSCOPE_SERVICE_RPC_DIAL_H
#define TSCOPE_SERVICE_RPC_DIAL_H

#include "service/rpc/address.h"

#include <stdint.h>

/* Takes UNIX and TCP addresses only. Tries every address of a host name until the monotonic time until_ns. The descriptor is
 * non-blocking and close-on-exec. TS_UNAVAILABLE: no connection, with the system's reason. */
enum ts_status ts_dial(const struct ts_address *address, int64_t until_ns, int *ret_fd, struct ts_error *err);

#endif
