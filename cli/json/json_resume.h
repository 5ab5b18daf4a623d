/* json_resume.h - the answer of check-resume as JSON, and what a run shares with its parent. */
#ifndef TSCOPE_CLI_JSON_RESUME_H
#define TSCOPE_CLI_JSON_RESUME_H

#include "analysis/diverge/resume.h"
#include "cli/core/context.h"
#include "proto/wire.h"

enum ts_status ts_render_resume_json(struct ts_cli *cli, const struct ts_resume *r, struct ts_error *err);
void ts_json_lineage(struct ts_json *j, const char *key, const struct ts_lineage *l);

#endif
