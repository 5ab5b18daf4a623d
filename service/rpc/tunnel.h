/* tunnel.h - a socket file of another machine, brought here by the user's own ssh.
 *
 *	ts_tunnel_open(&address, &tunnel, err)	spawns `ssh -N -o ExitOnForwardFailure=yes -L local:remote host`, waits until the
 *						local socket file is there
 *	ts_tunnel_path(tunnel)			that file, in a directory only this user can enter
 *	ts_tunnel_close(tunnel)			ends ssh, removes the directory
 *
 * Keys, agents, jump hosts, passwords: all of that is ssh's, which keeps the terminal. TSCOPE_SSH names another command, with
 * arguments separated by spaces; the default is "ssh". Caveats: open it before gRPC starts (C-core does not survive
 * processes that are forked; posix_spawn before it is fine). A program that dies by whatever signal takes its ssh and the
 * directory with it: a small shell beside it waits for its end.
 */
#ifndef TSCOPE_SERVICE_RPC_TUNNEL_H
#define TSCOPE_SERVICE_RPC_TUNNEL_H

#include "service/rpc/address.h"

struct ts_tunnel;

enum ts_status ts_tunnel_open(const struct ts_address *address, struct ts_tunnel **ret_tunnel, struct ts_error *err);
const char *ts_tunnel_path(const struct ts_tunnel *tunnel);
void ts_tunnel_close(struct ts_tunnel *tunnel); /* NULL is allowed */

#endif
