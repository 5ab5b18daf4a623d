#include "base/log.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/words.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The line keeps room for the mark of a cut, a closing quote and the newline. */
enum { ROOM = sizeof((struct ts_log *)0)->text - 5 };

static atomic_int most_level = TS_LOG_INFO;

void ts_log_set_level(enum ts_log_level most)
{
	atomic_store(&most_level, (int)most);
}

static void put(struct ts_log *line, const char *text, size_t len)
{
	if (line->off || line->cut)
		return;
	if (line->len + len > ROOM) { /* a closing quote may already use the reserved room */
		line->cut = true;
		return;
	}
	memcpy(line->text + line->len, text, len);
	line->len += len;
}

static void put_str(struct ts_log *line, const char *text)
{
	put(line, text, strlen(text));
}

static TS_WORDS(level_word, enum ts_log_level, "unknown", [TS_LOG_ERROR] = "error", [TS_LOG_WARNING] = "warning",
		[TS_LOG_INFO] = "info", [TS_LOG_DEBUG] = "debug")

void ts_log_begin(struct ts_log *line, enum ts_log_level level, const char *event)
{
	char stamp[TS_TIME_TEXT];
	int64_t now = ts_now_real_ns();
	size_t n;

	line->len = 0;
	line->cut = false;
	line->off = (int)level > atomic_load(&most_level);
	if (line->off)
		return;
	if (getenv("JOURNAL_STREAM")) {
		(void)snprintf(stamp, sizeof stamp, "<%d>", (int)level);
		put_str(line, stamp);
	}
	/* Milliseconds are always printed, also .000, so that the columns stay aligned. */
	ts_time_text(now - now % 1000000 + 1, stamp);
	n = strlen(stamp);
	put_str(line, "time=");
	put(line, stamp, n - 7);
	put_str(line, "Z level=");
	put_str(line, level_word(level));
	ts_log_str(line, "event", event);
}

static bool needs_quotes(struct ts_span value)
{
	char one[TS_ESCAPE_TEXT];
	size_t at = 0;

	while (at < value.len) {
		uint8_t c = value.data[at];
		size_t from = at;

		if (c == ' ' || c == '"' || c == '=' || c == '\\')
			return true;
		if (ts_escape_next(value, &at, one) != at - from || one[0] == '\\')
			return true;
	}
	return value.len == 0;
}

/* A value that is cut still gets its closing quote: ts_log_end has room for it. */
void ts_log_span(struct ts_log *line, const char *key, struct ts_span value)
{
	bool quoted = needs_quotes(value);
	char one[TS_ESCAPE_TEXT + 1];
	size_t at = 0;

	if (line->off || line->cut)
		return;
	put_str(line, " ");
	put_str(line, key);
	put_str(line, quoted ? "=\"" : "=");
	quoted = quoted && !line->cut; /* the line was cut before the opening quote */
	while (at < value.len && !line->cut) {
		if (value.data[at] == '"' || value.data[at] == '\\') {
			one[0] = '\\';
			one[1] = (char)value.data[at++];
			put(line, one, 2);
		} else {
			size_t n = ts_escape_next(value, &at, one);

			put(line, one, n);
		}
	}
	if (line->cut) {
		memcpy(line->text + line->len, "...", 3);
		line->len += 3;
	}
	if (quoted)
		line->text[line->len++] = '"';
}

void ts_log_str(struct ts_log *line, const char *key, const char *value)
{
	ts_log_span(line, key, value ? ts_span_str(value) : ts_span_of(NULL, 0));
}

void ts_log_i64(struct ts_log *line, const char *key, int64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%" PRId64, value);
	ts_log_str(line, key, text);
}

void ts_log_ms(struct ts_log *line, const char *key, int64_t ns)
{
	char text[40];
	uint64_t us = ns < 0 ? (~(uint64_t)ns + 1) / 1000 : (uint64_t)ns / 1000;

	(void)snprintf(text, sizeof text, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", us / 1000, (unsigned)(us % 1000));
	ts_log_str(line, key, text);
}

void ts_log_end(struct ts_log *line)
{
	struct ts_error err;

	if (line->off)
		return;
	line->text[line->len++] = '\n';
	/* If the log itself cannot be written, there is nowhere to report that. */
	(void)ts_write_full(STDERR_FILENO, line->text, line->len, &err);
}
