#include "cli/verbs/experiment_copies.h"

#include "base/file.h"
#include "base/grow.h"
#include "cli/verbs/again_here.h"
#include "cli/view/show_value.h"
#include "ingest/host/spawn.h"
#include "launch/git.h"

#include <string.h>
#include <unistd.h>

enum { FIRST_FILES = 16, LIST_MOST = 4 << 20 };
#define GIT_NS (INT64_C(60) * 1000000000)

struct copies {
	struct ts_cli *cli;
	const char *clone;
	const char **items;
	size_t n, cap;
	uint64_t unasked; /* bytes of those that records name */
};

static bool is_there(const struct copies *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->items[i], path) == 0)
			return true;
	return false;
}

static enum ts_status add(struct copies *c, const char *path, struct ts_error *err)
{
	if (!TS_GROW_IN(&c->cli->arena, c->items, c->cap, c->n + 2, FIRST_FILES))
		return ts_arena_error(&c->cli->arena, err);
	c->items[c->n++] = path;
	return TS_OK;
}

/* All files of a folder that git does not track, ignored ones among them. */
static enum ts_status add_folder(struct copies *c, const char *folder, struct ts_error *err)
{
	const char *const argv[] = {"git", "-C", c->clone, "--literal-pathspecs", "ls-files", "--others", "-z", "--", folder, NULL};
	struct ts_buf text = TS_BUF_INIT(LIST_MOST);
	enum ts_status status = ts_spawn_output(argv, GIT_NS, &text, err);
	struct ts_span rest = status ? ts_span_of(NULL, 0) : ts_buf_view(&text);

	while (!status && rest.len) {
		struct ts_span name = ts_span_through(rest, '\0');

		if (!name.len)
			break;
		rest = ts_span_from(rest, name.len);
		if (name.len > 1 && name.data[name.len - 2] != '/') /* a repository of its own */
			status = add(c, ts_arena_phrase(&c->cli->arena, "%.*s", (int)name.len - 1, (const char *)name.data), err);
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status add_named(struct copies *c, const char *path, struct ts_error *err)
{
	size_t before = c->n;

	if (ts_file_kind(ts_arena_phrase(&c->cli->arena, "%s/%s", c->clone, path)) != TS_FILE_DIRECTORY)
		return add(c, path, err);
	if (add_folder(c, path, err))
		return ts_error_prefix(err, "--copy %s", path);
	return c->n > before ? TS_OK
			     : ts_error_set(err, TS_INVALID, "--copy: there is nothing in the folder %s that git does not track", path);
}

static bool has_file(const struct copies *c, const char *path, uint64_t *ret_size)
{
	struct ts_error ignored;
	int fd;

	if (ts_file_open(ts_arena_phrase(&c->cli->arena, "%s/%s", c->clone, path), &fd, ret_size, &ignored))
		return false;
	(void)close(fd);
	return true;
}

static enum ts_status add_read(struct copies *c, const struct ts_facts *facts, struct ts_error *err)
{
	struct ts_again again;

	if (ts_again_of(facts, 1, &c->cli->arena, &again, err))
		return err->status;
	for (size_t i = 0; i < again.n_files; i++) {
		const char *path = ts_here_within(&again, again.files[i].path);
		uint64_t size;

		if (!path || strstr(path, "..") || is_there(c, path) || !has_file(c, path, &size) || ts_git_tracks(c->clone, path))
			continue;
		c->unasked += size;
		if (add(c, path, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_experiment_copies(struct ts_cli *cli, const char *clone, const struct ts_facts *const *records, size_t n,
				    const char *const **ret_files, struct ts_error *err)
{
	struct copies c = {.cli = cli, .clone = clone};
	const char *path;
	size_t named;

	for (size_t i = 0; (path = ts_args_nth(&cli->args, "copy", i)) != NULL; i++)
		if (add_named(&c, path, err))
			return err->status;
	named = c.n;
	for (size_t i = 0; i < n; i++)
		if (add_read(&c, records[i], err))
			return err->status;
	if (c.unasked > TS_COPIES_UNASKED) {
		ts_cli_say(cli,
			   "what the recorded runs read and git does not track is %s: runs get copies of it only where --copy names it",
			   ts_show_bytes((double)c.unasked, &cli->arena));
		c.n = named;
	} else if (c.n > named) {
		ts_cli_say(cli, "each run gets copies of what the recorded runs read and git does not track: %s%s",
			   ts_show_text(ts_span_str(c.items[named]), &cli->arena),
			   c.n > named + 1 ? ts_arena_phrase(&cli->arena, " and %zu more", c.n - named - 1) : "");
	}
	if (!TS_GROW_IN(&cli->arena, c.items, c.cap, c.n + 1, FIRST_FILES))
		return ts_arena_error(&cli->arena, err);
	c.items[c.n] = NULL;
	*ret_files = c.items;
	return ts_arena_check(&cli->arena, err);
}
