/* make_http.c - prints the table of addresses for docs/http.md: make_http */
#include "web/routes.h"
#include "web/writes.h"

#include <stdio.h>

static void fields(const struct ts_route *route)
{
	static const char *const of_words[] = {[TS_ROUTE_NONE] = "",
					       [TS_ROUTE_FILTER] = "q ",
					       [TS_ROUTE_NAME] = "",
					       [TS_ROUTE_PAIR] = "a b ",
					       [TS_ROUTE_RUNS] = "run ",
					       [TS_ROUTE_LIST] = "run "};
	const char *own = of_words[route->words];

	printf("%s%s", own, route->fields);
	if (!*own && !*route->fields)
		putchar('-');
}

int main(void)
{
	puts("| address | answers as | fields | what it shows |\n|---|---|---|---|");
	for (size_t i = 0; i < ts_routes_n; i++) {
		const struct ts_route *r = &ts_routes[i];

		printf("| `%s` | `tscope %s%s%s` | ", r->shown, r->verb, r->option ? " " : "", r->option ? r->option : "");
		fields(r);
		printf(" | %s |\n", r->about);
	}
	for (size_t i = 0; i < ts_writes_n; i++)
		printf("| POST `/p/PROJECT/%s/NAME` | `tscope %s` | %s | %s |\n", ts_writes[i].path, ts_writes[i].verb,
		       ts_writes[i].fields, ts_writes[i].about);
	return 0;
}
