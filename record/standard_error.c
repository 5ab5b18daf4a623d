#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/standard_error.h"

#include "record/thread.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_US = 1000, END_US = 1000000, MOST = 64 };

struct line {
	struct line *next; /* the one said before it, until it is taken; then the one behind it */
	size_t length;
	char text[];
};

static _Atomic(struct line *) newest; /* of those that nobody took */
static atomic_uint pending;	      /* lines that are there or come; the thread lives while there are any */
static pthread_once_t ends_once = PTHREAD_ONCE_INIT;

/* Returns the lines that wait, the oldest first. */
static struct line *take(void)
{
	struct line *first = NULL;

	for (struct line *line = atomic_exchange(&newest, NULL), *before; line; line = before) {
		before = line->next;
		line->next = first;
		first = line;
	}
	return first;
}

static void put(const struct line *line)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};

	for (size_t at = 0; at < line->length;) {
		ssize_t n;

		(void)poll(&room, 1, -1); /* it may be one that does not block */
		n = write(STDERR_FILENO, line->text + at, line->length - at);
		if (n <= 0)
			return;
		at += (size_t)n;
	}
}

static void settle(bool are_written)
{
	unsigned n;

	do {
		n = 0;
		for (struct line *line = take(), *next; line; line = next, n++) {
			next = line->next;
			if (are_written)
				put(line);
			free(line);
		}
	} while (atomic_fetch_sub(&pending, n) != n);
}

static void *write_lines(void *unused)
{
	(void)unused;
	settle(true);
	return NULL;
}

/* Half of what a nap takes is asked for: by default the system adds 50 us to it. */
static void await(int us)
{
	const struct timespec nap = {.tv_nsec = 50000};

	for (; atomic_load(&pending) && us > 0; us -= 100)
		(void)nanosleep(&nap, NULL);
}

static void at_end(void)
{
	await(END_US);
}

/* It has no thread that writes. */
static void in_child(void)
{
	atomic_store(&newest, NULL);
	atomic_store(&pending, 0);
}

static void watch_ends(void)
{
	(void)atexit(at_end);
	(void)pthread_atfork(NULL, NULL, in_child);
}

static struct line *copy(const char *text, size_t length)
{
	struct line *line = malloc(sizeof *line + length);

	if (!line)
		return NULL;
	line->next = NULL;
	line->length = length;
	memcpy(line->text, text, length);
	return line;
}

void ts_standard_error_put(const char *text, size_t length)
{
	struct line *line = atomic_load(&pending) < MOST ? copy(text, length) : NULL;
	pthread_t thread;
	bool is_first;

	if (!line)
		return;
	(void)pthread_once(&ends_once, watch_ends);
	is_first = atomic_fetch_add(&pending, 1) == 0;
	line->next = atomic_load(&newest);
	while (!atomic_compare_exchange_weak(&newest, &line->next, line))
		;
	if (is_first && ts_thread_start(&thread, write_lines, NULL))
		settle(false);
	else if (is_first)
		(void)pthread_detach(thread);
	await(MOMENT_US);
}
