#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/companion.h"

#include "record/keeper.h"
#include "record/process.h"
#include "record/run_files.h"
#include "record/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct ts_companion {
	struct ts_area *area;
	int memory;		       /* of the area; -1: it has no descriptor */
	struct ts_keeper_place keeper; /* of a thread; its end of the link is closed here, once it has ended */
	int link;		       /* a byte wakes the keeper; it hangs up when the keeper is gone */
	bool is_process;
	pthread_t thread;
	_Atomic int64_t patience; /* ns: until then no thread waits for a slot again */
};

static int64_t now_ns(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sleeps a millisecond, or returns true at once if the keeper is gone. */
static bool is_gone(int link)
{
	struct pollfd end = {.fd = link};

	return poll(&end, 1, 1) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0;
}

/* Nothing more is recorded where somebody killed the keeper. */
static void wake(const struct ts_companion *c)
{
	int error = errno;

	if (!ts_process_wake(c->link) && (errno == EPIPE || errno == ECONNRESET))
		ts_area_stop(c->area, ECHILD);
	errno = error;
}

static int make_link(int link[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, link) < 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		(void)fcntl(link[i], F_SETFD, FD_CLOEXEC);
		(void)fcntl(link[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static void *keep(void *arg)
{
	ts_keeper_run(arg);
	return NULL;
}

static int start_thread(struct ts_companion *c, int theirs, int memory)
{
	c->keeper = (struct ts_keeper_place){.area = c->area, .memory = memory, .link = theirs};
	return ts_thread_start(&c->thread, keep, &c->keeper);
}

/* What tells of waits for a CPU (`cpu`, or -1) is handed over, too, and has its number there from now on. */
static int start_process(struct ts_companion *c, int theirs, int memory, int cpu, const char *program)
{
	int descriptors[] = {memory, theirs, cpu};
	const char *directory = (const char *)ts_area_slots(c->area);

	c->area->waits_of_steps.fd = cpu >= 0 ? TS_PROCESS_FIRST + 2 : -1;
	return ts_process_start(program, directory, descriptors, cpu >= 0 ? 3 : 2);
}

/* Where no process keeps the recording, a thread needs the descriptor under its number here. */
static void settle_cpu(struct ts_companion *c, int cpu, int error)
{
	if (error && error != ETIMEDOUT)
		c->area->waits_of_steps.fd = cpu;
	else if (cpu >= 0)
		(void)close(cpu);
}

/* Returns whether the keeper has answered; ECHILD: its process has ended instead, ETIMEDOUT: it does neither. */
static int await_answer(struct ts_companion *c)
{
	int64_t end = now_ns() + (int64_t)TS_COMPANION_ANSWER_MS * 1000000;
	uint32_t asked = TS_AREA_ASKED;

	while (atomic_load(&c->area->state) == TS_AREA_ASKED) {
		if (is_gone(c->link) && atomic_load(&c->area->state) == TS_AREA_ASKED)
			return ECHILD;
		if (now_ns() > end && atomic_compare_exchange_strong(&c->area->state, &asked, TS_AREA_LEFT))
			return ETIMEDOUT;
	}
	return 0;
}

static int start(struct ts_companion *c, int memory, const char *program)
{
	int link[2], cpu = c->area->waits_of_steps.fd, error = make_link(link);

	c->is_process = memory >= 0 && program;
	if (error)
		return error;
	c->link = link[0];
	error = c->is_process ? start_process(c, link[1], memory, cpu, program) : start_thread(c, link[1], memory);
	if (error || c->is_process)
		(void)close(link[1]);
	if (error == 0)
		error = await_answer(c);
	if (c->is_process)
		settle_cpu(c, cpu, error);
	if (error && error != ETIMEDOUT)
		(void)close(link[0]);
	return error;
}

/* What refused to begin is over: a thread is waited for, and a process ends by itself. */
static enum tscope_status refused(struct ts_companion *c, struct tscope_error *err)
{
	enum tscope_status status = (enum tscope_status)c->area->status;

	if (!c->is_process) {
		(void)pthread_join(c->thread, NULL);
		(void)close(c->keeper.link);
	}
	(void)close(c->link);
	(void)ts_record_fail(err, status, "%s", c->area->text);
	free(c);
	return status;
}

enum tscope_status ts_companion_start(struct ts_companion **ret_companion, struct ts_area *area, int memory, const char *program,
				      bool *ret_kept, struct tscope_error *err)
{
	struct ts_companion *c = calloc(1, sizeof *c);
	int error = c ? 0 : ENOMEM;

	*ret_kept = false;
	if (c) {
		c->area = area;
		c->memory = memory;
		error = start(c, memory, program);
		if (error && error != ETIMEDOUT && c->is_process)
			error = start(c, memory, NULL);
	}
	if (error == 0 && atomic_load(&area->state) == TS_AREA_REFUSED)
		return refused(c, err);
	if (error == 0) {
		*ret_companion = c;
		return TSCOPE_OK;
	}
	*ret_kept = error == ETIMEDOUT;
	if (!*ret_kept) {
		ts_waits_end(&area->waits_of_steps);
		free(c); /* else a thread may still have it */
	}
	return error == ETIMEDOUT ? ts_record_fail(err, TSCOPE_IO, "the file system does not answer within %d s",
						   TS_COMPANION_ANSWER_MS / 1000)
				  : ts_record_fail(err, error == ENOMEM ? TSCOPE_NO_MEMORY : TSCOPE_IO,
						   "neither a process nor a thread can write the recording: %s", strerror(error));
}

struct ts_slot *ts_companion_hurry(struct ts_companion *c, struct ts_slot *slot)
{
	const struct timespec moment = {.tv_nsec = 50000};
	int64_t begin;

	wake(c);
	if (!slot) {
		ts_area_more(c->area, c->memory);
		slot = ts_area_take(c->area);
	}
	if (slot)
		return slot;
	begin = now_ns();
	if (begin < atomic_load_explicit(&c->patience, memory_order_relaxed))
		return NULL;
	atomic_fetch_add_explicit(&c->area->waits, 1, memory_order_relaxed);
	while (!slot && now_ns() - begin < (int64_t)TS_COMPANION_WAIT_US * 1000) {
		(void)nanosleep(&moment, NULL);
		slot = ts_area_take(c->area);
	}
	if (!slot)
		atomic_store_explicit(&c->patience, begin + 1000000000, memory_order_relaxed);
	return slot;
}

bool ts_companion_sync(struct ts_companion *c, int ms)
{
	uint64_t wanted = atomic_fetch_add(&c->area->sync_wanted, 1) + 1;
	int64_t end = now_ns() + (int64_t)ms * 1000000;

	wake(c);
	while (atomic_load(&c->area->sync_done) < wanted) {
		if (now_ns() > end || is_gone(c->link))
			return atomic_load(&c->area->sync_done) >= wanted;
	}
	return true;
}

bool ts_companion_stop(struct ts_companion *c, bool *ret_died)
{
	int64_t end = now_ns() + (int64_t)TS_COMPANION_END_MS * 1000000;
	bool closed;

	*ret_died = false;
	atomic_store(&c->area->state, TS_AREA_CLOSING);
	wake(c);
	while (atomic_load(&c->area->state) != TS_AREA_CLOSED && !*ret_died && now_ns() < end)
		*ret_died = is_gone(c->link);
	closed = atomic_load(&c->area->state) == TS_AREA_CLOSED;
	*ret_died = *ret_died && !closed;
	if (c->is_process) {
		closed = true; /* the keeper has its own map */
	} else if (closed) {
		(void)pthread_join(c->thread, NULL);
		(void)close(c->keeper.link);
	} else {
		(void)pthread_detach(c->thread);
	}
	(void)close(c->link);
	if (closed)
		free(c); /* else the thread still has it */
	return closed;
}
