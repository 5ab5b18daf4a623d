/* manual.h - help, man pages and completion scripts, all from the table of verbs. */
#ifndef TSCOPE_CLI_MANUAL_H
#define TSCOPE_CLI_MANUAL_H

#include "cli/verbs/verbs.h"

/* verb == NULL: the program at a glance. */
void ts_manual_help(const struct ts_verb *verb, const struct ts_term *term, struct ts_buf *out);
/* The man page tscope.1 (verb == NULL) or tscope-VERB.1, as roff. */
void ts_manual_roff(const struct ts_verb *verb, struct ts_buf *out);
/* The table as JSON. */
void ts_manual_json(const struct ts_verb *verb, struct ts_json *j);

void ts_completion_bash(struct ts_buf *out);
void ts_completion_zsh(struct ts_buf *out);

/* What tscope.1 and the program's help say about the environment: name, meaning; ends with NULL. */
struct ts_variable {
	const char *name;
	const char *what;
};
extern const struct ts_variable ts_variables[];

#endif
