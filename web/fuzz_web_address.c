/* fuzz_web_address.c - any bytes as an address, a query and cookies. What is read as words is one verb with options that its route has,
 * then "--", then names; nobody comes in without the token.
 */
#include "base/uri.h"
#include "tests/fuzz/fuzz_hold.h"
#include "web/admit.h"
#include "web/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ts_span next_line(struct ts_span *io)
{
	const uint8_t *end = io->len ? memchr(io->data, '\n', io->len) : NULL;
	size_t n = end ? (size_t)(end - io->data) : io->len;
	struct ts_span line = ts_span_part(*io, 0, n);

	*io = ts_span_from(*io, end ? n + 1 : n);
	return line;
}

static void check_words(const struct ts_routed *r)
{
	size_t i = 1;

	hold(r->n >= 2 && strcmp(r->words[0], r->route->verb) == 0);
	while (i < r->n && strcmp(r->words[i], "--") != 0) {
		hold(strncmp(r->words[i], "--", 2) == 0);
		hold(strncmp(r->words[i], "--html", 6) != 0 && strncmp(r->words[i], "--store", 7) != 0);
		i++;
	}
	hold(i < r->n);
}

static void check_coding(struct ts_span text, struct ts_arena *arena)
{
	struct ts_buf encoded = TS_BUF_INIT(1 << 20);
	struct ts_span plain, again;
	struct ts_error err;

	if (!ts_uri_decode(text, true, arena, &plain, &err)) {
		ts_uri_encode(&encoded, plain, false);
		hold(ts_uri_decode(ts_buf_view(&encoded), true, arena, &again, &err) == TS_OK && ts_span_eq(plain, again));
	}
	ts_buf_finish(&encoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ts_door door = {.token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n",
					    .cookie = "tscope_1",
					    .port = 1,
					    .address = "127.0.0.1"};
	struct ts_span rest = ts_span_of(data, size);
	struct ts_http_request request = {.path = next_line(&rest)};
	struct ts_routed routed;
	struct ts_arena arena;
	struct ts_error err;

	request.query = next_line(&rest);
	request.host = next_line(&rest);
	request.cookie = next_line(&rest);
	request.authorization = next_line(&rest);
	request.origin = rest;
	ts_arena_init(&arena, 16 << 20);
	if (!ts_route_find(&request, &arena, &routed, &err))
		check_words(&routed);
	check_coding(request.path, &arena);
	hold(ts_door_ask(&door, &request) != TS_DOOR_IN); /* no line has the token's last byte */
	ts_arena_finish(&arena);
	return 0;
}
