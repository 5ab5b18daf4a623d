#include "launch/runner.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/system.h"
#include "launch/output.h"
#include "launch/place.h"
#include "launch/runner_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ORDER_MAX = 64 << 20, MODE = 0700 };

extern char **environ;

struct ts_runner {
	int line; /* to the runner's process */
	pid_t pid;
	uint32_t next; /* the number of the next job */
	uint32_t running[TS_RUNNER_JOBS];
	size_t n;
	char state[TS_PLACE_PATH];
};

/* What the caller tells the runner: this, and behind it so many bytes of an order. The runner answers with struct ts_ran. */
struct word {
	uint32_t job;
	uint32_t len; /* 0: the job is to end */
};

/* --- the runner's process --- */

struct running {
	uint32_t job;
	pid_t pid;
	int report;  /* what the process of the job tells */
	int control; /* which ends the job when it is closed; -1: it is */
	bool placed;
	char place[TS_PLACE_NAME]; /* "": it ended before it had one */
};

struct minding {
	int line; /* -1: the caller is gone */
	const char *state;
	struct running jobs[TS_RUNNER_JOBS];
	size_t n;
};

struct telling {
	int report;
	bool placed;
};

static void tell_place(void *ctx, const char *name)
{
	struct telling *t = ctx;
	char bytes[TS_PLACE_NAME] = "";
	struct ts_error ignored;

	(void)snprintf(bytes, sizeof bytes, "%s", name);
	(void)ts_write_full(t->report, bytes, sizeof bytes, &ignored);
	t->placed = true;
}

_Noreturn static void be_job(const struct minding *m, struct ts_span bytes, uint32_t job, int control, int report)
{
	struct telling telling = {.report = report};
	struct ts_ran ran = {.job = job};
	struct ts_job_order order;
	struct ts_arena arena;
	struct ts_error ignored;

	(void)close(m->line);
	for (size_t i = 0; i < m->n; i++) { /* else the others would not end before this one */
		if (m->jobs[i].control >= 0)
			(void)close(m->jobs[i].control);
		(void)close(m->jobs[i].report);
	}
	ts_arena_init(&arena, ORDER_MAX);
	if (ts_job_read(bytes, &arena, &order)) {
		ts_job_do(&order, control, tell_place, &telling, &ran);
	} else {
		ran.kind = TS_RAN_CANNOT;
		(void)snprintf(ran.why, sizeof ran.why, "the order of the run could not be read");
	}
	if (!telling.placed)
		tell_place(&telling, "");
	(void)ts_write_full(report, &ran, sizeof ran, &ignored);
	_exit(0);
}

static void answer(struct minding *m, const struct ts_ran *ran)
{
	struct ts_error ignored;

	if (m->line >= 0)
		(void)ts_write_full(m->line, ran, sizeof *ran, &ignored);
}

static void begin_job(struct minding *m, uint32_t job, struct ts_span bytes)
{
	struct running *r = &m->jobs[m->n];
	struct ts_ran ran = {.job = job, .kind = TS_RAN_CANNOT};
	int control[2] = {-1, -1}, report[2] = {-1, -1};
	pid_t pid = -1;

	if (m->n < TS_RUNNER_JOBS && ts_system_pipe(control) == 0 && ts_system_pipe(report) == 0)
		pid = fork();
	if (pid == 0) {
		(void)close(control[1]);
		(void)close(report[0]);
		be_job(m, bytes, job, control[0], report[1]);
	}
	if (pid < 0) {
		(void)snprintf(ran.why, sizeof ran.why, "no process could be made for the run: %s", strerror(errno));
		answer(m, &ran);
	} else {
		*r = (struct running){.job = job, .pid = pid, .report = report[0], .control = control[1]};
		m->n++;
		report[0] = control[1] = -1;
	}
	for (int i = 0; i < 2; i++) {
		if (control[i] >= 0)
			(void)close(control[i]);
		if (report[i] >= 0)
			(void)close(report[i]);
	}
}

static void end_job(struct running *r)
{
	if (r->control >= 0)
		(void)close(r->control);
	r->control = -1;
}

/* Takes what the caller says. False: it is gone. */
static bool hear(struct minding *m)
{
	struct ts_error ignored;
	uint8_t *bytes = NULL;
	struct word word;
	bool well;
	size_t n;

	well = !ts_read_full(m->line, &word, sizeof word, &n, &ignored) && n == sizeof word && word.len <= ORDER_MAX;
	if (well && word.len == 0)
		for (size_t i = 0; i < m->n; i++)
			if (m->jobs[i].job == word.job)
				end_job(&m->jobs[i]);
	if (well && word.len) {
		bytes = ts_alloc(word.len);
		well = bytes && !ts_read_full(m->line, bytes, word.len, &n, &ignored) && n == word.len;
		if (well)
			begin_job(m, word.job, ts_span_of(bytes, word.len));
		ts_free(bytes);
	}
	return well;
}

/* Takes what the process of a job says: its place, then its end. Of one that was killed the place is cleared here. */
static void take_report(struct minding *m, size_t i)
{
	struct running *r = &m->jobs[i];
	struct ts_ran ran = {.job = r->job, .kind = TS_RAN_FAILED};
	struct ts_error ignored;
	size_t n = 0;

	if (!r->placed && !ts_read_full(r->report, r->place, sizeof r->place, &n, &ignored) && n == sizeof r->place) {
		r->placed = true;
		return;
	}
	if (ts_read_full(r->report, &ran, sizeof ran, &n, &ignored) || n != sizeof ran) {
		ran = (struct ts_ran){.job = r->job, .kind = TS_RAN_FAILED};
		(void)snprintf(ran.why, sizeof ran.why, "the process that minded the run was killed");
	}
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->place[TS_PLACE_NAME - 1] = '\0';
	if (r->place[0])
		ts_place_sweep(m->state, r->place);
	end_job(r);
	(void)close(r->report);
	m->jobs[i] = m->jobs[--m->n];
	answer(m, &ran);
}

_Noreturn static void mind(int line, const char *state)
{
	struct minding m = {.line = line, .state = state};

	(void)setsid(); /* an interrupt of the terminal is for the caller alone, whose end ends all */
	(void)signal(SIGPIPE, SIG_IGN);
	ts_output_leave();
	while (m.line >= 0 || m.n) {
		struct pollfd polls[TS_RUNNER_JOBS + 1] = {{.fd = m.line, .events = POLLIN}};

		for (size_t i = 0; i < m.n; i++)
			polls[i + 1] = (struct pollfd){.fd = m.jobs[i].report, .events = POLLIN};
		if (poll(polls, m.n + 1, -1) < 0)
			continue;
		for (size_t i = m.n; i-- > 0;) /* from the last on: a job that is over gives its row to the last one */
			if (polls[i + 1].revents)
				take_report(&m, i);
		if (polls[0].revents && !hear(&m)) {
			(void)close(m.line);
			m.line = -1;
			for (size_t i = 0; i < m.n; i++)
				end_job(&m.jobs[i]);
		}
	}
	_exit(0);
}

/* --- the caller's side --- */

static enum ts_status begin_process(struct ts_runner *r, struct ts_error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return ts_error_errno(err, errno, "a pair of sockets");
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	r->pid = fork();
	if (r->pid == 0) {
		(void)close(ends[0]);
		mind(ends[1], r->state);
	}
	(void)close(ends[1]);
	r->line = ends[0];
	if (r->pid > 0)
		return TS_OK;
	(void)close(ends[0]);
	return ts_error_errno(err, errno, "a process for the runner");
}

/* The folder by a path that stays right where this process goes elsewhere. */
static enum ts_status find_state(struct ts_runner *r, const char *state, struct ts_error *err)
{
	char *real = realpath(state, NULL);
	size_t n = real ? strlen(real) : 0;
	enum ts_status status = TS_OK;

	if (!real)
		return ts_error_errno(err, errno, "%s", state);
	if (n < sizeof r->state)
		memcpy(r->state, real, n + 1);
	else
		status = ts_error_set(err, TS_TOO_LARGE, "the path %.100s... is too long", real);
	free(real);
	return status;
}

enum ts_status ts_runner_open(const char *state, struct ts_runner **ret_runner, struct ts_error *err)
{
	struct ts_runner *r = ts_alloc(sizeof *r);

	if (!r)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	*r = (struct ts_runner){.next = 1};
	if (ts_make_dirs(state, MODE, err) || find_state(r, state, err) || ts_places_sweep(r->state, err) || begin_process(r, err)) {
		ts_free(r);
		return err->status;
	}
	*ret_runner = r;
	return TS_OK;
}

/* Where the runner has closed the line, this is an error and no signal, which would end the caller. */
static enum ts_status tell_runner(struct ts_runner *r, struct word word, struct ts_span order, struct ts_error *err)
{
	sigset_t broken, before, waiting;
	enum ts_status status;
	int number;

	(void)sigemptyset(&broken);
	(void)sigaddset(&broken, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &broken, &before);
	status = ts_write_full(r->line, &word, sizeof word, err);
	if (!status)
		status = ts_write_full(r->line, order.data, order.len, err);
	if (status && sigpending(&waiting) == 0 && sigismember(&waiting, SIGPIPE) == 1)
		(void)sigwait(&broken, &number);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status ? ts_error_prefix(err, "the runner is gone") : TS_OK;
}

/* Makes the folder, which nobody has, so that two runs never share one. */
static enum ts_status make_folder(const char *folder, struct ts_error *err)
{
	char parent[TS_PLACE_PATH];
	size_t n = strlen(folder);

	while (n && folder[n - 1] != '/')
		n--;
	if (n >= sizeof parent)
		return ts_error_set(err, TS_TOO_LARGE, "the path %.100s... is too long", folder);
	memcpy(parent, folder, n);
	parent[n] = '\0';
	if (ts_make_dirs(parent, 0777, err))
		return err->status;
	if (mkdir(folder, 0777) == 0)
		return TS_OK;
	if (errno == EEXIST)
		return ts_error_set(err, TS_CONFLICT, "%s is there already; a run is recorded in a folder of its own", folder);
	return ts_error_errno(err, errno, "%s", folder);
}

enum ts_status ts_runner_begin(struct ts_runner *runner, const char *clone, const struct ts_recipe *recipe, uint32_t *ret_job,
			       struct ts_error *err)
{
	static const char *const none[] = {NULL};
	struct ts_job_order order = {
		.state = runner->state,
		.clone = clone,
		.commit = recipe->commit,
		.directory = recipe->directory ? recipe->directory : "",
		.folder = recipe->folder,
		.patch = recipe->patch,
		.files = recipe->files ? recipe->files : none,
		.limit_ns = recipe->limit_ns,
	};
	struct ts_buf bytes = TS_BUF_INIT(ORDER_MAX);
	enum ts_status status = ts_recipe_check(recipe, err);
	struct ts_arena arena;
	size_t inherited = 0;

	if (status)
		return status;
	while (recipe->launcher && recipe->launcher[order.n_before])
		order.n_before++;
	if (runner->n == TS_RUNNER_JOBS)
		return ts_error_set(err, TS_TOO_LARGE, "%d runs are made already, and that is the limit", TS_RUNNER_JOBS);
	ts_arena_init(&arena, ORDER_MAX);
	if (ts_recipe_words(recipe, &arena, &order.words, err) ||
	    ts_recipe_environment(recipe, (const char *const *)(uintptr_t)environ, &arena, &order.variables, &inherited, err))
		status = err->status;
	order.n_inherited = (uint32_t)inherited;
	if (!status)
		ts_job_write(&bytes, &order);
	status = status ? status : ts_buf_check(&bytes, err);
	status = status ? status : make_folder(recipe->folder, err);
	if (!status)
		status = tell_runner(runner, (struct word){runner->next, (uint32_t)bytes.len}, ts_buf_view(&bytes), err);
	if (!status) {
		runner->running[runner->n++] = runner->next;
		*ret_job = runner->next++;
	}
	ts_buf_finish(&bytes);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_runner_wait(struct ts_runner *runner, int64_t wait_ns, struct ts_ran *ret_ran, struct ts_error *err)
{
	int64_t until = ts_now_mono_ns() + wait_ns;
	struct ts_ran ran;
	size_t n;

	if (!runner->n)
		return ts_error_set(err, TS_NOT_FOUND, "no run is made");
	for (;;) {
		struct pollfd line = {.fd = runner->line, .events = POLLIN};
		int64_t left = wait_ns < 0 ? 1000 : (until - ts_now_mono_ns() + 999999) / 1000000;

		if (poll(&line, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left) > 0)
			break;
		if (wait_ns >= 0 && left <= 0)
			return ts_error_set(err, TS_DEADLINE, "no run has ended yet");
	}
	if (ts_read_full(runner->line, &ran, sizeof ran, &n, err))
		return err->status;
	if (n != sizeof ran)
		return ts_error_set(err, TS_IO, "the process that makes the runs was killed");
	for (size_t i = 0; i < runner->n; i++)
		if (runner->running[i] == ran.job) {
			runner->running[i] = runner->running[--runner->n];
			break;
		}
	*ret_ran = ran;
	return TS_OK;
}

void ts_runner_end(struct ts_runner *runner, uint32_t job)
{
	struct ts_error ignored;

	(void)tell_runner(runner, (struct word){job, 0}, ts_span_of(NULL, 0), &ignored);
}

void ts_runner_close(struct ts_runner *runner)
{
	if (!runner)
		return;
	(void)close(runner->line);
	while (waitpid(runner->pid, NULL, 0) < 0 && errno == EINTR)
		;
	ts_free(runner);
}
