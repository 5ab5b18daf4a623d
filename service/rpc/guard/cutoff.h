/* cutoff.h - why the guard ends a connection: one table for the log, for counts and for what the client is told.
 *
 * Pure; thread-safe.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_CUTOFF_H
#define TSCOPE_SERVICE_RPC_GUARD_CUTOFF_H

#include <stdbool.h>

enum ts_cutoff {
	TS_CUTOFF_NONE,
	/* The connection was refused when it came. */
	TS_CUTOFF_CONNECTIONS,
	TS_CUTOFF_PEER_CONNECTIONS,
	TS_CUTOFF_CONNECT_RATE,
	TS_CUTOFF_PEERS,
	TS_CUTOFF_DESCRIPTOR,
	TS_CUTOFF_MEMORY,
	/* It did not get as far as HTTP/2. */
	TS_CUTOFF_SLOW_BEGIN,
	TS_CUTOFF_HANDSHAKE,
	TS_CUTOFF_CERTIFICATE,
	TS_CUTOFF_ALPN,
	TS_CUTOFF_PREFACE,
	/* It was cut for what it sent. */
	TS_CUTOFF_RESETS,
	TS_CUTOFF_PINGS,
	TS_CUTOFF_SETTINGS,
	TS_CUTOFF_WINDOWS,
	TS_CUTOFF_ODD_FRAMES,
	TS_CUTOFF_BAD_FRAME,
	TS_CUTOFF_HEADERS,
	TS_CUTOFF_KEY_UPDATES,
	/* It was cut for what it did not do. */
	TS_CUTOFF_SLOW_HEADERS,
	TS_CUTOFF_SLOW_READER,
	TS_CUTOFF_MADE_ROOM,
	TS_CUTOFFS
};

/* "resets": the word of the cause in counts and in the log. */
const char *ts_cutoff_word(enum ts_cutoff cause);
/* "it resets more streams than its calls earn": for the log, and for the client where it can still be told. */
const char *ts_cutoff_text(enum ts_cutoff cause);
/* Whether the connection was refused when it came, and is not one that was cut later. */
bool ts_cutoff_is_refusal(enum ts_cutoff cause);

#endif
