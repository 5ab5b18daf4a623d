/* page_token.h - the short word by which a list goes on behind a page: tscope list --page TOKEN.
 *
 * A token is 16 letters and digits (80 bits in Crockford's base32). 12 bits say of which list it is: kind, project, filter and sort.
 * The others say which row was the last of the page. In the order of pushes, newest first, that is the microsecond of its push and 16
 * bits of the digest of its name, so the list goes on at the right place even if that run was removed or pushed again since. In another
 * order it is 64 bits of the digest of its name and its push, and the list goes on only while it still has that row.
 *
 * A token never reaches a server: the client asks for the same list again and leaves out the rows up to that one. So whoever makes a
 * token up sees nothing but rows that the list has anyway.
 */
#ifndef TSCOPE_CLI_CORE_PAGE_TOKEN_H
#define TSCOPE_CLI_CORE_PAGE_TOKEN_H

#include "base/arena.h"
#include "proto/wire.h"

enum { TS_PAGE_TOKEN_CHARS = 16 };

struct ts_page_token {
	uint16_t list; /* of which list */
	bool by_time;
	int64_t pushed_us; /* by_time */
	uint64_t row;	   /* a digest: of the name (by_time: 16 bits), or of the name and the push */
};

/* Where a row lies, seen from the token. */
enum ts_page_place { TS_PLACE_BEFORE, TS_PLACE_LAST, TS_PLACE_BEHIND };

/* The token of a page of the list that ended with this row. Of the request only kind, project, filter and sort count. */
struct ts_page_token ts_page_token_of(const struct ts_list_request *request, const struct ts_list_row *last);
/* 16 characters in the arena; NULL: it is full. */
const char *ts_page_token_text(const struct ts_page_token *token, struct ts_arena *arena);
/* TS_INVALID: the text is no token, or one of another list. Upper case is lower case, and o, i and l are the digits that they look
 * like. */
enum ts_status ts_page_token_parse(const struct ts_list_request *request, const char *text, struct ts_page_token *ret_token,
				   struct ts_error *err);
enum ts_page_place ts_page_token_place(const struct ts_page_token *token, const struct ts_list_row *row);

#endif
