#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/keeper.h"

#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHORTEST_MS = 5, LONGEST_MS = 100, WARM_MAX = 16 };

struct ts_keeper {
	struct tscope_run *run;
	pthread_t thread;
	int wake[2];	 /* a byte says that it is time to go */
	uint32_t taken;	 /* chunks, when it last looked */
	uint64_t put;	 /* frames, when it last flushed */
	uint32_t warmed; /* chunks taken, then */
	int64_t flushed; /* ns */
	int rest_ms;
};

static uint64_t frames(const struct tscope_run *run)
{
	uint64_t sum = atomic_load_explicit(&run->steps.put, memory_order_relaxed);

	for (int i = 0; i < TS_RUN_SHARED; i++)
		sum += atomic_load_explicit(&run->shared[i].lane.put, memory_order_relaxed);
	return sum;
}

/* It looks more often while chunks are taken, and rests while training is slow. */
static void make_space(struct ts_keeper *k)
{
	uint32_t taken = atomic_load(&k->run->space.taken);

	if (taken != k->taken)
		k->rest_ms = SHORTEST_MS;
	else if (k->rest_ms < LONGEST_MS)
		k->rest_ms *= 2;
	if ((uint32_t)k->rest_ms > k->run->flush_ms)
		k->rest_ms = (int)k->run->flush_ms;
	k->taken = taken;
	ts_space_ahead(&k->run->space);
}

/* As much as was written since the last time, and a chunk more. */
static void warm(struct ts_keeper *k)
{
	uint32_t taken = atomic_load(&k->run->space.taken), chunks = taken - k->warmed + 1;

	k->warmed = taken;
	ts_space_warm(&k->run->space, ts_lane_at(&k->run->steps), (size_t)TS_FRAME_CHUNK * (chunks < WARM_MAX ? chunks : WARM_MAX));
}

static void flush(struct ts_keeper *k)
{
	int64_t now = ts_tick_ns();
	uint64_t put = frames(k->run);

	if (now - k->flushed < (int64_t)k->run->flush_ms * 1000000)
		return;
	k->flushed = now;
	if (put != k->put && !atomic_load(&k->run->space.stopped)) {
		ts_space_flush(&k->run->space);
		warm(k);
	}
	k->put = put;
}

static void give_wait(void *arg, int64_t step, int64_t waited_ns)
{
	struct tscope_run *run = arg;
	tscope_column column = tscope_declare(run, TSCOPE_REGION, "cpu_wait");

	if (column)
		ts_run_late(run, step, column, (uint64_t)waited_ns);
}

static void look_for_waits(struct ts_keeper *k)
{
	int64_t step = atomic_load(&k->run->step_last);

	if (!atomic_load(&k->run->space.stopped))
		ts_waits_turn(&k->run->waits, ts_tick_ns(), step, give_wait, k->run);
}

static void *keep(void *arg)
{
	struct ts_keeper *k = arg;
	struct pollfd end = {.fd = k->wake[0], .events = POLLIN};

	do {
		ts_tick_follow();
		ts_space_check(&k->run->space);
		make_space(k);
		flush(k);
		look_for_waits(k);
		if (atomic_load(&k->run->space.stopped))
			ts_run_stopped(k->run);
	} while (poll(&end, 1, k->rest_ms) <= 0);
	look_for_waits(k);
	return NULL;
}

static void close_pipe(struct ts_keeper *k)
{
	(void)close(k->wake[0]);
	(void)close(k->wake[1]);
}

static int start_thread(struct ts_keeper *k)
{
	sigset_t all, before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&k->thread, NULL, keep, k);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

struct ts_keeper *ts_keeper_start(struct tscope_run *run)
{
	struct ts_keeper *k = calloc(1, sizeof *k);

	if (!k || pipe(k->wake) < 0) {
		free(k);
		return NULL;
	}
	(void)fcntl(k->wake[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(k->wake[1], F_SETFD, FD_CLOEXEC);
	k->run = run;
	k->rest_ms = SHORTEST_MS;
	k->flushed = ts_tick_ns();
	if (start_thread(k)) {
		close_pipe(k);
		free(k);
		return NULL;
	}
	return k;
}

void ts_keeper_stop(struct ts_keeper *k)
{
	if (!k)
		return;
	while (write(k->wake[1], "", 1) < 0 && errno == EINTR)
		;
	(void)pthread_join(k->thread, NULL);
	close_pipe(k);
	free(k);
}
