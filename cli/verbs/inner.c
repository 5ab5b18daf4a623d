/* inner.c - see inner.h. */
#include "cli/verbs/inner.h"

#include "base/door.h"
#include "base/limits.h"
#include "cli/verbs/verbs.h"

enum { OUT_MAX = 1 << 20 };

enum ts_status ts_inner_call(const struct ts_cli *outer, const char *verb, bool project, const char *const *words, size_t n,
			     ts_inner_verb *run, void *ctx, struct ts_error *err)
{
	static const char *const passed[] = {"project", "server", "store"};
	struct ts_cli cli = {.verb = ts_verb_find(verb), .out = TS_BUF_INIT(OUT_MAX), .quiet = true};
	const char *all[TS_INNER_WORDS + sizeof passed / sizeof passed[0]];
	enum ts_status status;
	size_t k = 0;

	TS_DOOR(cli.verb && n <= TS_INNER_WORDS);
	ts_arena_init(&cli.arena, TS_ANALYSIS_ARENA);
	ts_term_init(&cli.term, "never");
	for (size_t i = project ? 0 : 1; outer && i < sizeof passed / sizeof passed[0]; i++) {
		const char *value = ts_args_text(&outer->args, passed[i]);

		if (value)
			all[k++] = ts_arena_printf(&cli.arena, "--%s=%s", passed[i], value);
	}
	for (size_t i = 0; i < n; i++)
		all[k++] = words[i];
	status = ts_arena_check(&cli.arena, err);
	if (!status)
		status = ts_args_parse(&cli.args, cli.verb->options, ts_common_options, (int)k, all, false, &cli.arena, err);
	if (!status)
		status = run(&cli, ctx, err);
	ts_target_close(&cli.target);
	ts_buf_finish(&cli.out);
	ts_arena_finish(&cli.arena);
	return status;
}

static enum ts_status verbs_own(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	int *ret_exit_code = ctx;
	enum ts_status status = cli->verb->run(cli, err);

	if (!status && ret_exit_code)
		*ret_exit_code = cli->exit_code;
	return status;
}

enum ts_status ts_inner_run(const struct ts_cli *outer, const char *verb, bool project, const char *const *words, size_t n,
			    int *ret_exit_code, struct ts_error *err)
{
	return ts_inner_call(outer, verb, project, words, n, verbs_own, ret_exit_code, err);
}
