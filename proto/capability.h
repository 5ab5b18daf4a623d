/* capability.h - what a server can be asked for that one of version 0.1.0 cannot, by name.
 *
 * A server refuses a field that it does not know by its number, since it knows nothing else of it (wire_message.h), and one of 0.1.0
 * answers as if the field were not there. ServerInfo therefore tells the names of what the server has, and a client does not send what
 * the server lacks. Each method, each field of a request, and each value of an enum in a request that came after 0.1.0 has a row in
 * capability.c; test_capability fails where one has none. Everything is pure, and the answers are static.
 */
#ifndef TSCOPE_PROTO_CAPABILITY_H
#define TSCOPE_PROTO_CAPABILITY_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_CAPABILITY_DEPTH = 2, TS_CAPABILITIES = 12 };

/* What a client asks for by itself, to send objects smaller where the other side can open them. */
#define TS_CAPABILITY_SEALED_TEXT "sealed-text"

struct ts_capability {
	const char *name;   /* lower-case letters, digits and '-'; it never changes */
	const char *what;   /* for people, behind "cannot say": "what the notes of a run were" */
	const char *method; /* "RefLog" */
	uint32_t fields[TS_CAPABILITY_DEPTH]; /* of the request, then of the message in that field; 0: the whole method */
	uint64_t value; /* of the field; 0: any */
};

/* Several may have one name, which then stand together. */
extern const struct ts_capability ts_capabilities[TS_CAPABILITIES];

/* The names of this version with a blank between them, as ServerInfo sends them. */
const char *ts_capability_names(void);

/* The first row that a packed request asks for and whose name is not among `has`, names with blanks between them. NULL: there is none.
 * Bytes that are no message ask for nothing. */
const struct ts_capability *ts_capability_lacking(const char *method, struct ts_span request, struct ts_span has);

bool ts_capability_is_among(struct ts_span has, const char *name);
/* Whether all names of this version are among `has`. */
bool ts_capabilities_are_all(struct ts_span has);

#endif
