/* tracking_key.c - see tracking_key.h. */
#include "web/mlflow/tracking_key.h"

#include "base/text.h"

static bool may_have(uint8_t c)
{
	return c >= 0x80 || ts_is_alnum(c) || (c && strchr("_-. :/", c));
}

/* As MLflow: a key is the same path after it was made the shortest, and leads nowhere above. */
static bool is_plain_path(struct ts_span key)
{
	size_t begin = 0;

	for (size_t i = 0; i <= key.len; i++) {
		struct ts_span part;

		if (i < key.len && key.data[i] != '/')
			continue;
		part = ts_span_part(key, begin, i - begin);
		if (!part.len || ts_span_is(part, ".") || ts_span_is(part, ".."))
			return false;
		begin = i + 1;
	}
	return true;
}

enum ts_status ts_tracking_key_check(struct ts_span key, const char *what, struct ts_error *err)
{
	size_t slashes = 0;

	if (!key.len)
		return ts_error_set(err, TS_INVALID, "a %s has no key", what);
	for (size_t i = 0; i < key.len; i++) {
		if (!may_have(key.data[i]))
			return ts_error_set(err, TS_INVALID,
					    "Invalid %s name '%s': names have letters, digits, _ - . : / and spaces only", what,
					    ts_show(key).text);
		slashes += key.data[i] == '/';
	}
	if (!ts_utf8_valid(key) || !is_plain_path(key))
		return ts_error_set(err, TS_INVALID, "Invalid %s name '%s': it is no plain path", what, ts_show(key).text);
	if (key.len > TS_TRACKING_KEY_MAX || key.len + 2 * slashes > TS_TRACKING_FILE_MAX)
		return ts_error_set(err, TS_INVALID, "the name of a %s is longer than %d bytes, a slash counted as three", what,
				    TS_TRACKING_KEY_MAX);
	return TS_OK;
}

const char *ts_tracking_key_file(struct ts_span key, struct ts_arena *arena)
{
	char *file = ts_arena_alloc(arena, 3 * key.len + 1);
	size_t n = 0;

	for (size_t i = 0; file && i < key.len; i++)
		if (key.data[i] == '/') {
			memcpy(file + n, "%2F", 3);
			n += 3;
		} else {
			file[n++] = (char)key.data[i];
		}
	if (file)
		file[n] = '\0';
	return file;
}

struct ts_span ts_tracking_key_of(const char *file, struct ts_arena *arena)
{
	struct ts_span rest = ts_span_str(file);
	char *key = ts_arena_alloc(arena, rest.len + 1);
	size_t n = 0;

	while (key && rest.len) {
		if (ts_span_skip(&rest, "%2F")) {
			key[n++] = '/';
			continue;
		}
		key[n++] = (char)rest.data[0];
		rest = ts_span_from(rest, 1);
	}
	return ts_span_of(key, key ? n : 0);
}
