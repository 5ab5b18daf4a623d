/* Tests sealed objects: every payload comes back to the bit, real columns become small, and nothing damaged is served. */
#include "base/alloc.h"
#include "base/limits.h"
#include "store/codec.h"
#include "store/sealed.h"
#include "store/test_seal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <xxhash.h>

#include <cmocka.h>

enum { ROWS_MAX = 20000 };

static uint64_t rows[ROWS_MAX];
static uint64_t seed;

/* splitmix64: Steele, Lea, Flood 2014. */
static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static double uniform(void)
{
	return (double)(next_random() >> 11) * 0x1p-53;
}

static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* Seals the first n rows as one object, unseals it and compares, and returns the number of stored bytes. */
static size_t round_trip(size_t n, enum ts_layout layout)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_id refs[2] = {{{1}}, {{2}}};
	struct ts_arena arena;
	struct ts_sealed sealed;
	struct ts_span back;
	struct ts_error err;
	size_t stored;

	ts_arena_init(&arena, 0);
	ts_object_begin(&object, 9, 1, layout, refs, 2);
	ts_buf_bytes(&object, rows, n * 8);
	assert_int_equal(test_seal_bytes(ts_buf_view(&object), &arena, &sealed, &err), TS_OK);
	assert_int_equal(sealed.kind, 9);
	assert_int_equal(sealed.nrefs, 2);
	assert_true(sealed.bytes.len <= object.len);
	assert_int_equal(ts_sealed_verify(&sealed, &arena, &back, &err), TS_OK);
	assert_true(ts_span_eq(back, ts_buf_view(&object)));
	stored = sealed.bytes.len;
	ts_arena_finish(&arena);
	ts_buf_finish(&object);
	return stored;
}

/* Returns a random word of kind k; the properties are tested with all kinds and with mixtures of them. */
static uint64_t random_word(int kind, size_t i)
{
	static const double special[] = {0.0, -0.0, 1e308, 5e-324, -5e-324, 2.2250738585072014e-308, 0.1, -1e-9, 1e15};

	switch (kind) {
	case 0:
		return next_random();
	case 1:
		return bits_of((double)(next_random() % 20000000) / 1e9);
	case 2:
		return bits_of((double)(float)normal());
	case 3:
		return bits_of(special[next_random() % 9]);
	case 4:
		return bits_of(next_random() % 2 ? (double)INFINITY : -(double)INFINITY);
	case 5:
		return 0x7ff8000000000000u;
	case 6:
		return 0x7ff0000000000000u | (next_random() >> 12); /* NaN payloads, signalling ones too */
	case 7:
		return (uint64_t)i * 50 + 7;
	case 8:
		return bits_of((double)(int64_t)(next_random() >> (next_random() % 60)) / 1e4);
	case 9:
		return bits_of(2251799813685248.0 + (double)(next_random() % 5) - 2); /* around 2^51 */
	case 10:
		return (uint64_t)INT64_MIN + next_random() % 3;
	default:
		return bits_of(normal());
	}
}

static void every_word_comes_back(void **state)
{
	(void)state;
	seed = 1;
	for (int kind = 0; kind < 12; kind++) {
		for (size_t n = 0; n < 40; n++) {
			for (size_t i = 0; i < n; i++)
				rows[i] = random_word(kind, i);
			round_trip(n, TS_LAYOUT_WORDS);
			round_trip(n, TS_LAYOUT_BYTES);
		}
		for (size_t i = 0; i < 5003; i++)
			rows[i] = random_word(kind, i);
		round_trip(5003, TS_LAYOUT_WORDS);
	}
}

static void mixes_of_words_come_back(void **state)
{
	(void)state;
	seed = 2;
	for (int round = 0; round < 600; round++) {
		size_t n = 1 + next_random() % 700;
		int a = (int)(next_random() % 12);
		int b = (int)(next_random() % 12);
		uint64_t every = 1 + next_random() % 300;

		for (size_t i = 0; i < n; i++)
			rows[i] = random_word(next_random() % every ? a : b, i);
		round_trip(n, TS_LAYOUT_WORDS);
	}
}

/* The bounds are the information content of the values, computed by hand, plus some room for tables. */
static void real_columns_become_small(void **state)
{
	const size_t n = 16384;
	double t = 1795167217.5;

	(void)state;
	seed = 3;
	for (size_t i = 0; i < n; i++)
		rows[i] = 1000 + 50 * i;
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), 80, 120); /* header, 2 refs, a value, a stride */
	for (size_t i = 0; i < n; i++)
		rows[i] = bits_of(9663676416.0);
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), 80, 120);
	for (size_t i = 0; i < n; i++) /* standard deviation 300 us: 20.2 bits */
		rows[i] = bits_of((double)(int64_t)(6e6 + 3e5 * normal()) / 1e9);
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), 2 * n, 27 * n / 10);
	for (size_t i = 0; i < n; i++) /* float32: 23 bits of mantissa and a little of exponent */
		rows[i] = bits_of((double)(float)(2 + 0.1 * normal()));
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), 2 * n, 3 * n);
	for (size_t i = 0; i < n; i++) /* 46 to 48 bits are noise */
		rows[i] = bits_of(2 + 0.03 * normal());
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), 5 * n, 64 * n / 10);
	for (size_t i = 0; i < n; i++) {
		t += 0.0226 + 0.0005 * normal();
		rows[i] = bits_of(t);
	}
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), n, 2 * n); /* 2^-22 s resolution, 2100 of them: 13 bits */
	for (size_t i = 0; i < n; i++)
		rows[i] = bits_of((double)(int64_t)(round(1e4 * (2 + 0.03 * normal()))) / 1e4); /* "%.4f": 10.3 bits */
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), n, 17 * n / 10);
	for (size_t i = 0; i < n; i++) /* bfloat16 between 1 and 4: steps of 2^-6, 6.3 bits */
		rows[i] = bits_of(round(64 * (2 + 0.3 * normal())) / 64);
	assert_in_range(round_trip(n, TS_LAYOUT_WORDS), n / 2, n);
	for (size_t i = 0; i < n; i++)
		rows[i] = next_random();
	assert_int_equal(round_trip(n, TS_LAYOUT_WORDS), 80 + 8 * n); /* stored uncompressed */
}

/* Makes one sealed object of each codec, which the tests then corrupt. */
static void make_sealed(struct ts_arena *arena, int codec, struct ts_sealed *ret)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_error err;
	struct ts_span copy;

	seed = 4;
	ts_object_begin(&object, 3, 1, codec == TS_CODEC_WORDS ? TS_LAYOUT_WORDS : TS_LAYOUT_BYTES, NULL, 0);
	for (int i = 0; i < 300; i++)
		ts_buf_u64(&object, codec == TS_CODEC_RAW ? next_random() :
							    bits_of((double)(next_random() % 5000) / 1e9));
	copy = ts_arena_span(arena, ts_buf_view(&object));
	ts_buf_finish(&object);
	assert_int_equal(test_seal_bytes(copy, arena, ret, &err), TS_OK);
	assert_int_equal(ret->codec, codec);
}

/* This is the first half of P6. A peer could send a corrupted object with a matching checksum: the SHA-256 finds it. */
static void p6_every_flipped_bit_is_found(void **state)
{
	(void)state;
	for (int codec = TS_CODEC_RAW; codec <= TS_CODEC_WORDS; codec++) {
		struct ts_arena arena;
		struct ts_sealed sealed;
		struct ts_error err;
		struct ts_span original;
		size_t bits;

		ts_arena_init(&arena, 0);
		make_sealed(&arena, codec, &sealed);
		assert_int_equal(ts_unseal(&sealed, &arena, &original, &err), TS_OK);
		bits = sealed.bytes.len * 8;
		for (size_t bit = 0; bit < bits; bit += 1 + bits / 2000) {
			struct ts_sealed bad = sealed;
			uint8_t *bytes = ts_arena_dup(&arena, sealed.bytes.data, sealed.bytes.len);
			struct ts_span back = {0};

			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			bad.bytes.data = bytes;
			assert_int_equal(ts_unseal(&bad, &arena, &back, &err), TS_DAMAGED);
			assert_null(back.data);
			assert_non_null(strstr(err.text, "checksum"));
			bad.checksum = XXH3_64bits(bytes, sealed.bytes.len);
			if (ts_sealed_verify(&bad, &arena, &back, &err) == TS_OK) /* a bit that zstd ignores */
				assert_true(ts_span_eq(back, original));
		}
		ts_arena_finish(&arena);
	}
}

static void what_does_not_fit_is_refused(void **state)
{
	struct ts_arena arena;
	struct ts_sealed good;
	struct ts_sealed bad;
	struct ts_span back;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	make_sealed(&arena, TS_CODEC_WORDS, &good);
	assert_int_equal(ts_sealed_verify(&good, &arena, &back, &err), TS_OK);
	bad = good;
	bad.id.bytes[31] ^= 1;
	assert_int_equal(ts_sealed_verify(&bad, &arena, &back, &err), TS_DAMAGED);
	bad = good;
	bad.kind++;
	assert_int_equal(ts_sealed_verify(&bad, &arena, &back, &err), TS_DAMAGED);
	bad = good;
	bad.nrefs = 1;
	assert_int_equal(ts_sealed_verify(&bad, &arena, &back, &err), TS_DAMAGED);
	bad = good;
	bad.codec = TS_SEALED_CODECS + 1;
	assert_int_equal(ts_unseal(&bad, &arena, &back, &err), TS_DAMAGED);
	bad = good;
	bad.raw_len += 8;
	assert_int_equal(ts_unseal(&bad, &arena, &back, &err), TS_DAMAGED);
	bad.raw_len = UINT32_MAX;
	arena.ceiling = arena.used + 4096; /* the code must not allocate that much */
	assert_int_equal(ts_unseal(&bad, &arena, &back, &err), TS_DAMAGED);
	assert_non_null(strstr(err.text, "2097152"));
	ts_arena_finish(&arena);
}

/* Lines that differ in their numbers; test_deflate has what gzip compressed. */
static void a_sealer_stores_text_by_its_numbers(void **state)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_sealed sealed, plain;
	struct ts_sealer *sealer;
	struct ts_arena arena;
	struct ts_span back;
	struct ts_error err;
	struct ts_id id;

	(void)state;
	ts_arena_init(&arena, 0);
	ts_object_begin(&object, 7, 1, TS_LAYOUT_BYTES, NULL, 0);
	for (int i = 0; i < 4000; i++)
		ts_buf_printf(&object, "step %d loss %u.%04u\n", i, (unsigned)(next_random() % 3), (unsigned)(next_random() % 10000));
	ts_digest(ts_buf_view(&object), &id);
	assert_int_equal(ts_sealer_create(&sealer, &err), TS_OK);
	assert_true(ts_sealer_helps(ts_buf_view(&object)));
	ts_sealer_pass(sealer, ts_buf_view(&object));
	assert_int_equal(ts_sealer_seal(sealer, &id, ts_buf_view(&object), &arena, &sealed, &err), TS_OK);
	assert_int_equal(sealed.codec, TS_CODEC_LINES);
	assert_int_equal(ts_seal(&id, ts_buf_view(&object), &arena, &plain, &err), TS_OK);
	assert_int_equal(plain.codec, TS_CODEC_ZSTD);
	/* The loss takes log2(30000) bits, and the step hardly any. */
	assert_in_range(sealed.bytes.len, 4000 * 14 / 8, 4000 * 18 / 8);
	assert_true(sealed.bytes.len < plain.bytes.len);
	assert_int_equal(ts_sealed_verify(&sealed, &arena, &back, &err), TS_OK);
	assert_true(ts_span_eq(back, ts_buf_view(&object)));
	for (size_t bit = 0; bit < sealed.bytes.len * 8; bit += 97) {
		struct ts_sealed bad = sealed;
		uint8_t *bytes = ts_arena_dup(&arena, sealed.bytes.data, sealed.bytes.len);

		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		bad.bytes.data = bytes;
		bad.checksum = XXH3_64bits(bytes, sealed.bytes.len);
		if (ts_sealed_verify(&bad, &arena, &back, &err) == TS_OK)
			assert_true(ts_span_eq(back, ts_buf_view(&object)));
	}
	ts_sealer_destroy(sealer);
	ts_buf_finish(&object);
	ts_arena_finish(&arena);
}

static void no_memory_is_an_error(void **state)
{
	struct ts_arena arena;
	struct ts_sealed sealed;
	struct ts_sealed again;
	struct ts_span back;
	struct ts_error err;

	(void)state;
	for (int codec = TS_CODEC_RAW; codec <= TS_CODEC_WORDS; codec++) {
		enum ts_status status = TS_NO_MEMORY;
		size_t n = 1;

		ts_arena_init(&arena, 0);
		make_sealed(&arena, codec, &sealed);
		assert_int_equal(ts_unseal(&sealed, &arena, &back, &err), TS_OK);
		for (; status != TS_OK && n < 100; n++) {
			struct ts_arena small;

			ts_arena_init(&small, 0);
			ts_alloc_fail_at(n);
			status = test_seal_bytes(back, &small, &again, &err);
			if (status == TS_OK)
				status = ts_unseal(&again, &small, &back, &err);
			ts_alloc_fail_at(0);
			assert_true(status == TS_OK || status == TS_NO_MEMORY);
			if (status == TS_OK)
				assert_true(ts_id_eq(&again.id, &sealed.id));
			ts_arena_finish(&small);
			assert_int_equal(ts_unseal(&sealed, &arena, &back, &err), TS_OK);
		}
		assert_int_equal(status, TS_OK);
		ts_arena_finish(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_comes_back),
		cmocka_unit_test(mixes_of_words_come_back),
		cmocka_unit_test(real_columns_become_small),
		cmocka_unit_test(p6_every_flipped_bit_is_found),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_sealer_stores_text_by_its_numbers),
		cmocka_unit_test(no_memory_is_an_error),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
