/* Which server a call goes to: the same for all who name the same run, in equal parts, and nothing moves that need not. */
#include "service/rpc/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { KEYS = 3000 };

static const char *const servers[] = {"tls:a:7443", "tls:b:7443", "tls:c:7443", "tls:d:7443"};

static struct ts_route_key key_of(unsigned i)
{
	struct ts_route_key key;

	(void)snprintf(key.hex, sizeof key.hex, "%016x", i);
	return key;
}

static void parts_are_equal(void **state)
{
	size_t counts[4] = {0}, order[4];

	for (unsigned i = 0; i < KEYS; i++) {
		struct ts_route_key key = key_of(i);

		ts_route_order(servers, 4, &key, order);
		counts[order[0]]++;
	}
	/* 750 are expected; the standard deviation is 23.7, and seven of them are never left. */
	for (size_t s = 0; s < 4; s++)
		assert_in_range(counts[s], 750 - 166, 750 + 166);
	(void)state;
}

static void a_lost_server_moves_only_its_own(void **state)
{
	const char *const left[] = {servers[3], servers[0], servers[2]}; /* without b, and in another order */
	size_t before[4], after[3], moved = 0;

	for (unsigned i = 0; i < KEYS; i++) {
		struct ts_route_key key = key_of(i);

		ts_route_order(servers, 4, &key, before);
		ts_route_order(left, 3, &key, after);
		if (before[0] == 1) {
			assert_string_equal(left[after[0]], servers[before[1]]); /* the next one of the order */
			moved++;
		} else {
			assert_string_equal(left[after[0]], servers[before[0]]);
		}
	}
	assert_in_range(moved, 750 - 166, 750 + 166);
	(void)state;
}

static void an_order_has_each_once(void **state)
{
	for (unsigned i = 0; i < 100; i++) {
		struct ts_route_key key = key_of(i);
		size_t order[4];
		unsigned seen = 0;

		ts_route_order(servers, 4, &key, order);
		for (size_t s = 0; s < 4; s++)
			seen |= 1U << order[s];
		assert_int_equal(seen, 15);
	}
	(void)state;
}

/* Field 1 and field 2 as text: tags 0x0A and 0x12. */
static void requests_name_runs(void **state)
{
	static const char diff[] = "\x0A\x05p/one\x12\x05p/two", get[] = "\x0A\x05p/one\x10\x01", other[] = "\x0A\x05p/two";
	/* The first 16 digits of `printf p/one | sha256sum`. */
	struct ts_route_key key = ts_route_key("GetRun", ts_span_of(get, sizeof get - 1));

	assert_string_equal(key.hex, "9860b13d6548c712");
	assert_string_equal(ts_route_key("Diff", ts_span_of(diff, sizeof diff - 1)).hex, key.hex);
	assert_string_equal(ts_route_key("Analyze", ts_span_of(get, sizeof get - 1)).hex, key.hex);
	assert_string_not_equal(ts_route_key("GetRun", ts_span_of(other, sizeof other - 1)).hex, key.hex);
	assert_string_equal(ts_route_key("ListRuns", ts_span_of(get, sizeof get - 1)).hex, "");
	assert_string_equal(ts_route_key("NoSuchMethod", ts_span_of(get, sizeof get - 1)).hex, "");
	assert_string_equal(ts_route_key("GetRun", ts_span_of("\x0A\x7F", 2)).hex, "");
	assert_string_equal(ts_route_key("GetRun", ts_span_of(NULL, 0)).hex, "");
	(void)state;
}

static void heads_count_as_ids(void **state)
{
	uint8_t objects[2 + 64] = {0x12, 64};
	char text[2 + TS_ID_HEX + 1] = {0x0A, TS_ID_HEX};

	for (size_t i = 0; i < TS_ID_BYTES; i++) {
		objects[2 + i] = (uint8_t)i;
		(void)snprintf(text + 2 + 2 * i, 3, "%02x", (unsigned)i);
	}
	assert_string_equal(ts_route_key("GetObjects", ts_span_of(objects, sizeof objects)).hex,
			    ts_route_key("GetRun", ts_span_of(text, sizeof text - 1)).hex);
	objects[1] = 31;
	assert_string_equal(ts_route_key("GetObjects", ts_span_of(objects, 2 + 31)).hex, "");
	(void)state;
}

static void what_may_be_made_twice(void **state)
{
	static const char *const reads[] = {"GetRun", "ListRuns", "Diff", "Analyze", "HasObjects", "GetObjects"};
	static const char *const writes[] = {"CommitRun", "UpdateRef", "SetNote", "MakeToken", "CollectGarbage", "PutObjects", "Other"};

	for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
		assert_true(ts_route_may_repeat(reads[i]));
	for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++)
		assert_false(ts_route_may_repeat(writes[i]));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_equal),	 cmocka_unit_test(a_lost_server_moves_only_its_own),
		cmocka_unit_test(an_order_has_each_once), cmocka_unit_test(requests_name_runs),
		cmocka_unit_test(heads_count_as_ids),	 cmocka_unit_test(what_may_be_made_twice),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
