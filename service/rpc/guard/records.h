/* records.h - TLS where C-core believes to receive from and send to a socket: it moves plaintext, OpenSSL the records.
 *
 * The socket is nonblocking, and what OpenSSL sends never raises SIGPIPE. Threads: one at a time a connection.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_RECORDS_H
#define TSCOPE_SERVICE_RPC_GUARD_RECORDS_H

#include <stdbool.h>
#include <sys/socket.h>

struct ssl_st;

/* Has the session use the socket, which it does not own. False: no memory. */
bool ts_records_attach(struct ssl_st *ssl, int fd);
/* As recvmsg and sendmsg, with errno. *ret_full: the kernel takes no more, and a record waits to be sent. */
ssize_t ts_records_receive(struct ssl_st *ssl, struct msghdr *message);
ssize_t ts_records_send(struct ssl_st *ssl, const struct msghdr *message, bool *ret_full);

#endif
