/* sketches.tscope: that it gives the rows that sketches.jsonl gives, and what truncation and damage of any byte leave of it. */
#include "ingest/core/test_support.h"

#include "base/buf.h"
#include "base/cursor.h"
#include "record/crc32c.h"
#include "run/sketch_sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SUMS = TS_SKETCH_SUMS * 8, FILE_MAX = 1 << 16 };

static void put(struct ts_buf *out, uint64_t value, size_t bytes)
{
	uint8_t le[8];

	ts_store_u64(le, value);
	ts_buf_bytes(out, le, bytes);
}

static void put_real(struct ts_buf *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	put(out, bits, 8);
}

static void put_head(struct ts_buf *out, uint8_t kind, uint8_t flags, const char *name, const char *same)
{
	put(out, kind, 1);
	put(out, 2, 1); /* float32 */
	put(out, flags, 1);
	put(out, 0, 1);
	put(out, strlen(name), 2);
	put(out, strlen(same), 2);
	ts_buf_str(out, name);
	ts_buf_str(out, same);
}

static void put_sums(struct ts_buf *out, double count, double squares, uint64_t nonfinite, double first)
{
	put(out, (uint64_t)count, 8);
	put_real(out, squares);
	if (nonfinite)
		put(out, nonfinite, 8);
	for (size_t i = 0; i < TS_SKETCH_SUMS; i++)
		put_real(out, i ? -(double)i : first);
}

static void put_frame(struct ts_buf *out, int64_t step, const struct ts_buf *tensors)
{
	struct ts_buf payload = TS_BUF_INIT(FILE_MAX);
	uint8_t length[4];

	put(&payload, (uint64_t)step, 8);
	ts_buf_bytes(&payload, tensors->data, tensors->len);
	ts_store_u32(length, (uint32_t)payload.len);
	ts_buf_bytes(out, length, 4);
	put(out, ts_crc32c(ts_crc32c(0, length, 4), payload.data, payload.len), 4);
	ts_buf_bytes(out, payload.data, payload.len);
	ts_buf_finish(&payload);
}

static void put_start(struct ts_buf *out)
{
	ts_buf_bytes(out, "tssketch", 8);
	put(out, 1, 8);
}

/* Two frames, of two tensors and of one. */
static void make(struct ts_buf *out)
{
	struct ts_buf tensors = TS_BUF_INIT(FILE_MAX);

	put_start(out);
	put_head(&tensors, 0, 1 | 4, "attn", "");
	put_sums(&tensors, 4096, 1.5, 3, 0.25);
	put_head(&tensors, 0, 2, "drop", "attn");
	put_frame(out, 41, &tensors);
	ts_buf_reset(&tensors);
	put_head(&tensors, 3, 0, "w", "");
	put_sums(&tensors, 7, 0, 0, 0);
	put_frame(out, -1, &tensors);
	ts_buf_finish(&tensors);
}

static void ingest(struct test_run *t, const void *bytes, size_t n)
{
	test_run_init(t);
	test_write(t, "run/steps.jsonl", "{\"step\":0,\"scalars\":{\"loss\":2}}\n");
	test_write_bytes(t, "run/sketches.tscope", bytes, n);
	test_ingest_ok(t, t->path);
}

static void frames_are_rows(void **state)
{
	struct ts_buf file = TS_BUF_INIT(FILE_MAX);
	const struct ts_table *table;
	struct ts_index index;
	struct test_run t;

	(void)state;
	make(&file);
	ingest(&t, file.data, file.len);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.sketches, 3);
	test_index(&t, 0, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_SKETCHES, "step", 3), ((double[]){41, 41, -1}), 3 * sizeof(double));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_SKETCHES, "count", 2), ((double[]){4096, 7}), 2 * sizeof(double));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_SKETCHES, "nonfinite", 1), ((double[]){3}), sizeof(double));
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "sums", TS_COLUMN_TEXT, 2, &table);
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "same", TS_COLUMN_TEXT, 1, &table);
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "shard", TS_COLUMN_JSON, 1, &table);
	test_round_trip(&t); /* which is by sketches.jsonl */
	test_run_finish(&t);
	ts_buf_finish(&file);
}

/* Wherever the file ends, whole frames before it count, and what is cut off is said. */
static void cut_anywhere(void **state)
{
	struct ts_buf file = TS_BUF_INIT(FILE_MAX);
	size_t first;

	(void)state;
	make(&file);
	first = 16 + 8 + ts_load_u32((const uint8_t *)file.data + 16);
	for (size_t n = 0; n < file.len; n += n < 64 || (n > first - 40 && n < first + 40) || n > file.len - 40 ? 1 : 97) {
		struct test_run t;

		ingest(&t, file.data, n);
		assert_int_equal(t.result.sketches, n >= first ? 2 : 0);
		assert_int_equal(t.result.notices.n > 0, n != 16 && n != first);
		test_run_finish(&t);
	}
	ts_buf_finish(&file);
}

/* No byte of a frame can be another one unseen. */
static void damaged_anywhere(void **state)
{
	struct ts_buf file = TS_BUF_INIT(FILE_MAX);
	size_t first;

	(void)state;
	make(&file);
	first = 16 + 8 + ts_load_u32((const uint8_t *)file.data + 16);
	for (size_t at = 0; at < file.len; at += at < 80 ? 1 : 61) {
		struct test_run t;

		((uint8_t *)file.data)[at] ^= 0x10;
		ingest(&t, file.data, file.len);
		assert_int_equal(t.result.sketches, at < first ? 0 : 2);
		assert_true(t.result.notices.n > 0);
		test_run_finish(&t);
		((uint8_t *)file.data)[at] ^= 0x10;
	}
	ts_buf_finish(&file);
}

/* Frames whose checksums agree, of what is no tensor: it ends its frame, and the next one counts. */
static void what_is_no_tensor(void **state)
{
	enum { CASES = 8 };

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct ts_buf file = TS_BUF_INIT(FILE_MAX), tensors = TS_BUF_INIT(FILE_MAX);
		struct test_run t;

		put_start(&file);
		put_head(&tensors, i == 0 ? 4 : 0, i == 1 ? 8 : i == 7 ? 4 : 0, i == 2 ? "" : "m", "");
		put_sums(&tensors, i == 3 ? 0x1p60 : 5, i == 4 ? -1 : i == 5 ? (double)NAN : 1, i == 7 ? 6 : 0,
			 i == 6 ? (double)INFINITY : 1);
		put_frame(&file, 1, &tensors);
		ts_buf_reset(&tensors);
		put_head(&tensors, 0, 0, "kept", "");
		put_sums(&tensors, 5, 1, 0, 1);
		put_frame(&file, 2, &tensors);
		ingest(&t, file.data, file.len);
		test_expect_notice(&t, "bad_sketch", TS_NOTICE_SKIPPED, 0, 1);
		assert_int_equal(t.result.sketches, 1);
		test_run_finish(&t);
		ts_buf_finish(&file);
		ts_buf_finish(&tensors);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_rows),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(damaged_anywhere),
		cmocka_unit_test(what_is_no_tensor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
