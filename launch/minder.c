#include "launch/processes.h"

#include "base/clock.h"
#include "launch/signals.h"
#include "record/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_AFTER_NS (INT64_C(30) * 1000000000)

struct minder {
	struct ts_processes *job;
	int control; /* -1: the launcher is gone */
	int signals;
	pid_t group; /* of the command; 0: it has not begun */
	bool left;   /* the launcher has done all before it went */
	bool ending; /* the others are being ended, because one failed */
	int64_t kill_at; /* 0: they have been killed, or need not be */
};

/* --- a process of the command --- */

static void set_number(const char *name, size_t value)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%zu", value);
	(void)setenv(name, text, 1);
}

static void set_variables(const struct ts_launch_wanted *wanted, size_t rank)
{
	for (const char *const *at = wanted->variables; at && *at; at++)
		(void)putenv((char *)(uintptr_t)*at); /* the process executes another program next */
	if (!wanted->ranks)
		return;
	set_number("RANK", wanted->first_rank + rank);
	set_number("LOCAL_RANK", rank);
	set_number("WORLD_SIZE", wanted->world_size);
	set_number("LOCAL_WORLD_SIZE", wanted->ranks);
}

static void give_files(const int theirs[3])
{
	for (int i = 0; i < 3; i++)
		if (theirs[i] >= 0)
			(void)dup2(theirs[i], i);
}

/* say: where the error number goes if the program cannot be executed. */
_Noreturn static void become(const struct minder *m, size_t rank, int say)
{
	const struct ts_processes *job = m->job;
	int error;

	(void)setpgid(0, m->group);
	if (!m->group && job->own_terminal)
		ts_terminal_take(job->theirs[0][1] >= 0 ? job->theirs[0][1] : job->theirs[0][2], getpid());
	else if (!m->group && job->handed)
		ts_terminal_take(STDIN_FILENO, getpid());
	give_files(job->theirs[rank]);
	set_variables(job->wanted, rank);
	ts_signals_give_back();
	(void)execvp(job->wanted->argv[0], (char *const *)(uintptr_t)job->wanted->argv);
	error = errno;
	while (write(say, &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Tells the launcher, or takes it for what is to be told later. */
static void tell(struct minder *m, struct ts_word word)
{
	ts_processes_heard(m->job, &word);
	if (m->control >= 0)
		(void)ts_word_send(m->control, word);
}

static void begin_one(struct minder *m, size_t rank)
{
	int ends[2] = {-1, -1}, error = 0;
	pid_t pid = -1;

	if (pipe(ends) == 0) {
		(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
		(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		pid = fork();
	}
	if (pid == 0)
		become(m, rank, ends[1]);
	error = pid < 0 ? errno : 0;
	if (pid > 0) {
		(void)setpgid(pid, m->group ? m->group : pid);
		m->group = m->group ? m->group : pid;
		(void)close(ends[1]);
		while (read(ends[0], &error, sizeof error) < 0 && errno == EINTR)
			;
		(void)close(ends[0]);
	}
	if (error && pid > 0)
		(void)waitpid(pid, NULL, 0);
	tell(m, error ? (struct ts_word){TS_WORD_CANNOT, (int32_t)rank, error, 0}
		      : (struct ts_word){TS_WORD_BEGUN, (int32_t)rank, pid, 0});
}

static void close_theirs(struct ts_processes *job)
{
	for (size_t i = 0; i < job->launched.n; i++)
		for (int k = 0; k < 3; k++) {
			int fd = job->theirs[i][k];

			for (size_t a = 0; a < job->launched.n; a++) /* one may stand in several places */
				for (int b = 0; b < 3; b++)
					if (job->theirs[a][b] == fd)
						job->theirs[a][b] = -1;
			if (fd > STDERR_FILENO)
				(void)close(fd);
		}
}

/* --- their ends --- */

static void send_signal(const struct minder *m, int number)
{
	if (m->group && m->job->launched.n_over < m->job->launched.n)
		(void)kill(-m->group, number);
}

static void end_others(struct minder *m)
{
	const struct ts_launched *l = &m->job->launched;

	if (m->ending || l->first == l->n || l->n_over == l->n)
		return;
	m->ending = true;
	m->kill_at = ts_now_mono_ns() + KILL_AFTER_NS;
	send_signal(m, SIGTERM);
	send_signal(m, SIGCONT);
}

static void reap(struct minder *m)
{
	struct ts_launched *l = &m->job->launched;
	int status;
	pid_t pid;

	while (l->n_over < l->n && (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		size_t rank = 0;

		while (rank < l->n && (l->ends[rank].pid != pid || l->ends[rank].over))
			rank++;
		if (rank == l->n)
			continue;
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP)
			continue; /* somebody stopped that process alone, and goes on with it alone */
		if (WIFSTOPPED(status))
			tell(m, (struct ts_word){TS_WORD_STOPPED, (int32_t)rank, WSTOPSIG(status), 0});
		else
			tell(m, (struct ts_word){TS_WORD_ENDED, (int32_t)rank, status, m->ending});
		end_others(m);
	}
}

/* --- the loop --- */

/* Nobody takes the output any more: it is the minder's, from here on. */
static void launcher_gone(struct minder *m)
{
	(void)close(m->control);
	m->control = -1;
	m->job->launched.alone = !m->left;
}

static void hear(struct minder *m)
{
	struct ts_word word;

	if (!ts_word_read(m->control, &word)) {
		launcher_gone(m);
	} else if (word.kind == TS_WORD_SIGNAL) {
		send_signal(m, word.value);
	} else if (word.kind == TS_WORD_LEAVE) {
		m->left = true;
	} else if (word.kind == TS_WORD_BROKEN && word.value >= 0 && (size_t)word.value < m->job->n_outputs) {
		ts_output_break(&m->job->outputs[word.value]);
	}
}

static int timeout_of(const struct minder *m)
{
	int64_t left = m->kill_at ? (m->kill_at - ts_now_mono_ns()) / 1000000 + 1 : -1;

	return m->kill_at ? left < 0 ? 0 : (int)left : -1;
}

static void turn(struct minder *m)
{
	struct ts_processes *job = m->job;
	size_t n = m->control < 0 ? job->n_outputs : 0;
	struct ts_signal signal;

	ts_outputs_wait(job->outputs, n, job->polls);
	job->polls[2 * n] = (struct pollfd){.fd = m->signals, .events = POLLIN};
	job->polls[2 * n + 1] = (struct pollfd){.fd = m->control, .events = POLLIN};
	if (poll(job->polls, (nfds_t)(2 * n + 2), timeout_of(m)) < 0 && errno != EINTR)
		return;
	while (ts_signals_next(m->signals, &signal))
		;
	reap(m);
	if (m->kill_at && ts_now_mono_ns() >= m->kill_at) {
		send_signal(m, SIGKILL);
		m->kill_at = 0;
	}
	if (m->control >= 0 && job->polls[2 * n + 1].revents)
		hear(m);
	else
		(void)ts_outputs_serve(job->outputs, n, job->polls);
	for (size_t i = 0; i < n; i++)
		if (job->outputs[i].broken)
			ts_output_break(&job->outputs[i]);
}

/* What is left when the command is over: processes that it left behind may go on printing, for as long as they like. */
static void stay(struct minder *m)
{
	while (m->control >= 0)
		turn(m);
	if (!m->left) {
		ts_processes_drain(m->job);
		ts_processes_close(m->job);
		m->job->wanted->finish(m->job->wanted->ctx, &m->job->launched);
	}
	while (ts_outputs_open(m->job->outputs, m->job->n_outputs))
		turn(m);
}

/* Holds the file, so that a reader tells a run that goes on from one whose launcher was lost. */
static void hold(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;

	if (fd >= 0)
		ts_disk_hold(fd);
}

_Noreturn void ts_minder(struct ts_processes *job, int control)
{
	static const int wanted[] = {SIGCHLD, 0};
	struct minder m = {.job = job, .control = control};
	struct ts_error ignored;

	if (job->own_terminal) {
		(void)setsid();
		ts_terminal_own(job->theirs[0][1] >= 0 ? job->theirs[0][1] : job->theirs[0][2]);
	} else {
		(void)setpgid(0, 0);
	}
	ts_signals_ignore();
	hold(job->wanted->lock);
	if (ts_signals_catch(wanted, &m.signals, &ignored))
		_exit(1);
	for (size_t i = 0; i < job->launched.n && job->launched.first == job->launched.n; i++)
		begin_one(&m, i);
	for (size_t i = 0; i < job->launched.n; i++) /* those behind one that cannot be started */
		if (!job->launched.ends[i].begun && !job->launched.ends[i].over)
			tell(&m, (struct ts_word){TS_WORD_CANNOT, (int32_t)i, job->launched.ends[job->launched.first].cannot, 0});
	close_theirs(job);
	end_others(&m);
	while (job->launched.n_over < job->launched.n)
		turn(&m);
	tell(&m, (struct ts_word){TS_WORD_ALL, -1, 0, 0});
	stay(&m);
	_exit(0);
}
