#include "service/rpc/guard/cause.h"

static const struct {
	const char *word, *text;
} causes[TS_CAUSES] = {
	[TS_CAUSE_NONE] = {"none", "nothing is wrong with it"},
	[TS_CAUSE_CONNECTIONS] = {"connections", "the server has as many connections as max-connections allows"},
	[TS_CAUSE_PEER_CONNECTIONS] = {"peer-connections", "this peer has as many connections as peer-connections allows"},
	[TS_CAUSE_CONNECT_RATE] = {"connect-rate", "this peer connects more often than its calls earn"},
	[TS_CAUSE_PEERS] = {"peers", "the server talks to as many different peers as it can remember"},
	[TS_CAUSE_DESCRIPTOR] = {"descriptor", "the server has too many open files"},
	[TS_CAUSE_MEMORY] = {"memory", "the server is out of memory"},
	[TS_CAUSE_SLOW_BEGIN] = {"slow-begin", "it did not begin to speak HTTP/2 in time"},
	[TS_CAUSE_HANDSHAKE] = {"handshake", "the TLS handshake failed"},
	[TS_CAUSE_ALPN] = {"alpn", "it did not agree on h2 by ALPN"},
	[TS_CAUSE_PREFACE] = {"preface", "what it sends is not HTTP/2"},
	[TS_CAUSE_RESETS] = {"resets", "it resets more streams than its calls earn"},
	[TS_CAUSE_PINGS] = {"pings", "it sends more PING frames than its calls earn"},
	[TS_CAUSE_SETTINGS] = {"settings", "it sends more SETTINGS frames than a client needs"},
	[TS_CAUSE_WINDOWS] = {"windows", "it sends more WINDOW_UPDATE frames than its calls and downloads earn"},
	[TS_CAUSE_ODD_FRAMES] = {"odd-frames", "it sends more empty or unknown frames than a client needs"},
	[TS_CAUSE_BAD_FRAME] = {"bad-frame", "it sends a frame that HTTP/2 does not allow there"},
	[TS_CAUSE_HEADERS] = {"headers", "a block of headers is longer, or in more pieces, than allowed"},
	[TS_CAUSE_KEY_UPDATES] = {"key-updates", "it asks for more new keys of TLS than a client needs"},
	[TS_CAUSE_SLOW_HEADERS] = {"slow-headers", "a block of headers did not end in time"},
	[TS_CAUSE_SLOW_READER] = {"slow-reader", "it does not take the replies that it asked for"},
	[TS_CAUSE_MADE_ROOM] = {"made-room", "it was idle, and another connection needed the room"},
};

const char *ts_cause_word(enum ts_cause cause)
{
	return causes[cause].word;
}

const char *ts_cause_text(enum ts_cause cause)
{
	return causes[cause].text;
}

bool ts_cause_is_refusal(enum ts_cause cause)
{
	return cause >= TS_CAUSE_CONNECTIONS && cause <= TS_CAUSE_MEMORY;
}
