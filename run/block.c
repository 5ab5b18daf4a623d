#include "run/block.h"

#include "base/cursor.h"
#include "base/door.h"
#include "base/limits.h"
#include "base/object.h"
#include "base/order.h"
#include "run/payload.h"

/* Words in objects are little-endian; on a little-endian machine this compiles to nothing. */
static uint64_t little(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(v);
#else
	return v;
#endif
}

/* Makes room for `rows` words after a header of that kind; returns NULL on failure, which out remembers. */
static uint8_t *begin_words(enum ts_kind kind, size_t rows, struct ts_buf *out)
{
	uint8_t *at;

	ts_object_begin(out, (uint8_t)kind, TS_FORMAT_VERSION, TS_LAYOUT_WORDS, NULL, 0);
	at = ts_buf_reserve(out, rows * 8);
	if (at)
		out->len += rows * 8;
	return at;
}

void ts_block_keys_encode(const int64_t *keys, size_t rows, struct ts_buf *out)
{
	uint8_t *at = begin_words(TS_KIND_KEYS, rows, out);

	TS_DOOR(rows <= TS_BLOCK_ROWS_MAX);
	for (size_t i = 0; at && i < rows; i++) {
		uint64_t word = little((uint64_t)keys[i]);

		memcpy(at + i * 8, &word, 8);
	}
}

void ts_block_f64_encode(const double *values, size_t rows, struct ts_buf *out)
{
	uint8_t *at = begin_words(TS_KIND_F64, rows, out);

	TS_DOOR(rows <= TS_BLOCK_ROWS_MAX);
	for (size_t i = 0; at && i < rows; i++) {
		uint64_t word;

		memcpy(&word, &values[i], 8);
		word = little(ts_f64_canonical(word));
		memcpy(at + i * 8, &word, 8);
	}
}

void ts_block_u64_encode(const uint64_t *values, size_t rows, struct ts_buf *out)
{
	uint8_t *at = begin_words(TS_KIND_U64, rows, out);

	TS_DOOR(rows <= TS_BLOCK_ROWS_MAX);
	for (size_t i = 0; at && i < rows; i++) {
		uint64_t word = little(values[i]);

		memcpy(at + i * 8, &word, 8);
	}
}

void ts_block_text_encode(const struct ts_span *entries, size_t n_entries, const uint32_t *codes, size_t rows,
			  struct ts_buf *out)
{
	TS_DOOR(rows <= TS_BLOCK_ROWS_MAX && n_entries <= rows);
	TS_DOOR_ALL(i, n_entries, entries[i].len <= TS_TEXT_MAX);
	ts_object_begin(out, TS_KIND_TEXT, TS_FORMAT_VERSION, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_u32(out, (uint32_t)rows);
	ts_buf_u32(out, (uint32_t)n_entries);
	for (size_t i = 0; i < n_entries; i++) {
		ts_buf_u32(out, (uint32_t)entries[i].len);
		ts_buf_span(out, entries[i]);
	}
	for (size_t i = 0; i < rows; i++)
		ts_buf_u32(out, codes[i]);
}

/* Opens the payload of an object, which must be of this kind and have no references. */
static enum ts_status open_block(struct ts_span object, enum ts_kind kind, struct ts_span *ret_payload,
				 struct ts_error *err)
{
	bool words = kind != TS_KIND_TEXT;
	struct ts_object frame;

	if (ts_payload_open(object, kind, words ? TS_LAYOUT_WORDS : TS_LAYOUT_BYTES, &frame, err))
		return err->status;
	if (frame.nrefs != 0)
		return ts_error_set(err, TS_DAMAGED, "byte 8: a block refers to nothing, this one to %u objects",
				    frame.nrefs);
	*ret_payload = frame.payload;
	return TS_OK;
}

static enum ts_status open_words(struct ts_span object, enum ts_kind kind, size_t rows, struct ts_span *ret_payload,
				 struct ts_error *err)
{
	struct ts_span payload = {NULL, 0};

	if (open_block(object, kind, &payload, err))
		return err->status;
	if (rows == 0 || rows > TS_BLOCK_ROWS_MAX || payload.len != rows * 8)
		return ts_error_set(err, TS_DAMAGED, "byte 16: %zu bytes are no block of %zu rows", payload.len, rows);
	*ret_payload = payload;
	return TS_OK;
}

static uint64_t word_at(struct ts_span payload, size_t i)
{
	uint64_t word;

	memcpy(&word, payload.data + i * 8, 8);
	return little(word);
}

enum ts_status ts_block_keys_decode(struct ts_span object, size_t rows, int64_t *out, struct ts_error *err)
{
	struct ts_span payload = {NULL, 0};

	if (open_words(object, TS_KIND_KEYS, rows, &payload, err))
		return err->status;
	for (size_t i = 0; i < rows; i++) {
		out[i] = (int64_t)word_at(payload, i);
		if (i > 0 && out[i] <= out[i - 1])
			return ts_error_set(err, TS_DAMAGED, "byte %zu: keys do not increase",
					    TS_OBJECT_HEADER + i * 8);
	}
	return TS_OK;
}

enum ts_status ts_block_f64_decode(struct ts_span object, size_t rows, double *out, struct ts_error *err)
{
	struct ts_span payload = {NULL, 0};

	if (open_words(object, TS_KIND_F64, rows, &payload, err))
		return err->status;
	for (size_t i = 0; i < rows; i++) {
		uint64_t word = word_at(payload, i);

		if (word != ts_f64_canonical(word))
			return ts_error_set(err, TS_DAMAGED, "byte %zu: a NaN that is not the canonical one",
					    TS_OBJECT_HEADER + i * 8);
		memcpy(&out[i], &word, 8);
	}
	return TS_OK;
}

enum ts_status ts_block_u64_decode(struct ts_span object, size_t rows, uint64_t *out, struct ts_error *err)
{
	struct ts_span payload = {NULL, 0};

	if (open_words(object, TS_KIND_U64, rows, &payload, err))
		return err->status;
	for (size_t i = 0; i < rows; i++)
		out[i] = word_at(payload, i);
	return TS_OK;
}

/* The entries are sorted rather than hashed, so that the writer of a hostile block cannot make this slow. */
static enum ts_status check_distinct(const struct ts_span *entries, size_t n, struct ts_arena *arena,
				     struct ts_error *err)
{
	struct ts_span *sorted = ts_arena_dup(arena, entries, n * sizeof *entries);

	if (!sorted)
		return ts_arena_error(arena, err);
	TS_SORT(sorted, n, ts_by_span);
	for (size_t i = 1; i < n; i++)
		if (ts_span_eq(sorted[i - 1], sorted[i]))
			return ts_error_set(err, TS_DAMAGED, "byte 24: the dictionary has a text twice");
	return TS_OK;
}

static enum ts_status read_dictionary(struct ts_cursor *c, size_t n, struct ts_arena *arena,
				      struct ts_span **ret_entries, struct ts_error *err)
{
	struct ts_span *entries = NULL;

	if (n > ts_cursor_left(c) / 4)
		return ts_error_set(err, TS_DAMAGED, "byte 20: %zu texts do not fit", n);
	entries = ts_arena_array(arena, n, sizeof *entries);
	if (!entries)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		uint32_t len = ts_cursor_u32(c);

		entries[i] = ts_cursor_bytes(c, len);
		if (c->failed || len > TS_TEXT_MAX)
			return ts_error_set(err, TS_DAMAGED, "byte %zu: a text of %u bytes does not fit",
					    TS_OBJECT_HEADER + c->at, len);
	}
	*ret_entries = entries;
	return check_distinct(entries, n, arena, err);
}

enum ts_status ts_block_text_decode(struct ts_span object, size_t rows, struct ts_arena *arena, struct ts_span *out,
				    struct ts_error *err)
{
	struct ts_span *entries = NULL;
	struct ts_span payload = {NULL, 0};
	struct ts_cursor c;
	uint32_t n_rows, n_entries;
	uint32_t seen = 0;

	if (open_block(object, TS_KIND_TEXT, &payload, err))
		return err->status;
	c = ts_cursor_of(payload);
	n_rows = ts_cursor_u32(&c);
	n_entries = ts_cursor_u32(&c);
	if (c.failed || rows == 0 || rows > TS_BLOCK_ROWS_MAX || n_rows != rows || n_entries > rows)
		return ts_error_set(err, TS_DAMAGED, "byte 16: %u rows and %u texts where %zu rows are due", n_rows,
				    n_entries, rows);
	if (read_dictionary(&c, n_entries, arena, &entries, err))
		return err->status;
	if (ts_cursor_left(&c) != rows * 4)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: %zu bytes are no codes of %zu rows",
				    TS_OBJECT_HEADER + c.at, ts_cursor_left(&c), rows);
	for (size_t i = 0; i < rows; i++) {
		uint32_t code = ts_cursor_u32(&c);

		if (code > seen || code >= n_entries)
			return ts_error_set(err, TS_DAMAGED, "byte %zu: code %u is not in order of first appearance",
					    TS_OBJECT_HEADER + c.at - 4, code);
		seen += code == seen;
		out[i] = entries[code];
	}
	if (seen != n_entries)
		return ts_error_set(err, TS_DAMAGED, "byte 20: a text of the dictionary is not used");
	return TS_OK;
}

enum ts_status ts_block_check(struct ts_span object, struct ts_error *err)
{
	struct ts_object frame;
	struct ts_span payload = {NULL, 0};
	size_t rows;

	if (ts_object_parse(object, &frame, err))
		return err->status;
	rows = frame.payload.len / 8;
	if (frame.kind != TS_KIND_KEYS && frame.kind != TS_KIND_F64)
		return TS_OK;
	if (open_words(object, (enum ts_kind)frame.kind, rows, &payload, err))
		return err->status;
	for (size_t i = 0; i < rows; i++) {
		uint64_t word = word_at(payload, i);

		if (frame.kind == TS_KIND_KEYS && i > 0 && (int64_t)word <= (int64_t)word_at(payload, i - 1))
			return ts_error_set(err, TS_DAMAGED, "byte %zu: keys do not increase", TS_OBJECT_HEADER + i * 8);
		if (frame.kind == TS_KIND_F64 && word != ts_f64_canonical(word))
			return ts_error_set(err, TS_DAMAGED, "byte %zu: a NaN that is not the canonical one", TS_OBJECT_HEADER + i * 8);
	}
	return TS_OK;
}
