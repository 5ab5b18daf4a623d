/* file_path.c - see file_path.h. */
#include "run/file_path.h"

#include "base/text.h"

static const char begin[] = "artifacts%2F";

static size_t put(char *name, size_t n, struct ts_span text)
{
	if (n + text.len < TS_FILE_NAME_BYTES)
		memcpy(name + n, text.data, text.len);
	return n + text.len;
}

bool ts_artifact_name(struct ts_span below, char ret_name[TS_FILE_NAME_BYTES])
{
	size_t n = put(ret_name, 0, ts_span_str(begin));

	for (size_t i = 0; i < below.len && n < TS_FILE_NAME_BYTES; i++)
		n = put(ret_name, n,
			below.data[i] == '/'   ? ts_span_str("%2F")
			: below.data[i] == '%' ? ts_span_str("%25")
					       : ts_span_part(below, i, 1));
	if (n >= TS_FILE_NAME_BYTES)
		return false;
	ret_name[n] = '\0';
	return below.len > 0;
}

bool ts_is_artifact(struct ts_span name)
{
	return ts_span_starts(name, ts_span_str(begin)) && name.len > sizeof begin - 1;
}

struct ts_span ts_file_path(struct ts_span name, struct ts_arena *arena)
{
	uint8_t *path;
	size_t n = 0;

	if (!ts_is_artifact(name))
		return name;
	path = ts_arena_alloc(arena, name.len);
	for (size_t i = 0; path && i < name.len; i++) {
		struct ts_span rest = ts_span_from(name, i);
		bool slash = ts_span_starts(rest, ts_span_str("%2F"));

		if (name.data[i] == '%' && !slash && !ts_span_starts(rest, ts_span_str("%25")))
			return name;
		path[n++] = slash ? '/' : name.data[i];
		i += name.data[i] == '%' ? 2 : 0;
	}
	return ts_span_of(path, path ? n : 0);
}
