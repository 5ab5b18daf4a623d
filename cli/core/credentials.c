/* credentials.c - see credentials.h. */
#include "cli/core/credentials.h"

#include "base/file.h"
#include "base/key_value.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 256 << 10 };

static const struct {
	const char *key, *variable;
	size_t of_item, of_login;
} fields[] = {
	{"token", "TSCOPE_TOKEN", offsetof(struct ts_credential, token), offsetof(struct ts_client_login, token)},
	{"ca", "TSCOPE_CA", offsetof(struct ts_credential, ca), offsetof(struct ts_client_login, ca)},
	{"cert", "TSCOPE_CERT", offsetof(struct ts_credential, cert), offsetof(struct ts_client_login, cert)},
	{"key", "TSCOPE_KEY", offsetof(struct ts_credential, key), offsetof(struct ts_client_login, key)},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static struct ts_span *field_of(struct ts_credential *item, size_t i)
{
	return (struct ts_span *)(void *)((char *)item + fields[i].of_item);
}

struct ts_credential *ts_credentials_find(struct ts_credentials *in, struct ts_span server)
{
	for (size_t i = 0; i < in->n; i++)
		if (ts_span_eq(in->items[i].server, server))
			return &in->items[i];
	return NULL;
}

static bool begin_section(struct ts_credentials *out, struct ts_span line)
{
	struct ts_span server = ts_trim(ts_span_part(line, 1, line.len - 2));

	if (server.len == 0 || out->n == TS_CREDENTIALS_MAX || ts_credentials_find(out, server))
		return false;
	out->items[out->n++] = (struct ts_credential){.server = server};
	return true;
}

static bool set(struct ts_credentials *out, struct ts_span key, struct ts_span value)
{
	if (out->n == 0) {
		out->server = value;
		return ts_span_is(key, "server");
	}
	for (size_t i = 0; i < FIELDS; i++) {
		if (!ts_span_is(key, fields[i].key))
			continue;
		*field_of(&out->items[out->n - 1], i) = value;
		return true;
	}
	return false;
}

static bool read_line(struct ts_credentials *out, struct ts_span line)
{
	struct ts_span key, value;

	if (line.len == 0 || line.data[0] == '#')
		return true;
	if (memchr(line.data, 0, line.len))
		return false;
	if (line.data[0] == '[' && line.data[line.len - 1] == ']' && line.len > 2)
		return begin_section(out, line);
	return ts_key_value(line, &key, &value) && set(out, key, value);
}

enum ts_status ts_credentials_parse(struct ts_span text, const char *path, struct ts_credentials *ret, struct ts_error *err)
{
	struct ts_credentials out = {.n = 0};

	for (unsigned number = 1; text.len; number++) {
		size_t through = ts_span_through(text, '\n').len;
		struct ts_span line = ts_trim(ts_span_part(text, 0, through ? through : text.len));

		text = ts_span_from(text, through ? through : text.len);
		if (!read_line(&out, line))
			return ts_error_set(err, TS_INVALID, "%s:%u: the line is none that tscope login writes", path, number);
	}
	*ret = out;
	return TS_OK;
}

enum ts_status ts_credentials_path(struct ts_arena *arena, const char **ret_path, struct ts_error *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME"), *path;

	*ret_path = NULL;
	if (config && config[0] == '/')
		path = ts_arena_printf(arena, "%s/tscope/credentials", config);
	else if (home && home[0] == '/')
		path = ts_arena_printf(arena, "%s/.config/tscope/credentials", home);
	else
		return TS_OK;
	if (!path)
		return ts_arena_error(arena, err);
	*ret_path = path;
	return TS_OK;
}

/* What is checked is what is read: the open file. */
static enum ts_status check_file(int fd, const char *path, struct ts_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return ts_error_errno(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return ts_error_set(err, TS_DENIED, "%s is no plain file, so its tokens are not used", path);
	if (st.st_uid != geteuid())
		return ts_error_set(err, TS_DENIED, "%s belongs to another user, so its tokens are not used", path);
	if (st.st_mode & 077)
		return ts_error_set(
			err, TS_DENIED,
			"%s can be used by others (its mode is %04o), so its tokens are not used; revoke them, then chmod 600 %s, and "
			"tscope login again",
			path, (unsigned)st.st_mode & 07777, path);
	return TS_OK;
}

static enum ts_status read_all(int fd, struct ts_arena *arena, const char *path, struct ts_span *ret_text, struct ts_error *err)
{
	char *text = ts_arena_alloc(arena, FILE_MAX);
	size_t n;

	if (!text)
		return ts_arena_error(arena, err);
	if (ts_read_full(fd, text, FILE_MAX, &n, err))
		return ts_error_prefix(err, "%s", path);
	if (n == FILE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s has more than %d bytes", path, FILE_MAX);
	*ret_text = ts_span_of(text, n);
	return TS_OK;
}

/* Whether not even the folder may be entered: whoever runs as another user with HOME still set has no credentials there. */
static bool is_out_of_reach(const char *path)
{
	struct stat st;

	return lstat(path, &st) != 0 && errno == EACCES;
}

enum ts_status ts_credentials_load(const char *path, struct ts_arena *arena, struct ts_credentials *ret, struct ts_error *err)
{
	int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	enum ts_status status;
	struct ts_span text;

	if (!path || (fd < 0 && (errno == ENOENT || errno == ENOTDIR || (errno == EACCES && is_out_of_reach(path))))) {
		*ret = (struct ts_credentials){.n = 0};
		return TS_OK;
	}
	if (fd < 0 && errno == ELOOP)
		return ts_error_set(err, TS_DENIED, "%s is a symbolic link, so its tokens are not used", path);
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	status = check_file(fd, path, err);
	if (!status)
		status = read_all(fd, arena, path, &text, err);
	(void)close(fd);
	return status ? status : ts_credentials_parse(text, path, ret, err);
}

enum ts_status ts_credentials_save(const char *path, const struct ts_credentials *in, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(FILE_MAX), folder = TS_BUF_INIT(4096);
	struct ts_credentials copy = *in;
	enum ts_status status;

	ts_buf_str(&text, "# Written by tscope login. Whoever can read the tokens here may do what they allow.\n");
	if (in->server.len)
		ts_buf_printf(&text, "server = %.*s\n", TS_SPAN_ARG(in->server));
	for (size_t i = 0; i < in->n; i++) {
		ts_buf_printf(&text, "\n[%.*s]\n", TS_SPAN_ARG(in->items[i].server));
		for (size_t f = 0; f < FIELDS; f++)
			if (field_of(&copy.items[i], f)->len)
				ts_buf_printf(&text, "%s = %.*s\n", fields[f].key, TS_SPAN_ARG(*field_of(&copy.items[i], f)));
	}
	ts_buf_printf(&folder, "%.*s%c", (int)(strrchr(path, '/') - path), path, 0);
	status = ts_buf_check(&text, err) || ts_buf_check(&folder, err) ? err->status : TS_OK;
	if (!status)
		status = ts_make_dirs((const char *)folder.data, 0700, err);
	if (!status)
		status = ts_file_replace(path, ts_buf_view(&text), 0600, err);
	ts_buf_finish(&folder);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_credentials_login(struct ts_credentials *in, const char *path, const char *server, bool further,
				    struct ts_arena *arena, struct ts_client_login *ret, struct ts_error *err)
{
	struct ts_credential *item = ts_credentials_find(in, ts_span_str(server));
	struct ts_client_login out = {.from = "TSCOPE_TOKEN"};

	for (size_t i = 0; i < FIELDS; i++) {
		const char *value = further && i == 0 ? NULL : getenv(fields[i].variable);
		struct ts_span kept = item ? *field_of(item, i) : ts_span_of(NULL, 0);

		if ((!value || !*value) && kept.len) {
			kept = ts_arena_span(arena, kept);
			if (!kept.data)
				return ts_arena_error(arena, err);
			value = (const char *)kept.data;
			out.from = i == 0 ? path : out.from;
		}
		if (value && *value)
			memcpy((char *)&out + fields[i].of_login, &value, sizeof value);
	}
	*ret = out;
	return TS_OK;
}
