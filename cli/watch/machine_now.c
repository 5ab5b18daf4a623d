#include "cli/watch/machine_now.h"

#include "base/below.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 16, PIECE = 1 << 14, PATH_MOST = 4096 };

void ts_machine_now_init(struct ts_machine_now *now)
{
	*now = (struct ts_machine_now){.fd = -1,
				       .folder = TS_BUF_INIT(PATH_MOST),
				       .names = TS_BUF_INIT(LINE_MAX_BYTES),
				       .line = TS_BUF_INIT(LINE_MAX_BYTES),
				       .begun = TS_BUF_INIT(LINE_MAX_BYTES)};
}

static void forget(struct ts_machine_now *now)
{
	now->at = 0;
	ts_buf_reset(&now->names);
	ts_buf_reset(&now->line);
	ts_buf_reset(&now->begun);
}

static void leave(struct ts_machine_now *now)
{
	if (now->fd >= 0)
		(void)close(now->fd);
	now->fd = -1;
	forget(now);
}

void ts_machine_now_finish(struct ts_machine_now *now)
{
	leave(now);
	ts_buf_finish(&now->folder);
	ts_buf_finish(&now->names);
	ts_buf_finish(&now->line);
	ts_buf_finish(&now->begun);
}

static void open_below(struct ts_machine_now *now, const char *top, const char *folder)
{
	char path[PATH_MOST];
	struct ts_error err;
	uint64_t size;
	int n = snprintf(path, sizeof path, "%s/%s", folder, TS_MACHINE_FILE);

	if (n < 0 || (size_t)n >= sizeof path || ts_below_open(top, path, &now->fd, &size, &err))
		now->fd = -1;
}

/* A line has ended: it has names, or values. */
static void take(struct ts_machine_now *now)
{
	struct ts_span line = ts_buf_view(&now->begun);
	struct ts_buf *to = ts_span_starts(line, ts_span_str(ts_machine_names[TS_MACHINE_SECONDS])) ? &now->names : &now->line;

	if (!now->begun.failed) {
		ts_buf_reset(to);
		ts_buf_span(to, line);
	}
	ts_buf_reset(&now->begun);
}

static void feed(struct ts_machine_now *now, struct ts_span text)
{
	while (text.len) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t n = end ? (size_t)(end - text.data) : text.len;

		ts_buf_span(&now->begun, ts_span_part(text, 0, n));
		if (end)
			take(now);
		text = ts_span_from(text, n + (end != NULL));
	}
}

void ts_machine_now_look(struct ts_machine_now *now, const char *top, const char *folder)
{
	uint8_t piece[PIECE];
	struct stat st;
	struct ts_error err;
	size_t got = 0;

	if (!ts_span_is(ts_buf_view(&now->folder), folder)) {
		leave(now);
		ts_buf_reset(&now->folder);
		ts_buf_str(&now->folder, folder);
	}
	if (now->fd < 0)
		open_below(now, top, folder);
	if (now->fd < 0)
		open_below(now, top, top);
	if (now->fd < 0 || fstat(now->fd, &st) < 0)
		return;
	if ((uint64_t)st.st_size < now->at)
		forget(now);
	while (now->at < (uint64_t)st.st_size && now->at < TS_MACHINE_FILE_MAX) {
		if (ts_pread_full(now->fd, piece, sizeof piece, now->at, &got, &err) || !got)
			return;
		feed(now, ts_span_of(piece, got));
		now->at += got;
	}
}

bool ts_machine_now_rows(const struct ts_machine_now *now, struct ts_arena *arena, struct ts_machine_rows *ret_rows)
{
	struct ts_span names = ts_buf_view(&now->names), line = ts_buf_view(&now->line);
	const char *text = ts_arena_printf(arena, "%.*s\n%.*s\n", TS_SPAN_ARG(names), TS_SPAN_ARG(line));
	struct ts_error err;

	return now->line.len && text && !ts_machine_read(ts_span_str(text), arena, ret_rows, &err) && ret_rows->n == 1;
}
