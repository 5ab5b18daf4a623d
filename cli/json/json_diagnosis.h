/* json_diagnosis.h - why two runs part as JSON: the diagnosis, how far apart a series is, the first differing operation. */
#ifndef TSCOPE_CLI_JSON_DIAGNOSIS_H
#define TSCOPE_CLI_JSON_DIAGNOSIS_H

#include "analysis/diverge/diff.h"
#include "base/arena.h"
#include "base/json_writer.h"

void ts_json_gap(struct ts_json *j, const char *key, const struct ts_gap *gap); /* one not known is null */
/* one not known is null */
enum ts_status ts_json_diagnosis(struct ts_json *j, const struct ts_diagnosis *d, struct ts_arena *arena, struct ts_error *err);
void ts_json_ops(struct ts_json *j, const struct ts_op_diff *ops);

#endif
