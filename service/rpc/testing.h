/* testing.h - what the tests of this room share: a server in this process over a table of small handlers.
 *
 * The handlers, by name: Echo (cheap), PoolEcho, Quick ("quick" at once when it is asked something
 * that begins with q, else PoolEcho), Who (the caller), Left (milliseconds to the deadline, as text), Fail (first
 * byte: a status; the rest its text), Sleep (until it should stop, at most 20 s; says why), Blob (first 4 bytes: how many bytes to
 * reply), Alloc (MiB to take from the arena, a byte), Diff (as Alloc, with the big arena), Write (refused when read-only), Sum
 * (a stream up: messages and bytes, as text; a message "bad" is refused), Count (a stream down: n messages of size, two u32).
 */
#ifndef TSCOPE_SERVICE_RPC_TESTING_H
#define TSCOPE_SERVICE_RPC_TESTING_H

#include "service/rpc/client.h"
#include "service/rpc/server.h"

#include <stdatomic.h>

extern const struct ts_handler testing_handlers[];
extern const size_t testing_n_handlers;

/* How many streams were opened, closed and dropped, and how many Sleeps began and were told to stop. */
extern atomic_int testing_opened, testing_closed, testing_dropped, testing_sleeping, testing_stopped;

struct testing {
	char dir[64];
	char unix_address[96], socket[80];
	struct ts_listener listeners[2]; /* the socket file, and a free port of loopback */
	struct ts_server_facts facts;
	struct ts_server_options options;
	struct ts_server *server;
};

/* A directory of its own and options; change them, then start. All abort the test when something fails. */
void testing_init(struct testing *t);
void testing_start(struct testing *t);
void testing_finish(struct testing *t);
const char *testing_tcp(const struct testing *t);
struct ts_channel *testing_client(const char *address);

/* One call; the reply as text in `text` (cut), or the error's text. Returns the status. */
enum ts_status testing_call(struct ts_channel *ch, const char *method, struct ts_span request, char text[256]);
/* A plain connected socket. */
int testing_connect(const char *address);

#endif
