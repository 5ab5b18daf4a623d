/* verb_run.c - tscope run: starts a training as a run, keeps what it prints last, and says what ended it. */
#include "base/text.h"
#include "cli/verbs/launch_end.h"
#include "cli/verbs/launch_push.h"
#include "cli/verbs/launch_python.h"
#include "cli/verbs/launch_ranks.h"
#include "cli/verbs/launch_steward.h"
#include "cli/verbs/verbs.h"
#include "launch/witness.h"

#include <string.h>

struct starting {
	struct ts_cli *cli;
	struct ts_launch_folder folder;
	const char *const *words;
	struct ts_beside push;
	struct ts_beside steward;
	struct ts_aside aside;
	int64_t oom_kills; /* from before it began */
};

/* The name of a program without its folder and its ending: what the folder of its run is called by. */
static const char *program_of(struct ts_arena *arena, const char *const *words)
{
	const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];
	const char *dot = strrchr(name, '.');
	char *text = ts_arena_printf(arena, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);

	for (char *at = text; at && *at; at++)
		if (!ts_is_alnum((uint8_t)*at) && !strchr("._+=@-", *at))
			*at = '-';
	return text && *text ? text : "run";
}

static void finish(void *ctx, const struct ts_launched *l)
{
	struct starting *s = ctx;
	char hang[TS_STEWARD_TEXT];
	struct ts_error err;

	ts_steward_end(&s->steward, hang);
	if (ts_launch_end_facts(&s->folder, l, s->oom_kills, hang, &err) || ts_launch_folder_write(&s->folder, &err))
		ts_cli_say(s->cli, "the end of the run could not be written down: %s", err.text);
	if (!l->alone)
		ts_launch_end_say(&s->folder, l, s->words);
	ts_launch_push_end(&s->folder, &s->push);
}

/* --- the beginning --- */

static enum ts_status have_recorded(struct starting *s, struct ts_error *err)
{
	const char *why = NULL;

	if (ts_args_has(&s->cli->args, "no-auto"))
		return TS_OK;
	if (ts_python_record(s->words, s->folder.run, ts_args_text(&s->cli->args, "name"), &s->cli->arena, &s->words, &why, err))
		return err->status;
	if (why)
		ts_cli_say(s->cli, "%s", why);
	return TS_OK;
}

enum ts_status ts_verb_run(struct ts_cli *cli, struct ts_error *err)
{
	struct starting s = {.cli = cli, .words = cli->args.words, .oom_kills = ts_witness_oom_kills()};
	struct ts_launch_wanted wanted = {.all = ts_args_has(&cli->args, "log"), .finish = finish, .ctx = &s};
	const char *program = program_of(&cli->arena, s.words);
	struct ts_launched launched;

	if (ts_launch_words(cli, &wanted, &s.words, err) ||
	    ts_launch_folder_make(cli, cli->args.words, program, &s.folder, err) || have_recorded(&s, err))
		return err->status;
	if (ts_aside_open(&s.aside, err))
		return ts_error_prefix(err, "run");
	if (ts_launch_push_begin(&s.folder, &s.push, err) || ts_steward_begin(&s.folder, &s.aside, &s.steward, err))
		return err->status;
	wanted.aside = &s.aside;
	wanted.argv = s.words;
	wanted.folder = s.folder.mine;
	wanted.lock = s.folder.lock;
	if (ts_launch(&wanted, &launched, err))
		return ts_error_prefix(err, "run");
	cli->exit_code = ts_launched_code(&launched);
	ts_launched_free(&launched);
	return TS_OK;
}
