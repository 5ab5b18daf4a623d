#include "launch/launch.h"

#include "base/alloc.h"
#include "base/system.h"
#include "launch/processes.h"
#include "launch/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 300 }; /* how often a launcher in the background looks whether it has the foreground */

/* --- before it begins --- */

/* Pipes and terminals that are made later do not take the numbers of closed ones. */
static void fill_standard(void)
{
	int fd = open("/dev/null", O_RDWR);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = open("/dev/null", O_RDWR);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

static enum ts_status open_tails(struct ts_processes *job, struct ts_error *err)
{
	const struct ts_launch_wanted *w = job->wanted;
	char path[4096];

	for (size_t i = 0; i < job->launched.n; i++) {
		int n = !w->folder    ? snprintf(path, sizeof path, "/dev/null")
			: w->ranks > 1 ? snprintf(path, sizeof path, "%s/output.rank%zu.txt", w->folder, w->first_rank + i)
				       : snprintf(path, sizeof path, "%s/output.txt", w->folder);

		if (n < 0 || (size_t)n >= sizeof path)
			return ts_error_set(err, TS_INVALID, "the path of the folder is too long");
		if (ts_tail_open(&job->launched.tails[i], path, w->all, err))
			return err->status;
	}
	return TS_OK;
}

/* Makes the way of one stream of a process: 1 or 2. */
static enum ts_status add_output(struct ts_processes *job, size_t rank, int fd, struct ts_error *err)
{
	int *theirs = job->theirs[rank], other = fd == STDERR_FILENO ? theirs[1] : -1, ends[2];
	enum ts_output_kind kind = ts_output_kind(fd);

	if (kind == TS_OUTPUT_AS_IS)
		return TS_OK;
	if (other >= 0 && ts_output_kind(STDOUT_FILENO) == kind && ts_output_same(STDOUT_FILENO, fd)) {
		theirs[fd] = other; /* one way, so that the order stays */
		return TS_OK;
	}
	if (kind == TS_OUTPUT_TERMINAL && ts_terminal_pair(&job->terminal, &ends[0], &ends[1], err))
		return err->status;
	if (kind == TS_OUTPUT_PIPE && ts_system_pipe(ends) < 0)
		return ts_error_errno(err, errno, "pipe");
	if (kind == TS_OUTPUT_TERMINAL && !job->keyed)
		job->keyed = &job->outputs[job->n_outputs];
	job->outputs[job->n_outputs++] = (struct ts_output){.from = ends[0], .to = fd, .tail = &job->launched.tails[rank]};
	theirs[fd] = ends[1];
	return TS_OK;
}

/* The first process has stdin: that of the command's terminal, or as it is. Others have none. */
static enum ts_status give_stdin(struct ts_processes *job, size_t rank, struct ts_error *err)
{
	if (rank == 0 && job->own_terminal && job->terminal.keys)
		job->theirs[0][0] = job->theirs[0][1] >= 0 ? job->theirs[0][1] : job->theirs[0][2];
	if (rank == 0)
		return TS_OK;
	job->theirs[rank][0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return job->theirs[rank][0] < 0 ? ts_error_errno(err, errno, "/dev/null") : TS_OK;
}

/* Where a file that is given as it is stands now; -1: it is no regular file, or that of stdout. */
static int64_t begin_of(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (fd == STDERR_FILENO && ts_output_same(STDOUT_FILENO, fd)))
		return -1;
	return flags >= 0 && (flags & O_APPEND) ? (int64_t)st.st_size : (int64_t)lseek(fd, 0, SEEK_CUR);
}

static enum ts_status make_ways(struct ts_processes *job, struct ts_error *err)
{
	bool out = isatty(STDOUT_FILENO), error = isatty(STDERR_FILENO), in = isatty(STDIN_FILENO);

	job->own_terminal = out || error;
	ts_terminal_init(&job->terminal, job->own_terminal ? (in ? STDIN_FILENO : out ? STDOUT_FILENO : STDERR_FILENO) : -1,
			 job->own_terminal && in);
	job->handed = !job->own_terminal && in && tcgetpgrp(STDIN_FILENO) == getpgrp();
	job->from[0] = begin_of(STDOUT_FILENO);
	job->from[1] = begin_of(STDERR_FILENO);
	for (size_t i = 0; i < job->launched.n; i++)
		if (add_output(job, i, STDOUT_FILENO, err) || add_output(job, i, STDERR_FILENO, err) || give_stdin(job, i, err))
			return err->status;
	return TS_OK;
}

static enum ts_status make(struct ts_processes *job, const struct ts_launch_wanted *wanted, struct ts_error *err)
{
	size_t n = wanted->ranks ? wanted->ranks : 1;

	fill_standard();
	*job = (struct ts_processes){
		.wanted = wanted,
		.launched = {
			.n = n, .first = n, .first_rank = wanted->first_rank, .world_size = wanted->ranks ? wanted->world_size : 0}};
	job->launched.ends = ts_alloc_array(n, sizeof *job->launched.ends);
	job->launched.tails = ts_alloc_array(n, sizeof *job->launched.tails);
	job->outputs = ts_alloc_array(2 * n, sizeof *job->outputs);
	job->theirs = ts_alloc_array(n, sizeof *job->theirs);
	job->polls = ts_alloc_array(4 * n + 5, sizeof *job->polls);
	if (!job->launched.ends || !job->launched.tails || !job->outputs || !job->theirs || !job->polls)
		return ts_error_set(err, TS_NO_MEMORY, "not enough memory to start %zu processes", n);
	for (size_t i = 0; i < n; i++) {
		job->launched.tails[i] = (struct ts_tail){.fd = -1};
		job->theirs[i][0] = job->theirs[i][1] = job->theirs[i][2] = -1;
	}
	return open_tails(job, err) ? err->status : make_ways(job, err);
}

static void close_theirs(struct ts_processes *job)
{
	for (size_t i = 0; i < job->launched.n; i++)
		for (int k = 0; k < 3; k++)
			if (job->theirs[i][k] > STDERR_FILENO && (k == 0 || job->theirs[i][k] != job->theirs[i][k - 1]) &&
			    (k != 2 || job->theirs[i][2] != job->theirs[i][0]))
				(void)close(job->theirs[i][k]);
}

static void unmake(struct ts_processes *job)
{
	for (size_t i = 0; i < job->n_outputs; i++)
		if (job->outputs[i].from >= 0)
			(void)close(job->outputs[i].from);
	ts_free(job->outputs);
	ts_free(job->theirs);
	ts_free(job->polls);
}

/* --- while it runs --- */

struct launcher {
	struct ts_processes *job;
	int control, signals;
	bool all;	/* no process is left */
	bool told;	/* that they have begun */
	bool keys_over; /* no more keys come */
	char keys[256];
	size_t n_keys;
};

/* Our end of the command's first terminal; -1: it has none, or has it no more. */
static int ours(const struct launcher *l)
{
	return l->job->keyed ? l->job->keyed->from : -1;
}

static void foreground(struct launcher *l)
{
	if (l->job->own_terminal)
		ts_terminal_raw(&l->job->terminal);
	if (l->job->handed && tcgetpgrp(STDIN_FILENO) == getpgrp() && l->job->launched.ends[0].pid)
		ts_terminal_take(STDIN_FILENO, l->job->launched.ends[0].pid);
}

static void give_back(struct launcher *l)
{
	ts_terminal_back(&l->job->terminal);
	if (l->job->handed)
		ts_terminal_take(STDIN_FILENO, getpgrp());
}

/* The command has stopped, and so does whoever waits for this process; it goes on with it. */
static void stop_too(struct launcher *l)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;

	give_back(l);
	(void)sigemptyset(&stop.sa_mask);
	(void)sigaction(SIGTSTP, &stop, &before);
	(void)kill(0, SIGTSTP);
	(void)sigaction(SIGTSTP, &before, NULL);
	foreground(l);
	if (ours(l) >= 0)
		ts_terminal_resize(&l->job->terminal, ours(l));
	(void)ts_word_send(l->control, (struct ts_word){.kind = TS_WORD_SIGNAL, .value = SIGCONT});
}

static void hear(struct launcher *l)
{
	struct ts_launched *told = &l->job->launched;
	struct ts_word word;

	if (!ts_word_read(l->control, &word)) {
		(void)close(l->control);
		l->control = -1;
		told->lost = true;
		return;
	}
	ts_processes_heard(l->job, &word);
	l->all |= word.kind == TS_WORD_ALL;
	if (word.kind == TS_WORD_STOPPED)
		stop_too(l);
	if (word.kind == TS_WORD_BEGUN && !l->told && (size_t)word.rank + 1 == told->n) {
		l->told = true;
		if (l->job->wanted->begun)
			l->job->wanted->begun(l->job->wanted->ctx, told);
	}
}

static void pass_on(struct launcher *l, const struct ts_signal *signal)
{
	struct ts_launched *told = &l->job->launched;

	if (signal->number == SIGWINCH) {
		for (size_t i = 0; i < l->job->n_outputs; i++)
			if (l->job->outputs[i].from >= 0 && l->job->terminal.fd >= 0)
				ts_terminal_resize(&l->job->terminal, l->job->outputs[i].from);
		return;
	}
	if (signal->number == SIGCONT) {
		foreground(l);
	} else {
		told->sent = signal->number;
		told->sent_by = signal->from;
		told->sent_name[0] = '\0';
		if (signal->from)
			(void)ts_witness_name(signal->from, told->sent_name);
	}
	(void)ts_word_send(l->control, (struct ts_word){.kind = TS_WORD_SIGNAL, .value = signal->number});
}

/* Keys go to the command's terminal. Where that takes none, they wait, and no further ones are read. Where the one they come from
 * is gone, the command's hangs up. */
static void pass_keys(struct launcher *l, const struct pollfd *in, const struct pollfd *out)
{
	ssize_t n;

	if (l->n_keys && out->revents) {
		n = write(ours(l), l->keys, l->n_keys);
		if (n > 0) {
			memmove(l->keys, l->keys + n, l->n_keys - (size_t)n);
			l->n_keys -= (size_t)n;
		} else if (errno != EINTR && errno != EAGAIN) {
			l->n_keys = 0;
			l->keys_over = true;
		}
	}
	if ((in->revents & POLLIN) && !l->n_keys) {
		n = read(STDIN_FILENO, l->keys, sizeof l->keys);
		l->n_keys = n > 0 ? (size_t)n : 0;
		l->keys_over |= n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
	}
	if (in->revents & POLLHUP)
		l->keys_over = l->job->keyed->broken = true;
}

static void tell_broken(struct launcher *l)
{
	for (size_t i = 0; i < l->job->n_outputs; i++) {
		struct ts_output *o = &l->job->outputs[i];

		if (!o->broken)
			continue;
		(void)ts_word_send(l->control, (struct ts_word){.kind = TS_WORD_BROKEN, .value = (int32_t)i});
		ts_output_break(o);
	}
}

static void turn(struct launcher *l)
{
	struct ts_processes *job = l->job;
	struct pollfd *polls = job->polls;
	size_t n = job->n_outputs;
	bool keys = job->terminal.keys && !l->keys_over && ours(l) >= 0;
	struct ts_aside *aside = job->wanted->aside;
	struct ts_signal signal;

	ts_outputs_wait(job->outputs, n, polls);
	polls[2 * n] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	polls[2 * n + 1] = (struct pollfd){.fd = l->control, .events = POLLIN};
	polls[2 * n + 2] = (struct pollfd){.fd = keys ? STDIN_FILENO : -1, .events = job->terminal.raw && !l->n_keys ? POLLIN : 0};
	polls[2 * n + 3] = (struct pollfd){.fd = l->n_keys ? ours(l) : -1, .events = POLLOUT};
	polls[2 * n + 4] = aside ? ts_aside_wait(aside) : (struct pollfd){.fd = -1};
	if (poll(polls, (nfds_t)(2 * n + 5), job->terminal.keys && !job->terminal.raw ? LOOK_MS : -1) < 0)
		return;
	(void)ts_outputs_serve(job->outputs, n, polls);
	if (keys)
		pass_keys(l, &polls[2 * n + 2], &polls[2 * n + 3]);
	tell_broken(l);
	if (polls[2 * n + 4].revents)
		ts_aside_serve(aside, job->outputs, n);
	while (polls[2 * n].revents && ts_signals_next(l->signals, &signal))
		pass_on(l, &signal);
	if (polls[2 * n + 1].revents)
		hear(l);
	if (job->terminal.keys && !job->terminal.raw)
		foreground(l);
}

static void run(struct launcher *l)
{
	foreground(l);
	while (!l->all && (!l->job->launched.lost || ts_outputs_open(l->job->outputs, l->job->n_outputs)))
		turn(l);
	ts_processes_drain(l->job);
	give_back(l);
	ts_processes_close(l->job);
}

static enum ts_status start(struct launcher *l, struct ts_error *err)
{
	static const int wanted[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH, 0};
	sigset_t all, none;
	int ends[2];
	pid_t pid;

	(void)sigfillset(&all);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return ts_error_errno(err, errno, "a pair of sockets");
	for (int i = 0; i < 2; i++)
		(void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	if (ts_signals_catch(wanted, &l->signals, err))
		return err->status;
	/* What comes while there are two of this process is heard once. */
	(void)sigprocmask(SIG_BLOCK, &all, &none);
	pid = fork();
	if (pid == 0)
		ts_signals_ignore();
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (pid < 0)
		return ts_error_errno(err, errno, "fork");
	if (pid == 0) {
		(void)close(ends[0]);
		(void)close(l->signals);
		ts_minder(l->job, ends[1]);
	}
	(void)close(ends[1]);
	l->control = ends[0];
	close_theirs(l->job);
	return TS_OK;
}

enum ts_status ts_launch(const struct ts_launch_wanted *wanted, struct ts_launched *ret_launched, struct ts_error *err)
{
	struct ts_processes job;
	struct launcher l = {.job = &job, .control = -1};
	enum ts_status status = make(&job, wanted, err);

	if (!status)
		status = start(&l, err);
	if (!status) {
		run(&l);
		wanted->finish(wanted->ctx, &job.launched);
		(void)ts_word_send(l.control, (struct ts_word){.kind = TS_WORD_LEAVE});
		(void)close(l.control);
	}
	unmake(&job);
	if (status)
		ts_launched_free(&job.launched);
	else
		*ret_launched = job.launched;
	return status;
}

void ts_launched_free(struct ts_launched *launched)
{
	for (size_t i = 0; launched->tails && i < launched->n; i++)
		ts_tail_free(&launched->tails[i]);
	ts_free(launched->tails);
	ts_free(launched->ends);
}

int ts_launched_code(const struct ts_launched *launched)
{
	if (launched->lost)
		return 1;
	return launched->first < launched->n ? ts_ended_code(&launched->ends[launched->first]) : 0;
}
