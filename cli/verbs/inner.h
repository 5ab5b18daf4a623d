/* inner.h - runs a verb within another command, at the store or server that this command was told to use.
 *
 *	const char *words[] = {"--name=a", "--", "runs/a"};
 *	if (ts_inner_run(cli, "push", true, words, 3, NULL, &err)) ...
 *
 * Nothing that the verb prints is shown. It opens the store by itself, so what the outer command has open stays as it is.
 * Threads: any number at once, if nobody changes the outer command's options.
 */
#ifndef TSCOPE_CLI_VERBS_INNER_H
#define TSCOPE_CLI_VERBS_INNER_H

#include "cli/core/context.h"

enum { TS_INNER_WORDS = 64 }; /* of the caller, at most */

/* words: the verb's options and words. project: the outer command's --project holds for the verb, too; else names in the words say it.
 * ret_exit_code: the verb's, if it answers; may be NULL. The error is that of the verb, or that of its words. */
enum ts_status ts_inner_run(const struct ts_cli *outer, const char *verb, bool project, const char *const *words, size_t n,
			    int *ret_exit_code, struct ts_error *err);

/* The same with another function in the place of the verb's, which is given the command with its words read: for whoever wants the
 * answer and no text. What it takes out of the command's arena it copies. outer: NULL for a store that the words name, whatever the
 * outer command was told to use. */
typedef enum ts_status ts_inner_verb(struct ts_cli *cli, void *ctx, struct ts_error *err);
enum ts_status ts_inner_call(const struct ts_cli *outer, const char *verb, bool project, const char *const *words, size_t n,
			     ts_inner_verb *run, void *ctx, struct ts_error *err);

#endif
