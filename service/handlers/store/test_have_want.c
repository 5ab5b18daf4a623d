/* Have/want, uploads that lie, downloads; verify, gc, server info; the table of methods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/object.h"
#include "base/version.h"
#include "run/head.h"
#include "run/kind.h"
#include "service/handlers/core/test_runs.h"
#include "store/test_lease.h"

#include <tscope/v1/tscope.pb-c.h>

static struct test_store s;

static int setup(void **state)
{
	(void)state;
	test_store_open(&s);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

/* Returns a chunk of the given number of bytes, which do not compress. */
static struct ts_sealed chunk(uint64_t seed, size_t len)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX), bytes = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_sealed sealed;

	for (size_t i = 0; i < len; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		ts_buf_u8(&bytes, (uint8_t)(seed >> 56));
	}
	ts_chunk_encode(ts_buf_view(&bytes), &object);
	sealed = test_seal(&s, ts_buf_view(&object));
	ts_buf_finish(&object);
	ts_buf_finish(&bytes);
	return sealed;
}

static enum ts_status upload(struct ts_sealed *objects, size_t n, size_t per_message, struct ts_put_stats *ret)
{
	struct ts_upload *u;
	struct ts_span reply;
	enum ts_status status = TS_OK;

	must(s.channel->ops->upload_open(s.channel, "PutObjects", &u, &s.err), &s.err);
	for (size_t i = 0; !status && i < n; i += per_message) {
		struct ts_put_request request = {objects + i, n - i < per_message ? n - i : per_message};
		struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);

		must(ts_wire_pack_put_request(&request, &buf, &s.err), &s.err);
		status = s.channel->ops->upload_send(u, ts_buf_view(&buf), &s.err);
		ts_buf_finish(&buf);
	}
	if (status) {
		/* The end of the stream reports the same error. */
		assert_int_equal(s.channel->ops->upload_finish(u, &s.arena, &reply, &s.err), status);
		return status;
	}
	must(s.channel->ops->upload_finish(u, &s.arena, &reply, &s.err), &s.err);
	must(ts_wire_unpack_put_reply(reply, &s.arena, ret, &s.err), &s.err);
	return TS_OK;
}

static size_t missing(const struct ts_id *ids, size_t n, struct ts_id *ret_first)
{
	struct ts_id copy[8];
	struct ts_has_request request = {copy, n};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_has_reply reply;
	struct ts_span bytes;

	memcpy(copy, ids, n * sizeof *ids);
	must(ts_wire_pack_has_request(&request, &buf, &s.err), &s.err);
	must(test_call(&s, "HasObjects", &buf, &bytes), &s.err);
	must(ts_wire_unpack_has_reply(bytes, &s.arena, &reply, &s.err), &s.err);
	ts_buf_finish(&buf);
	if (reply.n)
		*ret_first = reply.missing[0];
	return reply.n;
}

static void asks_and_sends(void **state)
{
	struct ts_sealed objects[3] = {chunk(1, 100), chunk(2, 100000), chunk(3, 7)};
	struct ts_id ids[3] = {objects[0].id, objects[1].id, objects[2].id}, first;
	struct ts_put_stats stats;

	(void)state;
	assert_int_equal(missing(ids, 3, &first), 3);
	assert_int_equal(missing(ids, 0, &first), 0);
	must(upload(objects, 1, 1, &stats), &s.err);
	assert_int_equal(missing(ids, 3, &first), 2);
	assert_true(ts_id_eq(&first, &ids[1]));
	must(upload(objects, 3, 2, &stats), &s.err);
	assert_int_equal(stats.objects, 3);
	assert_int_equal(stats.new_objects, 2);
	assert_int_equal(missing(ids, 3, &first), 0);
	must(upload(objects, 0, 1, &stats), &s.err);
	assert_int_equal(stats.objects, 0);
}

static size_t quick_replies;
static enum ts_status quick_reply_status;
static struct ts_span quick_reply;

static enum ts_status keep_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	(void)call;
	quick_replies++;
	quick_reply = ts_arena_span(&s.arena, message);
	return quick_reply_status ? ts_error_set(err, quick_reply_status, "no reply today") : TS_OK;
}

static bool quickly(struct ts_span request)
{
	struct ts_call call = {.engine = s.engine, .arena = &s.arena, .deadline_ns = INT64_MAX, .reply = keep_reply};

	quick_replies = 0;
	return ts_handler_find(ts_span_str("HasObjects"))->quick(&call, request);
}

/* Checks that the quick answer equals that of the message handler byte for byte; returns false when there was no quick answer. */
static bool quickly_the_same(struct ts_id *ids, size_t n)
{
	struct ts_has_request request = {ids, n};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span bytes;
	bool done;

	must(ts_wire_pack_has_request(&request, &buf, &s.err), &s.err);
	done = quickly(ts_buf_view(&buf));
	assert_int_equal(quick_replies, done);
	if (done) {
		must(test_call(&s, "HasObjects", &buf, &bytes), &s.err);
		assert_true(ts_span_eq(quick_reply, bytes));
	}
	ts_buf_finish(&buf);
	return done;
}

static void answers_quickly_when_nothing_is_to_be_written(void **state)
{
	struct ts_sealed objects[2] = {chunk(1, 100), chunk(2, 100)};
	struct ts_id ids[4] = {objects[0].id, {{7}}, objects[1].id, {{8}}}, first;
	const int64_t seven_hours = 7 * 3600;
	struct ts_put_stats stats;
	int64_t old;

	(void)state;
	assert_true(quickly_the_same(ids, 4)); /* none of the objects is present */
	must(upload(objects, 2, 2, &stats), &s.err);
	for (size_t n = 0; n <= 4; n++)
		assert_true(quickly_the_same(ids, n));
	test_age(s.engine, &ids[2], seven_hours); /* leases are renewed after six hours */
	old = test_lease(s.engine, &ids[2]);
	assert_false(quickly_the_same(ids, 4));
	assert_true(quickly_the_same(ids, 2));
	assert_int_equal(test_lease(s.engine, &ids[2]), old);
	assert_int_equal(missing(ids, 4, &first), 2); /* the message handler finds the same, and renews the lease */
	assert_in_range(test_lease(s.engine, &ids[2]), ts_now_real_ns() - 60000000000, ts_now_real_ns());
	assert_true(quickly_the_same(ids, 4));
}

static void leaves_trouble_to_message(void **state)
{
	(void)state;
	assert_false(quickly(ts_span_str("\xff\xff\xff")));
	assert_int_equal(quick_replies, 0);
	quick_reply_status = TS_TOO_LARGE;
	assert_false(quickly(ts_span_of(NULL, 0)));
	assert_int_equal(quick_replies, 1);
	quick_reply_status = TS_OK;
	assert_true(quickly(ts_span_of(NULL, 0)));
}

/* Uploads a good object, then one that does not match its id: the error names the second, and it is not stored. */
static void refuse(struct ts_sealed bad)
{
	struct ts_sealed objects[2] = {chunk(9, 50), bad};
	struct ts_put_stats stats;
	struct ts_id first;
	enum ts_status status = upload(objects, 2, 2, &stats);

	assert_true(status == TS_DAMAGED || status == TS_INVALID || status == TS_UNSUPPORTED || status == TS_TOO_LARGE);
	assert_int_equal(missing(&bad.id, 1, &first), 1);
	if (!strstr(s.err.text, "object 2 of 2"))
		fail_msg("%s", s.err.text);
}

static void believes_nothing(void **state)
{
	struct ts_sealed good = chunk(5, 1000), bad;
	uint8_t *bytes;

	(void)state;
	bad = good;
	bad.id.bytes[0] ^= 1;
	refuse(bad);
	bad = good;
	bad.checksum ^= 1;
	refuse(bad);
	bad = good;
	bad.kind++;
	refuse(bad);
	bad = good;
	bad.nrefs++;
	refuse(bad);
	bad = good;
	bad.raw_len--;
	refuse(bad);
	bad = good;
	bad.codec = 255;
	refuse(bad);
	bad = good;
	bad.bytes.len--;
	refuse(bad);
	bad = good;
	bytes = ts_arena_dup(&s.arena, good.bytes.data, good.bytes.len);
	bytes[good.bytes.len / 2] ^= 1;
	bad.bytes.data = bytes;
	refuse(bad);
}

/* How often an upload was asked whether to go on, and when it is told not to. */
static int checks, cancel_at;

static bool count_checks(const struct ts_call *call)
{
	(void)call;
	return ++checks == cancel_at;
}

/* Handles one message of PutObjects without a channel. */
static enum ts_status put(struct ts_sealed *objects, size_t n, struct ts_put_stats *ret)
{
	const struct ts_handler *h = ts_handler_find(ts_span_str("PutObjects"));
	struct ts_put_request request = {objects, n};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_call call = {.engine = s.engine, .arena = &s.arena, .deadline_ns = INT64_MAX, .cancelled = count_checks};
	enum ts_status status;

	must(ts_wire_pack_put_request(&request, &buf, &s.err), &s.err);
	checks = 0;
	*ret = (struct ts_put_stats){.objects = 0};
	status = h->message(&call, ret, ts_buf_view(&buf), &s.err);
	ts_buf_finish(&buf);
	return status;
}

/* One question comes before the message, and one before each object that is unsealed. */
static void hashes_a_copy_once(void **state)
{
	static struct ts_sealed many[TS_IDS_MAX];
	struct ts_put_stats stats;

	(void)state;
	for (size_t i = 0; i < TS_IDS_MAX; i++)
		many[i] = chunk(3, 40);
	must(put(many, TS_IDS_MAX, &stats), &s.err);
	assert_int_equal(checks, 2);
	assert_int_equal(stats.objects, TS_IDS_MAX);
	assert_int_equal(stats.new_objects, 1);
	/* What only looks like a copy is verified, and refused, also behind the true one. */
	many[1].checksum ^= 1;
	assert_int_equal(put(many, 2, &stats), TS_DAMAGED);
	assert_non_null(strstr(s.err.text, "object 2 of 2"));
}

static void stops_between_objects(void **state)
{
	struct ts_sealed objects[4] = {chunk(1, 100), chunk(2, 100), chunk(3, 100), chunk(4, 100)};
	struct ts_put_stats stats;
	struct ts_id first;

	(void)state;
	cancel_at = 3;
	assert_int_equal(put(objects, 4, &stats), TS_CANCELLED);
	assert_int_equal(checks, 3);
	assert_int_equal(missing(&objects[0].id, 1, &first), 1);
	cancel_at = 0;
}

/* 33 zero chunks under 33 ids take a few kilobytes and unseal to more than 64 MiB in two-megabyte objects. */
static void refuses_what_unseals_to_too_much(void **state)
{
	struct ts_sealed bombs[33];
	struct ts_put_stats stats;

	(void)state;
	for (size_t i = 0; i < 33; i++) {
		bombs[i] = chunk(i, 50);
		bombs[i].raw_len = TS_OBJECT_MAX;
	}
	assert_int_equal(put(bombs, 33, &stats), TS_TOO_LARGE);
	assert_int_equal(checks, 1);
	assert_non_null(strstr(s.err.text, "33 objects of this message unseal to 69206016 bytes"));
	assert_int_equal(put(bombs, 32, &stats), TS_DAMAGED); /* these are looked at */
	for (size_t i = 0; i < 5; i++)
		bombs[i].codec = 3 + i % 2;
	assert_int_equal(put(bombs, 5, &stats), TS_TOO_LARGE);
	assert_non_null(strstr(s.err.text, "unseal to 10485760 bytes of text"));
	assert_int_equal(put(bombs, 4, &stats), TS_DAMAGED);
}

struct download {
	struct ts_arena arena;
	struct ts_id ids[64];
	size_t n, messages;
	enum ts_status stop;
	uint32_t codecs; /* that are asked for */
	uint8_t codec;	 /* of the last object */
};

static enum ts_status take(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct download *d = ctx;
	struct ts_put_request batch;
	struct ts_span object;

	assert_true(message.len <= TS_BATCH_BYTES + TS_OBJECT_MAX + 100);
	if (d->stop)
		return ts_error_set(err, d->stop, "enough");
	must(ts_wire_unpack_objects_reply(message, &d->arena, &batch, err), err);
	assert_true(batch.n > 0);
	d->messages++;
	for (size_t i = 0; i < batch.n; i++) {
		must(ts_sealed_verify(&batch.objects[i], &d->arena, &object, err), err);
		d->ids[d->n++] = batch.objects[i].id;
		d->codec = batch.objects[i].codec;
	}
	return TS_OK;
}

static enum ts_status download(struct ts_id *ids, size_t n, struct download *d)
{
	struct ts_objects_request request = {.ids = ids, .n = n, .codecs = d->codecs};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	ts_arena_init(&d->arena, 0);
	must(ts_wire_pack_objects_request(&request, &buf, &s.err), &s.err);
	status = s.channel->ops->download(s.channel, "GetObjects", ts_buf_view(&buf), take, d, &s.err);
	ts_buf_finish(&buf);
	ts_arena_finish(&d->arena);
	return status;
}

static void gives_objects_in_order(void **state)
{
	struct ts_sealed objects[8];
	struct ts_id ids[10];
	struct ts_put_stats stats;
	struct download d = {.n = 0}, none = {.n = 0}, cut = {.n = 0}, stopped = {.stop = TS_CANCELLED};

	(void)state;
	for (size_t i = 0; i < 8; i++)
		objects[i] = chunk(i, 400000);
	must(upload(objects, 8, 2, &stats), &s.err);
	for (size_t i = 0; i < 8; i++)
		ids[i] = objects[7 - i].id;
	ids[8] = ids[0];
	must(download(ids, 9, &d), &s.err);
	assert_int_equal(d.n, 9);
	assert_true(d.messages >= 3 && d.messages < 9);
	assert_memory_equal(d.ids, ids, 9 * sizeof *ids);
	must(download(ids, 0, &none), &s.err);
	assert_int_equal(none.messages, 0);
	ids[9] = (struct ts_id){{1}};
	assert_int_equal(download(ids, 10, &cut), TS_NOT_FOUND);
	assert_int_equal(download(ids, 9, &stopped), TS_CANCELLED);
	assert_string_equal(s.err.text, "enough");
}

/* A client of 0.1.0 says nothing of codecs, and opens none above 2. */
static void seals_again_for_an_older_client(void **state)
{
	struct ts_buf text = TS_BUF_INIT(TS_OBJECT_MAX), object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct download old = {.n = 0}, now = {.codecs = TS_SEALED_CODECS};
	struct ts_put_stats stats;
	struct ts_sealer *sealer;
	struct ts_sealed sealed;
	struct ts_id id;

	(void)state;
	for (int i = 0; i < 1000; i++)
		ts_buf_printf(&text, "step %d took %d ms\n", i, i * 7919 % 1000);
	ts_chunk_encode(ts_buf_view(&text), &object);
	ts_digest(ts_buf_view(&object), &id);
	must(ts_sealer_create(&sealer, &s.err), &s.err);
	must(ts_sealer_seal(sealer, &id, ts_buf_view(&object), &s.arena, &sealed, &s.err), &s.err);
	assert_int_equal(sealed.codec, 3);
	must(upload(&sealed, 1, 1, &stats), &s.err);
	must(download(&id, 1, &now), &s.err); /* take() verifies what comes */
	assert_int_equal(now.codec, 3);
	must(download(&id, 1, &old), &s.err);
	assert_in_range(old.codec, 0, 2);
	ts_sealer_destroy(sealer);
	ts_buf_finish(&object);
	ts_buf_finish(&text);
}

/* Objects that are small again, and large between: what the answer to an old client takes is bounded. */
static void seals_many_again_for_an_older_client(void **state)
{
	struct ts_buf text = TS_BUF_INIT(TS_OBJECT_MAX), object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct download old = {.n = 0};
	struct ts_put_stats stats;
	struct ts_sealer *sealer;
	struct ts_sealed sealed;
	struct ts_id ids[40];

	(void)state;
	must(ts_sealer_create(&sealer, &s.err), &s.err);
	while (text.len < TS_OBJECT_MAX - 100)
		ts_buf_printf(&text, "a step that is %zu: sound\n", text.len / 20000);
	for (uint8_t i = 0; i < 40; i++) {
		text.data[0] = 'A' + i;
		ts_buf_reset(&object);
		ts_chunk_encode(ts_buf_view(&text), &object);
		ts_digest(ts_buf_view(&object), &ids[i]);
		must(ts_sealer_seal(sealer, &ids[i], ts_buf_view(&object), &s.arena, &sealed, &s.err), &s.err);
		assert_int_equal(sealed.codec, 3);
		must(upload(&sealed, 1, 1, &stats), &s.err);
	}
	must(download(ids, 40, &old), &s.err);
	assert_int_equal(old.n, 40);
	assert_in_range(old.codec, 0, 2);
	ts_sealer_destroy(sealer);
	ts_buf_finish(&object);
	ts_buf_finish(&text);
}

static enum ts_status see(void *ctx, struct ts_span message, struct ts_error *err)
{
	must(ts_wire_unpack_verify_event(message, &s.arena, ctx, err), err);
	return TS_OK;
}

static void verifies_and_collects(void **state)
{
	struct test_run run = test_run_plain();
	struct ts_verify_event event = {.final = false};
	struct ts_gc_request request = {.dry_run = true, .has_lease = true};
	struct ts_gc_reply report;
	struct ts_buf buf = TS_BUF_INIT(100);
	struct ts_put_stats stats;
	struct ts_sealed garbage = chunk(77, 1000);
	struct ts_span bytes;
	struct ts_id first;

	(void)state;
	must_commit(&s, "p/kept", test_run_put(&s, &run));
	must(upload(&garbage, 1, 1, &stats), &s.err);
	must(s.channel->ops->download(s.channel, "Verify", ts_span_of(NULL, 0), see, &event, &s.err), &s.err);
	assert_true(event.final);
	assert_true(event.report.objects > 3);
	assert_int_equal(event.report.damaged + event.report.missing, 0);
	for (int i = 0; i < 3; i++) { /* with the default lease; as a dry run; for real */
		request = (struct ts_gc_request){.dry_run = i<2, .has_lease = i> 0};
		ts_buf_reset(&buf);
		must(ts_wire_pack_gc_request(&request, &buf, &s.err), &s.err);
		must(test_call(&s, "CollectGarbage", &buf, &bytes), &s.err);
		must(ts_wire_unpack_gc_reply(bytes, &s.arena, &report, &s.err), &s.err);
		assert_int_equal(report.swept.freed, i > 0);
		assert_int_equal(report.swept.leased, i == 0);
		assert_int_equal(missing(&garbage.id, 1, &first), i == 2);
	}
	ts_buf_finish(&buf);
	must(test_get(&s, "p/kept", &(struct ts_get_reply){.by_ref = false}), &s.err);
}

static enum ts_status (*put_extracts)(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err);
static int writes;

static enum ts_status count_write(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err)
{
	writes++;
	return put_extracts(e, runs, n, err);
}

/* Runs as an older tscope pushed them, the first of them under two names and a tag. */
static void gc_writes_the_metrics_of_many_runs_at_once(void **state)
{
	enum { OLD = 300 };
	const struct ts_engine_ops *real = s.engine->ops;
	struct ts_engine_ops counting = *real;
	struct ts_gc_reply report;
	struct ts_buf buf = TS_BUF_INIT(100);
	struct ts_span bytes;

	(void)state;
	put_extracts = real->extracts_put;
	counting.extracts_put = count_write;
	for (int i = 0; i < OLD + 2; i++) {
		struct test_run run = test_run_plain();
		struct ts_ref_update u = {.kind = i == OLD ? TS_REF_TAG : TS_REF_RUN};

		run.scale = i < OLD ? 1 + i : 1;
		u.id = test_run_put(&s, &run);
		u.name = ts_span_str(ts_arena_printf(&s.arena, "p/%d", i));
		must(real->commit(s.engine, &u, 1, &s.arena, NULL, &s.err), &s.err);
	}
	s.engine->ops = &counting;
	for (int i = 0; i < 2; i++) {
		writes = 0;
		ts_buf_reset(&buf);
		must(ts_wire_pack_gc_request(&(struct ts_gc_request){.dry_run = false}, &buf, &s.err), &s.err);
		must(test_call(&s, "CollectGarbage", &buf, &bytes), &s.err);
		must(ts_wire_unpack_gc_reply(bytes, &s.arena, &report, &s.err), &s.err);
		assert_int_equal(report.scored, i ? 0 : OLD);
		assert_in_range(writes, i ? 0 : 1, i ? 0 : 2);
	}
	s.engine->ops = real;
	ts_buf_finish(&buf);
}

static void tells_who_it_is(void **state)
{
	struct ts_buf empty = TS_BUF_INIT(1);
	struct ts_info_reply info;
	struct ts_span bytes;

	(void)state;
	must(test_call(&s, "ServerInfo", &empty, &bytes), &s.err);
	must(ts_wire_unpack_info_reply(bytes, &s.arena, &info, &s.err), &s.err);
	assert_true(ts_span_is(info.version, ts_version()));
	assert_true(ts_span_is(info.store, "memory"));
	assert_int_equal(info.format_version, TS_FORMAT_VERSION);
	assert_true(info.started_ns > 0);
}

/* Every method of the .proto has a row, and every row is of a method. */
static void has_a_row_a_method(void **state)
{
	const ProtobufCServiceDescriptor *promised = &tscope__v1__tscope__descriptor;
	size_t n;

	(void)state;
	assert_non_null(ts_handlers(&n));
	assert_int_equal(n, promised->n_methods);
	for (size_t i = 0; i < n; i++)
		if (!ts_handler_find(ts_span_str(promised->methods[i].name)))
			fail_msg("%s has no handler", promised->methods[i].name);
	for (const struct ts_handler *h = ts_handlers(&n); n--; h++)
		if (h->quick && (h->flags || h->open || h->close || h->drop))
			fail_msg("%s cannot be quick", h->method);
	assert_null(ts_handler_find(ts_span_str("Nothing")));
}

static void refuses_wrong_calls(void **state)
{
	struct ts_buf garbage = TS_BUF_INIT(10);
	struct ts_span reply;
	struct ts_upload *u;
	size_t n;
	const struct ts_handler *rows = ts_handlers(&n);

	(void)state;
	assert_int_equal(test_call(&s, "Nothing", &garbage, &reply), TS_UNSUPPORTED);
	assert_int_equal(test_call(&s, "PutObjects", &garbage, &reply), TS_INTERNAL);
	assert_int_equal(s.channel->ops->upload_open(s.channel, "Diff", &u, &s.err), TS_INTERNAL);
	/* Every request is parsed before anything else is done, so every method refuses bytes that are no message. */
	ts_buf_str(&garbage, "\xff\xff\xff");
	for (size_t i = 0; i < n; i++) {
		if (rows[i].flags & (TS_METHOD_STREAM_UP | TS_METHOD_STREAM_DOWN) ||
		    strcmp(rows[i].method, "ServerInfo") == 0 || strcmp(rows[i].method, "ListTokens") == 0 ||
		    strcmp(rows[i].method, "GetUsage") == 0)
			continue;
		if (test_call(&s, rows[i].method, &garbage, &reply) != TS_INVALID)
			fail_msg("%s", rows[i].method);
	}
	/* An upload that is given up leaves nothing except the objects that were stored. */
	must(s.channel->ops->upload_open(s.channel, "PutObjects", &u, &s.err), &s.err);
	assert_int_equal(s.channel->ops->upload_send(u, ts_buf_view(&garbage), &s.err), TS_INVALID);
	assert_int_equal(s.channel->ops->upload_send(u, ts_span_of(NULL, 0), &s.err), TS_INVALID);
	s.channel->ops->upload_cancel(u);
	ts_buf_finish(&garbage);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(asks_and_sends),
		T(answers_quickly_when_nothing_is_to_be_written),
		T(leaves_trouble_to_message),
		T(believes_nothing),
		T(hashes_a_copy_once),
		T(stops_between_objects),
		T(refuses_what_unseals_to_too_much),
		T(gives_objects_in_order),
		T(seals_again_for_an_older_client),
		T(seals_many_again_for_an_older_client),
		T(verifies_and_collects),
		T(gc_writes_the_metrics_of_many_runs_at_once),
		T(tells_who_it_is),
		T(has_a_row_a_method),
		T(refuses_wrong_calls),
	};

	return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
