#include "run/builder_dictionary.h"

#include "base/alloc.h"
#include "base/grow.h"

enum ts_status ts_builder_grow(void *items, size_t *cap, size_t need, size_t size, struct ts_error *err)
{
	if (need <= *cap || ts_grow(items, cap, size, need, 16))
		return TS_OK;
	return ts_error_set(err, TS_NO_MEMORY, "out of memory at %zu items of %zu bytes", need, size);
}

struct ts_span ts_dictionary_entry(const struct ts_dictionary *d, size_t i)
{
	uint32_t start = i ? d->ends[i - 1] : 0;

	return ts_span_part(ts_buf_view(&d->bytes), start, d->ends[i] - start);
}

void ts_dictionary_destroy(struct ts_dictionary *d)
{
	if (!d)
		return;
	ts_buf_finish(&d->bytes);
	ts_free(d->ends);
	ts_map_finish(&d->map);
	ts_free(d);
}

void ts_dictionary_reset(struct ts_dictionary *d)
{
	ts_buf_reset(&d->bytes);
	d->n = 0;
	ts_map_reset(&d->map);
}

struct ts_dictionary *ts_dictionary_create(struct ts_error *err)
{
	struct ts_dictionary *d = ts_alloc_array(1, sizeof *d);

	if (!d) {
		ts_error_set(err, TS_NO_MEMORY, "out of memory for a dictionary");
		return NULL;
	}
	d->bytes = TS_BUF_INIT(UINT32_MAX);
	return d;
}

enum ts_status ts_dictionary_code(struct ts_dictionary *d, struct ts_span text, uint32_t *ret_code,
				  struct ts_error *err)
{
	uint64_t hash = ts_hash_bytes(ts_hash_open, text);
	uint32_t code;

	TS_MAP_FIND(d->map, hash, i, ts_span_eq(ts_dictionary_entry(d, i), text), code);
	if (code != TS_MAP_NONE) {
		*ret_code = code;
		return TS_OK;
	}
	if (ts_builder_grow(&d->ends, &d->cap, d->n + 1, sizeof *d->ends, err))
		return err->status;
	ts_buf_span(&d->bytes, text);
	if (ts_buf_check(&d->bytes, err))
		return err->status;
	if (!ts_map_add(&d->map, hash, (uint32_t)d->n)) {
		d->bytes.len -= text.len;
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a dictionary of %zu texts", d->n);
	}
	d->ends[d->n] = (uint32_t)d->bytes.len;
	*ret_code = (uint32_t)d->n++;
	return TS_OK;
}
