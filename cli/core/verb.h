/* verb.h - one row of the table of verbs (verbs.h has the table). */
#ifndef TSCOPE_CLI_CORE_VERB_H
#define TSCOPE_CLI_CORE_VERB_H

#include "cli/core/args.h"

struct ts_cli;

struct ts_example {
	const char *command;
	const char *what;
};

struct ts_verb {
	const char *name;
	const char *summary;  /* one line, no full stop */
	const char *usage;    /* what follows the name: "RUN [GLOB]" */
	const char *about;    /* paragraphs, separated by "\n\n"; wrapped when shown */
	const struct ts_option *options;	/* ends with a NULL name; may be NULL */
	const char *first;    /* the options that -h shows, by their names; NULL: the first ones of the table */
	const struct ts_example *examples;	/* ends with a NULL command */
	const char *exits;    /* one "N meaning" per line */

	size_t min_words, max_words; /* how many words the verb takes */
	size_t paths;		     /* how many of the first ones may be paths: one that is not there is said before all else */
	bool alone;		     /* where all runs are paths, it answers without the server that it cannot reach */
	enum ts_complete words; /* what a shell offers for the words */
	const char *first_word; /* what it offers for the first one, if that differs: "loss lr" */
	bool command;	      /* the first word is a command, and what follows it is the command's own */
	bool pages;	      /* long output goes through the pager */
	enum ts_status (*run)(struct ts_cli *cli, struct ts_error *err);
};

#endif
