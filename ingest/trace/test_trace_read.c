/* trace_read.h: what becomes of each kind of event, of each envelope that occurs, and of what is damaged. The expected rows were
 * written by hand from the text; each is read by every scanner through windows of 1 to 4,096 bytes. */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/helper.h"
#include "ingest/trace/test_trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#define EVENT "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":2}"
#define SHOWN "kernel 10000+2000 k pid 0 tid 7 device 0 stream 7\n"

static void expect(const char *json, const char *shown)
{
	struct test_trace t;

	test_trace_ok(&t, json);
	assert_string_equal(test_trace_show(&t), shown);
	test_trace_finish(&t);
}

static void expect_event(const char *event, const char *shown)
{
	char json[4096];

	(void)snprintf(json, sizeof json, "{\"traceEvents\": [%s]}", event);
	expect(json, shown);
}

static void expect_notice(const char *json, const char *shown, const char *code, uint64_t count)
{
	struct test_trace t;

	test_trace_ok(&t, json);
	assert_string_equal(test_trace_show(&t), shown);
	if (!code)
		assert_int_equal(t.notices.n, 0);
	else
		assert_int_equal(test_trace_notice(&t, code), count);
	test_trace_finish(&t);
}

static void expect_error(const char *json, enum ts_status status, const char *text)
{
	struct test_trace t;

	assert_int_equal(test_trace_read(&t, ts_span_str(json)), status);
	assert_string_equal(t.err.text, text);
	test_trace_finish(&t);
}

static void each_kind_of_event(void **state)
{
	(void)state;
	expect_event(
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void gemm<4, 1>(int)\", \"pid\": 1, \"tid\": 20,\n\"ts\": "
		"1694128201435418, "
		"\"dur\": 52, \"args\": {\"External id\": 1025, \"queued\": 0, \"device\": 1, \"context\": 1, \"stream\": 20, "
		"\"correlation\": 77, "
		"\"grid\": [1, 2, 3], \"Collective name\": \"allreduce\", \"Process Group Name\": \"0\"}}",
		"kernel 1694128201435418000+52000 void gemm<4, 1>(int) pid 1 tid 20 device 1 stream 20 correlation 77 external 1025 "
		"collective allreduce group 0 {kernel grid [1,2,3]}\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"pid\":0,\"tid\":7,\"ts\":5.123,\"dur\":0.001,"
		     "\"args\":{\"bytes\":4096,\"stream\":7,\"device\":0}}",
		     "copy 5123+1 Memcpy HtoD pid 0 tid 7 device 0 stream 7 bytes 4096\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"Memset\",\"pid\":3,\"tid\":0,\"ts\":0,\"dur\":0}",
		     "fill 0+0 Memset pid 3 tid 0 device 3 stream 0\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":9,\"tid\":9,\"ts\":1,\"dur\":1,"
		     "\"args\":{\"stream\":7,\"Input Dims\":[[2, 3], [3,\n 4], []]}}",
		     "operator 1000+1000 aten::mm pid 9 tid 9 shapes [[2,3],[3,4],[]]\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,\"ts\":1,\"dur\":1,"
		     "\"args\":{\"cbid\":211,\"correlation\":18446744073709551615}}",
		     "runtime 1000+1000 cudaLaunchKernel pid 9 tid 9 correlation -1\n");
	expect_event(
		"{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1}",
		"device-annotation 1000+1000 ProfilerStep#3 pid 0 tid 7 device 0 stream 7\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"mtia_ccp_events\",\"name\":\"x\",\"pid\":\"Spans\",\"tid\":\"A\",\"ts\":1,\"dur\":1}",
		     "other 1000+1000 x category:mtia_ccp_events pid:Spans tid:A\n");
	expect_event("{\"ph\":\"s\",\"id\":5,\"pid\":1,\"tid\":2,\"ts\":3,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
		     "{\"ph\":\"f\",\"id\":\"5\",\"pid\":0,\"tid\":7,\"ts\":4,\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}",
		     "flow from 3000 id 5 ac2g pid 1 tid 2\nflow to 4000 id 5 ac2g pid 0 tid 7\n");
	expect_event("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":2,\"args\":{\"Total Reserved\":9,"
		     "\"Total Allocated\":8,\"Bytes\":-512,\"Device Id\":0,\"Device Type\":1,\"Addr\":139443981778944}}",
		     "memory 2000 bytes -512 at 139443981778944 allocated 8 reserved 9 type 1 device 0\n");
	expect_event("{\"ph\":\"C\",\"name\":\"GPU 0\",\"pid\":0,\"ts\":2,\"args\":{\"util\":0.5,\"text\":\"x\",\"sm\":3}}",
		     "counter 2000 = 0.5 GPU 0.util\ncounter 2000 = 3 GPU 0.sm\n");
}

/* JSON lets any letter of a name be an escape. */
static void names_with_escapes(void **state)
{
	(void)state;
	expect_event(
		"{\"p\\u0068\":\"\\u0058\",\"\\u0063at\":\"kerne\\u006C\",\"name\":\"\\u0061\",\"pid\":1,\"\\u0074\\u0069\\u0064\":2,"
		"\"t\\u0073\":3,\"dur\":4,\"args\":{\"corr\\u0065lation\":5,\"dev\\u00efce\":6,\"dev\\nice\":7,\"\":8}}",
		"kernel 3000+4000 a pid 1 tid 2 device 1 stream 2 correlation 5\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"a\\/b\",\"name\":\"x\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":4}",
		     "other 3000+4000 x category:a/b pid 1 tid 2\n");
	expect("{\"trace\\u0045vents\":[{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":4}]}",
	       "other 3000+4000 x pid 1 tid 2\n");
}

/* The scanner expects a key to be as long as the last one behind the same key. Here it is not, though a quote, a colon and a value
 * stand where it would end. */
static void keys_of_other_lengths_than_before(void **state)
{
	(void)state;
	expect_event("{\"ph\": \"X\", \"name\": \"a\", \"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 1},\n"
		     "{\"ph\": \"X\", \"n\": \": x\", \"name\": \"b\", \"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1, \"ts\": 2, "
		     "\"dur\": 1},\n"
		     "{\"ph\": \"X\", \"name\" : \"c\", \"cat\":\"cpu_op\", \"pid\": 1, \"tid\": 1, \"t\\\": 9, \": 8, \"ts\": 3, "
		     "\"dur\": 1},\n"
		     "{\"ph\": \"X\", \"name\": \"d\", \"cat\": \"cpu_op\", \"pid\": 1, \"tid\": 1, \"ts\":\n4, \"dur\":  1}",
		     "operator 1000+1000 a pid 1 tid 1\noperator 2000+1000 b pid 1 tid 1\noperator 3000+1000 c pid 1 tid 1\n"
		     "operator 4000+1000 d pid 1 tid 1\n");
	expect_error("[{\"ph\": \"X\", \"name\": \"a\", \"ts\" 1, \"dur\": 1}, {\"ph\": \"X\", \"name\" \"b\"}]", TS_INVALID,
		     "t.json: byte 31: expected ':'");
}

/* Some platforms write pointers as streams. The low 31 bits of 140437593604096 are 752959488 of 2147483648. */
static void numbers_of_more_than_32_bits(void **state)
{
#define ON(stream, ts) KERNEL_ON(#stream, #ts)
#define KERNEL_ON(stream, ts)                                                                                                          \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":1,\"ts\":" ts ",\"dur\":1,\"args\":{\"stream\":" stream "}}"
	static const char far_apart[] = "{\"traceEvents\":[" ON(140437593604096, 1) "," ON(140437593604352, 2) "," ON(7, 3) "," ON(
		140437593604096, 4) "," ON(4294967303, 5) "]}";

	(void)state;
	expect_notice(far_apart,
		      "kernel 1000+1000 k pid 0 tid 1 device 0 stream -1394524160\n"
		      "kernel 2000+1000 k pid 0 tid 1 device 0 stream -1394523904\n"
		      "kernel 3000+1000 k pid 0 tid 1 device 0 stream 7\n"
		      "kernel 4000+1000 k pid 0 tid 1 device 0 stream -1394524160\n"
		      "kernel 5000+1000 k pid 0 tid 1 device 0 stream -2147483641\n",
		      "trace_place", 3);
	/* Two with the same low bits, the least number of the columns, and those that stay. */
	expect_notice("{\"traceEvents\":[" ON(4294967295, 1) "," ON(-1, 2) "," ON(4294967296, 3) "," ON(-2147483647, 4) "]}",
		      "kernel 1000+1000 k pid 0 tid 1 device 0 stream -1\n"
		      "kernel 2000+1000 k pid 0 tid 1 device 0 stream -2147483647\n"
		      "kernel 3000+1000 k pid 0 tid 1 device 0 stream -2147483646\n"
		      "kernel 4000+1000 k pid 0 tid 1 device 0 stream -2147483645\n",
		      "trace_place", 4);
	expect_notice("{\"traceEvents\":[" ON(-1, 1) "]}", "kernel 1000+1000 k pid 0 tid 1 device 0 stream -1\n", NULL, 0);
}

static void numbers_that_are_whole(void **state)
{
	(void)state;
	expect_event("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1.0,\"tid\":7.00,\"ts\":3.0,\"dur\":4,"
		     "\"args\":{\"correlation\":-50.0,\"External id\":70.5,\"bytes\":1e3}}",
		     "kernel 3000+4000 k pid 1 tid 7 device 1 stream 7 correlation -50\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":\"1\",\"tid\":\"7\",\"ts\":3,\"dur\":4}",
		     "kernel 3000+4000 k pid:1 tid:7 device 1 stream 7\n");
	expect_event("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":\"GPU 1\",\"tid\":\"\",\"ts\":3,\"dur\":4}",
		     "kernel 3000+4000 k pid:GPU 1\n");
}

static void calls_of_other_platforms(void **state)
{
	static const char *const categories[] = {"cuda_driver",	 "xpu_runtime",		"xpu_driver",
						 "mtia_runtime", "privateuse1_runtime", "privateuse1_driver"};

	(void)state;
	for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++) {
		char json[256];

		(void)snprintf(json, sizeof json,
			       "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"launch\",\"pid\":9,\"tid\":9,\"ts\":1,\"dur\":1,"
			       "\"args\":{\"correlation\":5}}",
			       categories[i]);
		expect_event(json, "runtime 1000+1000 launch pid 9 tid 9 correlation 5\n");
	}
	expect_event("{\"ph\":\"X\",\"cat\":\"runtime\",\"name\":\"x\",\"pid\":9,\"tid\":9,\"ts\":1,\"dur\":1}",
		     "other 1000+1000 x category:runtime pid 9 tid 9\n");
}

#define CALL(pid)                                                                                                                      \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\",\"ts\":1,\"dur\":1,\"tid\":9,\"args\":{\"correlation\":5},"        \
	"\"pid\":" pid "}"
#define CALLED(pid) "runtime 1000+1000 launch pid" pid " tid 9 correlation 5\n"

static void calls_of_two_processes(void **state)
{
	(void)state;
	expect_notice("[" CALL("7") "," CALL("7") "]", CALLED(" 7") CALLED(" 7"), NULL, 0);
	expect_notice("[" CALL("7") "," CALL("8") "," CALL("7") "," CALL("8") "]", CALLED(" 7") CALLED(" 8") CALLED(" 7") CALLED(" 8"),
		      "trace_processes", 2);
	expect_notice("[" CALL("\"a\"") "," CALL("\"b\"") "]", CALLED(":a") CALLED(":b"), "trace_processes", 1);
}

static void names_of_2021(void **state)
{
	(void)state;
	expect_event("{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":0,\"tid\":\"stream 7\",\"ts\":1,\"dur\":1},"
		     "{\"ph\":\"X\",\"cat\":\"Memcpy\",\"name\":\"c\",\"pid\":0,\"tid\":\"stream "
		     "8\",\"ts\":1,\"dur\":1,\"args\":{\"external id\":4}},"
		     "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"ProfilerStep#1\",\"pid\":5,\"tid\":\"5\",\"ts\":1,\"dur\":1},"
		     "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"aten::add\",\"pid\":5,\"tid\":\"5\",\"ts\":1,\"dur\":1}",
		     "kernel 1000+1000 k pid 0 tid:stream 7 device 0 stream 7\n"
		     "copy 1000+1000 c pid 0 tid:stream 8 device 0 stream 8 external 4\n"
		     "annotation 1000+1000 ProfilerStep#1 pid 5 tid:5\n"
		     "operator 1000+1000 aten::add pid 5 tid:5\n");
}

/* As torch.autograd.profiler wrote them before categories: an event of another process, or of none, is no work of a device. */
static void names_of_2020(void **state)
{
	(void)state;
	expect_event("{\"name\":\"add\",\"ph\":\"X\",\"ts\":1,\"dur\":3,\"tid\":1,\"pid\":\"CPU functions\",\"args\":{}},"
		     "{\"name\":\"add\",\"ph\":\"X\",\"ts\":2,\"dur\":5,\"tid\":3,\"pid\":\"CUDA functions\",\"args\":{}},"
		     "{\"name\":\"add\",\"ph\":\"X\",\"ts\":2,\"dur\":5,\"tid\":3,\"pid\":\"CUDA\",\"args\":{}}",
		     "operator 1000+3000 add pid:CPU functions tid 1\n"
		     "kernel 2000+5000 add pid:CUDA functions tid 3 device 3\n"
		     "other 2000+5000 add pid:CUDA tid 3\n");
}

static void times_are_exact(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
		bool rounded;
	} cases[] = {
		{"0", 0, false},
		{"1694128201435418", INT64_C(1694128201435418000), false},
		{"1694128201435418.123", INT64_C(1694128201435418123), false},
		{"9007199254740993", INT64_C(9007199254740993000), false}, /* 2^53 + 1 */
		{"9223372036854775.807", INT64_MAX, false},
		{"2413669096090.100", INT64_C(2413669096090100), false},
		{"0.1", 100, false},
		{"0.12", 120, false},
		{"0.1230000000000000000000000", 123, false},
		{"0.0005", 0, true}, /* halves to the even one */
		{"0.0015", 2, true},
		{"0.0025", 2, true},
		{"0.00250000000000000000000001", 3, true},
		{"0.0024999999999999999999999999999", 2, true},
		{"1.5e3", 1500000, false},
		{"1.6941282014354180e+15", INT64_C(1694128201435418000), false},
		{"12345678E-3", 12345678, false},
		{"1e-400", 0, true},
		{"\"1694128201435418.5\"", INT64_C(1694128201435418500), false},
		{"-1.5", -1500, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char json[256], shown[128];

		(void)snprintf(json, sizeof json, "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":%s,\"dur\":0}]",
			       cases[i].text);
		(void)snprintf(shown, sizeof shown, "operator %" PRId64 "+0 a\n", cases[i].ns);
		expect_notice(json, shown, cases[i].rounded ? "trace_rounded" : NULL, 1);
	}
}

static void times_that_are_none(void **state)
{
	static const char *const cases[] = {
		"NaN", "Infinity", "-Infinity", "null", "\"soon\"", "[1]", "9223372036854775.808", "9999999999999999", "1e30", "true"};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char json[256];

		(void)snprintf(json, sizeof json, "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":%s,\"dur\":0}," EVENT "]", cases[i]);
		expect_notice(json, SHOWN, "trace_no_time", 1);
	}
	expect_notice("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1}]", "", "trace_no_time", 1);
	expect_notice("[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":1,\"dur\":-5}]", "operator 1000+0 a\n", "trace_negative",
		      1);
	expect_notice("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":9223372036854775,\"dur\":1}]", "", "trace_no_time", 1);
	expect_error("[{\"ph\":\"X\",\"ts\":-1.-23}]", TS_INVALID, "t.json: byte 16: expected a number");
}

static void every_envelope(void **state)
{
	static const char *const same[] = {
		"[" EVENT "]",
		"\xef\xbb\xbf[\r\n" EVENT "\r\n]\r\n",
		"{\"traceEvents\":[" EVENT "]}",
		"{\"schemaVersion\":1,\"x\":{\"a\":[NaN,-Infinity]},\"traceEvents\":[" EVENT "],\"traceName\":\"n\"}",
		"{\"traceEvents\":[" EVENT ",]}",
		"{\"traceEvents\":[],\"traceEvents\":[" EVENT "]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
		expect(same[i], SHOWN);
	expect_notice("[" EVENT ",\n", SHOWN, "trace_unclosed", 1);
	expect_notice("[" EVENT, SHOWN, "trace_unclosed", 1);
	expect_notice("{\"traceEvents\":[" EVENT ",", SHOWN, "trace_cut", 1);
	expect_notice("{\"traceEvents\":[" EVENT ",{\"ph\":\"X\",\"cat\":\"ker", SHOWN, "trace_cut", 1);
	expect_notice("[" EVENT ",{\"ph\":\"X\",\"ts\":12", SHOWN, "trace_cut", 1);
	expect_notice("{\"traceEvents\":[" EVENT "],\"INFO\":[\"a", SHOWN, "trace_cut", 1);
	expect_notice("{\"traceEvents\":[" EVENT "]} x", SHOWN, "trace_trailing", 1);
	expect_notice("{\"traceEvents\":[" EVENT ", 3, null, {}, \"x\"]}", SHOWN, "trace_not_event", 4);
}

static void what_a_trace_says_of_itself(void **state)
{
	struct test_trace t;

	(void)state;
	test_trace_ok(&t, "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"Tesla \\u0056100\", "
			  "\"totalGlobalMem\": 34079899648, "
			  "\"numSms\": 80, \"x\": [1, {\"id\": 9}]}, {\"id\": 1, \"name\": \"\"}],\n\"distributedInfo\": {\"backend\": "
			  "\"nccl\", \"rank\": 3, "
			  "\"world_size\": 8, \"pg_config\": [{\"rank\": 7}]}, \"traceEvents\": [" EVENT
			  "], \"traceName\": \"/tmp/a.json\", "
			  "\"baseTimeNanoseconds\": 1727743122000000000, \"cupti_version\": 22}");
	assert_int_equal(t.trace.about.schema, 1);
	assert_int_equal(t.trace.about.base_ns, INT64_C(1727743122000000000));
	assert_int_equal(t.trace.about.rank, 3);
	assert_int_equal(t.trace.about.world_size, 8);
	assert_true(ts_span_is(t.trace.about.backend, "nccl"));
	assert_true(ts_span_is(t.trace.about.trace_name, "/tmp/a.json"));
	assert_int_equal(t.trace.about.n_devices, 2);
	assert_true(ts_span_is(t.trace.about.devices[0].name, "Tesla V100"));
	assert_int_equal(t.trace.about.devices[0].id, 0);
	assert_int_equal(t.trace.about.devices[0].memory_bytes, INT64_C(34079899648));
	assert_int_equal(t.trace.about.devices[0].multiprocessors, 80);
	assert_int_equal(t.trace.about.devices[1].id, 1);
	assert_true(t.trace.about.devices[1].memory_bytes == TS_TRACE_NONE);
	assert_int_equal(t.trace.about.n_said, 6);
	assert_true(ts_span_is(t.trace.about.said[5].key, "cupti_version"));
	assert_true(ts_span_is(t.trace.about.said[5].json, "22"));
	test_trace_finish(&t);
	test_trace_ok(&t, "[" EVENT "]");
	assert_true(t.trace.about.rank == TS_TRACE_NONE && t.trace.about.schema == TS_TRACE_NONE);
	test_trace_finish(&t);
	expect_notice("{\"x\": [tru], \"traceEvents\":[" EVENT "]}", SHOWN, "trace_metadata", 1);
}

static void names_of_threads(void **state)
{
	struct test_trace t;

	(void)state;
	test_trace_ok(&t, "[{\"name\":\"process_name\",\"ph\":\"M\",\"ts\":1,\"pid\":4,\"tid\":0,\"args\":{\"name\":\"python\"}},"
			  "{\"name\":\"process_labels\",\"ph\":\"M\",\"ts\":1,\"pid\":4,\"tid\":0,\"args\":{\"labels\":\"GPU 0\"}},"
			  "{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":1,\"pid\":4,\"tid\":5,\"args\":{\"name\":\"stream 5\"}}]");
	assert_int_equal(t.trace.n_threads, 2);
	assert_true(ts_span_is(t.trace.names[t.trace.threads[0].process], "python"));
	assert_true(ts_span_is(t.trace.names[t.trace.threads[0].label], "GPU 0"));
	assert_true(ts_span_is(t.trace.names[t.trace.threads[1].thread], "stream 5"));
	test_trace_finish(&t);
}

static void texts_read_as_they_should(void **state)
{
	(void)state;
	/* The same name in two spellings is one. */
	expect_event("{\"ph\":\"X\",\"name\":\"a\\u0062\\n\\\"\",\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"ab\\n\\u0022\",\"ts\":2,"
		     "\"dur\":1}",
		     "other 1000+1000 ab\n\"\nother 2000+1000 ab\n\"\n");
	expect_event("{\"ph\":\"X\",\"name\":\"\\ud83d\\ude00 \\ud83d\",\"ts\":1,\"dur\":1}",
		     "other 1000+1000 \xf0\x9f\x98\x80 \xef\xbf\xbd\n");
	expect_notice("[{\"ph\":\"X\",\"name\":\"C:\\Users\\x\",\"ts\":1,\"dur\":1}]", "other 1000+1000 C:\\Users\\x\n", "trace_name",
		      1);
	expect_notice("[{\"ph\":\"X\",\"name\":\"em\xff\xfepty\",\"ts\":1,\"dur\":1}]",
		      "other 1000+1000 em\xef\xbf\xbd\xef\xbf\xbdpty\n", "trace_name", 1);
	/* A byte that differs from a quote in its highest bit alone, and an escape that reads as another text is written. */
	expect_event("{\"ph\":\"X\",\"name\":\"\xc2\xa2\",\"ts\":1,\"dur\":1}", "other 1000+1000 \xc2\xa2\n");
	expect_event("{\"ph\":\"X\",\"name\":\"a\\\\n\",\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"a\\n\",\"ts\":1,\"dur\":1}",
		     "other 1000+1000 a\\n\nother 1000+1000 a\n\n");
	/* Of two members of one name the last counts. */
	expect_event("{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"name\":\"b\",\"ts\":5}", "other 5000+1000 b\n");
	expect_notice("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":"
		      "99999999999999999999,"
		      "\"device\":1.5}}]",
		      "kernel 1000+1000 k pid 0 device 0\n", "trace_number", 1);
}

static void begins_and_ends_are_paired(void **state)
{
	(void)state;
	/* a [1, 9] with b [2, 4] and c [4, 6] in it on one thread, d [3, 8] on another; not in order. */
	expect_notice("[{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":9},{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":"
		      "1,\"ts\":1},"
		      "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":2},{\"ph\":\"E\",\"pid\":1,\"tid\":1,"
		      "\"ts\":4},"
		      "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":4},"
		      "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"d\",\"pid\":1,\"tid\":2,\"ts\":3},{\"ph\":\"E\",\"pid\":1,\"tid\":2,"
		      "\"ts\":8},"
		      "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":6}]",
		      "operator 1000+8000 a pid 1 tid 1\noperator 2000+2000 b pid 1 tid 1\noperator 4000+2000 c pid 1 tid 1\n"
		      "operator 3000+5000 d pid 1 tid 2\n",
		      NULL, 0);
	/* The outer of two that begin and end together comes first. */
	expect_notice("[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1},{\"ph\":\"B\",\"name\":\"b\",\"ts\":1},{\"ph\":\"E\",\"ts\":2},"
		      "{\"ph\":\"E\",\"ts\":2}]",
		      "other 1000+1000 a\nother 1000+1000 b\n", NULL, 0);
	expect_notice("[{\"ph\":\"E\",\"tid\":1,\"ts\":9},{\"ph\":\"B\",\"name\":\"a\",\"tid\":1,\"ts\":10},{\"ph\":\"B\",\"name\":"
		      "\"a\",\"tid\":2,\"ts\":1}]",
		      "", "trace_unpaired", 3);
	expect_notice("[{\"ph\":\"B\",\"name\":\"a\",\"tid\":1,\"ts\":1},{\"ph\":\"E\",\"tid\":2,\"ts\":5}]", "", "trace_unpaired", 2);
}

#define SPAN(cat, name) "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"ts\":1,\"dur\":1"

static void what_operators_say(void **state)
{
	(void)state;
	expect_event(SPAN("cpu_op", "aten::mm") ",\"args\":{\"External id\":2,\"Sequence number\": 71, \"Fwd thread id\": 0,"
						"\"Call stack\": \"a.py(3): f;b.py(9): <module>\", \"Module Hierarchy\": \"TOP(Net)\","
						"\"Input type\": [\"long int\", \"\"], \"Concrete Inputs\": [\"\", \"4\\\\\\\" 5\"],"
						"\"Input Dims\": [[2, 3], []]}}",
		     "operator 1000+1000 aten::mm external 2 shapes [[2,3],[]] {operator sequence 71 forward-thread 0 "
		     "stack a.py(3): f;b.py(9): <module> module TOP(Net) types [\"long int\",\"\"] inputs [\"\",\"4\\\\\\\" 5\"]}\n");
	/* What is empty, null or of another type says nothing; a number may be a text. */
	expect_event(SPAN("cpu_op", "a") ",\"args\":{\"Call stack\":\"\",\"Module Hierarchy\":null,\"Sequence number\":1.5,"
					 "\"Input type\":\"Float\",\"Concrete Inputs\":{\"a\":1},\"Fwd thread id\":\"x\"}}",
		     "operator 1000+1000 a\n");
	expect_event(SPAN("Operator", "a") ",\"args\":{\"Sequence number\":\"-7\",\"Input dims\":[[1],\n[]]}}",
		     "operator 1000+1000 a shapes [[1],[]] {operator sequence -7}\n");
	expect_event(SPAN("user_annotation", "a") ",\"args\":{\"Call stack\":\"x\\\\y\"}}",
		     "annotation 1000+1000 a {operator stack x\\y}\n");
	expect_notice("[" SPAN("cpu_op", "a") ",\"args\":{\"Sequence number\":\"99999999999999999999\",\"Fwd thread id\":3}}]",
		      "operator 1000+1000 a {operator forward-thread 3}\n", "trace_number", 1);
}

/* Names of a process or a thread, and a span without a category there. */
#define NAMED(what, place, name) "{\"ph\":\"M\",\"name\":\"" what "\"," place ",\"args\":{\"name\":\"" name "\"}},"
#define BARE(place, name) "{\"ph\":\"X\"," place ",\"name\":\"" name "\",\"ts\":1,\"dur\":1"
#define STREAM NAMED("thread_name", "\"pid\":1,\"tid\":2", "Stream #14(Compute)")
#define GPU NAMED("process_name", "\"pid\":1", "/device:GPU:3") STREAM
#define TPU NAMED("process_name", "\"pid\":5", "/device:TPU:0") NAMED("thread_name", "\"pid\":5,\"tid\":2", "XLA Ops")
#define AT_HOST "\"pid\":701,\"tid\":1"
#define HOST NAMED("process_name", "\"pid\":701", "/host:CPU") NAMED("thread_name", "\"pid\":701,\"tid\":1", "python")

/* JAX writes no categories, but names its processes and threads. */
static void lanes_of_xla(void **state)
{
	(void)state;
	expect_notice("[" GPU BARE("\"pid\":1,\"tid\":2", "gemm_fusion_dot_0") ",\"args\":{\"correlation_id\":\"7\"}},"
		      BARE("\"pid\":1,\"tid\":2", "MemcpyD2D") "}," BARE("\"pid\":1,\"tid\":2", "Memset") "}]",
		      "kernel 1000+1000 gemm_fusion_dot_0 pid 1 tid 2 device 3 stream 14 correlation 7\n"
		      "copy 1000+1000 MemcpyD2D pid 1 tid 2 device 3 stream 14\n"
		      "fill 1000+1000 Memset pid 1 tid 2 device 3 stream 14\n",
		      "trace_lanes", 3);
	expect_notice("[" TPU BARE("\"pid\":5,\"tid\":2", "fusion.3") "}]",
		      "kernel 1000+1000 fusion.3 pid 5 tid 2 device 0 stream 0\n", "trace_lanes", 1);
	/* What only runs others is no work of its own. */
	expect_notice("[" TPU BARE("\"pid\":5,\"tid\":2", "while.3") "}," BARE("\"pid\":5,\"tid\":2", "conditional") "},"
		      BARE("\"pid\":5,\"tid\":2", "call.12") "}," BARE("\"pid\":5,\"tid\":2", "callback.1") "}]",
		      "device-annotation 1000+1000 while.3 pid 5 tid 2 device 0 stream 0\n"
		      "device-annotation 1000+1000 conditional pid 5 tid 2 device 0 stream 0\n"
		      "device-annotation 1000+1000 call.12 pid 5 tid 2 device 0 stream 0\n"
		      "kernel 1000+1000 callback.1 pid 5 tid 2 device 0 stream 0\n",
		      "trace_lanes", 4);
	expect_notice("[" HOST BARE(AT_HOST, "$train.py:12 step") "}," BARE(AT_HOST, "cuLaunchKernel")
		      ",\"args\":{\"correlation_id\":7}}," BARE(AT_HOST, "cumulative") "}]",
		      "python 1000+1000 $train.py:12 step pid 701 tid 1\n"
		      "runtime 1000+1000 cuLaunchKernel pid 701 tid 1 correlation 7\n"
		      "annotation 1000+1000 cumulative pid 701 tid 1\n",
		      "trace_lanes", 3);
	/* Other threads of a device say the same time again; a category counts more; names that come later are too late. */
	expect_event(GPU NAMED("thread_name", "\"pid\":1,\"tid\":9", "XLA Modules") BARE("\"pid\":1,\"tid\":9", "jit_step") "}",
		     "other 1000+1000 jit_step pid 1 tid 9\n");
	expect_event(GPU BARE("\"pid\":1,\"tid\":2", "a") ",\"cat\":\"cpu_op\"}", "operator 1000+1000 a pid 1 tid 2\n");
	expect_event(BARE("\"pid\":1,\"tid\":2", "a") "}," GPU BARE("\"pid\":1,\"tid\":4", "b") "}",
		     "other 1000+1000 a pid 1 tid 2\nother 1000+1000 b pid 1 tid 4\n");
}

static void what_frames_say(void **state)
{
	(void)state;
	expect_event(
		SPAN("python_function", "f") ",\"args\":{\"Python id\":1,\"Python parent id\":null,\"Ev Idx\":3}}," SPAN(
			"python_function", "nn.Module: Linear_0") ",\"args\":{\"Python id\":5000000000,\"Python parent id\":1,\"Python "
								  "module id\":0}}," SPAN("python_function", "g") "}",
		"python 1000+1000 f {frame id 1}\n"
		"python 1000+1000 nn.Module: Linear_0 {frame id 5000000000 parent 1 module 0}\n"
		"python 1000+1000 g\n");
}

static void what_kernels_say(void **state)
{
	(void)state;
	expect_event(SPAN("kernel", "k") ",\"args\":{\"grid\": [32, 1, 1], \"block\":[256,1,1],\"est. achieved occupancy %\": 31,"
					 "\"warps per SM\":0.5925926,\"registers per thread\":32,\"shared memory\":0,\"graph id\":0}}",
		     "kernel 1000+1000 k {kernel grid [32,1,1] block [256,1,1] occupancy 31 warps 0.592593 registers 32 shared 0 graph "
		     "0}\n");
	expect_event(SPAN("kernel", "k") ",\"args\":{\"est. achieved occupancy %\":\"1e1\",\"warps per SM\":NaN,\"grid\":\"1\"}}",
		     "kernel 1000+1000 k {kernel occupancy 10}\n");
	expect_event(SPAN("kernel", "k") ",\"args\":{\"est. achieved occupancy %\":1e999,\"warps per SM\":\"\",\"block\":null}}",
		     "kernel 1000+1000 k\n");
	/* A launch of ROCm, and an operator of Triton. */
	expect_event(SPAN("cuda_runtime", "hipLaunchKernel") ",\"args\":{\"grid\":[1,1,1],\"shared memory\":5}}," SPAN(
			     "cpu_op", "triton") ",\"args\":{\"grid\":\"grid(100,)\",\"stream\":0}}",
		     "runtime 1000+1000 hipLaunchKernel\noperator 1000+1000 triton\n");
}

static void what_collectives_say(void **state)
{
	(void)state;
	expect_event(
		SPAN("kernel", "ncclDevKernel") ",\"args\":{\"Collective name\":\"allreduce\",\"In msg nelems\":8,\"Out msg nelems\":9,"
						"\"Group size\":2,\"dtype\":\"BFloat16\",\"Process Group Name\":\"0\",\"Process Group "
						"Description\":\"default_pg\",\"Process Group Ranks\":\"[0, 1]\",\"Seq\":4}}",
		"kernel 1000+1000 ncclDevKernel collective allreduce group 0 {collective in 8 out 9 of 2 sequence 4 type BFloat16 "
		"ranks [0, 1] about default_pg}\n");
	expect_event(SPAN("cpu_op",
			  "record_param_comms") ",\"args\":{\"Sequence number\":3,\"Group size\":\"8\",\"Process Group Ranks\":[0, "
						"1]}}",
		     "operator 1000+1000 record_param_comms {operator sequence 3} {collective of 8 ranks [0,1]}\n");
	expect_event(SPAN("cpu_op", "record_param_comms") ",\"args\":{\"Rank\":2}}," SPAN(
			     "kernel",
			     "ncclDevKernel") ",\"args\":{\"Src Rank\":0}}," SPAN("kernel",
										  "ncclDevKernel") ",\"args\":{\"Dst Rank\":\"12\"}}",
		     "operator 1000+1000 record_param_comms {collective rank 2}\nkernel 1000+1000 ncclDevKernel {collective from 0}\n"
		     "kernel 1000+1000 ncclDevKernel {collective to 12}\n");
}

static void what_waits_say(void **state)
{
	(void)state;
	expect_event(
		SPAN("cuda_sync", "Stream Wait Event") ",\"args\":{\"cuda_sync_kind\":\"Stream Wait Event\",\"stream\":-1,\"wait_on_"
						       "stream\":7,\"wait_on_cuda_event_id\":8,\"wait_on_cuda_event_record_corr_id\":"
						       "1533,\"device\":0}}",
		"sync 1000+1000 Stream Wait Event device 0 stream -1 {sync what Stream Wait Event on 7 event 8 recorded-by 1533}\n");
}

static void pairs_keep_what_they_say(void **state)
{
	(void)state;
	/* a [1, 9] and b [2, 4] on one thread, of which b ends first; c never ends. They come in the order of their begins. */
	expect_notice("[{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":1,\"args\":{\"Sequence number\":1}},"
		      "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"c\",\"ts\":1,\"tid\":4,\"args\":{\"Sequence number\":3}},"
		      "{\"ph\":\"B\",\"cat\":\"python_function\",\"name\":\"b\",\"ts\":2,\"args\":{\"Python id\":2}},"
		      "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":3,\"tid\":5,\"args\":{\"block\":[1]}},"
		      "{\"ph\":\"E\",\"ts\":4},{\"ph\":\"E\",\"ts\":9},{\"ph\":\"E\",\"ts\":5,\"tid\":5}," EVENT "]",
		      SHOWN
		      "operator 1000+8000 a {operator sequence 1}\npython 2000+2000 b {frame id 2}\nkernel 3000+2000 k tid 5 stream 5 "
		      "{kernel block [1]}\n",
		      "trace_unpaired", 1);
}

/* Each third span says something, so that rows of details lie behind the ends of batches. */
static void details_behind_a_batch(void **state)
{
	enum { N = 20000 };
	struct ts_buf text = TS_BUF_INIT(64 << 20);
	struct test_trace t;
	const struct ts_trace_operators *o = &t.trace.rows.operators;

	(void)state;
	ts_buf_str(&text, "[");
	for (int i = 0; i < N; i++) {
		ts_buf_printf(&text, "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"ts\":%d,\"dur\":1", i ? "," : "", i);
		ts_buf_printf(&text, i % 3 ? "}" : ",\"args\":{\"Sequence number\":%d}}", i);
		if (i % 5 == 0) /* flows end batches, too */
			ts_buf_str(&text, ",{\"ph\":\"s\",\"id\":1,\"ts\":1},{\"ph\":\"s\",\"id\":1,\"ts\":1}");
	}
	ts_buf_str(&text, "]");
	assert_int_equal(test_trace_try(&t, ts_buf_view(&text), NULL, 0), TS_OK);
	assert_int_equal(o->n, (N + 2) / 3);
	for (size_t i = 0; i < o->n; i++) {
		assert_int_equal(o->span[i], i * 3);
		assert_int_equal(o->sequence[i], i * 3);
	}
	test_trace_finish(&t);
	ts_buf_finish(&text);
}

/* All that is kept, once. */
static const char everything[] = "[" SPAN(
	"cpu_op", "a") ",\"args\":{\"Sequence number\":71,\"Fwd thread id\":0,\"Call stack\":\"a\\n\",\"Module "
		       "Hierarchy\":\"T\",\"Input type\":[\"long int\"],\"Concrete Inputs\":[\"\"],\"Input Dims\":[[2]]}}," SPAN(
			       "python_function",
			       "f") ",\"args\":{"
				    "\"Python id\":1,\"Python parent id\":2,\"Python module id\":3}}," SPAN(
					    "kernel",
					    "k") ",\"args\":{\"grid\":[1],\"block\":[2],\"est. achieved "
						 "occupancy %\":1.25,\"warps per SM\":\"0.5\",\"registers per thread\":32,\"shared "
						 "memory\":0,\"graph id\":0,\"In msg nelems\":8,\"Out msg "
						 "nelems\":9,\"Group size\":2,\"dtype\":\"B\",\"Process Group "
						 "Description\":\"d\",\"Process Group Ranks\":\"[0]\",\"Seq\":4}}," SPAN(
							 "cuda_sync",
							 "w") ",\"args\":{\"cuda_sync_kind\":\"S\",\"wait_on_stream\":7,\"wait_on_cuda_"
							      "event_id\":8,\"wait_on_cuda_event_record_corr_id\":1533}}]";

/* Cut behind any byte, a trace has the whole events before the cut. */
static void cut_anywhere(void **state)
{
	const struct ts_trace_scanner *scanner;
	size_t before = 0;

	(void)state;
	for (size_t i = 0; (scanner = ts_trace_scanner_at(i)); i++, before = 0)
		for (size_t n = 1; n < sizeof everything; n++) {
			struct test_trace t;

			assert_int_equal(test_trace_try(&t, ts_span_of(everything, n), scanner, 64), TS_OK);
			assert_true(t.trace.rows.spans.n == before || t.trace.rows.spans.n == before + 1);
			before = t.trace.rows.spans.n;
			assert_int_equal(t.notices.n, n < sizeof everything - 1);
			(void)test_trace_show(&t);
			test_trace_finish(&t);
		}
}

static void what_is_no_trace(void **state)
{
	char deep[512] = "{\"traceEvents\":[],\"x\":";

	(void)state;
	expect_error("", TS_INVALID, "t.json: the file is empty");
	expect_error(" \n", TS_INVALID, "t.json: the file is empty");
	expect_error("{\"hello\": [1, 2, 3]}", TS_INVALID, "t.json: no traceEvents, so it is no trace");
	expect_error("{\"traceEvents\": 5}", TS_INVALID, "t.json: no traceEvents, so it is no trace");
	expect_error("{\"schemaVersion\": 1", TS_INVALID, "t.json: the file ends before its events");
	expect_error("hello", TS_INVALID, "t.json: byte 0: expected '{' or '['");
	expect_notice("[" EVENT " " EVENT "]", SHOWN, "trace_bad_event", 1);
	expect_error("[{\"ph\" \"X\"}]", TS_INVALID, "t.json: byte 7: expected ':'");
	expect_error("[{\"ph\":\"X\" \"ts\":1}]", TS_INVALID, "t.json: byte 11: expected ',' or '}'");
	expect_error("[{\"ph\":\"X\",}]", TS_INVALID, "t.json: byte 11: expected a key");
	expect_error("[{\"args\":{\"a\":[1}}}]", TS_INVALID, "t.json: byte 16: expected ']'");
	expect_error("[{\"ph\":}]", TS_INVALID, "t.json: byte 7: expected a value");
	memset(deep + strlen(deep), '[', 65);
	expect_notice(deep, "", "trace_metadata", 1);
}

/* --- gzip --- */

static struct ts_span packed(const char *text, struct ts_buf *out)
{
	z_stream z = {0};
	size_t n = strlen(text);

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = ts_buf_reserve(out, n + 200);
	z.avail_out = (uInt)n + 200;
	z.next_in = (Bytef *)(uintptr_t)text;
	z.avail_in = (uInt)n;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	assert_int_equal(deflateEnd(&z), Z_OK);
	return ts_buf_view(out);
}

static void gzip_in_all_forms(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct test_trace t;
	size_t n;

	(void)state;
	(void)packed("{\"traceEvents\":[" EVENT, &out);
	n = packed(",3]}", &out).len;
	assert_int_equal(test_trace_read(&t, ts_buf_view(&out)), TS_OK); /* two members */
	assert_string_equal(test_trace_show(&t), SHOWN);
	assert_int_equal(test_trace_notice(&t, "trace_not_event"), 1);
	test_trace_finish(&t);
	ts_buf_bytes(&out, "\0\0\0", 3); /* as tapes leave them */
	assert_int_equal(test_trace_read(&t, ts_buf_view(&out)), TS_OK);
	assert_int_equal(test_trace_notice(&t, "trace_trailing"), 0);
	test_trace_finish(&t);
	ts_buf_str(&out, "junk");
	assert_int_equal(test_trace_read(&t, ts_buf_view(&out)), TS_OK);
	assert_int_equal(test_trace_notice(&t, "trace_trailing"), 1);
	test_trace_finish(&t);
	assert_int_equal(test_trace_read(&t, ts_span_of(out.data, n - 9)), TS_OK); /* cut */
	assert_string_equal(test_trace_show(&t), SHOWN);
	assert_int_equal(test_trace_notice(&t, "trace_cut"), 1);
	test_trace_finish(&t);
	out.data[n - 8] ^= 1; /* its checksum */
	assert_int_equal(test_trace_read(&t, ts_span_of(out.data, n)), TS_OK);
	assert_string_equal(test_trace_show(&t), SHOWN);
	assert_int_equal(test_trace_notice(&t, "trace_packed"), 1);
	assert_int_equal(test_trace_notice(&t, "trace_cut"), 0);
	test_trace_finish(&t);
	ts_buf_finish(&out);
}

/* Damage before the first whole event leaves nothing to read. */
static void gzip_that_is_damaged_from_the_begin(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct test_trace t;

	(void)state;
	(void)packed("{\"traceEvents\":[" EVENT "]}", &out);
	out.data[10] = 0xff; /* a block of a kind that there is not */
	assert_int_equal(test_trace_read(&t, ts_buf_view(&out)), TS_DAMAGED);
	assert_non_null(strstr(t.err.text, "of the packed file"));
	test_trace_finish(&t);
	ts_buf_finish(&out);
}

/* --- what stands beside the events and is no JSON --- */

static void damage_beside_the_events(void **state)
{
	static const char *const texts[] = {
		"{\"traceName\": \"a\"b\", \"traceEvents\":[" EVENT "]}",	       /* a quote that nobody escaped */
		"{\"traceName\": \"ab, \"traceEvents\" : [" EVENT "]}",	       /* one that is lost */
		"{\"a\": 1 \"traceEvents\": 7, \"traceEvents\":\n[" EVENT "], 7}", /* and a number of this name */
		"{\"traceEvents\":[" EVENT "], \"traceName\": \"a\"b\"}",
		"{\"traceEvents\":[" EVENT "], {}}",
		"{\"a\": [{\"b\": \"c\"d\"}], \"traceEvents\":[" EVENT "]}", /* it turns all that follows inside out */
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct test_trace t;

		if (test_trace_read(&t, ts_span_str(texts[i])) || test_trace_notice(&t, "trace_cut"))
			fail_msg("%s: %s", texts[i], t.err.text);
		assert_string_equal(test_trace_show(&t), SHOWN);
		assert_int_equal(test_trace_notice(&t, "trace_metadata"), 1);
		test_trace_finish(&t);
	}
}

/* A text of 160 MiB costs itself alone, wherever it stands; its quotes and slashes too, and what follows it has its place. */
static void a_text_that_nobody_reads(void **state)
{
	static const char *const before[] = {"{\"ph\":\"X\",\"args\":{\"foo\":\"", "{\"ph\":\"X\",\"name\":\""};
	struct ts_buf text = TS_BUF_INIT(256 << 20);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct test_trace t;

		ts_buf_reset(&text);
		ts_buf_str(&text, "{\"traceEvents\":[");
		ts_buf_str(&text, before[i]);
		while (text.len < 160 << 20)
			ts_buf_str(&text, "a long text with \\\" and \\\\ and \xc3\xa4 in it, ");
		ts_buf_str(&text, i ? "\",\"ts\":1,\"dur\":1}," : "\"},\"ts\":1,\"dur\":1},");
		ts_buf_str(&text, EVENT ",{\"x\" 1}, 5]}");
		assert_int_equal(text.failed, TS_OK);
		assert_int_equal(test_trace_try(&t, ts_buf_view(&text), NULL, 0), TS_OK);
		assert_int_equal(t.trace.rows.spans.n, 2);
		assert_int_equal(t.trace.rows.spans.duration_ns[0], 1000);
		assert_int_equal(test_trace_notice(&t, "trace_long_text"), 1);
		assert_int_equal(test_trace_notice(&t, "trace_name"), 0);
		assert_true(t.trace.names[t.trace.rows.spans.name[0]].len <= 1024);
		assert_int_equal(t.file.list_end, text.len - strlen(", 5]}") - strlen(",{\"x\" 1}"));
		test_trace_finish(&t);
	}
	ts_buf_finish(&text);
}

/* --- size --- */

/* n events, of which each is on its own thread and has its own name. */
static struct ts_span many(struct ts_buf *out, int n)
{
	ts_buf_str(out, "[");
	for (int i = 0; i < n; i++)
		ts_buf_printf(out, "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n%d\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":1}",
			      i ? "," : "", i, i, i);
	ts_buf_str(out, "]");
	return ts_buf_view(out);
}

/* Where the texts of details would fill the table, names still have room, and what is left out is counted. */
static void texts_leave_room_for_names(void **state)
{
	enum { N = TS_TRACE_WORDS_MAX / 4 * 3 + 1000 };
	struct ts_buf text = TS_BUF_INIT(256 << 20);
	struct test_trace t;
	const struct ts_trace_operators *o = &t.trace.rows.operators;

	(void)state;
	ts_buf_str(&text, "[");
	for (int i = 0; i < N; i++)
		ts_buf_printf(&text, "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"Call stack\":\"%d\"}},", i);
	ts_buf_str(&text, "{\"ph\":\"X\",\"name\":\"last\",\"ts\":1,\"dur\":1,\"args\":{\"Call stack\":\"5\"}}]");
	assert_int_equal(test_trace_try(&t, ts_buf_view(&text), NULL, 0), TS_OK);
	assert_int_equal(t.trace.rows.spans.n, N + 1);
	assert_int_equal(test_trace_notice(&t, "trace_text"), 1001); /* and the name took one */
	assert_true(ts_span_is(t.trace.names[t.trace.rows.spans.name[N]], "last"));
	assert_int_equal(o->n, N + 1 - 1001);
	assert_int_equal(o->span[o->n - 1], N);
	assert_true(ts_span_is(t.trace.names[o->stack[o->n - 1]], "5"));
	test_trace_finish(&t);
	ts_buf_finish(&text);
}

static void with_and_without_a_helper(void **state)
{
	enum { N = 60000 };
	struct ts_buf text = TS_BUF_INIT(64 << 20);
	struct test_trace t;

	(void)state;
	for (int helpers = 0; helpers < 2; helpers++) {
		ts_buf_reset(&text);
		ts_helpers_allow(helpers);
		assert_int_equal(test_trace_try(&t, many(&text, N), NULL, 0), TS_OK);
		assert_int_equal(t.trace.rows.spans.n, N);
		assert_int_equal(t.trace.n_threads, N);
		for (size_t i = 0; i < N; i++) {
			assert_int_equal(t.trace.rows.spans.start_ns[i], (int64_t)i * 1000);
			assert_int_equal(t.trace.threads[t.trace.rows.spans.thread[i]].tid, i);
			assert_int_equal(t.trace.rows.spans.name[i], i + 1);
		}
		test_trace_finish(&t);
	}
	ts_helpers_allow(-1);
	ts_buf_finish(&text);
}

static void a_long_name_widens_the_window(void **state)
{
	enum { LONG = 3 << 20 };
	struct ts_buf text = TS_BUF_INIT(8 << 20);
	struct test_trace t;

	(void)state;
	ts_buf_str(&text, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"");
	memset(ts_buf_reserve(&text, LONG), 'x', LONG);
	text.len += LONG;
	ts_buf_str(&text, "\"}]");
	assert_int_equal(test_trace_try(&t, ts_buf_view(&text), NULL, 0), TS_OK);
	assert_int_equal(t.trace.names[t.trace.rows.spans.name[0]].len, LONG);
	test_trace_finish(&t);
	ts_buf_finish(&text);
}

static void each_failing_allocation_is_reported(void **state)
{
	struct test_trace t;
	size_t n = 1;

	(void)state;
	for (;; n++) {
		enum ts_status status;

		(void)ts_alloc_fail_at(n);
		status = test_trace_try(&t,
					ts_span_str("{\"x\":{\"y\":1},\"traceEvents\":[" EVENT
						    ",{\"ph\":\"B\",\"name\":\"\\n\",\"ts\":1,\"args\":{\"Input type\":[ 1]}},"
						    "{\"ph\":\"C\",\"ts\":1,\"args\":{\"a\":1}}]}"),
					NULL, 4096);
		(void)ts_alloc_fail_at(0);
		test_trace_finish(&t);
		if (status != TS_NO_MEMORY)
			break;
	}
	assert_true(n > 10);
}

/* An event that is no JSON costs itself, wherever it stands, and is counted with the byte that does not belong there. */
static void a_damaged_event_costs_itself(void **state)
{
	static const char *const damaged[] = {
		"{\"ph\":\"X\",\"name\":\"a,\"ts\":1}",			   /* quotes that are lost, */
		"{\"ph\":\"X\",\"name\":a\",\"ts\":1}",
		"{\"ph\":\"X\",\"name:\"a\",\"ts\":1}",
		"{\"ph\":\"X\",\"ts\":1,\"name\":\"a}",
		"{\"ph\":\"X\",\"name\":\"C:\\\",\"ts\":1}",		   /* a backslash that hides one */
		"{\"ph\":\"X\",\"name\" \"a\"}", "{\"ph\":\"X\",,\"name\":\"a\"}", "{\"ph\":\"X\",\"args\":{\"a\":]}}",
	};
	static const char *const forms[][3] = {{"[", ",", "]"},
					       {"[", ",", ""},
					       {"{\"traceEvents\":[", ",\n", "\n], \"traceName\":\"x\"}"},
					       {"{\"a\":1,\"traceEvents\": [ ", " , ", " ]}"}};

	(void)state;
	for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++)
		for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
			for (size_t at = 0; at < 3; at++) {
				const char *e[3] = {EVENT, EVENT, EVENT};
				struct test_trace t;
				char text[2048];
				size_t lines = 0;

				e[at] = damaged[i];
				if (at == 2 && f == 1)
					continue; /* the file is cut there as well */
				(void)snprintf(text, sizeof text, "%s%s%s%s%s%s%s", forms[f][0], e[0], forms[f][1], e[1],
					       forms[f][1], e[2], forms[f][2]);
				test_trace_ok(&t, text);
				for (const char *c = test_trace_show(&t); (c = strstr(c, SHOWN)); c++)
					lines++;
				if (lines != 2 || test_trace_notice(&t, "trace_bad_event") != 1)
					fail_msg("%s: %zu events are left of 2", text, lines);
				test_trace_finish(&t);
			}
}

/* A quote within a text that is not escaped costs nothing: it is a part of the text, and counted. */
static void a_quote_that_is_not_escaped(void **state)
{
#define QUOTED(name, more) "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":2" more "}"
#define READS(name) "kernel 10000+2000 " name " pid 0 tid 7 device 0 stream 7\n"
	static const struct {
		const char *event, *shown;
	} cases[] = {
		{QUOTED("a \"b\" c", ""), READS("a \"b\" c")},
		{QUOTED("a \" c", ""), READS("a \" c")},
		{QUOTED("f(\"a\", \"b\")", ""), READS("f(\"a\", \"b\")")},
		{QUOTED("d[\"k\"]", ""), READS("d[\"k\"]")},
		{QUOTED("{\"k\"} \\\" x \"y", ""), READS("{\"k\"} \" x \"y")},
		{QUOTED("a", ",\"args\":{\"x\":[\"a \" b\"]}"), READS("a")},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[1024], shown[1024];

		(void)snprintf(text, sizeof text, "[" EVENT ",\n%s,\n" EVENT "]", cases[i].event);
		(void)snprintf(shown, sizeof shown, "%s%s%s", SHOWN, cases[i].shown, SHOWN);
		expect_notice(text, shown, "trace_quote", 1);
		(void)snprintf(text, sizeof text, "{\"traceEvents\":[%s]}", cases[i].event); /* the last of the list */
		expect_notice(text, cases[i].shown, "trace_quote", 1);
	}
}

/* What follows no damaged event is no trace, and what is damaged all over ends by itself. */
static void damage_without_end(void **state)
{
	struct ts_buf text = TS_BUF_INIT(16 << 20);
	struct test_trace t;

	(void)state;
	assert_int_equal(test_trace_read(&t, ts_span_str("[{\"ph\":\"X\",\"name\":\"a \"b\"}, {\"x\":1} ")), TS_INVALID);
	test_trace_finish(&t);
	ts_buf_str(&text, "[" EVENT);
	for (int i = 0; i < 3000; i++)
		ts_buf_str(&text, ",{\"ph\":\"X\",\"name\":\"a \"b\"}");
	ts_buf_str(&text, "," EVENT "]");
	assert_int_equal(test_trace_read(&t, ts_buf_view(&text)), TS_OK);
	assert_true(test_trace_notice(&t, "trace_bad_event") >= 1);
	test_trace_finish(&t);
	ts_buf_finish(&text);
}

/* Columns count while a trace is read: what a caller has room for is read, and a byte less is refused. */
static void columns_have_a_limit(void **state)
{
	struct ts_span json = ts_span_str("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":1,\"dur\":1}]");
	struct ts_span name = ts_span_str("t.json");
	struct ts_source source = {.fd = -1, .memory = json, .size = json.len, .name = name, .path = name};
	uint64_t most = 0;

	(void)state;
	for (int less = 0; less < 2; less++) {
		struct ts_arena arena;
		struct ts_notices notices = {.arena = &arena};
		struct ts_trace_reading reading = {.notices = &notices, .columns_most = less ? most - 1 : UINT64_C(1) << 20};
		struct ts_trace_file file;
		struct ts_trace trace;
		struct ts_error err;

		ts_arena_init(&arena, 0);
		assert_int_equal(ts_trace_load(&source, &reading, &trace, &file, &err), less ? TS_TOO_LARGE : TS_OK);
		if (!less) {
			most = ts_trace_rows_bytes(&trace.rows);
			assert_true(most >= 65); /* the cells of one span */
			ts_trace_finish(&trace);
			ts_trace_file_finish(&file);
		}
		ts_arena_finish(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_damaged_event_costs_itself),
		cmocka_unit_test(a_quote_that_is_not_escaped),
		cmocka_unit_test(damage_without_end),
		cmocka_unit_test(each_kind_of_event),
		cmocka_unit_test(names_with_escapes),
		cmocka_unit_test(keys_of_other_lengths_than_before),
		cmocka_unit_test(numbers_of_more_than_32_bits),
		cmocka_unit_test(numbers_that_are_whole),
		cmocka_unit_test(calls_of_other_platforms),
		cmocka_unit_test(calls_of_two_processes),
		cmocka_unit_test(names_of_2021),
		cmocka_unit_test(names_of_2020),
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(times_that_are_none),
		cmocka_unit_test(every_envelope),
		cmocka_unit_test(what_a_trace_says_of_itself),
		cmocka_unit_test(names_of_threads),
		cmocka_unit_test(texts_read_as_they_should),
		cmocka_unit_test(begins_and_ends_are_paired),
		cmocka_unit_test(what_operators_say),
		cmocka_unit_test(lanes_of_xla),
		cmocka_unit_test(columns_have_a_limit),
		cmocka_unit_test(what_frames_say),
		cmocka_unit_test(what_kernels_say),
		cmocka_unit_test(what_collectives_say),
		cmocka_unit_test(what_waits_say),
		cmocka_unit_test(pairs_keep_what_they_say),
		cmocka_unit_test(details_behind_a_batch),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(what_is_no_trace),
		cmocka_unit_test(gzip_in_all_forms),
		cmocka_unit_test(gzip_that_is_damaged_from_the_begin),
		cmocka_unit_test(damage_beside_the_events),
		cmocka_unit_test(a_text_that_nobody_reads),
		cmocka_unit_test(with_and_without_a_helper),
		cmocka_unit_test(texts_leave_room_for_names),
		cmocka_unit_test(a_long_name_widens_the_window),
		cmocka_unit_test(each_failing_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
