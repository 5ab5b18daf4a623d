#include "launch/aside.h"

#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

/* Takes as many whole lines of what came as are written at once. */
static void show(struct ts_aside *aside, bool within)
{
	bool terminal = isatty(STDERR_FILENO);
	size_t size = within ? line_end(terminal, aside->shown) : 0, taken = 0;

	aside->n_shown = aside->at = 0;
	for (size_t i = 0; i < aside->n_came && size < TS_ASIDE_SHOWN - 1; i++)
		if (aside->came[i] == '\n') {
			size += line_end(terminal, aside->shown + size);
			aside->n_shown = size;
			taken = i + 1;
		} else {
			aside->shown[size++] = aside->came[i];
		}
	aside->n_came -= taken;
	memmove(aside->came, aside->came + taken, aside->n_came);
}

static void write_some(struct ts_aside *aside)
{
	ssize_t n = write(STDERR_FILENO, aside->shown + aside->at, aside->n_shown - aside->at);

	if (n >= 0)
		aside->at += (size_t)n;
	else if (errno != EINTR && errno != EAGAIN)
		aside->at = aside->n_shown; /* nobody reads it */
}

void ts_aside_serve(struct ts_aside *aside, const struct ts_output *outputs, size_t n)
{
	struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
	bool within;
	ssize_t came;

	aside->waits = is_half_way(outputs, n, &within) || poll(&ready, 1, 0) <= 0;
	if (aside->waits)
		return;
	if (aside->at == aside->n_shown) {
		came = read(aside->from, aside->came + aside->n_came, sizeof aside->came - aside->n_came);
		aside->n_came += came > 0 ? (size_t)came : 0;
		show(aside, within);
	}
	if (aside->at < aside->n_shown)
		write_some(aside);
	aside->waits = aside->at < aside->n_shown || memchr(aside->came, '\n', aside->n_came);
}
