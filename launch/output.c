#include "launch/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum ts_output_kind ts_output_kind(int fd)
{
	struct stat st;

	if (isatty(fd))
		return TS_OUTPUT_TERMINAL;
	if (fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return TS_OUTPUT_PIPE;
	return TS_OUTPUT_AS_IS;
}

bool ts_output_same(int fd, int other)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void ts_outputs_wait(const struct ts_output *outputs, size_t n, struct pollfd *polls)
{
	for (size_t i = 0; i < n; i++) {
		const struct ts_output *o = &outputs[i];

		polls[2 * i] = (struct pollfd){.fd = o->n == o->at ? o->from : -1, .events = POLLIN};
		polls[2 * i + 1] = (struct pollfd){.fd = o->n > o->at ? o->to : -1, .events = POLLOUT};
	}
}

static bool read_some(struct ts_output *o)
{
	ssize_t n = read(o->from, o->bytes, sizeof o->bytes);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n <= 0) { /* EIO: nobody has the terminal any more */
		(void)close(o->from);
		o->from = -1;
		return false;
	}
	ts_tail_add(o->tail, o->bytes, (size_t)n);
	o->n = o->gone ? 0 : (size_t)n;
	o->at = 0;
	return true;
}

/* A pipe that can be written to takes as much as PIPE_BUF, 4,096 bytes or less, at once. */
static void write_some(struct ts_output *o)
{
	ssize_t n = write(o->to, o->bytes + o->at, o->n - o->at);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		o->gone = true;
		o->broken = errno == EPIPE || errno == EIO; /* EIO: the terminal is gone */
		o->n = o->at = 0;
		return;
	}
	o->at += (size_t)n;
	o->within = o->bytes[o->at - 1] != '\n';
}

bool ts_outputs_serve(struct ts_output *outputs, size_t n, const struct pollfd *polls)
{
	bool came = false;

	for (size_t i = 0; i < n; i++) {
		if (polls[2 * i].revents && outputs[i].from >= 0)
			came |= read_some(&outputs[i]);
		if (polls[2 * i + 1].revents) {
			write_some(&outputs[i]);
			came = true;
		}
	}
	return came;
}

void ts_output_break(struct ts_output *output)
{
	if (output->from >= 0)
		(void)close(output->from);
	output->from = -1;
	output->gone = true;
	output->broken = false;
}

bool ts_outputs_open(const struct ts_output *outputs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (outputs[i].from >= 0 || outputs[i].n > outputs[i].at)
			return true;
	return false;
}

void ts_output_read_end(int fd, int64_t from, struct ts_tail *tail)
{
	static uint8_t bytes[TS_TAIL_KEPT];
	char path[32];
	struct stat st;
	int file;
	ssize_t n;

	(void)snprintf(path, sizeof path, "/dev/fd/%d", fd); /* the file may be open for writing alone */
	file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode)) {
		from = from < st.st_size - TS_TAIL_KEPT ? st.st_size - TS_TAIL_KEPT : from;
		n = from < st.st_size ? pread(file, bytes, (size_t)(st.st_size - from), from) : 0;
		if (n > 0)
			ts_tail_add(tail, bytes, (size_t)n);
	}
	(void)close(file);
}

void ts_output_leave(void)
{
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3 && none >= 0; i++)
		(void)dup2(none, i);
}
