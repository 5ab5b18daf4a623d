/* manual.h - help, man pages and completion scripts, all made from the table of verbs. */
#ifndef TSCOPE_CLI_VERBS_MANUAL_H
#define TSCOPE_CLI_VERBS_MANUAL_H

#include "cli/verbs/verbs.h"

/* The help of a verb; verb == NULL: the help of the program. */
void ts_manual_help(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out);
/* What fits one screen of 24 lines: usage, at most ten options, a line each, and two examples; verb == NULL: of the program, with ten
 * verbs. */
void ts_manual_brief(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out);
/* The man page tscope.1 (verb == NULL) or tscope-VERB.1, as roff. */
void ts_manual_roff(const struct ts_verb *verb, struct ts_buf *out);
/* The table as JSON. */
void ts_manual_json(const struct ts_verb *verb, struct ts_json *j);

void ts_completion_bash(struct ts_buf *out);
void ts_completion_zsh(struct ts_buf *out);

/* The environment variables in tscope.1 and in the program's help, with their meaning; the last row has no name. */
struct ts_variable {
	const char *name;
	const char *what;
};
extern const struct ts_variable ts_variables[];

#endif
