/* admit.c - see admit.h. */
#include "web/admit.h"

#include "base/number.h"
#include "base/system.h"
#include "base/text.h"
#include "base/uri.h"

#include <stdio.h>

enum ts_status ts_door_make(struct ts_door *door, struct ts_error *err)
{
	uint8_t random[TS_WEB_TOKEN];
	struct ts_buf hex = TS_BUF_INIT(TS_DOOR_TOKEN_TEXT);

	if (ts_system_random(random, sizeof random, err))
		return err->status;
	ts_print_hex(&hex, ts_span_of(random, sizeof random));
	if (ts_buf_check(&hex, err)) {
		ts_buf_finish(&hex);
		return err->status;
	}
	memcpy(door->token, hex.data, TS_DOOR_TOKEN_TEXT - 1);
	door->token[TS_DOOR_TOKEN_TEXT - 1] = '\0';
	ts_buf_finish(&hex);
	(void)snprintf(door->cookie, sizeof door->cookie, "tscope_%u", (unsigned)door->port);
	return TS_OK;
}

/* In a time that does not tell where the first difference is. */
static bool is_token(const struct ts_door *door, struct ts_span text)
{
	uint8_t differs = 0;

	for (size_t i = 0; i < text.len && i < TS_DOOR_TOKEN_TEXT - 1; i++)
		differs |= (uint8_t)(text.data[i] ^ (uint8_t)door->token[i]);
	return text.len == TS_DOOR_TOKEN_TEXT - 1 && !differs && !door->signs_in;
}

/* The value of our cookie; empty: there is none. */
static struct ts_span cookie_of(const struct ts_door *door, struct ts_span cookies)
{
	size_t n = strlen(door->cookie);

	while (cookies.len) {
		const uint8_t *semicolon = memchr(cookies.data, ';', cookies.len);
		size_t end = semicolon ? (size_t)(semicolon - cookies.data) : cookies.len;
		struct ts_span one = ts_trim(ts_span_part(cookies, 0, end));

		if (one.len > n && memcmp(one.data, door->cookie, n) == 0 && one.data[n] == '=')
			return ts_span_from(one, n + 1);
		cookies = ts_span_from(cookies, end < cookies.len ? end + 1 : end);
	}
	return ts_span_of("", 0);
}

static struct ts_span bearer_of(struct ts_span authorization)
{
	struct ts_span scheme = ts_span_str("Bearer ");

	return ts_span_starts(authorization, scheme) ? ts_trim(ts_span_from(authorization, scheme.len)) : ts_span_of("", 0);
}

struct ts_span ts_door_cookie(const struct ts_door *door, const struct ts_http_request *request)
{
	return cookie_of(door, request->cookie);
}

struct ts_span ts_door_bearer(const struct ts_http_request *request)
{
	return bearer_of(request->authorization);
}

static bool has_link(const struct ts_door *door, struct ts_span query)
{
	struct ts_span name, value;

	while (ts_uri_field(&query, &name, &value))
		if (ts_span_is(name, "token") && is_token(door, value))
			return true;
	return false;
}

/* The host without its port, and whether the port is right: none, where a proxy stands before us, or ours. */
static struct ts_span name_of(const struct ts_door *door, struct ts_span host, bool *ret_port)
{
	size_t at = host.len;
	uint64_t port;

	while (at > 0 && ts_is_digit(host.data[at - 1]))
		at--;
	*ret_port = true;
	if (at == 0 || at == host.len || host.data[at - 1] != ':')
		return host;
	*ret_port = ts_parse_u64(ts_span_from(host, at), &port) && port == door->port;
	return ts_span_part(host, 0, at - 1);
}

static bool is_ours(const struct ts_door *door, struct ts_span host)
{
	static const char *const loopback[] = {"127.0.0.1", "localhost", "[::1]"};
	bool port;
	struct ts_span name = name_of(door, host, &port);

	for (size_t i = 0; i < door->n_hosts; i++)
		if (ts_span_is(name, door->hosts[i]))
			return true;
	for (size_t i = 0; port && i < sizeof loopback / sizeof loopback[0]; i++)
		if (ts_span_is(name, loopback[i]))
			return true;
	return port && ts_span_is(name, door->address);
}

/* A browser says where a write comes from; what says nothing is no browser, and has the token in a header that no page can set. */
static bool comes_from_us(const struct ts_http_request *request)
{
	struct ts_span origin = request->origin;
	static const char *const schemes[] = {"http://", "https://"};

	if (!origin.len)
		return ts_span_is(request->fetch_site, "same-origin") || bearer_of(request->authorization).len;
	for (size_t i = 0; i < 2; i++)
		if (ts_span_starts(origin, ts_span_str(schemes[i])) &&
		    ts_span_eq(ts_span_from(origin, strlen(schemes[i])), request->host))
			return true;
	return false;
}

/* A browser says where a request comes from with each that it sends for a page. */
bool ts_door_owns(const struct ts_door *door, const struct ts_http_request *request)
{
	return door->n_hosts == 0 && !door->signs_in && !request->forwarded && !request->origin.len && !request->fetch_site.len &&
	       !request->cookie.len && ts_own_user(&request->ends);
}

enum ts_admission ts_door_ask(const struct ts_door *door, const struct ts_http_request *request)
{
	if (!is_ours(door, request->host))
		return TS_DOOR_OTHER_HOST;
	if (request->method != TS_HTTP_GET && !comes_from_us(request))
		return TS_DOOR_OTHER_PAGE;
	if (is_token(door, cookie_of(door, request->cookie)) || is_token(door, bearer_of(request->authorization)))
		return has_link(door, request->query) ? TS_DOOR_LINK : TS_DOOR_IN;
	return has_link(door, request->query) ? TS_DOOR_LINK : TS_DOOR_STRANGER;
}
