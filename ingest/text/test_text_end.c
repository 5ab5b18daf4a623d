/* How a training ended, by lines as programs, launchers and schedulers print them; expectations are written by hand. */
#include "ingest/text/text_end.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Feeds lines; "#" is a line of a step, and "3|text" a line of rank 3. */
static struct ts_text_end fed(const char *const *lines)
{
	struct ts_text_end end = {.said = false};

	for (uint64_t n = 1; *lines; lines++, n++) {
		bool ranked = ts_is_digit((unsigned char)(*lines)[0]) && (*lines)[1] == '|';

		if (**lines == '#')
			ts_text_end_step(&end);
		else
			ts_text_end_line(&end, n, ranked ? (*lines)[0] - '0' : -1, ts_span_str(ranked ? *lines + 2 : *lines));
	}
	return end;
}

static void says(const char *const *lines, const char *want)
{
	struct ts_text_end end = fed(lines);
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_json j = ts_json_of(&out);

	ts_json_object(&j);
	ts_text_end_write(&end, &j);
	ts_json_end(&j);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_exceptions(void **unused)
{
	(void)unused;
	says(LINES("#", "Traceback (most recent call last):", "File \"train.py\", line 3, in <module>", "raise ValueError(\"x\")",
		   "ValueError: no batch of 3"),
	     "{\"end\":{\"cause\":\"exception\",\"type\":\"ValueError\",\"message\":\"no batch of 3\",\"record\":\"line 5\"}}");
	says(LINES("Traceback (most recent call last):", "ValueError: skipped", "#"), "{}"); /* it went on */
	says(LINES("ValueError: a line of a log, and no traceback"), "{}");
#define ENDS(type, message, line)                                                                                                      \
	"{\"end\":{\"cause\":\"exception\",\"type\":\"" type "\",\"message\":\"" message "\",\"record\":\"line " line "\"}}"
	/* Behind a frame any class may end a traceback; a word of a log, or a value, may not. */
	says(LINES("Traceback (most recent call last):", "  File \"a.py\", line 2, in <module>", "    raise Stop(\"x\")",
		   "__main__.Stop: asked"),
	     ENDS("__main__.Stop", "asked", "4"));
	says(LINES("Traceback (most recent call last):", "  File \"a.py\", line 2, in <module>", "INFO: saved", "Epoch: 3",
		   "Warning: y", "struct.error: short"),
	     ENDS("struct.error", "short", "6"));
	says(LINES("Traceback (most recent call last):", "Stop: no frame before it"), "{}");
	/* Of two that one led to the other the last is what nobody caught. */
	says(LINES("Traceback (most recent call last):", "  File \"a.py\", line 2, in f", "KeyError: 'k'", "",
		   "The above exception was the direct cause of the following exception:", "",
		   "Traceback (most recent call last):", "  File \"a.py\", line 3, in f", "RuntimeError: no key"),
	     ENDS("RuntimeError", "no key", "9"));
	/* What does not compile has no beginning of a traceback; a group has bars. */
	says(LINES("  File \"a.py\", line 1", "    def f(:", "          ^", "SyntaxError: invalid syntax"),
	     ENDS("SyntaxError", "invalid syntax", "4"));
	says(LINES("  + Exception Group Traceback (most recent call last):", "  |   File \"a.py\", line 1, in <module>",
		   "  | ExceptionGroup: several (2 sub-exceptions)", "  +-+---------------- 1 ----------------",
		   "    | ValueError: one"),
	     ENDS("ExceptionGroup", "several (2 sub-exceptions)", "3"));
	says(LINES("Traceback (most recent call last):", "File \"a.py\", line 3, in f",
		   "raise OSError(28, \"No space left on device\")", "OSError: [Errno 28] No space left on device",
		   "OSError: [Errno 28] No space left on device: 'b'"),
	     "{\"end\":{\"cause\":\"disk_full\",\"type\":\"OSError\",\"message\":\"[Errno 28] No space left on device\","
	     "\"record\":\"line 4\"}}");
	/* What the recorder says of its own files ends no training, and takes no other's place. */
	says(LINES("tscope: /r/recording.tscope: cannot write facts.json beside it: No space left on device; training goes on"), "{}");
	says(LINES("Traceback (most recent call last):", "RuntimeError: basic_ios::clear: iostream error",
		   "tscope: /r/recording.tscope: No space left on device; training goes on"),
	     "{\"end\":{\"cause\":\"disk_full\",\"type\":\"RuntimeError\",\"message\":\"basic_ios::clear: iostream error\","
	     "\"record\":\"line 2\"}}");
	says(LINES("tscope: /r/recording.tscope: No space left on device; training goes on", "Traceback (most recent call last):",
		   "ValueError: no such layer"),
	     "{\"end\":{\"cause\":\"exception\",\"type\":\"ValueError\",\"message\":\"no such layer\",\"record\":\"line 3\"}}");
	says(LINES("Traceback (most recent call last):", "OSError: [Errno 28] No space left on device"),
	     "{\"end\":{\"cause\":\"disk_full\",\"type\":\"OSError\",\"message\":\"[Errno 28] No space left on device\","
	     "\"record\":\"line 2\"}}");
	says(LINES("3|Traceback (most recent call last):", "KeyError: 'x'",
		   "3|torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"),
	     "{\"end\":{\"cause\":\"out_of_memory\",\"type\":\"torch.cuda.OutOfMemoryError\",\"message\":\"CUDA out of memory. Tried "
	     "to allocate 2.00 GiB\","
	     "\"ranks\":[3],\"record\":\"line 3\"}}");
	says(LINES("2024-03-19 olmo.util:163 CRITICAL Uncaught ValueError: nan loss encountered"),
	     "{\"end\":{\"cause\":\"nan\",\"type\":\"ValueError\",\"message\":\"nan loss encountered\",\"record\":\"line 1\"}}");
	says(LINES("Traceback (most recent call last):", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
		   "exitcode  : -9 (pid: 20836)"),
	     "{\"end\":{\"cause\":\"signal\",\"signal\":\"SIGKILL\",\"record\":\"line 3\"}}");
	says(LINES("Traceback (most recent call last):", "ValueError: a\xff"),
	     "{\"end\":{\"cause\":\"exception\",\"type\":\"ValueError\",\"record\":\"line 2\"}}"); /* no UTF-8 */
}

static void test_launchers_and_schedulers(void **unused)
{
	(void)unused;
	says(LINES("slurmstepd: error: *** JOB 17 ON n4 CANCELLED AT 2026-11-20T11:27:00 DUE TO TIME LIMIT ***"),
	     "{\"end\":{\"cause\":\"time_limit\",\"message\":\"slurmstepd: error: *** JOB 17 ON n4 CANCELLED AT 2026-11-20T11:27:00 "
	     "DUE TO TIME LIMIT ***\","
	     "\"record\":\"line 1\"}}");
	says(LINES("train.sh: line 3: 20836 Killed                  python train.py"),
	     "{\"end\":{\"cause\":\"signal\",\"signal\":\"SIGKILL\",\"record\":\"line 1\"}}");
	says(LINES("failed (exitcode: 1) local_rank: 3 (pid: 12) of binary: /usr/bin/python"),
	     "{\"end\":{\"exit\":1,\"cause\":\"exit_code\",\"record\":\"line 1\"}}");
	says(LINES("Sending process 12 closing signal SIGTERM", "exitcode  : -15 (pid: 12)", "exitcode: 0"), "{}");
	says(LINES("Killed the old logger", "we Killed 3 workers"), "{}");
	says(LINES("[after training is done] datetime: 2026-11-20 11:27:00"), "{\"end\":{\"state\":\"finished\"}}");
	says(LINES("[after training is done] datetime: 2026-11-20 11:27:00", "Segmentation fault (core dumped)"),
	     "{\"end\":{\"cause\":\"signal\",\"signal\":\"SIGSEGV\",\"message\":\"Segmentation fault (core dumped)\",\"record\":\"line "
	     "2\"}}");
}

static void test_who_waits(void **unused)
{
#define WAIT(rank, seq)                                                                                                                \
	"[E ProcessGroupNCCL.cpp:458] [Rank " rank "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" seq              \
	", OpType=BROADCAST, Timeout(ms)=600000)"
	(void)unused;
	says(LINES(WAIT("0", "900"), WAIT("5", "812"), WAIT("2", "901"), WAIT("5", "820")),
	     "{\"end\":{\"cause\":\"collective_timeout\",\"message\":\"rank 5 waits at collective 812, BROADCAST, the others at 900 "
	     "and later\",\"ranks\":[5],"
	     "\"record\":\"line 1\"}}");
	says(LINES(WAIT("0", "900"), WAIT("1", "900")), "{\"end\":{\"cause\":\"collective_timeout\",\"message\":\"all 2 ranks that say "
							"so wait at collective 900\",\"record\":\"line 1\"}}");
	says(LINES(WAIT("0", "900"),
		   "2|Traceback (most recent call last):", "2|RuntimeError: CUDA out of memory. Tried to allocate 1 GiB"),
	     "{\"end\":{\"cause\":\"out_of_memory\",\"type\":\"RuntimeError\",\"message\":\"CUDA out of memory. Tried to allocate 1 "
	     "GiB\",\"ranks\":[2],"
	     "\"record\":\"line 3\"}}"); /* who waits is no cause */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_launchers_and_schedulers),
		cmocka_unit_test(test_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
