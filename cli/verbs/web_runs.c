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
static void say_push(struct ts_web_runs *runs, const char *name, const char *why, bool without_artifacts)
{
	pthread_mutex_lock(&runs->lock);
	if (strcmp(runs->said, why) != 0) {
		if (*why)
			ts_cli_say(runs->cli, "%s is %s: %s", name,
				   without_artifacts ? "pushed without its artifacts, which stay in the folder" :
						       "not pushed, and will be tried again", why);
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
	const char *id; /* that is what the verb is to print; NULL: nothing in particular */
	bool is_it;
};

static enum ts_status run_as(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	struct as *as = ctx;

	if (as->token && ts_target_open_as(&cli->target, as->server, as->token, &cli->arena, err))
		return err->status;
	if (cli->verb->run(cli, err))
		return err->status;
	as->left_out = cli->left_out;
	as->is_it = as->id && ts_span_eq(ts_trim(ts_buf_view(&cli->out)), ts_span_str(as->id));
	return TS_OK;
}

/* With a token: at the server that has made it, and as whoever has it alone. */
static enum ts_status run(const struct ts_web_runs *runs, const char *token, const char *verb, const char *const *words, size_t n,
			  uint64_t *ret_left_out, struct ts_error *err)
{
	struct as as = {.server = runs->server, .token = token};
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

/* "project:" before a name says that its first part is the project, also while the store has no run of that. */
static const char in_project[] = "project:";

/* force: a tag may have another value than before. */
static enum ts_status push_once(const struct ts_web_runs *runs, const char *token, const char *folder, const char *name,
				const char *state, bool force, bool artifacts, uint64_t *ret_left_out, struct ts_error *err)
{
	char given[TS_NAME_MAX + 64], said[64];
	const char *words[] = {given, said, NULL, NULL, NULL, NULL};
	size_t n = 2;

	(void)snprintf(given, sizeof given, "--name=%s%s", in_project, name);
	(void)snprintf(said, sizeof said, "--state=%s", state);
	if (artifacts)
		words[n++] = "--artifacts";
	if (force)
		words[n++] = "--force";
	words[n++] = "--";
	words[n++] = folder;
	return run(runs, token, "push", words, n, ret_left_out, err);
}

/* Whose the name is now: of this run, if the answer to an earlier push was lost; TS_NOT_FOUND: of none. */
static enum ts_status is_own(const struct ts_web_runs *runs, const char *token, const char *folder, const char *name, bool *ret,
			     struct ts_error *err)
{
	char word[TS_NAME_MAX + 64];
	const char *const words[] = {"--raw", "--", word, "other.mlflow.run_id"}, *slash = strrchr(folder, '/');
	struct as as = {.server = runs->server, .token = token, .id = slash ? slash + 1 : folder};
	enum ts_status status;

	(void)snprintf(word, sizeof word, "%s%s", in_project, name);
	status = ts_inner_call(runs->cli, "facts", false, words, sizeof words / sizeof words[0], run_as, &as, err);
	*ret = !status && as.is_it;
	return status;
}

static enum ts_status push_under_name(const struct ts_web_runs *runs, const char *token, const char *folder, const char *name,
				      const char *state, bool begins, bool artifacts, uint64_t *ret_left_out, struct ts_error *err)
{
	enum ts_status status = push_once(runs, token, folder, name, state, !begins, artifacts, ret_left_out, err);
	struct ts_error other;
	bool own;

	if (status != TS_CONFLICT || !begins)
		return status;
	if (is_own(runs, token, folder, name, &own, &other) && other.status != TS_NOT_FOUND)
		return ts_error_set(err, other.status, "%s", other.text); /* whose it is, the next push asks again */
	if (!own)
		return status;
	return push_once(runs, token, folder, name, state, true, artifacts, ret_left_out, err);
}

/* Where the store has no room for artifacts, the rest of the run goes on. */
static enum ts_status push(void *ctx, const char *token, const char *folder, const char *name, const char *state, bool begins,
			   enum ts_tracking_kept *ret_kept, struct ts_error *err)
{
	struct ts_web_runs *runs = ctx;
	uint64_t left_out = 0;
	enum ts_status status = push_under_name(runs, token, folder, name, state, begins, true, &left_out, err);
	struct ts_error full = *err;
	bool no_room = status == TS_FULL || status == TS_TOO_LARGE; /* the latter: a quota */

	if (no_room)
		status = push_under_name(runs, token, folder, name, state, begins, false, &left_out, err);
	if (!status && no_room)
		say_push(runs, name, full.text, true);
	else if (status != TS_CONFLICT || !begins) /* else it gets another name */
		say_push(runs, name, status ? err->text : "", false);
	*ret_kept = no_room ? TS_TRACKING_NO_ROOM : left_out ? TS_TRACKING_LEFT_OUT : TS_TRACKING_KEPT_ALL;
	if (!status && !no_room && left_out && strcmp(state, "running") != 0)
		say_left_out(runs, name, folder, left_out);
	return status;
}

static enum ts_status remove_name(void *ctx, const char *token, const char *name, bool back, struct ts_error *err)
{
	char word[TS_NAME_MAX + 64];
	const char *const words[] = {"--", word};
	const struct ts_web_runs *runs = ctx;

	(void)snprintf(word, sizeof word, "%s%s", in_project, name);
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
	words[1] = ts_arena_printf(arena, "%s%s", in_project, name ? name : "");
	if (name && words[1] && run(runs, token, "log", words, 2, NULL, &err) == TS_NOT_FOUND)
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
