#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "service/auth/peer.h"

#include <cmocka.h>

static uint64_t key(enum ts_peer_kind kind, const char *bytes, size_t n)
{
	return ts_peer_key(kind, ts_span_of(bytes, n));
}

static void one_peer_has_one_key(void **state)
{
	static const char site_a[] = "\x20\x01\x0d\xb8\0\0\0\1\0\0\0\0\0\0\0\1";
	static const char site_b[] = "\x20\x01\x0d\xb8\0\0\0\2\0\0\0\0\0\0\0\1";
	char neighbour[16];

	(void)state;
	memcpy(neighbour, site_a, sizeof neighbour);
	neighbour[15] = 77;
	assert_int_equal(key(TS_PEER_ADDRESS, "\x7f\0\0\1", 4), key(TS_PEER_ADDRESS, "\x7f\0\0\1", 4));
	assert_int_not_equal(key(TS_PEER_ADDRESS, "\x7f\0\0\1", 4), key(TS_PEER_ADDRESS, "\x7f\0\0\2", 4));
	assert_int_not_equal(key(TS_PEER_ADDRESS, "\x7f\0\0\1", 4), key(TS_PEER_USER, "\x7f\0\0\1", 4));
	/* A site has 2^64 addresses of IPv6, which must not give it as many shares. */
	assert_int_equal(key(TS_PEER_ADDRESS, site_a, 16), key(TS_PEER_ADDRESS, neighbour, 16));
	assert_int_not_equal(key(TS_PEER_ADDRESS, site_a, 16), key(TS_PEER_ADDRESS, site_b, 16));
	assert_int_not_equal(key(TS_PEER_CERTIFICATE, site_a, 16), key(TS_PEER_CERTIFICATE, neighbour, 16));
	assert_int_not_equal(key(TS_PEER_USER, "", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_peer_has_one_key)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
