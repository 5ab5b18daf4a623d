/* verb_help.c - tscope help: from the table of verbs to the terminal, a man page, a shell. */
#include "cli/core/context.h"
#include "cli/verbs/manual.h"

static enum ts_status find(const struct ts_cli *cli, const struct ts_verb **ret_verb, struct ts_error *err)
{
	const char *word = ts_cli_word(cli, 0);

	*ret_verb = NULL;
	if (!word)
		return TS_OK;
	*ret_verb = ts_verb_find(word);
	return *ret_verb ? TS_OK : ts_verb_unknown(word, err);
}

enum ts_status ts_verb_help(struct ts_cli *cli, struct ts_error *err)
{
	const char *shell = ts_args_text(&cli->args, "completion");
	const struct ts_verb *verb;
	enum ts_status status = find(cli, &verb, err);

	if (status)
		return status;
	if (cli->json) {
		struct ts_json j = ts_cli_json(cli);

		ts_manual_json(verb, &j);
		ts_cli_json_end(cli, &j);
	} else if (shell && strcmp(shell, "bash") == 0) {
		ts_completion_bash(&cli->out);
	} else if (shell) {
		ts_completion_zsh(&cli->out);
	} else if (ts_args_has(&cli->args, "man")) {
		ts_manual_roff(verb, &cli->out);
	} else if (ts_args_by_letter(&cli->args, "help")) {
		ts_manual_brief(verb, &cli->term, &cli->out);
	} else {
		ts_manual_help(verb, &cli->term, &cli->out);
	}
	return TS_OK;
}
