/* bench_watch.c - ranks that record steps at a steady rate: bench_watch FOLDER RANKS RATE SECONDS. Each is a process with a recording
 * of its own. Prints a line for each step of rank 0: its number and the Unix seconds at which it was recorded. live.py calls it. */
#include "record/tscope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PHASES = 4 };

static double now(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_until(double at)
{
	double left = at - now(CLOCK_MONOTONIC);
	struct timespec t = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - floor(left)) * 1e9)};

	if (left > 0)
		(void)nanosleep(&t, NULL);
}

static int record(const char *folder, int rank, int ranks, double rate, int seconds)
{
	static const char *const names[PHASES] = {"data", "forward", "backward", "optimizer"};
	struct tscope_options o = {.directory = folder, .rank = rank, .world_size = ranks};
	tscope_column phases[PHASES], loss, lr;
	struct tscope_run *run;
	struct tscope_error err;
	double began = now(CLOCK_MONOTONIC);

	if (tscope_open(&o, &run, &err) != TSCOPE_OK) {
		(void)fprintf(stderr, "bench_watch: %s\n", err.text);
		return 1;
	}
	for (int p = 0; p < PHASES; p++)
		phases[p] = tscope_declare(run, TSCOPE_PHASE, names[p]);
	loss = tscope_declare(run, TSCOPE_NUMBER, "loss");
	lr = tscope_declare(run, TSCOPE_NUMBER, "lr");
	for (int i = 0; (double)i < rate * seconds; i++) {
		tscope_step_begin(run, TSCOPE_NEXT);
		sleep_until(began + (i + 1) / rate);
		for (int p = 0; p < PHASES; p++)
			tscope_mark(run, phases[p]);
		tscope_log(run, loss, 2 + 3 * exp(-i / 100.0));
		tscope_log(run, lr, 1e-3);
		tscope_step_end(run);
		if (rank == 0 && printf("%d %.6f\n", i, now(CLOCK_REALTIME)) > 0)
			(void)fflush(stdout);
	}
	tscope_close(run);
	return 0;
}

int main(int argc, char **argv)
{
	int ranks, failed = 0, status;

	if (argc != 5)
		return 2;
	ranks = (int)strtol(argv[2], NULL, 10);
	for (int rank = 0; rank < ranks; rank++)
		if (fork() == 0)
			exit(record(argv[1], rank, ranks, (double)strtol(argv[3], NULL, 10), (int)strtol(argv[4], NULL, 10)));
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
