#include "ingest/host/environment.h"

#include "base/digest.h"
#include "base/file.h"
#include "base/order.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MODE = 0700 };

extern char **environ;

struct variable {
	struct ts_span name, value;
};

/* Writes the digest of the key alone, or of a variable under it, to hex, and returns it. */
static const char *digest(struct ts_hasher *hasher, const struct ts_environment_key *key, const struct variable *variable, char *hex)
{
	char whole[TS_ID_HEX + 1];
	struct ts_id id;

	ts_hasher_start(hasher);
	ts_hasher_add(hasher, ts_span_of(key->bytes, TS_ENVIRONMENT_KEY));
	if (variable) {
		ts_hasher_add(hasher, variable->name);
		ts_hasher_add(hasher, ts_span_of("", 1));
		ts_hasher_add(hasher, variable->value);
	}
	ts_hasher_end(hasher, &id);
	(void)ts_id_hex(&id, whole);
	memcpy(hex, whole, TS_ENVIRONMENT_HEX);
	hex[TS_ENVIRONMENT_HEX] = '\0';
	return hex;
}

/* --- the key --- */

static bool key_path(char *folder, char *path, size_t room)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = config && config[0] == '/' ? snprintf(folder, room, "%s/tscope", config)
		: home && home[0] == '/'   ? snprintf(folder, room, "%s/.config/tscope", home)
					   : -1;
	int k = n > 0 ? snprintf(path, room, "%s/environment.key", folder) : -1;

	return k > 0 && (size_t)k < room;
}

/* A file that others may read keeps no secret, and is not used. */
static bool read_key(const char *path, uint8_t key[TS_ENVIRONMENT_KEY])
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct ts_error ignored;
	struct stat st;
	size_t n = 0;
	bool well = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
		    !ts_read_full(fd, key, TS_ENVIRONMENT_KEY, &n, &ignored) && n == TS_ENVIRONMENT_KEY;

	if (fd >= 0)
		(void)close(fd);
	return well;
}

/* Of several processes that make it at once, one does. */
static bool make_key(const char *folder, const char *path)
{
	uint8_t key[TS_ENVIRONMENT_KEY];
	char beside[PATH_BYTES + 32];
	struct ts_error ignored;
	bool well;
	int fd;

	(void)snprintf(beside, sizeof beside, "%s.XXXXXX", path);
	if (ts_make_dirs(folder, MODE, &ignored) || ts_system_random(key, sizeof key, &ignored))
		return false;
	fd = ts_system_temp(beside);
	if (fd < 0)
		return false;
	well = fchmod(fd, 0600) == 0 && !ts_write_full(fd, key, sizeof key, &ignored) && link(beside, path) == 0;
	(void)unlink(beside);
	(void)close(fd);
	return well || errno == EEXIST;
}

bool ts_environment_key(struct ts_environment_key *ret_key)
{
	char folder[PATH_BYTES], path[PATH_BYTES];
	struct ts_hasher hasher;
	struct ts_error ignored;

	if (!key_path(folder, path, sizeof path))
		return false;
	if (!read_key(path, ret_key->bytes) && (!make_key(folder, path) || !read_key(path, ret_key->bytes)))
		return false;
	if (ts_hasher_init(&hasher, &ignored))
		return false;
	(void)digest(&hasher, ret_key, NULL, ret_key->id);
	ts_hasher_finish(&hasher);
	return true;
}

/* --- variables --- */

TS_ORDER(by_name, struct variable, TS_TEXT(name); TS_TEXT(value))

static bool is_left_out(struct ts_span name)
{
	static const char *const names[] = {"_",	  "PWD",	 "OLDPWD",	     "SHLVL",	   "RANK", "LOCAL_RANK",
					    "WORLD_SIZE", "MASTER_ADDR", "LOCAL_WORLD_SIZE", "MASTER_PORT"};
	static const char *const begins[] = {"TSCOPE_", "TORCHELASTIC_", "GROUP_", "ROLE_", "SLURM_", "PMIX_", "PMI_", "OMPI_"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (ts_span_is(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (ts_span_starts(name, ts_span_str(begins[i])))
			return true;
	for (size_t i = 0; i < name.len; i++)
		if (name.data[i] <= ' ' || name.data[i] == 0x7f)
			return true;
	return !name.len || !ts_utf8_valid(name);
}

enum ts_status ts_environment_write(const struct ts_environment_key *key, struct ts_arena *arena, struct ts_buf *out,
				    struct ts_error *err)
{
	struct variable *items;
	struct ts_hasher hasher;
	size_t n = 0, k = 0;

	while (environ && environ[n])
		n++;
	items = ts_arena_array(arena, n + 1, sizeof *items);
	if (!items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(environ[i], "=");
		struct ts_span name = ts_span_of(environ[i], len);

		if (environ[i][len] && !is_left_out(name))
			items[k++] = (struct variable){name, ts_span_str(environ[i] + len + 1)};
	}
	TS_SORT(items, k, by_name);
	if (ts_hasher_init(&hasher, err))
		return err->status;
	for (size_t i = 0; i < k; i++) {
		char hex[TS_ENVIRONMENT_HEX + 1];

		ts_buf_span(out, items[i].name);
		ts_buf_printf(out, " %s\n", digest(&hasher, key, &items[i], hex));
	}
	ts_hasher_finish(&hasher);
	return ts_buf_check(out, err);
}
