/* text_resume.h - the answer of check-resume as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_RESUME_H
#define TSCOPE_CLI_TEXT_TEXT_RESUME_H

#include "analysis/diverge/resume.h"
#include "cli/core/context.h"
#include "proto/wire.h"

enum ts_status ts_render_resume_text(struct ts_cli *cli, const struct ts_resume *r, struct ts_error *err);
/* Says what a run shares with its parent; NULL when the arena is full. */
const char *ts_show_lineage(const struct ts_lineage *l, struct ts_arena *arena);

#endif
