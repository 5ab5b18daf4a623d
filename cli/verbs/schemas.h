/* schemas.h - the documents of docs/schemas, as they were when the program was built. */
#ifndef TSCOPE_CLI_VERBS_SCHEMAS_H
#define TSCOPE_CLI_VERBS_SCHEMAS_H

#include "base/span.h"

struct ts_schema {
	const char *name; /* "diff.schema.json" */
	struct ts_span text;
};

extern const struct ts_schema ts_schemas[];
extern const size_t ts_schemas_n;

#endif
