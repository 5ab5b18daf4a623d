/* buf.h - a buffer of bytes that grows up to a ceiling, which it has from the start.
 *
 *	struct ts_buf buf = TS_BUF_INIT(1 << 20);
 *	ts_buf_u32(&buf, 7);
 *	ts_buf_str(&buf, "seven");
 *	if (ts_buf_check(&buf, err))	the first failure is remembered; check once, at the end
 *		...
 *	ts_buf_finish(&buf);
 *
 * After a failure further writes do nothing. ts_buf_printf needs room below the ceiling for a final NUL, which it does not
 * keep. Integers are little-endian.
 * Threads: one thread at a time may use a buffer.
 */
#ifndef TSCOPE_BASE_BUF_H
#define TSCOPE_BASE_BUF_H

#include "base/error.h"
#include "base/span.h"

#include <stdarg.h>
#include <stdint.h>

struct ts_buf {
	uint8_t *data;
	size_t len;
	size_t cap;
	size_t ceiling;
	enum ts_status failed;
};

#define TS_BUF_INIT(limit) ((struct ts_buf){.ceiling = (limit)})

void ts_buf_finish(struct ts_buf *buf);
/* Empties the buffer and forgets a failure; keeps the memory. */
void ts_buf_reset(struct ts_buf *buf);
/* Reports the first failure: TS_NO_MEMORY or TS_TOO_LARGE; TS_OK if there was none. */
enum ts_status ts_buf_check(const struct ts_buf *buf, struct ts_error *err);
/* Passes on a failure of part, whose text goes into buf: if part lacked memory, buf counts as lacking memory too. */
void ts_buf_lacks(struct ts_buf *buf, const struct ts_buf *part);

/* Makes room for n more bytes at the end, which the caller writes and then adds to len; NULL on failure. */
uint8_t *ts_buf_reserve(struct ts_buf *buf, size_t n);

void ts_buf_bytes(struct ts_buf *buf, const void *data, size_t len);
void ts_buf_span(struct ts_buf *buf, struct ts_span span);
void ts_buf_str(struct ts_buf *buf, const char *text);
void ts_buf_spaces(struct ts_buf *buf, int n);
void ts_buf_char(struct ts_buf *buf, char c);
void ts_buf_spaces(struct ts_buf *buf, int n);
void ts_buf_printf(struct ts_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_buf_vprintf(struct ts_buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void ts_buf_u8(struct ts_buf *buf, uint8_t v);
void ts_buf_u16(struct ts_buf *buf, uint16_t v);
void ts_buf_u32(struct ts_buf *buf, uint32_t v);
void ts_buf_u64(struct ts_buf *buf, uint64_t v);
void ts_buf_f64(struct ts_buf *buf, double v); /* appends the exact bits */

static inline struct ts_span ts_buf_view(const struct ts_buf *buf)
{
	return ts_span_of(buf->data, buf->len);
}

#endif
