/* experiment_push.c - see experiment_push.h. */
#include "cli/verbs/experiment_push.h"

#include "cli/verbs/inner.h"

void ts_experiment_push(struct ts_cli *cli, const char *folder, const char *name, const struct ts_experiment_fact *facts, size_t n,
			bool *ret_pushed)
{
	const char *words[TS_INNER_WORDS] = {ts_arena_phrase(&cli->arena, "--name=%s", name)};
	struct ts_error err;
	size_t k = 1;

	for (size_t i = 0; i < n && k < TS_INNER_WORDS - 2; i++)
		words[k++] = ts_arena_phrase(&cli->arena, "--fact=%s=%s", facts[i].path, facts[i].value);
	words[k++] = "--";
	words[k++] = folder;
	*ret_pushed = ts_inner_run(cli, "push", true, words, k, NULL, &err) == TS_OK;
	if (!*ret_pushed)
		ts_cli_say(cli, "%s", err.text);
}
