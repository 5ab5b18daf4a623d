#include "launch/gpus.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_MAX = 1024 };

static const char program[] = "tscope-gpus";

/* --- the process that asks --- */

/* The path of the program, beside the one that runs. */
static bool find(char ret_path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret_path, PATH_MAX - sizeof program);

	while (n > 0 && ret_path[n - 1] != '/')
		n--;
	if (n <= 0)
		return false;
	memcpy(ret_path + n, program, sizeof program);
	return access(ret_path, X_OK) == 0;
}

/* A library of a driver may dump: that is not for the folder of a training. */
_Noreturn static void become(const char *path, pid_t parent, int to)
{
	char *const words[] = {(char *)(uintptr_t)program, NULL};
	const struct rlimit none = {0, 0};
	int nothing = open("/dev/null", O_RDWR);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || nothing < 0)
		_exit(0);
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)dup2(nothing, STDIN_FILENO);
	(void)dup2(to, STDOUT_FILENO);
	(void)dup2(nothing, STDERR_FILENO);
	for (int fd = STDERR_FILENO + 1; fd < FILES_MAX; fd++)
		(void)close(fd);
	(void)execv(path, words);
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
	char path[PATH_MAX];
	pid_t parent = getpid(), pid;
	int ends[2];

	*gpus = (struct ts_gpus){.fd = -1};
	forget(gpus);
	if (!find(path) || ts_system_pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0)
		become(path, parent, ends[1]);
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
	struct ts_gpus_told told;
	ssize_t n;

	while (gpus->fd >= 0 && (n = read(gpus->fd, &told, sizeof told)) != -1) {
		if (n != sizeof told || told.form != TS_GPUS_FORM) { /* it has ended, or speaks as another release does */
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
