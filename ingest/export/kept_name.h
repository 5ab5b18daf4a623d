/* kept_name.h - the name under which a kept file is exported. */
#ifndef TSCOPE_INGEST_EXPORT_KEPT_NAME_H
#define TSCOPE_INGEST_EXPORT_KEPT_NAME_H

#include "base/span.h"

enum { TS_KEPT_NAME_BYTES = 256 };

/* Writes a name that a file of a run directory can have, and a NUL. It is the name itself, except for
 * - bytes that do something to a terminal or a script that lists it, or that are not UTF-8: "%0A" stands for a newline;
 * - what the directory gives a meaning, as steps.jsonl: ".kept" is added;
 * - what is longer than 240 bytes then, which is cut.
 * Returns whether it is another name. Two names may get the same one. */
bool ts_kept_name(struct ts_span name, char ret_name[TS_KEPT_NAME_BYTES]);

#endif
