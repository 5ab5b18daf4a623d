/* store_format.c - the number of a store's format: what a new store begins with, which ones are read, and how an older one becomes one
 * of today. */
#include "store/store_internal.h"

enum ts_status ts_format_begin(struct ts_write *w, struct ts_error *err)
{
	if (ts_write_u64(w, "format", TS_STORE_FORMAT, err))
		return err->status;
	if (ts_write_u64(w, "counted", 1, err) || ts_heads_begin(w, true, err))
		return err->status;
	return ts_named_begin(w, true, err);
}

enum ts_status ts_format_check(struct ts_kv *kv, bool *ret_old, struct ts_error *err)
{
	enum ts_status status;
	uint64_t format = 0;
	struct ts_read r;

	if (ts_read_begin(kv, &r, err))
		return err->status;
	status = ts_read_u64(r, "format", &format, err);
	ts_read_end(&r);
	if (status)
		return status;
	if (format > TS_STORE_FORMAT)
		return ts_error_set(err, TS_UNSUPPORTED,
				    "%s: the store has format %" PRIu64 ", and this tscope reads formats up to %d", kv->where, format,
				    TS_STORE_FORMAT);
	if (format == 0)
		return ts_error_set(err, TS_INVALID, "%s: the store has no format number", kv->where);
	*ret_old = format < TS_STORE_FORMAT;
	return TS_OK;
}

enum ts_status ts_format_upgrade(struct ts_write *w, struct ts_error *err)
{
	if (ts_store_notes_forget(w, err) || ts_write_delete_prefix(w, TS_DB_HEADS, ts_span_of(NULL, 0), err) ||
	    ts_heads_begin(w, false, err) || ts_named_begin(w, false, err))
		return err->status;
	return ts_write_u64(w, "format", TS_STORE_FORMAT, err);
}
