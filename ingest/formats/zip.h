/* zip.h - writes a zip archive of uncompressed members to a descriptor, which may be a pipe.
 *
 *	ts_zip_begin(&zip, "rank0/scalars.loss.npy", size, err)
 *	ts_zip_add(&zip, bytes, err) ...		until size bytes are added
 *	ts_zip_end(&zip, err)
 *	ts_zip_close(&zip, err)				writes the directory; call ts_zip_finish in any case
 *
 * Sizes stand before each member, its CRC-32 after it. zip64 is used where a size or offset exceeds 4 GiB, or for more than 65,535
 * members.
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
	struct ts_span name; /* of the current member; the caller keeps it until ts_zip_end */
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
