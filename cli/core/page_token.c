/* page_token.c - see page_token.h. */
#include "cli/core/page_token.h"

#include "base/digest.h"

enum { LIST_BITS = 12, TIME_BITS = 52, NAME_BITS = 16, CHAR_BITS = 5 };

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

static bool newest_first(struct ts_span sort)
{
	return sort.len == 0 || ts_span_is(sort, "-pushed");
}

/* The first 64 bits of the digest of the parts, each with its length in front, so that no two lists of parts are the same bytes. */
static uint64_t digest_of(const struct ts_span *parts, size_t n)
{
	uint8_t all[TS_ID_BYTES * 4] = {0};
	struct ts_id id;
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++) {
		ts_digest(parts[i], &id);
		memcpy(all + i * TS_ID_BYTES, id.bytes, TS_ID_BYTES);
	}
	ts_digest(ts_span_of(all, n * TS_ID_BYTES), &id);
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | id.bytes[i];
	return bits;
}

static uint16_t list_of(const struct ts_list_request *request)
{
	uint8_t kind = (uint8_t)request->kind;
	struct ts_span sort = newest_first(request->sort) ? ts_span_of(NULL, 0) : request->sort;
	const struct ts_span parts[] = {ts_span_of(&kind, 1), request->project, request->filter, sort};

	return (uint16_t)(digest_of(parts, 4) & (((uint64_t)1 << LIST_BITS) - 1));
}

/* Rounded down, also before 1970, and within the bits of a token. */
static int64_t microsecond_of(int64_t ns)
{
	int64_t us = ns / 1000 - (ns % 1000 < 0);
	int64_t most = ((int64_t)1 << TIME_BITS) - 1;

	return us < 0 ? 0 : us > most ? most : us;
}

static uint64_t name_digest(struct ts_span name)
{
	return digest_of(&name, 1) & (((uint64_t)1 << NAME_BITS) - 1);
}

static uint64_t row_digest(const struct ts_list_row *row)
{
	uint8_t time[8];
	const struct ts_span parts[] = {row->name, ts_span_of(time, sizeof time)};

	for (int i = 0; i < 8; i++)
		time[i] = (uint8_t)((uint64_t)row->pushed_ns >> (8 * i));
	return digest_of(parts, 2);
}

struct ts_page_token ts_page_token_of(const struct ts_list_request *request, const struct ts_list_row *last)
{
	bool by_time = newest_first(request->sort);

	return (struct ts_page_token){
		.list = list_of(request),
		.by_time = by_time,
		.pushed_us = by_time ? microsecond_of(last->pushed_ns) : 0,
		.row = by_time ? name_digest(last->name) : row_digest(last),
	};
}

const char *ts_page_token_text(const struct ts_page_token *token, struct ts_arena *arena)
{
	char text[TS_PAGE_TOKEN_CHARS + 1];
	/* 80 bits: the list's 12, then 68, of which the first 52 or 4 lie in high. */
	uint64_t high = token->by_time ? (uint64_t)token->pushed_us >> 48 : 0;
	uint64_t low = token->by_time ? (uint64_t)token->pushed_us << NAME_BITS | token->row : token->row;

	high |= (uint64_t)token->list << 4;
	for (int i = TS_PAGE_TOKEN_CHARS; i-- > 0;) {
		text[i] = digits[low & 31];
		low = low >> CHAR_BITS | high << (64 - CHAR_BITS);
		high >>= CHAR_BITS;
	}
	text[TS_PAGE_TOKEN_CHARS] = '\0';
	return ts_arena_printf(arena, "%s", text);
}

/* The five bits of a character; -1: it is none of the alphabet. */
static int bits_of(char c)
{
	const char *at;

	c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	c = c == 'o' ? '0' : c == 'i' || c == 'l' ? '1' : c;
	at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

enum ts_status ts_page_token_parse(const struct ts_list_request *request, const char *text, struct ts_page_token *ret_token,
				   struct ts_error *err)
{
	struct ts_page_token token = {.by_time = newest_first(request->sort)};
	uint64_t high = 0, low = 0;
	size_t n = 0;

	for (; n <= TS_PAGE_TOKEN_CHARS && bits_of(text[n]) >= 0; n++) {
		high = high << CHAR_BITS | low >> (64 - CHAR_BITS);
		low = low << CHAR_BITS | (uint64_t)bits_of(text[n]);
	}
	if (text[n] || n != TS_PAGE_TOKEN_CHARS)
		return ts_error_set(err, TS_INVALID,
				    "--page takes the %d letters and digits that the page before printed, which this is not; tokens of "
				    "older versions were longer and are no longer read: list again without --page",
				    TS_PAGE_TOKEN_CHARS);
	token.list = (uint16_t)(high >> 4 & (((uint64_t)1 << LIST_BITS) - 1));
	if (token.list != list_of(request))
		return ts_error_set(
			err, TS_INVALID,
			"this token is of a list with another filter, sort, project or kind; --page needs the same ones as the "
			"page that printed it");
	token.pushed_us = token.by_time ? (int64_t)((high & 15) << 48 | low >> NAME_BITS) : 0;
	token.row = token.by_time ? low & (((uint64_t)1 << NAME_BITS) - 1) : low;
	*ret_token = token;
	return TS_OK;
}

enum ts_page_place ts_page_token_place(const struct ts_page_token *token, const struct ts_list_row *row)
{
	int64_t us = token->by_time ? microsecond_of(row->pushed_ns) : 0;

	if (!token->by_time)
		return row_digest(row) == token->row ? TS_PLACE_LAST : TS_PLACE_BEFORE;
	if (us != token->pushed_us)
		return us > token->pushed_us ? TS_PLACE_BEFORE : TS_PLACE_BEHIND;
	return name_digest(row->name) == token->row ? TS_PLACE_LAST : TS_PLACE_BEFORE;
}
