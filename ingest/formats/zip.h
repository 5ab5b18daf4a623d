/* zip.h - a zip archive of stored members, written forward to a descriptor that may be a pipe.
 *
 *	ts_zip_begin(&zip, "rank0/scalars.loss.npy", size, err)
 *	ts_zip_add(&zip, bytes, err) ...		size bytes in all
 *	ts_zip_end(&zip, err)
 *	ts_zip_close(&zip, err)				the directory; then ts_zip_finish in any case
 *
 * Sizes stand in front of each member, its CRC-32 behind it; zip64 where something passes 4 GiB or 65,535 members.
 * Source: PKWARE APPNOTE 6.3. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FORMATS_ZIP_H
#define TSCOPE_INGEST_FORMATS_ZIP_H

#include "base/buf.h"

struct ts_zip {
	int fd;
	uint64_t offset; /* written so far */
	struct ts_buf directory;
	uint64_t n;
	struct ts_span name; /* of the member in hand; the caller keeps it until ts_zip_end */
	uint64_t start, size, done;
	uint32_t crc;
};

void ts_zip_init(struct ts_zip *zip, int fd);
void ts_zip_finish(struct ts_zip *zip);
enum ts_status ts_zip_begin(struct ts_zip *zip, struct ts_span name, uint64_t size, struct ts_error *err);
enum ts_status ts_zip_add(struct ts_zip *zip, struct ts_span bytes, struct ts_error *err);
enum ts_status ts_zip_end(struct ts_zip *zip, struct ts_error *err);
enum ts_status ts_zip_close(struct ts_zip *zip, struct ts_error *err);

#endif
