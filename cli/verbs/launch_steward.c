#include "cli/verbs/launch_steward.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "base/system.h"
#include "cli/view/show_value.h"
#include "launch/advance.h"
#include "launch/observe.h"
#include "launch/waiting.h"
#include "run/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_MS = 1000,
	FIND_EVERY = 5, /* looks from one search for further recordings to the next */
	RANKS_MAX = 1024,
	SHOWN = 8, /* processes that a sentence names */
	LEAST_S = 30,
	TIMES_USUAL = 20,
	TIMES_LONGEST = 3,
	FINE_S = 600,	   /* so long each second is written down of the machine, */
	COARSE_S = 10,	   /* and then so many at once */
	KILL_AFTER_S = 10, /* what was asked to end is killed */
	STOP_MS = 2000,
};

struct steward {
	struct ts_launch_folder *folder;
	struct ts_facts before; /* without a word of a hang */
	struct ts_advance *ranks[RANKS_MAX];
	char *paths[RANKS_MAX];
	size_t n;
	struct ts_arena arena; /* of the paths */
	uint64_t after_s;      /* --hang-after; 0: by the usual step */
	bool kills;
	int64_t kill_at; /* 0: nothing is to be killed */
	pid_t launcher;
	struct ts_observer machine;
	int table; /* machine.tscope; -1: it cannot be written */
	struct ts_aside aside;
	bool hangs;
	int64_t since; /* when the last step was new, while it hangs */
	char hang[TS_STEWARD_TEXT];
	size_t parts[SHOWN + 1], n_parts; /* where in it the text of each process begins, and its end */
};

/* --- recordings --- */

static bool is_known(const struct steward *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->paths[i], path) == 0)
			return true;
	return false;
}

static void add_of(struct steward *s, const char *folder, struct ts_arena *work)
{
	struct ts_error ignored;
	char **names;
	size_t n;

	if (ts_list_dir(folder, work, &names, &n, &ignored))
		return;
	for (size_t i = 0; i < n && s->n < RANKS_MAX; i++) {
		const char *path = ts_path_join(work, folder, names[i]);
		struct ts_advance *a;

		if (!path || !ts_advance_named(names[i]) || is_known(s, path))
			continue;
		a = ts_arena_alloc(&s->arena, sizeof *a);
		s->paths[s->n] = ts_arena_printf(&s->arena, "%s", path);
		if (a && s->paths[s->n] && ts_advance_open(a, path))
			s->ranks[s->n++] = a;
	}
}

static void find(struct steward *s)
{
	struct ts_arena work;
	struct ts_error ignored;
	char **names;
	size_t n = 0;

	ts_arena_init(&work, 0);
	add_of(s, s->folder->mine, &work);
	if (ts_list_dir(s->folder->mine, &work, &names, &n, &ignored))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const char *path = strncmp(names[i], "rank", 4) == 0 ? ts_path_join(&work, s->folder->mine, names[i]) : NULL;

		if (path)
			add_of(s, path, &work);
	}
	for (size_t i = 0; i < s->n; i++)
		ts_tree_trains(&s->machine.tree, (pid_t)s->ranks[i]->process);
	ts_arena_finish(&work);
}

/* --- whether it hangs --- */

/* For how many seconds a rank may make no step; below 0: it says nothing of a hang. */
static double limit_of(const struct steward *s, const struct ts_advance *a)
{
	double usual = ts_advance_usual(a), limit;

	if (a->ended || usual < 0)
		return -1;
	if (s->after_s)
		return (double)s->after_s;
	limit = TIMES_USUAL * usual > TIMES_LONGEST * a->longest ? TIMES_USUAL * usual : TIMES_LONGEST * a->longest;
	return limit > LEAST_S ? limit : LEAST_S;
}

/* Whether each rank that says anything has made no step for too long; *ret_least is the rank that is behind all others. */
static bool stands(const struct steward *s, int64_t now, const struct ts_advance **ret_least)
{
	const struct ts_advance *least = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct ts_advance *a = s->ranks[i];
		double limit = limit_of(s, a);

		if (limit < 0)
			continue;
		if ((double)(now - a->seen_ns) / 1e9 <= limit)
			return false;
		if (!least || a->last_step < least->last_step)
			least = a;
	}
	*ret_least = least;
	return least != NULL;
}

__attribute__((format(printf, 2, 3))) static void say(struct steward *s, const char *format, ...)
{
	size_t n = strlen(s->hang);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(s->hang + n, sizeof s->hang - n, format, args);
	va_end(args);
}

/* First the ranks that are behind, as the others may wait for them. */
static void say_processes(struct steward *s, int64_t least)
{
	char text[TS_WAITING_TEXT];
	size_t shown = 0;

	for (int behind = 1; behind >= 0; behind--)
		for (size_t i = 0; i < s->n && shown < SHOWN; i++) {
			const struct ts_advance *a = s->ranks[i];

			if (limit_of(s, a) < 0 || (a->last_step == least) != behind)
				continue;
			ts_waiting_of(a->process, text);
			s->parts[s->n_parts++] = strlen(s->hang);
			if (s->n > 1)
				say(s, "; rank %d: %s", (int)a->rank, text);
			else
				say(s, "; %s", text);
			shown++;
		}
}

static void describe(struct steward *s, int64_t now, const struct ts_advance *least)
{
	int64_t most = least->last_step, newest = least->seen_ns;
	const char *silent, *usual;
	struct ts_arena work;

	for (size_t i = 0; i < s->n; i++) {
		const struct ts_advance *a = s->ranks[i];

		if (limit_of(s, a) < 0)
			continue;
		most = a->last_step > most ? a->last_step : most;
		newest = a->seen_ns > newest ? a->seen_ns : newest;
	}
	ts_arena_init(&work, 0);
	silent = ts_show_seconds((double)(now - newest) / 1e9, &work);
	usual = ts_show_seconds(ts_advance_usual(least), &work);
	s->hang[0] = '\0';
	s->n_parts = 0;
	s->since = newest;
	say(s, "no step for %s, and one usually takes %s", silent ? silent : "long", usual ? usual : "less");
	if (most != least->last_step)
		say(s, "; rank %d is behind, after step %" PRId64 ", and others after step %" PRId64, (int)least->rank,
		    least->last_step, most);
	ts_arena_finish(&work);
	say_processes(s, least->last_step);
	s->parts[s->n_parts] = strlen(s->hang);
}

/* --- what is said meanwhile --- */

static void say_hang(const struct steward *s, const struct ts_cli *cli)
{
	const char *rank = s->folder->joins && s->n ? ts_arena_printf(&s->folder->cli->arena, "rank %d: ", (int)s->ranks[0]->rank) : "";

	ts_cli_say(cli, "%sit hangs: %.*s", rank ? rank : "", (int)(s->n_parts ? s->parts[0] : strlen(s->hang)), s->hang);
	for (size_t i = 0; i < s->n_parts; i++) { /* each begins with "; " */
		size_t at = s->parts[i] + 2, end = s->parts[i + 1];

		ts_cli_say(cli, "    %.*s", (int)(end > at ? end - at : 0), s->hang + (end > at ? at : end));
	}
	if (s->kills)
		ts_cli_say(cli, "it is ended, as --kill-hung wants it");
}

static void say_goes_on(const struct steward *s, const struct ts_cli *cli, int64_t now)
{
	const char *after = ts_show_seconds((double)(now - s->since) / 1e9, &s->folder->cli->arena);

	ts_cli_say(cli, "it goes on: a step was made after %s without one", after ? after : "long");
}

static void say_aside(struct steward *s, int64_t now)
{
	struct ts_buf lines = TS_BUF_INIT(TS_ASIDE_BYTES);
	struct ts_cli cli = *s->folder->cli;

	cli.said = &lines;
	if (s->hangs)
		say_hang(s, &cli);
	else
		say_goes_on(s, &cli, now);
	if (!lines.failed)
		ts_aside_say(&s->aside, ts_buf_view(&lines));
	ts_buf_finish(&lines);
}

/* --- what is written down --- */

static enum ts_status copy_facts(struct ts_launch_folder *f, const struct ts_facts *from, struct ts_error *err)
{
	struct ts_facts copy = {.n = 0};

	for (size_t i = 0; i < from->n; i++)
		if (ts_facts_add(&copy, &from->items[i], &f->cli->arena, err))
			return err->status;
	f->facts = copy;
	return TS_OK;
}

/* What cannot be written is tried again with the next change: the training is none the worse for it. */
static void write_down(struct steward *s)
{
	struct ts_launch_folder *f = s->folder;
	struct ts_error err;

	if (copy_facts(f, &s->before, &err))
		return;
	if (s->hangs &&
	    (ts_launch_fact_text(f, "end.state", ts_end_state_word(TS_END_HUNG), &err) ||
	     ts_launch_fact_text(f, "end.message", s->hang, &err) || ts_launch_fact_text(f, "end.record", "tscope run", &err) ||
	     ts_launch_fact_real(f, "end.hung_at", (double)ts_now_real_ns() / 1e9, &err)))
		return;
	(void)ts_launch_folder_write(f, &err);
}

/* --- the machine --- */

/* Of several processes of a job on one machine one observes it. */
static bool is_first_here(void)
{
	static const char *const names[] = {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *rank = getenv(names[i]);

		if (rank)
			return strcmp(rank, "0") == 0;
	}
	return true;
}

/* A disk that is full ends the table, and not more. */
static void write_line(struct steward *s, const char *line, size_t n)
{
	if (write(s->table, line, n) == (ssize_t)n)
		return;
	s->table = -1;
	ts_observe_end(&s->machine);
}

static void write_names(struct steward *s)
{
	static char line[TS_OBSERVE_LINE]; /* of 16 GPUs */
	size_t n = ts_observe_head(&s->machine, line, sizeof line);

	if (n)
		write_line(s, line, n);
}

static void open_table(struct steward *s)
{
	const char *path = ts_path_join(&s->arena, s->folder->mine, "machine.tscope");
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

	s->table = path && (!s->folder->joins || is_first_here()) ? open(path, flags, 0644) : -1;
	if (s->table < 0)
		return;
	ts_observe_begin(&s->machine, s->launcher);
	write_names(s);
}

static void observe(struct steward *s, uint64_t turn)
{
	static char line[TS_OBSERVE_LINE]; /* of 16 GPUs */
	size_t n;

	if (s->table < 0)
		return;
	ts_observe_look(&s->machine);
	if (turn > FINE_S && turn % COARSE_S)
		return;
	write_names(s);
	n = s->table < 0 ? 0 : ts_observe_row(&s->machine, line, sizeof line);
	if (n)
		write_line(s, line, n);
}

/* --- the process --- */

static void end_training(struct steward *s, int64_t now)
{
	if (s->hangs && s->kills && !s->kill_at) {
		s->kill_at = now + INT64_C(1000000000) * KILL_AFTER_S;
		(void)kill(s->launcher, SIGTERM);
		for (size_t i = 0; i < s->n; i++)
			if (limit_of(s, s->ranks[i]) >= 0)
				(void)kill((pid_t)s->ranks[i]->process, SIGTERM);
	}
	if (!s->kill_at || now < s->kill_at)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!s->ranks[i]->ended)
			(void)kill((pid_t)s->ranks[i]->process, SIGKILL);
	s->kills = false;
	s->kill_at = 0;
}

static void look(struct steward *s, uint64_t turn)
{
	int64_t now = ts_now_mono_ns();
	const struct ts_advance *least;
	bool hangs;

	if (turn % FIND_EVERY == 0)
		find(s);
	for (size_t i = 0; i < s->n; i++)
		ts_advance_look(s->ranks[i], now);
	hangs = stands(s, now, &least);
	if (hangs && !s->hangs)
		describe(s, now, least);
	if (hangs != s->hangs) {
		s->hangs = hangs;
		write_down(s);
		say_aside(s, now);
	}
	if (!hangs)
		s->hang[0] = '\0';
	end_training(s, now);
}

static const char *watch(void *ctx, int stop)
{
	struct steward *s = ctx;
	struct pollfd asked = {.fd = stop, .events = POLLIN};

	ts_arena_init(&s->arena, 0);
	open_table(s);
	for (uint64_t turn = 0; poll(&asked, 1, LOOK_MS) <= 0; turn++) {
		look(s, turn);
		observe(s, turn);
	}
	if (s->table >= 0)
		ts_observe_end(&s->machine);
	return s->hang;
}

enum ts_status ts_steward_begin(struct ts_launch_folder *folder, const struct ts_aside *aside, struct ts_beside *ret,
				struct ts_error *err)
{
	const struct ts_args *args = &folder->cli->args;
	bool given = ts_args_has(args, "hang-after"), said = false;
	struct steward *s = ts_arena_alloc(&folder->cli->arena, sizeof *s);

	*ret = TS_BESIDE_NONE;
	if (!s)
		return ts_arena_error(&folder->cli->arena, err);
	*s = (struct steward){.folder = folder,
			      .before = folder->facts,
			      .kills = ts_args_has(args, "kill-hung"),
			      .launcher = getpid(),
			      .aside = *aside};
	if (given && ts_args_seconds(args, "hang-after", &said, &s->after_s, err))
		return ts_error_prefix(err, "run");
	if (given && (s->after_s == 0 || s->after_s > 86400))
		return ts_error_set(err, TS_INVALID, "run: --hang-after is from 1s to 24h");
	return ts_beside_begin(ret, watch, s, err);
}

void ts_steward_end(struct ts_beside *steward, char ret_hang[TS_STEWARD_TEXT])
{
	pid_t pid = (pid_t)steward->pid;

	(void)ts_beside_end(steward, STOP_MS, ret_hang, TS_STEWARD_TEXT);
	if (pid <= 0)
		return;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}
