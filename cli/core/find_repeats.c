/* find_repeats.c - see find_repeats.h. */
#include "cli/core/find_repeats.h"

#include "cli/core/find_runs.h"

/* The largest number of runs in a request. */
enum { REPEATS_MOST = 64 };

enum ts_status ts_find_repeats(struct ts_cli *cli, struct ts_diff_request *request, struct ts_repeat_words *ret_words,
			       struct ts_error *err)
{
	struct ts_repeat_words words = {.n = 2};
	struct ts_found_runs found;
	enum ts_status status = ts_cli_open(cli, TS_USE_READ, err);
	const char *glob;

	if (status || ts_found_runs_init(&found, REPEATS_MOST, &cli->arena, err))
		return err->status;
	for (size_t i = 0; !status && (glob = ts_args_nth(&cli->args, "repeats", i)); i++)
		status = ts_find_runs(cli, "--repeats", glob, &found, err);
	if (status)
		return status;
	words.words = ts_arena_array(&cli->arena, 2 + found.n_words, sizeof *words.words);
	if (!words.words)
		return ts_arena_error(&cli->arena, err);
	words.words[0] = cli->args.words[0];
	words.words[1] = cli->args.words[1];
	for (size_t i = 0; i < found.n_words; i++)
		words.words[words.n++] = found.words[i];
	request->repeats = found.ids; /* the array also has room for the ids of the words */
	request->n_repeats = found.n_ids;
	*ret_words = words;
	return TS_OK;
}

void ts_take_specs(const struct ts_span *specs, size_t n, struct ts_diff_request *request)
{
	request->a = specs[0];
	request->b = specs[1];
	for (size_t i = 2; i < n; i++)
		request->repeats[request->n_repeats++] = specs[i];
}
