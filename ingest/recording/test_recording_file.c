#include "ingest/recording/test_recording_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILE_HEADER = 128, CHUNK_HEADER = 32, BODY_MAX = 65536 };

/* CRC-32C bit by bit (RFC 3720). */
static uint32_t crc(uint32_t c, const uint8_t *data, size_t n)
{
	c = ~c;
	for (size_t i = 0; i < n; i++) {
		c ^= data[i];
		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
	}
	return ~c;
}

static size_t put(uint8_t *to, size_t at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[at + (size_t)i] = (uint8_t)(v >> 8 * i);
	return at + (size_t)bytes;
}

static uint64_t get(const uint8_t *from, int bytes)
{
	uint64_t v = 0;

	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)from[i] << 8 * i;
	return v;
}

uint64_t test_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

void test_mend_header(struct test_file *f)
{
	(void)put(f->data, 124, crc(0, f->data, 124), 4);
}

void test_mend(struct test_file *f, size_t at)
{
	uint32_t len = (uint32_t)get(f->data + at, 3);

	(void)put(f->data, at + 4, crc(crc(0, f->data + at, 4), f->data + at + 8, len - 8), 4);
}

static void grow(struct test_file *f, size_t chunks)
{
	if (chunks * TEST_CHUNK <= f->size)
		return;
	f->data = test_realloc(f->data, chunks * TEST_CHUNK);
	assert_non_null(f->data);
	memset(f->data + f->size, 0, chunks * TEST_CHUNK - f->size);
	f->size = chunks * TEST_CHUNK;
}

void test_file_init(struct test_file *f, int32_t rank, int32_t world)
{
	memset(f, 0, sizeof *f);
	grow(f, 2);
	memcpy(f->data, "\x89TSCR\r\n\x1a", 8);
	(void)put(f->data, 8, 1, 4);
	(void)put(f->data, 12, 65536, 4);
	memset(f->data + 16, 0x5a, 16);
	(void)put(f->data, 32, (uint32_t)rank, 4);
	(void)put(f->data, 36, (uint32_t)world, 4);
	(void)put(f->data, 40, TEST_UNIX, 8);
	(void)put(f->data, 48, TEST_MONO, 8);
	(void)put(f->data, 56, 4711, 4);
	(void)put(f->data, 60, 1000, 4);
	test_mend_header(f);
}

void test_file_finish(struct test_file *f)
{
	test_free(f->data);
	memset(f, 0, sizeof *f);
}

static void take_chunk(struct test_file *f, uint32_t lane)
{
	uint32_t number = f->first_chunk ? f->chunks ^ 1 : f->chunks;
	size_t at = (size_t)number * TEST_CHUNK + (number ? 0 : FILE_HEADER);

	f->chunks++;
	grow(f, (size_t)(number | 1) + 2);
	(void)put(f->data, at + 8, number, 4);
	(void)put(f->data, at + 12, lane, 4);
	(void)put(f->data, at + 16, f->lanes[lane].n++, 4);
	(void)put(f->data, at + 4, crc(0, f->data + at + 8, 24), 4);
	(void)put(f->data, at, 0x4b4e4843, 4);
	f->lanes[lane].chunk = number;
	f->lanes[lane].at = CHUNK_HEADER + (number ? 0 : FILE_HEADER);
}

void test_relabel(struct test_file *f, uint32_t chunk, uint32_t lane, uint32_t ordinal)
{
	size_t at = (size_t)chunk * TEST_CHUNK + (chunk ? 0 : FILE_HEADER);

	(void)put(f->data, at + 12, lane, 4);
	(void)put(f->data, at + 16, ordinal, 4);
	(void)put(f->data, at + 4, crc(0, f->data + at + 8, 24), 4);
}

size_t test_frame(struct test_file *f, uint32_t lane, uint8_t kind, const void *body, size_t n)
{
	size_t at;

	assert_true(n % 8 == 0 && lane < TEST_LANES);
	if (!f->lanes[lane].n || f->lanes[lane].at + 8 + n > TEST_CHUNK)
		take_chunk(f, lane);
	at = (size_t)f->lanes[lane].chunk * TEST_CHUNK + f->lanes[lane].at;
	f->lanes[lane].at += (uint32_t)(8 + n);
	memcpy(f->data + at + 8, body, n);
	(void)put(f->data, at, (8 + n) | (uint64_t)kind << 24, 4);
	test_mend(f, at);
	f->at = at;
	f->len = 8 + n;
	if (f->after)
		f->after(f, f->ctx);
	return at;
}

static size_t aligned(size_t n)
{
	return (n + 7) / 8 * 8;
}

void test_column(struct test_file *f, uint32_t lane, uint16_t column, uint8_t kind, const char *name)
{
	uint8_t body[8 + 256] = {0};
	size_t len = strlen(name);

	(void)put(body, 0, column, 2);
	body[2] = kind;
	body[3] = (uint8_t)len;
	memcpy(body + 8, name, len);
	(void)test_frame(f, lane, 1, body, aligned(8 + len));
}

static size_t put_cells(uint8_t *body, size_t at, const struct test_cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)put(body, at + 2 * i, cells[i].column, 2);
	at = aligned(at + 2 * n);
	for (size_t i = 0; i < n; i++)
		at = put(body, at, cells[i].bits, 8);
	return at;
}

void test_step(struct test_file *f, uint32_t lane, int64_t step, int64_t begin, int64_t duration, const struct test_cell *cells,
	       size_t n)
{
	uint8_t *body = test_calloc(1, BODY_MAX);
	size_t at = put(body, 0, (uint64_t)step, 8);

	at = put(body, at, (uint64_t)begin, 8);
	at = put(body, at, (uint64_t)duration, 8);
	at = put(body, at, n, 8);
	f->steps++;
	(void)test_frame(f, lane, 2, body, put_cells(body, at, cells, n));
	test_free(body);
}

void test_late(struct test_file *f, uint32_t lane, int64_t step, const struct test_cell *cells, size_t n)
{
	uint8_t *body = test_calloc(1, BODY_MAX);
	size_t at = put(body, 0, (uint64_t)step, 8);

	at = put(body, at, n, 8);
	(void)test_frame(f, lane, 3, body, put_cells(body, at, cells, n));
	test_free(body);
}

void test_first(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t time, double value)
{
	uint8_t body[32];
	size_t at = put(body, 0, column, 8);

	at = put(body, at, (uint64_t)step, 8);
	at = put(body, at, (uint64_t)time, 8);
	(void)test_frame(f, lane, 7, body, put(body, at, test_bits(value), 8));
}

void test_region(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t begin, int64_t duration)
{
	uint8_t body[32];
	size_t at = put(body, 0, column, 4);

	at = put(body, at, lane, 4);
	at = put(body, at, (uint64_t)step, 8);
	at = put(body, at, (uint64_t)begin, 8);
	(void)test_frame(f, lane, 4, body, put(body, at, (uint64_t)duration, 8));
}

static size_t begin_event(uint8_t *body, uint16_t column, uint16_t form, uint32_t len, int64_t step, int64_t time)
{
	size_t at = put(body, 0, column, 2);

	at = put(body, at, form, 2);
	at = put(body, at, len, 4);
	at = put(body, at, (uint64_t)step, 8);
	return put(body, at, (uint64_t)time, 8);
}

void test_event_number(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t time, double value)
{
	uint8_t body[32];

	(void)test_frame(f, lane, 5, body, put(body, begin_event(body, column, 1, 0, step, time), test_bits(value), 8));
}

void test_event_text(struct test_file *f, uint32_t lane, uint16_t column, int64_t step, int64_t time, const char *text)
{
	uint8_t body[24 + 4096 + 8] = {0};
	size_t len = strlen(text), at = begin_event(body, column, 2, (uint32_t)len, step, time);

	memcpy(body + at, text, len);
	(void)test_frame(f, lane, 5, body, aligned(at + len));
}

void test_digest(struct test_file *f, uint32_t lane, int64_t step, const char *name, uint64_t out, const uint64_t *in, uint8_t kind,
		 uint32_t occurrence)
{
	uint8_t body[32 + 520] = {0};
	size_t len = strlen(name), at = put(body, 0, (uint64_t)step, 8);

	at = put(body, at, out, 8);
	at = put(body, at, in ? *in : 0, 8);
	at = put(body, at, in != NULL, 1);
	at = put(body, at, kind, 1);
	at = put(body, at, len, 2);
	at = put(body, at, occurrence, 4);
	memcpy(body + at, name, len);
	(void)test_frame(f, lane, 6, body, aligned(at + len));
}

void test_end(struct test_file *f, uint32_t lane, int64_t time, uint64_t lost, uint32_t reason)
{
	uint8_t body[40];
	size_t at = put(body, 0, (uint64_t)time, 8);

	at = put(body, at, f->steps, 8);
	at = put(body, at, lost, 8);
	at = put(body, at, 0, 8);
	(void)test_frame(f, lane, 15, body, put(body, at, reason, 8));
}
