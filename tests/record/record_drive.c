/* record_drive.c - a program that records steps whose every number follows from the step's, for tests that kill it, fill its disk or
 * cut its file.
 *
 *	record_drive DIRECTORY PROGRESS STEPS PAUSE_US [THREADS [FLUSH_MS [LIMIT]]]
 *
 * PROGRESS is mapped (drive_progress.h). LIMIT: RLIMIT_FSIZE, bytes. Linked with --wrap=fdatasync. Prints what tscope_trouble says
 * at the end; where TS_MEASURE is set also for how long a step slept at most, how long one had the CPU at most, and what tscope_close
 * took, ns. Exit code 3: TSCOPE_EXISTS.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/cpu.h"
#include "record/tscope.h"
#include "tests/record/drive_progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* How busy the host is while this runs is no part of what is expected. */
int ts_cpu_open(void)
{
	return -1;
}

bool ts_cpu_waited(int fd, int64_t *ret_ns)
{
	(void)fd;
	(void)ret_ns;
	return false;
}

static struct progress *progress;
static struct tscope_run *run;
static tscope_column region;
static _Atomic int ended;

static void pause_us(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	if (us > 0)
		(void)nanosleep(&t, NULL);
}

static void *others(void *arg)
{
	(void)arg;
	while (!ended) {
		tscope_region(run, region, tscope_now_ns() - 1000);
		progress->regions++;
		pause_us(200);
	}
	return NULL;
}

static int print_trouble(void)
{
	struct tscope_trouble t;

	tscope_trouble(run, &t);
	return printf("lost %ju waits %ju refused %ju stopped %d first %s\n", (uintmax_t)t.lost_frames, (uintmax_t)t.waits,
		      (uintmax_t)t.refused_columns, t.stopped, t.first) < 0;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t = {0};

	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What a step took is three things: it had the CPU, it stood in the queue for one, which is the machine's doing, or it slept. */
struct spent {
	int64_t wall, ran, queued; /* ns */
	long switches;		   /* how often this thread gave its CPU up by itself */
};

static struct spent before;
static int64_t slept_most, ran_most;
static int schedule = -1; /* -1: nobody asked, or nobody knows */

static struct spent spent_until_now(void)
{
	struct rusage usage = {0};
	char text[96] = "";
	char *second = text;
	struct spent s = {0};

	(void)getrusage(RUSAGE_THREAD, &usage);
	s.switches = usage.ru_nvcsw;
	if (pread(schedule, text, sizeof text - 1, 0) > 0)
		(void)strtoll(text, &second, 10); /* how long it ran, but until the last tick of the clock */
	s.queued = strtoll(second, NULL, 10);
	s.ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	s.wall = clock_ns(CLOCK_MONOTONIC);
	return s;
}

static void measure_begin(void)
{
	if (schedule >= 0)
		before = spent_until_now();
}

/* A step that never gave its CPU up did not sleep: what is left of its time had another machine of this host. */
static void measure_end(void)
{
	struct spent now;
	int64_t ran, slept;

	if (schedule < 0)
		return;
	now = spent_until_now();
	ran = now.ran - before.ran;
	slept = now.switches == before.switches ? 0 : now.wall - before.wall - ran - (now.queued - before.queued);
	ran_most = ran > ran_most ? ran : ran_most;
	slept_most = slept > slept_most ? slept : slept_most;
}

static void train(uint64_t steps, long us)
{
	tscope_column forward = tscope_declare(run, TSCOPE_PHASE, "forward"), loss = tscope_declare(run, TSCOPE_NUMBER, "loss");
	tscope_column square = tscope_declare(run, TSCOPE_NUMBER, "square");

	for (uint64_t i = 0; i < steps; i++) {
		measure_begin();
		tscope_step_begin(run, TSCOPE_NEXT);
		tscope_mark(run, forward);
		tscope_log(run, loss, 1.0 / (double)(i + 1));
		tscope_log(run, square, (double)(i * i));
		(void)tscope_step_end(run);
		measure_end();
		progress->steps = i + 1;
		pause_us(us);
	}
}

static long argument(int argc, char **argv, int i)
{
	return argc > i ? strtol(argv[i], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	struct tscope_options o = {.directory = argc > 1 ? argv[1] : NULL, .flush_ms = (uint32_t)argument(argc, argv, 6),
				   .keeper = getenv("TSCOPE_KEEPER")};
	struct rlimit limit = {(rlim_t)argument(argc, argv, 7), (rlim_t)argument(argc, argv, 7)};
	struct tscope_error err = {0};
	pthread_t threads[16];
	int n = (int)argument(argc, argv, 5), failed;
	int64_t began;

	if (argc < 5 || n > 16 || !(progress = progress_open(argv[2])) || (limit.rlim_cur > 0 && setrlimit(RLIMIT_FSIZE, &limit) < 0))
		return 2;
	if (!getenv("TS_NO_RUN") && tscope_open(&o, &run, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return err.status == TSCOPE_EXISTS ? 3 : 1;
	}
	if (getenv("TS_MEASURE"))
		schedule = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	region = tscope_declare(run, TSCOPE_REGION, "other threads");
	for (int i = 0; i < n; i++)
		(void)pthread_create(&threads[i], NULL, others, NULL);
	train((uint64_t)argument(argc, argv, 3), argument(argc, argv, 4));
	ended = 1;
	for (int i = 0; i < n; i++)
		(void)pthread_join(threads[i], NULL);
	(void)tscope_sync(run, schedule < 0 ? 60000 : 500);
	failed = print_trouble();
	began = clock_ns(CLOCK_MONOTONIC);
	(void)tscope_close(run);
	if (schedule >= 0)
		failed |= printf("slept %jd ran %jd close %jd\n", (intmax_t)slept_most, (intmax_t)ran_most,
				 (intmax_t)(clock_ns(CLOCK_MONOTONIC) - began)) < 0;
	return failed;
}
