#include "ingest/logs/log_csv.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"

static bool grow(struct ts_log_csv *c)
{
	size_t cap = c->cap;

	return TS_GROW(c->fields, cap, cap + 1, 32) && TS_GROW(c->quoted, c->cap, c->cap + 1, 32);
}

static enum ts_status add(struct ts_log_csv *c, struct ts_span field, bool quoted, struct ts_error *err)
{
	if (c->n == c->cap && !grow(c))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for fields");
	c->fields[c->n] = field;
	c->quoted[c->n++] = quoted;
	return TS_OK;
}

/* Returns where the quoted field at `at` ends, behind its quote. *ret_doubled: the field contains "". */
static size_t quoted_end(struct ts_span line, size_t at, bool *ret_doubled)
{
	size_t i = at + 1;

	*ret_doubled = false;
	for (; i < line.len; i++) {
		if (line.data[i] != '"')
			continue;
		if (i + 1 == line.len || line.data[i + 1] != '"')
			return i + 1;
		*ret_doubled = true;
		i++;
	}
	return i;
}

/* unquoted has space for the whole line, so that earlier fields do not move. */
static struct ts_span unquote(struct ts_log_csv *c, struct ts_span quoted)
{
	size_t from = c->unquoted.len;

	for (size_t i = 0; i < quoted.len; i++) {
		ts_buf_char(&c->unquoted, (char)quoted.data[i]);
		i += quoted.data[i] == '"' && i + 1 < quoted.len && quoted.data[i + 1] == '"';
	}
	return ts_span_of(c->unquoted.data + from, c->unquoted.len - from);
}

static struct ts_span field_at(struct ts_log_csv *c, struct ts_span line, char delimiter, size_t *at)
{
	size_t from = *at, end = from;
	const uint8_t *next;
	bool doubled = false;
	struct ts_span field;

	if (from < line.len && line.data[from] == '"')
		end = quoted_end(line, from, &doubled);
	next = end < line.len ? memchr(line.data + end, delimiter, line.len - end) : NULL;
	*at = next ? (size_t)(next - line.data) : line.len;
	if (end == from)
		return ts_span_of(line.data + from, *at - from);
	field = ts_span_of(line.data + from + 1, end - from - 1 - (end > from + 1 && line.data[end - 1] == '"'));
	return doubled ? unquote(c, field) : field;
}

enum ts_status ts_log_csv_split(struct ts_log_csv *c, struct ts_span line, char delimiter, struct ts_error *err)
{
	size_t at = 0;

	c->n = 0;
	c->unquoted.ceiling = 2 * TS_LINE_MAX;
	ts_buf_reset(&c->unquoted);
	if (line.len && memchr(line.data, '"', line.len) && !ts_buf_reserve(&c->unquoted, line.len))
		return ts_buf_check(&c->unquoted, err);
	for (;;) {
		bool quoted = at < line.len && line.data[at] == '"';
		struct ts_span field = field_at(c, line, delimiter, &at);

		if (c->n == TS_LOG_CSV_FIELDS)
			return TS_OK;
		if (add(c, field, quoted, err))
			return err->status;
		if (at == line.len)
			return TS_OK;
		at++;
	}
}

void ts_log_csv_finish(struct ts_log_csv *c)
{
	ts_free(c->fields);
	ts_free(c->quoted);
	ts_buf_finish(&c->unquoted);
	*c = (struct ts_log_csv){.n = 0};
}

char ts_log_csv_delimiter(struct ts_span header)
{
	static const char others[] = {'\t', ';'};

	if (!header.len || memchr(header.data, ',', header.len))
		return ',';
	for (size_t i = 0; i < sizeof others; i++)
		if (memchr(header.data, others[i], header.len))
			return others[i];
	return ',';
}
