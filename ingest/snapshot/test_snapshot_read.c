/* Snapshots of every form against what Python's own pickle reads of them; and hostile pickles, none of which is executed, crashes or
 * takes memory that its size does not explain. With --dump FILE: the rows of any snapshot. */
#include "base/file.h"
#include "ingest/snapshot/pickle_op.h"
#include "ingest/snapshot/snapshot_mend.h"
#include "ingest/snapshot/snapshot_read.h"
#include "ingest/snapshot/snapshot_rows.h"
#include "ingest/snapshot/test_snapshot_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/snapshot/"
#define HEAD "\x80\x04" /* PROTO 4 */
#define BYTES(literal) ts_span_of(literal, sizeof(literal) - 1)

static enum ts_status read_bytes(struct ts_span bytes, struct ts_arena *arena, struct ts_snapshot *ret, struct ts_error *err)
{
	struct ts_source source = {.fd = -1, .memory = bytes, .size = bytes.len, .path = ts_span_str("s.pickle")};

	return ts_snapshot_read(&source, arena, ret, err);
}

static struct ts_buf file_of(const char *name)
{
	struct ts_buf buf = TS_BUF_INIT(64 << 20);
	struct ts_error err;
	char path[256];

	(void)snprintf(path, sizeof path, GOLDEN "%s", name);
	assert_int_equal(ts_file_read(path, &buf, &err), TS_OK);
	return buf;
}

/* --- what is read --- */

static void expect_rows(const char *name, const char *rows)
{
	struct ts_buf file = file_of(name), want = file_of(rows), got = TS_BUF_INIT(64 << 20);
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err = {0};

	ts_arena_init(&arena, 0);
	if (read_bytes(ts_buf_view(&file), &arena, &s, &err))
		fail_msg("%s: %s", name, err.text);
	test_snapshot_dump(&s, &got);
	if (!ts_span_eq(ts_buf_view(&got), ts_buf_view(&want)))
		fail_msg("%s: not the rows of %s", name, rows);
	ts_arena_finish(&arena);
	ts_buf_finish(&file);
	ts_buf_finish(&want);
	ts_buf_finish(&got);
}

static void every_form_has_the_rows_that_python_reads(void **state)
{
	(void)state;
	expect_rows("newest2.pickle", "newest.txt");
	expect_rows("newest3.pickle", "newest.txt");
	expect_rows("newest4.pickle", "newest.txt");
	expect_rows("newest5.pickle", "newest.txt");
	expect_rows("newest4.pickle.gz", "newest.txt");
	expect_rows("early.pickle", "early.txt");
	expect_rows("list.pickle", "list.txt");
	expect_rows("oom.pickle", "oom.txt");
	expect_rows("pools.pickle", "pools.txt");
}

static void counts_what_it_passes_over(void **state)
{
	struct ts_buf file = file_of("early.pickle");
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	ts_buf_str(&file, "and more");
	assert_int_equal(read_bytes(ts_buf_view(&file), &arena, &s, &err), TS_OK);
	assert_int_equal(s.n_unknown, 1);
	assert_true(ts_span_is(s.texts[s.unknown[0].key], "odd"));
	assert_int_equal(s.unknown[0].n, 20); /* an event each */
	assert_int_equal(s.n_passed, 0);
	assert_int_equal(s.trailing_bytes, 8);
	assert_int_equal(s.pickle_bytes, file.len - 8);
	ts_arena_finish(&arena);
	ts_buf_finish(&file);
}

/* The keys of torch 2.10: of no table of their own, and none of them passed over. */
static void knows_what_newer_files_say(void **state)
{
	struct ts_buf file = file_of("pools.pickle");
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_int_equal(read_bytes(ts_buf_view(&file), &arena, &s, &err), TS_OK);
	assert_int_equal(s.n_unknown, 0);
	assert_int_equal(s.n_passed, 0);
	ts_arena_finish(&arena);
	ts_buf_finish(&file);
}

/* 1,100 events and a block each refer to three stacks; DEEP's 1,500 frames are 50. */
static void keeps_each_stack_once(void **state)
{
	struct ts_buf file = file_of("newest5.pickle");
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_int_equal(read_bytes(ts_buf_view(&file), &arena, &s, &err), TS_OK);
	assert_int_equal(s.n_stacks, 3);
	assert_int_equal(s.n_frames, 3 + 2 + 50);
	assert_int_equal(s.n_stack_frames, 3 + 2 + 1500);
	ts_arena_finish(&arena);
	ts_buf_finish(&file);
}

/* --- what is refused --- */

static void expect_error(struct ts_span bytes, enum ts_status status, const char *said)
{
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err = {0};

	ts_arena_init(&arena, 0);
	assert_int_not_equal(read_bytes(bytes, &arena, &s, &err), TS_OK);
	if (err.status != status || !ts_span_contains(ts_span_str(err.text), said))
		fail_msg("status %d, not %d, or \"%s\" does not say \"%s\"", (int)err.status, (int)status, err.text, said);
	ts_arena_finish(&arena);
}

/* The last 8 bytes of a member are its check and its length: if what is read is not what was packed, that is said, even of a whole
 * pickle. Any other byte of it may be wrong, too. The byte before them has the end of the packed data: without it the file seems to end
 * early, as one does that is cut, whose bytes are those that were written. */
static void checks_what_was_packed(void **state)
{
	struct ts_buf file = file_of("newest4.pickle.gz");

	(void)state;
	for (size_t at = 10; at < file.len; at += at < file.len - 16 ? 97 : 1) {
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err;

		file.data[at] ^= 1;
		ts_arena_init(&arena, 0);
		if (read_bytes(ts_buf_view(&file), &arena, &s, &err) == TS_OK)
			assert_true(s.cut && s.n_segments && (s.damaged || at == file.len - 9));
		else if (at >= file.len - 8)
			fail_msg("a whole pickle is refused: %s", err.text);
		ts_arena_finish(&arena);
		file.data[at] ^= 1;
	}
	for (size_t len = 5000; len < file.len; len += 97) {
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err;

		ts_arena_init(&arena, 0);
		assert_int_equal(read_bytes(ts_span_of(file.data, len), &arena, &s, &err), TS_OK);
		assert_true(s.cut && !s.damaged);
		ts_arena_finish(&arena);
	}
	ts_buf_finish(&file);
}

static void refuses_what_executes_by_name_and_byte(void **state)
{
	(void)state;
	expect_error(BYTES(HEAD "cos\nsystem\n(S'true'\ntR."), TS_UNSUPPORTED,
		     "byte 2 of the pickle: opcode GLOBAL is refused: it would import");
	expect_error(BYTES(HEAD "\x8c\x02os\x8c\x06system\x93."), TS_UNSUPPORTED, "byte 14 of the pickle: opcode STACK_GLOBAL");
	expect_error(BYTES(HEAD "NNR."), TS_UNSUPPORTED, "byte 4 of the pickle: opcode REDUCE is refused: it would call");
	expect_error(BYTES(HEAD "(ios\nsystem\n."), TS_UNSUPPORTED, "opcode INST");
	expect_error(BYTES(HEAD "(No."), TS_UNSUPPORTED, "opcode OBJ");
	expect_error(BYTES(HEAD "NN\x81."), TS_UNSUPPORTED, "opcode NEWOBJ");
	expect_error(BYTES(HEAD "NNN\x92."), TS_UNSUPPORTED, "opcode NEWOBJ_EX");
	expect_error(BYTES(HEAD "}}b."), TS_UNSUPPORTED, "opcode BUILD");
	expect_error(BYTES(HEAD "P1\n."), TS_UNSUPPORTED, "opcode PERSID");
	expect_error(BYTES(HEAD "NQ."), TS_UNSUPPORTED, "opcode BINPERSID");
	expect_error(BYTES(HEAD "\x82\x01."), TS_UNSUPPORTED, "opcode EXT1");
	expect_error(BYTES(HEAD "\x83\x01\0."), TS_UNSUPPORTED, "opcode EXT2");
	expect_error(BYTES(HEAD "\x84\x01\0\0\0."), TS_UNSUPPORTED, "opcode EXT4");
	expect_error(BYTES(HEAD "\x97."), TS_UNSUPPORTED, "opcode NEXT_BUFFER");
}

/* Each of the 256 bytes is executed here, refused with a name, or no opcode; a byte is never two of these. */
static void every_byte_is_known_or_refused(void **state)
{
	static const char accepted[] = "().GBCJKMNTUX]aehjqrstu}\x80\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x94\x95\x96";
	int n = 0;

	(void)state;
	for (int code = 0; code < 256; code++) {
		uint8_t pickle[] = {0x80, 4, (uint8_t)code};
		bool known = code && memchr(accepted, code, sizeof accepted - 1), named = ts_pickle_refused((uint8_t)code) != NULL;

		assert_false(known && named);
		n += known || named;
		if (!known)
			expect_error(ts_span_of(pickle, sizeof pickle), named ? TS_UNSUPPORTED : TS_INVALID,
				     named ? "is refused" : "is no opcode");
	}
	assert_int_equal(n, 68); /* len(pickletools.opcodes) */
}

static void says_what_is_no_snapshot(void **state)
{
	(void)state;
	expect_error(BYTES(""), TS_DAMAGED, "byte 0 of the pickle: the file ends here");
	expect_error(BYTES("{\"a\":1}"), TS_INVALID, "no pickle of protocol 2 to 5");
	expect_error(BYTES("(lp0\n."), TS_INVALID, "no pickle of protocol 2 to 5");
	expect_error(BYTES("\x80\x06."), TS_UNSUPPORTED, "protocol 6");
	expect_error(BYTES(HEAD "K\x01."), TS_INVALID, "neither a dict nor a list");
	expect_error(BYTES(HEAD "}."), TS_INVALID, "it has no \"segments\"");
	expect_error(BYTES(HEAD "."), TS_INVALID, "STOP with 0 values");
	expect_error(BYTES(HEAD "NN."), TS_INVALID, "STOP with 2 values");
	expect_error(BYTES("\x80\x04\x95\x02\0\0\0\0\0\0\0N."), TS_INVALID, "neither a dict nor a list");
	expect_error(BYTES("\x80\x04\x95\x03\0\0\0\0\0\0\0N."), TS_INVALID,
		     "byte 12 of the pickle: STOP, and a FRAME before it reaches on to byte 14");
	expect_error(BYTES("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xffN."), TS_INVALID, "to byte 18446744073709551615");
	expect_error(BYTES(HEAD "}\x8c\x08segmentsNs."), TS_INVALID, "\"segments\" is no list");
	expect_error(BYTES(HEAD "}(\x8c\x08segments]\x8c\x0d"
				"device_traces](}\x8c\x06"
				"actionNseu."),
		     TS_INVALID, "\"device_traces\" is no list of lists");
	expect_error(BYTES("\x1f\x8b\x08\0\0\0\0\0\0\xff"), TS_DAMAGED, "ends in the middle of its gzip data");
	expect_error(BYTES("\x1f\x8bnot gzip at all"), TS_DAMAGED, "of the packed file");
}

static void checks_the_stack_and_the_memo(void **state)
{
	(void)state;
	expect_error(BYTES(HEAD "e."), TS_INVALID, "byte 2 of the pickle: there is no MARK");
	expect_error(BYTES(HEAD "a."), TS_INVALID, "APPEND without");
	expect_error(BYTES(HEAD "(e."), TS_INVALID, "below the MARK there is nothing");
	expect_error(BYTES(HEAD "](a."), TS_INVALID, "APPEND without"); /* nothing below a MARK is reached */
	expect_error(BYTES(HEAD "N(Ne."), TS_INVALID, "no list");
	expect_error(BYTES(HEAD "](Nu."), TS_INVALID, "no dict");
	expect_error(BYTES(HEAD "}(Nu."), TS_INVALID, "a key without a value");
	expect_error(BYTES(HEAD "\x85."), TS_INVALID, "a tuple of values that are not there");
	expect_error(BYTES(HEAD "h\x05."), TS_INVALID, "the memo has no value 5");
	expect_error(BYTES(HEAD "]r\x09\0\0\0h\x05."), TS_INVALID, "the memo has no value 5");
	expect_error(BYTES(HEAD "\x94."), TS_INVALID, "the memo is given no");
	expect_error(BYTES(HEAD "\x8a\x09\0\0\0\0\0\0\0\0\x01."), TS_INVALID, "neither a dict nor a list");
	expect_error(BYTES(HEAD "\x8b\0\0\0\x80."), TS_INVALID, "an integer of -2147483648 bytes");
}

/* --- a value that cannot be costs itself --- */

#define T(text, length) "\x8c" length text

static void expect_lost(const struct ts_snapshot *s, size_t i, const char *key, uint64_t n)
{
	assert_true(ts_span_is(s->texts[s->unknown[i].key], key));
	assert_int_equal(s->unknown[i].n, n);
	assert_true(s->unknown[i].at != TS_SNAPSHOT_NO_PLACE);
}

#define HEAD_OF_A_LINE                                                                                                                 \
	HEAD "}(" T("segments", "\x08") "]" T("device_traces", "\x0d") "]](}(" T("action", "\x06") T("alloc", "\x05")                  \
		T("addr", "\x04") "K\x07" T("size", "\x04") "K\x09" T("frames", "\x06") "](}(" T("filename", "\x08")                   \
			T("a.py", "\x04") T("name", "\x04") T("f", "\x01") T("line", "\x04")

/* An event whose frame has the line of 2^64-1 and of 2^32-1, no text, and an integer of 72 bits. */
static void lines_that_are_none(void **state)
{
	static const char *const lines[] = {"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0", "\x8a\x05\xff\xff\xff\xff\0", "N",
					    "G\x3f\xf0\0\0\0\0\0\0", "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f"};
	static const size_t lengths[] = {11, 7, 1, 9, 11};

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct ts_buf bytes = TS_BUF_INIT(4096);
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err = {0};

		ts_buf_bytes(&bytes, HEAD_OF_A_LINE, sizeof HEAD_OF_A_LINE - 1);
		ts_buf_bytes(&bytes, lines[i], lengths[i]);
		ts_buf_str(&bytes, "ueueau.");
		ts_arena_init(&arena, 0);
		if (read_bytes(ts_buf_view(&bytes), &arena, &s, &err))
			fail_msg("%zu: %s", i, err.text);
		assert_int_equal(s.n_events, 1);
		assert_true(s.events[0].action == TS_ACTION_ALLOC && s.events[0].address == 7 && s.events[0].size == 9);
		assert_int_equal(s.frames[0].line, 0);
		assert_true(ts_span_is(s.texts[s.frames[0].file], "a.py"));
		assert_int_equal(s.n_unknown, 1);
		expect_lost(&s, 0, "line", 1);
		ts_arena_finish(&arena);
		ts_buf_finish(&bytes);
	}
}

/* A frame of generated code is the innermost one of the code that it was made of, where it says that; else it stays. */
static void where_generated_code_came_from(void **state)
{
	static const char original[] = "  File \"net.py\", line 7, in outer\n    y = f(x)\n"
				       "  File \"lab/net.py\", line 12, in forward\n    return relu(x)\n";
	static const char *const stacks[] = {original, "File \"net.py\", line twelve, in forward\n", "File \"\", line 1, in f",
					     "File \"net.py\", line 12345678901, in f", "no stack", ""};

	(void)state;
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
		struct ts_buf bytes = TS_BUF_INIT(4096);
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err = {0};

		ts_buf_bytes(&bytes, HEAD_OF_A_LINE, sizeof HEAD_OF_A_LINE - 1);
		ts_buf_str(&bytes, "K\x05" T("fx_node_op", "\x0a") T("call_function", "\x0d") T("fx_original_trace", "\x11") "\x8c");
		ts_buf_char(&bytes, (char)strlen(stacks[i]));
		ts_buf_str(&bytes, stacks[i]);
		ts_buf_str(&bytes, "ueueau.");
		ts_arena_init(&arena, 0);
		if (read_bytes(ts_buf_view(&bytes), &arena, &s, &err))
			fail_msg("%zu: %s", i, err.text);
		assert_int_equal(s.n_unknown, 0);
		assert_int_equal(s.frames[0].line, i ? 5 : 12);
		assert_true(ts_span_is(s.texts[s.frames[0].file], i ? "a.py" : "lab/net.py"));
		assert_true(ts_span_is(s.texts[s.frames[0].function], i ? "f" : "forward"));
		ts_arena_finish(&arena);
		ts_buf_finish(&bytes);
	}
}

/* 100,000 frames refer to two stacks of 16 KiB, of which the first says where the code came from: searching a stack for each of them
 * takes minutes. */
static void each_original_is_searched_once(void **state)
{
	enum { FRAMES = 100000, LEN = 16000 };
	static const char end[] = "\nFile \"lab/net.py\", line 12, in forward\n";
	struct ts_buf bytes = TS_BUF_INIT(64 << 20);
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err = {0};

	(void)state;
	ts_buf_bytes(&bytes, HEAD_OF_A_LINE, sizeof HEAD_OF_A_LINE - 1);
	ts_buf_str(&bytes, "K\x05");
	for (int text = 0; text < 2; text++) { /* BINUNICODE, BINPUT */
		ts_buf_str(&bytes, T("fx_original_trace", "\x11") "X");
		ts_buf_char(&bytes, (char)(LEN & 0xff));
		ts_buf_char(&bytes, (char)(LEN >> 8));
		ts_buf_bytes(&bytes, "\0", 2);
		for (size_t i = 0; i < LEN - (sizeof end - 1); i++)
			ts_buf_char(&bytes, (char)('a' + text));
		ts_buf_bytes(&bytes, text ? "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" : end, sizeof end - 1);
		ts_buf_bytes(&bytes, text ? "q\x02" : "q\x01", 2);
	}
	ts_buf_char(&bytes, 'u');
	for (int i = 1; i < FRAMES; i++) {
		ts_buf_str(&bytes, "}(" T("filename", "\x08") T("a.py", "\x04") T("name", "\x04") T("f", "\x01") T("line", "\x04"));
		ts_buf_bytes(&bytes, "K\x05", 2);
		ts_buf_str(&bytes, T("fx_original_trace", "\x11") "h");
		ts_buf_bytes(&bytes, i % 2 ? "\x01u" : "\x02u", 2);
	}
	ts_buf_str(&bytes, "eueau.");
	ts_arena_init(&arena, 0);
	if (read_bytes(ts_buf_view(&bytes), &arena, &s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(s.n_stack_frames, FRAMES);
	assert_int_equal(s.n_frames, 2);
	for (uint32_t i = 0; i < FRAMES; i++)
		assert_int_equal(s.frames[s.stack_frames[i]].line, i % 2 ? 12 : 5);
	ts_arena_finish(&arena);
	ts_buf_finish(&bytes);
}

/* Three blocks of a segment of 4,096 bytes at 8,192, of 1,024, 1,024 and 2,048 bytes. */
static void blocks_say_what_one_of_them_does_not(void **state)
{
	struct ts_snapshot_block blocks[] = {
		{.address = 8192, .size = TS_NO_SIZE, .requested = 1000, .state = TS_BLOCK_ACTIVE},
		{.address = TS_NO_ADDRESS, .size = TS_NO_SIZE, .requested = 900, .state = TS_BLOCK_PENDING},
		{.address = 10240, .size = 2048, .requested = TS_NO_SIZE, .state = TS_BLOCK_INACTIVE}};
	struct ts_snapshot_segment s = {.address = TS_NO_ADDRESS,
					.total = TS_NO_SIZE,
					.allocated = TS_NO_SIZE,
					.active = TS_NO_SIZE,
					.requested = TS_NO_SIZE,
					.n_blocks = 3};
	enum { NONE = TS_NO_SEGMENT_DEVICE };
	static const uint16_t numbers[] = {NONE, 1, NONE, 1, NONE, 2, NONE};
	struct ts_snapshot_segment devices[7] = {{.device = 0}};
	uint64_t bytes = 0;

	(void)state;
	blocks[1].address = 9216; /* the first one ends there */
	ts_snapshot_mend(&s, blocks, &bytes);
	assert_true(s.address == 8192 && blocks[0].size == 1024 && blocks[1].size == 1024 && blocks[2].requested == 2048);
	assert_true(s.total == 4096 && s.allocated == 1024 && s.active == 2048 && s.requested == 1900);
	blocks[1].address = TS_NO_ADDRESS;
	blocks[2].size = TS_NO_SIZE;
	ts_snapshot_mend(&s, blocks, &bytes);
	assert_true(blocks[1].address == 9216 && blocks[2].size == 2048);
	for (size_t i = 0; i < 7; i++)
		devices[i].device = numbers[i];
	ts_snapshot_mend_devices(devices, 7);
	assert_true(devices[0].device == 1 && devices[2].device == 1 && devices[6].device == 2);
	assert_int_equal(devices[4].device, TS_NO_SEGMENT_DEVICE);
	bytes = (uint64_t)INT64_MAX - 5; /* no more than that of all together */
	blocks[2].size = TS_NO_SIZE;
	ts_snapshot_mend(&s, blocks, &bytes);
	assert_int_equal(blocks[2].size, 0);
}

/* Two blocks of 2^62 bytes: the second one's size is lost, and follows from nothing. And annotations of what is no device. */
static void sizes_that_no_device_has(void **state)
{
#define STATE T("state", "\x05") T("inactive", "\x08")
#define BIG "\x8a\x08\0\0\0\0\0\0\0\x40"
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err = {0};

	(void)state;
	ts_arena_init(&arena, 0);
	if (read_bytes(BYTES(HEAD "}(" T("segments", "\x08") "](}(" T("total_size", "\x0a") "K\x01" T("device", "\x06") "K\0"
			     T("blocks", "\x06") "](}(" STATE T("size", "\x04") BIG "u}(" STATE T("size", "\x04") BIG "ueue"
			     T("external_annotations", "\x14") "](}(" T("stage", "\x05") T("END", "\x03") T("name", "\x04")
			     T("n", "\x01") T("device", "\x06") "M\0\x04ueu."),
		       &arena, &s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(s.n_blocks, 2);
	assert_true(s.blocks[0].size == UINT64_C(1) << 62 && s.blocks[1].size == 0);
	assert_true(s.n_marks == 1 && s.marks[0].device == UINT16_MAX);
	assert_int_equal(s.n_unknown, 2);
	expect_lost(&s, 0, "size", 1);
	expect_lost(&s, 1, "device", 1);
	ts_arena_finish(&arena);
#undef STATE
#undef BIG
}

/* What a row or a stack was made of cannot change behind its back. */
static void refuses_changes_of_what_was_used(void **state)
{
#define FRAME                                                                                                                          \
	"}(\x8c\x08"                                                                                                                   \
	"filename\x8c\x01"                                                                                                             \
	"a\x8c\x04lineK\x01\x8c\x04nameh\x02u"
	(void)state;
	expect_error(BYTES("\x80\x04\x8c\x01"
			   "aq\x02"
			   "0."),
		     TS_UNSUPPORTED, "opcode POP is refused");
	expect_error(BYTES(HEAD "](\x8c\x01"
				"fq\x02" FRAME "(h\x02Nue."),
		     TS_INVALID, "no dict");
	expect_error(BYTES(HEAD "](\x8c\x01"
				"fq\x02}q\x03(\x8c\x06"
				"action\x8c\x05"
				"alloc\x8c\x06"
				"frames](" FRAME "eq\x04uh\x03(h\x02Nue."),
		     TS_INVALID, "changes after it was filled");
	expect_error(BYTES(HEAD "](\x8c\x01"
				"fq\x02}(\x8c\x06"
				"action\x8c\x05"
				"alloc\x8c\x06"
				"frames](" FRAME "eq\x04uh\x04Nae."),
		     TS_INVALID, "changes after it was used");
	expect_error(BYTES(HEAD "}(\x8c\x08segments]\x8c\x0d"
				"device_traces](]q\x01(}\x8c\x06"
				"action\x8c\x05"
				"allocseh\x01"
				"eu."),
		     TS_INVALID, "one of the events stands in two lists");
}

/* --- what would take memory --- */

static void expect_bounded(const char *unit, size_t n, size_t len, enum ts_status status, const char *said)
{
	struct ts_buf bytes = TS_BUF_INIT((size_t)1 << 30);

	ts_buf_str(&bytes, HEAD);
	while (bytes.len < len)
		ts_buf_bytes(&bytes, unit, n);
	assert_int_equal(bytes.failed, TS_OK);
	expect_error(ts_buf_view(&bytes), status, said);
	ts_buf_finish(&bytes);
}

static void bounds_what_it_holds(void **state)
{
	(void)state;
	expect_error(BYTES(HEAD "X\xff\xff\xff\xff."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "\x8d\xff\xff\xff\xff\xff\xff\xff\xff."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "B\xff\xff\xff\x7f."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "T\xff\xff\xff\x7f."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "\x8e\0\0\0\x80\0\0\0\0."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "\x96\0\0\0\x80\0\0\0\0."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "X\x10\0\0\0abc."), TS_DAMAGED, "the file ends here");
	expect_error(BYTES(HEAD "]r\xff\xff\xff\x7f."), TS_TOO_LARGE, "which no snapshot does");
	expect_bounded("(", 1, 8 << 20, TS_TOO_LARGE, "which no snapshot does");
	expect_bounded("N", 1, 8 << 20, TS_TOO_LARGE, "more than 1048576 values wait");
	expect_bounded("]", 1, 8 << 20, TS_TOO_LARGE, "");
	/* A memo bomb: each list has the last one twice. Nothing is expanded, and nothing recurses. */
	expect_bounded("]q\1](h\1h\1eq\1", 12, 200000, TS_DAMAGED, "the file ends here");
	expect_bounded("]q\1](h\1h\1eq\1", 12, 8 << 20, TS_TOO_LARGE, "which no snapshot does");
	expect_bounded("](", 2, 4 << 20, TS_TOO_LARGE, "");
}

/* What is read of a file that ends too early is what the whole file has there: its first segments, and the events of devices whose
 * lists are whole. *io_most are the most of both. */
static void expect_begin(const struct ts_snapshot *whole, const struct ts_snapshot *s, size_t io_most[2])
{
	assert_true(s->cut && !s->damaged);
	assert_in_range(s->n_segments, 1, whole->n_segments);
	for (size_t i = 0; i < s->n_segments; i++) {
		const struct ts_snapshot_segment *a = &s->segments[i], *b = &whole->segments[i];

		assert_int_equal(a->address, b->address);
		assert_int_equal(a->total, b->total);
		assert_int_equal(a->n_blocks, b->n_blocks);
		for (uint32_t k = 0; k < a->n_blocks; k++)
			assert_int_equal(s->blocks[a->first_block + k].requested, whole->blocks[b->first_block + k].requested);
	}
	for (size_t i = 0; i < s->n_devices && s->traced; i++)
		if (s->devices[i].n_events)
			assert_int_equal(s->devices[i].n_events, whole->devices[i].n_events);
	assert_true(s->n_events + s->n_cut_events <= whole->n_events);
	io_most[0] = s->n_segments > io_most[0] ? s->n_segments : io_most[0];
	io_most[1] = s->n_cut_events > io_most[1] ? s->n_cut_events : io_most[1];
}

static void what_stands_before_a_cut(void **state)
{
	static const char *const names[] = {"early.pickle", "oom.pickle", "newest2.pickle", "newest4.pickle"};

	(void)state;
	for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
		struct ts_buf file = file_of(names[f]);
		size_t most[2] = {0, 0}, first = 0;
		struct ts_snapshot whole;
		struct ts_arena all;
		struct ts_error err;

		ts_arena_init(&all, 0);
		assert_int_equal(read_bytes(ts_buf_view(&file), &all, &whole, &err), TS_OK);
		for (size_t len = 0; len < file.len; len += len < 1000 ? 7 : 211) {
			struct ts_snapshot s;
			struct ts_arena arena;

			ts_arena_init(&arena, 0);
			if (read_bytes(ts_span_of(file.data, len), &arena, &s, &err) == TS_OK) {
				first = first ? first : len;
				expect_begin(&whole, &s, most);
			} else {
				assert_int_equal(err.status, TS_DAMAGED);
				assert_true(ts_span_contains(ts_span_str(err.text), "the file ends here"));
				assert_int_equal(first, 0); /* what is read once is read of more bytes, too */
			}
			ts_arena_finish(&arena);
		}
		assert_int_equal(most[0], whole.n_segments);
		assert_true(!whole.n_events || most[1]);
		ts_arena_finish(&all);
		ts_buf_finish(&file);
	}
}

/* A dict of one pair has no MARK, either: where the file ends before SETITEM, the pair stands behind its dict, and is none of the
 * outermost one. What is behind an empty dict is, by its key. */
static void a_cut_behind_a_lone_pair(void **state)
{
#define TEXT(length, word) "\x8c" length word
#define ONE_SEGMENT HEAD "}(" TEXT("\x08", "segments") "]}(" TEXT("\x06", "blocks") "]" TEXT("\x0a", "total_size") "M\0\x20ua"
#define SETTINGS TEXT("\x12", "allocator_settings") "}"
	const struct {
		struct ts_span bytes;
		size_t n_unknown;
	} cases[] = {
		{BYTES(ONE_SEGMENT TEXT("\x04", "more") "N"), 1},
		{BYTES(ONE_SEGMENT SETTINGS TEXT("\x04", "conf") "N"), 0},
		{BYTES(ONE_SEGMENT SETTINGS TEXT("\x04", "conf")), 0},
		{BYTES(ONE_SEGMENT SETTINGS TEXT("\x0d", "device_traces") "]" TEXT("\x04", "more") "N"), 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err;

		ts_arena_init(&arena, 0);
		if (read_bytes(cases[i].bytes, &arena, &s, &err))
			fail_msg("%zu: %s", i, err.text);
		assert_true(s.cut);
		assert_int_equal(s.n_segments, 1);
		assert_int_equal(s.n_unknown, cases[i].n_unknown);
		ts_arena_finish(&arena);
	}
}

/* Cut anywhere, with any byte changed or two pieces exchanged, it is read or an error. */
static void survives_cuts_and_flips(void **state)
{
	struct ts_buf file = file_of("early.pickle");
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 1000; i++) { /* two pieces in each other's place */
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err;
		uint8_t piece[64];
		size_t a, b;

		seed = seed * 1664525 + 1013904223;
		a = (seed >> 8) % (file.len / 2 - sizeof piece);
		b = file.len / 2 + (seed >> 4) % (file.len / 2 - sizeof piece);
		memcpy(piece, file.data + a, sizeof piece);
		memcpy(file.data + a, file.data + b, sizeof piece);
		memcpy(file.data + b, piece, sizeof piece);
		ts_arena_init(&arena, 64 << 20);
		(void)read_bytes(ts_buf_view(&file), &arena, &s, &err);
		ts_arena_finish(&arena);
		memcpy(piece, file.data + a, sizeof piece);
		memcpy(file.data + a, file.data + b, sizeof piece);
		memcpy(file.data + b, piece, sizeof piece);
	}
	for (int i = 0; i < 3000; i++) {
		struct ts_snapshot s;
		struct ts_arena arena;
		struct ts_error err;
		size_t at;
		uint8_t was;

		seed = seed * 1664525 + 1013904223;
		at = (seed >> 8) % (i % 2 ? file.len : 2000);
		was = file.data[at];
		file.data[at] = (uint8_t)(was ^ 1 << seed % 8);
		ts_arena_init(&arena, 64 << 20);
		(void)read_bytes(ts_buf_view(&file), &arena, &s, &err);
		ts_arena_finish(&arena);
		file.data[at] = was;
	}
	ts_buf_finish(&file);
}

static int dump(const char *path)
{
	struct ts_source source = {.path = ts_span_str(path)};
	struct ts_buf out = TS_BUF_INIT((size_t)4 << 30);
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err;
	int fail = 1;

	ts_arena_init(&arena, 0);
	if (ts_file_open(path, &source.fd, &source.size, &err) || ts_snapshot_read(&source, &arena, &s, &err)) {
		fprintf(stderr, "%s\n", err.text);
	} else {
		test_snapshot_dump(&s, &out);
		fail = fwrite(out.data, 1, out.len, stdout) != out.len;
	}
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return fail;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_has_the_rows_that_python_reads),
		cmocka_unit_test(checks_what_was_packed),
		cmocka_unit_test(counts_what_it_passes_over),
		cmocka_unit_test(knows_what_newer_files_say),
		cmocka_unit_test(keeps_each_stack_once),
		cmocka_unit_test(refuses_what_executes_by_name_and_byte),
		cmocka_unit_test(every_byte_is_known_or_refused),
		cmocka_unit_test(says_what_is_no_snapshot),
		cmocka_unit_test(checks_the_stack_and_the_memo),
		cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(where_generated_code_came_from),
		cmocka_unit_test(each_original_is_searched_once),
		cmocka_unit_test(blocks_say_what_one_of_them_does_not),
		cmocka_unit_test(sizes_that_no_device_has),
		cmocka_unit_test(refuses_changes_of_what_was_used),
		cmocka_unit_test(bounds_what_it_holds),
		cmocka_unit_test(what_stands_before_a_cut),
		cmocka_unit_test(a_cut_behind_a_lone_pair),
		cmocka_unit_test(survives_cuts_and_flips),
	};

	if (argc == 3 && strcmp(argv[1], "--dump") == 0)
		return dump(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
