#include "ingest/wandb/wandb_log.h"

#include "base/below.h"
#include "base/cursor.h"

#include <unistd.h>
#include <zlib.h>

enum { WINDOW = 1 << 20, HEAD = 7 };

enum { FULL = 1, FIRST = 2, MIDDLE = 3, LAST = 4 };

const struct ts_wandb_kind ts_wandb_kind = {"a W&B log of version 0", {':', 'W', '&', 'B', 0xe1, 0xbe, 0}};

/* Reads until the window holds `want` bytes behind `used`. The caller knows that the file has them. */
static enum ts_status fill(struct ts_wandb_log *w, size_t want, struct ts_error *err)
{
	size_t left = w->window.len - w->used, n = WINDOW, got;
	uint8_t *at;

	if (left >= want)
		return TS_OK;
	if (left)
		memmove(w->window.data, w->window.data + w->used, left);
	w->window.len = left;
	w->used = 0;
	if (n > w->size - w->filled)
		n = (size_t)(w->size - w->filled);
	at = ts_buf_reserve(&w->window, n);
	if (!at)
		return ts_buf_check(&w->window, err);
	if (ts_pread_full(w->fd, at, n, w->filled, &got, err))
		return err->status;
	w->window.len += got;
	w->filled += got;
	return got < n ? ts_error_set(err, TS_IO, "the file became shorter while it was read") : TS_OK;
}

/* Skips n bytes: first those in the window, then those of the file. */
static void pass(struct ts_wandb_log *w, uint64_t n)
{
	size_t left = w->window.len - w->used;

	if (n > w->size - w->at)
		n = w->size - w->at;
	w->at += n;
	if (n <= left) {
		w->used += (size_t)n;
		return;
	}
	w->window.len = w->used = 0;
	w->filled = w->at;
}

static enum ts_status check_preamble(struct ts_wandb_log *w, const struct ts_wandb_kind *kind, struct ts_error *err)
{
	if (w->size < TS_WANDB_PREAMBLE)
		return ts_error_set(err, TS_INVALID, "byte %" PRIu64 ": the file ends before its first record",
				    w->size);
	if (fill(w, TS_WANDB_PREAMBLE, err))
		return err->status;
	for (size_t i = 0; i < TS_WANDB_PREAMBLE; i++)
		if (w->window.data[i] != kind->preamble[i])
			return ts_error_set(err, TS_INVALID, "byte %zu: %s does not begin like this", i, kind->name);
	pass(w, TS_WANDB_PREAMBLE);
	return TS_OK;
}

enum ts_status ts_wandb_log_open(struct ts_wandb_log *w, const struct ts_wandb_kind *kind, const char *top, const char *path,
				 struct ts_error *err)
{
	*w = (struct ts_wandb_log){.fd = -1,
				   .damage = UINT64_MAX,
				   .window = TS_BUF_INIT(2 * WINDOW + TS_WANDB_BLOCK),
				   .joined = TS_BUF_INIT(TS_WANDB_RECORD_MAX + TS_WANDB_BLOCK)};
	return ts_below_open(top, path, &w->fd, &w->size, err) ? err->status : check_preamble(w, kind, err);
}

void ts_wandb_log_close(struct ts_wandb_log *w)
{
	if (w->fd >= 0)
		(void)close(w->fd);
	w->fd = -1;
	ts_buf_finish(&w->window);
	ts_buf_finish(&w->joined);
}

uint64_t ts_wandb_log_sound(const struct ts_wandb_log *w)
{
	return w->damage < w->at ? w->damage : w->at;
}

static size_t left_of_block(const struct ts_wandb_log *w)
{
	return TS_WANDB_BLOCK - (size_t)(w->at % TS_WANDB_BLOCK);
}

static void damaged(struct ts_wandb_log *w, enum ts_wandb_end *ret_end)
{
	w->told = w->at;
	w->damage = w->damage < w->at ? w->damage : w->at;
	w->inside = false;
	w->lost = true;
	pass(w, left_of_block(w));
	*ret_end = TS_WANDB_DAMAGED;
}

/* Reads one chunk, which must be complete and have the right checksum. The window holds its data. */
static enum ts_status next_chunk(struct ts_wandb_log *w, unsigned *ret_type, struct ts_span *ret_data, enum ts_wandb_end *ret_end,
				 struct ts_error *err)
{
	uint64_t left;
	const uint8_t *head;
	size_t len;

	if (left_of_block(w) < HEAD)
		pass(w, left_of_block(w));
	left = w->size - w->at;
	w->told = w->at;
	*ret_end = left == 0 ? TS_WANDB_END : TS_WANDB_CUT;
	if (left < HEAD)
		return TS_OK;
	if (fill(w, HEAD, err))
		return err->status;
	head = w->window.data + w->used;
	len = (size_t)head[4] | (size_t)head[5] << 8;
	*ret_type = head[6];
	if (HEAD + len > left_of_block(w) || *ret_type < FULL || *ret_type > LAST) {
		damaged(w, ret_end);
		return TS_OK;
	}
	if (HEAD + len > left)
		return TS_OK;
	if (fill(w, HEAD + len, err))
		return err->status;
	head = w->window.data + w->used;
	if (w->at + HEAD + len > w->trusted && crc32(0, head + 6, (uInt)(1 + len)) != ts_load_u32(head)) {
		damaged(w, ret_end);
		return TS_OK;
	}
	*ret_data = ts_span_of(head + HEAD, len);
	w->used += HEAD + len;
	w->at += HEAD + len;
	*ret_end = TS_WANDB_MORE;
	return TS_OK;
}

static void join(struct ts_wandb_log *w, struct ts_span data)
{
	if (w->joined.len + data.len > TS_WANDB_RECORD_MAX)
		w->too_long = true;
	if (!w->too_long)
		ts_buf_span(&w->joined, data);
}

/* Returns whether a chunk continues no record, or begins one inside another. Behind damage this is expected and was
 * already reported. */
static bool is_orphan(const struct ts_wandb_log *w, unsigned type)
{
	bool begins = type == FULL || type == FIRST;

	return begins == w->inside && !w->lost;
}

/* Gives up the record in progress, with one notice for it and for the chunks that continue it. A record that begins
 * here is read again from its head. */
static void give_up(struct ts_wandb_log *w, unsigned type)
{
	size_t n = (size_t)(w->at - w->told);

	w->inside = false;
	w->lost = type == MIDDLE || type == LAST;
	if (w->lost)
		return;
	w->used -= n;
	w->at -= n;
}

static void begin_record(struct ts_wandb_log *w, unsigned type)
{
	w->inside = type == FIRST;
	w->lost = false;
	w->too_long = false;
	w->first = w->told;
	ts_buf_reset(&w->joined);
}

static enum ts_status end_record(struct ts_wandb_log *w, struct ts_span *ret_record, enum ts_wandb_end *ret_end, struct ts_error *err)
{
	w->inside = false;
	w->told = w->first;
	*ret_end = w->too_long ? TS_WANDB_LONG : TS_WANDB_MORE;
	*ret_record = ts_buf_view(&w->joined);
	return ts_buf_check(&w->joined, err);
}

enum ts_status ts_wandb_log_next(struct ts_wandb_log *w, struct ts_span *ret_record, enum ts_wandb_end *ret_end, struct ts_error *err)
{
	struct ts_span data = {NULL, 0};
	unsigned type = 0;

	for (;;) {
		if (next_chunk(w, &type, &data, ret_end, err))
			return err->status;
		if (*ret_end == TS_WANDB_END && w->inside)
			*ret_end = TS_WANDB_CUT;
		if (*ret_end == TS_WANDB_CUT && w->inside)
			w->told = w->first;
		if (*ret_end != TS_WANDB_MORE)
			return TS_OK;
		if (is_orphan(w, type)) {
			give_up(w, type);
			*ret_end = TS_WANDB_DAMAGED;
			return TS_OK;
		}
		if (type == FULL || type == FIRST)
			begin_record(w, type);
		else if (!w->inside)
			continue;
		if (type == FULL) {
			*ret_record = data;
			return TS_OK;
		}
		join(w, data);
		if (type == LAST)
			return end_record(w, ret_record, ret_end, err);
	}
}
