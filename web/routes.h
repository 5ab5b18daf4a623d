/* routes.h - the table of addresses: which verb answers what, from which words and fields. docs/http.md is written from it. */
#ifndef TSCOPE_WEB_ROUTES_H
#define TSCOPE_WEB_ROUTES_H

#include "web/http_server.h"
#include "web/web.h"

enum ts_route_words {
	TS_ROUTE_NONE,	 /* nothing follows the word of the route */
	TS_ROUTE_FILTER, /* nothing follows it; the field q is a word */
	TS_ROUTE_NAME,	 /* one name, with its slashes */
	TS_ROUTE_PAIR,	 /* A..B; or nothing, and the fields a and b */
	TS_ROUTE_RUNS,	 /* one word, and any number of fields run */
	TS_ROUTE_LIST,	 /* nothing follows it; two fields run or more */
};

enum ts_route_gives {
	TS_ROUTE_TEXT,	/* the verb's text becomes a page */
	TS_ROUTE_DRAWN, /* the verb draws a page */
	TS_ROUTE_FILE,	/* the verb gives the bytes of a file, which has neither page nor document */
};

struct ts_route {
	const char *path;  /* the word behind /p/PROJECT/; "/projects": an address of its own */
	const char *shown; /* the address as people write it */
	const char *verb, *option; /* option: one that is always given; may be NULL */
	enum ts_route_words words;
	const char *fields; /* of the query, which become options of the same name: "sort limit" */
	const char *view;   /* further fields, which the script of the page reads; NULL: none */
	enum ts_route_gives gives;
	const char *about;  /* a sentence */
};

extern const struct ts_route ts_routes[];
extern const size_t ts_routes_n;

/* What an address asks for. Texts lie in the arena. */
struct ts_routed {
	const struct ts_route *route;
	struct ts_span project; /* empty: none */
	struct ts_span name;	/* what follows the word of the route, without .json */
	bool json;
	const char **words;
	size_t n;
};

/* TS_NOT_FOUND: no such address. TS_INVALID: one that cannot be read, or fields that the route does not have. */
enum ts_status ts_route_find(const struct ts_http_request *request, struct ts_arena *arena, struct ts_routed *ret,
			     struct ts_error *err);
/* What a page of text is called: "Facts of exp1". In the arena; NULL: that is full. */
const char *ts_route_title(const struct ts_routed *routed, struct ts_arena *arena);

#endif
