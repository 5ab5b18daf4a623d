#include "base/buf.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <stdio.h>

void ts_buf_finish(struct ts_buf *buf)
{
	ts_free(buf->data);
	*buf = TS_BUF_INIT(buf->ceiling);
}

void ts_buf_reset(struct ts_buf *buf)
{
	buf->len = 0;
	buf->failed = TS_OK;
}

enum ts_status ts_buf_check(const struct ts_buf *buf, struct ts_error *err)
{
	if (buf->failed == TS_TOO_LARGE)
		return ts_error_set(err, TS_TOO_LARGE, "more than %zu bytes", buf->ceiling);
	if (buf->failed)
		return ts_error_set(err, buf->failed, "out of memory at %zu bytes", buf->len);
	return TS_OK;
}

static bool grow(struct ts_buf *buf, size_t need)
{
	size_t cap = buf->cap ? buf->cap : 256;
	uint8_t *data;

	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	if (cap > buf->ceiling)
		cap = buf->ceiling;
	data = ts_realloc(buf->data, cap);
	if (!data) {
		buf->failed = TS_NO_MEMORY;
		return false;
	}
	buf->data = data;
	buf->cap = cap;
	return true;
}

void ts_buf_lacks(struct ts_buf *buf, const struct ts_buf *part)
{
	if (!buf->failed && part->failed == TS_NO_MEMORY)
		buf->failed = TS_NO_MEMORY;
}

uint8_t *ts_buf_reserve(struct ts_buf *buf, size_t n)
{
	size_t need;

	if (buf->failed)
		return NULL;
	if (!ts_size_add(buf->len, n, &need) || need > buf->ceiling) {
		buf->failed = TS_TOO_LARGE;
		return NULL;
	}
	if ((need > buf->cap || !buf->data) && !grow(buf, need))
		return NULL;
	return buf->data + buf->len;
}

void ts_buf_bytes(struct ts_buf *buf, const void *data, size_t len)
{
	uint8_t *at;

	if (len == 0)
		return;
	at = ts_buf_reserve(buf, len);
	if (!at)
		return;
	memcpy(at, data, len);
	buf->len += len;
}

void ts_buf_span(struct ts_buf *buf, struct ts_span span)
{
	ts_buf_bytes(buf, span.data, span.len);
}

void ts_buf_str(struct ts_buf *buf, const char *text)
{
	ts_buf_bytes(buf, text, strlen(text));
}

void ts_buf_char(struct ts_buf *buf, char c)
{
	ts_buf_bytes(buf, &c, 1);
}

void ts_buf_spaces(struct ts_buf *buf, int n)
{
	for (int i = 0; i < n; i++)
		ts_buf_char(buf, ' ');
}

void ts_buf_vprintf(struct ts_buf *buf, const char *format, va_list args)
{
	va_list again;
	uint8_t *at;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	if (len < 0 && !buf->failed)
		buf->failed = TS_TOO_LARGE; /* vsnprintf fails for more than INT_MAX bytes only */
	at = len < 0 ? NULL : ts_buf_reserve(buf, (size_t)len + 1);
	if (at) {
		(void)vsnprintf((char *)at, (size_t)len + 1, format, again);
		buf->len += (size_t)len;
	}
	va_end(again);
}

void ts_buf_printf(struct ts_buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ts_buf_vprintf(buf, format, args);
	va_end(args);
}

void ts_buf_u8(struct ts_buf *buf, uint8_t v)
{
	ts_buf_bytes(buf, &v, 1);
}

void ts_buf_u16(struct ts_buf *buf, uint16_t v)
{
	uint8_t bytes[2];

	ts_store_u16(bytes, v);
	ts_buf_bytes(buf, bytes, sizeof bytes);
}

void ts_buf_u32(struct ts_buf *buf, uint32_t v)
{
	uint8_t bytes[4];

	ts_store_u32(bytes, v);
	ts_buf_bytes(buf, bytes, sizeof bytes);
}

void ts_buf_u64(struct ts_buf *buf, uint64_t v)
{
	uint8_t bytes[8];

	ts_store_u64(bytes, v);
	ts_buf_bytes(buf, bytes, sizeof bytes);
}

void ts_buf_f64(struct ts_buf *buf, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	ts_buf_u64(buf, bits);
}
