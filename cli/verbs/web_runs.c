/* web_runs.c - see web_runs.h. */
#include "cli/verbs/web_runs.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/uri.h"
#include "cli/core/run_name.h"
#include "cli/verbs/answer.h"
#include "cli/verbs/verbs.h"

#include <stdio.h>

enum { PART_MAX = 40, OUT_MAX = 1 << 20 };

/* -- a verb, with the store or the server that this command has -- */

static enum ts_status run_verb(const struct ts_web_runs *runs, const char *verb, const char *const *words, size_t n,
			       struct ts_error *err)
{
	static const char *const passed[] = {"server", "store"};
	struct ts_cli cli = {.verb = ts_verb_find(verb), .out = TS_BUF_INIT(OUT_MAX), .quiet = true};
	const char *all[16];
	enum ts_status status;
	size_t k = 0;

	ts_arena_init(&cli.arena, TS_ANALYSIS_ARENA);
	ts_term_init(&cli.term, "never");
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
		const char *value = ts_args_text(&runs->cli->args, passed[i]);

		if (value)
			all[k++] = ts_arena_printf(&cli.arena, "--%s=%s", passed[i], value);
	}
	for (size_t i = 0; i < n; i++)
		all[k++] = words[i];
	status = ts_arena_check(&cli.arena, err);
	if (!status)
		status = ts_args_parse(&cli.args, cli.verb->options, ts_common_options, (int)k, all, false, &cli.arena, err);
	if (!status)
		status = cli.verb->run(&cli, err);
	ts_target_close(&cli.target);
	ts_buf_finish(&cli.out);
	ts_arena_finish(&cli.arena);
	return status;
}

/* A push is tried again, and again: what is wrong is said when it is new, and when it is over. */
static void say_push(struct ts_web_runs *runs, const char *name, const char *why)
{
	pthread_mutex_lock(&runs->lock);
	if (strcmp(runs->said, why) != 0) {
		if (*why)
			ts_cli_say(runs->cli, "%s is not pushed, and will be tried again: %s", name, why);
		else
			ts_cli_say(runs->cli, "runs are pushed again");
		(void)snprintf(runs->said, sizeof runs->said, "%s", why);
	}
	pthread_mutex_unlock(&runs->lock);
}

static enum ts_status push(void *ctx, const char *folder, const char *name, const char *state, struct ts_error *err)
{
	char given[TS_NAME_MAX + 64], said[64];
	const char *const words[] = {given, said, "--force", "--", folder}; /* a tag may have another value than before */
	enum ts_status status;

	(void)snprintf(given, sizeof given, "--name=%s", name);
	(void)snprintf(said, sizeof said, "--state=%s", state);
	status = run_verb(ctx, "push", words, sizeof words / sizeof *words, err);
	say_push(ctx, name, status ? err->text : "");
	return status;
}

static enum ts_status remove_name(void *ctx, const char *name, bool back, struct ts_error *err)
{
	const char *const words[] = {"--", name};

	return run_verb(ctx, back ? "restore" : "rm", words, 2, err);
}

/* -- names -- */

static const char *part_of(struct ts_span text, const char *otherwise, struct ts_arena *arena)
{
	bool changed = false;
	const char *name;
	struct ts_error err;

	if (ts_name_component(ts_utf8_cut(text, PART_MAX), arena, &name, &changed, &err))
		return arena->failed ? NULL : otherwise;
	return name;
}

/* A name that the store has, or that nobody can ask for, is told apart by the run's id. */
static const char *name_of(void *ctx, struct ts_span experiment, struct ts_span run, const char *id, struct ts_arena *arena)
{
	const struct ts_web_runs *runs = ctx;
	const char *folder = part_of(experiment, "experiment", arena), *part = part_of(run, "run", arena), *name;
	const char *words[] = {"--", NULL};
	struct ts_error err;

	if (!folder || !part)
		return NULL;
	name = ts_arena_printf(arena, "%s/%s/%s", runs->project, folder, part);
	words[1] = name;
	if (name && run_verb(runs, "log", words, 2, &err) == TS_NOT_FOUND)
		return name;
	return ts_arena_printf(arena, "%s/%s/%s-%.6s", runs->project, folder, part, id);
}

/* -- the folder -- */

static enum ts_status folder_of(struct ts_cli *cli, const char **ret_folder, struct ts_error *err)
{
	const char *given = ts_args_text(&cli->args, "spool"), *server, *origin, *store;
	struct ts_credentials credentials;
	struct ts_buf name = TS_BUF_INIT(4096);

	if (given) {
		*ret_folder = given;
		return TS_OK;
	}
	if (ts_target_server(ts_args_text(&cli->args, "store"), ts_args_text(&cli->args, "server"), &cli->arena, &credentials, &server,
			     &origin, err) ||
	    ts_store_path(server ? NULL : ts_args_text(&cli->args, "store"), &cli->arena, &store, err))
		return err->status;
	ts_buf_str(&name, store);
	ts_buf_str(&name, ".mlflow");
	if (server) {
		ts_buf_char(&name, '-');
		ts_uri_encode(&name, ts_span_str(server), false);
	}
	*ret_folder = ts_arena_printf(&cli->arena, "%.*s", (int)name.len, (const char *)name.data);
	ts_buf_finish(&name);
	return ts_arena_check(&cli->arena, err);
}

enum ts_status ts_web_runs(struct ts_cli *cli, const char *project, struct ts_web_runs *runs, struct ts_tracking_wanted *ret,
			   struct ts_error *err)
{
	*runs = (struct ts_web_runs){.cli = cli, .project = project};
	pthread_mutex_init(&runs->lock, NULL);
	*ret = (struct ts_tracking_wanted){.name = name_of, .push = push, .remove = remove_name, .ctx = runs};
	return folder_of(cli, &ret->folder, err);
}
