/* load_server.h - a tscoped of this build that bench_load starts, and what the system says of it.
 *
 * Nothing here starts C-core in this process, which forks clients; what asks a server runs in a child. */
#ifndef TSCOPE_TESTS_BENCH_LOAD_SERVER_H
#define TSCOPE_TESTS_BENCH_LOAD_SERVER_H

#include "service/rpc/client.h"

#include <stdbool.h>
#include <sys/types.h>

struct load_server {
	pid_t pid;
	unsigned metrics_port;
	char store[96], socket[96], address[96];
	struct ts_client_login login; /* none: the user behind the socket */
};

/* Certificates for servers below dir, and for clients the CA: once, before servers with TLS start. */
void load_server_certify(const char *dir);

/* program: the path of tscoped. With tls, the server is asked over TLS with a token that may push to the project "load". */
void load_server_start(struct load_server *server, const char *program, const char *dir, const char *name, bool tls);
void load_server_stop(struct load_server *server);

unsigned load_server_descriptors(const struct load_server *server);
double load_server_anonymous_mb(const struct load_server *server);
/* How many slots for readers of the store were ever taken at once. */
unsigned load_server_reader_slots(const struct load_server *server);

/* Of the server's metrics: seconds that its calls of a method took and waited for a thread so far, and how many there were. */
struct load_times {
	double seconds, queued;
	double calls;
};
void load_server_times(const struct load_server *server, const char *method, struct load_times *ret_times);

/* Paths of what load_server_certify made. */
extern char load_cert[96], load_key[96], load_ca[96];

/* Prints what and why, and ends the process. */
void load_die(const char *what, const struct ts_error *err);
/* Runs a function in a child, which may start C-core, and waits for it; ends this process if it failed. */
void load_in_child(void (*run)(void *ctx), void *ctx);

#endif
