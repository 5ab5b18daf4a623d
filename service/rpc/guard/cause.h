/* cause.h - why the guard ends a connection: one table for the log, for counts and for what the client is told.
 *
 * Pure; thread-safe.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_CAUSE_H
#define TSCOPE_SERVICE_RPC_GUARD_CAUSE_H

#include <stdbool.h>

enum ts_cause {
	TS_CAUSE_NONE,
	/* The connection was refused when it came. */
	TS_CAUSE_CONNECTIONS,
	TS_CAUSE_PEER_CONNECTIONS,
	TS_CAUSE_CONNECT_RATE,
	TS_CAUSE_PEERS,
	TS_CAUSE_DESCRIPTOR,
	TS_CAUSE_MEMORY,
	/* It did not get as far as HTTP/2. */
	TS_CAUSE_SLOW_BEGIN,
	TS_CAUSE_HANDSHAKE,
	TS_CAUSE_ALPN,
	TS_CAUSE_PREFACE,
	/* It was cut for what it sent. */
	TS_CAUSE_RESETS,
	TS_CAUSE_PINGS,
	TS_CAUSE_SETTINGS,
	TS_CAUSE_WINDOWS,
	TS_CAUSE_ODD_FRAMES,
	TS_CAUSE_BAD_FRAME,
	TS_CAUSE_HEADERS,
	TS_CAUSE_KEY_UPDATES,
	/* It was cut for what it did not do. */
	TS_CAUSE_SLOW_HEADERS,
	TS_CAUSE_SLOW_READER,
	TS_CAUSE_MADE_ROOM,
	TS_CAUSES
};

/* "resets": the word of the cause in counts and in the log. */
const char *ts_cause_word(enum ts_cause cause);
/* "it resets more streams than its calls earn": for the log, and for the client where it can still be told. */
const char *ts_cause_text(enum ts_cause cause);
/* Whether the connection was refused when it came, and is not one that was cut later. */
bool ts_cause_is_refusal(enum ts_cause cause);

#endif
