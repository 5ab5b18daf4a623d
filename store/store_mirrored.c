/* store_mirrored.c - what a store says of itself that is a read-only copy of another one (tscoped mirror).
 *
 * A record of meta, little-endian, with a checksum as others have: i64:held u16:bytes of u16:bytes part bytes16:source. It is the
 * copy's own: whoever follows or copies the store does not get it. */
#include "store/store_internal.h"

#include "base/cursor.h"
#include "store/superblock.h"

static enum ts_status read_mark(struct ts_read r, struct ts_mirrored *ret, struct ts_error *err)
{
	struct ts_span key = ts_span_str(TS_MIRRORED_KEY), stored, value, source;
	struct ts_mirrored mark = {.held_ns = 0};
	struct ts_cursor c;
	bool found;

	if (ts_read_get(r, TS_DB_META, key, &stored, &found, err) || (found && ts_check_split(key, stored, &value, err)))
		return err->status;
	if (found) {
		c = ts_cursor_of(value);
		mark.held_ns = (int64_t)ts_cursor_u64(&c);
		mark.of = ts_cursor_bytes(&c, ts_cursor_u16(&c));
		mark.part = ts_cursor_bytes(&c, ts_cursor_u16(&c));
		source = ts_cursor_bytes(&c, TS_MIRROR_SOURCE);
		if (c.failed || ts_cursor_left(&c) || mark.of.len == 0 || mark.of.len > TS_MIRRORED_MAX ||
		    mark.part.len > TS_MIRRORED_MAX)
			return ts_error_set(err, TS_DAMAGED, "%s: its record '%s' is damaged", r.kv->where, TS_MIRRORED_KEY);
		memcpy(mark.source, source.data, TS_MIRROR_SOURCE);
	}
	*ret = mark;
	return TS_OK;
}

/* What it is a mirror of, as it lies in the record. */
static void put_what(struct ts_buf *buf, const struct ts_mirrored *mark)
{
	ts_buf_u16(buf, (uint16_t)mark->of.len);
	ts_buf_span(buf, mark->of);
	ts_buf_u16(buf, (uint16_t)mark->part.len);
	ts_buf_span(buf, mark->part);
}

static enum ts_status write_mark(struct ts_write *w, const struct ts_mirrored *mark, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(2 * TS_MIRRORED_MAX + 64);

	ts_buf_u64(&buf, (uint64_t)mark->held_ns);
	put_what(&buf, mark);
	ts_buf_bytes(&buf, mark->source, TS_MIRROR_SOURCE);
	return ts_write_record(w, TS_DB_META, ts_span_str(TS_MIRRORED_KEY), &buf, err);
}

enum ts_status ts_mirrored_get(struct ts_engine *e, struct ts_arena *arena, struct ts_mirrored *ret, struct ts_error *err)
{
	struct ts_mirrored mark = {.held_ns = 0};
	enum ts_status status;
	struct ts_read r;

	if (ts_kv_of(e)->base) {
		*ret = mark;
		return TS_OK;
	}
	if (ts_read_begin(ts_kv_of(e), &r, err))
		return err->status;
	status = read_mark(r, &mark, err);
	if (!status) {
		mark.of = ts_arena_span(arena, mark.of);
		mark.part = ts_arena_span(arena, mark.part);
		status = ts_arena_check(arena, err);
	}
	ts_read_end(&r);
	if (!status)
		*ret = mark;
	return status;
}

static bool is_what(const struct ts_mirrored *mark, const struct ts_buf *what)
{
	struct ts_buf is = TS_BUF_INIT(2 * TS_MIRRORED_MAX + 64);
	bool same;

	put_what(&is, mark);
	same = !is.failed && ts_span_eq(ts_buf_view(&is), ts_buf_view(what));
	ts_buf_finish(&is);
	return same;
}

enum ts_status ts_mirrored_admit(const struct ts_store *s, struct ts_read r, struct ts_error *err)
{
	struct ts_mirrored is;

	if (s->kv->base || s->restoring) /* what is above another store is no mirror */
		return TS_OK;
	if (read_mark(r, &is, err))
		return err->status;
	if (s->mirroring.len && !is_what(&is, &s->mirroring))
		return ts_error_set(err, TS_CONFLICT, "%s is no mirror of that store any more", r.kv->where);
	if (!s->mirroring.len && is.of.len)
		return ts_error_set(err, TS_DENIED, "this store is a read-only copy of %.*s; write there", TS_SPAN_ARG(is.of));
	return TS_OK;
}

static enum ts_status run_begin(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_mirrored is, mark = *(const struct ts_mirrored *)ctx;
	struct ts_read r = ts_read_of(w);
	static const uint8_t unknown[TS_MIRROR_SOURCE];
	bool empty, known = memcmp(mark.source, unknown, sizeof unknown) != 0;

	if (read_mark(r, &is, err))
		return err->status;
	if (is.of.len && !ts_span_eq(is.of, mark.of))
		return ts_error_set(err, TS_CONFLICT,
				    "%s is a mirror of %.*s: copy from there, name an empty store, or make it a store of its own with "
				    "tscoped mirror --end",
				    r.kv->where, TS_SPAN_ARG(is.of));
	if (known && memcmp(is.source, unknown, sizeof unknown) != 0 && memcmp(is.source, mark.source, sizeof unknown) != 0)
		return ts_error_set(err, TS_CONFLICT,
				    "%s is a mirror of the store that was at %.*s, and another store is there now: name an empty store "
				    "for that one, or make this one a store of its own with tscoped mirror --end",
				    r.kv->where, TS_SPAN_ARG(is.of));
	if (is.held_ns && !ts_span_eq(is.part, mark.part))
		return ts_error_set(err, TS_CONFLICT,
				    "%s is a mirror of %s%.*s, and another part takes the place of all that is there: name an empty "
				    "store",
				    r.kv->where, is.part.len ? "" : "all", TS_SPAN_ARG(is.part));
	if (!known)
		memcpy(mark.source, is.source, sizeof unknown);
	if (!is.of.len && ts_store_is_empty(r, &empty, err))
		return err->status;
	if (!is.of.len && !empty)
		return ts_error_set(err, TS_CONFLICT,
				    "%s holds what is no mirror of another store, and a mirror takes the place of all that is there: "
				    "give it an empty store",
				    r.kv->where);
	mark.held_ns = is.of.len && ts_span_eq(is.part, mark.part) ? is.held_ns : 0;
	return write_mark(w, &mark, err) ? err->status : ts_verified_forget(w, err);
}

enum ts_status ts_mirrored_begin(struct ts_engine *e, const struct ts_mirrored *mirrored, struct ts_error *err)
{
	struct ts_mirrored mark = *mirrored;
	struct ts_store *s = ts_store_of(e);

	if (mark.of.len == 0 || mark.of.len > TS_MIRRORED_MAX || mark.part.len > TS_MIRRORED_MAX)
		return ts_error_set(err, TS_INVALID, "what a mirror is of has 1 to %d bytes", TS_MIRRORED_MAX);
	if (ts_store_write_beside(s, run_begin, &mark, TS_MIRRORED_MAX, err))
		return err->status;
	ts_buf_finish(&s->mirroring);
	s->mirroring = TS_BUF_INIT(2 * TS_MIRRORED_MAX + 64);
	put_what(&s->mirroring, &mark);
	return ts_buf_check(&s->mirroring, err);
}

static enum ts_status run_hold(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_mirrored is;

	if (read_mark(ts_read_of(w), &is, err))
		return err->status;
	if (!is.of.len)
		return ts_error_set(err, TS_CONFLICT, "%s is no mirror any more", w->kv->where);
	is.held_ns = *(const int64_t *)ctx;
	return write_mark(w, &is, err);
}

enum ts_status ts_mirrored_hold(struct ts_engine *e, int64_t held_ns, struct ts_error *err)
{
	return ts_store_write_beside(ts_store_of(e), run_hold, &held_ns, TS_MIRRORED_MAX, err);
}

static enum ts_status run_end(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_mirrored is;

	(void)ctx;
	if (read_mark(ts_read_of(w), &is, err))
		return err->status;
	if (!is.of.len)
		return ts_error_set(err, TS_NOT_FOUND, "%s is no mirror of another store", w->kv->where);
	return ts_write_delete(w, TS_DB_META, ts_span_str(TS_MIRRORED_KEY), err);
}

enum ts_status ts_mirrored_end(struct ts_engine *e, struct ts_error *err)
{
	return ts_store_write_beside(ts_store_of(e), run_end, NULL, TS_MIRRORED_MAX, err);
}
