/* again.h - what a record has for running its training again, and what it lacks.
 *
 *	ts_again_of(&facts, ranks, &arena, &again, err)		of facts; of a long text that is not loaded only that it is there
 *	ts_again_ask(cli, spec, &run, &again, err)		of a run, with that
 *
 * Everything of it is foreign: it is shown and confirmed before anything of it is executed. Pure but for ts_again_ask.
 */
#ifndef TSCOPE_CLI_VERBS_AGAIN_H
#define TSCOPE_CLI_VERBS_AGAIN_H

#include "cli/core/context.h"
#include "launch/recipe.h"
#include "proto/wire.h"
#include "run/fact.h"

enum { TS_AGAIN_LACKS = 8 };

struct ts_again_file {
	struct ts_span digest; /* 16 hexadecimal digits (docs/reproduce.md) */
	uint64_t size;
	const char *path; /* absolute */
};

struct ts_again {
	const char *const *words; /* of the command, which end with NULL; NULL: not known */
	bool launched;		  /* they are those of tscope run, which has scripts of Python recorded */
	const char *interpreter;  /* the absolute path of the python; NULL: not known */
	const char *commit;	  /* NULL: not known */
	struct ts_span patch;	  /* the text of uncommitted changes; empty: there were none, or it is not known */
	const char *directory;	  /* below the top of the repository; "": the top */
	const char *top;	  /* the absolute path of the repository's top where it ran; NULL: not known */
	const struct ts_recipe_pair *variables; /* whose values are recorded */
	size_t n_variables;
	struct ts_span environment, environment_key; /* of all variables (ingest/host/environment.h); empty: not known */
	struct ts_span packages;
	struct ts_span python; /* the version of Python, 3.11.7; empty: not known */
	const struct ts_again_file *files;
	size_t n_files;
	const char *checkpoint; /* that it went on from; NULL: none is known */
	double wall_s;		/* how long it took; 0: not known */
	const char *lacks[TS_AGAIN_LACKS]; /* without which it cannot be run again */
	size_t n_lacks;
	const char *unsure[TS_AGAIN_LACKS]; /* without which nobody knows whether all is as it was */
	size_t n_unsure;
};

enum ts_status ts_again_of(const struct ts_facts *facts, uint32_t ranks, struct ts_arena *arena, struct ts_again *ret_again,
			   struct ts_error *err);
/* Asks for the run, and for its long texts. */
enum ts_status ts_again_ask(struct ts_cli *cli, struct ts_span spec, struct ts_get_reply *ret_run, struct ts_again *ret_again,
			    struct ts_error *err);
/* Appends what it has, lacks and does not say, a line each, for people. */
void ts_again_show(const struct ts_again *again, struct ts_buf *out);

#endif
