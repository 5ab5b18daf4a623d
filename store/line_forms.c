/* line_forms.c - text as forms of its lines, and columns of its numbers. */
#include "store/line_forms.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/grow.h"
#include "base/map.h"

enum {
	DIGITS_MAX = 18, /* of a number, so that it fits a word */
	COLUMNS = 1024,
	CONTEXT = 6, /* bytes of a form before a number that say its column */
	FIRST_ITEMS = 4096,
	FEW = 1024,
};

/* --- numbers --- */

/* A number stands in a form as one byte that says how many of its digits are decimals. None of these bytes is white space. */
static uint8_t mark_of(int decimals)
{
	return (uint8_t)(decimals + (decimals < 8 ? 1 : 6));
}

/* -1: the byte stands for itself. */
static int decimals_of(uint8_t byte)
{
	if (byte >= 1 && byte <= 8)
		return byte - 1;
	return byte >= 14 && byte <= 6 + DIGITS_MAX - 1 ? byte - 6 : -1;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* A digit behind one of these belongs to a name, or to a fraction that is too long. */
static bool joins(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c >= 0x80;
}

static bool ends_piece(uint8_t c)
{
	return c == '\n' || c == '}';
}

/* Reads a number that can be written again from its value: no zeros before it, few digits. Returns its bytes; 0: there is none. */
static size_t read_number(const uint8_t *p, const uint8_t *end, uint64_t *ret_value, int *ret_decimals)
{
	const uint8_t *at = p, *point;
	uint64_t value = 0;

	for (; at < end && is_digit(*at) && at - p <= DIGITS_MAX; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at == p || at - p > DIGITS_MAX || (*p == '0' && at - p > 1))
		return 0;
	*ret_value = value;
	*ret_decimals = 0;
	if (at + 1 >= end || *at != '.' || !is_digit(at[1]))
		return (size_t)(at - p);
	for (point = at++; at < end && is_digit(*at) && at - p <= DIGITS_MAX; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at - p > DIGITS_MAX + 1 || (at < end && is_digit(*at)))
		return (size_t)(point - p);
	*ret_value = value;
	*ret_decimals = (int)(at - point) - 1;
	return (size_t)(at - p);
}

/* Returns the byte behind the number, or NULL where there is no room. */
static uint8_t *write_number(uint64_t value, int decimals, uint8_t *at, const uint8_t *end)
{
	uint8_t digits[DIGITS_MAX + 3];
	int n = 0;

	for (; value || n <= decimals; value /= 10)
		digits[n++] = (uint8_t)('0' + value % 10);
	if (end - at < n + (decimals > 0))
		return NULL;
	while (n > decimals)
		*at++ = digits[--n];
	if (decimals)
		*at++ = '.';
	while (n > 0)
		*at++ = digits[--n];
	return at;
}

/* The column of the number that stands at this place of a form. */
static uint32_t column_of(const uint8_t *form, size_t at)
{
	uint64_t context = 0;

	for (size_t i = at > CONTEXT ? at - CONTEXT : 0; i <= at; i++)
		context = context << 8 | form[i];
	return (uint32_t)(context * UINT64_C(0x9E3779B97F4A7C15) >> 54);
}

/* How many pieces, and numbers, a text has at most: words of both are in memory at once. */
static size_t most_of(size_t text)
{
	return text / 8 + FEW;
}

/* --- encoding --- */

struct form {
	size_t at, len; /* in the bytes of all forms */
};

struct parts {
	struct ts_buf bytes; /* all forms, one behind the other */
	struct ts_map map;
	struct form *forms;
	uint64_t *pieces;  /* the form of each */
	uint64_t *values;  /* in the order of the text */
	uint16_t *columns; /* the column of each value */
	size_t n_forms, n_pieces, n_values;
	size_t forms_cap, pieces_cap, values_cap, columns_cap;
	uint32_t counts[COLUMNS];
};

static void parts_finish(struct parts *p)
{
	ts_buf_finish(&p->bytes);
	ts_map_finish(&p->map);
	ts_free(p->forms);
	ts_free(p->pieces);
	ts_free(p->values);
	ts_free(p->columns);
}

static bool add_value(struct parts *p, uint64_t value, uint32_t column)
{
	if (!TS_GROW(p->values, p->values_cap, p->n_values + 1, FIRST_ITEMS) ||
	    !TS_GROW(p->columns, p->columns_cap, p->n_values + 1, FIRST_ITEMS))
		return false;
	p->values[p->n_values] = value;
	p->columns[p->n_values++] = (uint16_t)column;
	p->counts[column]++;
	return true;
}

/* The form was written behind the others; one that is there already is taken back. */
static bool add_piece(struct parts *p, size_t begin)
{
	struct ts_span form = ts_span_of(p->bytes.data + begin, p->bytes.len - begin);
	uint64_t hash = ts_hash_bytes(ts_hash_open, form);
	uint32_t number;

	TS_MAP_FIND(p->map, hash, i, ts_span_eq(ts_span_of(p->bytes.data + p->forms[i].at, p->forms[i].len), form), number);
	if (number == TS_MAP_NONE) {
		number = (uint32_t)p->n_forms;
		if (!TS_GROW(p->forms, p->forms_cap, p->n_forms + 1, FIRST_ITEMS) || !ts_map_add(&p->map, hash, number))
			return false;
		p->forms[p->n_forms++] = (struct form){begin, form.len};
	} else {
		p->bytes.len = begin;
	}
	if (!TS_GROW(p->pieces, p->pieces_cap, p->n_pieces + 1, FIRST_ITEMS))
		return false;
	p->pieces[p->n_pieces++] = number;
	return true;
}

/* Takes the piece apart that begins at p; returns where the next one begins, or NULL and why. There is room for all of the text. */
static const uint8_t *take_piece(struct parts *p, const uint8_t *at, const uint8_t *end, enum ts_status *ret_status)
{
	uint8_t *form = p->bytes.data + p->bytes.len, *out = form, before = 0;
	size_t begin = p->bytes.len;

	*ret_status = TS_NO_MEMORY;
	while (at < end && !ends_piece(before)) {
		uint64_t value;
		int decimals;
		size_t n = is_digit(*at) && !joins(before) ? read_number(at, end, &value, &decimals) : 0;

		if (n) {
			*out++ = mark_of(decimals);
			if (!add_value(p, value, column_of(form, (size_t)(out - form) - 1)))
				return NULL;
			at += n;
			before = '0';
		} else if (decimals_of(*at) >= 0) {
			*ret_status = TS_UNSUPPORTED;
			return NULL;
		} else {
			before = *out++ = *at++;
		}
	}
	p->bytes.len += (size_t)(out - form);
	return add_piece(p, begin) ? at : NULL;
}

static enum ts_status put_words(struct ts_scratch *s, const uint64_t *words, size_t n, struct ts_buf *out, struct ts_error *err)
{
	struct ts_span raw = ts_span_of(words, n * sizeof *words);
	size_t len;

	if (ts_scratch_fit(s, raw.len, raw.len, raw.len, err))
		return err->status;
	len = ts_words_encode(s, raw, s->out, raw.len);
	ts_buf_u32(out, (uint32_t)len);
	ts_buf_span(out, len ? ts_span_of(s->out, len) : raw);
	return TS_OK;
}

/* Sorts the values by column, each column in the order of the text. */
static enum ts_status put_columns(struct ts_scratch *s, const struct parts *p, struct ts_buf *out, struct ts_error *err)
{
	uint64_t *sorted = p->n_values ? ts_alloc(p->n_values * sizeof *sorted) : NULL;
	size_t ends[COLUMNS], total = 0;
	enum ts_status status = TS_OK;
	uint16_t used = 0;

	if (p->n_values && !sorted)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for numbers of a text");
	for (int i = 0; i < COLUMNS; i++) {
		ends[i] = total;
		total += p->counts[i];
		used += p->counts[i] > 0;
	}
	for (size_t i = 0; i < p->n_values; i++)
		sorted[ends[p->columns[i]]++] = p->values[i];
	ts_buf_u16(out, used);
	for (uint16_t i = 0; !status && i < COLUMNS; i++) {
		if (!p->counts[i])
			continue;
		ts_buf_u16(out, i);
		ts_buf_u32(out, p->counts[i]);
		status = put_words(s, sorted + ends[i] - p->counts[i], p->counts[i], out, err);
	}
	ts_free(sorted);
	return status;
}

enum ts_status ts_lines_encode(struct ts_scratch *s, struct ts_span text, struct ts_buf *out, struct ts_error *err)
{
	struct parts p = {.bytes = TS_BUF_INIT(text.len + 1)};
	const uint8_t *at = text.data, *end = at + text.len;
	enum ts_status status = TS_OK;
	size_t begin = out->len;

	if (!ts_buf_reserve(&p.bytes, text.len + 1))
		return ts_buf_check(&p.bytes, err);
	while (at && at < end)
		at = take_piece(&p, at, end, &status);
	if (at)
		status = TS_OK;
	else
		ts_error_set(err, status, status == TS_UNSUPPORTED ? "a control character" : "out of memory for lines of a text");
	if (!status && (p.n_pieces > most_of(text.len) || p.n_values > most_of(text.len)))
		status = ts_error_set(err, TS_UNSUPPORTED, "many lines or numbers");
	if (!status) {
		ts_buf_u32(out, (uint32_t)p.n_pieces);
		ts_buf_u32(out, (uint32_t)p.bytes.len);
		status = ts_zstd_put(s, ts_buf_view(&p.bytes), out, err);
	}
	if (!status)
		status = put_words(s, p.pieces, p.n_pieces, out, err);
	if (!status)
		status = put_columns(s, &p, out, err);
	if (!status)
		status = ts_buf_check(out, err);
	if (status)
		out->len = begin;
	parts_finish(&p);
	return status;
}

/* --- decoding --- */

struct column {
	size_t at, n; /* of its next value, and how many there still are */
};

struct read {
	uint8_t *bytes; /* of the forms */
	struct form *forms;
	size_t n_bytes, n_forms, forms_cap;
	uint64_t *pieces;
	size_t n_pieces;
	uint64_t *values; /* column by column */
	size_t n_values, values_cap;
	struct column columns[COLUMNS];
};

static void read_finish(struct read *r)
{
	ts_free(r->bytes);
	ts_free(r->forms);
	ts_free(r->pieces);
	ts_free(r->values);
}

static enum ts_status get_words(struct ts_scratch *s, struct ts_cursor *c, uint64_t *words, size_t n, struct ts_error *err)
{
	size_t raw = n * sizeof *words, len = ts_cursor_u32(c);
	struct ts_span in = ts_cursor_bytes(c, len ? len : raw);

	if (c->failed || !len) {
		if (!c->failed)
			memcpy(words, in.data, raw);
		return TS_OK;
	}
	if (ts_scratch_fit(s, raw, raw, 0, err))
		return err->status;
	return ts_words_decode(s, in, (uint8_t *)words, raw, err);
}

static enum ts_status damaged(struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "lines: the parts do not make the text");
}

/* Each form is that of a piece, so there are no more of them. */
static enum ts_status find_forms(struct read *r, struct ts_error *err)
{
	for (size_t at = 0; at < r->n_bytes;) {
		size_t begin = at;

		while (at < r->n_bytes && !ends_piece(r->bytes[at]))
			at++;
		at += at < r->n_bytes;
		if (r->n_forms == r->n_pieces)
			return damaged(err);
		if (!TS_GROW(r->forms, r->forms_cap, r->n_forms + 1, FIRST_ITEMS))
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for forms of lines");
		r->forms[r->n_forms++] = (struct form){begin, at - begin};
	}
	return TS_OK;
}

static enum ts_status get_columns(struct ts_scratch *s, struct ts_cursor *c, size_t most, struct read *r, struct ts_error *err)
{
	uint16_t used = ts_cursor_u16(c);

	for (uint16_t i = 0; !c->failed && i < used; i++) {
		uint16_t number = ts_cursor_u16(c);
		size_t n = ts_cursor_u32(c), at = r->n_values;

		if (c->failed || number >= COLUMNS || r->columns[number].n || !n || n > most - r->n_values)
			return damaged(err);
		if (!TS_GROW(r->values, r->values_cap, at + n, FIRST_ITEMS))
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for numbers of a text");
		r->columns[number] = (struct column){at, n};
		if (get_words(s, c, r->values + at, n, err))
			return err->status;
		r->n_values += n;
	}
	return TS_OK;
}

static enum ts_status get_parts(struct ts_scratch *s, struct ts_span in, size_t len, struct read *r, struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(in);

	r->n_pieces = ts_cursor_u32(&c);
	r->n_bytes = ts_cursor_u32(&c);
	if (c.failed || r->n_pieces > most_of(len) || r->n_bytes > len)
		return damaged(err);
	r->bytes = ts_alloc(r->n_bytes + 1);
	r->pieces = ts_alloc((r->n_pieces + 1) * sizeof *r->pieces);
	if (!r->bytes || !r->pieces)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for lines of a text");
	if (ts_zstd_get(s, &c, r->bytes, r->n_bytes, err) || get_words(s, &c, r->pieces, r->n_pieces, err) ||
	    get_columns(s, &c, most_of(len), r, err))
		return err->status;
	return c.failed || ts_cursor_left(&c) ? damaged(err) : find_forms(r, err);
}

static uint8_t *write_piece(struct read *r, struct form form, uint8_t *at, const uint8_t *end)
{
	const uint8_t *bytes = r->bytes + form.at;

	for (size_t i = 0; at && i < form.len; i++) {
		int decimals = decimals_of(bytes[i]);

		if (decimals >= 0) {
			struct column *column = &r->columns[column_of(bytes, i)];

			if (!column->n)
				return NULL;
			column->n--;
			at = write_number(r->values[column->at++], decimals, at, end);
		} else if (at < end) {
			*at++ = bytes[i];
		} else {
			return NULL;
		}
	}
	return at;
}

enum ts_status ts_lines_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err)
{
	uint8_t *at = out, *end = out + len;
	struct read r = {0};
	enum ts_status status = get_parts(s, in, len, &r, err);

	for (size_t i = 0; !status && i < r.n_pieces; i++) {
		at = r.pieces[i] < r.n_forms ? write_piece(&r, r.forms[r.pieces[i]], at, end) : NULL;
		if (!at)
			status = damaged(err);
	}
	if (!status && at != end)
		status = damaged(err);
	read_finish(&r);
	return status;
}
