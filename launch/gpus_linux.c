#include "launch/gpus.h"

#include "base/clock.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 1000, FILES_MAX = 1024 };

/* What the process says at each look; shorter than a pipe takes at once. */
struct told {
	uint32_t n;
	double values[TS_GPUS_MAX][TS_GPU_VALUES];
};
_Static_assert(sizeof(struct told) < 4096, "a pipe takes it whole");

/* --- the process that asks --- */

/* A library of a driver may print and dump: neither is for the folder or the terminal of a training. */
static void live_apart(pid_t parent, int keep)
{
	const struct rlimit none = {0, 0};
	int nothing = open("/dev/null", O_RDWR);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	(void)setrlimit(RLIMIT_CORE, &none);
	for (int fd = STDIN_FILENO; nothing >= 0 && fd <= STDERR_FILENO; fd++)
		(void)dup2(nothing, fd);
	for (int fd = STDERR_FILENO + 1; fd < FILES_MAX; fd++)
		if (fd != keep)
			(void)close(fd);
}

_Noreturn static void ask(int to)
{
	const struct ts_gpu_library *library = &ts_gpu_nvml;
	struct told told = {.n = (uint32_t)library->open()};
	int64_t last = 0;

	if (told.n == 0) {
		library = &ts_gpu_rocm;
		told.n = (uint32_t)library->open();
	}
	while (told.n > 0) {
		int64_t now = ts_now_mono_ns();
		double seconds = last ? (double)(now - last) / 1e9 : 0;

		for (size_t i = 0; i < told.n; i++) {
			for (int k = 0; k < TS_GPU_VALUES; k++)
				told.values[i][k] = NAN;
			library->look(i, seconds, told.values[i]);
		}
		last = now;
		if (write(to, &told, sizeof told) != sizeof told)
			break;
		now = ts_now_mono_ns() - last;
		if (now < INT64_C(1000000) * LOOK_MS)
			(void)usleep((useconds_t)(INT64_C(1000) * LOOK_MS - now / 1000));
	}
	_exit(0);
}

/* --- the side of who wants to know --- */

static void forget(struct ts_gpus *gpus)
{
	for (size_t i = 0; i < TS_GPUS_MAX; i++)
		for (int k = 0; k < TS_GPU_VALUES; k++) {
			gpus->since[i][k].sum = 0;
			gpus->since[i][k].known = 0;
		}
}

void ts_gpus_begin(struct ts_gpus *gpus)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	*gpus = (struct ts_gpus){.fd = -1};
	forget(gpus);
	if (ts_system_pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		live_apart(parent, ends[1]);
		ask(ends[1]);
	}
	(void)close(ends[1]);
	if (pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
		(void)close(ends[0]);
		return;
	}
	gpus->fd = ends[0];
	gpus->pid = pid;
}

static void add(struct ts_gpus *gpus, size_t gpu, int value, double said)
{
	double *sum = &gpus->since[gpu][value].sum;

	if (!isfinite(said))
		return;
	if (value != TS_GPU_SAYS_XID)
		*sum += said;
	else if (said > 0)
		*sum = said;
	gpus->since[gpu][value].known++;
}

void ts_gpus_take(struct ts_gpus *gpus)
{
	struct told told;
	ssize_t n;

	while (gpus->fd >= 0 && (n = read(gpus->fd, &told, sizeof told)) != -1) {
		if (n != sizeof told) { /* it has ended */
			(void)close(gpus->fd);
			gpus->fd = -1;
			break;
		}
		gpus->n = told.n < TS_GPUS_MAX ? told.n : TS_GPUS_MAX;
		for (size_t i = 0; i < gpus->n; i++)
			for (int k = 0; k < TS_GPU_VALUES; k++)
				add(gpus, i, k, told.values[i][k]);
	}
	if (gpus->pid && waitpid((pid_t)gpus->pid, NULL, WNOHANG) != 0)
		gpus->pid = 0;
}

void ts_gpus_row(struct ts_gpus *gpus, double to[TS_GPUS_MAX][TS_GPU_VALUES])
{
	for (size_t i = 0; i < TS_GPUS_MAX; i++)
		for (int k = 0; k < TS_GPU_VALUES; k++) {
			bool sum = k == TS_GPU_COUNT_CORRECTED || k == TS_GPU_COUNT_UNCORRECTED || k == TS_GPU_SAYS_XID;
			uint32_t known = gpus->since[i][k].known;

			to[i][k] = known ? gpus->since[i][k].sum / (sum ? 1 : known) : (double)NAN;
		}
	forget(gpus);
}

/* It is not waited for: what hangs in a driver does not even end by SIGKILL. */
void ts_gpus_end(struct ts_gpus *gpus)
{
	if (gpus->pid)
		(void)kill((pid_t)gpus->pid, SIGKILL);
	if (gpus->fd >= 0)
		(void)close(gpus->fd);
	gpus->fd = -1;
	gpus->pid = 0;
}
