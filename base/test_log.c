#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static int old_stderr;
static FILE *captured;

/* Stderr goes to a file from here to end_capture(). */
static void begin_capture(void)
{
	captured = tmpfile();
	assert_non_null(captured);
	old_stderr = dup(STDERR_FILENO);
	assert_true(old_stderr >= 0);
	assert_true(dup2(fileno(captured), STDERR_FILENO) >= 0);
}

static void end_capture(struct ts_buf *out)
{
	struct ts_error err;
	uint8_t *at = ts_buf_reserve(out, 1 << 20);
	size_t n = 0;

	assert_true(dup2(old_stderr, STDERR_FILENO) >= 0);
	(void)close(old_stderr);
	assert_non_null(at);
	assert_int_equal(ts_pread_full(fileno(captured), at, 1 << 20, 0, &n, &err), TS_OK);
	out->len += n;
	ts_buf_char(out, '\0');
	(void)fclose(captured);
}

/* Checks that a line begins with the current time and returns what follows it. */
static const char *after_stamp(const struct ts_buf *out)
{
	const char *text = (const char *)out->data;
	int64_t ns;

	assert_memory_equal(text, "time=", 5);
	assert_int_equal(text[24], '.');
	assert_int_equal(text[28], 'Z');
	assert_true(ts_time_parse(ts_span_of(text + 5, 24), &ns));
	assert_true(ts_now_real_ns() - ns >= 0 && ts_now_real_ns() - ns < INT64_C(60000000000));
	return text + 29;
}

static void test_a_line(void **unused)
{
	struct ts_buf out = TS_BUF_INIT(4 << 20);
	struct ts_log line;

	(void)unused;
	begin_capture();
	ts_log_begin(&line, TS_LOG_INFO, "call");
	ts_log_str(&line, "method", "PutObjects");
	ts_log_i64(&line, "n", INT64_MIN);
	ts_log_ms(&line, "ms", 1234567);
	ts_log_ms(&line, "back", -1500000);
	ts_log_end(&line);
	end_capture(&out);
	assert_string_equal(after_stamp(&out), " level=info event=call method=PutObjects n=-9223372036854775808 ms=1.234 "
					       "back=-1.500\n");
	ts_buf_finish(&out);
}

static void test_values_cannot_forge_a_line(void **unused)
{
	struct ts_buf out = TS_BUF_INIT(4 << 20);
	struct ts_log line;

	(void)unused;
	begin_capture();
	ts_log_begin(&line, TS_LOG_WARNING, "x");
	ts_log_str(&line, "a", "two words");
	ts_log_str(&line, "b", "q\"uote");
	ts_log_str(&line, "c", "line\nlevel=error");
	ts_log_str(&line, "d", "");
	ts_log_str(&line, "e", NULL);
	ts_log_str(&line, "f", "k=v");
	ts_log_str(&line, "g", "\\");
	ts_log_str(&line, "h", "\x1b[0m\xFF");
	ts_log_span(&line, "i", ts_span_of("caf\xC3\xA9", 5));
	ts_log_end(&line);
	end_capture(&out);
	assert_string_equal(after_stamp(&out),
			    " level=warning event=x a=\"two words\" b=\"q\\\"uote\" c=\"line\\nlevel=error\" d=\"\" e=\"\" "
			    "f=\"k=v\" g=\"\\\\\" h=\"\\x1B[0m\\xFF\" i=caf\xC3\xA9\n");
	ts_buf_finish(&out);
}

static void test_levels(void **unused)
{
	struct ts_buf out = TS_BUF_INIT(4 << 20);
	struct ts_log line;

	(void)unused;
	begin_capture();
	ts_log_begin(&line, TS_LOG_DEBUG, "hidden");
	ts_log_str(&line, "a", "b");
	ts_log_end(&line);
	ts_log_set_level(TS_LOG_ERROR);
	ts_log_begin(&line, TS_LOG_WARNING, "hidden");
	ts_log_end(&line);
	ts_log_begin(&line, TS_LOG_ERROR, "shown");
	ts_log_end(&line);
	ts_log_set_level(TS_LOG_INFO);
	end_capture(&out);
	assert_string_equal(after_stamp(&out), " level=error event=shown\n");
	ts_buf_finish(&out);
}

/* Lines of every length around the limit are never longer than it, have one newline and paired quotes, and nothing
 * after the mark of a cut. */
static void test_long_lines_are_cut(void **unused)
{
	static char value[4096];
	struct ts_log line;

	(void)unused;
	for (size_t n = 1900; n < 2100; n++) {
		for (int kind = 0; kind < 3; kind++) {
			struct ts_buf out = TS_BUF_INIT(4 << 20);
			size_t quotes = 0;

			memset(value, kind == 1 ? ' ' : kind == 2 ? '\n' : 'v', n);
			value[n] = '\0';
			begin_capture();
			ts_log_begin(&line, TS_LOG_INFO, "x");
			ts_log_str(&line, "value", value);
			ts_log_str(&line, "after", "two words");
			ts_log_end(&line);
			end_capture(&out);
			(void)after_stamp(&out);
			assert_true(out.len - 1 <= 2048);
			assert_ptr_equal(strchr((const char *)out.data, '\n'), out.data + out.len - 2);
			for (size_t i = 0; i < out.len; i++)
				quotes += out.data[i] == '"';
			assert_int_equal(quotes % 2, 0);
			if (n > 2048 || kind == 2) {
				assert_non_null(strstr((const char *)out.data, "..."));
				assert_null(strstr((const char *)out.data, "after="));
			}
			ts_buf_finish(&out);
		}
	}
}

static void test_journal_priority(void **unused)
{
	struct ts_buf out = TS_BUF_INIT(4 << 20);
	struct ts_log line;

	(void)unused;
	assert_int_equal(setenv("JOURNAL_STREAM", "1:2", 1), 0);
	begin_capture();
	ts_log_begin(&line, TS_LOG_WARNING, "x");
	ts_log_end(&line);
	end_capture(&out);
	assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
	assert_memory_equal(out.data, "<4>time=", 8);
	ts_buf_finish(&out);
}

static void *log_lines(void *arg)
{
	struct ts_log line;

	for (int i = 0; i < 200; i++) {
		ts_log_begin(&line, TS_LOG_INFO, "t");
		ts_log_str(&line, "who", arg);
		ts_log_str(&line, "again", arg);
		ts_log_end(&line);
	}
	return NULL;
}

static void test_lines_of_threads_do_not_mix(void **unused)
{
	static char names[4][2] = {"a", "b", "c", "d"};
	struct ts_buf out = TS_BUF_INIT(4 << 20);
	pthread_t threads[4];
	size_t lines = 0;

	(void)unused;
	begin_capture();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, log_lines, names[i]), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	end_capture(&out);
	for (const char *p = (const char *)out.data; *p; p = strchr(p, '\n') + 1, lines++) {
		assert_memory_equal(p + 29, " level=info event=t who=", 24);
		assert_memory_equal(p + 54, " again=", 7);
		assert_int_equal(p[53], p[61]);
		assert_int_equal(p[62], '\n');
	}
	assert_int_equal(lines, 800);
	ts_buf_finish(&out);
}

static int set_up(void **unused)
{
	(void)unused;
	return unsetenv("JOURNAL_STREAM");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line),
		cmocka_unit_test(test_values_cannot_forge_a_line),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_long_lines_are_cut),
		cmocka_unit_test(test_journal_priority),
		cmocka_unit_test(test_lines_of_threads_do_not_mix),
	};

	return cmocka_run_group_tests_name("log", tests, set_up, NULL);
}
