#include "ingest/formats/zip.h"

#include "base/file.h"

#include <zlib.h>

#define OVER32 UINT64_C(0xFFFFFFFF)

enum {
	VERSION = 20,
	VERSION64 = 45,
	FLAGS = 0x0808, /* the CRC follows the data; names are UTF-8 */
	DATE = 0x0021,	/* 1980-01-01: without a clock, the same run gives the same bytes */
	HEAD_MAX = 128 << 10,
};

void ts_zip_init(struct ts_zip *zip, int fd)
{
	*zip = (struct ts_zip){.fd = fd, .directory = TS_BUF_INIT((size_t)1 << 32)};
}

void ts_zip_finish(struct ts_zip *zip)
{
	ts_buf_finish(&zip->directory);
}

static enum ts_status write_out(struct ts_zip *zip, struct ts_span bytes, struct ts_error *err)
{
	if (ts_write_full(zip->fd, bytes.data, bytes.len, err))
		return err->status;
	zip->offset += bytes.len;
	return TS_OK;
}

static enum ts_status write_buf(struct ts_zip *zip, struct ts_buf *buf, struct ts_error *err)
{
	enum ts_status status = ts_buf_check(buf, err);

	if (!status)
		status = write_out(zip, ts_buf_view(buf), err);
	ts_buf_finish(buf);
	return status;
}

/* Writes the part that both headers of a member have, from "version needed" to the sizes. */
static void put_common(struct ts_buf *buf, const struct ts_zip *zip, uint32_t crc, bool large)
{
	uint32_t size = large ? (uint32_t)OVER32 : (uint32_t)zip->size;

	ts_buf_u16(buf, large ? VERSION64 : VERSION);
	ts_buf_u16(buf, FLAGS);
	ts_buf_u16(buf, 0); /* method 0: stored */
	ts_buf_u16(buf, 0);
	ts_buf_u16(buf, DATE);
	ts_buf_u32(buf, crc);
	ts_buf_u32(buf, size);
	ts_buf_u32(buf, size);
	ts_buf_u16(buf, (uint16_t)zip->name.len);
}

enum ts_status ts_zip_begin(struct ts_zip *zip, struct ts_span name, uint64_t size, struct ts_error *err)
{
	struct ts_buf head = TS_BUF_INIT(HEAD_MAX);
	bool large = size >= OVER32;

	if (name.len > UINT16_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "a member's name of %zu bytes", name.len);
	zip->name = name;
	zip->start = zip->offset;
	zip->size = size;
	zip->done = 0;
	zip->crc = 0;
	ts_buf_u32(&head, 0x04034b50);
	put_common(&head, zip, 0, large);
	ts_buf_u16(&head, large ? 20 : 0);
	ts_buf_span(&head, name);
	if (large) {
		ts_buf_u16(&head, 1);
		ts_buf_u16(&head, 16);
		ts_buf_u64(&head, size);
		ts_buf_u64(&head, size);
	}
	return write_buf(zip, &head, err);
}

enum ts_status ts_zip_add(struct ts_zip *zip, struct ts_span bytes, struct ts_error *err)
{
	if (bytes.len > zip->size - zip->done)
		return ts_error_set(err, TS_INTERNAL, "a member of the archive is longer than its header says");
	zip->crc = (uint32_t)crc32_z(zip->crc, bytes.data, bytes.len);
	zip->done += bytes.len;
	return write_out(zip, bytes, err);
}

enum ts_status ts_zip_end(struct ts_zip *zip, struct ts_error *err)
{
	struct ts_buf tail = TS_BUF_INIT(HEAD_MAX);
	bool large = zip->size >= OVER32;
	bool far = zip->start >= OVER32;
	struct ts_buf *d = &zip->directory;

	if (zip->done != zip->size)
		return ts_error_set(err, TS_INTERNAL, "a member of the archive is shorter than its header says");
	ts_buf_u32(&tail, 0x08074b50);
	ts_buf_u32(&tail, zip->crc);
	if (large) {
		ts_buf_u64(&tail, zip->size);
		ts_buf_u64(&tail, zip->size);
	} else {
		ts_buf_u32(&tail, (uint32_t)zip->size);
		ts_buf_u32(&tail, (uint32_t)zip->size);
	}
	ts_buf_u32(d, 0x02014b50);
	ts_buf_u16(d, VERSION64);
	put_common(d, zip, zip->crc, large);
	ts_buf_u16(d, (uint16_t)(large || far ? 4 + 16 * large + 8 * far : 0));
	ts_buf_u16(d, 0);
	ts_buf_u16(d, 0);
	ts_buf_u16(d, 0);
	ts_buf_u32(d, 0);
	ts_buf_u32(d, far ? (uint32_t)OVER32 : (uint32_t)zip->start);
	ts_buf_span(d, zip->name);
	if (large || far) {
		ts_buf_u16(d, 1);
		ts_buf_u16(d, (uint16_t)(16 * large + 8 * far));
		for (int i = 0; i < 2 * large; i++)
			ts_buf_u64(d, zip->size);
		if (far)
			ts_buf_u64(d, zip->start);
	}
	zip->n++;
	return write_buf(zip, &tail, err);
}

static void put_end64(struct ts_buf *end, const struct ts_zip *zip, uint64_t start)
{
	uint64_t at = start + zip->directory.len;

	ts_buf_u32(end, 0x06064b50);
	ts_buf_u64(end, 44);
	ts_buf_u16(end, VERSION64);
	ts_buf_u16(end, VERSION64);
	ts_buf_u32(end, 0);
	ts_buf_u32(end, 0);
	ts_buf_u64(end, zip->n);
	ts_buf_u64(end, zip->n);
	ts_buf_u64(end, zip->directory.len);
	ts_buf_u64(end, start);
	ts_buf_u32(end, 0x07064b50);
	ts_buf_u32(end, 0);
	ts_buf_u64(end, at);
	ts_buf_u32(end, 1);
}

enum ts_status ts_zip_close(struct ts_zip *zip, struct ts_error *err)
{
	struct ts_buf end = TS_BUF_INIT(HEAD_MAX);
	uint64_t start = zip->offset;
	bool large = start >= OVER32 || zip->n >= UINT16_MAX || zip->directory.len >= OVER32;

	if (ts_buf_check(&zip->directory, err) || write_out(zip, ts_buf_view(&zip->directory), err))
		return err->status;
	if (large)
		put_end64(&end, zip, start);
	ts_buf_u32(&end, 0x06054b50);
	ts_buf_u16(&end, 0);
	ts_buf_u16(&end, 0);
	ts_buf_u16(&end, large ? UINT16_MAX : (uint16_t)zip->n);
	ts_buf_u16(&end, large ? UINT16_MAX : (uint16_t)zip->n);
	ts_buf_u32(&end, large ? (uint32_t)OVER32 : (uint32_t)zip->directory.len);
	ts_buf_u32(&end, large ? (uint32_t)OVER32 : (uint32_t)start);
	ts_buf_u16(&end, 0);
	return write_buf(zip, &end, err);
}
