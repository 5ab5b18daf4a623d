#include "ingest/text/text_record.h"

#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/text/text_number.h"
#include "ingest/text/text_token.h"

#include <stdio.h>

enum { UNIT_MAX = 16, DEPTH_MAX = 64 };

void ts_text_record_clear(struct ts_text_record *r)
{
	r->n = r->texts = r->pooled = 0;
	r->full = r->quoted = r->more = false;
	r->step = TS_TEXT_CELLS;
	r->total = 0;
}

const struct ts_text_cell *ts_text_record_find(const struct ts_text_record *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (ts_span_is(r->cells[i].name, name))
			return &r->cells[i];
	return NULL;
}

size_t ts_text_record_decimals(const struct ts_text_record *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += !r->cells[i].is_text && memchr(r->cells[i].value.data, '.', r->cells[i].value.len) != NULL;
	return n;
}

/* --- the pool --- */

/* Appends to the text that begins at pool[from]; if it does not fit, the record is full. */
static void pool_put(struct ts_text_record *r, struct ts_span part)
{
	if (r->full || part.len > TS_TEXT_POOL - r->pooled) {
		r->full = true;
		return;
	}
	if (part.len)
		memcpy(r->pool + r->pooled, part.data, part.len);
	r->pooled += part.len;
}

static struct ts_span pool_from(const struct ts_text_record *r, size_t from)
{
	return ts_span_of(r->pool + from, r->pooled - from);
}

/* --- names --- */

/* If name fits the row, puts what it becomes. */
static bool rename_by(struct ts_text_record *r, const struct ts_text_rename *row, struct ts_span name, struct ts_span *ret_name)
{
	const char *star = strchr(row->from, '*'), *to;
	struct ts_span before, after;
	size_t from = r->pooled;

	if (!star) {
		if (!ts_span_is(name, row->from))
			return false;
		*ret_name = ts_span_str(row->to);
		return true;
	}
	before = ts_span_of(row->from, (size_t)(star - row->from));
	after = ts_span_str(star + 1);
	if (name.len < before.len + after.len || !ts_span_starts(name, before) || !ts_span_ends(name, star + 1))
		return false;
	to = strchr(row->to, '*');
	if (!to) {
		*ret_name = ts_span_str(row->to);
		return true;
	}
	pool_put(r, ts_span_of(row->to, (size_t)(to - row->to)));
	pool_put(r, ts_span_part(name, before.len, name.len - before.len - after.len));
	pool_put(r, ts_span_str(to + 1));
	*ret_name = pool_from(r, from);
	return true;
}

static struct ts_span renamed(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span name)
{
	struct ts_span out = name;

	for (; renames && renames->from; renames++)
		if (rename_by(r, renames, name, &out))
			break;
	return out;
}

/* "memory" and "GiB" as "memory(GiB)". */
static struct ts_span with_unit(struct ts_text_record *r, struct ts_span name, struct ts_span unit)
{
	size_t from = r->pooled;

	if (!unit.len)
		return name;
	pool_put(r, name);
	pool_put(r, ts_span_str("("));
	pool_put(r, unit);
	pool_put(r, ts_span_str(")"));
	return pool_from(r, from);
}

/* --- values --- */

static size_t unit_len(struct ts_span text)
{
	size_t i = 0;

	while (i < text.len && i < UNIT_MAX && (ts_is_alpha(text.data[i]) || text.data[i] == '%' || text.data[i] == '/'))
		i++;
	return i;
}

/* The number without commas. */
static struct ts_span without_commas(struct ts_text_record *r, struct ts_span number)
{
	size_t from = r->pooled, at = 0;

	if (!number.len || !memchr(number.data, ',', number.len))
		return number;
	for (size_t i = 0; i <= number.len; i++)
		if (i == number.len || number.data[i] == ',') {
			pool_put(r, ts_span_part(number, at, i - at));
			at = i + 1;
		}
	return pool_from(r, from);
}

static void put_cell(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span name, struct ts_span value,
		     bool is_text)
{
	struct ts_text_cell *c;

	if (r->n == TS_TEXT_CELLS) {
		r->full = true;
		return;
	}
	c = &r->cells[r->n];
	*c = (struct ts_text_cell){renamed(r, renames, name), is_text ? value : without_commas(r, value), is_text};
	if (r->full || !c->name.len)
		return;
	r->n++;
	r->texts += is_text;
}

/* Splits "20.57GiB" off the beginning of *rest. */
static bool take_measure(struct ts_span *rest, struct ts_span *ret_number, struct ts_span *ret_unit)
{
	size_t n = ts_text_number_len(*rest), unit = n ? unit_len(ts_span_from(*rest, n)) : 0;

	*ret_number = ts_span_part(*rest, 0, n);
	*ret_unit = ts_span_part(*rest, n, unit);
	*rest = ts_span_from(*rest, n + unit);
	return n > 0;
}

void ts_text_record_add(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span name, struct ts_span value)
{
	struct ts_span rest = value, first, unit, second, other;

	if (!value.len || !name.len || ts_span_is(value, "None") || ts_span_is(value, "null"))
		return;
	if (take_measure(&rest, &first, &unit)) {
		if (!rest.len) {
			put_cell(r, renames, with_unit(r, name, unit), first, false);
			return;
		}
		if (ts_span_skip(&rest, "(") && take_measure(&rest, &second, &other) && ts_span_is(rest, ")") && other.len) {
			put_cell(r, renames, with_unit(r, name, unit), first, false);
			put_cell(r, renames, with_unit(r, name, other), second, false);
			return;
		}
	}
	put_cell(r, renames, name, value, true);
}

struct ts_span ts_text_record_keep(struct ts_text_record *r, struct ts_span text)
{
	size_t from = r->pooled;

	pool_put(r, text);
	return pool_from(r, from);
}

void ts_text_record_double(struct ts_text_record *r, struct ts_span name, double value)
{
	char text[TS_DOUBLE_TEXT];

	put_cell(r, NULL, name, ts_text_record_keep(r, ts_span_of(text, ts_print_double(value, text))), false);
}

/* "1.2" of "1.2k" as 1200, with the digits that it has. */
static void add_thousands(struct ts_text_record *r, struct ts_span name, struct ts_span number)
{
	char text[48];
	double value;

	number = without_commas(r, number);
	if (!ts_parse_double(number, &value))
		return;
	(void)snprintf(text, sizeof text, "%.15g", value * 1000);
	put_cell(r, NULL, name, ts_text_record_keep(r, ts_span_str(text)), false);
}

void ts_text_record_measure(struct ts_text_record *r, struct ts_span name, struct ts_span number, struct ts_span unit)
{
	bool thousands = ts_span_is(unit, "k") || ts_span_is(unit, "K");

	if (!thousands && !ts_span_is(unit, "it"))
		name = with_unit(r, name, unit);
	for (size_t i = 0; i < r->n; i++)
		if (ts_span_eq(r->cells[i].name, name))
			return;
	if (thousands)
		add_thousands(r, name, number);
	else
		put_cell(r, NULL, name, number, false);
}

void ts_text_record_value(struct ts_text_record *r, struct ts_span name, struct ts_span value)
{
	size_t n = ts_log_fraction(value);
	double seconds;

	if (n)
		put_cell(r, NULL, name, ts_span_part(value, 0, n), false);
	else if (value.len && ts_text_duration(value, &seconds) == value.len)
		ts_text_record_double(r, name, ts_span_ends(name, "_ms") ? 1000 * seconds : seconds);
	else
		ts_text_record_add(r, NULL, name, value);
}

/* --- pairs --- */

static size_t last_of(struct ts_span text, char c)
{
	size_t i = text.len;

	while (i > 0 && text.data[i - 1] != (uint8_t)c)
		i--;
	return i;
}

/* Splits "lm loss: 1.2", "loss=1.2" or "lm loss 1.2" at its last separator. */
static void add_item(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span item, char between)
{
	size_t at = last_of(item, between == ',' ? '=' : ':');

	if (!at && between == '|')
		at = last_of(item, ' ');
	if (at)
		ts_text_record_add(r, renames, ts_trim(ts_span_part(item, 0, at - 1)), ts_trim(ts_span_from(item, at)));
}

/* "loss: 1.2  lr: 3" has its values where the names' colons are. */
static void spaced_pairs(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span text)
{
	while (text.len) {
		const uint8_t *colon = memchr(text.data, ':', text.len);
		struct ts_span name;
		size_t at, n = 0;

		if (!colon)
			return;
		name = ts_trim(ts_span_of(text.data, (size_t)(colon - text.data)));
		at = last_of(name, ' ');
		text = ts_trim(ts_span_of(colon + 1, text.len - (size_t)(colon + 1 - text.data)));
		while (n < text.len && !ts_is_space(text.data[n]))
			n++;
		ts_text_record_add(r, renames, ts_span_from(name, at), ts_span_part(text, 0, n));
		text = ts_span_from(text, n);
	}
}

void ts_text_pairs(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span text, char between)
{
	if (between == ' ') {
		spaced_pairs(r, renames, text);
		return;
	}
	/* A comma within a number ("1,234") is no separator. */
	for (size_t at = 0, i = 0; i <= text.len; i++) {
		if (i < text.len &&
		    (text.data[i] != (uint8_t)between || (between == ',' && i + 1 < text.len && !ts_is_space(text.data[i + 1]))))
			continue;
		add_item(r, renames, ts_trim(ts_span_part(text, at, i - at)), between);
		at = i + 1;
	}
}

/* --- dicts --- */

/* Takes a quoted text at text.data[*at]; a backslash takes the next byte with it. */
static bool take_quoted(struct ts_span text, size_t *at, struct ts_span *ret_text)
{
	uint8_t quote = text.data[*at];
	size_t from = ++*at;

	for (; *at < text.len; (*at)++) {
		if (text.data[*at] == '\\')
			(*at)++;
		else if (text.data[*at] == quote) {
			*ret_text = ts_span_part(text, from, *at - from);
			(*at)++;
			return true;
		}
	}
	return false;
}

/* Passes over a list or a dict at text.data[*at], whatever is in it. */
static bool skip_nested(struct ts_span text, size_t *at)
{
	struct ts_span ignored;
	int depth = 0;

	while (*at < text.len) {
		uint8_t c = text.data[*at];

		if (c == '\'' || c == '"') {
			if (!take_quoted(text, at, &ignored))
				return false;
			continue;
		}
		depth += c == '{' || c == '[' || c == '(';
		depth -= c == '}' || c == ']' || c == ')';
		if (depth > DEPTH_MAX)
			return false;
		(*at)++;
		if (depth == 0)
			return true;
	}
	return false;
}

static void skip_spaces(struct ts_span text, size_t *at)
{
	while (*at < text.len && ts_is_space(text.data[*at]))
		(*at)++;
}

static bool take_value(struct ts_span text, size_t *at, struct ts_span *ret_value)
{
	size_t from = *at;

	*ret_value = ts_span_of(NULL, 0);
	if (*at >= text.len)
		return false;
	if (text.data[*at] == '\'' || text.data[*at] == '"')
		return take_quoted(text, at, ret_value);
	if (text.data[*at] == '{' || text.data[*at] == '[' || text.data[*at] == '(')
		return skip_nested(text, at);
	while (*at < text.len && text.data[*at] != ',' && text.data[*at] != '}')
		(*at)++;
	*ret_value = ts_trim(ts_span_part(text, from, *at - from));
	return *at < text.len;
}

bool ts_text_dict(struct ts_text_record *r, const struct ts_text_rename *renames, struct ts_span text)
{
	size_t at = 1;

	for (;;) {
		struct ts_span name, value;
		bool quoted;

		skip_spaces(text, &at);
		if (at < text.len && text.data[at] == '}')
			return true;
		if (at >= text.len || (text.data[at] != '\'' && text.data[at] != '"') || !take_quoted(text, &at, &name))
			return false;
		skip_spaces(text, &at);
		if (at >= text.len || text.data[at] != ':')
			return false;
		at++;
		skip_spaces(text, &at);
		quoted = at < text.len && (text.data[at] == '\'' || text.data[at] == '"');
		if (!take_value(text, &at, &value))
			return false;
		r->quoted |= quoted && ts_text_number_len(value) == value.len;
		ts_text_record_add(r, renames, name, value);
		skip_spaces(text, &at);
		if (at < text.len && text.data[at] == ',')
			at++;
		else if (at >= text.len || text.data[at] != '}')
			return false;
	}
}
