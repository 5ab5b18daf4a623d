/* progress.c - see progress.h. */
#include "cli/core/progress.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#include <unistd.h>

enum { FIRST_MS = 330, EVERY_MS = 100 };

void ts_text_u64(char *out, const char *before, uint64_t n, const char *after)
{
	char digits[20];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	out = stpcpy(out, before);
	memcpy(out, digits + at, sizeof digits - at);
	stpcpy(out + sizeof digits - at, after);
}

void ts_progress_begin(struct ts_progress *p, const struct ts_cli *cli, const char *verb, const char *what)
{
	*p = (struct ts_progress){
		.on = cli->term.err_tty && !cli->quiet,
		.width = cli->term.err_width,
		.verb = verb,
		.what = what,
		.started_ns = ts_now_mono_ns(),
	};
}

static void eta(struct ts_buf *out, uint64_t done, uint64_t total, int64_t elapsed_ns)
{
	double left_s = (double)(total - done) / (double)done * (double)elapsed_ns / 1e9;

	if (left_s >= 1 && left_s < 360000)
		ts_buf_printf(out, " %d:%02d left", (int)left_s / 60, (int)left_s % 60);
}

static void bar(struct ts_buf *out, double share, int width)
{
	int full = (int)(share * width + 0.5);

	ts_buf_str(out, " [");
	for (int i = 0; i < width; i++)
		ts_buf_char(out, i < full ? '#' : '.');
	ts_buf_char(out, ']');
}

void ts_progress_line(const struct ts_progress *p, uint64_t done, uint64_t total, int64_t elapsed_ns,
		      struct ts_buf *out)
{
	double share = total ? (double)(done < total ? done : total) / (double)total : 0;
	struct ts_buf tail = TS_BUF_INIT(256), head = TS_BUF_INIT(4096);
	int room;

	if (total)
		ts_buf_printf(&tail, " %3d %%", (int)(share * 100));
	if (!p->counts && elapsed_ns > 0) {
		ts_buf_str(&tail, "  ");
		ts_print_bytes(&tail, (double)done / ((double)elapsed_ns / 1e9));
		ts_buf_str(&tail, "/s");
	}
	if (total && done > 0 && done < total)
		eta(&tail, done, total, elapsed_ns);
	ts_buf_printf(&head, "%s ", p->verb);
	ts_escape(&head, ts_span_str(p->what));
	/* The last column stays free, because a terminal wraps when something is written there. */
	room = p->width - 1 - ts_text_width(ts_buf_view(&head)) - ts_text_width(ts_buf_view(&tail));
	if (room >= 0)
		ts_buf_span(out, ts_buf_view(&head));
	else
		ts_buf_str(out, p->verb);
	if (total && room >= 13)
		bar(out, share, room - 3 > 30 ? 30 : room - 3);
	if (room >= 0 || (int)strlen(p->verb) + ts_text_width(ts_buf_view(&tail)) < p->width)
		ts_buf_span(out, ts_buf_view(&tail));
	ts_buf_finish(&tail);
	ts_buf_finish(&head);
}

bool ts_progress_step(void *ctx, uint64_t done, uint64_t total)
{
	struct ts_progress *p = ctx;
	struct ts_buf line = TS_BUF_INIT(8192);
	struct ts_error unused;
	int64_t now;

	if (!p->on)
		return true;
	now = ts_now_mono_ns();
	if (now - p->started_ns < (int64_t)FIRST_MS * 1000000 || now - p->drawn_ns < (int64_t)EVERY_MS * 1000000)
		return true;
	ts_buf_char(&line, '\r');
	ts_progress_line(p, done, total, now - p->started_ns, &line);
	ts_buf_str(&line, "\033[K");
	if (!line.failed)
		ts_write_full(STDERR_FILENO, line.data, line.len, &unused);
	ts_buf_finish(&line);
	p->drawn = true;
	p->drawn_ns = now;
	return true;
}

void ts_progress_end(struct ts_progress *p)
{
	struct ts_error unused;

	if (p->drawn)
		ts_write_full(STDERR_FILENO, "\r\033[K", 4, &unused);
	p->drawn = false;
}
