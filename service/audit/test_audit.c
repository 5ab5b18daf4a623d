/* The audit log: what is written is read, and what was changed in it is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "service/audit/audit_line.h"
#include "service/audit/audit_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t BEGIN = 1795176099000000000; /* a time of today: such a number is text in JSON */
static char dir[64], path[96];
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof dir, "/tmp/tscope-audit-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof path, "%s/audit.log", dir);
	return 0;
}

static int teardown(void **state)
{
	struct ts_arena arena;
	char **names, file[512];
	size_t n;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_list_dir(dir, &arena, &names, &n, &err), TS_OK);
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(file, sizeof file, "%s/%s", dir, names[i]);
		(void)unlink(file);
	}
	ts_arena_finish(&arena);
	(void)rmdir(dir);
	return 0;
}

static struct ts_audit_entry note(int64_t at_ns, const char *value, bool denied)
{
	return (struct ts_audit_entry){.at_ns = at_ns, .kind = ts_span_str("token"), .who = ts_span_str("ci"),
				       .from = ts_span_str("uid 0"), .act = ts_span_str("note"), .on = ts_span_str("run p/x"),
				       .key = ts_span_str("bad"), .before = ts_span_str("\"\n"), .after = ts_span_str(value),
				       .denied = denied};
}

static void write_lines(uint64_t most, int from, int n)
{
	struct ts_audit *audit;

	assert_int_equal(ts_audit_open(path, most, &audit, &err), TS_OK);
	for (int i = from; i < from + n; i++) {
		struct ts_audit_entry entry = note(BEGIN + i, "yes", false);

		assert_int_equal(ts_audit_ready(audit, &err), TS_OK);
		assert_int_equal(ts_audit_add(audit, &entry, &err), TS_OK);
	}
	ts_audit_close(audit);
}

static enum ts_status look(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *e)
{
	(void)e;
	assert_int_equal(entry->at_ns, BEGIN + (int64_t)n);
	assert_true(ts_span_is(entry->who, "ci") && ts_span_is(entry->before, "\"\n") && ts_span_is(entry->on, "run p/x"));
	++*(uint64_t *)ctx;
	return TS_OK;
}

static enum ts_status pass(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *e)
{
	(void)ctx, (void)entry, (void)n, (void)e;
	return TS_OK;
}

static struct ts_audit_report report_of(void)
{
	struct ts_audit_report report;

	assert_int_equal(ts_audit_read(path, pass, NULL, &report, &err), TS_OK);
	return report;
}

/* Over restarts and many files, lines are numbered and chained. */
static void lines_are_read_as_they_were_written(void **state)
{
	struct ts_audit_report report;
	uint64_t seen = 0;

	(void)state;
	write_lines(1500, 1, 20);
	write_lines(1500, 21, 20);
	assert_int_equal(ts_audit_read(path, look, &seen, &report, &err), TS_OK);
	assert_true(seen == 40 && report.lines == 40 && report.first == 1 && report.last == 40);
	assert_true(report.files > 5 && report.broken == 0 && report.torn == 0);
}

static void a_second_writer_is_refused(void **state)
{
	struct ts_audit *one, *two;

	(void)state;
	assert_int_equal(ts_audit_open(path, 0, &one, &err), TS_OK);
	assert_int_equal(ts_audit_open(path, 0, &two, &err), TS_CONFLICT);
	ts_audit_close(one);
}

static void replace(const char *old, const char *now, size_t nth)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	uint8_t *at;

	assert_int_equal(ts_file_read(path, &buf, &err), TS_OK);
	at = buf.data;
	for (size_t i = 0; i <= nth; i++, at += i <= nth)
		assert_non_null(at = memmem(at, buf.len - (size_t)(at - buf.data), old, strlen(old)));
	memcpy(at, now, strlen(old));
	assert_int_equal(ts_file_replace(path, ts_buf_view(&buf), 0600, &err), TS_OK);
	ts_buf_finish(&buf);
}

static void what_was_changed_is_found(void **state)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	const uint8_t *second, *third;

	(void)state;
	write_lines(0, 1, 5);
	assert_int_equal(report_of().broken, 0);
	replace("\"ci\"", "\"cy\"", 2);
	assert_int_equal(report_of().broken, 3);
	replace("\"cy\"", "\"ci\"", 0);
	assert_int_equal(report_of().broken, 0);
	/* A line that was taken out. */
	assert_int_equal(ts_file_read(path, &buf, &err), TS_OK);
	second = (const uint8_t *)memchr(buf.data, '\n', buf.len) + 1;
	third = (const uint8_t *)memchr(second, '\n', buf.len - (size_t)(second - buf.data)) + 1;
	memmove((uint8_t *)(uintptr_t)second, third, buf.len - (size_t)(third - buf.data));
	buf.len -= (size_t)(third - second);
	assert_int_equal(ts_file_replace(path, ts_buf_view(&buf), 0600, &err), TS_OK);
	ts_buf_finish(&buf);
	assert_int_equal(report_of().broken, 3);
}

static uint64_t gone, torn_at;

/* The number of a line that does not follow; 0: each does. */
static uint64_t check(struct ts_audit *audit)
{
	struct ts_audit_report report;

	assert_int_equal(ts_audit_check(audit, &report, &gone, &err), TS_OK);
	torn_at = report.torn;
	return report.broken;
}

/* Whoever wrote the log knows its end. */
static void its_writer_misses_what_is_gone(void **state)
{
	struct ts_audit_entry entry = note(1, "yes", false);
	struct ts_audit *audit;
	struct stat st;

	(void)state;
	assert_int_equal(ts_audit_open(path, 0, &audit, &err), TS_OK);
	assert_int_equal(check(audit), 0);
	assert_int_equal(gone, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ts_audit_add(audit, &entry, &err), TS_OK);
	assert_int_equal(check(audit), 0);
	assert_int_equal(gone, 0);
	replace("\"yes\"", "\"yet\"", 1);
	assert_int_equal(check(audit), 2);
	replace("\"yet\"", "\"yes\"", 0);
	/* Another chain to the same number, which nobody can tell who did not write the log. */
	replace("\"yes\"", "\"yet\"", 2);
	assert_int_equal(check(audit), 3);
	replace("\"yet\"", "\"yes\"", 0);
	assert_int_equal(check(audit), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size - 10), 0);
	assert_int_equal(check(audit), 0);
	assert_int_equal(gone, 1);
	assert_int_equal(torn_at, 1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(check(audit), 0);
	assert_int_equal(gone, 3);
	ts_audit_close(audit);
}

/* A line in which power was lost stands alone, and the chain goes on behind it. */
static void a_torn_line_is_counted(void **state)
{
	struct ts_audit_report report;
	FILE *file;

	(void)state;
	write_lines(0, 1, 2);
	file = fopen(path, "ab");
	assert_non_null(file);
	(void)fputs("{\"n\":3,\"at_ns\":12", file);
	(void)fclose(file);
	write_lines(0, 3, 2);
	report = report_of();
	assert_true(report.torn == 1 && report.broken == 0 && report.last == 4);
}

static void refusals_do_not_fill_the_disk(void **state)
{
	struct ts_audit_entry entry = note(7, "no", true);
	struct ts_audit_report report;
	struct ts_audit *audit;

	(void)state;
	assert_int_equal(ts_audit_open(path, 0, &audit, &err), TS_OK);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(ts_audit_add(audit, &entry, &err), TS_OK);
	entry = note(2000000000, "yes", false);
	assert_int_equal(ts_audit_add(audit, &entry, &err), TS_OK);
	ts_audit_close(audit);
	report = report_of();
	assert_int_equal(report.lines, TS_AUDIT_DENIED + 1);
}

static void no_line_is_trusted(void **state)
{
	static const char *const lines[] = {"", "{", "{}", "[1]", "{\"n\":1}", "{\"n\":-1,\"chain\":\"\"}",
					    "{\"n\":{\"a\":[1]},\"chain\":3}",
					    "{\"chain\":\"0\",\"n\":99999999999999999999999}"};
	struct ts_audit_entry entry;
	char chain[TS_AUDIT_CHAIN + 1];
	struct ts_arena arena;
	uint64_t n;

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		assert_int_not_equal(ts_audit_line_read(ts_span_str(lines[i]), &arena, &entry, &n, chain, &err), TS_OK);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_read_as_they_were_written, setup, teardown),
		cmocka_unit_test_setup_teardown(a_second_writer_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_changed_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(its_writer_misses_what_is_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(a_torn_line_is_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(refusals_do_not_fill_the_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(no_line_is_trusted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
