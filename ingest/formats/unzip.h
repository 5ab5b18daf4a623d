/* unzip.h - reads members of a zip archive into memory, by zlib.
 *
 *	ts_unzip_open(top, path, &arena, &zip, err)
 *	ts_unzip_find(&zip, "messages.json", &m, err)
 *	ts_unzip_read(&zip, m, &buf, err)		at most as many bytes as buf may have
 *	ts_unzip_close(&zip)
 *
 * Nothing is written to disk. Errors name the archive and the member: a name that leads out of a folder or is there twice, an
 * encrypted member, one with more bytes than the directory says or than buf may have, a wrong checksum, an unknown method.
 * Archives that need zip64 (4 GiB, 65,535 members) are TS_UNSUPPORTED. Source: PKWARE APPNOTE 6.3. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FORMATS_UNZIP_H
#define TSCOPE_INGEST_FORMATS_UNZIP_H

#include "base/arena.h"
#include "base/buf.h"

struct ts_unzip_member {
	struct ts_span name;
	uint32_t at; /* of its local header */
	uint32_t packed, size, crc;
	uint16_t method, flags;
};

struct ts_unzip {
	const char *path;
	int fd;
	uint64_t size;
	struct ts_unzip_member *members;
	size_t n;
};

/* Reads the directory. The archive stays open only if this succeeds. Members lie in the arena. */
enum ts_status ts_unzip_open(const char *top, const char *path, struct ts_arena *arena, struct ts_unzip *ret_zip, struct ts_error *err);
void ts_unzip_close(struct ts_unzip *zip);
/* *ret_member is NULL if there is none. */
enum ts_status ts_unzip_find(const struct ts_unzip *zip, const char *name, const struct ts_unzip_member **ret_member,
			     struct ts_error *err);
/* Appends the member's bytes to out. */
enum ts_status ts_unzip_read(const struct ts_unzip *zip, const struct ts_unzip_member *m, struct ts_buf *out, struct ts_error *err);

#endif
