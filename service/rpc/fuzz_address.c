/* Any text as an address: refused, or its parts are whole, none would be taken for an option of ssh, and written out they parse to
 * the same. */
#include "service/rpc/address_list.h"

#include "base/span.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdio.h>

enum { TEXT_MAX = 4096 };

static void print(const struct ts_address *a, char out[TEXT_MAX])
{
	if (a->kind == TS_ADDRESS_UNIX)
		(void)snprintf(out, TEXT_MAX, "unix:%s%s", a->path[0] == '/' ? "//" : "", a->path);
	else if (a->kind == TS_ADDRESS_TCP)
		(void)snprintf(out, TEXT_MAX, "[%s]:%s", a->host, a->port); /* a host may be named unix */
	else
		(void)snprintf(out, TEXT_MAX, "ssh://%s%s[%s]%s%s%s", a->user, a->user[0] ? "@" : "", a->host,
			       a->port[0] ? ":" : "", a->port, a->path);
}

/* A list is refused, or each of its parts is an address. */
static void hold_list(const char *text)
{
	static struct ts_address_list list;
	struct ts_address a;
	struct ts_error err;

	if (ts_address_list_parse(text, &list, &err))
		return;
	hold(list.n > 0 && list.n <= TS_ROUTE_SERVERS);
	for (size_t i = 0; i < list.n; i++)
		hold(!strchr(list.at[i], ',') && ts_address_parse(list.at[i], &a, &err) == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX], printed[TEXT_MAX];
	struct ts_address a, again;
	struct ts_error err;

	if (size >= sizeof text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	hold_list(text);
	if (ts_address_parse(text, &a, &err))
		return 0;
	hold(a.host[0] != '-' && a.user[0] != '-' && a.port[0] != '-');
	hold(a.kind == TS_ADDRESS_UNIX ? a.path[0] && !a.host[0] : a.host[0] != '\0');
	hold(a.kind != TS_ADDRESS_SSH || a.path[0] == '/');
	print(&a, printed);
	hold(ts_address_parse(printed, &again, &err) == TS_OK && a.kind == again.kind && !strcmp(a.user, again.user) &&
	     !strcmp(a.host, again.host) && !strcmp(a.port, again.port) && !strcmp(a.path, again.path));
	return 0;
}
