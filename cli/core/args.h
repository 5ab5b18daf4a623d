/* args.h - the words of a command line, against a table of options.
 *
 * Long options are --name VALUE or --name=VALUE, short ones -n VALUE or -nVALUE; "--" ends them; a lone "-" is a word.
 * An option that takes a value takes the next word whatever it begins with (--sort -started). Errors are TS_INVALID and
 * name the option; the nearest known one is offered. Spans and strings point into argv, which outlives the args.
 */
#ifndef TSCOPE_CLI_CORE_ARGS_H
#define TSCOPE_CLI_CORE_ARGS_H

#include "base/arena.h"

/* What a shell can offer for a value or a word. */
enum ts_complete {
	TS_COMPLETE_NONE,
	TS_COMPLETE_FILE,
	TS_COMPLETE_DIR,
	TS_COMPLETE_RUN,
	TS_COMPLETE_VERB,
	TS_COMPLETE_RULE,
	TS_COMPLETE_CHOICE,
};

struct ts_option {
	const char *name;     /* without the dashes; NULL ends a table */
	char letter;	      /* 0 = none */
	const char *argument; /* as help shows it; NULL = a switch */
	const char *help;
	enum ts_complete complete;
	const char *choices;  /* with TS_COMPLETE_CHOICE: "auto always never"; nothing else is accepted */
	bool repeat;	      /* may be given more than once; otherwise the last one counts */
};

struct ts_arg {
	const struct ts_option *option;
	const char *value; /* NULL for a switch */
};

struct ts_args {
	struct ts_arg *items;
	size_t n;
	const char **words; /* what is no option, in order */
	size_t n_words;
};

/* Both tables end with a NULL name; either may be NULL. stop_at_word: what follows the first word is left alone (the
 * words hold all of it), for options that stand before the verb. Appends to what args holds already. */
enum ts_status ts_args_parse(struct ts_args *args, const struct ts_option *own, const struct ts_option *common,
			     int argc, const char *const *argv, bool stop_at_word, struct ts_arena *arena,
			     struct ts_error *err);

bool ts_args_has(const struct ts_args *args, const char *name);
/* The value given last, NULL if the option was not given. */
const char *ts_args_text(const struct ts_args *args, const char *name);
/* The i-th of a repeated option, NULL past the end. */
const char *ts_args_nth(const struct ts_args *args, const char *name, size_t i);
/* A whole number of at most max; *ret_given says whether the option was there. */
enum ts_status ts_args_uint(const struct ts_args *args, const char *name, uint64_t max, bool *ret_given,
			    uint64_t *ret_value, struct ts_error *err);
/* A number above 0, as 6.1e12. */
enum ts_status ts_args_above_zero(const struct ts_args *args, const char *name, bool *ret_given, double *ret_value,
				  struct ts_error *err);
/* "90", "90s", "15m", "24h", "7d": seconds. */
enum ts_status ts_args_seconds(const struct ts_args *args, const char *name, bool *ret_given, uint64_t *ret_seconds,
			       struct ts_error *err);

#endif
