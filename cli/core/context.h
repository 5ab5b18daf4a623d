/* context.h - what every verb works with while it runs: its words, memory, output, and the channel to the handlers.
 *
 * A verb fills `out` and sets exit_code; nothing reaches stdout before it has succeeded, so stdout is a whole answer or
 * empty. Diagnostics go to stderr through ts_cli_say. main writes `out` and ends with exit_code, or prints the error
 * (as JSON with --json) and ends with 2.
 *
 * A verb may also be run for somebody who asks by another door (cli/verbs/answer.h): then names_only is set, and said takes what would
 * go to stderr.
 */
#ifndef TSCOPE_CLI_CORE_CONTEXT_H
#define TSCOPE_CLI_CORE_CONTEXT_H

#include "analysis/answer/run_ref.h"
#include "base/arena.h"
#include "base/json_writer.h"
#include "cli/core/args.h"
#include "cli/core/target.h"
#include "cli/core/term.h"

enum { TS_EXIT_YES = 0, TS_EXIT_NO = 1, TS_EXIT_FAILED = 2, TS_EXIT_INCONCLUSIVE = 3 };

struct ts_verb;
struct ts_known_word;

struct ts_cli {
	const struct ts_verb *verb;
	struct ts_args args;
	struct ts_arena arena; /* lives as long as the command */
	struct ts_buf out;     /* what goes to stdout at the end */
	struct ts_term term;
	struct ts_target target;
	bool json;
	bool quiet;
	bool names_only;     /* a word never stands for a path of this machine */
	bool served;	     /* pages are drawn for web/: with links to others, and forms */
	struct ts_buf *said; /* NULL: stderr */
	struct ts_known_word *known; /* the words that the server was asked about (names.h) */
	size_t n_known;
	uint64_t left_out;   /* parts of runs that a push did not take */
	int exit_code;
};

/* Prints one line to stderr, beginning with "tscope: ", with foreign bytes escaped. Prints nothing with --quiet. */
void ts_cli_say(const struct ts_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The i-th word of the command line; NULL past the end. */
const char *ts_cli_word(const struct ts_cli *cli, size_t i);
/* Returns a JSON writer that appends to out, indented; ts_cli_json_end adds the newline. */
struct ts_json ts_cli_json(struct ts_cli *cli);
void ts_cli_json_end(struct ts_cli *cli, struct ts_json *j);

/* The project of names without a project: --project, else TSCOPE_PROJECT, else the nearest .tscope file, else "default". */
enum ts_status ts_cli_project(struct ts_cli *cli, const char **ret_project, struct ts_error *err);
/* Opens the target; a second call does nothing. */
enum ts_status ts_cli_open(struct ts_cli *cli, enum ts_target_use use, struct ts_error *err);

#endif
