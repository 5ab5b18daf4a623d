#include "ingest/tensorboard/tfrecord.h"

#include "base/below.h"
#include "base/cursor.h"

#include <unistd.h>

enum { WINDOW = 1 << 20, HEAD = 12, FOOT = 4 };

enum ts_status ts_tfrecord_open(struct ts_tfrecord *t, const char *top, const char *path, struct ts_error *err)
{
	*t = (struct ts_tfrecord){.fd = -1, .window = TS_BUF_INIT(2 * WINDOW + TS_TFRECORD_MAX + FOOT)};
	return ts_below_open(top, path, &t->fd, &t->size, err);
}

void ts_tfrecord_close(struct ts_tfrecord *t)
{
	if (t->fd >= 0)
		(void)close(t->fd);
	ts_buf_finish(&t->window);
}

/* Reads until the window holds `want` bytes behind `used`. The caller knows that the file has them. */
static enum ts_status fill(struct ts_tfrecord *t, size_t want, struct ts_error *err)
{
	size_t left = t->window.len - t->used, n, got;
	uint8_t *at;

	if (left >= want)
		return TS_OK;
	if (left)
		memmove(t->window.data, t->window.data + t->used, left);
	t->window.len = left;
	t->used = 0;
	n = want - left > WINDOW ? want - left : WINDOW;
	if (n > t->size - t->filled)
		n = (size_t)(t->size - t->filled);
	at = ts_buf_reserve(&t->window, n);
	if (!at)
		return ts_buf_check(&t->window, err);
	if (ts_pread_full(t->fd, at, n, t->filled, &got, err))
		return err->status;
	t->window.len += got;
	t->filled += got;
	return got < n ? ts_error_set(err, TS_IO, "the file became shorter while it was read") : TS_OK;
}

/* Computes the checksum of `len` bytes behind the head without keeping them. The window is empty afterwards. */
static enum ts_status check_long(struct ts_tfrecord *t, uint64_t len, bool *ret_good, struct ts_error *err)
{
	uint32_t crc = 0;

	t->used += HEAD;
	while (len > 0) {
		size_t n = len < WINDOW ? (size_t)len : WINDOW;

		if (fill(t, n, err))
			return err->status;
		crc = ts_crc32c(crc, t->window.data + t->used, n);
		t->used += n;
		len -= n;
	}
	if (fill(t, FOOT, err))
		return err->status;
	*ret_good = ts_tfrecord_masked(crc) == ts_load_u32(t->window.data + t->used);
	t->used += FOOT;
	return TS_OK;
}

enum ts_status ts_tfrecord_next(struct ts_tfrecord *t, struct ts_span *ret_record, enum ts_tfrecord_end *ret_end, struct ts_error *err)
{
	uint64_t left = t->size - t->at, len;
	const uint8_t *head;
	bool good = true;

	*ret_end = left == 0 ? TS_TFRECORD_END : TS_TFRECORD_CUT;
	if (left < HEAD)
		return TS_OK;
	if (fill(t, HEAD, err))
		return err->status;
	head = t->window.data + t->used;
	len = ts_load_le(head, 8);
	*ret_end = TS_TFRECORD_DAMAGED;
	if (ts_tfrecord_masked(ts_crc32c(0, head, 8)) != ts_load_u32(head + 8))
		return TS_OK;
	*ret_end = TS_TFRECORD_CUT;
	if (left - HEAD < FOOT || len > left - HEAD - FOOT)
		return TS_OK;
	if (len > TS_TFRECORD_MAX) {
		if (check_long(t, len, &good, err))
			return err->status;
		*ret_end = good ? TS_TFRECORD_LONG : TS_TFRECORD_DAMAGED;
		t->at += good ? HEAD + len + FOOT : 0;
		return TS_OK;
	}
	if (fill(t, HEAD + (size_t)len + FOOT, err))
		return err->status;
	head = t->window.data + t->used;
	*ret_record = ts_span_of(head + HEAD, (size_t)len);
	if (ts_tfrecord_masked(ts_crc32c(0, ret_record->data, ret_record->len)) != ts_load_u32(head + HEAD + len)) {
		*ret_end = TS_TFRECORD_DAMAGED;
		return TS_OK;
	}
	t->used += HEAD + (size_t)len + FOOT;
	t->at += HEAD + len + FOOT;
	*ret_end = TS_TFRECORD_MORE;
	return TS_OK;
}
