/* context.h - what every verb has at hand while it runs: its words, memory, output, and the channel to handlers.
 *
 * A verb fills `out` and sets exit_code; nothing reaches stdout before it has succeeded, so stdout is a whole answer or
 * empty. Diagnostics go to stderr through ts_cli_say. main writes `out` and ends with exit_code, or prints the error
 * (as JSON with --json) and ends with 2.
 */
#ifndef TSCOPE_CLI_CORE_CONTEXT_H
#define TSCOPE_CLI_CORE_CONTEXT_H

#include "base/arena.h"
#include "base/json_writer.h"
#include "cli/core/args.h"
#include "cli/core/target.h"
#include "cli/core/term.h"

enum { TS_EXIT_YES = 0, TS_EXIT_NO = 1, TS_EXIT_FAILED = 2, TS_EXIT_INCONCLUSIVE = 3 };

struct ts_verb;

struct ts_cli {
	const struct ts_verb *verb;
	struct ts_args args;
	struct ts_arena arena; /* lives as long as the command */
	struct ts_buf out;     /* what goes to stdout at the end */
	struct ts_term term;
	struct ts_target target;
	bool json;
	bool quiet;
	const char *meant_path; /* a word that stands for a name and is a directory too, NULL if there is none */
	int exit_code;
};

/* One line on stderr, "tscope: ..." in front, foreign bytes escaped. Nothing with --quiet. */
void ts_cli_say(const struct ts_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Words of the command line; NULL past the end. */
const char *ts_cli_word(const struct ts_cli *cli, size_t i);
/* A JSON writer over out: indented, a newline is added by ts_cli_json_end. */
struct ts_json ts_cli_json(struct ts_cli *cli);
void ts_cli_json_end(struct ts_cli *cli, struct ts_json *j);

/* The project that bare names belong to: --project, TSCOPE_PROJECT, the nearest .tscope file, "default". */
enum ts_status ts_cli_project(struct ts_cli *cli, const char **ret_project, struct ts_error *err);
/* NAME -> PROJECT/NAME, checked; a name that holds a '/' is taken as it is. */
enum ts_status ts_cli_name(struct ts_cli *cli, const char *typed, struct ts_span *ret_name, struct ts_error *err);
/* What resolve.h wants for a run that is named (not a path): "?project/W" and so on. */
enum ts_status ts_cli_spec(struct ts_cli *cli, const char *typed, struct ts_span *ret_spec, struct ts_error *err);
/* For words that name runs or are paths: opens the target, ingests paths into its overlay, gives a spec for each. */
enum ts_status ts_cli_runs(struct ts_cli *cli, const char *const *typed, size_t n, struct ts_span *ret_specs,
			   struct ts_error *err);
enum ts_status ts_cli_run(struct ts_cli *cli, const char *typed, struct ts_span *ret_spec, struct ts_error *err);
/* Opens the target; idempotent. */
enum ts_status ts_cli_open(struct ts_cli *cli, enum ts_target_use use, struct ts_error *err);

#endif
