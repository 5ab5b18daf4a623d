/* tunnel.h - forwards a socket file of another machine to this one, by the user's own ssh.
 *
 *	ts_tunnel_open(&address, &tunnel, err)	spawns `ssh -N -o ExitOnForwardFailure=yes -L local:remote host`, waits until the
 *						local socket file is there
 *	ts_tunnel_path(tunnel)			that file, in a directory that only this user can enter
 *	ts_tunnel_close(tunnel)			ends ssh, removes the directory
 *
 * ssh itself handles keys, agents, jump hosts and passwords, and it keeps the terminal. TSCOPE_SSH names another command, with
 * arguments separated by spaces; the default is "ssh". A tunnel has to be opened before gRPC starts, since C-core does not
 * survive a fork of its process; posix_spawn before gRPC starts is fine. If the program dies by any signal, ssh and the
 * directory go too: a small shell beside it waits for its end.
 */
#ifndef TSCOPE_SERVICE_RPC_TUNNEL_H
#define TSCOPE_SERVICE_RPC_TUNNEL_H

#include "service/rpc/address.h"

struct ts_tunnel;

enum ts_status ts_tunnel_open(const struct ts_address *address, struct ts_tunnel **ret_tunnel, struct ts_error *err);
const char *ts_tunnel_path(const struct ts_tunnel *tunnel);
void ts_tunnel_close(struct ts_tunnel *tunnel); /* NULL is allowed */

#endif
