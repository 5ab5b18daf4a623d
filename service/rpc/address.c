#include "service/rpc/address.h"

#include "base/number.h"
#include "base/span.h"
#include "base/text.h"

#include <sys/un.h>

/* Accepts letters, digits, and the characters that DNS names, user names, IPv6 addresses and their zones need. A '-' at
 * the beginning is refused: ssh would take it for an option. */
static bool name_ok(struct ts_span text)
{
	if (text.len == 0 || text.data[0] == '-')
		return false;
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.data[i];

		if (!ts_is_digit(c) && !ts_is_alpha(c) && !strchr("._-:%+", c))
			return false;
		if (c == 0)
			return false;
	}
	return true;
}

static bool port_ok(struct ts_span text)
{
	uint64_t port;

	return text.len <= 5 && ts_parse_u64(text, &port) && port <= 65535;
}

static bool keep(char *out, size_t cap, struct ts_span text)
{
	if (text.len >= cap || (text.len && memchr(text.data, 0, text.len)))
		return false;
	if (text.len)
		memcpy(out, text.data, text.len);
	out[text.len] = 0;
	return true;
}

static enum ts_status parse_unix(struct ts_span path, struct ts_address *out, struct ts_error *err)
{
	if (path.len == 0)
		return ts_error_set(err, TS_INVALID, "the address unix: has no path");
	if (path.len >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return ts_error_set(err, TS_TOO_LARGE, "the path of the socket has %zu bytes, and the system allows at most %zu",
				    path.len, sizeof(((struct sockaddr_un *)0)->sun_path) - 1);
	out->kind = TS_ADDRESS_UNIX;
	if (!keep(out->path, sizeof out->path, path))
		return ts_error_set(err, TS_INVALID, "the path of the socket has a NUL byte");
	return TS_OK;
}

/* Splits HOST[:PORT], with brackets around an IPv6 host. */
static bool split_host(struct ts_span text, struct ts_span *ret_host, struct ts_span *ret_port)
{
	const uint8_t *colon;
	size_t host_len;

	if (text.len > 0 && text.data[0] == '[') {
		const uint8_t *end = memchr(text.data, ']', text.len);

		if (!end)
			return false;
		*ret_host = ts_span_of(text.data + 1, (size_t)(end - text.data) - 1);
		text = ts_span_of(end + 1, text.len - (size_t)(end - text.data) - 1);
		if (text.len > 0 && text.data[0] != ':')
			return false;
		*ret_port = text.len ? ts_span_of(text.data + 1, text.len - 1) : ts_span_of(NULL, 0);
		return true;
	}
	colon = text.len ? memchr(text.data, ':', text.len) : NULL;
	host_len = colon ? (size_t)(colon - text.data) : text.len;
	*ret_host = ts_span_of(text.data, host_len);
	*ret_port = colon ? ts_span_of(colon + 1, text.len - host_len - 1) : ts_span_of(NULL, 0);
	return !memchr(ret_host->data, ':', host_len) && !(ret_port->len && memchr(ret_port->data, ':', ret_port->len));
}

static enum ts_status parse_ssh(const char *whole, struct ts_span rest, struct ts_address *out, struct ts_error *err)
{
	const uint8_t *slash = rest.len ? memchr(rest.data, '/', rest.len) : NULL;
	struct ts_span path = ts_span_str(TS_DEFAULT_SOCKET), user = {NULL, 0}, host, port;
	const uint8_t *at;

	if (slash && rest.data + rest.len - slash > 1)
		path = ts_span_of(slash, rest.len - (size_t)(slash - rest.data));
	if (slash)
		rest.len = (size_t)(slash - rest.data);
	at = rest.len ? memchr(rest.data, '@', rest.len) : NULL;
	if (at) {
		user = ts_span_of(rest.data, (size_t)(at - rest.data));
		rest = ts_span_of(at + 1, rest.len - user.len - 1);
	}
	if (rest.len == 0 || !split_host(rest, &host, &port) || !name_ok(host) || (at && !name_ok(user)) ||
	    (port.len && !port_ok(port)))
		return ts_error_set(err, TS_INVALID, "%s must have the form ssh://[user@]HOST[:PORT][/path/to/socket]", whole);
	/* ssh -L splits at colons. */
	if (memchr(path.data, ':', path.len))
		return ts_error_set(err, TS_INVALID, "%s: ssh cannot forward a socket whose path has a ':'", whole);
	out->kind = TS_ADDRESS_SSH;
	if (!keep(out->user, sizeof out->user, user) || !keep(out->host, sizeof out->host, host) ||
	    !keep(out->port, sizeof out->port, port) || !keep(out->path, sizeof out->path, path))
		return ts_error_set(err, TS_TOO_LARGE, "%s: a part of this address is too long", whole);
	return TS_OK;
}

static enum ts_status parse_tcp(const char *whole, struct ts_span rest, struct ts_address *out, struct ts_error *err)
{
	struct ts_span host, port;

	if (ts_span_skip(&rest, "tls:"))
		out->kind = TS_ADDRESS_TLS;
	if (rest.len && split_host(rest, &host, &port) && name_ok(host) && port.len && port_ok(port) &&
	    keep(out->host, sizeof out->host, host) && keep(out->port, sizeof out->port, port))
		return TS_OK;
	return ts_error_set(
		err, TS_INVALID,
		"%s is not the address of a server; use unix:/path, tls:HOST:PORT, HOST:PORT or ssh://[user@]HOST[:PORT][/path]",
		whole);
}

enum ts_status ts_address_parse(const char *text, struct ts_address *ret_address, struct ts_error *err)
{
	struct ts_address out = {.kind = TS_ADDRESS_TCP};
	struct ts_span all = ts_span_str(text);
	enum ts_status status = TS_OK;

	if (ts_span_starts(all, ts_span_str("unix:///")))
		status = parse_unix(ts_span_from(all, 7), &out, err);
	else if (ts_span_starts(all, ts_span_str("unix:")))
		status = parse_unix(ts_span_from(all, 5), &out, err);
	else if (ts_span_starts(all, ts_span_str("/")))
		status = parse_unix(all, &out, err);
	else if (ts_span_starts(all, ts_span_str("ssh://")))
		status = parse_ssh(text, ts_span_of(all.data + 6, all.len - 6), &out, err);
	else
		status = parse_tcp(text, all, &out, err);
	if (status)
		return status;
	*ret_address = out;
	return TS_OK;
}
