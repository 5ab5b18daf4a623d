/* json_repeats.h - several runs of one recipe and a candidate against them, as JSON. */
#ifndef TSCOPE_CLI_JSON_REPEATS_H
#define TSCOPE_CLI_JSON_REPEATS_H

#include "analysis/diverge/repeats.h"
#include "base/json_writer.h"

void ts_json_repeats(struct ts_json *j, const struct ts_repeats *repeats); /* null if none were asked for */

#endif
