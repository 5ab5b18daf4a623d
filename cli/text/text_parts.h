/* text_parts.h - pieces of text that every answer shares: fields, headings, wrapped sentences, a run in one line. */
#ifndef TSCOPE_CLI_TEXT_TEXT_PARTS_H
#define TSCOPE_CLI_TEXT_TEXT_PARTS_H

#include "analysis/answer/run_ref.h"
#include "cli/core/context.h"
#include "cli/view/view.h"

/* Appends "name  value" with name padded to 9 columns; value may be foreign text. */
void ts_text_field(struct ts_cli *cli, const char *name, const char *value);
/* On a page that is served, a line that leads to a page of the project (struct ts_term); else nothing. */
void ts_text_link(struct ts_cli *cli, const char *text, const char *to);
void ts_text_heading(struct ts_cli *cli, const char *heading);
/* Appends foreign text wrapped to the terminal. Each line switches the style on anew, since a pager ends a style with the line. */
void ts_text_wrapped(struct ts_cli *cli, enum ts_style style, int indent, const char *text);
/* A run in one line: "exp1  4f0c2a9d13b7  10,000 steps (0 to 9999), 1 rank". */
const char *ts_show_run(const struct ts_run_ref *run, struct ts_arena *arena);

/* The table of a list of the answer, as ts_view_list has it. */
enum ts_status ts_text_list(struct ts_cli *cli, const struct ts_shape *shape, const void *answer, const char *list, const char *keys,
			    struct ts_error *err);

#endif
