#include "ingest/formats/unzip.h"

#include "base/below.h"
#include "base/text.h"

#include <unistd.h>
#include <zlib.h>

enum {
	END_BYTES = 22, /* the record behind the directory, before its comment */
	COMMENT_MAX = 65535,
	ENTRY_BYTES = 46,
	LOCAL_BYTES = 30,
	DIRECTORY_MAX = 16 << 20,
	CHUNK = 1 << 16,
	STORED = 0,
	DEFLATED = 8,
	ENCRYPTED = 1,
};

#define END_MARK UINT32_C(0x06054b50)
#define ENTRY_MARK UINT32_C(0x02014b50)
#define LOCAL_MARK UINT32_C(0x04034b50)

static uint16_t u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t u32(const uint8_t *at)
{
	return u16(at) | (uint32_t)u16(at + 2) << 16;
}

static enum ts_status damaged(const struct ts_unzip *zip, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%s: %s", zip->path, what);
}

static enum ts_status bad_member(const struct ts_unzip *zip, struct ts_span name, enum ts_status status, const char *what,
				 struct ts_error *err)
{
	return ts_error_set(err, status, "%s: %.*s: %s", zip->path, TS_SPAN_ARG(name), what);
}

static enum ts_status read_at(const struct ts_unzip *zip, uint64_t at, void *data, size_t n, struct ts_error *err)
{
	size_t got;

	if (at > zip->size || n > zip->size - at)
		return damaged(zip, "the archive ends too early", err);
	if (ts_pread_full(zip->fd, data, n, at, &got, err))
		return err->status;
	return got == n ? TS_OK : damaged(zip, "the archive became shorter while it was read", err);
}

/* --- the directory --- */

/* Finds the record behind the directory: the last one whose comment ends with the file. */
static enum ts_status find_end(const struct ts_unzip *zip, struct ts_arena *arena, uint8_t end[END_BYTES], struct ts_error *err)
{
	size_t n = zip->size < END_BYTES + COMMENT_MAX ? (size_t)zip->size : END_BYTES + COMMENT_MAX;
	uint8_t *tail = ts_arena_alloc(arena, n);

	if (!tail)
		return ts_arena_error(arena, err);
	if (read_at(zip, zip->size - n, tail, n, err))
		return err->status;
	for (size_t i = n < END_BYTES ? 0 : n - END_BYTES + 1; i-- > 0;)
		if (u32(tail + i) == END_MARK && u16(tail + i + 20) == n - END_BYTES - i) {
			memcpy(end, tail + i, END_BYTES);
			return TS_OK;
		}
	return ts_error_set(err, TS_INVALID, "%s: this is not a whole zip archive", zip->path);
}

/* A name that would lead out of a folder in which the archive was unpacked. */
static bool leads_out(struct ts_span name)
{
	return !name.len || name.data[0] == '/' || memchr(name.data, '\\', name.len) || memchr(name.data, '\0', name.len) ||
	       ts_span_is(name, "..") || ts_span_starts(name, ts_span_str("../")) || ts_span_contains(name, "/../") ||
	       ts_span_ends(name, "/..");
}

static enum ts_status take_entry(struct ts_unzip *zip, struct ts_span *rest, struct ts_error *err)
{
	struct ts_unzip_member *m = &zip->members[zip->n];
	size_t name, more;

	if (rest->len < ENTRY_BYTES || u32(rest->data) != ENTRY_MARK)
		return damaged(zip, "the directory is damaged", err);
	name = u16(rest->data + 28);
	more = (size_t)u16(rest->data + 30) + u16(rest->data + 32);
	if (rest->len - ENTRY_BYTES < name + more)
		return damaged(zip, "the directory is damaged", err);
	*m = (struct ts_unzip_member){
		.name = ts_span_part(*rest, ENTRY_BYTES, name),
		.flags = u16(rest->data + 8),
		.method = u16(rest->data + 10),
		.crc = u32(rest->data + 16),
		.packed = u32(rest->data + 20),
		.size = u32(rest->data + 24),
		.at = u32(rest->data + 42),
	};
	*rest = ts_span_from(*rest, ENTRY_BYTES + name + more);
	if (leads_out(m->name))
		return bad_member(zip, m->name, TS_INVALID, "a name that leads out of the archive's folder", err);
	if (m->at == UINT32_MAX || m->packed == UINT32_MAX || m->size == UINT32_MAX)
		return bad_member(zip, m->name, TS_UNSUPPORTED, "members of 4 GiB are not read", err);
	zip->n++;
	return TS_OK;
}

static enum ts_status read_directory(struct ts_unzip *zip, struct ts_arena *arena, struct ts_error *err)
{
	uint8_t end[END_BYTES] = {0}, *bytes;
	struct ts_span rest;
	size_t n, size;

	if (find_end(zip, arena, end, err))
		return err->status;
	n = u16(end + 10);
	size = u32(end + 12);
	if (n == UINT16_MAX || u32(end + 16) == UINT32_MAX)
		return ts_error_set(err, TS_UNSUPPORTED, "%s: archives of zip64 are not read", zip->path);
	if (size > DIRECTORY_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s: a directory of more than %d bytes", zip->path, DIRECTORY_MAX);
	bytes = ts_arena_alloc(arena, size);
	zip->members = ts_arena_array(arena, n + 1, sizeof *zip->members);
	if (!bytes || !zip->members)
		return ts_arena_error(arena, err);
	if (read_at(zip, u32(end + 16), bytes, size, err))
		return err->status;
	rest = ts_span_of(bytes, size);
	for (size_t i = 0; i < n; i++)
		if (take_entry(zip, &rest, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_unzip_open(const char *top, const char *path, struct ts_arena *arena, struct ts_unzip *ret_zip, struct ts_error *err)
{
	*ret_zip = (struct ts_unzip){.path = path, .fd = -1};
	if (ts_below_open(top, path, &ret_zip->fd, &ret_zip->size, err))
		return err->status;
	if (!read_directory(ret_zip, arena, err))
		return TS_OK;
	ts_unzip_close(ret_zip);
	return err->status;
}

void ts_unzip_close(struct ts_unzip *zip)
{
	if (zip->fd >= 0)
		(void)close(zip->fd);
	zip->fd = -1;
}

enum ts_status ts_unzip_find(const struct ts_unzip *zip, const char *name, const struct ts_unzip_member **ret_member,
			     struct ts_error *err)
{
	*ret_member = NULL;
	for (size_t i = 0; i < zip->n; i++) {
		if (!ts_span_is(zip->members[i].name, name))
			continue;
		if (*ret_member)
			return bad_member(zip, zip->members[i].name, TS_INVALID, "two members have this name", err);
		*ret_member = &zip->members[i];
	}
	return TS_OK;
}

/* --- a member --- */

/* Inflates the m->packed bytes at `at` to room, which has m->size bytes. *ret_whole: it is that many, and the end of the packed
 * data. */
static enum ts_status inflate_to(const struct ts_unzip *zip, const struct ts_unzip_member *m, uint64_t at, uint8_t *room,
				 bool *ret_whole, struct ts_error *err)
{
	uint8_t chunk[CHUNK], beyond;
	z_stream z = {.next_out = room, .avail_out = m->size};
	uint32_t left = m->packed;
	int code = Z_OK;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return ts_error_set(err, TS_NO_MEMORY, "%s: out of memory for zlib", zip->path);
	while (code == Z_OK && left) {
		size_t n = left < CHUNK ? left : CHUNK;

		if (read_at(zip, at, chunk, n, err)) {
			(void)inflateEnd(&z);
			return err->status;
		}
		at += n;
		left -= (uint32_t)n;
		z.next_in = chunk;
		z.avail_in = (uInt)n;
		while (code == Z_OK && z.avail_in) {
			/* One byte of room behind the last shows a member that is longer than it says. */
			if (!z.avail_out) {
				z.next_out = &beyond;
				z.avail_out = 1;
			}
			code = inflate(&z, Z_NO_FLUSH);
			if (z.total_out > m->size)
				code = Z_BUF_ERROR;
		}
	}
	*ret_whole = code == Z_STREAM_END && z.total_out == m->size;
	(void)inflateEnd(&z);
	return TS_OK;
}

enum ts_status ts_unzip_read(const struct ts_unzip *zip, const struct ts_unzip_member *m, struct ts_buf *out, struct ts_error *err)
{
	uint8_t local[LOCAL_BYTES], *room;
	uint64_t at;
	bool whole = m->packed == m->size;

	if (m->flags & ENCRYPTED)
		return bad_member(zip, m->name, TS_UNSUPPORTED, "this member is encrypted", err);
	if (m->method != STORED && m->method != DEFLATED)
		return bad_member(zip, m->name, TS_UNSUPPORTED, "this member is packed by a method that is not read", err);
	if (m->size > out->ceiling || out->len > out->ceiling - m->size)
		return bad_member(zip, m->name, TS_TOO_LARGE, "this member is too large", err);
	if (read_at(zip, m->at, local, LOCAL_BYTES, err))
		return err->status;
	at = (uint64_t)m->at + LOCAL_BYTES + u16(local + 26) + u16(local + 28);
	if (u32(local) != LOCAL_MARK || at > zip->size || m->packed > zip->size - at)
		return bad_member(zip, m->name, TS_DAMAGED, "this member does not lie where the directory says", err);
	room = ts_buf_reserve(out, m->size ? m->size : 1);
	if (!room)
		return ts_buf_check(out, err);
	if (m->method == STORED ? whole && read_at(zip, at, room, m->size, err) : inflate_to(zip, m, at, room, &whole, err))
		return err->status;
	if (!whole || crc32_z(crc32_z(0, NULL, 0), room, m->size) != m->crc)
		return bad_member(zip, m->name, TS_DAMAGED, "this member is damaged: its length or its checksum is wrong", err);
	out->len += m->size;
	return TS_OK;
}
