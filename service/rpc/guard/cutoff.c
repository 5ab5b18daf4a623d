#include "service/rpc/guard/cutoff.h"

static const struct {
	const char *word, *text;
} causes[TS_CUTOFFS] = {
	[TS_CUTOFF_NONE] = {"none", "nothing is wrong with it"},
	[TS_CUTOFF_CONNECTIONS] = {"connections", "the server has as many connections as max-connections allows"},
	[TS_CUTOFF_PEER_CONNECTIONS] = {"peer-connections", "this peer has as many connections as peer-connections allows"},
	[TS_CUTOFF_CONNECT_RATE] = {"connect-rate", "this peer connects more often than its calls earn"},
	[TS_CUTOFF_PEERS] = {"peers", "the server talks to as many different peers as it can remember"},
	[TS_CUTOFF_DESCRIPTOR] = {"descriptor", "the server has too many open files"},
	[TS_CUTOFF_MEMORY] = {"memory", "the server is out of memory"},
	[TS_CUTOFF_SLOW_BEGIN] = {"slow-begin", "it did not begin to speak HTTP/2 in time"},
	[TS_CUTOFF_HANDSHAKE] = {"handshake", "the TLS handshake failed"},
	[TS_CUTOFF_CERTIFICATE] = {"certificate", "the client's certificate is not one that is let in"},
	[TS_CUTOFF_ALPN] = {"alpn", "it did not agree on h2 by ALPN"},
	[TS_CUTOFF_PREFACE] = {"preface", "what it sends is not HTTP/2"},
	[TS_CUTOFF_RESETS] = {"resets", "it resets more streams than its calls earn"},
	[TS_CUTOFF_PINGS] = {"pings", "it sends more PING frames than its calls earn"},
	[TS_CUTOFF_SETTINGS] = {"settings", "it sends more SETTINGS frames than a client needs"},
	[TS_CUTOFF_WINDOWS] = {"windows", "it sends more WINDOW_UPDATE frames than its calls and downloads earn"},
	[TS_CUTOFF_ODD_FRAMES] = {"odd-frames", "it sends more empty or unknown frames than a client needs"},
	[TS_CUTOFF_BAD_FRAME] = {"bad-frame", "it sends a frame that HTTP/2 does not allow there"},
	[TS_CUTOFF_HEADERS] = {"headers", "a block of headers is longer, or in more pieces, than allowed"},
	[TS_CUTOFF_KEY_UPDATES] = {"key-updates", "it asks for more new keys of TLS than a client needs"},
	[TS_CUTOFF_SLOW_HEADERS] = {"slow-headers", "a block of headers did not end in time"},
	[TS_CUTOFF_SLOW_READER] = {"slow-reader", "it does not take the replies that it asked for"},
	[TS_CUTOFF_MADE_ROOM] = {"made-room", "it was idle, and another connection needed the room"},
};

const char *ts_cutoff_word(enum ts_cutoff cause)
{
	return causes[cause].word;
}

const char *ts_cutoff_text(enum ts_cutoff cause)
{
	return causes[cause].text;
}

bool ts_cutoff_is_refusal(enum ts_cutoff cause)
{
	return cause >= TS_CUTOFF_CONNECTIONS && cause <= TS_CUTOFF_MEMORY;
}
