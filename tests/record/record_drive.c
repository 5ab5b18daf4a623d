/* record_drive.c - a program that records steps whose every number follows from the step's, for tests that kill it, fill its disk or
 * cut its file.
 *
 *	record_drive DIRECTORY PROGRESS STEPS PAUSE_US [THREADS [FLUSH_MS [LIMIT]]]
 *
 * PROGRESS is mapped: u64 steps whose end has returned, u64 regions that have returned, u64 synced: 1 + steps ended before the last
 * fdatasync began, u64 fdatasyncs, i64 monotonic ns of the last. What the file held before the last fdatasync is kept in
 * PROGRESS.synced. LIMIT: RLIMIT_FSIZE, bytes. Linked with --wrap=fdatasync. Prints what tscope_trouble says at the end. Exit code
 * 3: TSCOPE_EXISTS.
 */
#include "record/cpu.h"
#include "record/tscope.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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

struct progress {
	_Atomic uint64_t steps, regions, synced, syncs;
	_Atomic int64_t last;
};

static struct progress *progress;
static const char *progress_path;
static struct tscope_run *run;
static tscope_column region;
static _Atomic int ended;

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

static void keep_copy(int fd)
{
	static uint8_t bytes[1 << 20];
	char path[4096], whole[4096];
	off_t at = 0;
	ssize_t n;
	int to;

	(void)snprintf(whole, sizeof whole, "%s.synced", progress_path);
	(void)snprintf(path, sizeof path, "%s.new", progress_path);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	while ((n = pread(fd, bytes, sizeof bytes, at)) > 0 && write(to, bytes, (size_t)n) == n)
		at += n;
	(void)close(to);
	(void)rename(path, whole);
}

/* What the file holds when the call begins is on the disk when it has returned. */
int __wrap_fdatasync(int fd)
{
	uint64_t steps = progress->steps;
	int64_t now = tscope_now_ns();
	int ret;

	keep_copy(fd);
	ret = __real_fdatasync(fd);
	progress->last = now;
	progress->synced = steps + 1;
	progress->syncs++;
	return ret;
}

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

static void train(uint64_t steps, long us)
{
	tscope_column forward = tscope_declare(run, TSCOPE_PHASE, "forward"), loss = tscope_declare(run, TSCOPE_NUMBER, "loss");
	tscope_column square = tscope_declare(run, TSCOPE_NUMBER, "square");

	for (uint64_t i = 0; i < steps; i++) {
		tscope_step_begin(run, TSCOPE_NEXT);
		tscope_mark(run, forward);
		tscope_log(run, loss, 1.0 / (double)(i + 1));
		tscope_log(run, square, (double)(i * i));
		(void)tscope_step_end(run);
		progress->steps = i + 1;
		pause_us(us);
	}
}

static int map_progress(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);

	if (fd < 0 || ftruncate(fd, sizeof *progress) < 0)
		return 1;
	progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	progress_path = path;
	return progress == MAP_FAILED;
}

static long argument(int argc, char **argv, int i)
{
	return argc > i ? strtol(argv[i], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	struct tscope_options o = {.directory = argc > 1 ? argv[1] : NULL, .flush_ms = (uint32_t)argument(argc, argv, 6)};
	struct rlimit limit = {(rlim_t)argument(argc, argv, 7), (rlim_t)argument(argc, argv, 7)};
	struct tscope_error err = {0};
	pthread_t threads[16];
	int n = (int)argument(argc, argv, 5), failed;

	if (argc < 5 || n > 16 || map_progress(argv[2]) || (limit.rlim_cur > 0 && setrlimit(RLIMIT_FSIZE, &limit) < 0))
		return 2;
	if (tscope_open(&o, &run, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return err.status == TSCOPE_EXISTS ? 3 : 1;
	}
	region = tscope_declare(run, TSCOPE_REGION, "other threads");
	for (int i = 0; i < n; i++)
		(void)pthread_create(&threads[i], NULL, others, NULL);
	train((uint64_t)argument(argc, argv, 3), argument(argc, argv, 4));
	ended = 1;
	for (int i = 0; i < n; i++)
		(void)pthread_join(threads[i], NULL);
	failed = print_trouble();
	tscope_close(run);
	return failed;
}
