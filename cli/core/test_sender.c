/* The sender against a channel that is made up here: what it asks, what it sends, and what it does not believe. */
#include "cli/core/sender.h"

#include "base/limits.h"
#include "proto/wire.h"
#include "run/block.h"
#include "service/handlers/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { MAX = 4096 };

/* A server that is missing every object except those in has, and that keeps the ids of what arrives. */
struct fake {
	struct ts_channel base;
	struct ts_id has[MAX], asked[MAX], got[MAX];
	size_t n_has, n_asked, n_got;
	size_t opened, finished, cancelled;
	bool backwards; /* the reply is in the wrong order */
	bool breaks;	/* every upload fails */
};

struct ts_upload {
	struct fake *fake;
};

static struct ts_upload the_upload;

static bool among(const struct ts_id *ids, size_t n, const struct ts_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (ts_id_eq(&ids[i], id))
			return true;
	return false;
}

static enum ts_status fake_call(struct ts_channel *ch, const char *method, struct ts_span request,
				struct ts_arena *arena, struct ts_span *ret_reply, struct ts_error *err)
{
	struct fake *fake = (struct fake *)(void *)ch;
	struct ts_buf out = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_has_request in;
	struct ts_has_reply reply;

	assert_string_equal(method, "HasObjects");
	assert_int_equal(ts_wire_unpack_has_request(request, arena, &in, err), TS_OK);
	reply = (struct ts_has_reply){ts_arena_array(arena, in.n, sizeof *reply.missing), 0};
	for (size_t i = 0; i < in.n; i++) {
		const struct ts_id *id = &in.ids[fake->backwards ? in.n - 1 - i : i];

		fake->asked[fake->n_asked++] = *id;
		if (!among(fake->has, fake->n_has, id))
			reply.missing[reply.n++] = *id;
	}
	assert_int_equal(ts_wire_pack_has_reply(&reply, &out, err), TS_OK);
	*ret_reply = ts_arena_span(arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	return TS_OK;
}

static enum ts_status fake_open(struct ts_channel *ch, const char *method, struct ts_upload **ret_upload,
				struct ts_error *err)
{
	(void)err;
	assert_string_equal(method, "PutObjects");
	the_upload.fake = (struct fake *)(void *)ch;
	the_upload.fake->opened++;
	*ret_upload = &the_upload;
	return TS_OK;
}

static enum ts_status fake_send(struct ts_upload *upload, struct ts_span message, struct ts_error *err)
{
	struct ts_put_request in;
	struct ts_arena arena;
	struct ts_span object;

	if (upload->fake->breaks)
		return ts_error_set(err, TS_UNAVAILABLE, "gone");
	ts_arena_init(&arena, 64 << 20);
	assert_int_equal(ts_wire_unpack_put_request(message, &arena, &in, err), TS_OK);
	for (size_t i = 0; i < in.n; i++) {
		assert_int_equal(ts_sealed_verify(&in.objects[i], &arena, &object, err), TS_OK);
		upload->fake->got[upload->fake->n_got++] = in.objects[i].id;
	}
	ts_arena_finish(&arena);
	return TS_OK;
}

static enum ts_status fake_finish(struct ts_upload *upload, struct ts_arena *arena, struct ts_span *ret_reply,
				  struct ts_error *err)
{
	struct ts_put_stats stats = {.objects = upload->fake->n_got, .new_objects = upload->fake->n_got, .new_bytes = 7};
	struct ts_buf out = TS_BUF_INIT(4096);

	upload->fake->finished++;
	assert_int_equal(ts_wire_pack_put_reply(&stats, &out, err), TS_OK);
	*ret_reply = ts_arena_span(arena, ts_buf_view(&out));
	ts_buf_finish(&out);
	return TS_OK;
}

static void fake_cancel(struct ts_upload *upload)
{
	upload->fake->cancelled++;
}

static const struct ts_channel_ops fake_ops = {
	.call = fake_call,
	.upload_open = fake_open,
	.upload_send = fake_send,
	.upload_finish = fake_finish,
	.upload_cancel = fake_cancel,
};

static struct fake fake;
static struct ts_sender sender;
static struct ts_error err;

static void begin(bool dry_run)
{
	assert_int_equal(ts_digest_init(&err), TS_OK);
	fake = (struct fake){.base = {.ops = &fake_ops}};
	assert_int_equal(ts_sender_init(&sender, &fake.base, dry_run, &err), TS_OK);
}

/* Sends a block of `rows` keys, the first of which is `first`, and returns the id that the object must have. */
static enum ts_status give(int64_t first, size_t rows, struct ts_id *ret_id)
{
	static int64_t keys[TS_BLOCK_ROWS_MAX];
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	enum ts_status status;

	for (size_t i = 0; i < rows; i++)
		keys[i] = first + (int64_t)i;
	ts_block_keys_encode(keys, rows, &object);
	ts_digest(ts_buf_view(&object), ret_id);
	status = ts_sender_take(&sender, ret_id, ts_buf_view(&object), &err);
	ts_buf_finish(&object);
	return status;
}

static void sends_what_is_missing(void **state)
{
	struct ts_id ids[5];

	(void)state;
	begin(false);
	for (int i = 0; i < 5; i++)
		assert_int_equal(give(100 * i, 10, &ids[i]), TS_OK);
	fake.has[0] = ids[1];
	fake.has[1] = ids[3];
	fake.n_has = 2;
	assert_int_equal(ts_sender_end(&sender, &err), TS_OK);
	assert_int_equal(fake.n_asked, 5);
	assert_int_equal(fake.n_got, 3);
	assert_true(ts_id_eq(&fake.got[0], &ids[0]));
	assert_true(ts_id_eq(&fake.got[1], &ids[2]));
	assert_true(ts_id_eq(&fake.got[2], &ids[4]));
	assert_int_equal(sender.sent_objects, 3);
	assert_true(sender.sent_bytes > 0);
	assert_int_equal(sender.stored.new_bytes, 7);
	assert_int_equal(fake.finished, 1);
	ts_sender_finish(&sender);
	assert_int_equal(fake.cancelled, 0);
}

static void sends_nothing_when_all_is_there(void **state)
{
	(void)state;
	begin(false);
	assert_int_equal(give(0, 10, &fake.has[0]), TS_OK);
	fake.n_has = 1;
	assert_int_equal(ts_sender_end(&sender, &err), TS_OK);
	assert_int_equal(fake.opened, 0);
	assert_int_equal(sender.sent_bytes, 0);
	assert_int_equal(sender.stored.new_bytes, 0);
	ts_sender_finish(&sender);
}

static void asks_once_for_what_comes_twice(void **state)
{
	struct ts_id id;

	(void)state;
	begin(false);
	for (int i = 0; i < 3; i++)
		assert_int_equal(give(0, 10, &id), TS_OK);
	assert_int_equal(ts_sender_end(&sender, &err), TS_OK);
	assert_int_equal(fake.n_asked, 1);
	assert_int_equal(fake.n_got, 1);
	ts_sender_finish(&sender);
}

static void a_dry_run_counts(void **state)
{
	struct ts_id id;

	(void)state;
	begin(true);
	assert_int_equal(give(0, 10, &id), TS_OK);
	assert_int_equal(give(50, 10, &id), TS_OK);
	assert_int_equal(ts_sender_end(&sender, &err), TS_OK);
	assert_int_equal(sender.sent_objects, 2);
	assert_int_equal(fake.opened, 0);
	ts_sender_finish(&sender);
}

/* 40 blocks of 512 KiB are 20 MiB: they need several windows and one upload, and the memory of a window does not grow. */
static void goes_window_by_window(void **state)
{
	struct ts_id id;

	(void)state;
	begin(false);
	for (int i = 0; i < 40; i++)
		assert_int_equal(give((int64_t)i << 20, TS_BLOCK_ROWS_MAX, &id), TS_OK);
	assert_true(fake.n_asked >= 32);
	assert_true(sender.window.cap <= (size_t)12 << 20);
	assert_int_equal(ts_sender_end(&sender, &err), TS_OK);
	assert_int_equal(fake.n_got, 40);
	assert_int_equal(fake.opened, 1);
	ts_sender_finish(&sender);
}

static void an_answer_out_of_order_is_refused(void **state)
{
	struct ts_id id;

	(void)state;
	begin(false);
	fake.backwards = true;
	assert_int_equal(give(0, 10, &id), TS_OK);
	assert_int_equal(give(50, 10, &id), TS_OK);
	assert_int_equal(ts_sender_end(&sender, &err), TS_DAMAGED);
	ts_sender_finish(&sender);
}

static void a_break_is_remembered(void **state)
{
	struct ts_id id;
	enum ts_status status = TS_OK;

	(void)state;
	begin(false);
	fake.breaks = true;
	for (int i = 0; i < 40 && !status; i++)
		status = give((int64_t)i << 20, TS_BLOCK_ROWS_MAX, &id);
	assert_int_equal(status, TS_UNAVAILABLE);
	assert_int_equal(sender.failed.status, TS_UNAVAILABLE);
	assert_string_equal(sender.failed.text, "gone");
	ts_sender_finish(&sender);
	assert_int_equal(fake.cancelled, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_what_is_missing),
		cmocka_unit_test(sends_nothing_when_all_is_there),
		cmocka_unit_test(asks_once_for_what_comes_twice),
		cmocka_unit_test(a_dry_run_counts),
		cmocka_unit_test(goes_window_by_window),
		cmocka_unit_test(an_answer_out_of_order_is_refused),
		cmocka_unit_test(a_break_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
