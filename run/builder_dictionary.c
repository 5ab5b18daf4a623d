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

static uint64_t hash_of(struct ts_span text)
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ text.len;

	for (size_t i = 0; i < text.len; i++)
		h = (h ^ text.data[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

void ts_dictionary_destroy(struct ts_dictionary *d)
{
	if (!d)
		return;
	ts_buf_finish(&d->bytes);
	ts_free(d->ends);
	ts_free(d->slots);
	ts_free(d);
}

void ts_dictionary_reset(struct ts_dictionary *d)
{
	ts_buf_reset(&d->bytes);
	d->n = 0;
	if (d->n_slots)
		memset(d->slots, 0, d->n_slots * sizeof *d->slots);
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

static size_t *slot_step(size_t *slot, const struct ts_dictionary *d)
{
	*slot = (*slot + 1) & (d->n_slots - 1);
	return slot;
}

static enum ts_status grow_slots(struct ts_dictionary *d, struct ts_error *err)
{
	size_t n_slots = d->n_slots ? d->n_slots * 2 : 64;
	uint32_t *slots;

	if (d->n * 2 < d->n_slots)
		return TS_OK;
	slots = ts_alloc_array(n_slots, sizeof *slots);
	if (!slots)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a dictionary of %zu texts", d->n);
	ts_free(d->slots);
	d->slots = slots;
	d->n_slots = n_slots;
	for (size_t i = 0; i < d->n; i++) {
		size_t slot = hash_of(ts_dictionary_entry(d, i)) & (n_slots - 1);

		while (slots[slot])
			slot_step(&slot, d);
		slots[slot] = (uint32_t)i + 1;
	}
	return TS_OK;
}

enum ts_status ts_dictionary_code(struct ts_dictionary *d, struct ts_span text, uint32_t *ret_code,
				  struct ts_error *err)
{
	size_t slot;

	if (grow_slots(d, err) || ts_builder_grow(&d->ends, &d->cap, d->n + 1, sizeof *d->ends, err))
		return err->status;
	for (slot = hash_of(text) & (d->n_slots - 1); d->slots[slot]; slot_step(&slot, d))
		if (ts_span_eq(ts_dictionary_entry(d, d->slots[slot] - 1), text)) {
			*ret_code = d->slots[slot] - 1;
			return TS_OK;
		}
	ts_buf_span(&d->bytes, text);
	if (ts_buf_check(&d->bytes, err))
		return err->status;
	d->ends[d->n] = (uint32_t)d->bytes.len;
	d->slots[slot] = (uint32_t)++d->n;
	*ret_code = (uint32_t)d->n - 1;
	return TS_OK;
}
