/* names.h - what the words of a command line stand for. Every verb asks here, so that a name means the same to all of them.
 *
 * A word that begins with /, ./ or ../ is a path. Any other word stands for the first of these that there is:
 *	what the server finds (service/handlers/core/resolve.h): a name of the project, with its slashes ("sweep/a"); a name with
 *	another project in front; an id by its first digits; the one name that ends so ("exp23" is "runs30/exp23"), which is said on
 *	stderr
 *	a file or a folder of that path, "runs/exp1"
 * All words of a command are asked for in one call, and each word once in a command. What several names end with is TS_AMBIGUOUS, with
 * these names in the text; what nothing is called is TS_NOT_FOUND, with the nearest names.
 */
#ifndef TSCOPE_CLI_CORE_NAMES_H
#define TSCOPE_CLI_CORE_NAMES_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* A word that the server was asked about. */
struct ts_known_word {
	const char *typed;
	struct ts_found_name found;
	struct ts_span name; /* that of found, without the project that commands are in */
	bool unasked; /* the server is of a version that cannot be asked: it finds exact names later */
	bool said;
};

/* The channel to whom knows the names of runs: the server if there is one, even if a local overlay covers it. */
struct ts_channel *ts_cli_names_channel(const struct ts_cli *cli);
/* Asks about words in one call, so that functions below need not ask for each. The target must be open. */
enum ts_status ts_cli_ask(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_error *err);
/* Opens the target and returns a spec for each word; paths are ingested into the target's overlay. */
enum ts_status ts_cli_runs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs,
			   struct ts_error *err);
enum ts_status ts_cli_run(struct ts_cli *cli, const char *typed, struct ts_span *ret_spec, struct ts_error *err);
/* The same for words that cannot be paths. The target must be open. A word "branch:NAME" is a branch. */
enum ts_status ts_cli_specs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs, struct ts_error *err);
/* The same, but what nothing is called becomes "?project/W": the handler says what it makes of a branch that is not there yet. */
enum ts_status ts_cli_specs_or_words(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs,
				     struct ts_error *err);
/* The refs that words name: a run's name, a tag or a branch, not an id nor a path. Only kind, name and id are set. The target must be
 * open. */
enum ts_status ts_cli_refs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_ref *ret_refs, struct ts_error *err);

/* Writes ./ before the words, and the values of options that name runs, that name nothing but a file or a folder: for verbs that look
 * at the file before they ask for a run. Opens the target if there is such a file. */
enum ts_status ts_cli_settle(struct ts_cli *cli, struct ts_error *err);

/* The name that a new ref gets: NAME in the project, with its slashes. PROJECT/NAME is that of another project if there is this
 * project, or if it is written project:PROJECT/NAME. The target must be open. */
enum ts_status ts_cli_new_name(struct ts_cli *cli, const char *typed, struct ts_span *ret_name, struct ts_error *err);

/* What an answer for people calls a run: the word that named it, or the whole name where the word was its end, or the run's own name
 * where that word is the begin of its id. Changes nothing of an answer that is JSON. */
void ts_cli_call_run(const struct ts_cli *cli, const char *typed, struct ts_run_ref *run);
/* The word, or the name that it is the end of, without the project. */
struct ts_span ts_cli_called(const struct ts_cli *cli, const char *typed);

#endif
