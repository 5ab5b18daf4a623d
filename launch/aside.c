#include "launch/aside.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum ts_status ts_aside_open(struct ts_aside *ret_aside, struct ts_error *err)
{
	int ends[2];

	if (ts_system_pipe(ends) < 0)
		return ts_error_errno(err, errno, "a pipe");
	for (int i = 0; i < 2; i++)
		(void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
	*ret_aside = (struct ts_aside){.from = ends[0], .to = ends[1]};
	return TS_OK;
}

void ts_aside_say(const struct ts_aside *aside, struct ts_span lines)
{
	if (lines.len <= TS_ASIDE_BYTES)
		(void)!write(aside->to, lines.data, lines.len);
}

struct pollfd ts_aside_wait(const struct ts_aside *aside)
{
	return aside->waits ? (struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}
			    : (struct pollfd){.fd = aside->from, .events = POLLIN};
}

/* Whether something is on its way to where stderr leads; *ret_within: what went there last ended no line. */
static bool is_half_way(const struct ts_output *outputs, size_t n, bool *ret_within)
{
	*ret_within = false;
	for (size_t i = 0; i < n; i++) {
		if (!ts_output_same(outputs[i].to, STDERR_FILENO))
			continue;
		if (outputs[i].n > outputs[i].at)
			return true;
		*ret_within |= outputs[i].within;
	}
	return false;
}

/* A raw terminal goes to the next line and not to its beginning. */
static size_t line_end(bool terminal, uint8_t *out)
{
	size_t n = 0;

	if (terminal)
		out[n++] = '\r';
	out[n++] = '\n';
	return n;
}

void ts_aside_serve(struct ts_aside *aside, const struct ts_output *outputs, size_t n)
{
	struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
	uint8_t lines[TS_ASIDE_BYTES], shown[2 * TS_ASIDE_BYTES + 2];
	bool terminal = isatty(STDERR_FILENO), within;
	size_t size = 0;
	ssize_t came;

	aside->waits = is_half_way(outputs, n, &within) || poll(&ready, 1, 0) <= 0;
	if (aside->waits)
		return;
	came = read(aside->from, lines, sizeof lines);
	if (came <= 0)
		return;
	if (within)
		size += line_end(terminal, shown + size);
	for (ssize_t i = 0; i < came; i++)
		if (lines[i] == '\n')
			size += line_end(terminal, shown + size);
		else
			shown[size++] = lines[i];
	(void)!write(STDERR_FILENO, shown, size);
}
