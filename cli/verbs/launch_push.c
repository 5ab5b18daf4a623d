#include "cli/verbs/launch_push.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/system.h"
#include "cli/verbs/inner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVERY_S = 10, PUSH_MS = 60000, END_MS = 30000, TOLD = TS_ERROR_TEXT };

/* --- one push --- */

/* Runs the verb push with the options of this command that say where to. Returns its error as a text; empty: it is there. */
static void push_now(const struct ts_launch_folder *f, bool last, char told[TOLD])
{
	struct ts_arena *arena = &f->cli->arena;
	const char *name = ts_args_text(&f->cli->args, "name"), *words[TS_INNER_WORDS];
	struct ts_error err;
	size_t n = 0;

	if (name)
		words[n++] = ts_arena_printf(arena, "--name=%s", name);
	if (ts_args_has(&f->cli->args, "no-output"))
		words[n++] = "--no-output";
	if (!last) /* so that each push moves the name, also where nothing is new: who reads it sees that somebody lives */
		words[n++] = ts_arena_printf(arena, "--fact=session.launch.heard=%" PRId64, ts_now_real_ns() / 1000000000);
	words[n++] = "--";
	words[n++] = f->run[0] == '/' ? f->run : ts_arena_printf(arena, "./%s", f->run);
	told[0] = '\0';
	if (ts_arena_check(arena, &err) || ts_inner_run(f->cli, "push", true, words, n, NULL, &err))
		(void)snprintf(told, TOLD, "%s", err.text);
}

/* The same in a process of its own, which is killed where it takes too long. */
static void push_apart(const struct ts_launch_folder *f, bool last, char told[TOLD])
{
	int ends[2];
	pid_t pid;
	size_t n = 0;
	int64_t until = ts_now_mono_ns() + INT64_C(1000000) * PUSH_MS;

	(void)snprintf(told, TOLD, "it took longer than %d s", PUSH_MS / 1000);
	if (ts_system_pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		push_now(f, last, told);
		_exit(write(ends[1], told, strlen(told) + 1) < 0);
	}
	(void)close(ends[1]);
	while (pid > 0 && n < TOLD) {
		struct pollfd ready = {.fd = ends[0], .events = POLLIN};
		int64_t left = (until - ts_now_mono_ns()) / 1000000;
		char piece[TOLD];
		ssize_t got;

		if (left <= 0 || poll(&ready, 1, (int)left) <= 0)
			break;
		got = read(ends[0], piece, TOLD - n);
		if (got <= 0) {
			if (n == 0)
				(void)snprintf(told, TOLD, "the process that pushes has ended");
			break;
		}
		memcpy(told + n, piece, (size_t)got);
		n += (size_t)got;
	}
	told[TOLD - 1] = '\0';
	(void)close(ends[0]);
	if (pid > 0) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
}

/* --- the process that pushes again and again --- */

struct pushing {
	const struct ts_launch_folder *folder;
	uint64_t every_s;
	char told[TOLD];
};

static const char *push_on(void *ctx, int stop)
{
	struct pushing *p = ctx;
	struct pollfd asked = {.fd = stop, .events = POLLIN};
	bool over = false;

	while (!over) {
		over = poll(&asked, 1, (int)(p->every_s * 1000)) > 0;
		push_apart(p->folder, over, p->told);
	}
	return p->told;
}

enum ts_status ts_launch_push_begin(struct ts_launch_folder *folder, struct ts_beside *ret, struct ts_error *err)
{
	const struct ts_args *args = &folder->cli->args;
	bool given = ts_args_has(args, "push"), said = false;
	struct pushing p = {.folder = folder, .every_s = EVERY_S};

	*ret = TS_BESIDE_NONE;
	if (given && ts_args_text(args, "push") && ts_args_seconds(args, "push", &said, &p.every_s, err))
		return ts_error_prefix(err, "run");
	if (given && (p.every_s == 0 || p.every_s > 86400))
		return ts_error_set(err, TS_INVALID, "run: --push=SECONDS is from 1s to 24h");
	if (!given || folder->rank > 0)
		return TS_OK;
	if (ts_launch_fact_int(folder, "push_every", (int64_t)p.every_s, err) || ts_launch_folder_write(folder, err))
		return err->status;
	return ts_beside_begin(ret, push_on, &p, err);
}

void ts_launch_push_end(const struct ts_launch_folder *folder, struct ts_beside *push)
{
	char told[TOLD];
	bool said;

	if (push->stop < 0)
		return;
	said = ts_beside_end(push, END_MS, told, sizeof told);
	if (said && !told[0])
		ts_cli_say(folder->cli, "the run is pushed");
	else
		ts_cli_say(folder->cli, "the end of the run is not pushed: %s; 'tscope push %s' sends what is missing",
			   told[0] ? told : "it takes long, and goes on without being waited for", folder->run);
}
