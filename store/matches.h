/* matches.h - guesses which literal or match zlib or gzip wrote at each place of a text, by searching as they do.
 *
 *	struct ts_matches m = {.text = text, .end = length, .how = how};
 *	ts_matches_begin(&m, at, err)			whatever stands before `at` can be matched
 *	token = ts_matches_guess(&m);
 *	ts_matches_take(&m, token or another one)	as often as there are tokens
 *	ts_matches_pass(&m, n)				n bytes that no token wrote
 *	ts_matches_restart(&m)				what stands before cannot be matched any more: another member begins
 *	ts_matches_finish(&m)
 *
 * The search is that of zlib's deflate_fast (levels 1 to 3) and deflate_slow (4 to 9), which gzip has, too: chains of places whose next
 * three bytes have the same hash of 15 or 16 bits. A guess never reads behind the end. A wrong one costs its writer a few bytes.
 * Threads: one at a time.
 */
#ifndef TSCOPE_STORE_MATCHES_H
#define TSCOPE_STORE_MATCHES_H

#include "base/error.h"
#include "store/inflate.h"

enum { TS_MATCH_WINDOW = 32768, TS_LEVELS = 9 };

struct ts_matches_how {
	uint8_t level;	   /* 1 to TS_LEVELS */
	uint8_t hash_bits; /* 15 or 16 */
};

struct ts_matches {
	const uint8_t *text;
	size_t end, at;
	struct ts_matches_how how;
	uint64_t work; /* places that were looked at so far, and 16 bytes that were compared */
	/* Internal. */
	size_t base;	 /* the first place is not matched, as in zlib */
	size_t inserted; /* places before it are in the chains, or passed over */
	struct ts_token now, next;
	bool has_next;
	uint32_t *heads, *before; /* places plus 1; 0: none */
};

bool ts_matches_how_holds(struct ts_matches_how how);
enum ts_status ts_matches_begin(struct ts_matches *m, size_t at, struct ts_error *err);
void ts_matches_finish(struct ts_matches *m);
/* At the end it is a literal. */
struct ts_token ts_matches_guess(struct ts_matches *m);
/* The token, or the bytes, do not go over the end. */
void ts_matches_take(struct ts_matches *m, struct ts_token token);
void ts_matches_pass(struct ts_matches *m, size_t n);
void ts_matches_restart(struct ts_matches *m);

#endif
