/* Feeds bytes to the reader of a line of an audit log, and a file of them to the reader of the log. A line that is read is written
 * again, is read as the same entry, and follows where it is put; a chain that was made by the writer is never said to be broken. */
#include "service/audit/audit_line.h"
#include "service/audit/audit_read.h"

#include "base/digest.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 8, ARENA = 1 << 20 };

static void hold(bool condition)
{
	if (!condition)
		abort();
}

static void same(const struct ts_audit_entry *a, const struct ts_audit_entry *b)
{
	hold(a->at_ns == b->at_ns && a->denied == b->denied && a->left_out == b->left_out);
	hold(ts_span_eq(a->kind, b->kind) && ts_span_eq(a->who, b->who) && ts_span_eq(a->from, b->from) && ts_span_eq(a->act, b->act) &&
	     ts_span_eq(a->on, b->on) && ts_span_eq(a->key, b->key));
	hold(ts_span_eq(a->before, b->before) && ts_span_eq(a->after, b->after) && ts_span_eq(a->text, b->text));
}

/* Writes an entry behind others, and reads it again. */
static void again(const struct ts_audit_entry *entry, struct ts_buf *log, uint64_t n, char chain[TS_AUDIT_CHAIN + 1])
{
	char before[TS_AUDIT_CHAIN + 1], said[TS_AUDIT_CHAIN + 1], must[TS_AUDIT_CHAIN + 1];
	struct ts_audit_entry read;
	struct ts_arena arena;
	size_t at = log->len;
	struct ts_error err;
	struct ts_span line;
	uint64_t number;

	memcpy(before, chain, sizeof before);
	if (ts_audit_line_write(entry, n, chain, log, &err)) {
		log->len = at;
		memcpy(chain, before, sizeof before);
		return;
	}
	ts_arena_init(&arena, ARENA);
	line = ts_span_of(log->data + at, log->len - at - 1);
	hold(ts_audit_line_read(line, &arena, &read, &number, said, &err) == TS_OK && number == n);
	same(entry, &read);
	ts_audit_chain(before, line, must);
	hold(strcmp(said, must) == 0 && strcmp(said, chain) == 0);
	ts_arena_finish(&arena);
}

static enum ts_status count(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *err)
{
	(void)entry, (void)n, (void)err;
	(*(uint64_t *)ctx)++;
	return TS_OK;
}

static struct ts_audit_report read_file(struct ts_span bytes)
{
	static char path[64];
	struct ts_audit_report report;
	struct ts_error err;
	uint64_t lines = 0;

	if (!path[0])
		(void)snprintf(path, sizeof path, "/tmp/fuzz-audit-%ld", (long)getpid());
	hold(ts_file_replace(path, bytes, 0600, &err) == TS_OK);
	hold(ts_audit_read(path, count, &lines, &report, &err) == TS_OK && lines == report.lines);
	(void)unlink(path);
	return report;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span rest = ts_span_of(data, size);
	struct ts_buf log = TS_BUF_INIT(1 << 20);
	char chain[TS_AUDIT_CHAIN + 1];
	struct ts_audit_report report;
	struct ts_arena arena;
	struct ts_error err;
	uint64_t n = 0;

	memset(chain, '0', TS_AUDIT_CHAIN);
	chain[TS_AUDIT_CHAIN] = 0;
	ts_arena_init(&arena, ARENA);
	(void)read_file(rest);
	while (rest.len && n < LINES) {
		const uint8_t *end = memchr(rest.data, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.data) : rest.len, written = log.len;
		char said[TS_AUDIT_CHAIN + 1];
		struct ts_audit_entry entry;
		uint64_t number;

		if (ts_audit_line_read(ts_span_of(rest.data, len), &arena, &entry, &number, said, &err) == TS_OK)
			again(&entry, &log, n + 1, chain);
		n += log.len > written;
		rest = ts_span_from(rest, end ? len + 1 : len);
	}
	if (n) {
		report = read_file(ts_buf_view(&log));
		hold(report.lines == n && report.last == n && !report.broken && !report.torn);
	}
	ts_arena_finish(&arena);
	ts_buf_finish(&log);
	return 0;
}
