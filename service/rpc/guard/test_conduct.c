/* Clients that behave and clients that flood, as byte sequences, cut at every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "service/rpc/guard/conduct.h"
#include "service/rpc/guard/peers.h"

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

enum { ROOM = 1 << 16 };

struct wire {
	uint8_t bytes[ROOM];
	size_t n;
};

static void put(struct wire *w, const void *bytes, size_t n)
{
	assert_true(n <= ROOM - w->n);
	memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
}

/* RFC 9113, 4.1: a length of 24 bits, a type, flags, a stream of 31 bits. */
static void frame(struct wire *w, int type, int flags, uint32_t stream, const void *payload, uint32_t n)
{
	uint8_t head[9] = {(uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n, (uint8_t)type, (uint8_t)flags,
			   (uint8_t)(stream >> 24), (uint8_t)(stream >> 16), (uint8_t)(stream >> 8), (uint8_t)stream};
	static const uint8_t zeros[4096];

	put(w, head, sizeof head);
	while (!payload && n > sizeof zeros) {
		put(w, zeros, sizeof zeros);
		n -= sizeof zeros;
	}
	put(w, payload ? payload : zeros, n);
}

static void number(struct wire *w, int type, uint32_t stream, uint32_t value)
{
	uint8_t be[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};

	frame(w, type, 0, stream, be, 4);
}

static void initial_window(struct wire *w, uint32_t value)
{
	uint8_t setting[6] = {0, 4, (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};

	frame(w, 4, 0, 0, setting, sizeof setting);
}

static void hello(struct wire *w)
{
	put(w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	frame(w, 4, 0, 0, NULL, 0);
}

static enum ts_cutoff up(struct ts_conduct *c, struct wire *w, int64_t now_ns)
{
	enum ts_cutoff cause = ts_conduct_up(c, ts_span_of(w->bytes, w->n), now_ns);

	w->n = 0;
	return cause;
}

static void down(struct ts_conduct *c, struct wire *w, int64_t now_ns)
{
	ts_conduct_down(c, ts_span_of(w->bytes, w->n), now_ns);
	w->n = 0;
}

static void begin(struct ts_conduct *c)
{
	struct wire w = {.n = 0};

	ts_conduct_init(c, SECOND);
	hello(&w);
	assert_int_equal(up(c, &w, SECOND), TS_CUTOFF_NONE);
}

/* ---- frames ---- */

static void events(struct ts_frames *f, struct ts_span bytes, char *text, size_t cap)
{
	enum ts_frames_event event;
	size_t n = strlen(text);
	uint32_t value = 0;
	uint16_t id = 0;

	while ((event = ts_frames_next(f, &bytes, &id, &value)) != TS_FRAMES_END) {
		if (event == TS_FRAMES_HEAD)
			n += (size_t)snprintf(text + n, cap - n, "%u/%u/%u/%u ", f->frame.type, f->frame.flags, f->frame.stream,
					      f->frame.length);
		else if (event == TS_FRAMES_SETTING)
			n += (size_t)snprintf(text + n, cap - n, "%u=%u ", id, value);
		else if (event == TS_FRAMES_WINDOW)
			n += (size_t)snprintf(text + n, cap - n, "+%u ", value);
		else
			return;
	}
}

static void frames_are_the_same_wherever_they_are_cut(void **state)
{
	static const char want[] = "4/0/0/12 4=65535 3=100 1/4/1/20 0/1/1/7 8/0/0/4 +2147483647 6/0/0/8 4/1/0/0 0/0/3/0 ";
	static const uint8_t settings[12] = {0, 4, 0, 0, 255, 255, 0, 3, 0, 0, 0, 100};
	struct ts_frames f;
	struct wire w = {.n = 0};
	char text[256];

	(void)state;
	put(&w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	frame(&w, 4, 0, 0, settings, sizeof settings);
	frame(&w, 1, 4, 1, NULL, 20);
	frame(&w, 0, 1, 1, NULL, 7);
	number(&w, 8, 0x80000000, 0xffffffff); /* the reserved bits are nothing */
	frame(&w, 6, 0, 0, NULL, 8);
	frame(&w, 4, 1, 0, NULL, 0);
	frame(&w, 0, 0, 3, NULL, 0);
	for (size_t a = 0; a <= w.n; a++) {
		for (size_t b = a; b <= w.n; b += 1 + b / 40) {
			text[0] = '\0';
			ts_frames_init(&f, true);
			events(&f, ts_span_of(w.bytes, a), text, sizeof text);
			events(&f, ts_span_of(w.bytes + a, b - a), text, sizeof text);
			events(&f, ts_span_of(w.bytes + b, w.n - b), text, sizeof text);
			assert_string_equal(text, want);
			assert_true(ts_frames_between(&f));
		}
	}
	/* Byte by byte; and every frame but the last byte is no place to put another. */
	ts_frames_init(&f, true);
	text[0] = '\0';
	for (size_t i = 0; i < w.n; i++)
		events(&f, ts_span_of(w.bytes + i, 1), text, sizeof text);
	assert_string_equal(text, want);
	ts_frames_init(&f, true);
	events(&f, ts_span_of(w.bytes, w.n - 1), text, sizeof text);
	assert_false(ts_frames_between(&f));
}

static void numbers_that_are_cut_short_are_passed_over(void **state)
{
	struct ts_frames f;
	struct wire w = {.n = 0};
	char text[128] = "";

	(void)state;
	frame(&w, 4, 0, 0, NULL, 7); /* one setting and a byte */
	frame(&w, 8, 0, 0, NULL, 3);
	frame(&w, 8, 0, 0, NULL, 9); /* two numbers and a byte */
	frame(&w, 6, 0, 0, NULL, 8);
	ts_frames_init(&f, false);
	for (size_t i = 0; i < w.n; i++)
		events(&f, ts_span_of(w.bytes + i, 1), text, sizeof text);
	assert_string_equal(text, "4/0/0/7 0=0 8/0/0/3 8/0/0/9 +0 +0 6/0/0/8 ");
}

static void what_is_not_the_preface_is_refused_at_its_first_wrong_byte(void **state)
{
	static const char http1[] = "GET / HTTP/1.1\r\n\r\n", almost[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r";
	struct ts_conduct c;

	(void)state;
	ts_conduct_init(&c, 0);
	assert_int_equal(ts_conduct_up(&c, ts_span_of(http1, 1), 0), TS_CUTOFF_PREFACE);
	ts_conduct_init(&c, 0);
	assert_int_equal(ts_conduct_up(&c, ts_span_of(almost, 23), 0), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_up(&c, ts_span_of(almost + 23, 1), 0), TS_CUTOFF_PREFACE);
}

/* ---- who is cut ---- */

/* Sends one frame again and again, within one second; returns how many were taken, or -1 if none was refused. */
static int flood(int type, int flags, uint32_t stream, uint32_t n, enum ts_cutoff want)
{
	struct ts_conduct c;
	struct wire w = {.n = 0};

	begin(&c);
	for (int i = 0; i < 100000; i++) {
		enum ts_cutoff cause;

		frame(&w, type, flags, stream, NULL, n);
		cause = up(&c, &w, SECOND);
		if (cause) {
			assert_int_equal(cause, want);
			return i;
		}
	}
	return -1;
}

static void floods_of_small_frames_are_cut(void **state)
{
	(void)state;
	assert_in_range(flood(6, 0, 0, 8, TS_CUTOFF_PINGS), 100, 1000);
	assert_in_range(flood(6, 1, 0, 8, TS_CUTOFF_PINGS), 100, 1000); /* answers that nobody asked for */
	assert_in_range(flood(4, 0, 0, 6, TS_CUTOFF_SETTINGS), 50, 200);
	assert_in_range(flood(4, 1, 0, 0, TS_CUTOFF_SETTINGS), 50, 200);
	assert_in_range(flood(8, 0, 0, 4, TS_CUTOFF_WINDOWS), 10000, 30000);
	assert_in_range(flood(0, 0, 1, 0, TS_CUTOFF_ODD_FRAMES), 100, 1000);
	assert_in_range(flood(0, 1, 1, 0, TS_CUTOFF_ODD_FRAMES), 100, 1000); /* the end of a stream that is not open */
	assert_in_range(flood(0, 0, 1, 1, TS_CUTOFF_ODD_FRAMES), 100, 1000);
	assert_in_range(flood(2, 0, 1, 5, TS_CUTOFF_ODD_FRAMES), 100, 1000);
	assert_in_range(flood(99, 0, 1, 5, TS_CUTOFF_ODD_FRAMES), 100, 1000);
	assert_int_equal(flood(5, 0, 1, 4, TS_CUTOFF_BAD_FRAME), 0);
	assert_int_equal(flood(6, 0, 0, 9, TS_CUTOFF_BAD_FRAME), 0);
	assert_int_equal(flood(4, 0, 0, 600, TS_CUTOFF_BAD_FRAME), 0);
	assert_int_equal(flood(9, 0, 1, 4, TS_CUTOFF_BAD_FRAME), 0);
	assert_int_equal(flood(1, 5, 2, 4, TS_CUTOFF_BAD_FRAME), 0); /* a stream of the server's */
	assert_int_equal(flood(1, 5, 1, 40000, TS_CUTOFF_HEADERS), 0);
	assert_int_equal(flood(0, 0, 1, 8192, TS_CUTOFF_NONE), -1); /* an upload */
}

static void blocks_of_headers_end_in_size_pieces_and_time(void **state)
{
	struct ts_conduct c;
	struct wire w = {.n = 0};

	(void)state;
	begin(&c);
	frame(&w, 1, 0, 1, NULL, 100);
	for (int i = 0; i < 7; i++)
		frame(&w, 9, 0, 1, NULL, 100);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_overdue(&c, 10 * SECOND), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_overdue(&c, 12 * SECOND), TS_CUTOFF_SLOW_HEADERS);
	frame(&w, 9, 4, 1, NULL, 100);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_HEADERS);

	begin(&c);
	frame(&w, 1, 0, 1, NULL, 30000);
	frame(&w, 9, 4, 1, NULL, 4000);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_HEADERS);

	begin(&c);
	frame(&w, 1, 0, 1, NULL, 100);
	frame(&w, 6, 0, 0, NULL, 8);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_BAD_FRAME);

	begin(&c);
	frame(&w, 1, 0, 1, NULL, 100);
	frame(&w, 9, 4, 1, NULL, 100);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_overdue(&c, 100 * SECOND), TS_CUTOFF_NONE);
}

static void who_does_not_begin_is_overdue(void **state)
{
	struct ts_conduct c;

	(void)state;
	ts_conduct_init(&c, SECOND);
	assert_int_equal(ts_conduct_up(&c, ts_span_str("PRI * HTTP/2.0"), SECOND), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_overdue(&c, 10 * SECOND), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_overdue(&c, 12 * SECOND), TS_CUTOFF_SLOW_BEGIN);
}

/* A minute of downloads, in which the server sends what the windows allow, and the client opens both by `by` each second. Returns the
 * second in which it was cut, 0 if it was not. */
static int reads(uint32_t window, uint32_t by)
{
	struct ts_conduct c;
	struct wire w = {.n = 0};

	begin(&c);
	initial_window(&w, window);
	frame(&w, 1, 5, 1, NULL, 50);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
	for (int s = 2; s < 60; s++) {
		int64_t stream = ts_streams_find(&c.streams, 1)->window, n = c.window < stream ? c.window : stream;

		frame(&w, 0, 0, 1, NULL, (uint32_t)(n < 16384 ? n : 16384));
		down(&c, &w, s * SECOND);
		if (by) {
			number(&w, 8, 0, by);
			number(&w, 8, 1, by);
		}
		assert_int_equal(up(&c, &w, s * SECOND), TS_CUTOFF_NONE);
		if (ts_conduct_overdue(&c, s * SECOND) == TS_CUTOFF_SLOW_READER)
			return s;
	}
	return 0;
}

static void readers_must_take_what_they_asked_for(void **state)
{
	struct ts_conduct c;

	(void)state;
	assert_int_equal(reads(65535, 16384), 0);
	assert_in_range(reads(0, 0), 21, 25);
	assert_in_range(reads(0, 1), 21, 25);
	assert_in_range(reads(16384, 1), 22, 26);
	assert_in_range(reads(65535, 1), 25, 29); /* the first seconds fill the window */
	/* The windows are open, and the kernel's buffer is full. */
	begin(&c);
	c.full = true;
	for (int s = 2; s < 22; s++)
		assert_int_equal(ts_conduct_overdue(&c, s * SECOND), TS_CUTOFF_NONE);
	assert_int_equal(ts_conduct_overdue(&c, 23 * SECOND), TS_CUTOFF_SLOW_READER);
	/* An idle connection waits for nothing. */
	begin(&c);
	c.window = 0;
	for (int s = 2; s < 100; s++)
		assert_int_equal(ts_conduct_overdue(&c, s * SECOND), TS_CUTOFF_NONE);
}

/* ---- who is not ---- */

/* n calls within one second: the frames that C-core's client and server exchange for a small call. */
static void small_calls_are_never_too_many(void **state)
{
	struct ts_conduct c;
	struct wire w = {.n = 0};
	unsigned calls, resets;

	(void)state;
	begin(&c);
	for (uint32_t id = 1; id < 200001; id += 2) {
		frame(&w, 1, 4, id, NULL, 60);
		frame(&w, 0, 1, id, NULL, 30);
		number(&w, 8, 0, 30);
		number(&w, 8, id, 30);
		number(&w, 8, 0, 30);
		assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
		frame(&w, 1, 4, id, NULL, 30);
		frame(&w, 0, 0, id, NULL, 30);
		frame(&w, 1, 5, id, NULL, 30);
		frame(&w, 3, 0, id, NULL, 4); /* of a stream that has ended */
		down(&c, &w, SECOND);
	}
	ts_conduct_take(&c, &calls, &resets);
	assert_int_equal(calls, 100000);
	assert_int_equal(resets, 0);
	ts_conduct_take(&c, &calls, &resets);
	assert_int_equal(calls, 0);
}

/* 4 GB up and 4 GB down in one second, on 64 streams. */
static void gigabytes_are_never_too_many(void **state)
{
	struct ts_conduct c;
	struct wire w = {.n = 0};

	(void)state;
	begin(&c);
	for (uint32_t i = 0; i < 64; i++)
		frame(&w, 1, 4, 2 * i + 1, NULL, 60);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
	for (uint32_t i = 0; i < 1 << 18; i++) {
		uint32_t id = 2 * (i % 64) + 1;

		frame(&w, 0, 0, id, NULL, 16384);
		number(&w, 8, 0, 16384);
		number(&w, 8, id, 16384);
		frame(&w, 6, 1, 0, NULL, 8); /* its answer to the ping below */
		frame(&w, 4, 1, 0, NULL, 0);
		assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
		frame(&w, 0, 0, id, NULL, 16384);
		frame(&w, 6, 0, 0, NULL, 8);
		frame(&w, 4, 0, 0, NULL, 6);
		down(&c, &w, SECOND);
	}
	assert_int_equal(ts_conduct_overdue(&c, 2 * SECOND), TS_CUTOFF_NONE);
}

static void more_streams_than_there_are_places_count_as_resets(void **state)
{
	struct ts_conduct c;
	struct wire w = {.n = 0};
	unsigned calls, resets;

	(void)state;
	begin(&c);
	for (uint32_t i = 0; i < 1000; i++) {
		frame(&w, 1, 4, 2 * i + 1, NULL, 30);
		assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
	}
	ts_conduct_take(&c, &calls, &resets);
	assert_int_equal(calls, 0);
	assert_int_equal(resets, 1000 - TS_STREAMS_MAX);
	/* Both sides' resets of open streams count. */
	frame(&w, 3, 0, 1, NULL, 4);
	assert_int_equal(up(&c, &w, SECOND), TS_CUTOFF_NONE);
	frame(&w, 3, 0, 3, NULL, 4);
	down(&c, &w, SECOND);
	ts_conduct_take(&c, &calls, &resets);
	assert_int_equal(resets, 2);
}

/* ---- peers ---- */

static void peers_pay_together(void **state)
{
	static struct ts_peers peers;
	unsigned a, b, c, n = 0;

	(void)state;
	ts_peers_init(&peers, 2);
	assert_int_equal(ts_peers_connect(&peers, 7, SECOND, &a), TS_CUTOFF_NONE);
	assert_int_equal(ts_peers_connect(&peers, 7, SECOND, &b), TS_CUTOFF_NONE);
	assert_int_equal(ts_peers_connect(&peers, 7, SECOND, &c), TS_CUTOFF_PEER_CONNECTIONS);
	assert_int_equal(ts_peers_connect(&peers, 8, SECOND, &c), TS_CUTOFF_NONE);
	assert_int_equal(a, b);
	assert_int_not_equal(a, c);
	while (ts_peers_settle(&peers, a, 0, false, 10, SECOND))
		n += 10;
	assert_in_range(n, 100, 1000);
	/* Whoever connects again has the same budget; calls earn it back; others have their own. */
	ts_peers_leave(&peers, a);
	assert_int_equal(ts_peers_connect(&peers, 7, SECOND, &b), TS_CUTOFF_NONE);
	assert_false(ts_peers_settle(&peers, b, 0, false, 10, SECOND));
	assert_true(ts_peers_settle(&peers, b, 20, false, 10, SECOND));
	assert_true(ts_peers_settle(&peers, c, 0, false, 10, SECOND));
	assert_true(ts_peers_settle(&peers, b, 0, false, 10, 3 * SECOND));
	/* A certificate moves to its own place. */
	assert_int_equal(ts_peers_connections(&peers, b), 2);
	assert_int_equal(ts_peers_move(&peers, 9, SECOND, &b), TS_CUTOFF_NONE);
	assert_int_equal(ts_peers_connections(&peers, a), 1);
	assert_int_equal(ts_peers_connections(&peers, b), 1);
	ts_peers_finish(&peers);
}

static void who_only_connects_is_refused_and_who_calls_is_not(void **state)
{
	static struct ts_peers peers;
	unsigned place, n = 0;

	(void)state;
	ts_peers_init(&peers, 10);
	while (ts_peers_connect(&peers, 7, SECOND, &place) == TS_CUTOFF_NONE) {
		ts_peers_leave(&peers, place);
		n++;
	}
	assert_in_range(n, 100, 1000);
	assert_int_equal(ts_peers_connect(&peers, 7, SECOND, &place), TS_CUTOFF_CONNECT_RATE);
	assert_int_equal(ts_peers_connect(&peers, 7, 2 * SECOND, &place), TS_CUTOFF_NONE);
	ts_peers_leave(&peers, place);
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(ts_peers_connect(&peers, 8, SECOND, &place), TS_CUTOFF_NONE);
		assert_true(ts_peers_settle(&peers, place, 1, true, 0, SECOND));
		ts_peers_leave(&peers, place);
	}
	ts_peers_finish(&peers);
}

static void a_peer_that_is_there_is_never_forgotten(void **state)
{
	static struct ts_peers peers;
	unsigned mine, place, refused = 0;

	(void)state;
	ts_peers_init(&peers, 10);
	assert_int_equal(ts_peers_connect(&peers, 42, SECOND, &mine), TS_CUTOFF_NONE);
	for (uint64_t key = 1; key < 100000; key++) {
		if (ts_peers_connect(&peers, key << 20 | 1, SECOND, &place) == TS_CUTOFF_NONE) {
			assert_int_not_equal(place, mine);
			if (key > 2000)
				ts_peers_leave(&peers, place);
		} else {
			refused++;
		}
	}
	assert_true(refused > 0);
	assert_int_equal(peers.all[mine].key, 42);
	ts_peers_finish(&peers);
}

static void every_cause_has_words(void **state)
{
	(void)state;
	for (int i = 0; i < TS_CUTOFFS; i++) {
		assert_non_null(ts_cutoff_word((enum ts_cutoff)i));
		assert_non_null(ts_cutoff_text((enum ts_cutoff)i));
	}
	assert_true(ts_cutoff_is_refusal(TS_CUTOFF_PEER_CONNECTIONS));
	assert_false(ts_cutoff_is_refusal(TS_CUTOFF_RESETS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_the_same_wherever_they_are_cut),
		cmocka_unit_test(numbers_that_are_cut_short_are_passed_over),
		cmocka_unit_test(what_is_not_the_preface_is_refused_at_its_first_wrong_byte),
		cmocka_unit_test(floods_of_small_frames_are_cut),
		cmocka_unit_test(blocks_of_headers_end_in_size_pieces_and_time),
		cmocka_unit_test(who_does_not_begin_is_overdue),
		cmocka_unit_test(readers_must_take_what_they_asked_for),
		cmocka_unit_test(small_calls_are_never_too_many),
		cmocka_unit_test(gigabytes_are_never_too_many),
		cmocka_unit_test(more_streams_than_there_are_places_count_as_resets),
		cmocka_unit_test(peers_pay_together),
		cmocka_unit_test(who_only_connects_is_refused_and_who_calls_is_not),
		cmocka_unit_test(a_peer_that_is_there_is_never_forgotten),
		cmocka_unit_test(every_cause_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
