/* verb_run.c - tscope run: starts a training as a run, keeps what it prints last, and says what ended it. */
#include "base/clock.h"
#include "base/text.h"
#include "cli/view/show_value.h"
#include "cli/verbs/launch_folder.h"
#include "cli/verbs/verbs.h"
#include "launch/launch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

struct starting {
	struct ts_cli *cli;
	struct ts_launch_folder folder;
	const char *const *words;
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

/* --- the end --- */

static enum ts_status add_end(struct starting *s, const struct ts_launched *l, struct ts_error *err)
{
	struct ts_launch_folder *f = &s->folder;
	const struct ts_ended *end = l->first < l->n ? &l->ends[l->first] : NULL;
	const char *signal = end && end->signal ? ts_signal_name(end->signal) : NULL;

	if (ts_launch_fact_real(f, "ended", (double)ts_now_real_ns() / 1e9, err))
		return err->status;
	if (l->lost)
		return ts_launch_fact_text(f, "end.state", "unknown", err);
	if (!end)
		return ts_launch_fact_text(f, "end.state", "finished", err) ? err->status : ts_launch_fact_int(f, "end.exit", 0, err);
	if (signal)
		return ts_launch_fact_text(f, "end.state", "killed", err) ? err->status
									   : ts_launch_fact_text(f, "end.signal", signal, err);
	return ts_launch_fact_text(f, "end.state", "crashed", err) ? err->status
								    : ts_launch_fact_int(f, "end.exit", ts_launched_code(l), err);
}

static const char *duration_of(const struct ts_launch_folder *f)
{
	const char *text = ts_show_seconds((double)(ts_now_mono_ns() - f->mono_ns) / 1e9, &f->cli->arena);

	return text ? text : "some time";
}

/* One sentence of why the command could not be started. */
static void say_cannot(const struct starting *s, int error)
{
	if (error == ENOENT && !strchr(s->words[0], '/'))
		ts_cli_say(s->cli, "run: there is no command %s in PATH", s->words[0]);
	else
		ts_cli_say(s->cli, "run: %s cannot be executed: %s%s", s->words[0], strerror(error),
			   error == ENOENT ? ", or its interpreter is not there"
			   : error == EACCES ? "; chmod +x makes a file executable"
			   : error == ENOEXEC ? "; it is no program, and a script begins with #! and its interpreter"
					      : "");
}

static void say_end(const struct starting *s, const struct ts_launched *l)
{
	const struct ts_ended *end = l->first < l->n ? &l->ends[l->first] : NULL;
	const char *signal = end && end->signal ? ts_signal_name(end->signal) : NULL;

	if (end && end->cannot) {
		say_cannot(s, end->cannot);
		return;
	}
	if (l->lost)
		ts_cli_say(s->cli, "the process that waits for the command was killed, so its end is not known");
	else if (!end)
		ts_cli_say(s->cli, "finished after %s; the run is %s", duration_of(&s->folder), s->folder.run);
	else if (end->signal)
		ts_cli_say(s->cli, "killed by %s after %s; the run is %s",
			   signal ? signal : ts_arena_printf(&s->cli->arena, "signal %d", end->signal), duration_of(&s->folder),
			   s->folder.run);
	else
		ts_cli_say(s->cli, "ended with exit code %d after %s; the run is %s", end->code, duration_of(&s->folder),
			   s->folder.run);
	for (size_t i = 0; i < l->n; i++)
		if (l->tails[i].error) {
			ts_cli_say(s->cli, "what the command printed could not be kept: %s: %s", l->tails[i].path,
				   strerror(l->tails[i].error));
			break;
		}
	if (l->left)
		ts_cli_say(s->cli, "processes that the command left behind still hold its output; nobody waits for them");
}

static void finish(void *ctx, const struct ts_launched *l)
{
	struct starting *s = ctx;
	struct ts_error err;

	if (add_end(s, l, &err) || ts_launch_folder_write(&s->folder, &err))
		ts_cli_say(s->cli, "the end of the run could not be written down: %s", err.text);
	if (!l->alone)
		say_end(s, l);
}

enum ts_status ts_verb_run(struct ts_cli *cli, struct ts_error *err)
{
	struct starting s = {.cli = cli, .words = cli->args.words};
	struct ts_launch_wanted wanted = {.argv = s.words, .all = ts_args_has(&cli->args, "log"), .finish = finish, .ctx = &s};
	struct ts_launched launched;

	if (ts_launch_folder_make(cli, s.words, program_of(&cli->arena, s.words), &s.folder, err))
		return err->status;
	wanted.folder = s.folder.mine;
	wanted.lock = s.folder.lock;
	if (ts_launch(&wanted, &launched, err))
		return ts_error_prefix(err, "run");
	cli->exit_code = ts_launched_code(&launched);
	ts_launched_free(&launched);
	return TS_OK;
}
