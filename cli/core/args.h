/* args.h - parses the words of a command line by a table of options.
 *
 * Long options are --name VALUE or --name=VALUE, short options -n VALUE or -nVALUE. "--" ends the options; a single "-" is a
 * word. An option with a value takes the next word, whatever it begins with (--sort -started). Errors are TS_INVALID; they name
 * the option and suggest the nearest known one. Spans and strings point into argv, which must outlive the args.
 */
#ifndef TSCOPE_CLI_CORE_ARGS_H
#define TSCOPE_CLI_CORE_ARGS_H

#include "base/arena.h"

/* What a shell can offer for a value or a word. */
enum ts_complete {
	TS_COMPLETE_NONE,
	TS_COMPLETE_FILE,
	TS_COMPLETE_DIR,
	TS_COMPLETE_RUN,     /* a run, or a tag or branch that names one */
	TS_COMPLETE_REF,     /* the same, where a tag or a branch needs its prefix */
	TS_COMPLETE_BRANCH,
	TS_COMPLETE_PROJECT,
	TS_COMPLETE_COLUMNS, /* columns of a list, separated by commas */
	TS_COMPLETE_SORT,    /* a column, or -column */
	TS_COMPLETE_VERB,
	TS_COMPLETE_RULE,
	TS_COMPLETE_CHOICE,
	TS_COMPLETE_OFFER, /* of choices, of which others are accepted too */
};

struct ts_option {
	const char *name;     /* without the dashes; NULL ends a table */
	char letter;	      /* 0 = none */
	const char *argument; /* its value as help shows it, "=N" where it may be missing and stands behind = alone; NULL = a switch */
	const char *help;
	enum ts_complete complete;
	const char *choices;  /* with TS_COMPLETE_CHOICE: the only accepted values, "auto always never"; with _OFFER: some */
	bool repeat;	      /* all its values count; false: the last one counts */
};

struct ts_arg {
	const struct ts_option *option;
	const char *value; /* NULL for a switch, and where an optional one is missing */
	bool letter;	   /* it was typed as -h and not as --help */
};

struct ts_args {
	struct ts_arg *items;
	size_t n;
	const char **words; /* the words that are not options, in order; NULL behind the last */
	size_t n_words;
	bool dashes;	 /* there was a "--" */
	size_t n_before; /* words before the first "--"; all of them without one */
};

/* Parses argv and appends to what args holds already. Both tables end with a NULL name; either may be NULL. With stop_at_word
 * everything from the first word on goes to the words unparsed: for options that stand before the verb. */
enum ts_status ts_args_parse(struct ts_args *args, const struct ts_option *own, const struct ts_option *common,
			     int argc, const char *const *argv, bool stop_at_word, struct ts_arena *arena,
			     struct ts_error *err);

bool ts_option_is_optional(const struct ts_option *option);
bool ts_args_has(const struct ts_args *args, const char *name);
/* Whether the option was given, and each time by its letter. */
bool ts_args_by_letter(const struct ts_args *args, const char *name);
/* The last value of the option; NULL if the option was not given. */
const char *ts_args_text(const struct ts_args *args, const char *name);
/* The i-th value of a repeated option; NULL past the end. */
const char *ts_args_nth(const struct ts_args *args, const char *name, size_t i);
/* Reads a whole number of at most max; *ret_given says whether the option was given. */
enum ts_status ts_args_uint(const struct ts_args *args, const char *name, uint64_t max, bool *ret_given,
			    uint64_t *ret_value, struct ts_error *err);
/* Reads a number above 0, such as 6.1e12. */
enum ts_status ts_args_above_zero(const struct ts_args *args, const char *name, bool *ret_given, double *ret_value,
				  struct ts_error *err);
/* Reads a size of memory with its unit, "80GiB", "79.6 GiB", "141GB" or "81559MiB", as bytes. */
enum ts_status ts_args_bytes(const struct ts_args *args, const char *name, bool *ret_given, double *ret_bytes,
			     struct ts_error *err);
/* Reads a duration, "90", "90s", "15m", "24h" or "7d", as seconds. */
enum ts_status ts_args_seconds(const struct ts_args *args, const char *name, bool *ret_given, uint64_t *ret_seconds,
			       struct ts_error *err);
/* Whether the word begins with /, ./ or ../, or is . or .. itself. No run's name begins so. */
bool ts_is_path(const char *word);

#endif
