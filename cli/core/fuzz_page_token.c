/* Any bytes as a token of a page: refused, or a token that says the same when it is printed and read again, and a row lies
 * somewhere. */
#include "cli/core/page_token.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The alphabet is upper and lower case; the list's part is that of the list, so that more than one in 4096 inputs is read. */
static void any_order(struct ts_list_request *request, const char *text, struct ts_arena *arena)
{
	struct ts_list_row row = {.name = ts_span_str("p/run"), .pushed_ns = 1795877167000000000};
	struct ts_page_token mine = ts_page_token_of(request, &row), token, again;
	const char *printed = ts_page_token_text(&mine, arena);
	struct ts_error err;
	char *whole;

	if (ts_page_token_parse(request, text, &token, &err))
		hold(err.status == TS_INVALID);
	if (!printed || !*text)
		return;
	/* The first characters of a token that is good, the rest of this one. */
	whole = ts_arena_printf(arena, "%.3s%s", printed, strlen(text) > 13 ? text + strlen(text) - 13 : text);
	if (!whole || ts_page_token_parse(request, whole, &token, &err))
		return;
	printed = ts_page_token_text(&token, arena);
	hold(printed && ts_page_token_parse(request, printed, &again, &err) == TS_OK);
	hold(again.row == token.row && again.pushed_us == token.pushed_us && again.list == token.list);
	hold(ts_page_token_place(&token, &row) <= TS_PLACE_BEHIND);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_list_request request = {.kind = TS_REF_RUN, .project = ts_span_str("p")};
	struct ts_arena arena;
	const char *text;

	ts_arena_init(&arena, 1 << 20);
	text = ts_arena_printf(&arena, "%.*s", (int)(size < 4096 ? size : 4096), (const char *)data);
	if (text) {
		any_order(&request, text, &arena);
		request.sort = ts_span_str("-steps");
		any_order(&request, text, &arena);
	}
	ts_arena_finish(&arena);
	return 0;
}
