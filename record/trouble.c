/* trouble.c - what went wrong with a recording: counted each time, and said once. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/recorder.h"
#include "record/standard_error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void ts_run_say(const struct tscope_run *run, const char *what)
{
	char line[1024];
	int length = snprintf(line, sizeof line, "tscope: %s: %s; training goes on\n", run->area->path, what);

	ts_standard_error_put(line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

void ts_run_trouble(struct tscope_run *run, const char *what)
{
	int none = 0;

	if (!atomic_compare_exchange_strong(&run->trouble, &none, 1))
		return;
	(void)snprintf(run->first, sizeof run->first, "%.*s", (int)sizeof run->first - 1, what);
	atomic_store_explicit(&run->trouble, 2, memory_order_release);
	ts_run_say(run, what);
}

/* Why frames are lost. */
static void put_cause(const struct tscope_run *run, char text[256])
{
	int error = atomic_load(&run->area->error);

	if (!atomic_load(&run->area->stopped))
		(void)snprintf(text, 256, "the disk is behind by more than memory holds, and what comes is dropped");
	else
		(void)snprintf(text, 256, "recording has stopped: %s",
			       error == ESTALE	 ? "the file was cut or removed"
			       : error == ECHILD ? "the process that writes the file was killed"
						 : strerror(error));
}

/* Says once that the recording has stopped, why, and unless it is 0, how much is lost. */
static void say_stopped(struct tscope_run *run, uint64_t lost)
{
	char cause[256], what[320];

	if (atomic_load_explicit(&run->trouble, memory_order_relaxed))
		return;
	put_cause(run, cause);
	if (lost)
		(void)snprintf(what, sizeof what, "%s, and %" PRIu64 " frame%s not in the file", cause, lost,
			       lost == 1 ? " is" : "s are");
	ts_run_trouble(run, lost ? what : cause);
}

void ts_run_stopped_at_end(struct tscope_run *run)
{
	say_stopped(run, atomic_load(&run->area->lost));
}

void ts_run_lost(struct tscope_run *run)
{
	atomic_fetch_add_explicit(&run->area->lost, 1, memory_order_relaxed);
	say_stopped(run, 0);
}

void ts_run_refused(struct tscope_run *run, tscope_column column)
{
	if (column == 0)
		return;
	atomic_fetch_add_explicit(&run->refused, 1, memory_order_relaxed);
	ts_run_trouble(run, "a value was given to a column of another kind, or was none");
}

void tscope_trouble(const struct tscope_run *run, struct tscope_trouble *ret_trouble)
{
	memset(ret_trouble, 0, sizeof *ret_trouble);
	if (!ts_run_live(run))
		return;
	ret_trouble->lost_frames = atomic_load_explicit(&run->area->lost, memory_order_relaxed);
	ret_trouble->waits = atomic_load_explicit(&run->area->waits, memory_order_relaxed);
	ret_trouble->refused_columns = atomic_load_explicit(&run->refused, memory_order_relaxed);
	ret_trouble->stopped = atomic_load_explicit(&run->area->stopped, memory_order_relaxed);
	if (atomic_load_explicit(&run->trouble, memory_order_acquire) == 2)
		memcpy(ret_trouble->first, run->first, sizeof run->first);
	else if (ret_trouble->stopped)
		put_cause(run, ret_trouble->first);
}
