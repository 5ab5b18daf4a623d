/* Checks run/kernel_summary.h: how far the middle of a bin is off, that what is written comes back, and what is refused. */
#include "run/kernel_summary.h"

#include "run/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/test_arena.h"

static void close_by(uint64_t ns)
{
	uint64_t middle = ts_summary_bin_middle(ts_summary_bin_of(ns)), off = middle > ns ? middle - ns : ns - middle;

	if (off > ns / 32)
		fail_msg("%" PRIu64 " is in the bin of %" PRIu64, ns, middle);
}

static void a_bin_is_close_by(void **state)
{
	(void)state;
	for (uint64_t ns = 0; ns < 100000; ns++) {
		close_by(ns);
		assert_in_range(ts_summary_bin_of(ns + 1) - ts_summary_bin_of(ns), 0, 1);
	}
	for (int shift = 17; shift < 64; shift++)
		for (uint64_t k = 0; k < 64; k++) {
			close_by((UINT64_C(1) << shift) + k * (UINT64_C(1) << (shift - 6)));
			close_by((UINT64_C(1) << shift) + k * (UINT64_C(1) << (shift - 6)) - 1);
		}
	assert_int_equal(ts_summary_bin_middle(ts_summary_bin_of(31)), 31); /* below 32 each has its own */
	assert_int_equal(ts_summary_bin_middle(ts_summary_bin_of(1024)), 1056); /* 1024 to 1087 */
}

static void a_long_name_ends_in_its_digest(void **state)
{
	char text[200];
	struct ts_span name;

	(void)state;
	memset(text, 'k', sizeof text);
	name = ts_summary_name(ts_span_of(text, 105), &arena);
	assert_true(name.data == (const uint8_t *)text && name.len == 105);
	name = ts_summary_name(ts_span_of(text, 106), &arena);
	assert_int_equal(name.len, 96 + 1 + 8);
	/* python3 -c 'import hashlib; print(hashlib.sha256(b"k" * 106).hexdigest()[:8])' */
	assert_true(ts_span_is(ts_span_from(name, 96), "#a74a4314"));
	assert_true(ts_summary_named(ts_span_str("trace.json.gz.kernels.json")));
	assert_false(ts_summary_named(ts_span_str(".kernels.json")) || ts_summary_named(ts_span_str("kernels.json")));
}

static const char small[] =
	"{\"kernel_summary\":1,\"rank\":3,\"world_size\":null,\"cut\":false,\"clock_ns\":1,\"steps\":[[7,1000,1200],[8,900,800]],"
	"\"parts\":[[\"gemm\",600,500]],\"kernels\":[[\"gemm\",\"sgemm\",[0,4,600,100,200,63,1,16,3],[1,1,500]],"
	"[\"gemm\",3,[1,5,50,1,30]]]}\n";

static enum ts_status read_text(const char *text, struct ts_kernel_summary *s)
{
	struct ts_error err;

	return ts_kernel_summary_read(ts_span_str(text), &arena, s, &err);
}

static void what_is_written_comes_back(void **state)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_kernel_summary s;

	(void)state;
	assert_int_equal(read_text(small, &s), TS_OK);
	assert_true(s.rank == 3 && s.world_size == TS_TRACE_NONE && !s.cut && s.n_steps == 2 && s.n_parts == 1 && s.n_rows == 2);
	assert_true(s.steps[1].number == 8 && s.steps[1].ns == 900 && s.parts[0].ns[1] == 500);
	assert_true(s.rows[0].cells[0].bins[1].bin == 79 && s.rows[0].cells[0].bins[1].calls == 3 && !s.rows[0].joined);
	assert_true(s.rows[0].cells[1].least_ns == 500 && s.rows[0].cells[1].most_ns == 500 && s.rows[1].joined == 3);
	ts_kernel_summary_write(&s, &buf);
	assert_true(ts_span_is(ts_buf_view(&buf), small));
	ts_buf_reset(&buf);
	s.steps[0].ns = (UINT64_C(1) << 53) + 1; /* more than a double holds is written as a text */
	ts_kernel_summary_write(&s, &buf);
	assert_int_equal(ts_kernel_summary_read(ts_buf_view(&buf), &arena, &s, &(struct ts_error){0}), TS_OK);
	assert_int_equal(s.steps[0].ns, (UINT64_C(1) << 53) + 1);
	ts_buf_finish(&buf);
}

/* The text with one piece of it replaced. */
static const char *with(const char *piece, const char *by)
{
	const char *at = strstr(small, piece);

	assert_non_null(at);
	return ts_arena_printf(&arena, "%.*s%s%s", (int)(at - small), small, by, at + strlen(piece));
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *piece, *by;
	} wrong[] = {
		{"summary\":1", "summary\":2"},
		{"[0,4,600", "[2,4,600"}, /* a step that there is not */
		{"[1,1,500]", "[0,1,500]"}, /* twice one step */
		{"4,600,100,200", "4,600,300,200"},
		{"4,600,100,200", "4,150,100,200"},
		{"16,3]", "16,2]"}, /* bins lack a call */
		{"16,3]", "16,4]"},
		{"16,3]", "0,3]"}, /* twice one bin */
		{"63,1", "99999,1"},
		{"[1,1,500]", "[1,0,0,0,0]"},
		{"600,500]", "600]"}, /* a part of one step */
		{"600,500]", "600,-5]"},
		{"\"gemm\",3", "\"gemm\",0"},
		{"[7,1000", "[null,1000"},
		{"[7,1000", "[7,\"9223372036854775808\""},
		{"\"steps\":[[7,1000,1200],[8,900,800]]", "\"steps\":[]"},
		{"\"cut\":false", "\"cut\":null"},
		{"]]}", "]]"},
		{"]]}", "]]}1"},
	};
	struct ts_kernel_summary s;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (read_text(with(wrong[i].piece, wrong[i].by), &s) != TS_INVALID)
			fail_msg("%s instead of %s is not refused", wrong[i].by, wrong[i].piece);
}

/* Comparing two summaries takes their rows times each other. */
static void too_many_rows_are_refused(void **state)
{
	static const char head[] = "{\"kernel_summary\":1,\"rank\":0,\"world_size\":1,\"cut\":false,\"clock_ns\":1,\"steps\":[[1,1,1]],"
				   "\"parts\":[],\"kernels\":[";
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_kernel_summary s;
	struct ts_error err;

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		ts_buf_reset(&buf);
		ts_buf_str(&buf, head);
		for (size_t i = 0; i < TS_SUMMARY_ROWS_MAX + more; i++)
			ts_buf_str(&buf, i ? ",[\"gemm\",\"k\"]" : "[\"gemm\",\"k\"]");
		ts_buf_str(&buf, "]}");
		assert_int_equal(ts_kernel_summary_read(ts_buf_view(&buf), &arena, &s, &err), more ? TS_TOO_LARGE : TS_OK);
	}
	ts_buf_finish(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bin_is_close_by),
		cmocka_unit_test(a_long_name_ends_in_its_digest),
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(too_many_rows_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
