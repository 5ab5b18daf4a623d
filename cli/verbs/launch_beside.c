/* launch_beside.c - see launch_beside.h. */
#include "cli/verbs/launch_beside.h"

#include "base/system.h"
#include "launch/output.h"
#include "launch/signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

_Noreturn static void live(ts_beside_fn *work, void *ctx, int stop, int tell)
{
	const char *last;

	ts_output_leave();
	(void)setpgid(0, 0);
	ts_signals_ignore();
	if (nice(10) < 0)
		errno = 0;
	last = work(ctx, stop);
	(void)!write(tell, last, strlen(last) + 1);
	_exit(0);
}

enum ts_status ts_beside_begin(struct ts_beside *ret, ts_beside_fn *work, void *ctx, struct ts_error *err)
{
	int stop[2], told[2];
	pid_t pid;

	*ret = TS_BESIDE_NONE;
	if (ts_system_pipe(stop) < 0 || ts_system_pipe(told) < 0)
		return ts_error_errno(err, errno, "run: pipe");
	pid = fork();
	if (pid < 0)
		return ts_error_errno(err, errno, "run: fork");
	if (pid == 0) {
		(void)close(stop[1]);
		(void)close(told[0]);
		live(work, ctx, stop[0], told[1]);
	}
	(void)close(stop[0]);
	(void)close(told[1]);
	*ret = (struct ts_beside){stop[1], told[0], pid};
	return TS_OK;
}

bool ts_beside_end(struct ts_beside *io, int wait_ms, char *text, size_t size)
{
	struct pollfd ready = {.fd = io->told, .events = POLLIN};
	ssize_t n = 0;

	text[0] = '\0';
	if (io->stop < 0)
		return false;
	(void)!write(io->stop, "e", 1); /* the minder has it open, too */
	(void)close(io->stop);
	if (poll(&ready, 1, wait_ms) > 0)
		n = read(io->told, text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	(void)close(io->told);
	*io = TS_BESIDE_NONE;
	return n > 0;
}
