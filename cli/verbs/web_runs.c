/* web_runs.c - see web_runs.h. */
#include "cli/verbs/web_runs.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/uri.h"
#include "cli/core/run_name.h"
#include "cli/verbs/inner.h"
#include "cli/verbs/verbs.h"

#include <stdio.h>

enum { PART_MAX = 40, DAYS_MAX = 36500 };

/* -- pushes -- */

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

/* What a verb within this command is run as, and what it tells beside its status. */
struct as {
	const char *server, *token;
	uint64_t left_out;
};

static enum ts_status run_as(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	struct as *as = ctx;

	if (as->token && ts_target_open_as(&cli->target, as->server, as->token, &cli->arena, err))
		return err->status;
	if (cli->verb->run(cli, err))
		return err->status;
	as->left_out = cli->left_out;
	return TS_OK;
}

/* With a token: at the server that has made it, and as whoever has it alone. */
static enum ts_status run(const struct ts_web_runs *runs, const char *token, const char *verb, const char *const *words, size_t n,
			  uint64_t *ret_left_out, struct ts_error *err)
{
	struct as as = {runs->server, token, 0};
	enum ts_status status = ts_inner_call(runs->cli, verb, false, words, n, run_as, &as, err);

	if (ret_left_out)
		*ret_left_out = as.left_out;
	return status;
}

/* Said when the run has ended, so that it is said once. */
static void say_left_out(const struct ts_web_runs *runs, const char *name, const char *folder, uint64_t n)
{
	ts_cli_say(runs->cli, "the push of %s left out %" PRIu64 " file%s; %s in %s alone", name, n, n == 1 ? "" : "s",
		   n == 1 ? "it is" : "they are", folder);
}

static enum ts_status push(void *ctx, const char *token, const char *folder, const char *name, const char *state, bool begins,
			   enum ts_tracking_kept *ret_kept, struct ts_error *err)
{
	char given[TS_NAME_MAX + 64], said[64];
	/* --force: a tag may have another value than before */
	const char *const words[] = {given, said, "--artifacts", begins ? "--" : "--force", begins ? folder : "--", folder};
	const struct ts_web_runs *runs = ctx;
	uint64_t left_out = 0;
	enum ts_status status;

	(void)snprintf(given, sizeof given, "--name=%s", name);
	(void)snprintf(said, sizeof said, "--state=%s", state);
	status = run(runs, token, "push", words, begins ? 5 : 6, &left_out, err);
	if (status != TS_CONFLICT || !begins) /* else it gets another name */
		say_push(ctx, name, status ? err->text : "");
	*ret_kept = left_out ? TS_TRACKING_LEFT_OUT : TS_TRACKING_KEPT_ALL;
	if (!status && left_out && strcmp(state, "running") != 0)
		say_left_out(runs, name, folder, left_out);
	return status;
}

static enum ts_status remove_name(void *ctx, const char *token, const char *name, bool back, struct ts_error *err)
{
	const char *const words[] = {"--", name};
	const struct ts_web_runs *runs = ctx;

	return run(runs, token, back ? "restore" : "rm", words, 2, NULL, err);
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
static const char *name_of(void *ctx, const char *token, struct ts_span experiment, struct ts_span called, const char *id,
			   struct ts_arena *arena)
{
	const struct ts_web_runs *runs = ctx;
	const char *folder = part_of(experiment, "experiment", arena), *part = part_of(called, "run", arena), *name;
	const char *words[] = {"--", NULL};
	struct ts_error err;

	if (!folder || !part)
		return NULL;
	name = ts_arena_printf(arena, "%s/%s/%s", runs->project, folder, part);
	words[1] = name;
	if (name && run(runs, token, "log", words, 2, NULL, &err) == TS_NOT_FOUND)
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

static void say_left(void *ctx, const char *folder, size_t n)
{
	const struct ts_web_runs *runs = ctx;

	ts_cli_say(runs->cli, "%zu run%s that ended and %s pushed %" PRIu64 " day%s ago or more left %s; the store has all of %s", n,
		   n == 1 ? "" : "s", n == 1 ? "was" : "were", runs->days, runs->days == 1 ? "" : "s", folder, n == 1 ? "it" : "them");
}

enum ts_status ts_web_runs(struct ts_cli *cli, const char *project, const char *server, struct ts_web_runs *runs,
			   struct ts_tracking_wanted *ret, struct ts_error *err)
{
	bool given;

	*runs = (struct ts_web_runs){.cli = cli, .project = project, .server = server};
	if (ts_args_uint(&cli->args, "spool-days", DAYS_MAX, &given, &runs->days, err))
		return ts_error_prefix(err, "web");
	pthread_mutex_init(&runs->lock, NULL);
	*ret = (struct ts_tracking_wanted){.name = name_of, .push = push, .remove = remove_name, .days = runs->days, .left = say_left,
					   .ctx = runs};
	return folder_of(cli, &ret->folder, err);
}
