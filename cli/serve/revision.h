/* revision.h - the revisions of the Model Context Protocol: those that a client and a server agree on once, by `initialize`, and those
 * that each request names, in `_meta` of its params, so that nothing has to be remembered between two of them.
 *
 *	switch (ts_request_revision(message.params, &arena, &named)) ...
 *	ts_revision_of_session(wanted)		what initialize answers
 *	ts_revision_members(method)		what a result has to say, too, where the request named its revision
 *
 * Threads: pure.
 */
#ifndef TSCOPE_CLI_SERVE_REVISION_H
#define TSCOPE_CLI_SERVE_REVISION_H

#include "base/arena.h"
#include "base/json_writer.h"

enum ts_request_revision {
	TS_REQUEST_OF_SESSION, /* it names none: what initialize agreed on holds, or nothing */
	TS_REQUEST_NAMES_ONE,
	TS_REQUEST_NAMES_OTHER, /* one that is not known here, or no text; *ret_named is it, or empty */
};

enum ts_request_revision ts_request_revision(struct ts_span params, struct ts_arena *arena, struct ts_span *ret_named);

/* The revision that was wanted where it is known here, else the newest that has initialize. */
const char *ts_revision_of_session(struct ts_span wanted);

/* Appends a list of the revisions that a request may name. */
void ts_revisions_put(struct ts_json *j);

/* Members of an object, with a comma between them: "\"resultType\":\"complete\"" and, of methods whose result may be kept, for how long
 * and by whom. What is listed here is the same as long as this program runs. */
const char *ts_revision_members(struct ts_span method);

#endif
