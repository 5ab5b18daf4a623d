/* project.c - see project.h. */
#include "cli/core/project.h"

#include "base/file.h"
#include "base/key_value.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/name.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROJECT_FILE_MAX = 64 << 10 };

enum ts_status ts_project_check(const char *name, const char *what, struct ts_error *err)
{
	size_t n = strlen(name);

	for (size_t i = 0, some; i < n; i += some) {
		some = ts_name_char(ts_span_of(name + i, n - i), i == 0);
		if (!some)
			return ts_error_set(
				err, TS_INVALID,
				"%s: '%s' is not a project name: it may have letters and digits, and . _ + - after the first character",
				what, name);
	}
	if (n == 0 || n >= TS_NAME_MAX)
		return ts_error_set(err, TS_INVALID, "%s: a project name must have 1 to %d characters", what,
				    TS_NAME_MAX - 1);
	return TS_OK;
}

static enum ts_status parse_line(struct ts_span line, const char *path, int number, struct ts_arena *arena,
				 const char **io_project, struct ts_error *err)
{
	struct ts_span key, value;
	const char *name;

	line = ts_trim(line);
	if (line.len == 0 || line.data[0] == '#')
		return TS_OK;
	if (!ts_key_value(line, &key, &value) || !ts_span_is(key, "project"))
		return ts_error_set(err, TS_INVALID, "%s:%d: the line must be 'project = NAME'", path, number);
	if (value.len && memchr(value.data, 0, value.len))
		return ts_error_set(err, TS_INVALID, "%s:%d: project: a NUL byte", path, number);
	name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(value));
	if (!name)
		return ts_arena_error(arena, err);
	if (ts_project_check(name, "project", err))
		return ts_error_prefix(err, "%s:%d", path, number);
	*io_project = name;
	return TS_OK;
}

enum ts_status ts_project_parse(struct ts_span text, const char *path, struct ts_arena *arena,
				const char **ret_project, struct ts_error *err)
{
	const char *project = NULL;
	int number = 1;

	for (size_t at = 0; at < text.len; number++) {
		const uint8_t *end = memchr(text.data + at, '\n', text.len - at);
		size_t len = end ? (size_t)(end - text.data) - at : text.len - at;
		enum ts_status status = parse_line(ts_span_of(text.data + at, len), path, number, arena, &project, err);

		if (status)
			return status;
		at += len + 1;
	}
	*ret_project = project;
	return TS_OK;
}

static enum ts_status parse_file(const char *path, struct ts_arena *arena, const char **ret_project,
				 struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(PROJECT_FILE_MAX);
	enum ts_status status = ts_file_read(path, &text, err);

	if (!status)
		status = ts_project_parse(ts_buf_view(&text), path, arena, ret_project, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_project_find(const char *directory, struct ts_arena *arena, const char **ret_project,
			       struct ts_error *err)
{
	size_t len = strlen(directory);

	*ret_project = NULL;
	while (len > 0) {
		const char *path = ts_arena_printf(arena, "%.*s/.tscope", (int)len, len == 1 ? "" : directory);

		if (len == 1)
			path = "/.tscope";
		if (!path)
			return ts_arena_error(arena, err);
		if (ts_file_kind(path) == TS_FILE_REGULAR)
			return parse_file(path, arena, ret_project, err);
		if (len == 1)
			break;
		while (len > 1 && directory[len - 1] != '/')
			len--;
		if (len > 1)
			len--; /* without the slash, unless this is the root folder */
	}
	return TS_OK;
}

enum ts_status ts_project_here(struct ts_arena *arena, const char **ret_project, struct ts_error *err)
{
	const char *variable = getenv("TSCOPE_PROJECT");
	const char *found = NULL;
	char directory[PATH_MAX];
	enum ts_status status;

	if (variable && *variable) {
		status = ts_project_check(variable, "TSCOPE_PROJECT", err);
		if (!status)
			*ret_project = variable;
		return status;
	}
	/* A working folder that was removed has no .tscope above it. */
	if (getcwd(directory, sizeof directory)) {
		status = ts_project_find(directory, arena, &found, err);
		if (status)
			return status;
	}
	*ret_project = found ? found : TS_PROJECT_DEFAULT;
	return TS_OK;
}
