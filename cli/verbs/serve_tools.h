/* serve_tools.h - the verbs that `tscope serve` runs for programs: each reads alone, with options that neither write nor execute. */
#ifndef TSCOPE_CLI_VERBS_SERVE_TOOLS_H
#define TSCOPE_CLI_VERBS_SERVE_TOOLS_H

#include "cli/serve/tool.h"

extern const struct ts_tool ts_tools[];
extern const size_t ts_tools_n;

/* NULL where there is none of this name. */
const struct ts_tool *ts_tool_find(struct ts_span name);

/* Append the result of a method, as JSON. */
void ts_tools_list(struct ts_buf *out, struct ts_arena *arena);
void ts_schemas_list(struct ts_buf *out, struct ts_arena *arena);
/* False where there is no such document. */
bool ts_schema_put(struct ts_buf *out, struct ts_span uri, struct ts_arena *arena);

#endif
