/* listen_socket.h - one bound and listening socket, with the lock that prevents a second server on its path. */
#ifndef TSCOPE_SERVICE_RPC_LISTEN_SOCKET_H
#define TSCOPE_SERVICE_RPC_LISTEN_SOCKET_H

#include "service/rpc/listen.h"

#include <sys/socket.h>

struct ts_listen_socket {
	int fd;
	int lock_fd;	   /* -1 for TCP */
	enum ts_address_kind kind;
	bool tls;
	char path[256];	   /* path of the socket file */
	char address[320]; /* its address, with the port that was taken */
};

/* Refuses options that ts_listen_socket_open would refuse in every state of this machine, without opening anything. *ret_name
 * is the address to which a TCP socket would be bound, AF_UNSPEC for a socket file. */
enum ts_status ts_listen_socket_check(const struct ts_listener *options, struct sockaddr_storage *ret_name,
				      struct ts_error *err);
/* On failure nothing is left open. The lock file stays when the server ends, because removing it would be a race. */
enum ts_status ts_listen_socket_open(const struct ts_listener *options, struct ts_listen_socket *ret_socket,
				     struct ts_error *err);
void ts_listen_socket_close(struct ts_listen_socket *socket);

#endif
