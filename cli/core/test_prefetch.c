/* Objects that are asked for at once, of a server that is made up here: what is kept, and what is not believed. */
#include "cli/core/prefetch.h"

#include "base/digest.h"
#include "base/limits.h"
#include "proto/wire.h"
#include "run/block.h"
#include "store/test_seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { OBJECTS = 300, A_MESSAGE = 7 };

struct fake {
	struct ts_channel base;
	struct ts_sealed objects[OBJECTS];
	size_t n;     /* how many it has; it ends without the others */
	size_t swaps; /* the object that is sent in place of the first; 0: none */
	size_t asked; /* objects */
	size_t calls;
};

static struct fake fake;
static struct ts_prefetch prefetch;
static struct ts_arena arena;
static struct ts_error err;
static struct ts_id ids[OBJECTS];

static enum ts_status fake_download(struct ts_channel *ch, const char *method, struct ts_span request, ts_message_fn *fn, void *ctx,
				    struct ts_error *e)
{
	struct ts_objects_request in;

	assert_ptr_equal(ch, &fake.base);
	assert_string_equal(method, "GetObjects");
	assert_int_equal(ts_wire_unpack_objects_request(request, &arena, &in, e), TS_OK);
	fake.calls++;
	fake.asked += in.n;
	for (size_t done = 0; done < fake.n;) {
		struct ts_put_request reply = {&fake.objects[done], fake.n - done < A_MESSAGE ? fake.n - done : A_MESSAGE};
		struct ts_buf out = TS_BUF_INIT(TS_MESSAGE_MAX);
		enum ts_status status;

		if (!done && fake.swaps)
			reply = (struct ts_put_request){&fake.objects[fake.swaps], 1};
		assert_int_equal(ts_wire_pack_objects_reply(&reply, &out, e), TS_OK);
		status = fn(ctx, ts_buf_view(&out), e);
		ts_buf_finish(&out);
		if (status)
			return status;
		done += reply.n;
	}
	return TS_OK;
}

static const struct ts_channel_ops fake_ops = {.download = fake_download};

static struct ts_span object(uint64_t value)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	uint64_t values[100];
	struct ts_span bytes;

	for (size_t i = 0; i < 100; i++)
		values[i] = value * 1000003 + i * value;
	ts_block_u64_encode(values, 100, &out);
	bytes = ts_arena_span(&arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	return bytes;
}

static int setup(void **state)
{
	(void)state;
	assert_int_equal(ts_digest_init(&err), TS_OK);
	ts_arena_init(&arena, 0);
	fake = (struct fake){.base = {.ops = &fake_ops}, .n = OBJECTS};
	prefetch = (struct ts_prefetch){.n = 0};
	for (size_t i = 0; i < OBJECTS; i++) {
		assert_int_equal(test_seal_bytes(object(i), &arena, &fake.objects[i], &err), TS_OK);
		ids[i] = fake.objects[i].id;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_prefetch_finish(&prefetch);
	ts_arena_finish(&arena);
	return 0;
}

static void must_be(size_t i, bool there)
{
	struct ts_span got;

	assert_int_equal(ts_prefetch_get(&prefetch, &ids[i], &arena, &got, &err), TS_OK);
	assert_int_equal(got.data != NULL, there);
	if (there)
		assert_true(ts_span_eq(got, object(i)));
}

static void one_question_brings_all(void **state)
{
	(void)state;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, OBJECTS, &err), TS_OK);
	assert_int_equal(fake.calls, 1);
	assert_int_equal(fake.asked, OBJECTS);
	for (size_t i = OBJECTS; i-- > 0;)
		must_be(i, true);
	assert_int_equal(fake.calls, 1);
}

static void the_next_question_forgets_the_last(void **state)
{
	(void)state;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, OBJECTS, &err), TS_OK);
	fake.n = 2;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, 2, &err), TS_OK);
	must_be(1, true);
	must_be(2, false);
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, 0, &err), TS_OK);
	assert_int_equal(fake.calls, 2);
	must_be(1, false);
}

/* Objects that cannot be compressed are stored, and sent, as they are. */
static void what_was_given_stays(void **state)
{
	_Alignas(8) uint8_t noise[TS_ID_BYTES * 40];
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_span got, want;

	(void)state;
	for (size_t i = 0; i < sizeof noise; i += TS_ID_BYTES) {
		struct ts_id id;

		ts_digest(ts_span_of(noise, i), &id);
		memcpy(noise + i, id.bytes, TS_ID_BYTES);
	}
	ts_block_u64_encode((const uint64_t *)(const void *)noise, sizeof noise / 8, &out);
	want = ts_arena_span(&arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	assert_int_equal(test_seal_bytes(want, &arena, &fake.objects[0], &err), TS_OK);
	assert_ptr_equal(fake.objects[0].bytes.data, want.data);
	fake.n = 1;
	ids[0] = fake.objects[0].id;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, 1, &err), TS_OK);
	assert_int_equal(ts_prefetch_get(&prefetch, &ids[0], &arena, &got, &err), TS_OK);
	ts_prefetch_finish(&prefetch);
	assert_true(ts_span_eq(got, want));
}

/* An answer that ends early is no error: what is missing is asked for by itself. */
static void what_did_not_come_is_not_there(void **state)
{
	(void)state;
	fake.n = 10;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, OBJECTS, &err), TS_OK);
	must_be(9, true);
	must_be(10, false);
}

static void another_object_is_refused(void **state)
{
	(void)state;
	fake.swaps = 5;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, OBJECTS, &err), TS_DAMAGED);
	must_be(5, false);
	fake.swaps = 0;
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, OBJECTS - 1, &err), TS_DAMAGED); /* more than was asked for */
}

static void bytes_that_are_not_the_id_s_are_refused(void **state)
{
	struct ts_span got;

	(void)state;
	fake.objects[3] = fake.objects[4];
	fake.objects[3].id = ids[3];
	assert_int_equal(ts_prefetch_ask(&prefetch, &fake.base, ids, OBJECTS, &err), TS_OK);
	assert_int_equal(ts_prefetch_get(&prefetch, &ids[3], &arena, &got, &err), TS_DAMAGED);
	must_be(4, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_question_brings_all, setup, teardown),
		cmocka_unit_test_setup_teardown(the_next_question_forgets_the_last, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_given_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(what_did_not_come_is_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(another_object_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_that_are_not_the_id_s_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
