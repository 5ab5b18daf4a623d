#include "base/object.h"

#include "base/cursor.h"
#include "base/limits.h"

void ts_object_header(struct ts_buf *buf, uint8_t kind, uint8_t version, enum ts_layout layout, uint32_t nrefs)
{
	ts_buf_str(buf, "tsob");
	ts_buf_u8(buf, kind);
	ts_buf_u8(buf, version);
	ts_buf_u8(buf, (uint8_t)layout);
	ts_buf_u8(buf, 0);
	ts_buf_u32(buf, nrefs);
	ts_buf_u32(buf, 0);
}

void ts_object_begin(struct ts_buf *buf, uint8_t kind, uint8_t version, enum ts_layout layout,
		     const struct ts_id *refs, uint32_t nrefs)
{
	ts_object_header(buf, kind, version, layout, nrefs);
	ts_buf_bytes(buf, refs, (size_t)nrefs * TS_ID_BYTES);
}

enum ts_status ts_object_parse(struct ts_span bytes, struct ts_object *ret_object, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(bytes);
	struct ts_object object;
	struct ts_span magic = ts_cursor_bytes(&c, 4);
	uint8_t zero;
	uint32_t pad;

	object.kind = ts_cursor_u8(&c);
	object.version = ts_cursor_u8(&c);
	object.layout = ts_cursor_u8(&c);
	zero = ts_cursor_u8(&c);
	object.nrefs = ts_cursor_u32(&c);
	pad = ts_cursor_u32(&c);
	if (c.failed || !ts_span_is(magic, "tsob"))
		return ts_error_set(err, TS_DAMAGED, "byte 0: not an object, its first %d bytes are no header",
				    TS_OBJECT_HEADER);
	if (bytes.len > TS_OBJECT_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the object has %zu bytes, and the limit is %d", bytes.len,
				    TS_OBJECT_MAX);
	if (object.layout > TS_LAYOUT_WORDS)
		return ts_error_set(err, TS_DAMAGED, "byte 6: the layout %u is not known", object.layout);
	if (zero != 0 || pad != 0)
		return ts_error_set(err, TS_DAMAGED, "byte %d: reserved, but not 0", zero ? 7 : 12);
	object.refs = ts_cursor_bytes(&c, (size_t)object.nrefs * TS_ID_BYTES);
	if (c.failed)
		return ts_error_set(err, TS_DAMAGED, "byte 8: %u references do not fit in %zu bytes", object.nrefs,
				    bytes.len);
	object.payload = ts_cursor_bytes(&c, ts_cursor_left(&c));
	if (object.layout == TS_LAYOUT_WORDS && object.payload.len % 8 != 0)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: a payload of words has %zu bytes",
				    bytes.len - object.payload.len, object.payload.len);
	*ret_object = object;
	return TS_OK;
}

enum ts_status ts_object_error(const struct ts_id *id, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];

	return ts_error_prefix(err, "object %s", ts_id_hex(id, hex));
}
