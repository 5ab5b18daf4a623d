#include "ingest/export/record_write.h"

#include "base/limits.h"

bool ts_column_is_own(const struct ts_rows *rows, size_t i)
{
	struct ts_span name = rows->columns[i].column->name;

	return (rows->kind == TS_TABLE_STEPS || rows->kind == TS_TABLE_SUPERSEDED) &&
	       (ts_span_is(name, "segment") || ts_span_is(name, "step"));
}

struct ts_span ts_column_key(struct ts_span name)
{
	return ts_span_is(name, "segment[0]") ? ts_span_of(name.data, name.len - 3) : name;
}

void ts_value_write(const struct ts_rows *rows, size_t i, struct ts_json *j)
{
	switch (rows->columns[i].column->type) {
	case TS_COLUMN_F64:
		ts_json_double(j, ts_rows_f64(rows, i));
		break;
	case TS_COLUMN_U64:
		ts_json_hex64(j, ts_rows_u64(rows, i));
		break;
	case TS_COLUMN_TEXT:
		ts_json_span(j, ts_rows_text(rows, i));
		break;
	case TS_COLUMN_JSON:
		ts_json_raw(j, ts_rows_text(rows, i));
		break;
	}
}

/* Returns where the key at name[at] ends: at an unescaped '.' or at the end of the name. */
static size_t key_end(struct ts_span name, size_t at)
{
	for (; at < name.len && name.data[at] != '.'; at++)
		at += name.data[at] == '\\';
	return at < name.len ? at : name.len;
}

static void write_key(struct ts_json *j, struct ts_span key, const char *taken)
{
	uint8_t plain[TS_PATH_MAX + 8];
	size_t n = 0;

	if (taken && ts_span_is(key, taken)) {
		memcpy(plain, "record.", 7);
		n = 7;
	}
	for (size_t i = 0; i < key.len && n < sizeof plain; i++) {
		if (key.data[i] == '\\' && i + 1 < key.len)
			i++;
		plain[n++] = key.data[i];
	}
	ts_json_key_span(j, ts_span_of(plain, n));
}

/* Closes the open objects that do not contain name. Returns where the first key of name below the objects that stay
 * open begins. */
static size_t close_others(struct ts_span name, struct ts_span before, size_t *open, struct ts_json *j)
{
	size_t shared = 0;
	size_t depth = 0;

	for (size_t at = 0; depth < *open; depth++) {
		size_t end = key_end(name, at);

		if (end == name.len || end != key_end(before, at) || memcmp(name.data, before.data, end) != 0)
			break;
		at = end + 1;
		shared = at;
	}
	for (; *open > depth; --*open)
		ts_json_end(j);
	return shared;
}

void ts_record_write(const struct ts_rows *rows, const char *taken, struct ts_json *j)
{
	struct ts_span before = {NULL, 0};
	size_t open = 0;

	for (size_t i = 0; i < rows->n_columns; i++) {
		struct ts_span name = ts_column_key(rows->columns[i].column->name);
		size_t at, end;

		if (!ts_rows_has(rows, i) || ts_column_is_own(rows, i))
			continue;
		at = close_others(name, before, &open, j);
		for (end = key_end(name, at); end < name.len; at = end + 1, end = key_end(name, at)) {
			write_key(j, ts_span_of(name.data + at, end - at), at ? NULL : taken);
			ts_json_object(j);
			open++;
		}
		write_key(j, ts_span_of(name.data + at, end - at), at ? NULL : taken);
		ts_value_write(rows, i, j);
		before = name;
	}
	for (; open > 0; open--)
		ts_json_end(j);
}
