/* testing.h - a server in this process over a table of small handlers, which the tests of this folder share.
 *
 * The handlers are:
 *
 *	Echo, PoolEcho	reply with the request; Echo is cheap, PoolEcho runs on a thread of its lane
 *	Quick		replies "quick" at once to a request that begins with q; else it is as PoolEcho
 *	Who		replies with the caller
 *	Left		replies with the milliseconds to the deadline, as text
 *	Fail		fails with the status in the first byte of the request and the rest as its text
 *	Sleep		sleeps until it should stop, at most 20 s, and replies why it stopped; WriteSleep, DownSleep and LongSleep do so
 *			in the other lanes
 *	Nice		replies with the nice of its thread, as text; WriteNice and LongNice do so in the other lanes
 *	Blob		replies with as many bytes as the first 4 bytes of the request say
 *	Alloc, Diff	take as many MiB from the arena as the request's byte says; Diff has the big arena
 *	Write		is refused by a read-only server
 *	Sum		takes a stream, and replies with the number of messages and bytes, as text; it refuses a message "bad"
 *	Count		replies with a stream of n messages of a size; the request is these two numbers as u32
 */
#ifndef TSCOPE_SERVICE_RPC_TESTING_H
#define TSCOPE_SERVICE_RPC_TESTING_H

#include "service/rpc/client.h"
#include "service/rpc/server.h"

#include <stdatomic.h>

extern const struct ts_handler testing_handlers[];
extern const size_t testing_n_handlers;

/* Counts of streams that were opened, closed and dropped, and of Sleep calls that began and were told to stop. */
extern atomic_int testing_opened, testing_closed, testing_dropped, testing_sleeping, testing_stopped;

struct testing {
	char dir[64];
	char unix_address[96], socket[80];
	struct ts_listener listeners[2]; /* the socket file, and a free port on the loopback address */
	struct ts_server_facts facts;
	struct ts_server_options options;
	struct ts_server *server;
};

/* testing_init makes a directory of its own and sets options, which the test may change before it starts the server. All these
 * functions abort the test on failure. */
void testing_init(struct testing *t);
void testing_start(struct testing *t);
void testing_finish(struct testing *t);
const char *testing_tcp(const struct testing *t);
struct ts_channel *testing_client(const char *address);

/* Makes one call and returns its status. `text` gets the reply as text, or the error's text, cut to its size. */
enum ts_status testing_call(struct ts_channel *ch, const char *method, struct ts_span request, char text[256]);
/* Returns a plain connected socket. */
int testing_connect(const char *address);

#endif
