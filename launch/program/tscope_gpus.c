/* tscope_gpus.c - tscope-gpus: says each second what the GPUs of this machine do, to the tscope that starts it.
 *
 *	tscope-gpus >&PIPE
 *
 * It is a program of its own for two reasons: a library of a driver may hang, crash or print; and a program whose libc is static,
 * as tscope's may be, loads no library. It ends where there is no GPU, or nobody reads any more. Exit code 2: what it says would go
 * to no pipe.
 */
#include "launch/program/gpu_library.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 1000 };

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* What a driver prints is for nobody. Returns where to say what is asked for; -1: that is no pipe, or there is none. */
static int quiet(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct stat is;

	if (nothing < 0 || to < 0 || fstat(to, &is) < 0 || !S_ISFIFO(is.st_mode))
		return -1;
	return dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ? -1 : to;
}

static void wait_for(int64_t ns)
{
	const struct timespec time = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	if (ns > 0)
		(void)nanosleep(&time, NULL);
}

static void look(const struct ts_gpu_library *library, size_t n, double seconds, struct ts_gpus_told *ret_told)
{
	*ret_told = (struct ts_gpus_told){.form = TS_GPUS_FORM, .n = (uint32_t)n};
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < TS_GPU_VALUES; k++)
			ret_told->values[i][k] = NAN;
		library->look(i, seconds, ret_told->values[i]);
	}
}

int main(void)
{
	const struct ts_gpu_library *library = &ts_gpu_nvml;
	struct ts_gpus_told told;
	int to = quiet();
	int64_t last = 0;
	size_t n;

	if (to < 0) {
		(void)fprintf(stderr, "tscope-gpus is started by tscope run\n");
		return 2;
	}
	(void)signal(SIGPIPE, SIG_DFL);
	n = library->open();
	if (n == 0) {
		library = &ts_gpu_rocm;
		n = library->open();
	}
	while (n > 0) {
		int64_t now = now_ns();

		look(library, n, last ? (double)(now - last) / 1e9 : 0, &told);
		last = now;
		if (write(to, &told, sizeof told) != sizeof told)
			break;
		wait_for(last + INT64_C(1000000) * LOOK_MS - now_ns());
	}
	return 0;
}
