#include "ingest/text/text_table.h"

#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"
#include "ingest/text/text_number.h"
#include "ingest/text/text_record.h"
#include "ingest/text/text_token.h"

/* --- cells --- */

static enum ts_text_table_form form_of(struct ts_span line)
{
	if (line.len > 2 && line.data[0] == '|')
		return TS_TEXT_TABLE_PIPES;
	return line.len && memchr(line.data, ',', line.len) ? TS_TEXT_TABLE_COMMAS : TS_TEXT_TABLE_SPACES;
}

/* The next cell that ends at a comma, or at the end. */
static bool next_listed(struct ts_span *rest, struct ts_span *ret_cell)
{
	size_t n = 0;

	if (!rest->data)
		return false;
	while (n < rest->len && rest->data[n] != ',')
		n++;
	*ret_cell = ts_trim(ts_span_part(*rest, 0, n));
	*rest = n < rest->len ? ts_span_from(*rest, n + 1) : ts_span_of(NULL, 0);
	return true;
}

/* Takes the next cell off *rest; false: there is none. wide: cells are parted by two spaces. */
static bool next_cell(struct ts_span *rest, enum ts_text_table_form form, bool wide, struct ts_span *ret_cell)
{
	size_t n = 0;

	if (form == TS_TEXT_TABLE_COMMAS)
		return next_listed(rest, ret_cell);
	if (form == TS_TEXT_TABLE_PIPES) {
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

/* "#  step  loss" and "#step loss": the mark of a comment, where a name behind it is that of a step. */
static struct ts_span without_mark(struct ts_span line)
{
	struct ts_span rest = ts_trim(line), cell;

	if (!ts_span_skip(&rest, "#") || !next_cell(&rest, form_of(rest), false, &cell))
		return line;
	return ts_log_axis_rank(cell) == TS_LOG_AXIS_NONE ? line : ts_trim(ts_span_from(ts_trim(line), 1));
}

/* "640: 100%|####| 16/16 [00:03<00:00, 4.5it/s]" without the bar that stands behind the last cell; its colon stays. */
static struct ts_span without_bar(struct ts_span line)
{
	for (size_t i = 0; i + 1 < line.len; i++) {
		const uint8_t *percent = memchr(line.data + i, '%', line.len - i);
		size_t at;

		if (!percent)
			break;
		i = at = (size_t)(percent - line.data);
		if (at + 1 == line.len || line.data[at + 1] != '|')
			continue;
		while (at && ts_is_digit(line.data[at - 1]))
			at--;
		while (at && ts_is_space(line.data[at - 1]))
			at--;
		if (at && line.data[at - 1] == ':')
			return ts_span_part(line, 0, at);
	}
	return line;
}

/* The names of a header. wide: they are parted by two spaces. */
static bool names_of(struct ts_span line, enum ts_text_table_form form, bool wide, struct ts_text_table *ret)
{
	struct ts_span cell;

	*ret = (struct ts_text_table){.form = form};
	while (next_cell(&line, form, wide, &cell)) {
		if (ret->n == TS_TEXT_TABLE_COLUMNS || !is_name(cell))
			return false;
		keep_name(ret, cell);
	}
	ret->step = step_of(ret);
	return ret->n > 1;
}

/* Whether the names are those of a table's columns. tabs: they are parted by tabs. */
static bool is_header(const struct ts_text_table *t, bool tabs)
{
	if (t->step == t->n)
		return tabs && t->measures;
	return t->step <= 1 && (t->form != TS_TEXT_TABLE_SPACES || t->n > 2 || tabs);
}

bool ts_text_table_header(struct ts_text_table *t, struct ts_span line)
{
	enum ts_text_table_form form;
	bool tabs = line.len && memchr(line.data, '\t', line.len);
	struct ts_text_table out;

	line = without_bar(line);
	form = form_of(line);
	line = without_mark(line);
	if (names_of(line, form, true, &out)) {
		if (!is_header(&out, tabs))
			return false;
	} else if (form != TS_TEXT_TABLE_SPACES || tabs || !names_of(line, form, false, &out) || out.step || !out.measures) {
		return false;
	}
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

static void put_field(struct out *o, const struct ts_text_table *t, enum ts_text_table_form form, size_t i, struct ts_span cell)
{
	static const char *const before[][2] = {
		[TS_TEXT_TABLE_SPACES] = {"", " "}, [TS_TEXT_TABLE_PIPES] = {"| ", " "}, [TS_TEXT_TABLE_COMMAS] = {"", " ,"}};

	put(o, before[form][i > 0]);
	put(o, "{");
	put(o, is_value(cell) ? t->names[i] : "");
	put(o, ts_log_fraction(cell) && i == t->step ? "}/{}" : "}");
	if (form == TS_TEXT_TABLE_PIPES)
		put(o, " |");
}

/* Whether a cell may stand in a row: between commas also a date or another word, which is not kept. */
static bool takes(const struct ts_text_table *t, size_t i, struct ts_span cell, int64_t *ret_step)
{
	if (i == t->step)
		return is_value(cell) && count_of(cell, ret_step);
	return is_value(cell) || (t->form == TS_TEXT_TABLE_COMMAS && cell.len && i > t->step && ts_is_alnum(cell.data[0]));
}

/* How the cells of a row are parted: as the names are, or by tabs where the names are a list. */
static bool form_of_row(const struct ts_text_table *t, struct ts_span line, enum ts_text_table_form *ret_form)
{
	*ret_form = form_of(line);
	return *ret_form == t->form ||
	       (t->form == TS_TEXT_TABLE_COMMAS && *ret_form == TS_TEXT_TABLE_SPACES && line.len && memchr(line.data, '\t', line.len));
}

bool ts_text_table_row(const struct ts_text_table *t, struct ts_span line, int64_t *ret_step, char *out, size_t size)
{
	struct out o = {out, 0, size};
	enum ts_text_table_form form;
	struct ts_span cell;
	bool ends = false, any = false;

	if (!t->n)
		return false;
	line = without_bar(line);
	if (!form_of_row(t, line, &form))
		return false;
	for (size_t i = 0; i < t->n; i++) {
		if (!next_cell(&line, form, false, &cell))
			return false;
		if (form == TS_TEXT_TABLE_SPACES && i != t->step && ts_span_is(cell, "No") &&
		    ts_span_starts(ts_trim(line), ts_span_str("log"))) {
			line = ts_span_from(ts_trim(line), 3);
			put(&o, i ? " No log" : "No log");
			continue;
		}
		ends = i + 1 == t->n && form == TS_TEXT_TABLE_SPACES && ts_span_ends(cell, ":");
		if (ends)
			cell.len--;
		if (!takes(t, i, cell, ret_step))
			return false;
		any |= i != t->step && is_value(cell);
		put_field(&o, t, form, i, cell);
	}
	if (ends)
		put(&o, ":");
	else if (line.data && ts_trim(line).len > (form == TS_TEXT_TABLE_PIPES))
		return false;
	return any && o.n < size;
}

/* --- tables of classes --- */

/* "P" and "mAP50-95" of "Box(P  R  mAP50  mAP50-95)". */
static void drop_brackets(char *name)
{
	const char *open = strchr(name, '(');
	size_t n = strlen(name);

	if (n && name[n - 1] == ')' && !open)
		name[n - 1] = '\0';
	else if (open && open[1] && name[n - 1] != ')')
		memmove(name, open + 1, strlen(open));
}

bool ts_text_table_classes(struct ts_text_table *t, struct ts_span line)
{
	struct ts_span rest, cell;
	struct ts_text_table out;

	if (!ts_span_starts(line, ts_span_str("Class ")))
		return false;
	rest = without_bar(line);
	if (ts_span_ends(rest, ":"))
		rest.len--;
	if (!next_cell(&rest, TS_TEXT_TABLE_SPACES, true, &cell) || !names_of(rest, TS_TEXT_TABLE_SPACES, true, &out) || !out.measures)
		return false;
	for (size_t i = 0; i < out.n; i++)
		drop_brackets(out.names[i]);
	*t = out;
	return true;
}

bool ts_text_table_class(const struct ts_text_table *t, struct ts_span line, bool *ret_all, char *out, size_t size)
{
	struct out o = {out, 0, size};
	struct ts_span cell;

	if (!t->n || !next_cell(&line, TS_TEXT_TABLE_SPACES, false, &cell) || !ts_is_alnum(cell.data[0]))
		return false;
	*ret_all = ts_span_is(cell, "all");
	put(&o, "all");
	for (size_t i = 0; i < t->n; i++) {
		if (!next_cell(&line, TS_TEXT_TABLE_SPACES, false, &cell) || !is_value(cell))
			return false;
		put(&o, " {");
		put(&o, t->names[i]);
		put(&o, "}");
	}
	return !ts_trim(line).len && o.n < size;
}
