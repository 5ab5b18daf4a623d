/* bench_record.c - what a recorded step costs the training thread from C: bench_record DIRECTORY [ROUNDS [KEEPER]].
 *
 * A round is 1,000 steps of four marks and three numbers, the same steps without a run, and as many bare reads of the clock, one
 * after the other, with a pause between rounds as a training would make. Prints for each the processor time of this thread a step,
 * ns: the median of all rounds, and the 10th and 90th percentile; then page faults and voluntary switches during the recorded steps.
 * One line a figure: NAME VALUE.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/tscope.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { STEPS = 1000, MARKS = 4, NUMBERS = 3, READS = MARKS + 2, ROUNDS_MAX = 10000 };

static tscope_column phases[MARKS], numbers[NUMBERS];
static double recorded[ROUNDS_MAX], none[ROUNDS_MAX], clocks[ROUNDS_MAX], own_clock[ROUNDS_MAX];

static int64_t cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double train(struct tscope_run *run)
{
	int64_t began = cpu_ns();

	for (int i = 0; i < STEPS; i++) {
		tscope_step_begin(run, TSCOPE_NEXT);
		for (int k = 0; k < MARKS; k++)
			tscope_mark(run, phases[k]);
		for (int k = 0; k < NUMBERS; k++)
			tscope_log(run, numbers[k], i);
		(void)tscope_step_end(run);
	}
	return (double)(cpu_ns() - began) / STEPS;
}

static double read_clocks(void)
{
	int64_t began = cpu_ns();
	struct timespec t;

	for (int i = 0; i < STEPS * READS; i++)
		(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)(cpu_ns() - began) / STEPS;
}

static double read_own_clock(void)
{
	int64_t began = cpu_ns();

	for (int i = 0; i < STEPS * READS; i++)
		(void)tscope_now_ns();
	return (double)(cpu_ns() - began) / STEPS;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(const char *name, double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, by_value);
	printf("%s %.1f\n%s_p10 %.1f\n%s_p90 %.1f\n", name, values[n / 2], name, values[n / 10], name, values[n * 9 / 10]);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"data", "forward", "backward", "optimizer", "loss", "lr", "grad_norm"};
	struct tscope_options o = {.directory = argc > 1 ? argv[1] : NULL, .keeper = argc > 3 ? argv[3] : NULL};
	struct timespec pause = {.tv_nsec = 2000000};
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000;
	struct rusage before, after;
	struct tscope_trouble trouble;
	struct tscope_error err;
	struct tscope_run *run;
	long faults = 0, switches = 0;

	if (rounds < 10 || rounds > ROUNDS_MAX || tscope_open(&o, &run, &err))
		return 1;
	for (int k = 0; k < MARKS + NUMBERS; k++)
		*(k < MARKS ? &phases[k] : &numbers[k - MARKS]) =
			tscope_declare(run, k < MARKS ? TSCOPE_PHASE : TSCOPE_NUMBER, names[k]);
	for (int i = 0; i < 100; i++, (void)nanosleep(&pause, NULL))
		(void)train(run);
	for (int i = 0; i < rounds; i++, (void)nanosleep(&pause, NULL)) {
		(void)getrusage(RUSAGE_THREAD, &before);
		recorded[i] = train(run);
		(void)getrusage(RUSAGE_THREAD, &after);
		faults += after.ru_minflt - before.ru_minflt;
		switches += after.ru_nvcsw - before.ru_nvcsw;
		none[i] = train(NULL);
		clocks[i] = read_clocks();
		own_clock[i] = read_own_clock();
	}
	tscope_trouble(run, &trouble);
	print("recorded", recorded, rounds);
	print("null", none, rounds);
	print("clock", clocks, rounds);
	print("own_clock", own_clock, rounds);
	printf("steps %d\nfaults %ld\nswitches %ld\nwaits %ju\nlost %ju\n", rounds * STEPS, faults, switches, (uintmax_t)trouble.waits,
	       (uintmax_t)trouble.lost_frames);
	tscope_close(run);
	return 0;
}
