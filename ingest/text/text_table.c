#include "ingest/text/text_table.h"

#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"
#include "ingest/text/text_number.h"
#include "ingest/text/text_record.h"
#include "ingest/text/text_token.h"

/* --- cells --- */

static bool is_piped(struct ts_span line)
{
	return line.len > 2 && line.data[0] == '|';
}

/* Takes the next cell off *rest; false: there is none. wide: cells are parted by two spaces. */
static bool next_cell(struct ts_span *rest, bool piped, bool wide, struct ts_span *ret_cell)
{
	size_t n = 0;

	if (piped) {
		if (!rest->len || rest->data[0] != '|')
			return false;
		for (n = 1; n < rest->len && rest->data[n] != '|'; n++)
			;
		*ret_cell = ts_trim(ts_span_part(*rest, 1, n - 1));
		*rest = ts_span_from(*rest, n);
		return rest->len > 0;
	}
	*rest = ts_trim(*rest);
	while (n < rest->len && !(ts_is_space(rest->data[n]) &&
				  (!wide || rest->data[n] == '\t' || n + 1 == rest->len || ts_is_space(rest->data[n + 1]))))
		n++;
	*ret_cell = ts_span_part(*rest, 0, n);
	*rest = ts_span_from(*rest, n);
	return n > 0;
}

/* --- headers --- */

static bool is_name(struct ts_span cell)
{
	if (!cell.len || cell.len >= TS_TEXT_TABLE_NAME || !ts_utf8_valid(cell))
		return false;
	for (size_t i = 0; i < cell.len; i++)
		if (cell.data[i] < ' ' || memchr("{}:=|", cell.data[i], 5))
			return false;
	return ts_is_alpha(cell.data[0]) || ts_span_is(cell, "#") || cell.data[0] == '_';
}

static void keep_name(struct ts_text_table *t, struct ts_span cell)
{
	const size_t epoch = ts_log_axis_rank(ts_span_str("epoch"));

	if (ts_span_is(cell, "#"))
		cell = ts_span_str("step");
	else if (ts_span_is(cell, "E") || ts_log_axis_rank(cell) == epoch)
		cell = ts_span_str("epoch");
	memcpy(t->names[t->n], cell.data, cell.len);
	t->names[t->n][cell.len] = '\0';
	t->measures |= ts_log_name_measures(cell);
	t->n++;
}

/* The column of the most certain step; the number of columns: there is none. */
static size_t step_of(const struct ts_text_table *t)
{
	size_t best = t->n, least = TS_LOG_AXIS_NONE;

	for (size_t i = 0; i < t->n; i++)
		if (ts_log_axis_rank(ts_span_str(t->names[i])) < least) {
			least = ts_log_axis_rank(ts_span_str(t->names[i]));
			best = i;
		}
	return best;
}

bool ts_text_table_header(struct ts_text_table *t, struct ts_span line)
{
	struct ts_text_table out = {.piped = is_piped(line)};
	struct ts_span cell;

	while (next_cell(&line, out.piped, true, &cell)) {
		if (out.n == TS_TEXT_TABLE_COLUMNS || !is_name(cell))
			return false;
		keep_name(&out, cell);
	}
	out.step = step_of(&out);
	if (out.n < 2 || out.step > 1 || out.step == out.n || (!out.piped && out.n < 3))
		return false;
	*t = out;
	return true;
}

/* --- rows --- */

static bool is_value(struct ts_span cell)
{
	size_t n = ts_text_number_len(cell);
	double seconds;

	if (!cell.len)
		return false;
	return ts_log_fraction(cell) || ts_text_duration(cell, &seconds) == cell.len ||
	       (n && n + ts_text_unit(ts_span_from(cell, n)) == cell.len);
}

static bool count_of(struct ts_span cell, int64_t *ret)
{
	size_t n = ts_log_fraction(cell);

	*ret = 0;
	for (size_t i = 0; i < (n ? n : cell.len); i++) {
		if (!ts_is_digit(cell.data[i]) || i > 15)
			return false;
		*ret = *ret * 10 + (cell.data[i] - '0');
	}
	return true;
}

struct out {
	char *text;
	size_t n, size;
};

static void put(struct out *o, const char *text)
{
	size_t len = strlen(text);

	if (o->n + len < o->size)
		memcpy(o->text + o->n, text, len + 1);
	o->n += len;
}

static void put_field(struct out *o, const struct ts_text_table *t, size_t i, struct ts_span cell)
{
	put(o, i ? " " : t->piped ? "| " : "");
	put(o, "{");
	put(o, t->names[i]);
	put(o, ts_log_fraction(cell) && i == t->step ? "}/{}" : "}");
	if (t->piped)
		put(o, " |");
}

bool ts_text_table_row(const struct ts_text_table *t, struct ts_span line, int64_t *ret_step, char *out, size_t size)
{
	struct out o = {out, 0, size};
	struct ts_span cell;
	bool ends = false;

	if (!t->n || is_piped(line) != t->piped)
		return false;
	for (size_t i = 0; i < t->n; i++) {
		if (!next_cell(&line, t->piped, false, &cell))
			return false;
		ends = i + 1 == t->n && !t->piped && ts_span_ends(cell, ":");
		if (ends)
			cell.len--;
		if (!is_value(cell) || (i == t->step && !count_of(cell, ret_step)))
			return false;
		put_field(&o, t, i, cell);
	}
	if (ends)
		put(&o, ":");
	else if (ts_trim(line).len > t->piped)
		return false;
	return o.n < size;
}
