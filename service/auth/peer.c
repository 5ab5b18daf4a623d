#include "service/auth/peer.h"

enum { SITE_BYTES = 8 }; /* of an IPv6 address */

/* FNV-1a with a last mix. Whoever chooses its own key only shares a limit with itself. */
uint64_t ts_peer_key(enum ts_peer_kind kind, struct ts_span bytes)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)kind;
	size_t n = kind == TS_PEER_ADDRESS && bytes.len > SITE_BYTES ? SITE_BYTES : bytes.len;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)bytes.data[i]) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	h *= UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 29;
	return h ? h : 1;
}
