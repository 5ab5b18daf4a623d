/* writes.h - what is changed from a page: the table of forms, each of which is a verb.
 *
 *	POST /p/PROJECT/tag/NAME	tag=v1		tscope tag NAME v1
 *
 * Who may do what the server says, as to the verb. A request comes here only from our own pages, or with a token (admit.h).
 */
#ifndef TSCOPE_WEB_WRITES_H
#define TSCOPE_WEB_WRITES_H

#include "web/http_server.h"
#include "web/web.h"

enum { TS_WRITE_RUNS = 50 };

struct ts_write {
	const char *path; /* the word behind /p/PROJECT/ */
	const char *verb;
	const char *fields; /* of the form, with a space between */
	const char *then;   /* the route that a browser is led to afterwards */
	const char *about;  /* a sentence */
};

extern const struct ts_write ts_writes[];
extern const size_t ts_writes_n;

/* What a form asks for. Texts lie in the arena. */
struct ts_written {
	const struct ts_write *write;
	struct ts_span project, name;
	const char **words;
	size_t n;
};

/* False: the address is none of these. Where the fields are wrong, *err says so and n is 0. */
bool ts_write_find(const struct ts_http_request *request, struct ts_arena *arena, struct ts_written *ret, struct ts_error *err);

/* "/p/PROJECT/change/NAME" and "/p/PROJECT/change-branch/NAME": pages of forms. False: another address. */
bool ts_write_page(struct ts_span path, struct ts_arena *arena, struct ts_span *ret_project, struct ts_span *ret_name, bool *ret_branch,
		   struct ts_error *err);
/* Their HTML; NULL when the arena is full. */
const char *ts_write_forms(struct ts_span project, struct ts_span name, bool branch, struct ts_arena *arena);
/* That of tags and notes of several runs, the first TS_WRITE_RUNS of a query "run=A&run=B". */
const char *ts_write_forms_of(struct ts_span project, struct ts_span query, struct ts_arena *arena);

#endif
