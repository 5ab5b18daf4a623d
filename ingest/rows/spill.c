#include "ingest/rows/spill.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/order.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_BYTES = 256 << 10, HEADER_BYTES = 12 };

struct entry {
	int64_t step;
	uint32_t at, len; /* position and length in data */
};

/* A sorted run of records in the file, or the records that are still in memory. */
struct run {
	uint64_t at, end;  /* the part of the file that was not read yet */
	struct ts_buf window;
	size_t used;	   /* the bytes of the window that are used */
	int64_t step;	   /* the step of the current record */
	struct ts_span bytes;
	bool open;	   /* there is a current record */
};

struct ts_spill {
	size_t memory;
	struct ts_buf data;
	struct entry *entries;
	size_t n, cap;
	int fd; /* -1: nothing was written to a file */
	uint64_t written;
	struct run *runs;
	size_t n_runs, cap_runs;
	size_t next_entry; /* the next record in memory, while reading */
	bool reading;
	size_t current; /* the run that gave the last record; n_runs stands for memory */
};

enum ts_status ts_spill_create(size_t memory, struct ts_spill **ret_spill, struct ts_error *err)
{
	struct ts_spill *s = ts_alloc_array(1, sizeof *s);

	if (!s)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for sorting");
	s->memory = memory;
	s->data = TS_BUF_INIT(memory + TS_SPILL_RECORD_MAX);
	s->fd = -1;
	*ret_spill = s;
	return TS_OK;
}

void ts_spill_destroy(struct ts_spill *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_runs; i++)
		ts_buf_finish(&s->runs[i].window);
	if (s->fd >= 0)
		(void)close(s->fd);
	ts_free(s->runs);
	ts_free(s->entries);
	ts_buf_finish(&s->data);
	ts_free(s);
}

/* --- records come --- */

TS_ORDER(by_step, struct entry, TS_UP(step); TS_UP(at))

static void sort_entries(struct ts_spill *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->entries[i].step < s->entries[i - 1].step) {
			TS_SORT(s->entries, s->n, by_step);
			return;
		}
}

/* Opens a file and removes its name at once, so that no file is left behind, whatever happens. */
enum ts_status ts_spill_file(int *ret_fd, struct ts_error *err)
{
	const char *directory = getenv("TMPDIR");
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/tscope-sort-XXXXXX", directory && *directory ? directory : "/tmp"), fd;

	if (n < 0 || (size_t)n >= sizeof path)
		return ts_error_set(err, TS_INVALID, "TMPDIR is too long a path");
	fd = ts_system_temp(path);
	if (fd < 0)
		return ts_error_errno(err, errno, "cannot make a temporary file %s", path);
	(void)unlink(path);
	*ret_fd = fd;
	return TS_OK;
}

static enum ts_status add_run(struct ts_spill *s, uint64_t end, struct ts_error *err)
{
	if (!TS_GROW(s->runs, s->cap_runs, s->n_runs + 1, 8))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for sorting");
	s->runs[s->n_runs++] = (struct run){
		.at = s->written,
		.end = end,
		.window = TS_BUF_INIT(READ_BYTES + HEADER_BYTES + TS_SPILL_RECORD_MAX),
	};
	return TS_OK;
}

static enum ts_status write_out(struct ts_spill *s, struct ts_buf *out, uint64_t *end, struct ts_error *err)
{
	if (ts_buf_check(out, err) || ts_write_full(s->fd, out->data, out->len, err))
		return ts_error_prefix(err, "temporary file for sorting");
	*end += out->len;
	ts_buf_reset(out);
	return TS_OK;
}

static enum ts_status flush(struct ts_spill *s, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(READ_BYTES + HEADER_BYTES + TS_SPILL_RECORD_MAX);
	uint64_t end = s->written;
	enum ts_status status = s->fd < 0 ? ts_spill_file(&s->fd, err) : TS_OK;

	sort_entries(s);
	for (size_t i = 0; !status && i < s->n; i++) {
		const struct entry *e = &s->entries[i];

		ts_buf_u64(&out, (uint64_t)e->step);
		ts_buf_u32(&out, e->len);
		ts_buf_bytes(&out, s->data.data + e->at, e->len);
		if (out.len >= READ_BYTES)
			status = write_out(s, &out, &end, err);
	}
	if (!status)
		status = write_out(s, &out, &end, err);
	if (!status)
		status = add_run(s, end, err);
	ts_buf_finish(&out);
	s->written = end;
	s->n = 0;
	ts_buf_reset(&s->data);
	return status;
}

enum ts_status ts_spill_add(struct ts_spill *s, int64_t step, struct ts_span bytes, struct ts_error *err)
{
	if (bytes.len > TS_SPILL_RECORD_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "a row of %zu bytes", bytes.len);
	if (s->n && s->data.len + bytes.len + (s->n + 1) * sizeof *s->entries > s->memory && flush(s, err))
		return err->status;
	if (!TS_GROW(s->entries, s->cap, s->n + 1, 1024))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for sorting");
	s->entries[s->n++] = (struct entry){step, (uint32_t)s->data.len, (uint32_t)bytes.len};
	ts_buf_span(&s->data, bytes);
	return ts_buf_check(&s->data, err);
}

/* --- and go --- */

/* Reads until the window has at least `want` bytes behind `used`. If that fails, the file was cut. */
static enum ts_status fill(struct ts_spill *s, struct run *r, size_t want, struct ts_error *err)
{
	size_t left = r->window.len - r->used, n, got;
	uint8_t *at;

	if (left >= want)
		return TS_OK;
	if (r->window.len)
		memmove(r->window.data, r->window.data + r->used, left);
	r->window.len = left;
	r->used = 0;
	n = want > READ_BYTES ? want - left : READ_BYTES - left;
	if (n > r->end - r->at)
		n = (size_t)(r->end - r->at);
	at = ts_buf_reserve(&r->window, n);
	if (!at)
		return ts_buf_check(&r->window, err);
	if (ts_pread_full(s->fd, at, n, r->at, &got, err))
		return ts_error_prefix(err, "temporary file for sorting");
	r->window.len += got;
	r->at += got;
	return r->window.len < want ? ts_error_set(err, TS_IO, "the temporary file for sorting was cut") : TS_OK;
}

static enum ts_status advance_run(struct ts_spill *s, struct run *r, struct ts_error *err)
{
	uint64_t step;
	uint32_t len;

	r->open = r->window.len > r->used || r->at < r->end;
	if (!r->open)
		return TS_OK;
	if (fill(s, r, HEADER_BYTES, err))
		return err->status;
	step = ts_load_le(r->window.data + r->used, 8);
	len = ts_load_u32(r->window.data + r->used + 8);
	r->used += HEADER_BYTES;
	if (fill(s, r, len, err))
		return err->status;
	r->step = (int64_t)step;
	r->bytes = ts_span_of(r->window.data + r->used, len);
	r->used += len;
	return TS_OK;
}

static enum ts_status begin_reading(struct ts_spill *s, struct ts_error *err)
{
	sort_entries(s);
	for (size_t i = 0; i < s->n_runs; i++)
		if (advance_run(s, &s->runs[i], err))
			return err->status;
	s->reading = true;
	s->current = SIZE_MAX;
	return TS_OK;
}

/* Returns the run with the least step; of several, the earliest, so that earlier records go first. There are few runs
 * (one for each `memory` bytes), so a linear search suffices. */
static size_t least(const struct ts_spill *s)
{
	size_t best = SIZE_MAX;
	int64_t step = 0;

	for (size_t i = 0; i < s->n_runs; i++)
		if (s->runs[i].open && (best == SIZE_MAX || s->runs[i].step < step)) {
			best = i;
			step = s->runs[i].step;
		}
	if (s->next_entry < s->n && (best == SIZE_MAX || s->entries[s->next_entry].step < step))
		best = s->n_runs;
	return best;
}

enum ts_status ts_spill_next(struct ts_spill *s, int64_t *ret_step, struct ts_span *ret_bytes, bool *ret_more, struct ts_error *err)
{
	size_t i;

	if (!s->reading && begin_reading(s, err))
		return err->status;
	if (s->current < s->n_runs && advance_run(s, &s->runs[s->current], err))
		return err->status;
	i = least(s);
	s->current = i;
	*ret_more = i != SIZE_MAX;
	if (i == SIZE_MAX)
		return TS_OK;
	if (i == s->n_runs) {
		const struct entry *e = &s->entries[s->next_entry++];

		*ret_step = e->step;
		*ret_bytes = ts_span_of(s->data.data + e->at, e->len);
	} else {
		*ret_step = s->runs[i].step;
		*ret_bytes = s->runs[i].bytes;
	}
	return TS_OK;
}
