/* steady.c - a training that records steps of one length: steady FOLDER STEPS MS [HANG_AT], the rank and the world as tscope run tells
 * them. From step HANG_AT on it sleeps, and goes on when SIGUSR1 comes.
 */
#include "record/tscope.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void go_on(int number)
{
	(void)number;
}

static int number_in(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text ? (int)strtol(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	struct tscope_options o = {
		.directory = argc > 1 ? argv[1] : "run", .rank = number_in("RANK", 0), .world_size = number_in("WORLD_SIZE", 1)};
	int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20, ms = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 20;
	int hang_at = argc > 4 ? (int)strtol(argv[4], NULL, 10) : -1;
	struct timespec step = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	struct sigaction woken = {.sa_handler = go_on};
	struct tscope_error err;
	struct tscope_run *run;
	tscope_column loss;

	(void)sigaction(SIGUSR1, &woken, NULL);
	if (tscope_open(&o, &run, &err))
		return 2;
	loss = tscope_declare(run, TSCOPE_NUMBER, "loss");
	for (int i = 0; i < steps; i++) {
		if (i == hang_at)
			(void)pause();
		tscope_step_begin(run, TSCOPE_NEXT);
		(void)nanosleep(&step, NULL);
		tscope_log(run, loss, 1.0 / (i + 1));
		tscope_step_end(run);
	}
	tscope_close(run);
	return 0;
}
