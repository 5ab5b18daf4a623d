/* Tests digests with the examples of FIPS 180-4 (NIST, "SHA256.pdf" and the long message of a million 'a'). */
#include "base/digest.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check(const char *text, const char *want)
{
	struct ts_id id;
	char hex[TS_ID_HEX + 1];

	ts_digest(ts_span_str(text), &id);
	assert_string_equal(ts_id_hex(&id, hex), want);
}

static void test_fips_vectors(void **unused)
{
	(void)unused;
	check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void test_a_million_in_pieces(void **unused)
{
	struct ts_hasher hasher;
	struct ts_error err;
	struct ts_id id;
	char hex[TS_ID_HEX + 1];
	uint8_t piece[1000];

	(void)unused;
	memset(piece, 'a', sizeof piece);
	assert_int_equal(ts_hasher_init(&hasher, &err), TS_OK);
	for (int round = 0; round < 2; round++) { /* a hasher can be started again */
		ts_hasher_start(&hasher);
		for (int i = 0; i < 1000; i++)
			ts_hasher_add(&hasher, ts_span_of(piece, sizeof piece));
		ts_hasher_add(&hasher, ts_span_of(NULL, 0));
		ts_hasher_end(&hasher, &id);
		assert_string_equal(ts_id_hex(&id, hex),
				    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	}
	ts_hasher_finish(&hasher);
}

static void *digest_in_thread(void *arg)
{
	for (int i = 0; i < 1000; i++)
		ts_digest(ts_span_str("abc"), arg);
	return NULL;
}

static void test_threads(void **unused)
{
	pthread_t threads[4];
	struct ts_id ids[4];
	char hex[TS_ID_HEX + 1];

	(void)unused;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, digest_in_thread, &ids[i]), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_string_equal(ts_id_hex(&ids[i], hex),
				    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	}
}

static void test_hex_both_ways(void **unused)
{
	const char *text = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1EfF";
	struct ts_id id;
	struct ts_id same;
	char bad[TS_ID_HEX + 2];

	(void)unused;
	assert_true(ts_id_parse(ts_span_str(text), &id));
	for (int i = 0; i < 31; i++)
		assert_int_equal(id.bytes[i], i);
	assert_int_equal(id.bytes[31], 0xFF);
	same = id;
	for (size_t i = 0; i < TS_ID_HEX; i++) {
		memcpy(bad, text, TS_ID_HEX + 1);
		bad[i] = "g/:@G` "[i % 7];
		assert_false(ts_id_parse(ts_span_str(bad), &id));
	}
	assert_false(ts_id_parse(ts_span_of(text, TS_ID_HEX - 1), &id));
	(void)memcpy(bad, text, TS_ID_HEX);
	bad[TS_ID_HEX] = '0';
	assert_false(ts_id_parse(ts_span_of(bad, TS_ID_HEX + 1), &id));
	assert_true(ts_id_eq(&id, &same));
	same.bytes[31]--;
	assert_false(ts_id_eq(&id, &same));
	assert_true(ts_id_cmp(&same, &id) < 0);
}

static int set_up(void **unused)
{
	struct ts_error err;

	(void)unused;
	return ts_digest_init(&err) || ts_digest_init(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fips_vectors),
		cmocka_unit_test(test_a_million_in_pieces),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_hex_both_ways),
	};

	return cmocka_run_group_tests_name("digest", tests, set_up, NULL);
}
